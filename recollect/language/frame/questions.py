"""What a question says about time beside the times it names: recently, since the move, after the talk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from recollect.language.base import EventPhrase
from recollect.language.found import Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeQuestions:
    """The words of a language for it.

    A pattern of `events` has the groups `relation`, whose text is in `relations`, and `anchor`: the event.
    """

    recent: re.Pattern[str]
    relations: Mapping[str, Relation]
    events: tuple[re.Pattern[str], ...]
    no_event: re.Pattern[str]  # an anchor that opens so is none
    idiom: re.Pattern[str] | None = None  # what ends so before the relation takes its meaning from it: "look after"

    def recently_in(self, question: str) -> str | None:
        """The word by which a question asks for what is recent."""
        match = self.recent.search(question)
        return match[0] if match else None

    def events_in(self, question: str) -> Iterator[EventPhrase]:
        """Where a question counts from something that happened."""
        for pattern in self.events:
            for match in pattern.finditer(question):
                if self.no_event.match(match["anchor"]):
                    continue
                if self.idiom is None or not self.idiom.search(question[: match.start()]):
                    relation = self.relations[" ".join(match["relation"].lower().split())]
                    yield EventPhrase(relation, match.start(), match.span("anchor"))
