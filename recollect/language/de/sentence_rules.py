"""How German sentences end, and how their questions begin."""

from __future__ import annotations

import re

from recollect.language import lists
from recollect.language.expression import expression
from recollect.language.sentences import SentenceRules

_ASKING = expression(
    r"(?:(?:und|aber|also|oder|ach|na|hey|hm+|sag mal|ok|okay)[,\s]+)*"
    r"(?:(?:hast|habt|haben|hat|kannst|könnt|könntest|können|kann|weißt|weisst|willst|wollt|wollen|magst|möchtest|bist|seid|sind"
    r"|ist|gibt|gibts|war|warst|waren|soll|sollen|sollte|sollten|muss|musst|darf|gehst|geht|kommst|kommt|machst|machen)\s+"
    r"(?:du|ihr|sie|wir|ich|er|es|man|das|der|die|jemand|dein\w*|mein\w*)\b"
    r"|(?:(?:mit|bei|von|für|zu|an|auf|aus|in|seit|bis|ab|um|nach|über)\s+)?"
    r"(?:wer|wen|wem|wessen|was|wann|wo|wohin|woher|warum|wieso|weshalb|wie|welche[rsnm]?|wieviele?|womit|wofür|worüber)\b)",
    re.IGNORECASE,
)
RULES = SentenceRules(
    never_ends=lists.words("de", "abbreviations"),
    may_end=lists.words("de", "abbreviations_at_end"),
    asking=_ASKING,
    or_word="oder ",
    ordinals=True,
)
