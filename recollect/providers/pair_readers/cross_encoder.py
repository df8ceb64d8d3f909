"""The reader of pairs that ships: a small transformer that reads both texts at once (docs/adr/0032).

It sees `[CLS] role: older text [SEP] role, same or other speaker, days between them: newer text [SEP]`, as it was
trained (`training/reader`). Its logits become probabilities by the scale and the shifts of its card, which were fitted
on stories that it had not learned from.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.errors import ProviderError, ProviderUnavailable, UsageError
from recollect.model.pair import LABELS, PairReading, SaidText, TextPair

if TYPE_CHECKING:
    from collections.abc import Callable

    from onnxruntime import InferenceSession
    from tokenizers import Encoding

SHIPPED = Path(__file__).resolve().parent.parent / "weights" / "pairs"
TEXT_CHARS_MAX = 2_000  # of either text: far more than the word pieces that are read
SHA_CHARS = 12
_BEGIN, _END = 101, 102  # the word pieces around texts in BERT's vocabulary
_USER, _SAME, _OTHER = "user", "same", "other"


class CrossEncoder:
    """Reads pairs at some 5 ms each on one thread. The library and the weights load with the first pair, once.

    `folder` holds what `training/reader/export.py` wrote: `reader.onnx`, `reader.json` and `tokenizer.json`. Safe for
    use by many threads. Files that cannot be loaded are `ProviderUnavailable`.
    """

    def __init__(self, folder: Path = SHIPPED) -> None:
        self._folder = folder
        self._card = _card(folder)
        self.name = f"pairs#{self._card.sha256[:SHA_CHARS]}"
        self._loading = threading.Lock()
        self._loaded: _Model | None = None

    def read(self, pairs: Sequence[TextPair]) -> list[PairReading]:
        if not pairs:
            return []
        probabilities = _softmax(self._logits(pairs) * self._card.scale + np.array(self._card.shifts))
        return [PairReading.of(row) for row in probabilities.tolist()]

    def _logits(self, pairs: Sequence[TextPair]) -> NDArray[np.float64]:
        model, room = self._model(), self._card.side_pieces_max
        rows: list[list[int]] = []
        seconds: list[int] = []
        for pair in pairs:
            # One text a call: a larger batch runs on the tokenizer's own threads, which do not survive a fork.
            older, newer = (model.encode([side], add_special_tokens=False)[0].ids[:room] for side in framed(pair))
            rows.append([_BEGIN, *older, _END, *newer, _END])
            seconds.append(len(older) + 2)
        lengths = np.array([len(row) for row in rows])
        places = np.arange(lengths.max())
        mask = places < lengths[:, None]
        ids = np.zeros(mask.shape, dtype=np.int64)
        ids[mask] = np.concatenate(rows)
        second = mask & (places >= np.array(seconds)[:, None])
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": second}
        try:
            found: NDArray[np.float64] = model.session.run(None, {k: v.astype(np.int64) for k, v in given.items()})[0]
        except Exception as exc:  # whatever the library raises
            raise ProviderError(
                f"{self.name} failed: {type(exc).__name__}; reinstall recollect and onnxruntime"
            ) from exc
        if found.shape != (len(pairs), len(LABELS)) or not np.isfinite(found).all():
            raise ProviderError(f"{self.name} answered with values that make no sense; reinstall recollect")
        return found.astype(np.float64)

    def _model(self) -> _Model:
        with self._loading:  # a second copy would cost 50 MB
            if self._loaded is None:
                try:
                    self._loaded = _load(self._folder)
                except Exception as exc:  # not installed whole, or files that cannot be read
                    raise ProviderUnavailable(
                        f"{self.name} cannot be loaded, reinstall recollect and onnxruntime: {exc}"
                    ) from exc
            return self._loaded


def framed(pair: TextPair) -> tuple[str, str]:
    """The two sides as the model was trained on them: each behind its role, the newer one with speaker and gap."""
    same = _SAME if pair.older.speaker == pair.newer.speaker else _OTHER
    older, newer = pair.older, pair.newer
    return (
        f"{_role(older)}: {older.text[:TEXT_CHARS_MAX]}",
        f"{_role(newer)}, {same}, {pair.days} days: {newer.text[:TEXT_CHARS_MAX]}",
    )


def _role(said: SaidText) -> str:
    return said.role or _USER


class _Card(NamedTuple):
    side_pieces_max: int
    scale: float  # of the logits …
    shifts: tuple[float, ...]  # … and what is added to each, so that probabilities are calibrated
    sha256: str


class _Model(NamedTuple):
    encode: Callable[..., list[Encoding]]
    session: InferenceSession


def _card(folder: Path) -> _Card:
    try:
        card: dict[str, Any] = json.loads((folder / "reader.json").read_bytes())
        shifts = tuple(float(card["shifts"][label.value]) for label in LABELS)
        return _Card(int(card["side_pieces_max"]), float(card["scale"]), shifts, str(card["sha256"]))
    except (OSError, ValueError, KeyError) as exc:
        raise UsageError(
            f"a reader of pairs is a folder with reader.onnx, reader.json and tokenizer.json, not {str(folder)!r:.80}"
        ) from exc


def _load(folder: Path) -> _Model:
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # a job leaves the other cores to others
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(folder / "reader.onnx"), options, providers=["CPUExecutionProvider"])
    return _Model(getattr(tokenizer, "encode_batch_fast", tokenizer.encode_batch), session)


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    found: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return found
