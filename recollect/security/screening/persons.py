"""Names of people in a text, of any country: a linear model over each word, its ending, its shape and its neighbours.

Lists of names end where the next country begins. The model was fitted to names of a hundred countries in sentences
written for it (`training/persons`), and judges a name that it never saw by its letters and by what stands around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from recollect.language import lists
from recollect.security.screening.spans import PrivateSpan, SpanType

TEXT_CHARS_MAX = 20_000  # of a longer text the beginning is looked at
BITS = 18  # of the table of weights
WEIGHTS = Path(__file__).with_name("persons.npz")

TOKEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+|['’](?!s\b)[^\W\d_]+)*|\d+|\n|[^\s\w]|['’]s\b|_")
_PARTICLES = frozenset("de da di du del della la le van von der den bin al el ter ten af av zu y dos das st".split())
_ENDS = frozenset(".!?:;\n")
_BETWEEN_ITEMS = frozenset({",", "and", "or", "&"})
_LIST_MIN = 3  # items
_OPENS = frozenset("\"'“‘(*>#-•")


class NameToken(NamedTuple):
    text: str
    start: int
    end: int


def tokens_of(text: str) -> list[NameToken]:
    return [NameToken(match[0], *match.span()) for match in TOKEN.finditer(text)]


def persons_in(text: str) -> Iterator[PrivateSpan]:
    """The people a text names, each name in one span: "Ana", "J. R. Pinto", "maria de souza"."""
    text = text[:TEXT_CHARS_MAX]
    tokens = tokens_of(text)
    tagged = tags_of(tokens, _weights(), small=text.islower())
    tagged = _as_named_elsewhere(tokens, _as_in_lists(tokens, tagged))
    at = 0
    while at < len(tokens):
        if not tagged[at]:
            at += 1
            continue
        last = at
        while (next_ := _next_part(tokens, tagged, last)) is not None:
            last = next_
        yield PrivateSpan(tokens[at].start, tokens[last].end, SpanType.PERSON, sure=False)
        at = last + 1


def _as_in_lists(tokens: Sequence[NameToken], tagged: list[bool]) -> list[bool]:
    """In "Eklund, Doyle and Hodge" all three are people if one of them is, and none is known as something else."""
    out = list(tagged)
    at = 0
    while at < len(tokens):
        items = [at]
        while items[-1] + 2 < len(tokens) and tokens[items[-1] + 1].text in _BETWEEN_ITEMS:
            items.append(items[-1] + 2)
        if len(items) >= _LIST_MIN and _is_list_of_people(tokens, tagged, items):
            for item in items:
                out[item] = True
        at = items[-1] + 1
    return out


def _is_list_of_people(tokens: Sequence[NameToken], tagged: Sequence[bool], items: Sequence[int]) -> bool:
    words = [tokens[item].text for item in items]
    return (
        any(tagged[item] for item in items)
        and all(word[0].isupper() and len(word) > 1 for word in words)
        and all(_listed(word.lower()) in ("", "given") and word.lower() not in _stop_words() for word in words)
    )


def _as_named_elsewhere(tokens: Sequence[NameToken], tagged: list[bool]) -> list[bool]:
    """A word that is part of a whole name in one place is that person in every other place."""
    whole = {
        tokens[at].text
        for at in range(len(tokens))
        if tagged[at] and len(tokens[at].text) > 2 and any(tagged[max(0, at - 1) : at] + tagged[at + 1 : at + 2])
    }
    return [tag or token.text in whole for token, tag in zip(tokens, tagged, strict=True)] if whole else tagged


def _next_part(tokens: Sequence[NameToken], tagged: Sequence[bool], at: int) -> int | None:
    """The next part of the same name: the word after it, or the one after an initial's point or a small word."""
    if at + 1 < len(tokens) and tagged[at + 1]:
        return at + 1
    between = at + 1 < len(tokens) and (
        (tokens[at + 1].text == "." and len(tokens[at].text) == 1) or tokens[at + 1].text.lower() in _PARTICLES
    )
    return at + 2 if between and at + 2 < len(tokens) and tagged[at + 2] else None


def tags_of(tokens: Sequence[NameToken], weights: NDArray[np.float32], *, small: bool) -> list[bool]:
    """Of each token whether it is part of a name, from left to right: the word before counts for the next one."""
    out: list[bool] = []
    for at, token in enumerate(tokens):
        if not may_be_name(token.text, small=small):
            out.append(False)
            continue
        found = [*features_of(tokens, at, small=small), feature("before", str(bool(out and out[-1])))]
        out.append(float(weights[found].sum()) > 0)
    return out


def may_be_name(word: str, *, small: bool) -> bool:
    """Whether a word can be part of a name by how it is written; where all is small, any word can."""
    return word[0].isalpha() and (word[0].isupper() or (small and len(word) > 1 and word not in _stop_words()))


def feature(name: str, value: str) -> int:
    return crc32(f"{name}={value}".encode()) & ((1 << BITS) - 1)


def features_of(tokens: Sequence[NameToken], at: int, *, small: bool) -> list[int]:
    """What is looked at in a word and around it, as places in the table of weights."""
    word = tokens[at].text
    low = word.lower()
    one, two = _word(tokens, at - 1), _word(tokens, at - 2)
    after, then = _word(tokens, at + 1), _word(tokens, at + 2)
    begins = one == "^" or one in _ENDS or (one in _OPENS and two in _ENDS | {"^"})
    told = _listed(low)
    shape = "small" if small else "initial" if len(word) == 1 else "all" if word.isupper() else "capital"
    named = [
        ("word", low),
        ("first", low[:3]),
        *((f"last{count}", low[-count:]) for count in (1, 2, 3, 4, 5)),
        ("shape", shape),
        ("begins", f"{begins} {shape}"),
        ("listed", told),
        ("listed begins", f"{told} {begins}"),
        ("one", one),
        ("two", f"{two} {one}"),
        ("three", f"{_word(tokens, at - 3)} {two} {one}"),
        ("after", after),
        ("then", f"{after} {then}"),
        ("around", f"{one} {after}"),
        ("one shape", _shape(tokens, at - 1)),
        ("after shape", _shape(tokens, at + 1)),
        ("shapes", f"{_shape(tokens, at - 1)} {_shape(tokens, at + 1)} {begins}"),
        ("one listed", f"{_listed(one)} {told}"),
        ("after listed", f"{_listed(after)} {told}"),
        ("plain", str(low in _stop_words())),
        ("bias", ""),
    ]
    return [feature(name, value) for name, value in named]


def _word(tokens: Sequence[NameToken], at: int) -> str:
    return tokens[at].text.lower() if 0 <= at < len(tokens) else "^" if at < 0 else "$"


def _shape(tokens: Sequence[NameToken], at: int) -> str:
    if not 0 <= at < len(tokens):
        return "none"
    word = tokens[at].text
    if not word[0].isalpha():
        return "digit" if word[0].isdigit() else word[:1]
    return "initial" if len(word) == 1 and word.isupper() else "capital" if word[0].isupper() else "small"


@cache
def _stop_words() -> frozenset[str]:
    return lists.words("en", "stop_words")


@cache
def _tables() -> tuple[tuple[str, frozenset[str]], ...]:
    places, given = lists.sets("en", "names/places"), lists.sets("en", "names/given")
    organisations, others = lists.sets("en", "names/organisations"), lists.sets("en", "names/no_names")
    tables = (
        ("place", places["countries"] | places["states"] | places["cities"]),
        ("organisation", organisations["companies"]),
        ("organisation end", organisations["endings"]),
        ("place end", places["endings"]),
        ("other", others["of anything"]),
        ("given", given["common"] | given["further"]),
    )
    return tuple((name, frozenset(word.casefold() for word in words)) for name, words in tables)


def _listed(word: str) -> str:
    return next((name for name, words in _tables() if word in words), "")


@cache
def _weights() -> NDArray[np.float32]:
    with np.load(WEIGHTS) as kept:
        weights: NDArray[np.float32] = kept["weights"].astype(np.float32)
    return weights
