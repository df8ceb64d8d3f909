"""What a mind makes of a prompt: the answer of `Mind.heard`, and all that a search needs of the talk so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from recollect.model.working import Saying, TopicChange
from recollect.working.likeness import Vector, unit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Heard:
    """A prompt against the talk so far. Without an embedder there are no vectors, and `share` is 0.

    `momentum` is the unit vector of the talk before this prompt, `share` how much of a query it should be: at most
    `working.momentum_share_max`, 0 after a change of topic. `names` were mentioned lately, `words` say what the talk
    is about, both newest first; a `thin` prompt ("ok, now deploy it") has hardly words of its own and needs them.
    `prepared` is what the search answered that was run ahead, if it is of use for this prompt.
    """

    change: TopicChange
    goes_on: float  # how likely it is that the talk goes on
    thin: bool
    saying: Saying = Saying.STATEMENT
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    vector: Vector | None = field(default=None, repr=False)
    momentum: Vector | None = field(default=None, repr=False)
    share: float = 0.0
    prepared: Any | None = field(default=None, repr=False)

    def blended(self, query_vector: Vector) -> Vector:
        """A query moved towards what the talk is about, of length 1; the query itself when there is nothing to add."""
        if self.momentum is None or self.share <= 0.0:
            return query_vector
        return unit((1.0 - self.share) * query_vector + self.share * self.momentum)
