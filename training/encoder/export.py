"""Build the encoder that ships from trained weights: `python -m training.encoder.export FOLDER TARGET`.

FOLDER is a model of sentence-transformers: a BERT with mean pooling (`model.safetensors`, `config.json`,
`tokenizer.json`), as published or as trained here. TARGET gets `encoder.onnx`, `tokenizer.json` and `encoder.json`, the
card with the checksum by which a store knows which weights made its vectors.

The graph is written here node by node, from the weights alone, so that other weights give the same graph with other
numbers: token ids in, one vector of length 1 out. `--form` chooses how weights are kept; `compare.py` measures each.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

OPSET, CONTRIB_OPSET, IR_VERSION = 17, 1, 8
CONTRIB = "com.microsoft"  # operators that come with every build of onnxruntime
BYTES_MAX = 25_000_000
PIECES_MAX = 256  # word pieces a text may have: what the published weights were trained with
INT8_ACTIVATIONS = 4  # `accuracy_level` of MatMulNBits: input is rounded to int8 block by block

Floats = NDArray[np.float32]


class Form(NamedTuple):
    """How weights are kept, and how they are multiplied."""

    bits: int  # of a weight in a layer; 32 keeps floats
    table_bits: int = 8  # of the table of word pieces: 8 with a scale for each row, or 32
    columns: bool = True  # a scale for each column of a matrix, or one for all of it
    row_bits: int = 0  # bits of a row of input, which has a scale of its own; 0 has one scale for all texts of a call
    block: int = 0  # weights down a column that share a scale; 0 is the whole column


FORMS = {
    "f32": Form(bits=32, table_bits=32),
    "dynamic-tensor": Form(bits=8, columns=False),
    "dynamic-column": Form(bits=8),
    "rows8": Form(bits=8, row_bits=8),
    "rows7": Form(bits=8, row_bits=7),
    "blocks8-32": Form(bits=8, block=32),
    "blocks8-128": Form(bits=8, block=128),
    "blocks4-32": Form(bits=4, block=32),
}
SHIPPED = "rows7"


class Graph:
    """An ONNX graph as it grows."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.nodes: list[onnx.NodeProto] = []
        self.values: list[onnx.TensorProto] = []

    def value(self, name: str, array: NDArray[Any]) -> str:
        self.values.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def once(self, name: str, array: NDArray[Any]) -> str:
        return name if any(value.name == name for value in self.values) else self.value(name, array)

    def node(self, kind: str, inputs: list[str], output: str, *, contrib: bool = False, **attributes: object) -> str:
        self.nodes.append(
            helper.make_node(kind, inputs, [output], output, domain=CONTRIB if contrib else "", **attributes)
        )
        return output

    def product(self, rows: str, weight: Floats, output: str, *, mostly_positive: bool = False) -> str:
        """Rows times a matrix of (inputs, outputs), kept as the form says."""
        if self.form.bits == 32:
            return self.node("MatMul", [rows, self.value(f"{output}.weight", weight)], output)
        if self.form.block:
            return self._by_blocks(rows, weight, output)
        largest = np.abs(weight).max(axis=0) if self.form.columns else np.abs(weight).max()
        scale = np.asarray(largest / 127.0, dtype=np.float32)
        self.value(f"{output}.weight", np.rint(weight / scale).astype(np.int8))
        self.value(f"{output}.scale", scale)
        if self.form.row_bits:
            return self._by_rows(rows, output, mostly_positive)
        inputs = [rows, f"{output}.weight", f"{output}.scale"]
        return self.node("DynamicQuantizeMatMul", inputs, output, contrib=True)

    def _by_rows(self, rows: str, output: str, mostly_positive: bool) -> str:
        """Each row of input has its own scale, so no text's vector depends on those that are encoded with it.

        With 7 bits the sum of two products stays within 16 bits; processors without VNNI cut off what does not.
        What GELU gives is above -0.17, so most of its steps are for what is positive.
        """
        steps = 1 << self.form.row_bits
        zero = steps // 8 if mostly_positive else steps // 2
        zero_name = self.once(f"zero.{zero}", np.array(zero, dtype=np.uint8))
        step_name = self.once(f"step.{zero}", np.array(1.0 / (steps - 1 - zero), dtype=np.float32))
        one = self.once("one", np.array(1.0, dtype=np.float32))
        sizes = rows if mostly_positive else self.node("Abs", [rows], f"{output}.sizes")
        self.node("ReduceMax", [sizes], f"{output}.largest", axes=[-1], keepdims=1)
        self.node("Mul", [f"{output}.largest", step_name], f"{output}.step")
        self.node("Div", [rows, f"{output}.step"], f"{output}.scaled")
        self.node("QuantizeLinear", [f"{output}.scaled", one, zero_name], f"{output}.whole")
        inputs = [f"{output}.whole", f"{output}.weight", one, f"{output}.scale", zero_name]
        self.node("MatMulIntegerToFloat", inputs, f"{output}.unscaled", contrib=True)
        return self.node("Mul", [f"{output}.unscaled", f"{output}.step"], output)

    def _by_blocks(self, rows: str, weight: Floats, output: str) -> str:
        packed, scale = packed_by_blocks(weight, bits=self.form.bits, block=self.form.block)
        inputs = [rows, self.value(f"{output}.weight", packed), self.value(f"{output}.scale", scale)]
        shape = {"K": weight.shape[0], "N": weight.shape[1], "bits": self.form.bits, "block_size": self.form.block}
        return self.node("MatMulNBits", inputs, output, contrib=True, accuracy_level=INT8_ACTIVATIONS, **shape)


def packed_by_blocks(weight: Floats, *, bits: int, block: int) -> tuple[NDArray[np.uint8], Floats]:
    """A matrix as MatMulNBits reads it: unsigned around the middle, each block of a column with its own scale.

    For each block the scale is the one, of a few near the largest weight's, that leaves the smallest error.
    """
    size, outputs = weight.shape
    assert size % block == 0, f"{size} inputs cannot be divided into blocks of {block}"
    columns = weight.T.reshape(outputs, size // block, block)
    middle = 1 << (bits - 1)
    extreme = np.take_along_axis(columns, np.abs(columns).argmax(axis=2, keepdims=True), axis=2)
    best_error = np.full(extreme.shape, np.inf, dtype=np.float32)
    best_scale = np.ones(extreme.shape, dtype=np.float32)
    best_whole = np.zeros(columns.shape, dtype=np.float32)
    for share in np.linspace(1.0, 0.7 if bits < 8 else 0.97, 13 if bits < 8 else 4, dtype=np.float32):
        scale = share * extreme / -np.float32(middle)  # the extreme weight falls on the one end that has a step more
        scale[scale == 0.0] = 1.0
        whole = np.rint(columns / scale).clip(-middle, middle - 1)
        error = ((whole * scale - columns) ** 2).sum(axis=2, keepdims=True)
        better = error < best_error
        best_error, best_scale = np.where(better, error, best_error), np.where(better, scale, best_scale)
        best_whole = np.where(better, whole, best_whole)
    stored = (best_whole + middle).astype(np.uint8)
    if bits == 4:
        stored = stored[..., 0::2] | (stored[..., 1::2] << np.uint8(4))
    return stored, best_scale.reshape(outputs, size // block).astype(np.float32)


def written(weights: dict[str, Floats], config: dict[str, Any], form: Form) -> onnx.ModelProto:
    """The whole model: embeddings, layers, mean over the word pieces, length 1."""
    graph = Graph(form)
    hidden = _embedded(graph, weights, config)
    for layer in range(config["num_hidden_layers"]):
        hidden = _layer(graph, weights, config, layer, hidden)
    _pooled(graph, hidden)
    dynamic = ["texts", "pieces"]
    proto = helper.make_graph(
        graph.nodes,
        "encoder",
        [helper.make_tensor_value_info(name, TensorProto.INT64, dynamic) for name in ("input_ids", "attention_mask")],
        [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", config["hidden_size"]])],
        graph.values,
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, CONTRIB_OPSET)]
    model = helper.make_model(proto, opset_imports=opsets, producer_name="recollect")
    model.ir_version = IR_VERSION
    return model


def _embedded(graph: Graph, weights: dict[str, Floats], config: dict[str, Any]) -> str:
    table = weights["embeddings.word_embeddings.weight"]
    if graph.form.table_bits == 8:
        scale = np.maximum(np.abs(table).max(axis=1, keepdims=True) / 127.0, 1e-12).astype(np.float32)
        graph.value("words.table", np.rint(table / scale).astype(np.int8))
        graph.node("Gather", ["words.table", "input_ids"], "words.whole")
        graph.node("Cast", ["words.whole"], "words.float", to=TensorProto.FLOAT)
        graph.node("Gather", [graph.value("words.scale", scale), "input_ids"], "words.scales")
        graph.node("Mul", ["words.float", "words.scales"], "words")
    else:
        graph.node("Gather", [graph.value("words.table", table), "input_ids"], "words")
    # Every text is of type 0, so its vector is part of each place's.
    places = weights["embeddings.position_embeddings.weight"][:PIECES_MAX]
    graph.value("places.table", places + weights["embeddings.token_type_embeddings.weight"][0])
    graph.node("Shape", ["input_ids"], "pieces", start=1, end=2)
    graph.value("from", np.array([0], dtype=np.int64))
    graph.node("Slice", ["places.table", "from", "pieces"], "places")
    graph.node("Add", ["words", "places"], "placed")
    return _normed(graph, weights, "embeddings.LayerNorm", "placed", "embedded", config)


def _normed(
    graph: Graph, weights: dict[str, Floats], source: str, rows: str, output: str, config: dict[str, Any]
) -> str:
    scale = graph.value(f"{output}.norm.scale", weights[f"{source}.weight"])
    shift = graph.value(f"{output}.norm.shift", weights[f"{source}.bias"])
    return graph.node("LayerNormalization", [rows, scale, shift], output, axis=-1, epsilon=config["layer_norm_eps"])


def _layer(graph: Graph, weights: dict[str, Floats], config: dict[str, Any], layer: int, hidden: str) -> str:
    here, name = f"encoder.layer.{layer}", f"layer{layer}"

    def matrix(part: str) -> Floats:
        return weights[f"{here}.{part}.weight"].T

    def bias(part: str) -> Floats:
        return weights[f"{here}.{part}.bias"]

    parts = [f"attention.self.{part}" for part in ("query", "key", "value")]
    graph.product(hidden, np.concatenate([matrix(part) for part in parts], axis=1), f"{name}.looks")
    looks = [f"{name}.query", f"{name}.key", f"{name}.value"]
    graph.nodes.append(helper.make_node("Split", [f"{name}.looks", "thirds"], looks, f"{name}.split", axis=-1))
    shift = np.concatenate([bias(part) for part in parts])
    if layer == 0:
        graph.node("Cast", ["attention_mask"], "kept", to=TensorProto.INT32)
        graph.value("thirds", np.full(3, config["hidden_size"], dtype=np.int64))
    graph.node(
        "MultiHeadAttention",
        [*looks, graph.value(f"{name}.looks.shift", shift), "kept"],
        f"{name}.seen",
        contrib=True,
        num_heads=config["num_attention_heads"],
    )
    graph.product(f"{name}.seen", matrix("attention.output.dense"), f"{name}.told")
    hidden = _added(graph, weights, config, f"{here}.attention.output", [f"{name}.told", hidden], f"{name}.attended")
    graph.product(hidden, matrix("intermediate.dense"), f"{name}.wide")
    graph.node(
        "BiasGelu",
        [f"{name}.wide", graph.value(f"{name}.wide.shift", bias("intermediate.dense"))],
        f"{name}.wide.active",
        contrib=True,
    )
    graph.product(f"{name}.wide.active", matrix("output.dense"), f"{name}.narrow", mostly_positive=True)
    return _added(graph, weights, config, f"{here}.output", [f"{name}.narrow", hidden], f"{name}.out")


def _added(
    graph: Graph, weights: dict[str, Floats], config: dict[str, Any], here: str, both: list[str], output: str
) -> str:
    # Three plain nodes: onnxruntime's SkipLayerNormalization, which does the same, takes 29 µs for 13 rows, these 12.
    told, before = both
    shift = graph.value(f"{output}.shift", weights[f"{here}.dense.bias"])
    graph.node("Add", [told, shift], f"{output}.told")
    graph.node("Add", [f"{output}.told", before], f"{output}.sum")
    return _normed(graph, weights, f"{here}.LayerNorm", f"{output}.sum", output, config)


def _pooled(graph: Graph, hidden: str) -> None:
    graph.node("Cast", ["attention_mask"], "weights", to=TensorProto.FLOAT)
    graph.value("second", np.array([1], dtype=np.int64))
    graph.node("Unsqueeze", ["weights", "second"], "weights.row")
    graph.node("MatMul", ["weights.row", hidden], "sum.row")  # the mean's divisor falls out with the length
    graph.node("Squeeze", ["sum.row", "second"], "sum")
    graph.node("LpNormalization", ["sum"], "vectors", axis=-1, p=2)


def read(folder: Path) -> tuple[dict[str, Floats], dict[str, Any]]:
    """Weights by name, and the configuration, of a folder of sentence-transformers."""
    inside = folder / "0_Transformer" if (folder / "0_Transformer").is_dir() else folder
    config = json.loads((inside / "config.json").read_text())
    if config["model_type"] != "bert" or config["hidden_act"] != "gelu":
        raise SystemExit(f"{folder} holds a {config['model_type']}; the graph here is that of a BERT")
    weights = {name.removeprefix("bert."): array for name, array in load_file(inside / "model.safetensors").items()}
    return {name: np.asarray(array, dtype=np.float32) for name, array in weights.items()}, config


def tokenizer(folder: Path) -> str:
    """The tokenizer without truncation and padding, which are the caller's."""
    found = json.loads((folder / "tokenizer.json").read_text())
    return json.dumps({**found, "truncation": None, "padding": None}, ensure_ascii=False, separators=(",", ":"))


def main() -> None:
    """Write the files of one form."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="of a sentence-transformers model")
    parser.add_argument("target", type=Path, help="folder that gets the files")
    parser.add_argument("--form", choices=FORMS, default=SHIPPED)
    parser.add_argument("--name", default="all-MiniLM-L6-v2", help="of the weights, for people")
    arguments = parser.parse_args()
    weights, config = read(arguments.folder)
    data = written(weights, config, FORMS[arguments.form]).SerializeToString(deterministic=True)
    if arguments.form == SHIPPED and len(data) > BYTES_MAX:
        raise SystemExit(f"the file would have {len(data):,} bytes, and may have {BYTES_MAX:,}")
    arguments.target.mkdir(parents=True, exist_ok=True)
    (arguments.target / "encoder.onnx").write_bytes(data)
    (arguments.target / "tokenizer.json").write_text(tokenizer(arguments.folder))
    card = {
        "weights": arguments.name,
        "form": arguments.form,
        "dimensions": config["hidden_size"],
        "pieces_max": PIECES_MAX,
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    (arguments.target / "encoder.json").write_text(json.dumps(card, indent=2) + "\n")
    print(f"{arguments.target}: {len(data):,} bytes, sha256 {card['sha256'][:12]}")


if __name__ == "__main__":
    main()
