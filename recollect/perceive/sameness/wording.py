"""Wording that changes nothing about what is said, from `language/en/sameness.txt`."""

from __future__ import annotations

from recollect.language import lists

_LISTS, _WORDS = lists.sections("en", "sameness"), lists.sets("en", "sameness")

ARTICLES = _WORDS["articles"]
COUNTED_BY_ARTICLE = _WORDS["counted by article"]
NEGATIONS = _WORDS["negations"]

# Anywhere in a sentence, unless a "not" stands before them: "not really" is a milder no.
FILLERS = _WORDS["fillers"]
# Only where a sentence begins; the second ones need a comma, for "well water" and "so many" mean something.
OPENINGS = _WORDS["openings"]
OPENINGS_BEFORE_A_PAUSE = _WORDS["openings before a pause"]
OPENING_PHRASES = _LISTS["opening phrases"]
PHRASES_BEFORE_A_PAUSE = _LISTS["phrases before a pause"]

# Contractions without their apostrophe, as people type them, and words written together.
TYPED = lists.pairs(_LISTS["typed"])
CONTRACTED = lists.pairs(_LISTS["contracted"])
CONTRACTED_STEMS = lists.pairs(_LISTS["contracted stems"])
PRONOUNS_WITH_IS = _WORDS["pronouns with is"]
HAS_BEFORE = _WORDS["has before"]
IS_BEFORE = _WORDS["is before"]

NOW = _WORDS["now"]
NOW_PHRASES = _LISTS["now phrases"]

SPELLINGS = lists.pairs(_LISTS["spellings"])
NUMBERS = lists.pairs(_LISTS["numbers"])
# After a number only.
UNITS = lists.pairs(_LISTS["units"])
GLUED_UNITS = _WORDS["glued units"]
MONTHS = lists.entries("en", "months")
MONTH_OF = {month: month for month in MONTHS} | {month[:3]: month for month in MONTHS} | {"sept": "september"}

# What may open a sentence and could as well close it.
WHEN_OR_WHERE = _WORDS["when or where"]
TIMES = _WORDS["times"] | frozenset(MONTHS)
TIME_OPENERS = _WORDS["time openers"]

SAYING = _WORDS["saying"]
# "likes hiking" is "likes to hike"; "stopped smoking" is not "stopped to smoke".
TO_OR_ING = _WORDS["to or ing"]
# "is using" is "uses": of these, what goes on is what is so.
LASTING = lists.pairs(_LISTS["lasting"])
WORKING_AT = _WORDS["working at"]
FIRST_AND_SECOND_PERSON = _WORDS["first and second person"]
