"""Small sentence encoders whose weights are in this package: the default, and a multilingual one (docs/adr/0031).

A text's vector is the mean over its word pieces, scaled to length 1; the graph does both. A text of more word pieces
than the model reads at once is read in windows of equal length, and its vector is the mean of theirs.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.errors import EmbeddingFailed, ProviderUnavailable, UsageError
from recollect.providers.base import Vectors
from recollect.providers.embedders._graph import LoadedGraph, load_graph, may_let_go
from recollect.providers.embedders._vectors import scale_to_unit, utf8_prefix

SHIPPED, MULTILINGUAL = "everyday-MiniLM-L6", "multilingual-MiniLM-L6"
WEIGHTS = Path(__file__).resolve().parent.parent / "weights"
SHA_CHARS = 12  # of the checksum of the weights, which is part of the name
WINDOWS_MAX = 16  # of a text, 4,000 word pieces or some 16 kB of prose; the mean hardly moves later
TEXT_BYTES_MAX = 20_000
RUN_PIECES_MAX = 512  # in one call of the model: more is hardly quicker on one thread, and takes 30 MB of memory
_BEGIN, _END = 101, 102  # the word pieces around every text in BERT's vocabulary


class MiniLmEmbedder:
    """384 dimensions, some 2 ms for a question and 4 ms for a turn on one thread; no download and no server.

    `model` is empty for the weights that ship, or a folder that `training/encoder/export.py` wrote. Making one reads a
    card of a few lines; the library and the weights load at the first text, once. Safe for use by many threads. Files
    that cannot be loaded are `ProviderUnavailable`, said with each text.
    """

    inline = False
    local = True
    prefix, shipped = "minilm", SHIPPED

    def __init__(self, model: str = "", *, dimensions: int | None = None) -> None:
        source, _, wanted = (model or self.shipped).partition("#")
        self._folder = WEIGHTS / source if source == self.shipped else Path(source).expanduser().resolve()
        self._card = self._read_card(source)
        if wanted not in ("", self._card.sha256[:SHA_CHARS]):
            raise UsageError(
                f"the weights {self.prefix}:{model} are not here any more; reembed gives their records new vectors"
            )
        if dimensions not in (None, self._card.dimensions):
            raise UsageError(f"{self.prefix}:{source} has {self._card.dimensions} dimensions, not {dimensions}")
        named = source if source == self.shipped else str(self._folder)
        self.name = f"{self.prefix}:{named}#{self._card.sha256[:SHA_CHARS]}"
        self.dimensions = self._card.dimensions
        self._loading = threading.Lock()
        self._loaded: LoadedGraph | None = None
        may_let_go(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def _read_card(self, source: str) -> _WeightsCard:
        try:
            card: dict[str, Any] = json.loads((self._folder / "encoder.json").read_bytes())
            return _WeightsCard(int(card["dimensions"]), int(card["pieces_max"]), str(card["sha256"]))
        except (OSError, ValueError, KeyError) as exc:
            raise UsageError(
                f"{self.prefix} knows {self.shipped!r}, which ships, or a folder with encoder.onnx, encoder.json and "
                f"tokenizer.json, not {source!r:.80}"
            ) from exc

    def embed(self, texts: Sequence[str]) -> Vectors:
        model = self._model()
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        windows: list[tuple[int, list[int]]] = []
        for position, text in enumerate(texts):
            windows += [(position, window) for window in self._windows(model, text)]
        windows.sort(key=lambda window: len(window[1]))  # little is padded among texts of like length
        for run in _runs(windows):
            np.add.at(rows, [position for position, _ in run], self._vectors(model, [ids for _, ids in run]))
        return scale_to_unit(rows)

    def _windows(self, model: LoadedGraph, text: str) -> list[list[int]]:
        """The word pieces of a text in windows of about equal length; none for a text without any."""
        # One text a call: a larger batch runs on the tokenizer's own threads, which do not survive a fork.
        ids = model.encode([utf8_prefix(text, TEXT_BYTES_MAX)], add_special_tokens=False)[0].ids
        if not ids:
            return []
        room = self._card.pieces_max - 2
        ids = ids[: room * WINDOWS_MAX]
        count = -(-len(ids) // room)
        cuts = [len(ids) * part // count for part in range(count + 1)]
        return [[_BEGIN, *ids[cuts[part] : cuts[part + 1]], _END] for part in range(count)]

    def _vectors(self, model: LoadedGraph, windows: list[list[int]]) -> Vectors:
        lengths = np.array([len(window) for window in windows])
        mask = (np.arange(lengths.max()) < lengths[:, None]).astype(np.int64)
        ids = np.zeros(mask.shape, dtype=np.int64)
        ids[mask.astype(bool)] = np.concatenate(windows)
        try:
            found: NDArray[np.float32] = model.session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        except Exception as exc:  # whatever the library raises
            raise EmbeddingFailed(f"{self.name} failed: {exc}") from exc
        if not np.isfinite(found).all():
            raise EmbeddingFailed(f"{self.name} answered with values that are not finite")
        return found

    def let_go(self) -> None:
        """Give back the memory of the weights; the next text loads them again."""
        with self._loading:
            self._loaded = None

    def _model(self) -> LoadedGraph:
        with self._loading:  # a second copy would cost 50 MB
            if self._loaded is None:
                try:
                    self._loaded = load_graph(self._folder / "encoder.onnx", self._folder / "tokenizer.json")
                except Exception as exc:  # not installed whole, or files that cannot be read
                    raise ProviderUnavailable(
                        f"{self.name} cannot be loaded, reinstall recollect and onnxruntime: {exc}"
                    ) from exc
            return self._loaded


class MultilingualEmbedder(MiniLmEmbedder):
    """The same for German, Spanish and French beside English: a text finds what was told in another of them.

    English alone is found a little less well than by the default. `model` as above.
    """

    prefix, shipped = "multilingual", MULTILINGUAL


class _WeightsCard(NamedTuple):
    dimensions: int
    pieces_max: int
    sha256: str


def _runs(windows: list[tuple[int, list[int]]]) -> list[list[tuple[int, list[int]]]]:
    """Windows, shortest first, in groups that one call takes: the longest of a group is what all are padded to."""
    runs: list[list[tuple[int, list[int]]]] = []
    for window in windows:
        if not runs or len(window[1]) * (len(runs[-1]) + 1) > RUN_PIECES_MAX:
            runs.append([])
        runs[-1].append(window)
    return runs
