"""What the engine asks of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from recollect.model.pair import PairReading, TextPair

if TYPE_CHECKING:  # who opens a memory without searching it need not wait for numpy
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"


class Embedder(Protocol):
    """Text to unit vectors. Stores nothing, knows nothing of records or scopes.

    `embed` returns one float32 row of length 1 per text, in order. A text without any known token gives a zero
    row, never an error. Failure is a `ProviderError`; half an answer is never returned.
    """

    @property
    def name(self) -> str:
        """`prefix:model`, the same for the same vectors; two names never share a space."""

    @property
    def dimensions(self) -> int:
        """Length of every vector. May ask the model once."""

    @property
    def inline(self) -> bool:
        """Fast enough (well under a millisecond a text) to run inside `add`; others run from the job queue."""

    def embed(self, texts: Sequence[str]) -> Vectors: ...


class Llm(Protocol):
    """Text to text. Failure is a `ProviderError`, and never repeats what was asked."""

    @property
    def name(self) -> str: ...

    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        """What the model answers, at most `max_tokens` long."""


class Reranker(Protocol):
    """How well texts answer a question: higher is better, on a scale of the model's own."""

    @property
    def name(self) -> str: ...

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]: ...


class PairReader(Protocol):
    """What a newer text does to an older one. Stores nothing, decides nothing: it says how probable each label is.

    `read` returns one reading a pair, in order. Probabilities are calibrated on stories that the reader did not learn
    from. Failure is a `ProviderError`; half an answer is never returned.
    """

    @property
    def name(self) -> str:
        """The same for the same readings."""

    def read(self, pairs: Sequence[TextPair]) -> list[PairReading]: ...
