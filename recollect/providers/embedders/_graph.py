"""A model that ships as an ONNX graph over word pieces, loaded for one thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect.providers.native import check_order

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding


class LoadedGraph(NamedTuple):
    encode: Callable[..., list[Encoding]]
    session: InferenceSession


def load_graph(graph: Path, tokenizer: Path) -> LoadedGraph:
    """The graph and its tokenizer, which neither pads nor cuts."""
    check_order()
    import onnxruntime
    from tokenizers import Tokenizer

    pieces = Tokenizer.from_file(str(tokenizer))
    pieces.no_padding()
    pieces.no_truncation()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # a search leaves the other cores to others
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    return LoadedGraph(getattr(pieces, "encode_batch_fast", pieces.encode_batch), session)
