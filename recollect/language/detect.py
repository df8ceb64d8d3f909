"""Which language a text is written in: by its script, and where several languages share one, by its smallest words.

A few tables and no model: telling apart the languages people write in needs neither the 4.5 MB nor the seconds of
loading that a trained classifier does. The small words of each language are in `language/small_words/`. What cannot be
told is `und`, as in ISO 639.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, lru_cache
from typing import NamedTuple

from recollect.language import lists
from recollect.language.words import LETTERS

UNDETERMINED = "und"
SMALL_WORDS = "small_words"  # the folder of the lists
_CHARS_LOOKED_AT = 400
_EVIDENCE_MIN = 0.9  # a word that only one language has, or two that two share
_BY_SCRIPT = 10.0  # words that a script of its own is worth
_LEAD_MIN = 1.2  # how clearly the best must be ahead of the next

# The letters of a script → the language that alone uses it, or the one it is taken for.
_SCRIPTS = (
    ("ja", "\u3040-\u30ff"),
    ("ko", "\uac00-\ud7af\u1100-\u11ff"),
    ("zh", "\u3400-\u4dbf\u4e00-\u9fff"),
    ("he", "\u0590-\u05ff"),
    ("ar", "\u0600-\u06ff"),
    ("el", "\u0370-\u03ff"),
    ("ru", "\u0400-\u04ff"),
    ("hi", "\u0900-\u097f"),
    ("bn", "\u0980-\u09ff"),
    ("pa", "\u0a00-\u0a7f"),
    ("gu", "\u0a80-\u0aff"),
    ("ta", "\u0b80-\u0bff"),
    ("te", "\u0c00-\u0c7f"),
    ("kn", "\u0c80-\u0cff"),
    ("ml", "\u0d00-\u0d7f"),
    ("si", "\u0d80-\u0dff"),
    ("th", "\u0e00-\u0e7f"),
    ("lo", "\u0e80-\u0eff"),
    ("my", "\u1000-\u109f"),
    ("ka", "\u10a0-\u10ff"),
    ("am", "\u1200-\u137f"),
    ("km", "\u1780-\u17ff"),
    ("hy", "\u0530-\u058f"),
)
_OTHER_SCRIPTS = re.compile("[" + "".join(letters for _, letters in _SCRIPTS) + "]")
# Letters that only some languages of a script have.
_LETTERS = {
    "ru": (("uk", "іїєґ"), ("be", "ў"), ("sr", "ђћљњџ"), ("mk", "ѓќѕ"), ("ru", "ыэё"), ("bg", "ъ")),
    "ar": (("ur", "ٹڈڑںے"), ("fa", "پچژگ")),
}
_LATIN_LETTERS = (
    ("de", "ß"),
    ("es", "ñ¿¡"),
    ("es", "áíóú"),
    ("pt", "áíóú"),
    ("hu", "áíóú"),
    ("cs", "áíóú"),
    ("sk", "áíóú"),
    ("pt", "ãõ"),
    ("pl", "łąęśźż"),
    ("cs", "řůě"),
    ("sk", "ľĺŕ"),
    ("hu", "őű"),
    ("ro", "șțăţ"),
    ("tr", "ğış"),
    ("vi", "đơưạảấầẩậắằặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỷỹ"),
    ("fr", "œ"),
    ("da", "æ"),
    ("nb", "æ"),
    ("da", "ø"),
    ("nb", "ø"),
    ("sv", "ä"),
    ("fi", "ä"),
    ("de", "ä"),
    ("de", "ü"),
    ("tr", "ü"),
)
_LATIN_SPECIALS = frozenset("".join(letters for _, letters in _LATIN_LETTERS))
_OWN_LETTERS = tuple((code, frozenset(letters)) for code, letters in _LATIN_LETTERS)
_LETTER_WEIGHT = 0.6
_SHARED_WEIGHT = 0.3  # of a word that other languages have too, where nothing speaks for those


class Detected(NamedTuple):
    """The two-letter code of a language, `und` when it cannot be told, and how many words speak for it."""

    code: str
    evidence: float


def language_of(text: str) -> str:
    """The two-letter code of the language most of a text is in; `und` when that cannot be told."""
    return detected(text).code


@lru_cache(maxsize=16)  # one text is asked about several times while it is perceived
def detected(text: str) -> Detected:
    """The language most of a text is in, and how sure that is. A script of its own is as sure as many words."""
    text = text[:_CHARS_LOOKED_AT].lower()
    if not text.isascii():
        script = _script_of(text)
        if script:
            letters = _LETTERS.get(script, ())
            return Detected(next((code for code, own in letters if not set(own).isdisjoint(text)), script), _BY_SCRIPT)
    return _latin(text)


def _script_of(text: str) -> str | None:
    """The script of most letters, None for Latin; one kana among ideographs already makes it Japanese."""
    if _OTHER_SCRIPTS.search(text) is None:
        return None
    sizes = {script: count for script, letters in _scripts() if (count := len(letters.findall(text)))}
    if "ja" in sizes and "zh" in sizes:
        sizes["ja"] += sizes.pop("zh")
    best = max(sizes, key=lambda script: sizes[script])
    latin = sum(character.isascii() and character.isalpha() for character in text)
    dense = 3 if best in ("ja", "zh", "ko") else 1  # one of their signs says as much as a few letters
    return best if sizes[best] * dense >= latin else None


@cache
def _scripts() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((code, re.compile(f"[{letters}]")) for code, letters in _SCRIPTS)


def _latin(text: str) -> Detected:
    words = LETTERS.findall(text)
    known = _small_words()
    told = [known.only[word] for word in words if word in known.only]
    if told and told.count(told[0]) == len(told) and known.foreign_to[told[0]].isdisjoint(words):
        shared = sum(word in known.weights for word in words) - len(told)
        own_letters = any(code == told[0] and not own.isdisjoint(text) for code, own in _OWN_LETTERS)
        return Detected(told[0], len(told) + _SHARED_WEIGHT * shared + _LETTER_WEIGHT * own_letters)
    score: defaultdict[str, float] = defaultdict(float)
    for word in words:
        for code, weight in known.weights.get(word, ()):
            score[code] += weight
    if not text.isascii():
        special = _LATIN_SPECIALS.intersection(text)
        for code, letters in _LATIN_LETTERS if special else ():
            if not special.isdisjoint(letters):
                score[code] += _LETTER_WEIGHT
    ranked = sorted(score.items(), key=lambda each: -each[1])[:2]
    if not ranked or ranked[0][1] < _EVIDENCE_MIN:
        return Detected(UNDETERMINED, 0.0)
    clear = len(ranked) == 1 or ranked[0][1] >= _LEAD_MIN * ranked[1][1]
    return Detected(*ranked[0]) if clear else Detected(UNDETERMINED, 0.0)


class _SmallWords(NamedTuple):
    """What each small word says for each of the languages that have it: less where they are several.

    A text with a word that one language alone has, and none that this language has not, is in it: most texts are
    settled so. `only` names the language of such a word, `foreign_to` the words that a language has not.
    """

    weights: dict[str, tuple[tuple[str, float], ...]]
    only: dict[str, str]
    foreign_to: dict[str, frozenset[str]]


@cache
def _small_words() -> _SmallWords:
    languages: dict[str, tuple[str, ...]] = {}
    for path in sorted((lists.FOLDER / SMALL_WORDS).glob("*.txt")):
        for word in lists.entries(SMALL_WORDS, path.stem):
            languages[word] = (*languages.get(word, ()), path.stem)
    weights = {word: (_LETTER_WEIGHT if len(word) == 1 else 1.0) / len(codes) for word, codes in languages.items()}
    every = frozenset(code for codes in languages.values() for code in codes)
    return _SmallWords(
        {word: tuple((code, weights[word]) for code in codes) for word, codes in languages.items()},
        {word: codes[0] for word, codes in languages.items() if len(codes) == 1 and len(word) > 1},
        {code: frozenset(word for word, codes in languages.items() if code not in codes) for code in every},
    )
