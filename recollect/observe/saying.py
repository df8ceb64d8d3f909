"""How something is said to an agent: records and lines between the marks of the store, within a number of tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.clock import DAY_US, to_us
from recollect.hook.failure import print_of_bytes
from recollect.ids import ID_CHARS
from recollect.model.fence import INTRODUCTION, Shown, fenced
from recollect.model.record import Record

TEXT_BYTES_MAX, TEXT_BYTES_MIN = 1_200, 100  # of a record that are told
CUT = " …"
TOKEN_BYTES = 3  # fewer than any vocabulary needs for a token on average, in prose, code and other scripts
MARK_BYTES = 80  # of the marks around what is said

CODE = "code in words"  # with the attributes of a record that is being told: what became of its code

Saying = list[str]  # a text, and a mark by which it is known again


def said(parts: Iterable[Record | str], key: bytes, tokens: int, now: int) -> Saying | None:
    """The parts between marks, as many as fit; None where no record would be left, or there is none."""
    shown = fitting(parts, tokens, now)
    return sealed(shown, key) if shown else None


def fitting(
    parts: Iterable[Record | str], tokens: int, now: int, *, after: Sequence[Shown | str] = ()
) -> list[Shown | str]:
    """As many of the parts as fit after what is said already, from the first on; no heading with nothing below it."""
    shown: list[Shown | str] = []
    heads = list(parts)
    for part in heads:
        before = [*after, *shown]
        one = part if isinstance(part, str) else _cut_to_fit(part, before, tokens, now)
        if one is None or tokens_of([*before, one]) > tokens:
            break
        shown.append(one)
    while shown and isinstance(shown[-1], str) and any(not isinstance(part, str) for part in heads):
        shown.pop()
    return shown


def sealed(shown: Sequence[Shown | str], key: bytes, *, introduced: bool = True) -> Saying:
    """What is said, between marks; its own mark is the same whenever the same is said. One that is not `introduced`
    is said after another that is."""
    mark = print_of_bytes(repr([(each.id, each.text) if isinstance(each, Shown) else each for each in shown]).encode())
    text = fenced(shown, key)
    return [f"{INTRODUCTION}\n{text}" if introduced else text, mark]


def tokens_of(shown: Sequence[Shown | str]) -> int:
    """About how many tokens it takes to say this, rather too many than too few."""
    text = INTRODUCTION + "".join(
        f"#{each.id} {each.note} {each.text}" if isinstance(each, Shown) else each for each in shown
    )
    return (len(text.encode("utf-8", "replace")) + MARK_BYTES) // TOKEN_BYTES


def bytes_for(tokens: int) -> int:
    """About how many bytes may be said in so many tokens, marks among them."""
    return tokens * TOKEN_BYTES


def _cut_to_fit(record: Record, shown: Sequence[Shown | str], tokens: int, now: int) -> Shown | None:
    """A record as it is told after what is shown, cut short where it would not fit; None where too little would fit."""
    bare = Shown(record.id[:ID_CHARS], "", _age(record, now))
    left = (tokens - tokens_of([*shown, bare]) - 1) * TOKEN_BYTES
    data = record.content.encode("utf-8", "replace")[:TEXT_BYTES_MAX]
    if len(data) > left or len(data) < len(record.content.encode("utf-8", "replace")):
        if left < TEXT_BYTES_MIN:
            return None
        data = data[: left - len(CUT.encode())]
        return bare._replace(text=data.decode("utf-8", "ignore").rstrip() + CUT)
    return bare._replace(text=record.content)


def _age(record: Record, now: int) -> str:
    days = max(0, (now - to_us(record.updated_at)) // DAY_US)
    code = f"; {words}" if (words := record.attributes.get(CODE)) else ""
    return f"(today{code})" if days == 0 else f"({days} d ago{code})"
