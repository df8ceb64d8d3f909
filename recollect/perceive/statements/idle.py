"""What people say without stating anything: greetings, agreement, sympathy, how they feel just now.

Patterns over the lower-case words of a clause, contractions written out and one space between them, made of the
phrases in `language/en/idle.txt`.
"""

from __future__ import annotations

import re

from recollect.language import lists
from recollect.perceive.grammar.words import any_of

_LISTS = lists.sections("en", "idle")

# Before a statement, and no part of it.
OPENING_PHRASES = re.compile(f"(?:{any_of(*_LISTS['openings'])}" + r"[\s,!:.-]*)+")
PHRASES_BEGIN = frozenset(_LISTS["opening words"])

# A clause about the speaker that says nothing of them.
_ON_THE_WAY = (
    "(?:(?:do not|did not|not|too|very|exactly|quite|already|actually|have|really|totally|completely|can|could|just"
    "|am|was|will|would|'d|definitely|so|also|still|even|truly) )*"
)
IDLE = re.compile("i " + _ON_THE_WAY + any_of(*_LISTS["nothing said"]))

# From the verb on: how people are or fare at the moment, with nothing that it is about.
_FEELINGS, _DEGREES, _PRAISED = ("|".join(_LISTS[heading]) for heading in ("feelings", "degrees", "praise"))
PASSING = re.compile(
    r"(?:am|was|are|were|been|be|feel|felt|feeling|get|got|getting|stay|staying|stayed) "
    rf"(?:(?:{_DEGREES}|\w+ly) )*(?:{_FEELINGS})"
    r"(?: (?:today|now|right now|tonight|lately|again|at all|and \w+))*$"
    rf"|ha(?:ve|d|ving) (?:(?:{_PRAISED}|long|rough|tough|awesome|special|productive) )*"
    r"(?:time|day|night|fun|blast|experience|moment|week|weekend)(?: today)?$"
    r"|did (?:alright|well|great|good|okay|fine)$|made it$|(?:try|trying|doing) (?:my|our) best$|will see$"
    r"|keep(?: on)? (?:going|pushing|trying|at it)\b"
)

# Imperatives: those people cheer each other with, and those that may be meant to last.
ENCOURAGED = re.compile("(?:please )?(?:do not|never|always) " + any_of(*_LISTS["encouragement"]))
INSTRUCTED = re.compile("(?:please )?" + any_of(*_LISTS["instructions"]))
