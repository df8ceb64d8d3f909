"""Statements are kept once in their scope; a repeat speaks for the record that is there, and undo takes that back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties.tables import open_quick, visible_state
from ticking import Ticking

from recollect import Memory
from recollect.clock import DAY_US, SECOND_US, to_us
from recollect.config.keeping import TrustSettings
from recollect.ids import new_id
from recollect.ingest import dedupe
from recollect.ingest.corroborate import AGAIN_SHARE, CORROBORATIONS, Corroboration, corroborate
from recollect.language.terms import terms_of
from recollect.model.columns import RecordRow
from recollect.model.record import Record
from recollect.model.scope import Scope
from recollect.store import journal
from recollect.store.base import Tx
from recollect.store.rows import content_hash
from recollect.wiring import open_memory

ANA, BEN = Scope(user_id="ana"), Scope(user_id="ben")
MAY_3 = to_us(datetime(2026, 5, 3, 10, tzinfo=UTC))
GAIN = TrustSettings().corroboration_bonus
HOUR_US = 3600 * SECOND_US
SENSES = """
CREATE TABLE IF NOT EXISTS sense (
  sense     INTEGER NOT NULL,
  record_pk INTEGER NOT NULL REFERENCES record(pk) ON DELETE CASCADE,
  PRIMARY KEY (sense, record_pk)
) STRICT, WITHOUT ROWID
"""


@dataclass
class Stored:
    """What one write did: the ids of new records, those that were repeated, and the operation."""

    ids: list[str]
    merged: list[str]
    operation: str


class Writing:
    """The write path as far as it concerns repeats."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.store = memory._engine.store
        self.clock = memory._engine.clock
        self.store.write(lambda tx: tx.sql.run(SENSES))

    def state(self, texts: Sequence[str | dict[str, Any]], scope: Scope = ANA, session: str | None = None) -> Stored:
        """Store plain statements."""

        def work(tx: Tx) -> Stored:
            rows = self._rows(tx, texts, scope, session)
            op = tx.journal.begin("add", at=self.clock(), scope_pk=rows[0].scope_pk)
            merged, ids = self._store(tx, op, rows, turn_pk=None)
            return Stored(ids, merged, op.id)

        return self.store.write(work)

    def say(self, turn: str, statements: Sequence[str], scope: Scope = ANA, session: str | None = None) -> Stored:
        """Store a turn and what it states."""

        def work(tx: Tx) -> Stored:
            rows = self._rows(tx, [{"content": turn, "role": "user", "kind": "episodic"}, *statements], scope, session)
            op = tx.journal.begin("add", at=self.clock(), scope_pk=rows[0].scope_pk)
            (turn_pk,) = tx.records.insert(op, rows[:1], [terms_of(turn)])
            merged, ids = self._store(tx, op, rows[1:], turn_pk=turn_pk)
            return Stored([rows[0].id, *ids], merged, op.id)

        return self.store.write(work)

    def _rows(self, tx: Tx, texts: Sequence[Any], scope: Scope, session: str | None) -> list[RecordRow]:
        scope_pk, at = tx.scopes.ensure(scope), self.clock()
        session_pk = None if session is None else tx.sessions.ensure(session, scope_pk, at=at)
        out = []
        for given_ in texts:
            values = {"content": given_} if isinstance(given_, str) else given_
            stamps = {"created_at": at, "updated_at": at, "recorded_at": at, "valid_from": at, "confidence": 0.7}
            place = {"scope_pk": scope_pk, "session_pk": session_pk, "content_hash": content_hash(values["content"])}
            out.append(RecordRow(**{"id": new_id(), **place, **stamps, **values}))
        return out

    def _store(self, tx: Tx, op: journal.Op, rows: list[RecordRow], turn_pk: int | None) -> tuple[list[str], list[str]]:
        drawn = turn_pk is not None
        for row in rows:
            row.turn_pk = turn_pk
        found = dedupe.repeats(tx, rows, at=op.at, overlap=0.6, drawn=drawn)
        new = found.new(len(rows))
        kept = [rows[at] for at in new]
        pks = tx.records.insert(op, kept, [terms_of(row.content) for row in kept]) if kept else []
        dedupe.note(tx, found, dict(zip(new, pks, strict=True)))
        if turn_pk is not None:
            tx.edges.insert_links(op, "derived_from", [(pk, turn_pk) for pk in pks])
        known = found.stored | {at: pks[new.index(first)] for at, first in found.within.items()}
        sayings = [Corroboration(pk, rows[at], turn_pk) for at, pk in sorted(known.items())]
        merged = corroborate(tx, op, sayings, scale=TrustSettings(), window_us=HOUR_US)
        op.finish(len(rows))
        return merged, [row.id for row in kept]

    def record(self, record_id: str) -> Record:
        found = self.memory.get(record_id)
        assert found is not None
        return found


@pytest.fixture
def writing() -> Iterator[Writing]:
    with open_memory(":memory:", embedder="fake", clock=Ticking()) as memory:
        yield Writing(memory)


# --- what is a repeat -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", ["Ana uses Helix", "Ana uses Helix.", "By the way, Ana is using Helix!"])
def test_a_repeat_makes_no_second_record(writing: Writing, again: str) -> None:
    first = writing.state(["Ana uses Helix"])
    second = writing.state([again])
    assert (second.ids, second.merged) == ([], first.ids)


@pytest.mark.parametrize("other", ["Ana uses Helix 2", "Ben uses Helix", "Ana no longer uses Helix", "Ana uses Helix?"])
def test_what_differs_is_a_record_of_its_own(writing: Writing, other: str) -> None:
    writing.state(["Ana uses Helix"])
    assert writing.state([other]).merged == []


def test_scopes_never_mix(writing: Writing) -> None:
    writing.state(["Ana uses Helix"], ANA)
    for scope in (BEN, Scope(), Scope(user_id="ana", agent_id="rex")):
        assert writing.state(["Ana uses Helix."], scope).merged == []


@given(st.lists(st.tuples(st.sampled_from(["ana", "ben", None]), st.integers(0, 3)), min_size=1, max_size=12))
def test_each_scope_holds_each_statement_once(adds: list[tuple[str | None, int]]) -> None:
    with open_memory(":memory:", embedder="fake") as memory:
        writing = Writing(memory)
        for user, number in adds:
            writing.state([f"Atlas has {number} services", f"Oh, Atlas has {number} services!"], Scope(user_id=user))
        with writing.store.read() as tx:
            held = tx.sql.value("SELECT count(*) FROM record WHERE retired_at IS NULL")
        assert held == len(set(adds))


def test_repeats_within_one_batch_are_one_record(writing: Writing) -> None:
    stored = writing.state(["Ana uses Helix", "Ben lives in Lima", "Ana uses Helix.", "Ben lives in Rome"])
    assert len(stored.ids) == 3
    assert stored.merged == stored.ids[:1]
    assert writing.record(stored.ids[0]).attributes == {CORROBORATIONS: 1}


def test_other_kinds_and_tiers_are_other_records(writing: Writing) -> None:
    writing.state(["Ana uses Helix"])
    assert writing.state([{"content": "Ana uses Helix", "kind": "opinion"}]).merged == []
    assert writing.state([{"content": "Ana uses Helix", "tier": "session"}]).merged == []


def test_events_and_turns_that_are_given_are_never_merged(writing: Writing) -> None:
    for given_ in ({"content": "ok", "kind": "episodic"}, {"content": "ok", "kind": "episodic", "role": "user"}):
        assert writing.state([given_, given_]).merged == []
        assert writing.state([given_]).merged == []


def test_what_a_caller_attached_is_not_lost(writing: Writing) -> None:
    first = writing.state([{"content": "Ana uses Helix", "metadata": '{"team":"core"}', "tags": '["editor"]'}])
    assert writing.state([{"content": "Ana uses Helix", "metadata": '{"team":"web"}'}]).merged == []
    assert writing.state([{"content": "Ana uses Helix", "tags": '["vim"]'}]).merged == []
    assert writing.state([{"content": "Ana uses Helix", "metadata": '{"team":"core"}'}]).merged == first.ids
    assert writing.state(["Ana uses Helix"]).merged == first.ids


def test_i_is_whoever_says_it(writing: Writing) -> None:
    first = writing.state([{"content": "I prefer tea", "speaker": "Ana"}])
    assert writing.state([{"content": "I prefer tea", "speaker": "Ben"}]).merged == []
    assert writing.state([{"content": "I prefer tea.", "speaker": "Ana"}]).merged == first.ids
    known = writing.state([{"content": "Ana prefers tea", "speaker": "Ana"}])
    assert writing.state([{"content": "Ana prefers tea", "speaker": "Ben"}]).merged == known.ids


def test_another_yesterday_is_another_day(writing: Writing) -> None:
    said = {"content": "Ana met Ben yesterday", "event_time": MAY_3, "valid_from": MAY_3}
    week = {"event_time": MAY_3 + 7 * DAY_US, "valid_from": MAY_3 + 7 * DAY_US}
    first = writing.state([said])
    assert writing.state([said | week]).merged == []
    assert writing.state([said]).merged == first.ids


def test_a_date_in_full_is_the_same_whenever_it_is_said(writing: Writing) -> None:
    first = writing.say("I was born on 5 May 1990", ["Ana was born on 5 May 1990"])
    again = writing.say("Yes, on 5 May 1990", ["Ana was born on 5 May 1990"])
    assert len(again.merged) == 1
    assert set(again.merged) <= set(first.ids)


def test_what_happened_on_another_day_happened_again(writing: Writing) -> None:
    said = {"content": "Ana went running", "category": "experience", "event_time": MAY_3}
    first = writing.state([said])
    assert writing.state([said | {"event_time": MAY_3 + DAY_US}]).merged == []
    assert writing.state([said]).merged == first.ids


def test_what_has_ended_or_is_yet_to_come_is_not_repeated_by_what_holds(writing: Writing) -> None:
    now = writing.clock()
    writing.state([{"content": "Ana uses vim", "valid_until": now - 1, "valid_from": now - 2}])
    writing.state([{"content": "Ben works at Acme", "valid_from": now + DAY_US}])
    assert writing.state(["Ana uses vim"]).merged == []
    assert writing.state(["Ben works at Acme"]).merged == []


def test_deleted_and_corrected_records_are_not_repeated(writing: Writing) -> None:
    first = writing.state(["Ana uses vim", "Ben uses vim"])
    writing.memory.delete(first.ids[0])
    writing.memory.correct(first.ids[1], "Ben uses Helix")
    assert writing.state(["Ana uses vim", "Ben uses vim"]).merged == []
    assert len(writing.state(["Ben uses Helix"]).merged) == 1


def test_a_text_that_was_updated_is_not_found_by_what_it_said(writing: Writing) -> None:
    first = writing.state(["Ana uses vim"])
    writing.memory.update(first.ids[0], content="Ana uses Helix")
    assert writing.state(["Oh, Ana uses vim"]).merged == []
    assert writing.state(["Ana uses Helix"]).merged == first.ids  # by its hash


def test_a_text_that_was_updated_is_found_by_what_it_says_now(writing: Writing) -> None:
    first = writing.state(["Ana uses vim"])
    writing.memory.update(first.ids[0], content="Ana uses Helix")

    def note(tx: Tx) -> None:
        pk = tx.records.find_pk(first.ids[0], now=writing.clock())
        dedupe.note_text(tx, pk, RecordRow(**(tx.records.columns_of(pk) or {})))

    writing.store.write(note)
    assert writing.state(["Oh, Ana is using Helix"]).merged == first.ids


def test_erased_records_leave_no_sense(writing: Writing) -> None:
    first = writing.state(["Ana uses vim"])
    writing.memory.delete(first.ids[0], hard=True)
    with writing.store.read() as tx:
        assert tx.sql.value("SELECT count(*) FROM sense") == 0


# --- what a repeat does ---------------------------------------------------------------------------------------------


def test_a_statement_rests_on_every_turn_that_says_it(writing: Writing) -> None:
    first = writing.say("I use Helix.", ["Ana uses Helix"], session="s1")
    second = writing.say("Still on Helix, I use Helix.", ["Ana uses Helix."], session="s2")
    assert second.merged == first.ids[1:]
    with writing.store.read() as tx:
        rows = tx.sql.all(
            "SELECT t.id FROM member m JOIN edge e ON e.pk = m.edge_pk JOIN member o ON o.edge_pk = e.pk "
            "JOIN record s ON s.pk = m.record_pk JOIN record t ON t.pk = o.record_pk "
            "WHERE s.id = ? AND m.role = 'subject' AND o.role = 'object' AND e.label = 'derived_from' ORDER BY t.pk",
            (first.ids[1],),
        )
    assert [row[0] for row in rows] == [first.ids[0], second.ids[0]]
    assert writing.record(first.ids[1]).provenance_sessions == ("s1", "s2")


def test_each_further_session_makes_it_surer(writing: Writing) -> None:
    (said,) = writing.state(["Ana uses Helix"], session="s1").ids
    expected = 0.7
    for session, share in (("s2", 1.0), ("s2", AGAIN_SHARE), ("s3", 1.0)):
        before = writing.record(said).updated_at
        writing.state(["Ana uses Helix"], session=session)
        now = writing.record(said)
        expected += (1 - expected) * GAIN * 0.7 * share
        assert now.confidence == pytest.approx(expected)
        assert now.updated_at > before
    assert now.attributes == {CORROBORATIONS: 3}
    assert (now.version, now.provenance_sessions) == (1, ("s1", "s2", "s3"))


def test_outside_of_sessions_who_says_it_again_soon_brings_half(writing: Writing) -> None:
    clock = writing.clock
    assert isinstance(clock, Ticking)
    (said,) = writing.state(["Ana uses Helix"]).ids
    expected = 0.7
    for days, share in ((0.0, AGAIN_SHARE), (1.0, 1.0)):
        clock.skip(days)
        writing.state(["Ana uses Helix"])
        expected += (1 - expected) * GAIN * 0.7 * share
        assert writing.record(said).confidence == pytest.approx(expected)


def test_confidence_never_exceeds_certainty(writing: Writing) -> None:
    (said,) = writing.state([{"content": "Ana uses Helix", "confidence": 1.0}]).ids
    writing.state(["Ana uses Helix"] * 50)
    assert writing.record(said).confidence == 1.0


def test_repeating_what_was_flagged_does_not_make_it_surer(writing: Writing) -> None:
    (said,) = writing.state(["Ana uses Helix"]).ids
    writing.memory.flag(said, reason="she never said that")
    writing.state(["Ana uses Helix"])
    now = writing.record(said)
    assert (now.confidence, now.flagged) == (0.7, True)


def test_what_was_recalled_is_no_second_source(writing: Writing) -> None:
    (said,) = writing.state(["Ana uses Helix"], session="s1").ids

    def work(tx: Tx) -> None:
        (row,) = writing._rows(tx, ["Ana uses Helix"], ANA, "s2")
        op = tx.journal.begin("add", at=writing.clock(), scope_pk=row.scope_pk)
        corroborate(
            tx,
            op,
            [Corroboration(tx.records.find_pk(said, now=op.at), row, recalled=True)],
            scale=TrustSettings(),
            window_us=HOUR_US,
        )
        op.finish(1)

    writing.store.write(work)
    now = writing.record(said)
    assert (now.confidence, now.provenance_sessions, now.attributes[CORROBORATIONS]) == (0.7, ("s1",), 0)


def test_what_is_drawn_may_repeat_what_was_given_but_not_the_other_way_round(writing: Writing) -> None:
    drawn = writing.say("I use Helix.", ["Ana uses Helix"])
    given_ = writing.state(["Ana uses Helix"])
    assert given_.merged == []
    assert writing.say("Ben lives in Lima, you know.", ["Ben lives in Lima"]).merged == []
    known = writing.state(["Dana lives in Oslo"])
    assert writing.say("Dana lives in Oslo.", ["Dana lives in Oslo"]).merged == known.ids
    assert len(drawn.ids) == 2


def test_undo_takes_a_repeat_back_exactly(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path, clock=Ticking()) as memory:
        writing = Writing(memory)
        writing.say("I use Helix.", ["Ana uses Helix", "Ana lives in Rome"], session="s1")
        before = visible_state(path)
        done = writing.say("Helix it is.", ["Ana uses Helix.", "Ana uses Helix!", "Ana likes tea"], session="s2")
        after = visible_state(path)
        undone = memory.undo(done.operation).operation
        assert visible_state(path) == before
        assert undone is not None
        memory.undo(undone)
        assert visible_state(path) == after


# --- turns that come again ------------------------------------------------------------------------------------------


def turn(text: str, *, at: int | None, session_pk: int | None, scope_pk: int, **more: Any) -> RecordRow:
    base = {"kind": "episodic", "category": "turn", "role": "user", "speaker": "Ana"} | more
    return RecordRow(
        id=new_id(),
        scope_pk=scope_pk,
        session_pk=session_pk,
        content=text,
        content_hash=content_hash(text),
        created_at=1,
        updated_at=1,
        recorded_at=1,
        event_time=at,
        **base,
    )


def test_a_turn_delivered_again_is_the_same_turn(writing: Writing) -> None:
    def work(tx: Tx) -> None:
        scope_pk = tx.scopes.ensure(ANA)
        one, two = (tx.sessions.ensure(name, scope_pk, at=1) for name in ("s1", "s2"))
        op = tx.journal.begin("add", at=writing.clock(), scope_pk=scope_pk)
        place: dict[str, Any] = {"session_pk": one, "scope_pk": scope_pk}
        stored = [turn("ok", at=MAY_3, **place), turn("ok", at=MAY_3, **place), turn("hm", at=None, **place)]
        pks = tx.records.insert(op, stored, [["ok"], ["ok"], ["hm"]])
        op.finish(3)
        again = [turn("ok", at=MAY_3, **place) for _ in range(3)]
        assert dedupe.delivered_again(tx, again) == {0: pks[0], 1: pks[1]}
        others = [
            turn("ok", at=MAY_3 + 1, **place),
            turn("ok", at=None, **place),
            turn("hm", at=None, **place),
            turn("OK", at=MAY_3, **place),
            turn("ok", at=MAY_3, **place, speaker="Ben"),
            turn("ok", at=MAY_3, **place, metadata='{"n":2}'),
            turn("ok", at=MAY_3, **place | {"session_pk": two}),
            turn("ok", at=MAY_3, **place | {"session_pk": None}),
        ]
        assert dedupe.delivered_again(tx, others) == {}

    writing.store.write(work)
