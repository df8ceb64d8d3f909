"""A model that ships as an ONNX graph over word pieces, loaded for one thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol
from weakref import WeakSet

from recollect.providers.native import before_onnxruntime

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding


class GraphHolder(Protocol):
    """A model of this process that loads its graph when it is first asked, and again when it was let go."""

    def let_go(self) -> None: ...


_holders: WeakSet[GraphHolder] = WeakSet()


def may_let_go(holder: GraphHolder) -> None:
    """Say that a model can do without its graph until it is asked again."""
    _holders.add(holder)


def let_graphs_go() -> None:
    """Give back the memory of all graphs, some 40 MB each; each is loaded again when it is needed."""
    for holder in list(_holders):
        holder.let_go()


class LoadedGraph(NamedTuple):
    encode: Callable[..., list[Encoding]]
    session: InferenceSession


def load_graph(graph: Path, tokenizer: Path) -> LoadedGraph:
    """The graph and its tokenizer, which neither pads nor cuts."""
    before_onnxruntime()
    import onnxruntime
    from tokenizers import Tokenizer

    onnxruntime.disable_telemetry_events()  # where the program had imported it already
    pieces = Tokenizer.from_file(str(tokenizer))
    pieces.no_padding()
    pieces.no_truncation()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # a search leaves the other cores to others
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    return LoadedGraph(getattr(pieces, "encode_batch_fast", pieces.encode_batch), session)
