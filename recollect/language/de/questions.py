"""What a German question says about time beside the times it names: in letzter Zeit, seit dem Umzug, nach der Reise."""

from __future__ import annotations

import re

from recollect.language.found import Relation
from recollect.language.frame.questions import TimeQuestions

_RECENT = re.compile(
    r"\b(?:neulich|kürzlich|zuletzt|in letzter zeit|vor kurzem|neuerdings|letztens|dieser tage)\b", re.IGNORECASE
)
_RELATIONS: dict[str, Relation] = {
    "seit": "since",
    "seitdem": "since",
    "nach": "after",
    "nachdem": "after",
    "vor": "before",
    "bevor": "before",
    "bis": "until",
    "während": "around",
    "bei": "around",
}
# A determiner or a subject: what follows is an event, not a place ("nach Wien") or a person ("bei Ana").
_EVENT = re.compile(
    r"\b(?P<relation>(?i:seitdem|seit|nachdem|nach|bevor|vor|bis|während))\s+"
    r"(?P<anchor>(?i:dem|der|den|des|meinem|meiner|unserem|unserer|seinem|seiner|ihrem|ihrer|ich|wir|er|sie|zum|zur)\b"
    r"[^,;?!]*?)(?=(?<!\s)\s*+(?:[,;?!]|\.(?:\s|$)|$))"
)
_NO_EVENT = re.compile(
    r"(?:dem|der|den)\s+(?:haus|tür|stadt|firma|arbeit|weg|ort|welt|chat|gespräch|nachricht)\b", re.IGNORECASE
)
TIME_QUESTIONS = TimeQuestions(
    recent=_RECENT,
    relations=_RELATIONS,
    events=(_EVENT,),
    no_event=_NO_EVENT,
)
