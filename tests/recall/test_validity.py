"""What a hit says of whether it still holds: turns and statements, now, then, and as it was known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from changed_lives import ChangedLife

from recollect.model.ending import Decider, EndCause
from recollect.model.query import Criteria
from recollect.model.scope import Scope
from recollect.store.base import Params, Row, Sql, Tx
from recollect.store.journal import Op

VIM, HELIX, ZED = "I use vim", "Honestly I have been on Helix", "Zed opens my files these days."
USES_VIM, ON_HELIX = "Ana uses vim", "Ana has been on Helix"


@pytest.fixture
def life(tmp_path: Path) -> Iterator[ChangedLife]:
    opened = ChangedLife(tmp_path / "m.db")
    yield opened
    opened.memory.close()


class Counting:
    """Counts the statements that read rows."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql
        self.statements = 0

    def all(self, sql: str, params: Params = ()) -> list[Row]:
        self.statements += 1
        return self._sql.all(sql, params)

    def keys(self, pks: Iterable[int]) -> Any:
        return self._sql.keys(pks)


def on(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T09:00:00").replace(tzinfo=UTC)


def test_what_nothing_has_changed_is_current(life: ChangedLife) -> None:
    for hit in life.memory.search("peanuts", user_id="ana"):
        assert hit.current
        assert (hit.ended_at, hit.replaced_by, hit.partly_ended, hit.may_have_changed) == (None, (), False, ())
        assert hit.standing == ""


def test_a_turn_is_outdated_when_all_that_was_drawn_from_it_has_ended(life: ChangedLife) -> None:
    life.end(ON_HELIX, USES_VIM)
    hit = life.hit("which editor does Ana use", VIM)
    assert not hit.current
    assert hit.ended_at == on("2025-05-02")
    assert hit.replaced_by == (life.record(HELIX).id,), "a turn names the turn that says what is said now"
    assert hit.standing == f"until 2025-05-02, now #{life.record(HELIX).id[:8]}"
    assert life.hit("which editor does Ana use", HELIX).current


def test_a_turn_is_partly_outdated_when_some_of_what_it_said_holds(life: ChangedLife) -> None:
    life.end("Ana quit the bakery", "Ana works at the bakery")
    hit = life.hit("where does Ana work", "I work at the bakery")
    assert hit.current
    assert hit.partly_ended
    assert hit.standing == f"partly until 2025-05-30, now #{life.record('I quit the bakery').id[:8]}"
    life.write(lambda tx, op: tx.records.retire(op, tx.records.pks_of([life.record("Ana sings").id])))
    assert not life.hit("where does Ana work", "I work at the bakery").current


def test_a_turn_that_nothing_was_drawn_from_is_outdated_by_a_turn(life: ChangedLife) -> None:
    life.end("Green tea instead", "Mornings mean black coffee")
    hit = life.hit("what does Ana drink in the mornings", "Mornings mean")
    assert (hit.current, hit.ended_at) == (False, on("2025-10-10"))
    assert hit.replaced_by == (life.record("Green tea").id,)


def test_what_is_said_now_is_the_end_of_the_chain(life: ChangedLife) -> None:
    life.end(ON_HELIX, USES_VIM)
    life.end(ZED, ON_HELIX)
    hit = life.hit("which editor does Ana use", VIM)
    assert (hit.ended_at, hit.replaced_by) == (on("2025-05-02"), (life.record(ZED).id,))
    (statement,) = life.memory.search("Ana uses vim", user_id="ana", kinds=["semantic"], as_of="2025-02-01", top_k=1)
    assert statement.replaced_by == (life.record(ZED).id,)


def test_at_a_moment_before_its_end_it_was_current(life: ChangedLife) -> None:
    life.end(ON_HELIX, USES_VIM)
    then = life.hit("which editor does Ana use", VIM, as_of="2025-02-01")
    assert then.current
    assert then.ended_at == on("2025-05-02"), "and we know that it did not stay so"
    assert not life.hit("which editor does Ana use", VIM, as_of="2025-07-01").current


def test_what_was_not_known_then_is_not_told(life: ChangedLife) -> None:
    before = life.clock.skip(1)
    life.clock.skip(1)
    life.end(ON_HELIX, USES_VIM)
    life.doubt("Ana's knee hurts", "Ana runs ten")
    assert not life.hit("which editor does Ana use", VIM).current
    assert life.hit("does Ana run", "I run ten").may_have_changed
    as_known = life.hit("which editor does Ana use", VIM, known_at=before)
    assert (as_known.current, as_known.ended_at, as_known.replaced_by) == (True, None, ())
    assert life.hit("does Ana run", "I run ten", known_at=before).may_have_changed == ()


def test_what_was_known_once_and_taken_back_is_told_as_it_was_known(life: ChangedLife) -> None:
    operation = life.end(ON_HELIX, USES_VIM)
    between = life.clock.skip(1)
    life.clock.skip(1)
    life.memory.undo(operation)
    assert life.hit("which editor does Ana use", VIM).current
    assert not life.hit("which editor does Ana use", VIM, known_at=between).current


def test_a_doubt_is_told_with_its_probability_and_decides_nothing(life: ChangedLife) -> None:
    life.doubt("Ana's knee hurts", "Ana runs ten", probability=0.62, reason="running: every Sunday → no")
    hit = life.hit("does Ana run", "I run ten")
    assert hit.current
    (doubt,) = hit.may_have_changed
    knee = life.record("My knee hurts").id
    assert (doubt.id, doubt.probability, doubt.reason) == (knee, 0.62, "running: every Sunday → no")
    assert hit.standing == f"may have changed: #{knee[:8]}"
    assert life.hit("does Ana run", "I run ten", as_of="2025-03-01").may_have_changed == (), "nobody had said it yet"


def test_relations_of_change_follow_both_times(life: ChangedLife) -> None:
    before = life.clock.skip(1)
    life.clock.skip(1)
    life.end(ON_HELIX, USES_VIM)
    life.doubt("Ana's knee hurts", "Ana runs ten")
    vim, runs = life.record(USES_VIM).id, life.record("Ana runs ten").id

    def labels(record_id: str, **at: Any) -> set[str]:
        return {edge.label for edge in life.memory.related(record_id, **at).edges} & {"supersedes", "may_replace"}

    assert labels(runs) == {"may_replace"}
    assert labels(runs, known_at=before) == labels(vim, known_at=before) == set()
    stated = life.memory.get_all(user_id="ana", limit=50, kinds=["semantic"], as_of="2025-02-01")
    assert vim in {record.id for record in stated}
    assert vim not in {record.id for record in life.memory.get_all(user_id="ana", limit=50, kinds=["semantic"])}
    believed = life.memory.get_all(user_id="ana", limit=50, kinds=["semantic"], known_at=before)
    assert vim in {record.id for record in believed}


def test_a_doubt_goes_with_the_record_that_raised_it(life: ChangedLife) -> None:
    life.doubt("Ana's knee hurts", "Ana runs ten")
    life.memory.delete(life.record("My knee hurts").id, user_id="ana")
    assert life.hit("does Ana run", "I run ten").may_have_changed == ()


def test_a_record_that_the_reader_may_not_see_is_not_named(life: ChangedLife) -> None:
    secret = life.memory.add("Ana has gone back to Emacs", user_id="ana", agent_id="spy").ids[0]

    def end(tx: Tx, op: Op) -> None:
        older, newer = (tx.records.keys_by_id([each])[each] for each in (life.record(USES_VIM).id, secret))
        tx.endings.end(op, older=older, newer=newer, cause=EndCause(by=Decider.PERSON, probability=1.0))

    life.write(end)
    hit = life.hit("which editor does Ana use", VIM)
    assert (hit.current, hit.replaced_by) == (False, ())
    seen = life.hit("which editor does Ana use", VIM, agent_id="spy")
    assert seen.replaced_by == (secret,)


def test_a_record_that_says_itself_until_when_it_holds_is_over_then(life: ChangedLife) -> None:
    note = life.memory.add("The cabin is rented", user_id="ana", valid_from="2025-07-01", valid_until="2025-08-01").ids[
        0
    ]
    then = life.memory.search("cabin rented", user_id="ana", as_of="2025-07-10")[0]
    assert (then.id, then.current, then.standing) == (note, True, "until 2025-08-01")


def test_answers_cost_a_few_statements_however_many_hits_there_are(life: ChangedLife) -> None:
    life.end(ON_HELIX, USES_VIM)
    life.doubt("Ana's knee hurts", "Ana runs ten")
    with life.memory._engine.store.read() as tx:
        every = tx.shown.load(tx.records.pks_of([record.id for record in life.memory.get_all(user_id="ana", limit=50)]))
        asked = Counting(tx.sql)
        tx.validity.sql = asked  # type: ignore[assignment]
        found = tx.validity.of(every, Criteria(scope=Scope(user_id="ana")), now=life.clock())
    assert len(found) >= 2
    assert len(every) > 12
    assert asked.statements <= 5
