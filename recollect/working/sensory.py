"""The last exchanges as they came: in memory only, never written, a ring.

Whoever says "change that to blue" means something said a moment ago. What is older than half a minute is offered to the
slots, as what it says rather than how: "the user prefers dark mode".
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from recollect.clock import SECOND_US, from_us
from recollect.config.window import WorkingSettings
from recollect.limits import EXCHANGE_CHARS_MAX
from recollect.model.working import Exchange, Saying

STATEMENTS_PER_EXCHANGE = 2
_NAMES_PER_TEXT = 8
_CONDENSED_CHARS = 2_000  # of a longer text its beginning
_ASKS = re.compile(
    r"^\W*(?:(?:and|so|but|ok|okay|then|hey|hi|well)\W+)?(?:who|what|when|where|why|how|which|whose|is|are|was|were|do|"
    r"does|did|can|could|would|should|will|have|has|am)\b",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"^\W*+(?:(?:and|so|but|ok|okay|then|now|please|pls|next|also)\W++)*+(?:add|build|call|change|check|clean|commit|compare|"
    r"convert|create|debug|delete|deploy|describe|do|draft|explain|find|fix|generate|give|help|implement|improve|install|"
    r"let['’]?s|list|look|make|merge|move|open|plan|push|put|read|refactor|release|remember|remove|rename|replace|review|"
    r"rewrite|run|save|search|send|set|show|start|stop|summari[sz]e|switch|tell|test|translate|try|update|use|write|"
    r"can you|could you|would you|will you|i need you to|i want you to)\b",
    re.IGNORECASE,
)


class SensoryGist(NamedTuple):
    """What an exchange comes to, and whether that is worth keeping when it leaves the mind: a question is not."""

    text: str
    lasting: bool


@dataclass(slots=True, eq=False)
class _Turn:
    said: str
    at: int
    names: tuple[str, ...]
    saying: Saying
    answered: str | None = None
    opens: bool = False  # a topic of its own
    condensed: tuple[SensoryGist, ...] | None = None  # what it comes to, once somebody has asked
    promoted: bool = False


class SensoryBuffer:
    """A ring of exchanges. Not safe to share between threads: its mind takes turns."""

    def __init__(self, speaker: str | None = None) -> None:
        self._speaker = speaker
        self._turns: deque[_Turn] = deque()
        self._pushed_out: list[_Turn] = []

    def __len__(self) -> int:
        return len(self._turns)

    def hear(self, prompt: str, saying: Saying, now: int, settings: WorkingSettings, *, opens: bool = False) -> None:
        """Something was said, which may open another topic; the oldest exchange makes way for it."""
        said = prompt[:EXCHANGE_CHARS_MAX]
        self._push(_Turn(said, now, names_in(said), saying, opens=opens), settings)

    def _push(self, turn: _Turn, settings: WorkingSettings) -> None:
        self._turns.append(turn)
        while len(self._turns) > settings.turns:
            oldest = self._turns.popleft()
            if not oldest.promoted:
                self._pushed_out.append(oldest)

    def answer(self, text: str, now: int, settings: WorkingSettings) -> None:
        """The answer to what was said last. An answer to nothing is an exchange of its own."""
        answered = text[:EXCHANGE_CHARS_MAX]
        if not self._turns or self._turns[-1].answered is not None:
            self._push(_Turn("", now, (), Saying.CONTINUATION), settings)
        turn = self._turns[-1]
        turn.answered = answered
        turn.names = tuple(dict.fromkeys([*turn.names, *names_in(answered)]))[: 2 * _NAMES_PER_TEXT]
        turn.condensed = condensed(turn.said, turn.saying, self._speaker)  # now, while nobody waits for a search

    def due(self, now: int, settings: WorkingSettings) -> Iterator[SensoryGist]:
        """What the exchanges come to that are old enough for a slot, oldest first, each once."""
        ripe = [turn for turn in self._turns if now - turn.at > settings.promote_after_s * SECOND_US]
        for turn in [*self._pushed_out, *ripe]:
            if turn.promoted:
                continue
            turn.promoted = True
            if turn.condensed is None:
                turn.condensed = condensed(turn.said, turn.saying, self._speaker)
            yield from turn.condensed
        self._pushed_out = []

    def last_text(self) -> str:
        """What was said or answered last; "" when nothing was."""
        if not self._turns:
            return ""
        return self._turns[-1].answered or self._turns[-1].said

    def names(self, count: int) -> tuple[str, ...]:
        """Names mentioned lately, newest exchange first, as far back as the topic was the same."""
        found: dict[str, None] = {}
        for turn in reversed(self._turns):
            found |= dict.fromkeys(turn.names)
            if turn.opens or len(found) >= count:
                break
        return tuple(found)[:count]

    def exchanges(self) -> tuple[Exchange, ...]:
        return tuple(
            Exchange(said=turn.said, answered=turn.answered, at=from_us(turn.at), names=turn.names, saying=turn.saying)
            for turn in self._turns
        )

    def clear(self) -> None:
        self._turns.clear()
        self._pushed_out = []


def saying_of(prompt: str, *, thin: bool) -> Saying:
    """What sort of thing is said, by its form."""
    if thin:
        return Saying.CONTINUATION
    if _ORDERS.match(prompt):
        return Saying.INSTRUCTION
    return Saying.QUESTION if prompt.rstrip().endswith(("?", "？", "؟")) or _ASKS.match(prompt) else Saying.STATEMENT


def names_in(text: str) -> tuple[str, ...]:
    """The first few names in a text, each once."""
    from recollect.perceive.names.mentions import mentions_in  # word tables are read when the first text comes

    if text.islower() and text.isalpha():
        return ()
    found = dict.fromkeys(mention.surface for mention in mentions_in(text[:_CONDENSED_CHARS]))
    return tuple(found)[:_NAMES_PER_TEXT]


def condensed(said: str, saying: Saying, speaker: str | None) -> tuple[SensoryGist, ...]:
    """What an exchange comes to: its statements, else what was asked for; nothing for what only leans on others."""
    from recollect.perceive.statements.propositions import propositions_of
    from recollect.perceive.traits.fidelity import fidelity_of

    text = said[:_CONDENSED_CHARS]
    if not text.strip() or saying is Saying.CONTINUATION:
        return ()
    stated = sorted(propositions_of(text, speaker=speaker, role="user"), key=lambda each: -each.confidence)
    if stated:
        return tuple(SensoryGist(each.content, True) for each in stated[:STATEMENTS_PER_EXCHANGE])
    key_fact = fidelity_of(text).key_fact
    if not key_fact:
        return ()
    if saying is Saying.STATEMENT:
        return (SensoryGist(key_fact, True),)
    asked = "asked" if saying is Saying.QUESTION else "asked to"
    return (SensoryGist(f"{speaker or 'The user'} {asked}: {key_fact}", False),)
