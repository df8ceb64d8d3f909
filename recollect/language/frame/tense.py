"""Whether a clause speaks of what was or of what is to come, at the place where it names a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from recollect.language.joining import Says

_BEFORE_CHARS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class TenseWords:
    """How a language tells. `says` reads one clause, None where it has no verb; the rest stands around a time."""

    clause_end: re.Pattern[str]
    says: Callable[[str], Says | None]
    for_a_day: re.Pattern[str]  # before a time that something is set for
    set_ahead: re.Pattern[str]  # what was arranged lies ahead of the arranging: "auf Freitag verschoben"
    since: re.Pattern[str]  # before a time that has begun

    def of(self, sentence: str) -> ClauseTense:
        return ClauseTense(sentence, self)


class ClauseTense:
    """What a sentence says of the times it names, clause by clause. Looked for when first asked."""

    def __init__(self, sentence: str, words: TenseWords) -> None:
        self._sentence, self._words = sentence, words

    @cached_property
    def _clauses(self) -> list[tuple[int, Says | None]]:
        """Where each clause ends and what it says by itself."""
        ends = [match.start() for match in self._words.clause_end.finditer(self._sentence)] + [len(self._sentence)]
        begin, out = 0, []
        for end in ends:
            out.append((end, self._words.says(self._sentence[begin:end])))
            begin = end
        return out

    @cached_property
    def _whole(self) -> Says:
        told = [says for _, says in self._clauses if says is not None]
        if not told:  # a verb in two pieces may be parted by a comma or an "und"
            return self._words.says(self._sentence) or "arranged"
        return told[0]

    def at(self, place: int) -> Says:
        """What the sentence says of a time that is named there."""
        before = self._sentence[max(0, place - _BEFORE_CHARS) : place]
        if self._words.for_a_day.search(before) and self._words.set_ahead.search(self._sentence):
            return "planned"
        if self._words.since.search(before):
            return "past"
        says = next((says for end, says in self._clauses if place < end), None)
        return says or self._whole

    def ahead(self, place: int) -> bool:
        return self.at(place) != "past"

    def wills(self, place: int) -> bool:
        return self.at(place) in ("planned", "possible")
