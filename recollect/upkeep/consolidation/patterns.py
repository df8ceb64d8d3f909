"""Statements that say much the same, again and again, become one that stands for them.

Statements of a scope that are alike, about one subject and of one mind, make a pattern when there are three of them and
they are believed together. It is a record of its own, of the kind `schema`: its instances are tied to it
(`instance_of`), and it rests on them (`derived_from`). They stay as they are. A pattern is found again by its
instances: it grows with them, and goes when too few are left. What a person changed is not changed again, and what
a person deleted stays away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from recollect.ids import new_id
from recollect.ingest.embedding import Embedding, Prepared
from recollect.language.terms import telling, terms_of
from recollect.model.columns import RecordRow
from recollect.model.entity import fold
from recollect.perceive.states.claim_patterns import NOT
from recollect.perceive.traits.topics import topics_of
from recollect.providers.base import Llm
from recollect.store import edges
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.patterns import FOUND_BY, Instance, Pattern
from recollect.store.rows import content_hash, to_json
from recollect.upkeep.knowledge.cluster import clusters, nearness
from recollect.upkeep.language_model.wording import SummaryWriter
from recollect.upkeep.runs.run import Run

INSTANCES_MAX = 50  # tied to a pattern, the most typical first
SAME_SHARE = 0.5  # of the fewer instances of two patterns that they share: they are one
STORED_AT_ONCE = 8
_METHOD = "similar"
_TOKENS_MAX = 60
_SECURITY = ("cleartext", "sensitive", "confidential")


@dataclass(slots=True)
class FoundPattern:
    """Instances of one pattern, the most typical first, and the words for it."""

    instances: list[Instance]
    content: str = ""
    vector: Prepared = field(default_factory=Prepared)
    known: Pattern | None = None  # the one it is, if it is there already
    others: list[Pattern] = field(default_factory=list)  # that turned out to be the same one

    @property
    def pks(self) -> list[int]:
        return [one.pk for one in self.instances]


class PatternsStep:
    """The step."""

    name = "patterns"

    def __init__(self, embedding: Embedding, llm: Llm | None = None) -> None:
        self._embedding = embedding
        self._llm = llm

    def run(self, run: Run) -> None:
        wording = SummaryWriter(self._llm, run)
        for scope_pk in run.each_scope():
            known = self._known(run, scope_pk)
            found = _recognised(self._look(run, scope_pk), known)
            kept = {pattern.pk for one in found for pattern in (one.known, *one.others) if pattern is not None}
            _retire_lapsed(run, [one for one in known if one.live and one.pk not in kept])
            todo = [one for one in found if _differs(one)]
            for one in todo:
                self._word(one, wording)
            run.in_portions(todo, STORED_AT_ONCE, partial(_store, run, scope_pk))

    def _known(self, run: Run, scope_pk: int) -> list[Pattern]:
        with run.store.read() as tx:
            return tx.patterns.of_scope(scope_pk, _METHOD)

    def _look(self, run: Run, scope_pk: int) -> list[FoundPattern]:
        """Clusters of statements that are enough of a pattern."""
        settings = run.config.upkeep
        with run.store.read() as tx:
            space = next(iter(tx.vectors.spaces()), None)
            if space is None:
                run.problem("patterns: without vectors no statements can be compared; configure an embedder")
                return []
            said = tx.patterns.statements(scope_pk, now=run.clock())
            pks, directions = tx.vectors.load(space, said)
        own = [_read(said[pk]) for pk in pks.tolist()]
        found = clusters(
            directions, least=settings.pattern_similarity, size_min=settings.pattern_members_min, kinds=_kinds(own)
        )
        out = []
        for rows in found:
            typical = rows[np.argsort(-nearness(directions, rows), kind="stable")]
            agreeing = sharing_a_word([own[row] for row in typical.tolist()])
            enough = len(agreeing) >= settings.pattern_members_min
            if enough and _together(agreeing) >= settings.pattern_confidence:
                out.append(FoundPattern(agreeing[:INSTANCES_MAX]))
        return out

    def _word(self, found: FoundPattern, wording: SummaryWriter) -> None:
        """Outside any transaction: models may be slow. What a person worded stays."""
        if found.known is not None and found.known.edited:
            found.content = found.known.content
            return
        plain = wording_of(found.instances)
        found.content = wording.summary([one.content for one in found.instances], tokens_max=_TOKENS_MAX, plain=plain)
        if found.known is None or found.content != found.known.content:
            found.vector = self._embedding.prepare([found.content])


def _recognised(found: Sequence[FoundPattern], known: Sequence[Pattern]) -> list[FoundPattern]:
    """Which of the clusters are patterns that are there already; those that a person withdrew are left out.

    A pattern that fell apart goes on as its larger part; two that grew together go on as the older one.
    """
    by_instance: dict[int, list[Pattern]] = {}
    for pattern in known:
        for pk in pattern.instances:
            by_instance.setdefault(pk, []).append(pattern)
    taken: set[int] = set()
    out = []
    for one in sorted(found, key=lambda each: -len(each.instances)):
        shared: dict[int, int] = {}
        seen: dict[int, Pattern] = {}
        for pk in one.pks:
            for pattern in by_instance.get(pk, ()):
                shared[pattern.pk] = shared.get(pattern.pk, 0) + 1
                seen[pattern.pk] = pattern
        same = [
            seen[pk]
            for pk, count in sorted(shared.items())
            if count >= SAME_SHARE * min(len(one.instances), len(seen[pk].instances)) and pk not in taken
        ]
        if any(pattern.withdrawn for pattern in same):
            continue
        live = [pattern for pattern in same if pattern.live]
        one.known, one.others = (live[0], live[1:]) if live else (None, [])
        taken.update(pattern.pk for pattern in live)
        out.append(one)
    return out


def _differs(found: FoundPattern) -> bool:
    """Whether there is anything to store."""
    return found.known is None or bool(found.others) or set(found.pks) != set(found.known.instances)


def _store(run: Run, scope_pk: int, tx: Tx, op: Op, found: FoundPattern) -> None:
    instances = found.instances
    if not tx.patterns.unchanged(instances):
        return  # the words may hold something that was taken back meanwhile; the next run looks again
    for other in found.others:
        _retire(run, "the same as another pattern", tx, op, other)
    if found.known is None:
        pk, record_id = _make(tx, op, scope_pk, instances, found)
        run.note("made", record_id, f"{len(instances)} statements that say much the same")
    else:
        pk = found.known.pk
        _revise(tx, op, instances, found)
        run.note("updated", found.known.id, f"{len(instances)} instances, {len(found.known.instances)} before")
    before = set(found.known.instances) if found.known is not None else set()
    gone = before - {one.pk for one in instances}
    tx.edges.retire(op, tx.patterns.ties(pk, gone))
    new = [one.pk for one in instances if one.pk not in before]
    tx.edges.insert(op, [edges.pair(each, pk, "instance_of", auto_extracted=True) for each in new])
    tx.edges.insert(op, [edges.pair(pk, each, "derived_from", auto_extracted=True) for each in new])


def _make(tx: Tx, op: Op, scope_pk: int, instances: Sequence[Instance], found: FoundPattern) -> tuple[int, str]:
    typical = instances[0]
    row = RecordRow(
        id=new_id(),
        scope_pk=scope_pk,
        content=found.content,
        content_hash=content_hash(found.content),
        created_at=op.at,
        updated_at=op.at,
        recorded_at=op.at,
        kind="schema",
        category="pattern",
        subject=typical.subject,
        source="upkeep",
        perceived="{}",
        turn_pk=typical.turn_pk,
        attributes=to_json(_attributes(instances)),
        **_figures(instances),
    )
    (pk,) = tx.records.insert(op, [row], [terms_of(row.content)])
    found.vector.store(tx, [pk], now=op.at)
    return pk, row.id


def _revise(tx: Tx, op: Op, instances: Sequence[Instance], found: FoundPattern) -> None:
    assert found.known is not None
    new = {"attributes": to_json(_attributes(instances)), **_figures(instances)}
    if found.content != found.known.content:
        found.vector.replace(tx, op, found.known.pk)
        new |= {"content": found.content, "content_hash": content_hash(found.content)}
    tx.records.revise(op, found.known.pk, new)


def _attributes(instances: Sequence[Instance]) -> dict[str, object]:
    return {FOUND_BY: _METHOD, "instances": len(instances), "polarity": instances[0].polarity}


def _figures(instances: Sequence[Instance]) -> dict[str, Any]:
    """As sure as its instances are on average, by their strength; as important and as secret as the most of them."""
    strength = sum(one.strength for one in instances)
    sure = sum(one.confidence * one.strength for one in instances) / strength if strength else instances[0].confidence
    return {
        "confidence": min(1.0, sure),
        "importance": max(one.importance for one in instances),
        "security": max((one.security for one in instances), key=_SECURITY.index),
    }


def _retire_lapsed(run: Run, lapsed: Sequence[Pattern]) -> None:
    """Retire patterns whose instances are no longer enough of one; those that a person confirmed stay."""
    going = [pattern for pattern in lapsed if not pattern.edited]
    run.in_portions(going, STORED_AT_ONCE, partial(_retire, run, "too few instances are left"))


def _retire(run: Run, why: str, tx: Tx, op: Op, pattern: Pattern) -> None:
    """With its ties: those of a pattern that a person deleted stay, and say that it is not wanted."""
    tx.edges.retire(op, tx.patterns.ties(pattern.pk))
    if tx.records.retire(op, [pattern.pk]):
        run.note("retired", pattern.id, why)


def _together(instances: Sequence[Instance]) -> float:
    """How sure it is that at least one of them is so."""
    return 1.0 - float(np.prod([1.0 - one.confidence for one in instances]))


def _read(one: Instance) -> Instance:
    """With whether it affirms or denies, by its words, where that was not read when it was stored."""
    return one if one.polarity else one._replace(polarity="-" if NOT.search(one.content) else "+")


def _kinds(instances: Sequence[Instance]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The same number for statements about the same subject with the same polarity."""
    numbers: dict[tuple[str, str], int] = {}
    return np.array([numbers.setdefault(one.about, len(numbers)) for one in instances], dtype=np.int64)


# --- the words of a pattern ------------------------------------------------------------------------------------------

LISTED_MAX = 6  # objects named in a pattern
TOPICS_MAX = 4
LOOKED_AT = 12  # telling words of a statement
OBJECT_WORDS_MAX = 8  # a longer object is no item of a list
_ALIKE_SHARE = 0.6  # of the instances that have the predicate which all are told by
_COMMON_SHARE = 0.5  # of the instances that hold a word which they share


def sharing_a_word(instances: Sequence[Instance]) -> list[Instance]:
    """Those that hold a word which most of them share, besides whom they are about.

    Vectors alone take any two statements about one person for alike when they name that person often enough.
    """
    besides = set(terms_of(instances[0].subject or ""))
    words = [{term for topic in topics_of(one.content, LOOKED_AT) for term in terms_of(topic)} for one in instances]
    held = Counter(term for own in words for term in own - besides)
    common = {term for term, count in held.items() if count >= _COMMON_SHARE * len(instances)}
    return [one for one, own in zip(instances, words, strict=True) if own & common]


def wording_of(instances: Sequence[Instance]) -> str:
    """One sentence for instances that are given with the most typical first."""
    predicates = Counter(fold(one.predicate) for one in instances if one.predicate and one.object)
    predicate, count = predicates.most_common(1)[0] if predicates else ("", 0)
    subject = instances[0].subject
    if subject and instances[0].polarity == "+" and count >= max(2, _ALIKE_SHARE * len(instances)):
        alike = [one.object for one in instances if one.object and fold(one.predicate or "") == predicate]
        if max(len(each.split()) for each in alike) <= OBJECT_WORDS_MAX:
            return f"{subject} {predicate} {_listed(alike)}"
    return _typical(instances)


def _listed(objects: Sequence[str]) -> str:
    """ "green, black and white tea": each once, and what all of them end in said once."""
    distinct = list({fold(each): each.split() for each in reversed(objects)}.values())[::-1]
    named, rest = distinct[:LISTED_MAX], len(distinct[LISTED_MAX:])
    shared = 0
    while all(len(words) > shared + 1 for words in named) and len({words[-shared - 1] for words in named}) == 1:
        shared += 1
    ending = named[0][len(named[0]) - shared :] if len(named) > 1 else []
    items = [" ".join(words[: len(words) - len(ending)]) for words in named]
    items += [f"{rest} more"] if rest else []
    listed = f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else items[0]
    return " ".join([listed, *ending])


def _typical(instances: Sequence[Instance]) -> str:
    """The first of them, and how many there are; with the words that most of them share and it leaves out."""
    first = instances[0].content.rstrip(" .")
    held = Counter(term for one in instances for term in set(telling(terms_of(one.content))))
    said = set(terms_of(first))
    shared = [
        topic
        for one in instances[1:]
        for topic in topics_of(one.content)
        if not set(terms_of(topic)) & said and held[next(iter(terms_of(topic)), "")] >= _COMMON_SHARE * len(instances)
    ]
    topics = list(dict.fromkeys(shared))[:TOPICS_MAX]
    about = f": {', '.join(topics)}" if topics else ""
    return f"{first} (and {len(instances) - 1} more like it{about})"
