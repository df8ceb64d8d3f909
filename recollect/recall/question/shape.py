"""Words against meaning, by the form of a query.

A query with an identifier or a quotation wants those very words; one that asks how or why wants the meaning. Two of the
signs are read more strictly than in Engram: an apostrophe is no quotation, a full stop no identifier.
"""

from __future__ import annotations

import re

from recollect.config.reading import RecallSettings
from recollect.recall.question.wording import found_in, length_of, words_of

LOOKED_AT_CHARS = 1_000
_FACTUAL = (
    re.compile(r"[/\\]\S"),  # a path
    re.compile(r"\d"),  # a number, a port, a date
    re.compile(r"\w_\w|\w\.\w|\b_\w|[a-z][A-Z]"),  # an identifier
    re.compile(
        r"\"[^\"]+\"|“[^“”]+”|«[^«»]+»|„[^„“”]+[“”]|`[^`]+`|「[^「」]+」|(?<!\w)'[^']+'(?!\w)|‘[^‘’]+’(?!\w)"
    ),  # a quotation
)
_CONCEPTUAL_SIGNS = frozenset(("why", "how", "in_what_way", "like", "about"))
_OPENING_WORDS = 2
_DEFINITION = "definition"
_DEFINED_WORDS = 4  # `what is entropy`, not `what is Ben's phone number`


def text_share(text: str, settings: RecallSettings) -> float:
    """How much words count, the rest being for meaning: from `text_share_min` to `text_share_max`.

    The default without any sign and for a text without words; looks at the first `LOOKED_AT_CHARS` characters.
    """
    looked_at = text[:LOOKED_AT_CHARS]
    words = words_of(looked_at)
    if not words:
        return settings.text_share
    length = length_of(looked_at)
    factual = sum(sign.search(looked_at) is not None for sign in _FACTUAL) + (length <= settings.short_query_words)
    conceptual = _asks_for_meaning(words) + (length > settings.long_query_words)
    share = settings.text_share + factual * settings.factual_step - conceptual * settings.conceptual_step
    return min(max(share, settings.text_share_min), settings.text_share_max)


def _asks_for_meaning(words: list[str]) -> bool:
    """It opens with how, why or a request to explain, in any language we know, or asks what something is."""
    found = found_in(words[: _OPENING_WORDS + _DEFINED_WORDS])
    if any(each.sign.name in _CONCEPTUAL_SIGNS for each in found if each.start < _OPENING_WORDS):
        return True
    return len(words) <= _DEFINED_WORDS and any(each.sign.name == _DEFINITION for each in found if not each.start)
