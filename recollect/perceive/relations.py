"""How a text stands to others: what it refers to, depends on, illustrates, sums up or contradicts (RFC-014 §2.2).

Signs rather than understanding: a sentence that has both the wording of a relation and the words of the other text, or
two texts that say nearly the same but for a "not", a number or an opposite. All of it is a guess with its evidence,
to be stored as `auto_extracted`, confirmed by people or models, and pruned when nobody does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from recollect.config.writing import Perceive
from recollect.model.terms import telling, terms_of
from recollect.perceive import relation_words as wording
from recollect.perceive.sentences import each_sentence

TEXT_CHARS_MAX = 4_000  # of a longer text the beginning is compared
SENTENCES_MAX = 40
EVIDENCE_CHARS_MAX = 200
NAME_CHARS_MIN = 4  # shorter names stand in texts by chance
_BOTH_SAY = 0.5  # Jaccard overlap from which two texts are about the very same
_SHARED_IN_SENTENCE = 2  # telling words a sentence shares with what it speaks of
_PATTERN, _DIFFERENCE, _TOPIC = "pattern", "difference", "topic"
RELATES_TO, CONTRADICTS, SUMMARIZES = "relates_to", "contradicts", "summarizes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Another text, by a key of the caller's, with the names it may be referred to by: id, title, path, address."""

    key: str
    text: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """The text that was read stands in this relation to the candidate of this key."""

    key: str
    label: str
    evidence: str
    confidence: float
    method: str


def relations_in(
    text: str, candidates: Iterable[Candidate], *, settings: Perceive = Perceive()
) -> tuple[Relation, ...]:
    """The relations of a text to each candidate, at most one of a label; none where nothing speaks for one."""
    read = _Read.of(text)
    return tuple(relation for candidate in candidates for relation in _relations_to(candidate, read, settings))


@dataclass(frozen=True, slots=True)
class _Read:
    """A text as it is compared: its telling words, and its sentences with theirs."""

    text: str
    lowered: str
    words: frozenset[str]
    sentences: tuple[tuple[str, frozenset[str]], ...]

    @classmethod
    def of(cls, text: str) -> _Read:
        text = text[:TEXT_CHARS_MAX]
        prose = (sentence.text for sentence in each_sentence(text) if not sentence.in_code)
        sentences = tuple((said, _telling_words(said)) for said in islice(prose, SENTENCES_MAX))
        return cls(text, text.lower(), _telling_words(text), sentences)


def _telling_words(text: str) -> frozenset[str]:
    return frozenset(telling(terms_of(text)))


def _relations_to(candidate: Candidate, read: _Read, settings: Perceive) -> Iterator[Relation]:
    def found(label: str, evidence: str, method: str) -> Relation:
        return Relation(
            key=candidate.key, label=label, evidence=_evidence(evidence),
            confidence=settings.relation_confidence[method], method=method,
        )  # fmt: skip

    labels: set[str] = set()
    other = candidate.text[:TEXT_CHARS_MAX]
    shared = _telling_words(other) & read.words
    for name in candidate.names:
        if len(name) >= NAME_CHARS_MIN and (at := read.lowered.find(name.lower())) >= 0:
            label, sentence = _referring(read, name, at)
            labels.add(label)
            yield found(label, sentence, _PATTERN)
            break
    if difference := _difference(read, other, shared):
        labels.add(CONTRADICTS)
        yield found(CONTRADICTS, difference, _DIFFERENCE)
    if len(shared) <= settings.topic_words_min:
        return
    for label, sentence in _cued(read, shared, other):
        if label not in labels:
            labels.add(label)
            yield found(label, sentence, _TOPIC)
    if not labels:
        yield found(RELATES_TO, "shared words: " + ", ".join(sorted(shared)), _TOPIC)


def _referring(read: _Read, name: str, at: int) -> tuple[str, str]:
    """What the sentence that names the other says of it; a mere mention relates to it."""
    lowered = name.lower()
    sentence = next(
        (said for said, _ in read.sentences if lowered in said.lower()), read.text[max(0, at - 60) : at + 140]
    )
    before = sentence[: sentence.lower().find(lowered)]
    for label, cue in wording.CUES:
        if label != CONTRADICTS and cue.search(before):
            return label, sentence
    return RELATES_TO, sentence


def _cued(read: _Read, shared: frozenset[str], other: str) -> Iterator[tuple[str, str]]:
    """Sentences that have the wording of a relation and words of the other text."""
    for said, words in read.sentences:
        if len(words & shared) < _SHARED_IN_SENTENCE:
            continue
        for label, cue in wording.CUES:
            if cue.search(said) and (label != SUMMARIZES or len(other) > len(read.text)):
                yield label, said
                break


def _difference(read: _Read, other: str, shared: frozenset[str]) -> str:
    """In what two texts differ that otherwise say the same; "" when they do not, or say different things anyway."""
    if not shared:
        return ""
    every = _telling_words(other) | read.words
    if len(shared) < _BOTH_SAY * len(every):
        return ""
    if bool(wording.NOT.search(read.text)) is not bool(wording.NOT.search(other)):
        return "only one of the two denies it"
    here, there = _numbers(read.text), _numbers(other)
    if here and there and not here & there:
        return f"{', '.join(sorted(here))} here, {', '.join(sorted(there))} there"
    mine, theirs = frozenset(read.lowered.split()), frozenset(other.lower().split())
    for one, opposite in wording.OPPOSITES:
        for left, right in ((one, opposite), (opposite, one)):
            if left in mine and right in theirs and left not in theirs and right not in mine:
                return f"{left} here, {right} there"
    return ""


def _numbers(text: str) -> frozenset[str]:
    written = (number.replace(",", "") for number in wording.NUMBER.findall(text))
    named = (wording.NUMBER_WORDS[word] for word in text.lower().split() if word in wording.NUMBER_WORDS)
    return frozenset((*written, *named))


def _evidence(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= EVIDENCE_CHARS_MAX else plain[: EVIDENCE_CHARS_MAX - 1].rstrip() + "…"
