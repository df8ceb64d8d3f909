"""Which of two statements holds, what becomes of the other, and how a search sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from properties.tables import open_quick, rows, visible_state
from ticking import Ticking
from upkeep.upkeep_runs import run_steps, table

from recollect.memory import Memory
from recollect.model.record import Record
from recollect.upkeep.consolidation.consolidate import ConsolidateStep
from recollect.upkeep.jobs.worker import JobWorker

QUIET = {"upkeep.after_session": False}


class Talk:
    """A memory in which Ana says something now and then."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = Ticking()
        self.memory = open_quick(path, clock=self.clock, config=QUIET)
        self.said = 0

    def say(self, text: str, *, days: float = 10, name: str = "Ana", **more: Any) -> None:
        self.clock.skip(days)
        self.said += 1
        self.memory.add(
            [{"role": "user", "name": name, "content": text, **more}], session_id=f"s{self.said}", user_id="ana"
        )

    def consolidate(self, **more: Any) -> Any:
        self.clock.skip(1)
        return run_steps(self.memory, ConsolidateStep(), **more)

    def stated(self, text: str) -> dict[str, Any]:
        (row,) = table(self.path, "SELECT * FROM record WHERE content = ? AND head_pk IS NULL", text)
        return row

    def holds(self, text: str) -> bool:
        row = self.stated(text)
        return row["retired_at"] is None and row["valid_until"] is None

    def labels(self, newer: str, older: str) -> list[str]:
        found = table(
            self.path,
            "SELECT e.label FROM edge e JOIN member m ON m.edge_pk = e.pk AND m.position = 0 JOIN member n "
            "ON n.edge_pk = e.pk AND n.position = 1 JOIN record a ON a.pk = m.record_pk JOIN record b "
            "ON b.pk = n.record_pk WHERE a.content = ? AND b.content = ? AND e.retired_at IS NULL ORDER BY e.label",
            newer,
            older,
        )
        return [row["label"] for row in found]


@pytest.fixture
def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Talk]:
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)  # nothing happens by itself
    opened = Talk(tmp_path / "m.db")
    yield opened
    opened.memory.close()


def contents(records: Any) -> list[str]:
    return [record.content for record in records if isinstance(record, Record)]


def test_the_newer_one_holds_and_the_older_one_ends_when_it_begins(talk: Talk) -> None:
    talk.say("I live in Lisbon.")
    talk.say("I moved to Porto.")
    report = talk.consolidate()
    assert report.counts["retired"] == 1
    assert report.items[0].reason == "home: Lisbon → Porto"
    older, newer = talk.stated("Ana lives in Lisbon"), talk.stated("Ana moved to Porto")
    assert older["retired_at"] is None
    assert older["valid_until"] == newer["valid_from"]
    assert talk.labels("Ana moved to Porto", "Ana lives in Lisbon") == ["supersedes"]
    assert talk.labels("I moved to Porto.", "I live in Lisbon.") == ["updates"]


def test_a_share_of_what_was_believed_is_carried_over(talk: Talk) -> None:
    talk.say("I live in Lisbon.")
    talk.say("I moved to Porto.")
    before = talk.stated("Ana moved to Porto")["confidence"]
    talk.consolidate()
    assert talk.stated("Ana moved to Porto")["confidence"] == pytest.approx(before + 0.2 * 0.7)


def test_the_past_is_the_truth_of_its_time(talk: Talk) -> None:
    talk.say("I live in Lisbon.")
    then = talk.clock.skip(1)
    talk.say("I live in Porto now.")
    talk.consolidate()
    now = contents(talk.memory.get_all(user_id="ana", kinds=["semantic"]))
    assert now == ["Ana lives in Porto now"]
    found = talk.memory.search("Ana lives in", user_id="ana", as_of=then, kinds=["semantic"])
    assert [hit.content for hit in found] == ["Ana lives in Lisbon"]


def test_a_search_finds_the_present_first(talk: Talk) -> None:
    talk.say("I live in Lisbon, I live in Lisbon with my sister.")
    for city in ("Porto", "Berlin"):
        talk.say(f"I moved to {city}.")
    talk.consolidate()
    found = [hit.content for hit in talk.memory.search("Where does Ana live?", user_id="ana")]
    assert found.index("I moved to Berlin.") < found.index("I moved to Porto.")
    assert found.index("I moved to Porto.") < found.index("I live in Lisbon, I live in Lisbon with my sister.")


def test_each_value_is_followed_by_the_next_one(talk: Talk) -> None:
    for euros in ("900", "950", "1,000"):
        talk.say(f"My rent is {euros} euros a month.")
    talk.consolidate()
    first, second, third = (f"Ana's rent is {euros} euros a month" for euros in ("900", "950", "1,000"))
    assert talk.labels(second, first) == ["supersedes"]
    assert talk.labels(third, second) == ["supersedes"]
    assert talk.labels(third, first) == []
    assert talk.stated(first)["valid_until"] == talk.stated(second)["valid_from"]


def test_what_was_said_long_ago_and_stored_now_is_older(talk: Talk) -> None:
    talk.say("I live in Porto.", timestamp="2024-05-01")
    talk.say("I live in Lisbon.", timestamp="2022-05-01")
    talk.consolidate()
    assert talk.holds("Ana lives in Porto")
    lisbon, porto = talk.stated("Ana lives in Lisbon"), talk.stated("Ana lives in Porto")
    assert lisbon["valid_from"] < lisbon["valid_until"] == porto["valid_from"]
    found = talk.memory.search("Ana lives in", user_id="ana", as_of="2023-01-01", kinds=["semantic"])
    assert [hit.content for hit in found] == ["Ana lives in Lisbon"]


def test_what_comes_beside_the_rest_retires_nothing(talk: Talk) -> None:
    for text in (
        "I have a dog named Rex.",
        "I got a second dog.",
        "I like sushi.",
        "I like ramen.",
        "I visited Rome.",
        "I visited Oslo.",
        "I speak French.",
        "I speak Greek.",
        "I use vim.",
        "I use Slack.",
        "Ben lives in Oslo.",
        "I live in Lisbon.",
        "I might move to Porto.",
        "I work at Acme.",
        "I also work at Zenit on weekends.",
    ):
        talk.say(text)
    assert talk.consolidate().counts == {}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Lisbon.", "I was going to move to Porto but I did not."),
        ("I live in Lisbon.", "I am moving to Porto in 2031."),
        ("I live in Lisbon.", "I live in Porto from 2031 on."),
        ("I live in Lisbon.", "I moved to Porto in 2012."),
        ("I live in Lisbon.", "In winter I move to Porto."),
        ("I live in Lisbon.", "In my novel I live in Porto."),
        ("My car is a Skoda.", "My car is in the yard."),
        ("I have a bike.", "I don't have the bike today."),
    ],
)
def test_what_is_limited_or_to_come_retires_nothing(talk: Talk, older: str, newer: str) -> None:
    talk.say(older)
    talk.say(newer)
    assert talk.consolidate().counts == {}


def test_what_begins_later_than_it_is_said_retires_nothing(talk: Talk) -> None:
    talk.memory.add("Ana lives in Lisbon", kind="semantic", user_id="ana")
    talk.clock.skip(3)
    talk.memory.add("Ana lives in Porto now", kind="semantic", user_id="ana", valid_from="2099-01-01")
    assert talk.consolidate().counts == {}


def test_a_way_back_holds_again(talk: Talk) -> None:
    talk.say("I live in Lisbon.")
    talk.say("I live in Porto now.")
    talk.consolidate()
    talk.say("I live in Lisbon.")
    talk.consolidate()
    live = contents(talk.memory.get_all(user_id="ana", kinds=["semantic"]))
    assert live == ["Ana lives in Lisbon"]


def test_what_a_person_confirmed_is_asked_about_and_not_retired(talk: Talk) -> None:
    talk.say("I live in Lisbon.")
    talk.memory.confirm(talk.stated("Ana lives in Lisbon")["id"])
    talk.say("I moved to Porto.")
    report = talk.consolidate()
    assert talk.holds("Ana lives in Lisbon")
    assert talk.labels("Ana moved to Porto", "Ana lives in Lisbon") == ["contradicts"]
    assert dict(report.counts) == {"linked": 1}


def test_much_evidence_is_not_overruled_by_a_word(talk: Talk) -> None:
    for _ in range(12):
        talk.say("My rent is 900 euros a month.")
    talk.say("My rent is 950 euros a month.")
    talk.consolidate()
    assert talk.holds("Ana's rent is 900 euros a month")
    assert talk.labels("Ana's rent is 950 euros a month", "Ana's rent is 900 euros a month") == ["contradicts"]


def test_but_by_one_that_says_it_changed(talk: Talk) -> None:
    for _ in range(12):
        talk.say("My rent is 900 euros a month.")
    talk.say("My rent went up to 950 euros a month.")
    talk.consolidate()
    assert not talk.holds("Ana's rent is 900 euros a month")


def test_two_of_one_breath_are_two_of_several(talk: Talk) -> None:
    talk.say("My rent is 900 euros a month. My rent is 950 euros a month.")
    assert talk.consolidate().counts == {}


def test_scopes_do_not_meet(talk: Talk) -> None:
    talk.say("I live in Lisbon.")
    talk.clock.skip(1)
    talk.memory.add(
        [{"role": "user", "name": "Ana", "content": "I moved to Porto."}], session_id="other", user_id="ben"
    )
    assert talk.consolidate().counts == {}


def test_what_was_given_as_a_statement_is_compared_too(talk: Talk) -> None:
    talk.memory.add("Ana lives in Lisbon", kind="semantic", user_id="ana")
    talk.clock.skip(3)
    talk.memory.add("Ana lives in Porto now", kind="semantic", user_id="ana")
    talk.consolidate()
    assert not talk.holds("Ana lives in Lisbon")
    assert talk.holds("Ana lives in Porto now")


def test_undo_takes_all_of_it_back(talk: Talk) -> None:
    talk.say("I live in Lisbon. I work for Acme. I use vim.")
    talk.say("I moved to Porto. I'm employed at Acme. I switched from vim to Helix.")
    talk.say("My rent is 900 euros a month.")
    talk.memory.confirm(talk.stated("Ana's rent is 900 euros a month")["id"])
    talk.say("My rent is now 950 euros a month.")
    before = visible_state(talk.path)
    report = talk.consolidate()
    assert set(report.counts) == {"retired", "merged", "linked"}
    assert visible_state(talk.path) != before
    talk.memory.undo(report.operation)
    assert visible_state(talk.path) == before


def test_after_an_undo_the_next_run_decides_again(talk: Talk) -> None:
    talk.say("I live in Lisbon. I work for Acme.")
    talk.say("I live in Porto now. I'm employed at Acme.")
    first = talk.consolidate()
    assert {"retired", "merged"} <= first.counts.keys()
    talk.memory.undo(first.operation)
    assert talk.holds("Ana lives in Lisbon")
    again = talk.consolidate()
    assert again.counts == first.counts
    assert not talk.holds("Ana lives in Lisbon")
    assert talk.consolidate().counts == {}


def test_after_an_undo_it_decides_by_what_is_known_then(talk: Talk) -> None:
    talk.say("I live in Lisbon.")
    talk.say("I live in Porto now.")
    talk.memory.undo(talk.consolidate().operation)
    talk.memory.confirm(talk.stated("Ana lives in Lisbon")["id"])
    talk.consolidate()
    assert talk.holds("Ana lives in Lisbon")


def test_a_relation_that_somebody_withdrew_is_not_made_again(talk: Talk) -> None:
    talk.say("I live in Lisbon.")
    talk.say("I live in Porto now.")
    done = talk.consolidate()
    old = talk.stated("Ana lives in Lisbon")["id"]
    edges = [edge for edge in talk.memory.related(old, reach="all").edges if edge.label == "supersedes"]
    talk.memory.unrelate(edges[0].id)
    talk.memory.update(old, clear=["valid_until"])
    talk.say("I live in Porto now.")
    assert done.counts.keys() == {"retired"}
    assert talk.consolidate().counts == {}
    assert talk.holds("Ana lives in Lisbon")


def test_found_contradictions_that_are_settled_go(talk: Talk) -> None:
    talk.say("I use vim.")
    talk.say("I stopped using vim.")
    talk.memory._engine.worker.run_pending()
    newer, older = talk.stated("Ana stopped using vim"), talk.stated("Ana uses vim")
    talk.memory.relate(newer["id"], older["id"], "contradicts")  # somebody's own word stays
    talk.consolidate()
    assert talk.labels("Ana stopped using vim", "Ana uses vim") == ["contradicts", "supersedes"]


def test_a_statement_that_changed_meanwhile_is_left_alone(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    from recollect.upkeep.consolidation import consolidate

    talk.say("I live in Lisbon.")
    talk.say("I moved to Porto.")
    whole = consolidate._compared

    def and_then_somebody_updates(*args: Any) -> Any:
        found = whole(*args)
        if found.decisions:
            talk.memory.update(talk.stated("Ana lives in Lisbon")["id"], importance=0.9)
        return found

    monkeypatch.setattr(consolidate, "_compared", and_then_somebody_updates)
    talk.consolidate()
    assert talk.stated("Ana lives in Lisbon")["valid_until"] is None


def test_the_words_of_an_edge_keep_other_questions_in_order(talk: Talk) -> None:
    talk.say("I use vim.")
    talk.say("I switched from vim to Helix.")
    talk.consolidate()
    (edge,) = rows_of(talk.memory, "SELECT attributes FROM edge WHERE label = 'supersedes'")
    assert '"use"' in edge["attributes"]


def rows_of(memory: Memory, sql: str) -> list[dict[str, Any]]:
    from properties.tables import looking_at

    with looking_at(memory._engine.store.path) as db:
        return rows(db, sql)
