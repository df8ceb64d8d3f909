"""How English sentences end, and how their questions begin."""

from __future__ import annotations

import re

from recollect.language import lists
from recollect.language.expression import expression
from recollect.language.sentences import SentenceRules

_ASKING = expression(
    r"(?:(?:and|but|so|or|oh|well|hey|ok|okay|also|hmm+|btw|yeah|wow|cool|nice|then)[,\s]+)*"
    r"(?:(?:do|does|did|is|are|was|were|can|could|would|will|should|have|has|had|don['’]?t|isn['’]?t|aren['’]?t|didn['’]?t"
    r"|haven['’]?t|won['’]?t|can['’]?t)\s+(?:you|we|they|he|she|it|i|u|ya|the|your|there|that|this|anyone|any)\b"
    r"|(?:what|who|where|when|why|how|which|whose)(?:['’]?(?:s|re|d|ve)\b"
    r"|\s+(?:is|are|was|were|do|does|did|about|can|could|would|should|will|have|has|had|come|many|much|long|often|far|old"
    r"|kind|type|sort|else|time|if)\b)"
    r"|(?:any|got any|wanna|you wanna|want to (?:join|come|go))\b|wbu\b|hbu\b)",
    re.IGNORECASE,
)
RULES = SentenceRules(
    never_ends=lists.words("en", "abbreviations"),
    may_end=lists.words("en", "abbreviations_at_end"),
    asking=_ASKING,
    or_word="or ",
)
