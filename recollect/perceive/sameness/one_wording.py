"""One wording for what can be said in several: the steps by which a sentence is brought to it.

Each step takes the words of a sentence and gives them back in the wording that was chosen, or as they were. None of
them looks at meaning, and each is careful: where the same words could mean something else, they stay. The first step
splits the sentence into words in small letters, without marks, contractions and numbers written out; what looks like an
identifier, a path, a version or an amount stays one word with all its signs: "C++" is not "C".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from recollect.language.en.verbs import forms, is_finite, third_person
from recollect.perceive.grammar.clause_words import PREPOSITIONS
from recollect.perceive.sameness import wording

Words = list[str]

PAUSE = ","  # among the words, where a comma or a colon stood
_DAY = re.compile(r"([1-9]|[12]\d|3[01])(?:st|nd|rd|th)?")
_FULL_HOUR = re.compile(r"(\d{1,2}):00")

_EDGES_LEFT = "\"'“”([{`«¿¡"
_EDGES_RIGHT = "\"'“”)]}`».,;:!?…。！？、，；"
_MARKS = frozenset(_EDGES_LEFT + _EDGES_RIGHT + "-–—")
_GROUPED = re.compile(r"[$€£]?\d{1,3}(?:,\d{3})+(?:\.\d+)?%?")
_MONEY = re.compile(r"([$€£])(\d[\d.]*)([km]?)")
_GLUED = re.compile(r"(\d+(?:\.\d+)?)([a-z]+)")
_CLITIC = re.compile(r"(.+?)(n't|'(?:re|ve|ll|m))")
_YEAR = re.compile(r"(?:19|20)\d\d")
_HALVES_OF_THE_DAY = frozenset(("am", "pm", "a.m", "p.m"))
_LASTING_SIGNS = frozenset(("is", "am", "are", "has", "have")) | wording.TO_OR_ING | wording.SAYING
_FRONTED_WORDS_MAX = 8
_FOLLOWED_WORDS_MIN = 2


def compared_words(sentence: str) -> Words:
    """The words of a sentence as they are compared, with its pauses."""
    words: Words = []
    shouted = sentence.isupper()
    for piece in sentence.split():
        bare = piece.lstrip(_EDGES_LEFT)
        core = bare.rstrip(_EDGES_RIGHT)
        if core[:1] == "*" == core[-1:]:  # emphasis; a single one would be code
            core = core.strip("*")
        if core:
            words.extend(_words_of(core, article=shouted or not words))
        elif not _MARKS.issuperset(piece):
            words.append(piece)
        if piece.rstrip("\"'”)").endswith((",", ":")):
            words.append(PAUSE)
    while words and words[-1] == PAUSE:
        words.pop()
    return words


def _words_of(core: str, *, article: bool) -> Sequence[str]:
    """One written word as it is compared. What looks like an identifier keeps its capitals: they tell keys apart."""
    if core == "A" and not article:
        return ("A",)  # a grade, a plan, a vitamin
    low = core.casefold()
    if low.isalpha():
        return _plain_word(low)
    if "'" in low:
        return _contracted(low)
    if low[0].isdigit() or low[0] in "$€£":
        return _number(core, low)
    if any(mark.isdigit() for mark in core) or "/" in core or "_" in core:
        return (core,)
    return _plain_word(low)


@lru_cache(maxsize=1 << 14)
def _plain_word(low: str) -> tuple[str, ...]:
    typed = wording.TYPED.get(low)
    if typed is not None:
        return tuple(typed.split())
    if low in wording.NOW:
        return ("now",)
    return (wording.NUMBERS.get(low) or wording.SPELLINGS.get(low, low),)


def _contracted(low: str) -> Sequence[str]:
    if match := _CLITIC.fullmatch(low):
        stem = wording.CONTRACTED_STEMS.get(match[1], match[1])
        return (stem, wording.CONTRACTED[match[2]])
    if low.endswith("'s"):
        return (low[:-2], "'s")
    return (low[:-1], "'s") if low.endswith("s'") else (low,)


def _number(core: str, low: str) -> Sequence[str]:
    if _GROUPED.fullmatch(low):
        low = low.replace(",", "")
    if match := _MONEY.fullmatch(low):
        return (match[2] + match[3], match[1])
    if low.endswith("%"):
        return (low[:-1], "%")
    hour = _FULL_HOUR.fullmatch(low.removesuffix("am").removesuffix("pm"))
    if hour and low[-1] == "m":
        return (hour[1], low[-2:])
    if (match := _GLUED.fullmatch(low)) and match[2] in wording.GLUED_UNITS and core[-1].islower():
        return (match[1], wording.UNITS.get(match[2], match[2]))
    return (low if low.replace(",", "").isdigit() or _DAY.fullmatch(low) else core,)


def to_one_wording(words: Words) -> Words:
    """The one wording of a sentence, still with its articles and fillers. Each step sees what the one before left."""
    present = set(words)
    if "'s" in present:
        words = list(_written_out(words))
    if not _PHRASES.keys().isdisjoint(present):
        words = _without_phrases(words)
    words = _without_opening(words)
    if any(word[0].isdigit() for word in present):
        words = list(_dated(list(_measured(words))))
    if not _LASTING_SIGNS.isdisjoint(present):
        words = list(_lasting(words))
    words = _fronted_last(_no_longer(words))
    return [word for word in words if word != PAUSE]


def _written_out(words: Words) -> Iterator[str]:
    """ "it's" is "it is", "Ana's a doctor" is "Ana is a doctor"; whose it is stays whose it is."""
    for at, word in enumerate(words):
        if word != "'s":
            yield word
            continue
        before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
        if before in wording.PRONOUNS_WITH_IS:
            yield "has" if after in wording.HAS_BEFORE else "is"
        else:
            yield "is" if after in wording.IS_BEFORE else word


def _without_phrases(words: Words) -> Words:
    """Without the phrases that only fill, where they stand apart; those for "now" become it."""
    out: Words = []
    at = 0
    while at < len(words):
        apart = not at or words[at - 1] == PAUSE
        length, means = next(_phrases_at(words, at), (1, words[at]))
        if means or not apart:
            out.extend([means] if means else words[at : at + length])
        at += length
    return out


def _phrases_at(words: Words, at: int) -> Iterator[tuple[int, str]]:
    """(words it has, what it means) of the phrase that stands here."""
    for phrase, means, paused in _PHRASES.get(words[at], ()):
        end = at + len(phrase)
        if tuple(words[at:end]) == phrase and (not paused or words[end : end + 1] in ([], [PAUSE])):
            yield len(phrase), means


def _phrase_table() -> dict[str, list[tuple[tuple[str, ...], str, bool]]]:
    found: dict[str, list[tuple[tuple[str, ...], str, bool]]] = {}
    for phrases, means, paused in (
        (wording.NOW_PHRASES, "now", False),
        (wording.OPENING_PHRASES, "", False),
        (wording.PHRASES_BEFORE_A_PAUSE, "", True),
    ):
        for phrase in (tuple(written.split()) for written in phrases):
            found.setdefault(phrase[0], []).append((phrase, means, paused))
    return found


_PHRASES = _phrase_table()


def _without_opening(words: Words) -> Words:
    """Without "oh", "and" and "well," in front; a sentence that is nothing else stays."""
    at = 0
    while at < len(words) and (
        words[at] == PAUSE
        or words[at] in wording.OPENINGS
        or (words[at] in wording.OPENINGS_BEFORE_A_PAUSE and words[at + 1 : at + 2] == [PAUSE])
    ):
        at += 1
    return words[at:] if len(words) - at >= _FOLLOWED_WORDS_MIN else words


def _measured(words: Words) -> Iterator[str]:
    """Units by their signs, where a number stands before them; a full hour without its minutes."""
    before = ""
    for at, word in enumerate(words):
        unit = wording.UNITS.get(word) if before[:1].isdigit() else None
        hour = _FULL_HOUR.fullmatch(word) if at + 1 < len(words) and words[at + 1] in _HALVES_OF_THE_DAY else None
        yield hour[1] if hour else unit or word
        before = word


def _dated(words: Words) -> Iterator[str]:
    """ "5th of Dec" and "5 December" are "december 5"."""
    at = 0
    while at < len(words):
        of = 1 if words[at + 1 : at + 2] == ["of"] else 0
        month = wording.MONTH_OF.get(words[at + 1 + of], "") if at + 1 + of < len(words) else ""
        if month and (day := _DAY.fullmatch(words[at])):
            yield from (month, day[1])
            at += 2 + of
            continue
        month = wording.MONTH_OF.get(words[at], "")
        day = _DAY.fullmatch(words[at + 1]) if month and at + 1 < len(words) else None
        if day:
            yield from (month, day[1])
            at += 2
            continue
        followed = at + 1 < len(words) and _YEAR.fullmatch(words[at + 1])
        yield month if month and followed else words[at]
        at += 1


def _lasting(words: Words) -> Iterator[str]:
    """ "is using" as "uses", "likes hiking" as "likes to hike", "said that" as "said"."""
    at = 0
    while at < len(words):
        word, after = words[at], words[at + 1] if at + 1 < len(words) else ""
        base = wording.LASTING.get(after)
        if after == "working" and at + 2 < len(words) and words[at + 2] in wording.WORKING_AT:
            base = "work"
        if word in ("is", "am", "are") and base:
            yield third_person(base) if word == "is" else base
            at += 2
        elif word in wording.TO_OR_ING and after in forms().ing:
            yield from (word, "to", forms().ing[after])
            at += 2
        elif (word in ("has", "have") and after == "got") or (
            word in wording.SAYING and after == "that" and at + 3 < len(words)
        ):
            yield word
            at += 2
        else:
            yield word
            at += 1


def _no_longer(words: Words) -> Words:
    """ "does not use vim any more" as "no longer uses vim"."""
    if len(words) < 4 or words[-2] != "any" or words[-1] not in ("more", "longer"):
        return words
    for at, word in enumerate(words[:-4]):
        if word in ("do", "does") and words[at + 1] == "not" and words[at + 2] in forms().base:
            verb = words[at + 2]
            return [*words[:at], "no", "longer", third_person(verb) if word == "does" else verb, *words[at + 3 : -2]]
    return words


def _fronted_last(words: Words) -> Words:
    """When or where, said first, comes last: "On Friday, Ana met Ben" is "Ana met Ben on Friday"."""
    if not words or (words[0] not in wording.WHEN_OR_WHERE and words[0] not in wording.TIMES):
        return words
    front = next((at for at, word in enumerate(words[: _FRONTED_WORDS_MAX + 1]) if word == PAUSE), 0)
    front = front or _times_until(words)
    rest = words[front:]
    if not front or len(rest) <= _FOLLOWED_WORDS_MIN or is_finite(rest[0]):
        return words
    return [*rest, *words[:front]]


def _times_until(words: Words) -> int:
    """How many words at the beginning name a time and nothing else."""
    at = 0
    while at < len(words) and (words[at] in wording.TIMES or (at and _is_of_a_date(words[at]))):
        at += 1
    if at:
        return at
    at = 1 if words[0] in wording.TIME_OPENERS else len(words)
    while at < len(words) and (words[at] in wording.TIMES or _is_of_a_date(words[at])):
        at += 1
    return at if 1 < at < len(words) else 0


def _is_of_a_date(word: str) -> bool:
    return bool(_DAY.fullmatch(word) or _YEAR.fullmatch(word))


def without_fillers(words: Words) -> Iterator[str]:
    last = len(words) - 1
    for at, word in enumerate(words):
        before, after = words[at - 1] if at else "", words[at + 1] if at < last else ""
        if word in wording.FILLERS and before not in wording.NEGATIONS and len(words) > 1:
            continue
        if word in wording.ARTICLES and after and after not in wording.COUNTED_BY_ARTICLE:
            continue
        if at > _FOLLOWED_WORDS_MIN and words[at:] in (["too"], ["as", "well"]):
            break
        yield word


def in_order(words: Words) -> Words:
    """Single words joined by "and" or "or" in the order of the alphabet, where nothing else hangs on their order.

    "Red wine and beer" stays, since "red" belongs to one of them, and so does "Ana met Ben and Carla left".
    """
    if "respectively" in words or ("and" not in words and "or" not in words):
        return words
    for at in range(1, len(words) - 1):
        if words[at] not in ("and", "or"):
            continue
        before, after = words[at - 2] if at > 1 else "", words[at + 2] if at + 2 < len(words) else ""
        opens = at == 1 and bool(after) and is_finite(after)
        closes = at > 1 and (is_finite(before) or before in PREPOSITIONS) and (not after or after in PREPOSITIONS)
        if opens or closes:
            words[at - 1], words[at + 1] = sorted((words[at - 1], words[at + 1]))
    return words
