"""What questions a question is made of, read from its wording: no model.

    several     "Where does Ana live and what does Ben drink?"        each by itself
    compared    "Did Ana or Ben move first?", "Are A and B both …?"   the question for each of them
    inner       "the city that Ana lives in", "Ana's employer"        whom or what the question is about, first
    event       "What changed after the launch of Atlas?"             when that was
    counted     "How many times did Ana go to the beach?"             each of the times

Careful rather than complete: a part that is none only costs a recall, and its records have to earn their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from recollect.language.spoken import sentences_of
from recollect.language.terms import query_terms, telling, terms_of
from recollect.limits import QUERY_CHARS_MAX
from recollect.model.reasoning import Why
from recollect.perceive.names.mentions import mentions_in

PARTS_MAX = 4
_READ_CHARS_MAX = 2_000  # of a question; what is longer is no question but a text
_ASKS = r"what|who|whom|whose|where|when|why|how|which|did|does|do|is|are|was|were|has|have|had|can|could|will|would"
_AND_ASKS = re.compile(
    rf"(?:,|(?<![\s,]))\s+(?:and|but|also|plus)(?:\s+(?:also|then))?\s+(?=(?:{_ASKS})\b)|;\s+", re.IGNORECASE
)
_COMPARES = re.compile(
    r"\b(?:both|either|neither|or|same|between|than|versus|vs|compared?|differen(?:t|ce)|more|less|first|earlier|later"
    r"|older|younger|longer|bigger|larger|taller|better|worse)\b",
    re.IGNORECASE,
)
_TWO = re.compile(r",?\s+(?:and|or|than|versus|vs\.?)\s+", re.IGNORECASE)
_BOTH = re.compile(r"\b(?:both|either|neither)\s+", re.IGNORECASE)
_RELATIVE = re.compile(
    r"(?:,|(?<![\s,]))\s+(?:(?:in|for|under|by|from|with|on|at|to|of|during|through)\s+(?:which|whom|whose)|which|who|whom|whose|where"
    r"|that|when)\s+",
    re.IGNORECASE,
)
_BEFORE_THE_HEAD = frozenset("the a an of in by with is was are were for to from at on".split())
_HEAD_WORDS_MAX = 4
_NAME = r"(?<![\w.\-])[A-ZÀ-ÖØ-Þ][\w.\-]*+"
_POSSESSIVE = re.compile(rf"((?:{_NAME}\s+){{0,4}}{_NAME})['’]s\s+((?:\w+\s?){{1,3}})")
_OF_NAME = re.compile(r"\b((?:\w+\s+){1,2})of\s+((?:the )?[\"“]?[A-ZÀ-ÖØ-Þ].*)$")
_EVENT = re.compile(
    r"\b(?:before|after|since|until|during)\s+((?:the|my|our|his|her|their)\s+[^,?]{3,120})", re.IGNORECASE
)
_COUNT = re.compile(
    r"^\s*how (?:many(?: times)?|often)\b\s*+(?:did|does|do|has|have|had|was|were|is|are)?\s*+", re.IGNORECASE
)
_END = " \t\n?.!,;"


class QuestionPart(NamedTuple):
    """A question within a question, and what made it one."""

    question: str
    why: Why


def parts_of(question: str) -> tuple[QuestionPart, ...]:
    """The questions within a question, those that stand by themselves before those that lead to it; none is usual."""
    if len(question) > min(_READ_CHARS_MAX, QUERY_CHARS_MAX):
        return ()
    alone = list(_several(question)) or list(_compared(question)) or list(_counted(question))
    found = {_folded(part.question): part for part in [*_inner(question), *_event(question), *alone]}
    whole = set(query_terms(question))
    parts = [part for part in found.values() if _is_less(part.question, whole)]
    return tuple(parts[:PARTS_MAX])


def meant_in(question: str) -> frozenset[str]:
    """Nouns that stand for a name which a clause tells: `city` in "the city that Ana lives in"."""
    before = (question[: match.start()].split() for match in _RELATIVE.finditer(question))
    return frozenset(words[-1].strip(_END).lower() for words in before if len(words) > 1)


def _several(question: str) -> Iterator[QuestionPart]:
    asked = [each.text for each in sentences_of(question) if each.is_question]
    pieces = [piece.strip(_END) for text in (asked or [question]) for piece in _AND_ASKS.split(text)]
    pieces = [piece for piece in pieces if telling(terms_of(piece))]
    if len(pieces) > 1:
        yield from (QuestionPart(f"{piece}?", "part") for piece in pieces)


def _compared(question: str) -> Iterator[QuestionPart]:
    """The same question about each of two names that stand beside each other."""
    if not _COMPARES.search(question):
        return
    spans = [mention.span for mention in mentions_in(question)]
    for (first, joint), (after, last) in pairwise(spans):
        if _TWO.fullmatch(question[joint:after]):
            for begin, end in ((first, joint), (after, last)):
                text = question[:first] + question[begin:end] + question[last:]
                yield QuestionPart(_BOTH.sub("", text).strip(), "compared")
            return


def _inner(question: str) -> Iterator[QuestionPart]:
    """Clauses and phrases that say whom or what is meant, as far as they name somebody or something."""
    text = question.strip(_END)
    found = [*_relative_clauses(text), *(match[0] for match in _POSSESSIVE.finditer(text))]
    found += [match[0] for match in _OF_NAME.finditer(text)]
    yield from (QuestionPart(each.strip(_END), "inner") for each in found if mentions_in(each))


def _relative_clauses(text: str) -> Iterator[str]:
    """`the association which published …`: each clause up to the next, with the noun it tells more about."""
    begins = [match for match in _RELATIVE.finditer(text) if match.start() > 0]
    ends = (*(match.start() for match in begins[1:]), len(text))
    for begin, end in zip(begins, ends, strict=False):
        before = text[: begin.start()].split()
        head = len(before) - 1
        while head > 0 and len(before) - head < _HEAD_WORDS_MAX and before[head - 1].lower() not in _BEFORE_THE_HEAD:
            head -= 1
        yield " ".join([*before[max(0, head) :], text[begin.start() : end].strip(_END)])


def _event(question: str) -> Iterator[QuestionPart]:
    match = _EVENT.search(question)
    if match:
        yield QuestionPart(match[1].strip(_END), "event")


def _counted(question: str) -> Iterator[QuestionPart]:
    if _COUNT.match(question):
        yield QuestionPart(_COUNT.sub("", question).strip(_END), "counted")


def _is_less(part: str, whole: set[str]) -> bool:
    """A part leaves something of the question open; a count is asked in other words."""
    terms = set(query_terms(part))
    return bool(terms) and terms < whole


def _folded(text: str) -> str:
    return " ".join(terms_of(text))
