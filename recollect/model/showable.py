"""Text that may be shown: to a person on a terminal, to a model in a window. What would steer either is taken out.

Stored text is kept as it came, and given back so to programs. Where somebody reads it, characters that nobody sees do
harm: they move a cursor, turn a line around, or tell a model what no person reads along with it.
"""

from __future__ import annotations

import re

INSTEAD = "�"  # for a run of such characters, so that one sees that something was there

# Controls but for tab and line feed, embeddings, overrides and isolates of writing direction, tags, annotations.
# Marks of direction (U+200E, U+200F, U+061C) and joiners stay: languages are written with them, and families drawn.
_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u206a-\u206f\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f"
)
# The flags of Scotland and other parts of countries are spelt in tags, at most six of them.
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_SELECTORS = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"  # one chooses how a letter looks; several hide a text
_HARMFUL = re.compile(f"({_FLAG})|(?:[{_UNSEEN}]|(?<={_SELECTORS}){_SELECTORS})+")
_IN_JSON = re.compile(f"[{_UNSEEN}]")


def showable(text: str) -> str:
    """The text as it may be read; the same object where nothing is wrong with it."""
    if text.isascii() and text.isprintable():  # nearly all are
        return text
    return _HARMFUL.sub(_kept, text.replace("\r\n", "\n"))


def in_json(written: str) -> str:
    """JSON with the same characters escaped: nothing is lost, and it can be looked at. Flags are escaped as well."""
    return _IN_JSON.sub(_escaped, written)


def _kept(found: re.Match[str]) -> str:
    return found[1] or INSTEAD


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
