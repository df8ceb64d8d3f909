"""Build the reader that ships from what `training.cross.train` wrote: `python -m training.cross.export FOLDER TARGET`.

TARGET gets `reader.onnx` and the card `reader.json`; the word pieces are the encoder's. In: word pieces of `[CLS]
question [SEP] passage [SEP]`, their mask, and which of them are the passage's. Out: the log-odds that the passage
answers the question.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper
from safetensors.numpy import load_file

from training.cross.train import HEAD, PASSAGE_MAX, QUESTION_MAX
from training.encoder import export as encoder

PIECES_MAX = QUESTION_MAX + PASSAGE_MAX + 3


def written(
    weights: dict[str, encoder.Floats], head: dict[str, encoder.Floats], config: dict[str, Any]
) -> onnx.ModelProto:
    """The whole reader: embeddings of two kinds of text, layers, the mean of either side, and the head over both."""
    graph = encoder.Graph(encoder.FORMS[encoder.SHIPPED])
    hidden = _embedded(graph, weights, config)
    for layer in range(config["num_hidden_layers"]):
        hidden = encoder._layer(graph, weights, config, layer, hidden)
    _judged(graph, head, hidden)
    names = ("input_ids", "attention_mask", "passage")
    proto = helper.make_graph(
        graph.nodes,
        "reader",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "pieces"]) for name in names],
        [helper.make_tensor_value_info("answers", TensorProto.FLOAT, ["pairs", 1])],
        graph.values,
    )
    opsets = [helper.make_opsetid("", encoder.OPSET), helper.make_opsetid(encoder.CONTRIB, encoder.CONTRIB_OPSET)]
    model = helper.make_model(proto, opset_imports=opsets, producer_name="recollect")
    model.ir_version = encoder.IR_VERSION
    return model


def _embedded(graph: encoder.Graph, weights: dict[str, encoder.Floats], config: dict[str, Any]) -> str:
    table = weights["embeddings.word_embeddings.weight"]
    scale = np.maximum(np.abs(table).max(axis=1, keepdims=True) / 127.0, 1e-12).astype(np.float32)
    graph.value("words.table", np.rint(table / scale).astype(np.int8))
    graph.node("Gather", ["words.table", "input_ids"], "words.whole")
    graph.node("Cast", ["words.whole"], "words.float", to=TensorProto.FLOAT)
    graph.node("Gather", [graph.value("words.scale", scale), "input_ids"], "words.scales")
    graph.node("Mul", ["words.float", "words.scales"], "words")
    graph.value("places.table", weights["embeddings.position_embeddings.weight"][:PIECES_MAX])
    graph.node("Shape", ["input_ids"], "pieces", start=1, end=2)
    graph.value("from", np.array([0], dtype=np.int64))
    graph.node("Slice", ["places.table", "from", "pieces"], "places")
    graph.node(
        "Gather", [graph.value("sides.table", weights["embeddings.token_type_embeddings.weight"]), "passage"], "sides"
    )
    graph.node("Add", ["words", "places"], "placed")
    graph.node("Add", ["placed", "sides"], "sided")
    return encoder._normed(graph, weights, "embeddings.LayerNorm", "sided", "embedded", config)


def _judged(graph: encoder.Graph, head: dict[str, encoder.Floats], hidden: str) -> None:
    graph.value("second", np.array([1], dtype=np.int64))
    graph.node("Sub", ["attention_mask", "passage"], "question")
    for side in ("question", "passage"):
        graph.node("Cast", [side], f"{side}.float", to=TensorProto.FLOAT)
        graph.node("ReduceSum", [f"{side}.float", "second"], f"{side}.count", keepdims=1)
        graph.node("Div", [f"{side}.float", f"{side}.count"], f"{side}.shares")
        graph.node("Unsqueeze", [f"{side}.shares", "second"], f"{side}.row")
        graph.node("MatMul", [f"{side}.row", hidden], f"{side}.mean.row")
        graph.node("Squeeze", [f"{side}.mean.row", "second"], f"{side}.mean")
    graph.node("Mul", ["question.mean", "passage.mean"], "product")
    graph.node("Sub", ["question.mean", "passage.mean"], "difference")
    graph.node("Abs", ["difference"], "distance")
    graph.node("Concat", ["question.mean", "passage.mean", "product", "distance"], "both", axis=-1)
    for place, (source, output) in {"0": ("both", "wide"), "3": ("wide.tanh", "answers")}.items():
        half = graph.value(f"head.{place}.half", head[f"{HEAD}.{place}.weight"].T.astype(np.float16))
        weight = graph.node("Cast", [half], f"head.{place}.weight", to=TensorProto.FLOAT)
        graph.node("MatMul", [source, weight], f"{output}.product")
        graph.node(
            "Add", [f"{output}.product", graph.value(f"head.{place}.bias", head[f"{HEAD}.{place}.bias"])], output
        )
        if output == "wide":
            graph.node("Tanh", ["wide"], "wide.tanh")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("target", type=Path, help="folder that gets the files")
    arguments = parser.parse_args()
    weights, config = encoder.read(arguments.folder)
    head = {
        name: np.asarray(value, np.float32) for name, value in load_file(arguments.folder / "heads.safetensors").items()
    }
    data = written(weights, head, config).SerializeToString(deterministic=True)
    if len(data) > encoder.BYTES_MAX:
        raise SystemExit(f"the file would have {len(data):,} bytes, and may have {encoder.BYTES_MAX:,}")
    arguments.target.mkdir(parents=True, exist_ok=True)
    (arguments.target / "reader.onnx").write_bytes(data)
    card = {"question_max": QUESTION_MAX, "passage_max": PASSAGE_MAX, "sha256": hashlib.sha256(data).hexdigest()}
    (arguments.target / "reader.json").write_text(json.dumps(card, indent=2) + "\n")
    print(f"{arguments.target}: {len(data):,} bytes")


if __name__ == "__main__":
    main()
