"""Words by which people say that a talk begins, ends, turns or goes on. English; other texts simply show none.

Read where they count: a greeting opens a text, a farewell closes the one before, a follow-up leans on its first word.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.language.expression import expression

_OPENING_CHARS, _CLOSING_CHARS = 160, 160

_LEAD = r"^\W*+(?:(?:oh|so|well|ok(?:ay)?|right|alright|and|but|now|wait)\W++)?"
_GREETING = expression(
    _LEAD + r"(?:hey+|hi+|hiya|hello|howdy|good (?:morning|afternoon|evening|day)|morning|long time|"
    r"happy (?:new year|birthday|holidays))\b",
    re.IGNORECASE,
)
_CATCHING_UP = expression(
    r"how(?:'s|’s| is|'re|’re| are| have| has|'ve|’ve) (?:it|you|your|things|everything|life|the (?:day|week))\b|"
    r"long time no|(?:since|last time) we (?:last )?(?:talked|chatted|spoke|met)|been a while|"
    r"what(?:'s|’s| is| has| have)? (?:been|new|up)\b|been up to|catch(?:ing)? up|guess what|"
    r"wanted to (?:tell you|share|let you know)|(?:have|got) (?:some )?(?:\w+ )?news|hope (?:you|all|every)|"
    r"(?:good|nice|great) to (?:hear from|see) you",
    re.IGNORECASE,
)
_FAREWELL = expression(
    r"\b(?:bye|good ?night|talk (?:to you |again )?(?:soon|later)|take care|see (?:you|ya)|catch you|"
    r"have a (?:great|good|nice|lovely|wonderful|safe)|keep me (?:posted|updated)|let['’]?s (?:talk|chat|catch up) "
    r"(?:soon|later|again|tomorrow)|good luck|enjoy (?:your|the)|no (?:problem|worries)|anytime|you['’]?re welcome|"
    r"that['’]?s all|all set)\b",
    re.IGNORECASE,
)
_TURN = expression(
    _LEAD + r"(?:by the way|btw|anyway|anyhow|on (?:another|a different|an unrelated|a side) (?:note|topic|subject)|"
    r"(?:completely |totally )?unrelated|(?:changing|change of) (?:the )?(?:topic|subject)|"
    r"(?:a |one )?(?:completely |totally |quick )?(?:different|new|separate) (?:topic|question|subject|thing|task)|"
    r"something (?:else|different)|moving on|switching (?:gears|topics)|separately|"
    r"another (?:thing|question|topic|task)|"
    r"next (?:topic|question|task)|forget (?:that|it)|let['’]?s (?:talk about|switch|move on|change))\b",
    re.IGNORECASE,
)
_FOLLOW_UP = expression(
    r"^\W*+(?:yes|yeah|yep|yup|no|nope|nah|ok|okay|sure|right|exactly|true|thanks|thank you|thx|wow|cool|nice|great|"
    r"awesome|amazing|perfect|lol|haha\w*|aww*|ah+|oh+|definitely|absolutely|totally|agreed|i agree|same|me too|"
    r"good (?:point|idea|question)|sounds|that|that['’]s|thats|this|it|it['’]s|its|they|he|she|those|these|and|but|so|"
    r"because|also|what about|how about|why|which|really|glad|congrats|congratulations|sorry|i see|got it|"
    r"makes sense|of course|for sure|certainly|you['’]re|your|i['’]m glad|then|now|hmm+|well|again|more|continue|go on|"
    r"instead|do (?:it|that|this|the same)|(?:can|could|would|will) you (?:also|then)|"
    r"(?:change|make|try|use|fix|run|deploy|show|explain|add|remove|undo) (?:it|that|this|them|those))\b",
    re.IGNORECASE,
)


class WorkingCues(NamedTuple):
    """What the wording of a text says about the talk."""

    greets: bool
    catches_up: bool  # "how have you been", "guess what"
    turns: bool  # "by the way", "on another note"
    follows: bool  # "yes", "that", "and what about"


def cues_of(text: str) -> WorkingCues:
    """The cues at the beginning of a text."""
    opening = text[:_OPENING_CHARS]
    greets = _GREETING.match(opening) is not None
    turns = _TURN.match(opening) is not None
    return WorkingCues(
        greets=greets,
        catches_up=_CATCHING_UP.search(opening) is not None,
        turns=turns,
        follows=not (greets or turns) and _FOLLOW_UP.match(opening) is not None,
    )


def takes_leave(text: str) -> bool:
    """Whether a text sounds like the last one of a talk."""
    return _FAREWELL.search(text[-_CLOSING_CHARS:]) is not None
