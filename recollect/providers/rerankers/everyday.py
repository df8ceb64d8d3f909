"""The reader of questions whose weights are in this package: does this passage answer this question (docs/adr/0033)?"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.errors import ProviderError, ProviderUnavailable
from recollect.providers.embedders._graph import LoadedGraph, load_graph, may_let_go
from recollect.providers.embedders._vectors import utf8_prefix
from recollect.providers.embedders.minilm import SHIPPED, WEIGHTS

FOLDER = "everyday-reader"
TEXT_BYTES_MAX = 2_000  # of a passage: three windows hold no more
WINDOWS_MAX = 3
_BEGIN, _END = 101, 102  # the word pieces around texts in BERT's vocabulary


class EverydayReader:
    """Log-odds that a passage answers a question, some 3 to 5 ms a passage on one thread; no download and no server.

    A passage begins with who says it (`Ana: …`), because a question may name a person. One that is longer than the
    model reads at once is read in windows, and the best of them counts. Library and weights load at the first question,
    once. Safe for use by many threads.
    """

    name = "everyday"

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._loaded: _LoadedReader | None = None
        may_let_go(self)

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        model = self._model()
        asked = _pieces(model, utf8_prefix(question, TEXT_BYTES_MAX))[: model.question_max]
        rows: list[list[int]] = []
        owners: list[int] = []
        for owner, text in enumerate(texts):
            for window in _windows(_pieces(model, utf8_prefix(text, TEXT_BYTES_MAX)), model.passage_max):
                rows.append(window)
                owners.append(owner)
        judged = _judged(model, asked, rows, self.name)
        out = np.full(len(texts), -np.inf)
        np.maximum.at(out, owners, judged)
        return out

    def let_go(self) -> None:
        """Give back the memory of the weights; the next question loads them again."""
        with self._loading:
            self._loaded = None

    def _model(self) -> _LoadedReader:
        with self._loading:  # a second copy would cost 50 MB
            if self._loaded is None:
                try:
                    self._loaded = _load()
                except Exception as exc:  # not installed whole, or files that cannot be read
                    raise ProviderUnavailable(
                        f"the reader {self.name!r} cannot be loaded, reinstall recollect and onnxruntime: {exc}"
                    ) from exc
            return self._loaded


class _LoadedReader(NamedTuple):
    graph: LoadedGraph
    question_max: int
    passage_max: int


def _load() -> _LoadedReader:
    folder = WEIGHTS / FOLDER
    card = json.loads((folder / "reader.json").read_bytes())
    graph = load_graph(folder / "reader.onnx", WEIGHTS / SHIPPED / "tokenizer.json")
    return _LoadedReader(graph, int(card["question_max"]), int(card["passage_max"]))


def _pieces(model: _LoadedReader, text: str) -> list[int]:
    # One text a call: a larger batch runs on the tokenizer's own threads, which do not survive a fork.
    return list(model.graph.encode([text], add_special_tokens=False)[0].ids)


def _windows(pieces: list[int], room: int) -> list[list[int]]:
    """A passage in windows of about equal length; an empty one is read as such."""
    pieces = pieces[: room * WINDOWS_MAX]
    count = max(1, -(-len(pieces) // room))
    cuts = [len(pieces) * part // count for part in range(count + 1)]
    return [pieces[cuts[part] : cuts[part + 1]] for part in range(count)]


def _judged(model: _LoadedReader, asked: list[int], windows: list[list[int]], name: str) -> NDArray[np.float64]:
    rows = [[_BEGIN, *asked, _END, *window, _END] for window in windows]
    longest = max(map(len, rows), default=0)
    if not longest:
        return np.zeros(0)
    ids = np.zeros((len(rows), longest), dtype=np.int64)
    mask = np.zeros_like(ids)
    passage = np.zeros_like(ids)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = row
        mask[at, : len(row)] = 1
        passage[at, len(asked) + 2 : len(row)] = 1
    try:
        found: NDArray[np.float32] = model.graph.session.run(
            None, {"input_ids": ids, "attention_mask": mask, "passage": passage}
        )[0]
    except Exception as exc:  # whatever the library raises
        raise ProviderError(f"the reader {name!r} failed: {exc}") from exc
    return np.asarray(found[:, 0], dtype=np.float64)
