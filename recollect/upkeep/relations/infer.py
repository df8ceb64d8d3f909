"""What follows from what is known: A depends on B, B depends on C, so A depends on C.

Of relations that carry over, and of statements that say such relations. A conclusion is as sure as its premises
together, and one below `graph.inference_confidence` is not drawn; at most five stated ones make a chain, and none leads
back to where it starts. It is marked as inferred and names its premises: when one of them goes it goes too, and
what a person took away is not inferred again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import NamedTuple

from recollect.errors import CycleRefused
from recollect.ids import new_id
from recollect.ingest.embedding import Embedding, Prepared
from recollect.language.terms import terms_of
from recollect.model.columns import RecordRow
from recollect.perceive.states.claim_patterns import NOT
from recollect.store import edges
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.patterns import FOUND_BY
from recollect.store.relations import CHAIN, LAPSED, METHOD, PREMISES, TRANSITIVE, Inferred, Link, ToldRelation, thing
from recollect.store.rows import content_hash, to_json
from recollect.upkeep.runs.run import Run

CHAIN_MAX = 5
NEW_MAX = 2_000  # conclusions a scope and run may add: a dense graph has very many
STORED_AT_ONCE = 25
ROUNDS = 3  # each doubles the length of chains: five stated ones need three
# Labels that carry over, and what is left of the confidence at each step: a cause of a cause is less of a cause.
CARRIES = {
    "depends_on": 1.0,
    "part_of": 1.0,
    "located_in": 1.0,
    "subclass_of": 1.0,
    "is_a": 1.0,
    "requires": 1.0,
    "causes": 0.9,
}
_SECURITY = ("cleartext", "sensitive", "confidential")


class Conclusion(NamedTuple):
    """A link that follows from two others."""

    label: str
    source: int
    target: int
    confidence: float
    chain: int
    premises: tuple[str, str]


class Statement(NamedTuple):
    """A statement that follows from two others."""

    first: ToldRelation
    second: ToldRelation
    predicate: str
    confidence: float

    @property
    def content(self) -> str:
        return f"{self.first.subject} {self.predicate} {self.second.object}"


class InferStep:
    """The step."""

    name = "infer"

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding

    def run(self, run: Run) -> None:
        for scope_pk in run.each_scope():
            _withdraw_links(run, scope_pk)
            _withdraw_statements(run, scope_pk)
            self._infer_links(run, scope_pk)
            self._infer_statements(run, scope_pk)

    def _infer_links(self, run: Run, scope_pk: int) -> None:
        least = run.config.graph.inference_confidence
        for _ in range(1 if run.dry_run else ROUNDS):
            with run.store.read() as tx:
                known = tx.relations.links(scope_pk, list(CARRIES), now=run.clock())
            found = list(islice(follows(known, least), NEW_MAX))
            run.in_portions(found, STORED_AT_ONCE, partial(_keep_link, run))
            if not found:
                return

    def _infer_statements(self, run: Run, scope_pk: int) -> None:
        least = run.config.graph.inference_confidence
        for _ in range(1 if run.dry_run else ROUNDS):
            with run.store.read() as tx:
                said = [one for one in tx.relations.told(scope_pk, now=run.clock()) if not NOT.search(one.content)]
            found = list(islice(following(said, least), NEW_MAX))
            for start in range(0, len(found), STORED_AT_ONCE):
                part = found[start : start + STORED_AT_ONCE]
                vectors = self._embedding.prepare([each.content for each in part])
                run.portion(partial(_keep_all, run=run, scope_pk=scope_pk, new=part, vectors=vectors))
            if not found:
                return


def follows(known: Sequence[Link], least: float) -> Iterator[Conclusion]:
    """What follows from these links in one step, the surest first; what is known already does not."""
    out: dict[tuple[str, int], list[Link]] = {}
    for link in known:
        out.setdefault((link.label, link.source), []).append(link)
    have = {(link.label, link.source, link.target) for link in known}
    found: dict[tuple[str, int, int], Conclusion] = {}
    for first in known:
        for second in out.get((first.label, first.target), ()):
            key = (first.label, first.source, second.target)
            sure = first.confidence * second.confidence * CARRIES[first.label]
            back = (first.label, second.target, first.source)
            if sure < least or first.chain + second.chain > CHAIN_MAX or key in have or back in have:
                continue
            if first.source == second.target or (key in found and found[key].confidence >= sure):
                continue
            found[key] = Conclusion(*key, sure, first.chain + second.chain, (first.id, second.id))
    yield from sorted(found.values(), key=lambda each: -each.confidence)


def following(said: Sequence[ToldRelation], least: float) -> Iterator[Statement]:
    """What follows from these statements in one step, the surest first."""
    by_subject: dict[str, list[ToldRelation]] = {}
    for one in said:
        if relation_in(one.predicate) is not None:
            by_subject.setdefault(thing(one.subject), []).append(one)
    have = {(thing(one.subject), relation_in(one.predicate), thing(one.object)) for one in said}
    found: dict[tuple[str, str, str], Statement] = {}
    for first in said:
        for second in by_subject.get(thing(first.object), ()):
            relation = carried(first.predicate, second.predicate)
            key = (thing(first.subject), relation or "", thing(second.object))
            sure = first.confidence * second.confidence
            if relation is None or key in have or key[0] == key[2] or (key[2], relation, key[0]) in have:
                continue
            if sure < least or first.chain + second.chain > CHAIN_MAX:
                continue
            if key not in found or found[key].confidence < sure:
                found[key] = Statement(first, second, first.predicate, sure)
    yield from sorted(found.values(), key=lambda each: -each.confidence)


def _keep_link(run: Run, tx: Tx, op: Op, new: Conclusion) -> None:
    if len(tx.relations.standing(new.premises)) < len(set(new.premises)):
        return
    if tx.relations.withdrawn(new.source, new.target, new.label):
        return
    edge = edges.pair(
        new.source,
        new.target,
        new.label,
        confidence=new.confidence,
        auto_extracted=True,
        evidence=[f"{PREMISES} {premise}" for premise in new.premises],
        attributes={METHOD: TRANSITIVE, PREMISES: list(new.premises), CHAIN: new.chain},
    )
    try:
        (edge_id,) = tx.edges.insert(op, [edge])
    except CycleRefused:
        return
    run.note("linked", edge_id, f"{new.label} follows from two others")


def _keep_all(tx: Tx, op: Op, *, run: Run, scope_pk: int, new: Sequence[Statement], vectors: Prepared) -> None:
    for at, each in enumerate(new):
        if _stands(tx, each) and not tx.relations.is_told(scope_pk, content_hash(each.content)):
            _keep_statement(run, tx, op, scope_pk, each, vectors.part([at]))


def _stands(tx: Tx, new: Statement) -> bool:
    """Whether the premises still say what they said."""
    premises = (new.first, new.second)
    return tx.records.live_objects([one.pk for one in premises]) == {one.id: one.object for one in premises}


def _keep_statement(run: Run, tx: Tx, op: Op, scope_pk: int, new: Statement, vector: Prepared) -> None:
    first, second = new.first, new.second
    row = RecordRow(
        id=new_id(),
        scope_pk=scope_pk,
        content=new.content,
        content_hash=content_hash(new.content),
        created_at=op.at,
        updated_at=op.at,
        recorded_at=op.at,
        valid_from=op.at,
        subject=first.subject,
        predicate=new.predicate,
        object=second.object,
        confidence=new.confidence,
        source="inferred",
        perceived="{}",
        turn_pk=first.turn_pk,
        needs_review=int(new.confidence < run.config.trust.review_below),
        security=max((first.security, second.security), key=_SECURITY.index),
        attributes=to_json(
            {
                FOUND_BY: TRANSITIVE,
                METHOD: TRANSITIVE,
                PREMISES: [first.id, second.id],
                CHAIN: first.chain + second.chain,
            }
        ),
    )
    (pk,) = tx.records.insert(op, [row], [terms_of(row.content)])
    vector.store(tx, [pk], now=op.at)
    for one in (first, second):
        tx.edges.insert(op, [edges.pair(pk, one.pk, PREMISES, confidence=one.confidence, auto_extracted=True)])
    run.note("made", row.id, "follows from two statements")


def _withdraw_links(run: Run, scope_pk: int) -> None:
    """Links whose premises are gone, or no longer sure enough; what rests on those goes in the next round."""
    least = run.config.graph.inference_confidence
    while True:
        with run.store.read() as tx:
            known = tx.relations.inferred_links(scope_pk)
            sure = tx.relations.standing(premise for link in known for premise in link.premises)
        lapsed = [link for link in known if _product(sure, link.premises) * CARRIES.get(link.label, 1.0) < least]
        if not lapsed:
            return
        run.in_portions(lapsed, STORED_AT_ONCE, partial(_lapse, run))
        if run.dry_run:
            return


def _withdraw_statements(run: Run, scope_pk: int) -> None:
    while True:
        with run.store.read() as tx:
            lapsed = tx.relations.lapsed(scope_pk, now=run.clock())
        run.in_portions(lapsed, STORED_AT_ONCE, partial(_lapse_statement, run))
        if not lapsed or run.dry_run:
            return


def _lapse(run: Run, tx: Tx, op: Op, link: Link) -> None:
    attributes = {METHOD: TRANSITIVE, PREMISES: list(link.premises), CHAIN: link.chain, LAPSED: True}
    tx.edges.revise(op, link.pk, {"retired_at": op.at, "attributes": to_json(attributes)})
    run.note("retired", link.id, "what it followed from is gone")


def _lapse_statement(run: Run, tx: Tx, op: Op, inferred: Inferred) -> None:
    """Marked first: a conclusion that lapsed may be drawn again, one that a person deleted may not."""
    pk, record_id, attributes = inferred
    old = tx.records.columns_of(pk)
    assert old is not None
    tx.records.adjust(op, pk, old, {"attributes": to_json(attributes | {LAPSED: True})})
    tx.records.retire(op, [pk])
    run.note("retired", record_id, "what it followed from is gone")


def _product(sure: dict[str, float], premises: Iterable[str]) -> float:
    out = 1.0
    for premise in premises:
        out *= sure.get(premise, 0.0)
    return out


# --- which relations carry over --------------------------------------------------------------------------------------

_WORDS = {
    "depends_on": ("depends on", "depend on", "relies on", "rely on", "requires", "require"),
    "part_of": ("is part of", "is a part of", "are part of", "belongs to", "belong to"),
    "located_in": ("is in", "is located in", "lies in", "is situated in", "are in"),
    "is_a": ("is a kind of", "is a type of", "is a sort of", "is a form of"),
    "lives_in": ("lives in", "live in", "resides in"),
}
_RELATION = {wording: relation for relation, wordings in _WORDS.items() for wording in wordings}
# The first relation, then the second, and what follows: a person who lives in a town lives in the country it lies in.
_CARRIED = {
    ("depends_on", "depends_on"): "depends_on",
    ("part_of", "part_of"): "part_of",
    ("located_in", "located_in"): "located_in",
    ("is_a", "is_a"): "is_a",
    ("lives_in", "located_in"): "lives_in",
}


@lru_cache(maxsize=4096)
def relation_in(predicate: str) -> str | None:
    """The relation that a predicate tells, None if it is none of those that carry over."""
    return _RELATION.get(" ".join(predicate.casefold().split()))


def carried(first: str, second: str) -> str | None:
    """What follows from two predicates, the second about the object of the first; None if nothing does."""
    one, two = relation_in(first), relation_in(second)
    return None if one is None or two is None else _CARRIED.get((one, two))
