"""What a Spanish question says about time beside the times it names: últimamente, desde la mudanza, tras el viaje."""

from __future__ import annotations

import re

from recollect.language.found import Relation
from recollect.language.frame.questions import TimeQuestions

_RECENT = re.compile(
    r"\b(?:últimamente|ultimamente|recientemente|hace poco|estos días|en estos días|estas semanas|hace nada)\b", re.I
)
_RELATIONS: dict[str, Relation] = {
    "desde": "since",
    "después de": "after",
    "despues de": "after",
    "después": "after",  # "del"
    "despues": "after",
    "tras": "after",
    "antes de": "before",
    "antes": "before",
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
TIME_QUESTIONS = TimeQuestions(
    recent=_RECENT,
    relations=_RELATIONS,
    events=(_EVENT, _OF_THE),
    no_event=_NO_EVENT,
)
