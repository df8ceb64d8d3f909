"""Which of two statements holds: decided from what they say (`perceive.states`), when, and what speaks for each.

The newer one wins, unless much more speaks for the older one and the newer does not say itself that something changed;
and what a person confirmed is never retired for it. Where that leaves it open, the two contradict each other, for
a person to be asked. A loser ends when the winner begins. It is not deleted: `as_of` a time before, it is the truth.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from recollect.limits import REASON_CHARS_MAX
from recollect.model.ending import Decider, EndCause
from recollect.perceive.states.conflicts import ABOUT_MAX, ConflictVerdict, conflict_between
from recollect.store import edges
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.upkeep.consolidation.known_statements import KnownStatement
from recollect.upkeep.runs.run import Run

SUPERSEDES, UPDATES, CONTRADICTS = "supersedes", "updates", "contradicts"
RECENCY = 3.0  # how many times as much has to speak for the older one before being newer is not enough
CONFIDENCE_MIN = 0.5  # of a statement that may take another's place
LONG_US = 365 * 86_400_000_000  # so long before the older one was said, a change is no news
TURNS_MAX = 8  # of the loser's turns that are put below the winner's, newest first


class Decision(NamedTuple):
    """What is to become of two statements, by the label of the edge between them."""

    winner: KnownStatement
    loser: KnownStatement
    verdict: ConflictVerdict
    label: str


def decide(
    new: Iterable[KnownStatement], others: Mapping[int, KnownStatement], near: Mapping[int, Collection[int]]
) -> list[Decision]:
    """What the new statements, and those `near` them, mean for each other: each loser's next successor.

    `others` holds all of them by key. A statement that has ended has a successor already.
    """
    found: dict[int, Decision] = {}
    for one in new:
        for pk in near.get(one.pk, ()):
            other = others.get(pk)
            if other is None or other.pk == one.pk:
                continue
            older, newer = sorted((one, other), key=lambda known: known.order)
            decision = _decided(newer, older)
            if decision is not None and _is_sooner(decision, found.get(older.pk)):
                found[older.pk] = decision
    return sorted(found.values(), key=lambda each: each.winner.order)


def _decided(newer: KnownStatement, older: KnownStatement) -> Decision | None:
    if older.row.valid_until is not None or newer.row.flagged or newer.row.confidence < CONFIDENCE_MIN:
        return None
    verdict = conflict_between(newer.reading, older.reading)
    if verdict is None:
        return None
    if not verdict.of_a_time and (newer.is_to_come or _was_so_before(newer, older)):
        return None
    if not verdict.stated and _in_one_breath(newer, older):
        return None
    return Decision(newer, older, verdict, _label(newer, older, verdict))


def _label(newer: KnownStatement, older: KnownStatement, verdict: ConflictVerdict) -> str:
    if verdict.past_event:
        return UPDATES
    if older.row.user_verified and not newer.row.user_verified:
        return CONTRADICTS
    if verdict.stated or newer.row.user_verified or newer.evidence * RECENCY >= older.evidence:
        return SUPERSEDES
    return CONTRADICTS


def _was_so_before(newer: KnownStatement, older: KnownStatement) -> bool:
    """Told as past, and long past when the older one was said: "moved to Oslo in 2012" is not what came after it."""
    begun = newer.row.valid_from
    return newer.stated.tense == "past" and begun is not None and begun + LONG_US < older.said_at[0]


def _in_one_breath(newer: KnownStatement, older: KnownStatement) -> bool:
    """Said in one turn: two of several, unless the words say which is the new one."""
    return bool({saying.turn_pk for saying in newer.turns} & {saying.turn_pk for saying in older.turns})


def _is_sooner(decision: Decision, than: Decision | None) -> bool:
    """The first that took a statement's place is its successor; those after it took that one's."""
    if than is None:
        return True
    rank = {SUPERSEDES: 0, UPDATES: 1, CONTRADICTS: 2}
    mine, theirs = ((rank[each.label], each.winner.order) for each in (decision, than))
    return mine < theirs


# --- keeping ---------------------------------------------------------------------------------------------------------


def settle(tx: Tx, op: Op, run: Run, decisions: Sequence[Decision]) -> None:
    """Write decisions down, as far as both statements still are what they were when it was decided."""
    pks = {known.pk for each in decisions for known in (each.winner, each.loser)}
    said = _said_between(tx, pks)
    for each in decisions:
        between = said.get(frozenset((each.winner.pk, each.loser.pk)), set())
        if not _is_settled(each.label, between) and _unchanged(tx, each.winner) and _unchanged(tx, each.loser):
            _settle(tx, op, run, each)


def _said_between(tx: Tx, pks: Collection[int]) -> dict[frozenset[int], set[str]]:
    """By pair: the labels of edges, even of those that a person withdrew, because that decided it."""
    found: dict[frozenset[int], set[str]] = {}
    for each in tx.relations.decided_between(pks):
        found.setdefault(frozenset((each.one, each.other)), set()).add(each.label)
    return found


def _is_settled(label: str, between: set[str]) -> bool:
    return SUPERSEDES in between or (label != SUPERSEDES and not between.isdisjoint((UPDATES, CONTRADICTS)))


def _unchanged(tx: Tx, known: KnownStatement) -> bool:
    return tx.records.version_and_end(known.pk) == (known.row.version, known.row.valid_until)


def _settle(tx: Tx, op: Op, run: Run, decision: Decision) -> None:
    winner, loser, verdict, label = decision
    why = verdict.reason[:REASON_CHARS_MAX]
    if label == SUPERSEDES:
        if not _end(tx, op, decision, share=run.config.upkeep.contradiction_transfer):
            return
        run.note("retired", loser.id, why)
    else:
        tx.edges.insert(op, [_edge(winner.pk, loser.pk, label, decision)])
        said = "contradicts" if label == CONTRADICTS else "updated by"
        run.note("linked", loser.id, f"{said} {winner.id}; {why}")
    if label != CONTRADICTS:
        tx.edges.insert(op, list(_between_turns(tx, decision)))


def _end(tx: Tx, op: Op, decision: Decision, *, share: float) -> bool:
    """The loser held until the winner began; the winner takes over a share of what was believed of it."""
    winner, loser, verdict, _ = decision
    until = max(winner.begins, loser.said_at[1])
    sure = round(min(winner.row.confidence, 1.0), 2)
    cause = EndCause(by=Decider.RULE, probability=sure, reason=verdict.reason, about=tuple(verdict.about))
    if not tx.endings.end(op, older=loser.pk, newer=winner.pk, cause=cause, until=until, since=loser.said_at[0]):
        return False
    old = tx.records.columns_of(winner.pk)
    assert old is not None
    believed = min(1.0, old["confidence"] + share * loser.row.confidence)
    begins = until if old["valid_from"] is None else min(old["valid_from"], until)
    tx.records.adjust(op, winner.pk, old, {"confidence": believed, "valid_from": begins})
    return True


def _between_turns(tx: Tx, decision: Decision) -> Iterator[edges.NewEdge]:
    """Statements answer through their turns: what they say about each other, for a search to see."""
    winner, loser = decision.winner, decision.loser
    newer = winner.turns[-1].turn_pk if winner.turns else winner.pk
    older = [saying.turn_pk for saying in loser.turns[-TURNS_MAX:]] or [loser.pk]
    about = _topic(tx, decision)
    for pk in older:
        if pk != newer and (newer, pk) != (winner.pk, loser.pk) and not _is_ordered(tx, newer, pk, about):
            yield _edge(newer, pk, UPDATES, decision, about)


def _topic(tx: Tx, decision: Decision) -> Sequence[str]:
    """What a question has to speak of. One that took another's place before speaks of the same as then."""
    own, before = decision.verdict.about, tx.relations.topic_of_change(decision.loser.pk)
    return own if before is None else [*dict.fromkeys([*before[: ABOUT_MAX - 1], *own[-1:]])]


def _is_ordered(tx: Tx, newer_pk: int, older_pk: int, about: Sequence[str]) -> bool:
    """Whether a search for this puts the newer turn first already. Edges that a person withdrew count, too."""
    known = tx.relations.topics_of_order(newer_pk, older_pk)
    return any(not topics or not set(about) - set(topics) for topics in known)


def _edge(
    newer_pk: int, older_pk: int, label: str, decision: Decision, topic: Sequence[str] | None = None
) -> edges.NewEdge:
    about = {} if label == CONTRADICTS else {"about": list(topic or decision.verdict.about)}
    return edges.pair(
        newer_pk,
        older_pk,
        label,
        confidence=round(min(decision.winner.row.confidence, 1.0), 2),
        auto_extracted=True,
        evidence=[decision.verdict.reason[:REASON_CHARS_MAX]],
        attributes=about,
    )
