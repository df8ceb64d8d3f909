"""What a text is about: its most telling words, best first, without knowing any other text."""

from __future__ import annotations

import re
from functools import lru_cache

from recollect.language import lists
from recollect.language.terms import FILLERS, STOP_WORDS, terms_of
from recollect.limits import GIST_CHARS_MAX

TOPICS_MAX = 5
_TOPIC_WORD = re.compile(r"(?<![\w@/.])[^\W\d_][\w'’+#-]*(?:\.(?=\w)[\w'’+#-]*)*")
_WORD_CHARS_MIN, _WORD_CHARS_MAX = 3, 40
_LONG_WORD_CHARS = 8  # beyond this length says nothing more
_NAME_BONUS = 0.8  # a capital inside a sentence, an identifier

# Words of talking, doing and judging, which stand in texts about anything.
_COMMON = lists.words("en", "common_words")


def topics_of(text: str, count: int = TOPICS_MAX) -> tuple[str, ...]:
    """At most `count` words, best first, in small letters; each stands for all forms of itself."""
    text = text[:GIST_CHARS_MAX]
    worth: dict[str, float] = {}
    first: dict[str, str] = {}
    for match in _TOPIC_WORD.finditer(text):
        word = match[0]
        term, length = term_and_worth(word)
        if not term:
            continue
        if term not in worth:
            worth[term], first[term] = 0.0, word
        worth[term] += length
        if word[0].isupper() and (at := match.start()) > 1 and text[at - 2] not in ".!?\n":
            worth[term] += _NAME_BONUS
    best = sorted(worth, key=worth.__getitem__, reverse=True)[:count]  # equal ones stay in the order of the text
    return tuple(_plain(first[term]) for term in best)


@lru_cache(maxsize=1 << 16)
def term_and_worth(word: str) -> tuple[str, float]:
    """The term of a word and what it is worth by itself; "" when it stands in texts about anything."""
    lowered = _plain(word)
    if not _WORD_CHARS_MIN <= len(lowered) <= _WORD_CHARS_MAX or not _is_telling(lowered):
        return "", 0.0
    identifier = any(sign in lowered for sign in "_.+#") or any(letter.isupper() for letter in word[1:])
    return terms_of(lowered)[0], min(len(lowered), _LONG_WORD_CHARS) / _LONG_WORD_CHARS + _NAME_BONUS * identifier


def _plain(word: str) -> str:
    return word.lower().replace("’", "'").removesuffix("'s")


def _is_telling(lowered: str) -> bool:
    return lowered not in _COMMON and lowered not in STOP_WORDS and lowered not in FILLERS
