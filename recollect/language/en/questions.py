"""What an English question says about time beside the times it names: recently, since the move, after the talk."""

from __future__ import annotations

import re

from recollect.language.found import Relation
from recollect.language.frame.questions import TimeQuestions

_RECENT = re.compile(r"\b(?:recently|lately|these days|of late|nowadays)\b", re.IGNORECASE)
_NOT_EVENTS = re.compile(
    r"(?:that|this|it|then|them|him|her|us|me|you|all|now|long|too long|the fact|the house|the world|the corner"
    r"|(?:our|these|those|the|my|this) (?:chat|conversation|discussion|exchange|message|session|talk)s?)\b"
    r"(?=\s*(?:$|[?.!,]))",
    re.IGNORECASE,
)
_IDIOM = re.compile(
    r"\b(?:look\w*|nam\w+|tak\w+|chas\w+|ask\w*|go|went|soon|ever|shortly|right|just)\s+$", re.IGNORECASE
)
# A determiner, a subject, a name or an "-ing": what follows is an event, not a preposition's usual company.
_EVENT = re.compile(
    r"\b(?P<relation>(?i:since|after|before|until|till|during|around the time of))\s+"
    r"(?P<anchor>(?:(?i:the|our|my|his|her|their|your|its|that|this|an?|we|i|you|he|she|they|it)\b|[A-Z]\w*|\w+ing\b)"
    r"[^,;?!]*?)(?=(?<!\s)\s*+(?:[,;?!]|\.(?:\s|$)|$))"
)
_RELATIONS: dict[str, Relation] = {
    "since": "since",
    "after": "after",
    "before": "before",
    "until": "until",
    "till": "until",
    "during": "around",
    "around the time of": "around",
}
TIME_QUESTIONS = TimeQuestions(
    recent=_RECENT,
    relations=_RELATIONS,
    events=(_EVENT,),
    no_event=_NOT_EVENTS,
    idiom=_IDIOM,
)
