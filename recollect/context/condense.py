"""What a text tells, in few words: its sentences freed of filler, each with what would be lost without it.

Nothing is written anew: a point is a sentence, or a clause of a long one, without the words that lead up to it and
those that only colour it. Names, numbers, dates, files, errors and negations stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from recollect.context.exchanges import errors_in
from recollect.language.en.calendar_words import MONTHS, WEEKDAYS
from recollect.language.expression import expression
from recollect.language.spoken import each_sentence
from recollect.language.terms import terms_of
from recollect.language.words import WRITTEN
from recollect.perceive.traits.code_language import code_language_of
from recollect.perceive.traits.topics import term_and_worth

CODE_CHARS_MAX = 60_000  # of a longer text the beginning and the end are looked at
TEXT_CHARS_MAX = 6_000  # … and without its code, read
POINTS_MAX = 24  # of one text
POINT_WORDS_MAX = 32  # a longer sentence is taken apart
POINT_TOKENS = 4  # what it takes to tell anything at all: a very short point is seldom understood by itself
CHARS_PER_TOKEN = 4.0

_FENCE = expression(
    r"^[ \t]*+(```|~~~)[ \t]*+(?P<language>[\w+#.-]*+)[^\n]*+\n(?P<code>.*?)(?:^[ \t]*+\1[`~]*+[ \t]*+$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_OPENING = expression(
    r"(?:(?:well|so|yeah|yes|yep|yup|oh|ok|okay|hey|hi|hello|thanks|thank you|thanks so much|wow|and|but|also|actually|"
    r"basically|anyway|honestly|right|sure|great|awesome|cool|nice|haha\w*|lol|hmm+|btw|by the way|in fact|of course|"
    r"absolutely|certainly|definitely|perfect|got it|sounds good|no problem|good question|great question|"
    r"i (?:think|guess|believe|mean|feel like|just wanted to (?:say|ask|let you know))(?: that)?|you know|"
    r"(?:can|could|would) you (?:please )?(?:help me (?:to )?)?|please|let's|let us|let me know if|just so you know|"
    r"i(?:'m| am) (?:trying|looking) to|i(?:'d| would) like to|i want to|i need to|"
    r"how (?:can|do|should) i)\b[,.!:—–\s]*+)++",
    re.IGNORECASE,
)
_COLOUR = frozenset(  # words that only colour what is said
    "the a an really very just actually basically definitely totally quite pretty literally honestly super simply "
    "truly also then please some such".split()
)
_CLAUSE_END = expression(
    r"(?:(?<!\s)\s+)?[;—–]\s*|:\s+|(?<!\s)\s+-\s+|,\s+(?=(?:and|but|so|because|which|who|while|although|though|since|if|when|then|or)\b)"
    r"|(?<=\w)\.\s+|,\s+",
    re.IGNORECASE,
)
_MARKUP = expression(r"\*\*|__|`(?=\S)|(?<=\S)`|!\[[^\[\]]*\]\([^()]*\)|(?<=\])\([^()\s]*\)")
_UNSPACED = expression(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")  # scripts that put no space between words
_MARKS = frozenset("*_`[")
_FILE = expression(r"(?:[\w.-]+/)+[\w.-]+|\w[\w-]*\.(?:[a-z]{1,4}|toml|yaml|json|lock)\b")
# Words of a sentence that settles something, and of one that tells what was done.
_SETTLES = frozenset(
    "decide decided deciding decision chose chosen choose agreed settled instead prefer prefers preferred must never "
    "always important deadline budget approved rejected confirmed requirement required favorite favourite "
    "allergic".split()
)
_DOES = frozenset(
    "fixed added removed created implemented updated changed renamed moved installed deployed merged wrote refactored "
    "configured bought started finished joined signed visited met won lost passed failed caused solved resolved "
    "adopted switched migrated completed launched planned scheduled booked learned born married".split()
)
_CALENDAR = frozenset(
    [*MONTHS, *WEEKDAYS, "yesterday", "tomorrow", "today", "tonight", "weekend"],
)
_NAME_WEIGHT, _NUMBER_WEIGHT, _FILE_WEIGHT, _TIME_WEIGHT = 1.3, 1.1, 2.0, 0.8
_PIECE_WEIGHT = 0.25  # of two letters of a script without spaces
_SETTLES_FACTOR, _DOES_FACTOR, _ERROR_FACTOR, _QUESTION_FACTOR = 1.6, 1.2, 1.6, 0.45


class Point(NamedTuple):
    """One thing that was said: its words, what it tells by weight, how much that counts, about how many tokens.

    `whole` is the sentence as it was said.
    """

    text: str
    tells: tuple[tuple[str, float], ...]
    factor: float
    tokens: float
    is_question: bool = False
    whole: str = ""
    weight: float = 1.0  # of all that it tells


def points_of(text: str, *, code_lines_max: int) -> list[Point]:
    """What a text tells, in its order. Longer code than that only says that it was there, and what went wrong in it."""
    out: list[Point] = []
    text = _ends(text, CODE_CHARS_MAX)
    if "```" in text or "~~~" in text:
        text = _FENCE.sub(lambda found: _code_told(found, code_lines_max), text)
    for sentence in each_sentence(_ends(text, TEXT_CHARS_MAX)):
        if len(out) >= POINTS_MAX:
            break
        for clause in _clauses(sentence.text):
            point = _point(clause, is_question=sentence.is_question)
            if point is not None:
                out.append(point)
    return out[:POINTS_MAX]


def without_code(text: str, code_lines_max: int) -> str:
    """The text with a word in the place of each longer piece of code: `[python code, 34 lines]`."""
    if "```" not in text and "~~~" not in text:
        return text
    return _FENCE.sub(lambda found: found[0] if _lines(found["code"]) <= code_lines_max else _code_word(found), text)


def chosen(points: Iterable[Point], tokens: float) -> list[Point]:
    """Those that tell most within so many tokens, in their order; if not one fits, the best is cut short."""
    left = list(enumerate(points))
    told: set[str] = set()
    taken: dict[int, Point] = {}
    best: Point | None = None
    while left:
        worth, at = max((_gain(point, told) / (point.tokens + POINT_TOKENS), -at) for at, (_, point) in enumerate(left))
        order, point = left.pop(-at)
        if worth <= 0:
            break
        best = best or point
        if point.tokens <= tokens:
            taken[order] = point
            tokens -= point.tokens
            told.update(key for key, _ in point.tells)
    if best and not taken and tokens >= POINT_TOKENS:
        return [_shortened(best, tokens)]
    return [taken[order] for order in sorted(taken)]


def _shortened(point: Point, tokens: float) -> Point:
    head = point.text[: int((tokens - 1) * CHARS_PER_TOKEN)]
    return point._replace(text=(head.rpartition(" ")[0] or head).rstrip(" ,;:") + "…", tokens=tokens)


def terse(sentence: str) -> str:
    """A sentence without what leads up to it and what only colours it."""
    said = " ".join(sentence.split())
    if not _MARKS.isdisjoint(said):
        said = _MARKUP.sub("", said)
    opening = _OPENING.match(said)
    if opening and opening.end() < len(said):
        said = said[opening.end() :]
    *words, last = said.split(" ")
    return " ".join([*[word for word in words if word.lower() not in _COLOUR], last]).rstrip(" .!…,;:")


def _gain(point: Point, told: set[str]) -> float:
    return point.factor * sum(weight for key, weight in point.tells if key not in told)


def _point(clause: str, *, is_question: bool = False) -> Point | None:
    said = terse(clause)
    tells, factor = _told(said)
    if not tells or (said.isascii() and " " not in said):
        return None
    factor = _QUESTION_FACTOR if is_question else _ERROR_FACTOR if errors_in(said) else factor
    weight = sum(weight for _, weight in tells)
    return Point(said, tells, factor, len(said) / CHARS_PER_TOKEN + 1, is_question, clause, weight)


def _told(said: str) -> tuple[tuple[tuple[str, float], ...], float]:
    """What a sentence tells, its names, numbers, files and telling words, each once with its weight; and its factor."""
    found: dict[str, float] = {}
    factor = 1.0
    for at, word in enumerate(WRITTEN.findall(said)):
        key, weight, is_name, own = _word(word)
        factor = max(factor, own)
        if key:
            found[key] = max(found.get(key, 0.0), weight + (_NAME_WEIGHT if is_name and at else 0.0))
    if not said.isascii() and _UNSPACED.search(said):
        found |= dict.fromkeys(terms_of(said), _PIECE_WEIGHT)
    return tuple(found.items()), factor


class _CondensedWord(NamedTuple):
    """What a word stands for and its weight, whether it is written like a name, and what it does to its sentence."""

    key: str
    weight: float = 0.0
    is_name: bool = False
    factor: float = 1.0


@lru_cache(maxsize=1 << 16)
def _word(word: str) -> _CondensedWord:
    lowered = word.lower()
    if any(letter.isdigit() for letter in word):
        return _CondensedWord(lowered, _NUMBER_WEIGHT)
    if _FILE.fullmatch(word):
        return _CondensedWord(lowered, _FILE_WEIGHT)
    if lowered in _CALENDAR:
        return _CondensedWord(lowered, _TIME_WEIGHT)
    factor = _SETTLES_FACTOR if lowered in _SETTLES else _DOES_FACTOR if lowered in _DOES else 1.0
    return _CondensedWord(*term_and_worth(word), word[0].isupper(), factor)


def _clauses(sentence: str) -> Iterator[str]:
    """A sentence, or the parts of a long one, each of a size that can be taken or left."""
    if sentence.count(" ") < POINT_WORDS_MAX:
        yield sentence
        return
    part: list[str] = []
    for clause in _CLAUSE_END.split(sentence):
        words = (clause or "").split()
        if part and len(part) + len(words) > POINT_WORDS_MAX * 2 // 3:
            yield " ".join(part)
            part = []
        part += words[: POINT_WORDS_MAX * 2]
    if part:
        yield " ".join(part)


def _code_told(fence: re.Match[str], code_lines_max: int) -> str:
    """What is left of a piece of code: all of it on a line if it is short, else what went wrong in it."""
    if _lines(fence["code"]) <= code_lines_max:
        return "; ".join(line.strip() for line in fence["code"].splitlines() if line.strip())
    return "\n".join(errors_in(fence["code"])[-2:])


def _code_word(fence: re.Match[str]) -> str:
    language = fence["language"].lower() or (code_language_of(fence["code"][:2_000]) or "")
    return f"[{language + ' ' if language else ''}code, {_lines(fence['code'])} lines]"


def _lines(code: str) -> int:
    return len(code.rstrip("\n").split("\n"))


def _ends(text: str, chars: int) -> str:
    """The beginning and the end of a text that is longer."""
    if len(text) <= chars:
        return text
    return f"{text[: chars * 2 // 3]}\n{text[-(chars // 3) :]}"
