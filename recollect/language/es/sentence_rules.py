"""How Spanish sentences end, and how their questions begin."""

from __future__ import annotations

import re

from recollect.language import lists
from recollect.language.expression import expression
from recollect.language.sentences import SentenceRules

# With its accent a question word asks anywhere; typed without one it asks where it opens the sentence, and "que" and
# "cuando" do not even there ("cuando llegue").
_ASKING = expression(
    r"¿|(?:(?:y|pero|oye|bueno|entonces|ok|a ver)[,\s]+)*(?:(?:a|con|de|desde|en|hasta|para|por)\s+)?"
    r"(?:qué|quién|quiénes|cuál|cuáles|cuándo|dónde|adónde|cómo|cuánto|cuánta|cuántos|cuántas|quien|quienes|cual|cuales"
    r"|donde|adonde|cuanto|cuanta|cuantos|cuantas)\b",
    re.IGNORECASE,
)
RULES = SentenceRules(
    never_ends=lists.words("es", "abbreviations"),
    may_end=lists.words("es", "abbreviations_at_end"),
    asking=_ASKING,
    or_word="o ",
)
