"""What of a question records speak of: by rules, from the words they hold."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.language.terms import telling, terms_of
from recollect.language.words import JOINED
from recollect.model.reasoning import Judgement
from recollect.model.result import Hit, Recollection
from recollect.perceive.names.mentions import mentions_in
from recollect.reason.parts import QuestionPart

ANSWERED_BY = 3  # hits that may answer a question together
_SURE = 0.5  # a search that is less sure of having an answer leaves a gap
_ASKING = frozenset(
    "name kind type sort many often times happen happened mention mentioned call called tell day date time year".split()
)
GAPS_SHOWN = 8


def said_by(hit: Hit) -> frozenset[str]:
    """The terms of a record: its text and who says it."""
    return frozenset(terms_of(f"{hit.speaker or ''} {hit.content}"))


def open_words(question: str, held: frozenset[str]) -> list[str]:
    """The telling words of a question that are not held, as it writes them, each once."""
    found: dict[tuple[str, ...], str] = {}
    for word in JOINED.findall(question):
        terms = tuple(telling(terms_of(word)))
        if terms and not held.issuperset(terms):
            found.setdefault(terms, word)
    return list(found.values())


def judged(
    question: str,
    found: Recollection | Sequence[Hit],
    parts: Sequence[QuestionPart] = (),
    *,
    meant: frozenset[str] = frozenset(),
) -> Judgement:
    """Whether the hits answer: no name or word of the question is missing in all of them, and it has no parts.

    Words that are `meant` stand for a name: "the city that …". Nothing has to speak of a city.
    """
    held: frozenset[str] = frozenset().union(*(said_by(hit) for hit in found))
    gaps = _names_first(question, [word for word in open_words(question, held) if word.lower() not in _ASKING | meant])
    reasons = [f"nothing found speaks of {', '.join(gaps[:GAPS_SHOWN])}"] if gaps else []
    if isinstance(found, Recollection) and found.abstained and found.reason:
        reasons.append(found.reason)
    unsure = isinstance(found, Recollection) and (found.abstained or found.quality.answerable < _SURE)
    if unsure and not reasons:
        reasons.append("what was found is hardly near")
    if parts:
        reasons.append(f"{len(parts)} questions in one" if len(parts) > 1 else "a question within the question")
        return Judgement(state="complex", reasons=tuple(reasons), gaps=tuple(gaps))
    if gaps or unsure or not len(found):
        return Judgement(state="gaps", reasons=tuple(reasons), gaps=tuple(gaps))
    best = frozenset().union(*(said_by(hit) for hit in found[:ANSWERED_BY]))
    left = open_words(question, best)
    if left:
        reasons.append(f"the best records leave open: {', '.join(left[:GAPS_SHOWN])}")
    return Judgement(state="sufficient", reasons=tuple(reasons))


def _names_first(question: str, words: Sequence[str]) -> list[str]:
    """Names are whole, and before words: without them there is nobody to speak of."""
    names = [mention.surface for mention in mentions_in(question)]
    missing = [name for name in dict.fromkeys(names) if any(part in words for part in JOINED.findall(name))]
    inside = {part for name in missing for part in JOINED.findall(name)}
    return [*missing, *(word for word in words if word not in inside)][:GAPS_SHOWN]
