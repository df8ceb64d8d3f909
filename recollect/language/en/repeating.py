"""What happens again and again: "every Monday", "daily", "twice a week", "on Tuesdays"."""

from __future__ import annotations

from recollect.language.en.amounts import COUNT
from recollect.language.en.calendar_words import WEEKDAYS
from recollect.language.en.patterns import MONTH, WEEKDAY
from recollect.language.frame.repeating import Repeating

_ADVERBS = "daily weekly biweekly fortnightly monthly quarterly yearly annually annual nightly hourly".split()
_PLURALS = [day + "s" for day in WEEKDAYS] + ["weekends", "mornings", "evenings", "afternoons", "nights"]
_REPEATING_WORDS = frozenset(["every", "each", "once", "twice", "times", "everyday", *_ADVERBS, *_PLURALS])
_PART = "morning|afternoon|evening|night"
_UNIT = f"minute|hour|day|{_PART}|weekday|week|weekend|month|quarter|year|summer|winter|spring|autumn|fall"
_EVERY = rf"(?:every|each)(?: single)?(?: (?:other|second|third|{COUNT}))?"
_AFTER_IT = "at|in|before|after|for|from|on|to|and|but|with|when|because|until|since"
_PATTERNS = (
    rf"{_EVERY} (?:(?:{_UNIT})s?|{WEEKDAY}(?: (?:{_PART}))?|{MONTH})",
    rf"(?:once|twice|{COUNT} times) (?:a|an|every|per|each) (?:{_UNIT})",
    rf"(?:semi-?|bi-?)?(?:{'|'.join(_ADVERBS)})",
    # As people write "every day"; "everyday life" and "the everyday" are no time.
    rf"(?<!\bthe\s)(?<!\ban\s)(?<!\bmy\s)(?<!\bour\s)(?<!\bof\s)everyday(?=\s*(?:$|[.,;!?)]|\d|(?:{_AFTER_IT})\b))",
    rf"(?:{'|'.join(WEEKDAYS)})(?:s(?! (?:ago|from now))| (?:{_PART})s)|weekends",
)
REPEATING = Repeating(words=_REPEATING_WORDS, patterns=_PATTERNS)
