"""Answers that do not give away more than they say: scores in steps or with noise, and searches that take even time.

Who may only ask can still climb towards a text that is withheld from them by watching how near each question comes,
and can tell by the time an answer takes whether there was something to weigh or to decrypt. Each defence is a switch,
all of them off: scores serve honest callers. docs/SECURITY.md says what each is worth, and
`python -m bench --only oracles` measures it.

- `security.coarse_scores`: callers other than the owner see the lower end of the step a score is in.
- `security.noisy_scores`: they see scores with Laplace noise; the order stays.
- `security.even_timing`: a search takes a whole number of `security.search_floor_ms`, whoever asks.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recollect.errors import StoreDamaged
from recollect.model.context import ContextWindow
from recollect.model.knowledge import Assessment
from recollect.model.reasoning import Inquiry, Reasoning
from recollect.model.result import Hit, Quality, Recollection, Report, Trace
from recollect.model.working import MindState, Slot

if TYPE_CHECKING:
    from recollect.config.guarding import SecuritySettings
    from recollect.model.columns import SealedBox
    from recollect.security.fields import FieldCipher

MEDIUM, HIGH = 0.60, 0.85
STEPS = (0.0, 0.40, MEDIUM, HIGH)  # minimal, low, medium, high: a score is shown as the lower end of its step
_DUMMY_BYTES = 256
_TELLING = ("search_ms_avg", "search_ms_p99", "relevancy_avg", "ndcg_avg", "searches_without_hits")  # of health


class Oracles:
    """What stands between an answer and its caller. `secret` is the store's; `fields` seals and opens."""

    def __init__(
        self, settings: Callable[[], SecuritySettings], secret: bytes, fields: Callable[[], FieldCipher]
    ) -> None:
        self._settings = settings
        self._secret = hmac.digest(secret, b"recollect-noise-v1", "sha256")
        self._fields = fields
        self._dummy: SealedBox | None = None

    def blurred(self, answer: Any, *, threshold: float | None = None) -> Any:
        """An answer as a caller other than the owner may see it. Hits below the threshold, as they are shown, go."""
        if isinstance(answer, Recollection):
            return self._recollection(answer, threshold)
        if isinstance(answer, ContextWindow):
            told = answer.quality
            quality = replace(
                told,
                relevancy=coarse(told.relevancy),
                ndcg=coarse(told.ndcg),
                answerable=coarse(told.answerable),
            )
            return replace(answer, hits=self._hits(answer.prompt, answer.hits), quality=quality, stages_ms={})
        if isinstance(answer, Reasoning):
            evidence = self._hits(answer.question, answer.evidence)
            return replace(answer, evidence=evidence, tree=self._inquiry(answer.tree))
        if isinstance(answer, Assessment):
            return replace(answer, confidence=coarse(answer.confidence))
        if isinstance(answer, MindState):
            return replace(answer, certainty=coarse(answer.certainty))
        if isinstance(answer, list) and answer and isinstance(answer[0], Slot):
            return [replace(slot, activation=coarse(slot.activation)) for slot in answer]
        if isinstance(answer, Report) and _TELLING[0] in answer.figures:
            kept = tuple(each for each in answer.warnings if not each.startswith("search relevancy averages"))
            return replace(answer, figures=answer.figures | dict.fromkeys(_TELLING), warnings=kept)
        return answer

    @contextmanager
    def evenly(self) -> Iterator[None]:
        """What is done inside takes a whole number of `search_floor_ms` where `even_timing` is on, failures as well.

        The wait is a sleep of the caller's own thread: no lock is held, and the interpreter is free for others.
        """
        chosen = self._settings()
        if not chosen.even_timing:
            yield
            return
        began = time.perf_counter()
        try:
            yield
        finally:
            floor_s = chosen.search_floor_ms / 1e3
            took_s = time.perf_counter() - began
            time.sleep(max(0.0, math.ceil(took_s / floor_s) * floor_s - took_s))

    def equalised(self, hits: Sequence[Hit], opened: str) -> None:
        """Open a box of no meaning where an answer opened none: no hit has the flag `opened`."""
        if any(opened in hit.flags for hit in hits):
            return
        fields = self._fields()
        if not fields.available:  # nothing is ever opened here
            return
        try:
            if self._dummy is not None:
                fields.opened(self._dummy)
                return
        except StoreDamaged:  # the store has another key by now
            pass
        self._dummy = fields.sealed("", {"content": "-" * _DUMMY_BYTES})

    def _recollection(self, found: Recollection, threshold: float | None) -> Recollection:
        hits = self._hits(found.query, found.hits)
        if threshold is not None:
            hits = tuple(hit for hit in hits if hit.score >= threshold)
        scores = [hit.score for hit in hits]
        quality = Quality(
            candidates=len(hits),
            strategy=found.quality.strategy,
            level=found.quality.level,
            intent=found.quality.intent,
            relevancy=sum(scores) / len(scores) if scores else 0.0,
            ndcg=1.0 if scores else 0.0,
            answerable=coarse(found.quality.answerable),
        )
        trace = None if found.trace is None else Trace(hits={}, plan=found.trace.plan, via=found.trace.via)
        return replace(found, hits=hits, quality=quality, trace=trace)

    def _inquiry(self, node: Inquiry) -> Inquiry:
        below = tuple(self._inquiry(child) for child in node.children)
        return replace(node, hits=self._hits(node.question, node.hits), children=below)

    def _hits(self, question: str, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        chosen = self._settings()
        scores = [hit.score for hit in hits]
        if chosen.noisy_scores:
            asked = " ".join(question.casefold().split())
            drawn = [score + self._noise(asked, hit.id) for score, hit in zip(scores, hits, strict=True)]
            # The noisy scores go to the hits in their order, best to best: which hit is better stays true.
            order = sorted(range(len(scores)), key=lambda at: -scores[at])
            for at, score in zip(order, sorted(drawn, reverse=True), strict=True):
                scores[at] = min(1.0, max(0.0, score))
        if chosen.coarse_scores:
            scores = [coarse(score) for score in scores]
        return tuple(_scored(hit, score) for hit, score in zip(hits, scores, strict=True))

    def _noise(self, asked: str, record: str) -> float:
        """Laplace noise that the question and the record decide: to ask again averages nothing out."""
        digest = hmac.digest(self._secret, hashlib.sha256(asked.encode()).digest() + record.encode(), "sha256")
        even = (int.from_bytes(digest[:8]) + 0.5) / 2.0**64 - 0.5
        return -self._settings().noise_scale * math.copysign(math.log(1.0 - 2.0 * abs(even)), even)


def _scored(hit: Hit, score: float) -> Hit:
    """The hit with another score, wherever it tells it."""
    return replace(hit, score=score, trust=replace(hit.trust, relevance=score))


def coarse(score: float) -> float:
    """The lower end of the step that a score is in: above .85 high, above .60 medium, above .40 low, else minimal."""
    return STEPS[bisect_left(STEPS, score, lo=1) - 1]
