"""How a text stands to others: what it refers to, depends on, illustrates, sums up or contradicts.

Signs rather than understanding, from sure to unsure:

    pattern      it names the other one, and the words beside the name say how; or its title or its first words say
                 what it is to the text before it or above it
    difference   two statements say nearly the same but for a "not", a number or an opposite
    topic        a sentence has the wording of a relation, and the two texts share words; or they only share words

All of it is a guess with its evidence, to be stored as `auto_extracted`, confirmed by people or models, and pruned
where it is not. Labels of the last sort are right about once in ten on documentation: `perceive.relation_min` leaves
them out unless asked otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from recollect.config.writing import PerceiveSettings
from recollect.perceive.relations import patterns as wording
from recollect.perceive.relations.compared import ComparedText
from recollect.perceive.relations.differences import difference_between

EVIDENCE_CHARS_MAX = 200
NAME_CHARS_MIN = 4  # shorter names stand in texts by chance
_SHARED_IN_SENTENCE = 2  # telling words a sentence shares with what it speaks of
_CLAUSE_ENDS = ".;:(—"
_LINK_TEXT = re.compile(r"\[[^\]\[]*\]\($")  # between a clause and the target of a link
_PATTERN, _DIFFERENCE, _TOPIC = "pattern", "difference", "topic"
RELATES_TO, CONTRADICTS, SUMMARIZES = "relates_to", "contradicts", "summarizes"

Standing = Literal["near", "before", "above"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationCandidate:
    """Another text, by a key of the caller's, with the names by which the text that is read may refer to it.

    `standing` says that it is the piece right before in the same document, or of the section above.
    """

    key: str
    text: str | ComparedText
    names: tuple[str, ...] = ()
    standing: Standing = "near"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRelation:
    """The text that was read stands in this relation to the candidate of this key; `reverse`: the other way round."""

    key: str
    label: str
    evidence: str
    confidence: float
    method: str
    reverse: bool = False


def relations_in(
    text: str | ComparedText,
    candidates: Iterable[RelationCandidate],
    *,
    title: str = "",
    settings: PerceiveSettings = PerceiveSettings(),
) -> tuple[TextRelation, ...]:
    """The relations of a text to each candidate, at most one of a label; none where nothing speaks for one.

    `title` is the heading the text stands under.
    """
    read = _compared(text)
    return tuple(relation for candidate in candidates for relation in _relations_to(candidate, read, title, settings))


def standings(text: str | ComparedText, title: str = "") -> tuple[Standing, ...]:
    """Which of its neighbours a text speaks of, by its title and its first words."""
    above = any(cue.match(title) for _, cue in wording.TITLES) if title else False
    before = any(cue.match(_opening(_compared(text))) for _, cue in wording.OPENINGS)
    asked: tuple[tuple[bool, Standing], ...] = ((above, "above"), (before, "before"))
    return tuple(standing for wanted, standing in asked if wanted)


def _opening(read: ComparedText) -> str:
    """The first sentence below the title."""
    return next((said.text for said in read.sentences if not said.title), "")


def _compared(text: str | ComparedText) -> ComparedText:
    return text if isinstance(text, ComparedText) else ComparedText.of(text)


def _relations_to(
    candidate: RelationCandidate, read: ComparedText, title: str, settings: PerceiveSettings
) -> Iterator[TextRelation]:
    labels: set[str] = set()
    signs = (
        (_PATTERN, _by_name),
        (_PATTERN, _by_standing),
        (_DIFFERENCE, _by_difference),
        (_TOPIC, _by_topic),
    )
    other = _compared(candidate.text)
    for method, sign in signs:
        confidence = settings.relation_confidence[method]
        if confidence < settings.relation_min or (labels and method == _TOPIC):
            continue
        for label, evidence in sign(candidate, read, other, title, settings):
            if label not in labels:
                labels.add(label)
                yield TextRelation(
                    key=candidate.key,
                    label=label.lstrip("<"),
                    evidence=_evidence(evidence),
                    confidence=confidence,
                    method=method,
                    reverse=label.startswith("<"),
                )


# --- signs ------------------------------------------------------------------------------------------------------------

_Found = Iterator[tuple[str, str]]  # a label, "<" before it when it is meant the other way round, and the evidence


def _by_name(
    candidate: RelationCandidate, read: ComparedText, other: ComparedText, title: str, settings: PerceiveSettings
) -> _Found:
    """It is named: what the clause around the name says of it, else a plain reference."""
    for name in candidate.names:
        at = _place_of(name.lower(), read.lowered) if len(name) >= NAME_CHARS_MIN else -1
        if at >= 0:
            yield _referring(read, name, at)
            return


def _by_standing(
    candidate: RelationCandidate, read: ComparedText, other: ComparedText, title: str, settings: PerceiveSettings
) -> _Found:
    """Its title says what it is to the section above, its first words what it is to the piece before."""
    if candidate.standing == "above":
        yield from ((label, f"under the title {title}") for label, cue in wording.TITLES if cue.match(title))
    if candidate.standing == "before":
        opening = _opening(read)
        yield from ((label, opening) for label, cue in wording.OPENINGS if cue.match(opening))


def _by_difference(
    candidate: RelationCandidate, read: ComparedText, other: ComparedText, title: str, settings: PerceiveSettings
) -> _Found:
    """Two statements cannot both be so. Sentences out of longer texts may: they speak of different things alike."""
    if len(read.sentences) != 1 or len(other.sentences) != 1:
        return
    said, theirs = read.sentences[0], other.sentences[0]
    if why := difference_between(said, theirs):
        yield CONTRADICTS, f"{why}: {said.text}"


def _by_topic(
    candidate: RelationCandidate, read: ComparedText, other: ComparedText, title: str, settings: PerceiveSettings
) -> _Found:
    """Sentences that have the wording of a relation and words of the other text; if none has, the shared words."""
    shared = read.words & other.words
    if len(shared) <= settings.topic_words_min:
        return
    cued = False
    for said in read.sentences:
        if len(said.words & shared) >= _SHARED_IN_SENTENCE:
            for label, cue in wording.CUES:
                if cue.search(said.text) and (label != SUMMARIZES or len(other.text) > len(read.text)):
                    cued = True
                    yield label, said.text
                    break
    if not cued:
        yield RELATES_TO, "shared words: " + ", ".join(sorted(shared))


# --- where a name stands ----------------------------------------------------------------------------------------------


def _place_of(name: str, text: str) -> int:
    """Where a name stands as a whole; -1 if it does not."""
    at = text.find(name)
    while at >= 0:
        after = at + len(name)
        if not (_goes_on(text[at - 1 : at]) or _goes_on(text[after : after + 1])):
            return at
        at = text.find(name, at + 1)
    return -1


def _goes_on(character: str) -> bool:
    return character.isalnum() or character == "_"


def _referring(read: ComparedText, name: str, at: int) -> tuple[str, str]:
    """What the sentence that names the other says of it; a mere mention relates to it."""
    lowered = name.lower()
    sentence = next((said.text for said in read.sentences if lowered in said.lowered), "")
    sentence = sentence or _line_around(read.text, at, at + len(name))
    begin = sentence.lower().find(lowered)
    before, after = _LINK_TEXT.sub("", sentence[:begin]), sentence[begin + len(name) :].lstrip(")")
    clause = before[max(before.rfind(mark) for mark in _CLAUSE_ENDS) + 1 :]
    cues = ((label, cue.search(clause)) for label, cue in wording.REFERRING)
    cues_after = ((label, cue.match(after)) for label, cue in wording.AFTER)
    label = next((label for label, met in (*cues, *cues_after) if met), RELATES_TO)
    return label, sentence


def _line_around(text: str, begin: int, end: int) -> str:
    """The line in which something stands; of a long one what is near it."""
    first = max(text.rfind("\n", 0, begin) + 1, begin - EVIDENCE_CHARS_MAX // 2)
    last = text.find("\n", end)
    return text[first : min(len(text) if last < 0 else last, first + EVIDENCE_CHARS_MAX)]


def _evidence(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= EVIDENCE_CHARS_MAX else plain[: EVIDENCE_CHARS_MAX - 1].rstrip() + "…"
