"""What a Spanish question says about time beside the times it names: últimamente, desde la mudanza, tras el viaje."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.language.base import EventPhrase
from recollect.language.found import Relation

_RECENT = re.compile(
    r"\b(?:últimamente|ultimamente|recientemente|hace poco|estos días|en estos días|estas semanas|hace nada)\b", re.I
)
_RELATIONS: dict[str, Relation] = {
    "desde": "since",
    "después de": "after",
    "despues de": "after",
    "tras": "after",
    "antes de": "before",
    "hasta": "until",
    "durante": "around",
}
# A determiner, or "que" with a clause: what follows is an event, not a place ("desde Madrid").
_EVENT = re.compile(
    r"\b(?P<relation>(?i:desde|después\s+de|despues\s+de|tras|antes\s+de|hasta|durante))"
    r"\s+(?P<anchor>(?i:el|la|los|las|mi|mis|tu|su|sus|nuestro|nuestra|que)\b"
    r"[^,;?!]*?)(?=(?<!\s)\s*+(?:[,;?!]|\.(?:\s|$)|$))"
)
_OF_THE = re.compile(
    r"\b(?P<relation>(?i:después|despues|antes))\s+del\s+(?P<anchor>\w[^,;?!]*?)(?=(?<!\s)\s*+(?:[,;?!]|\.(?:\s|$)|$))"
)
_NO_EVENT = re.compile(
    r"(?:(?:el|la)\s+)?(?:casa|puerta|ciudad|empresa|oficina|mundo|chat|conversación|mensaje|momento|principio)\b", re.I
)


def recently_in(question: str) -> str | None:
    """The word by which a question asks for what is recent."""
    match = _RECENT.search(question)
    return match[0] if match else None


def events_in(question: str) -> Iterator[EventPhrase]:
    """Where a question counts from something that happened."""
    for match in (*_EVENT.finditer(question), *_OF_THE.finditer(question)):
        if not _NO_EVENT.match(match["anchor"]):
            relation = " ".join(match["relation"].lower().split())
            known = _RELATIONS.get(relation) or _RELATIONS[f"{relation} de"]
            yield EventPhrase(known, match.start(), match.span("anchor"))
