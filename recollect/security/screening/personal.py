"""Personal data in a text: where it stands and what it is.

Patterns propose; check digits, published numbering plans and the words beside a number decide.
"""

from __future__ import annotations

import re

from recollect.security.screening.addresses import addresses_in
from recollect.security.screening.births import births_in
from recollect.security.screening.contacts import contacts_in
from recollect.security.screening.numbers import numbers_in
from recollect.security.screening.spans import PrivateSpan, SpanType

TEXT_CHARS_MAX = 200_000  # of a longer text the beginning is looked at

# All that is found here but a name holds a digit, an "@" or a point between letters. Most turns of a chat do not.
_SIGN = re.compile(r"\d|@|\w\.\w|://")
_ORDER = {each: place for place, each in enumerate(SpanType)}


def find(text: str, *, language: str | None = None, names: bool = False) -> tuple[PrivateSpan, ...]:
    """What is personal in a text, in order and without overlaps; with `names`, the people it names too."""
    text = text[:TEXT_CHARS_MAX]
    found: list[PrivateSpan] = []
    if _SIGN.search(text) is not None:
        found = [*contacts_in(text, language), *numbers_in(text), *births_in(text), *addresses_in(text)]
    if names:
        from recollect.security.screening.persons import persons_in  # reads its weights when they are first needed

        found += persons_in(text)
    return tuple(_settled(found))


def _settled(found: list[PrivateSpan]) -> list[PrivateSpan]:
    """Those that no better reading overlaps: a sure one, one with a better type, the longer one."""
    kept: list[PrivateSpan] = []
    for span in sorted(found, key=lambda each: (not each.sure, _ORDER[each.type], each.start - each.end)):
        if not any(span.start < each.end and each.start < span.end for each in kept):
            kept.append(span)
    return sorted(kept)
