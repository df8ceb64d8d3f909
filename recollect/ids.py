"""Public identifiers: random UUIDs in their canonical text form, or UUIDs made of a name that a caller chose."""

from __future__ import annotations

import os
import re
import uuid

from recollect.errors import NotFound, UsageError, shown

ID_CHARS = 8  # of an id: enough to cite it by, and a quarter of its tokens
_CANONICAL = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_BEGINNING = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{0,4}){0,3}(?:-[0-9a-f]{0,11})?")


_NAMES = uuid.UUID("6f3b0d2c-5a1e-4c8f-9b7d-2e4a6c8d0f14")


def is_id(given: object) -> bool:
    """Whether this is an id in its canonical form."""
    return isinstance(given, str) and _CANONICAL.fullmatch(given) is not None


def id_of_name(name: str) -> str:
    """The id of what a caller calls by a name of its own, always the same; a canonical UUID is its own."""
    whole = name.encode("utf-8", "backslashreplace").decode(
        "utf-8"
    )  # half a character names nothing that could be stored
    return name if is_id(name) else str(uuid.uuid5(_NAMES, whole))


def new_id() -> str:
    """A fresh UUID4."""
    return str(uuid.uuid4())


def new_ids(count: int) -> list[str]:
    """Many fresh UUID4s from one read of the random source: a third of the cost of `count` calls."""
    noise = os.urandom(16 * count).hex()
    ids = []
    for at in range(0, 32 * count, 32):
        variant = "89ab"[int(noise[at + 16], 16) & 3]
        ids.append(
            f"{noise[at : at + 8]}-{noise[at + 8 : at + 12]}-4{noise[at + 13 : at + 16]}"
            f"-{variant}{noise[at + 17 : at + 20]}-{noise[at + 20 : at + 32]}"
        )
    return ids


def beginning_of_id(given: object) -> str | None:
    """What an id begins with, as contexts show it: `#1b9d6bcd`, or more of it; None for anything else."""
    text = given.strip().removeprefix("#").lower() if isinstance(given, str) else ""
    return text if _BEGINNING.fullmatch(text) and len(text) < len("1b9d6bcd-bbfd-4b2d-9b5d-ab8dfcbb4bed") else None


def parse_id(text: object, what: str = "record") -> str:
    """The canonical form of an id a caller gave; anything else names nothing that exists."""
    text = getattr(text, "id", text)  # a record, a hit, an edge: anything that has an id stands for it
    if isinstance(text, str) and _CANONICAL.fullmatch(text):
        return text
    if text is not None and not isinstance(text, str | uuid.UUID):
        raise UsageError(f"the id of a {what} is a text, not {shown(text, 40)}")
    try:
        return str(uuid.UUID(str(text)))
    except ValueError:
        known = "ids are UUIDs, of records the first 8 characters will do"
        raise NotFound(f"no {what} has the id {shown(text, 80)}; {known}") from None
