"""The parts of a window: what each would like to say, what it says within the tokens it gets, and all of it as text.

The caller's own words come first, then everything that comes from memory, between marks, as data.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from recollect.config.window import ContextSettings
from recollect.context.forms import Offered, shown
from recollect.context.history import compress
from recollect.context.pack import Chosen, pack
from recollect.model.context import Detail, Item, Part
from recollect.model.fence import INTRODUCTION, Shown, fenced, line
from recollect.model.messages import Message
from recollect.model.result import Hit
from recollect.model.working import Slot, SlotSource
from recollect.providers.tokens import Counter

OWN_TOKENS_SPARE = 4  # a part is set apart by blank lines
NOTHING_KNOWN = "Memory holds nothing that seems to bear on this: say so, or ask, rather than guess."
UNSURE = "Memory is not sure that any of this answers: say so, or ask, rather than guess."
_SAID_OF = {SlotSource.QUESTION: "Worth asking: "}
HEADINGS = {
    "instructions": "What the user wants always, as remembered:",
    "recalled": "Recalled:",
    "working": "In mind now:",
    "today": "Today:",
    "schemas": "Patterns:",
    "questions": "Worth asking when it fits:",
    "overview": "In general:",
    "entities": "Who and what:",
    "facts": "Facts:",
    "temporal": "What happened:",
    "evidence": "Said:",
}


class Filled(NamedTuple):
    """A part with its words: the caller's own, lines from memory, or messages."""

    part: Part
    own: str = ""
    section: Section | None = None
    messages: tuple[Message, ...] = ()
    hits: tuple[Hit, ...] = ()


class Filling(Protocol):
    """A part before the budget is shared."""

    @property
    def name(self) -> str: ...

    @property
    def wanted(self) -> int:
        """Tokens with which it could say everything."""

    def filled(self, tokens: int, shown_already: Collection[str]) -> Filled | None:
        """What it says in so many tokens, records left out that stand elsewhere; None if that is nothing."""


class OwnWords:
    """Who the agent is, what it can do: in the caller's words, outside of the marks."""

    def __init__(self, name: str, text: str, counter: Counter) -> None:
        self.name = name
        self.wanted = counter.count(text) + OWN_TOKENS_SPARE if text else 0
        self._text = text
        self._counter = counter

    def filled(self, tokens: int, shown_already: Collection[str]) -> Filled | None:
        text = self._text
        if self.wanted > tokens:
            text = self._counter.cut(text, tokens - OWN_TOKENS_SPARE).rstrip()
        if not text:
            return None
        used = self._counter.count(text)
        return Filled(Part(name=self.name, text=text, tokens=used, budget=tokens), own=text)


class Memories:
    """Records, packed by what they are worth, then put into an order that reads well."""

    def __init__(self, name: str, offers: Sequence[Offered], order: str, most: int | None = None) -> None:
        self.name = name
        headings = {each.candidate.heading: each.candidate.heading_tokens for each in offers}
        whole = sum(each.candidate.forms[0].tokens for each in offers) + sum(headings.values())
        self.wanted = whole if most is None else min(whole, most)
        self._offers = offers
        self._order = order

    def filled(self, tokens: int, shown_already: Collection[str]) -> Filled | None:
        offers = {each.hit.id: each for each in self._offers if each.hit.id not in shown_already}
        chosen = pack([each.candidate for each in offers.values()], tokens)
        if not chosen:  # rather the gist without a heading than nothing
            offers = {id_: each._replace(candidate=each.candidate.bare) for id_, each in offers.items()}
            chosen = pack([each.candidate for each in offers.values()], tokens)
        if not chosen:
            return None
        lines = _lines(_ordered(chosen, offers, self._order), offers)
        used = sum(each.form.tokens for each in chosen)
        used += sum({each.candidate.heading: each.candidate.heading_tokens for each in chosen}.values())
        return Filled(
            Part(
                name=self.name,
                text="\n".join(map(line, lines)),
                tokens=used,
                budget=tokens,
                items=tuple(Item(id=each.candidate.id, detail=each.form.detail) for each in chosen),
            ),
            section=Section(self.name, lines),
            hits=tuple(offers[each.candidate.id].hit for each in chosen),
        )


class Lines:
    """Lines that are no hits: what is in mind, summaries of many records, what is known of somebody, questions."""

    def __init__(self, name: str, lines: Sequence[tuple[Shown | str, Item]], counter: Counter) -> None:
        self.name = name
        self._lines = [(text, item, counter.count(line(text) + "\n")) for text, item in lines]
        self.wanted = sum(tokens for _, _, tokens in self._lines)

    def filled(self, tokens: int, shown_already: Collection[str]) -> Filled | None:
        kept: list[Shown | str] = []
        items: list[Item] = []
        left = tokens
        for text, item, cost in self._lines:
            if cost <= left and item.id not in shown_already:
                kept.append(text)
                items.append(item)
                left -= cost
        if not kept:
            return None
        text = "\n".join(map(line, kept))
        part = Part(name=self.name, text=text, tokens=tokens - left, budget=tokens, items=tuple(items))
        return Filled(part, section=Section(self.name, kept))


class Talk:
    """The conversation so far."""

    def __init__(self, name: str, messages: Sequence[Message], counter: Counter, settings: ContextSettings) -> None:
        self.name = name
        self._messages = tuple(messages)
        self._counter = counter
        self._settings = settings
        # Characters tell well enough who wants how much; what is given is counted to the token.
        self.wanted = sum(len(message.said) + len(message.told) for message in messages) // 2 + 16 * len(messages)

    def filled(self, tokens: int, shown_already: Collection[str]) -> Filled | None:
        history = compress(self._messages, tokens, self._counter, self._settings)
        if not history.messages:
            return None
        text = "\n".join(f"{message.role}: {message.text}" for message in history.messages)
        part = Part(name=self.name, text=text, tokens=history.tokens, budget=tokens)
        return Filled(part, messages=history.messages)


def slot_lines(slots: Sequence[Slot]) -> list[tuple[Shown | str, Item]]:
    """What is in mind, strongest first; a slot that shows a record can be cited by it."""
    return [
        (
            Shown(slot.record_id[:8], slot.text) if slot.record_id else f"- {_SAID_OF.get(slot.source, '')}{slot.text}",
            Item(id=slot.record_id, detail=Detail.SUMMARY),
        )
        for slot in slots
    ]


def _ordered(chosen: Sequence[Chosen], offers: Mapping[str, Offered], order: str) -> list[Chosen]:
    """Oldest first, or the most trusted first, or as they were ranked; what shares a heading stays together."""
    keys = {each.candidate.id: _key(offers[each.candidate.id], place, order) for place, each in enumerate(chosen)}
    first: dict[str, tuple[float, int]] = {}
    for each in chosen:
        heading, key = each.candidate.heading, keys[each.candidate.id]
        first[heading] = min(key, first.get(heading, key))
    return sorted(
        chosen, key=lambda each: (first[each.candidate.heading], each.candidate.heading, keys[each.candidate.id])
    )


def _key(offer: Offered, place: int, order: str) -> tuple[float, int]:
    if order == "time":
        return (offer.hit.event_time or offer.hit.created_at).timestamp(), offer.order
    return (-offer.hit.trust.composite if order == "trust" else 0.0), place


def _lines(chosen: Sequence[Chosen], offers: Mapping[str, Offered]) -> list[Shown | str]:
    """Each under its heading; a heading that still holds is not said again."""
    lines: list[Shown | str] = []
    above = ""
    for each in chosen:
        if each.candidate.heading != above:
            above = each.candidate.heading
            lines.append(above)
        lines.append(shown(offers[each.candidate.id].hit, each.form.text))
    return lines


class Section(NamedTuple):
    """Lines that come from memory, under the name of their part."""

    name: str
    lines: Sequence[Shown | str]


def block(sections: Sequence[Section], key: bytes) -> str:
    """All sections between marks, with the sentence that says what they are; nothing for none."""
    several = sum(bool(section.lines) for section in sections) > 1
    lines: list[Shown | str] = []
    for section in sections:
        if section.lines and (several or section.name != "recalled"):
            lines.append(HEADINGS[section.name])
        lines += section.lines
    return f"{INTRODUCTION}\n{fenced(lines, key)}" if lines else ""


def system_text(given: Sequence[str], own: Sequence[str], memories: str, note: str) -> str:
    """The system message: what the caller's messages said, the caller's parts, memories, and an honest word."""
    return "\n\n".join(part for part in (*given, *own, memories, note) if part)


def plain_text(system: str, history: Sequence[tuple[str, str]]) -> str:
    """Everything but the prompt in one text, for models that take one."""
    said = "\n".join(f"{role}: {text}" for role, text in history)
    return "\n\n".join(part for part in (system, said and f"Conversation so far:\n{said}") if part)
