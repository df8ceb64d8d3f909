"""What `add` finds in a text: statements about the speaker, times, feeling, what to filter by, shorter forms."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from properties.tables import open_quick, visible_state
from ticking import Ticking

from recollect import Memory
from recollect.model.record import Kind, Record
from recollect.wiring import open_memory

STATEMENTS = ["semantic", "opinion", "procedural"]
MAY_3 = "2026-05-03T10:00:00Z"


@pytest.fixture
def mem() -> Iterator[Memory]:
    with open_memory(":memory:", embedder="wordllama", clock=Ticking()) as memory:
        yield memory


def say(mem: Memory, text: str, **more: Any) -> Any:
    turn = {"role": "user", "name": "Ana", "content": text, "timestamp": MAY_3} | more.pop("turn", {})
    return mem.add([turn], **{"session_id": "s1", **more})


def stated(mem: Memory, **more: Any) -> list[Record]:
    return sorted(mem.get_all(kinds=STATEMENTS, **more), key=lambda record: record.content)


def contents(mem: Memory, **more: Any) -> list[str]:
    return [record.content for record in stated(mem, **more)]


# --- statements -----------------------------------------------------------------------------------------------------


def test_a_turn_gives_one_statement_for_each_thing_it_says_about_the_speaker(mem: Memory) -> None:
    receipt = say(mem, "I use Rust and React.")
    assert contents(mem) == ["Ana uses React", "Ana uses Rust"]
    assert set(receipt.statements) == {record.id for record in stated(mem)}
    assert len(receipt.ids) == 1
    assert [record.kind for record in receipt.records] == [Kind.EPISODIC, Kind.SEMANTIC, Kind.SEMANTIC]


def test_a_statement_tells_subject_predicate_object_and_how_sure_it_is(mem: Memory) -> None:
    say(mem, "I don't use vim any more.")
    (statement,) = stated(mem)
    assert (statement.subject, statement.predicate, statement.object) == ("Ana", "uses", "vim")
    assert statement.confidence == 0.7
    assert statement.attributes["polarity"] == "-"
    assert statement.attributes["ended"]


def test_a_statement_takes_over_what_was_said_of_its_turn(mem: Memory) -> None:
    say(mem, "I use Rust.", tags=["tools"], metadata={"team": "core"}, importance=0.8, user_id="ana")
    (statement,) = stated(mem, user_id="ana")
    assert (statement.tags, statement.metadata, statement.importance) == (("tools",), {"team": "core"}, 0.8)
    assert (statement.scope.user_id, statement.session_id, statement.speaker) == ("ana", "s1", "Ana")
    assert stated(mem) == []


def test_a_statement_rests_on_its_turn(mem: Memory) -> None:
    turn = say(mem, "I use Rust at work.").id
    (hit,) = mem.search("Rust", kinds=["semantic"])
    assert [source.id for source in hit.sources] == [turn]
    found = mem.related(hit.id, labels=["derived_from"])
    assert turn in {record.id for record in found.records}


@pytest.mark.parametrize("text", ["Hi there!", "What do you think?", "Thanks, that helps a lot!", "ok"])
def test_what_states_nothing_gives_no_statement(mem: Memory, text: str) -> None:
    say(mem, text)
    assert stated(mem) == []


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_what_a_machine_says_is_kept_and_not_drawn_from(mem: Memory, role: str) -> None:
    say(mem, "The service runs on Kubernetes in Oslo.", turn={"role": role})
    assert stated(mem) == []
    assert len(mem.get_all()) == 1


def test_unless_that_is_wanted() -> None:
    with open_memory(":memory:", embedder="fake", config={"perceive.assistant_statements": True}) as mem:
        say(mem, "The service runs on Kubernetes in Oslo.", turn={"role": "assistant"})
        assert stated(mem)


@pytest.mark.parametrize("how", [{"config": {"perceive.statements": "off"}}, {"infer": False}])
def test_no_statement_where_none_is_wanted(how: dict[str, Any]) -> None:
    with open_memory(":memory:", embedder="fake", config=how.get("config")) as mem:
        say(mem, "I use Rust.", infer=how.get("infer", True))
        assert stated(mem) == []


# --- statements answer through their turns ----------------------------------------------------------------------------


def test_a_search_gives_the_turn_once_and_not_its_statements(mem: Memory) -> None:
    turn = say(mem, "I use Rust and React at work.").id
    assert [hit.id for hit in mem.search("what does Ana use?")] == [turn]


@pytest.mark.parametrize(
    "asked",
    [{"kinds": ["semantic"]}, {"categories": ["fact"]}, {"filters": {"predicate": "uses"}}],
)
def test_who_asks_for_statements_gets_them(mem: Memory, asked: dict[str, Any]) -> None:
    say(mem, "I use Rust.")
    assert [hit.content for hit in mem.search("Rust", **asked)] == ["Ana uses Rust"]


def test_the_words_of_statements_do_not_count_twice(mem: Memory) -> None:
    say(mem, "I use Rust.")
    say(mem, "I play the cello.")
    forward = mem._engine.indexes.forward
    mem.search("cello")
    assert forward.count() == 2
    assert forward.holders(forward.term_ids(["cello"])).tolist() == [1]


def test_a_statement_that_was_corrected_stands_on_its_own_and_before_the_turn(mem: Memory) -> None:
    say(mem, "My favourite editor is vim.")
    (old,) = stated(mem)
    mem.correct(old.id, "Ana's favourite editor is Helix")
    found = [hit.content for hit in mem.search("what is Ana's favourite editor?")]
    assert found == ["Ana's favourite editor is Helix", "My favourite editor is vim."]


def test_a_statement_that_was_edited_stands_on_its_own(mem: Memory) -> None:
    say(mem, "I use Rust.")
    (statement,) = stated(mem)
    mem.update(statement.id, content="Ana uses Rust and Zig")
    assert "Ana uses Rust and Zig" in [hit.content for hit in mem.search("Zig")]


# --- they go with their turns -----------------------------------------------------------------------------------------


def test_forgetting_a_turn_forgets_what_only_it_stated_and_undo_brings_both_back(mem: Memory) -> None:
    turn = say(mem, "I use Rust.").id
    operation = mem.delete(turn).operation
    assert contents(mem) == []
    mem.undo(operation)
    assert contents(mem) == ["Ana uses Rust"]


def test_what_another_turn_says_too_stays(mem: Memory) -> None:
    first = say(mem, "I use Rust.").id
    second = say(mem, "I use Rust!", session_id="s2").id
    assert contents(mem) == ["Ana uses Rust"]
    mem.delete(first)
    (hit,) = mem.search("Rust", kinds=["semantic"])
    assert [source.id for source in hit.sources] == [second]
    mem.delete(second)
    assert contents(mem) == []


def test_what_a_person_confirmed_stays_on_its_own(mem: Memory) -> None:
    turn = say(mem, "I use Rust.").id
    mem.confirm(stated(mem)[0].id)
    mem.delete(turn)
    assert [hit.content for hit in mem.search("Rust")] == ["Ana uses Rust"]


def test_an_erased_turn_leaves_no_statement_behind(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        turn = say(mem, "My password hint is xylophone.").id
        mem.confirm(stated(mem)[0].id)
        mem.delete(turn, hard=True)
        assert len(mem.get_all()) == 0
    assert all(b"xylophone" not in file.read_bytes() for file in tmp_path.iterdir())


def test_an_undone_turn_takes_its_statements_along(mem: Memory) -> None:
    operation = say(mem, "I use Rust.").operation
    mem.undo(operation)
    assert len(mem.get_all()) == 0


def test_a_turn_with_another_text_states_something_else(mem: Memory) -> None:
    turn = say(mem, "I use Rust.").id
    operation = mem.update(turn, content="I use Zig.").operation
    assert contents(mem) == ["Ana uses Zig"]
    mem.undo(operation)
    assert contents(mem) == ["Ana uses Rust"]


def test_a_corrected_turn_ends_what_it_stated(mem: Memory) -> None:
    turn = say(mem, "I use Rust.").id
    operation = mem.correct(turn, "I use Zig.").operation
    assert contents(mem) == ["Ana uses Zig"]
    mem.undo(operation)
    assert contents(mem) == ["Ana uses Rust"]


def test_undo_is_exact(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db", clock=Ticking()) as mem:
        say(mem, "I use Rust and React. I moved to Oslo last week!")
        before = visible_state(tmp_path / "m.db")
        for change in (
            lambda: say(mem, "I use Rust. I live in Bergen.", session_id="s2"),
            lambda: mem.update(mem.get_all(kinds=["episodic"]).records[0].id, content="I use Go."),
            lambda: mem.correct(mem.get_all(kinds=["semantic"]).records[0].id, "Ana uses Ada"),
            lambda: mem.delete(mem.get_all(kinds=["episodic"]).records[0].id),
        ):
            mem.undo(change().operation)
            assert visible_state(tmp_path / "m.db") == before


# --- times ------------------------------------------------------------------------------------------------------------


def test_what_a_statement_tells_of_happened_when_it_says(mem: Memory) -> None:
    say(mem, "I moved to Oslo last month.")
    (statement,) = stated(mem)
    assert statement.event_time == datetime(2026, 4, 1, tzinfo=UTC)
    (turn,) = mem.get_all(kinds=["episodic"])
    assert turn.event_time == datetime(2026, 5, 3, 10, tzinfo=UTC)
    assert turn.perceived["dates"] == ["2026-04"]


def test_a_plain_text_happened_when_it_says_unless_somebody_knows_better(mem: Memory) -> None:
    told = mem.add("Ana moved to Oslo on 3 March 2024")
    assert told.records[0].event_time == datetime(2024, 3, 3, tzinfo=UTC)
    known = mem.add("Ben moved to Oslo on 3 March 2024", timestamp=MAY_3)
    assert known.records[0].event_time == datetime(2026, 5, 3, 10, tzinfo=UTC)
    assert mem.add("From 2019 on, and then again in 2022").records[0].event_time is None


# --- what it can be filtered by -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "filters",
    [
        {"metadata.technologies": {"contains": "Docker"}},
        {"perceived.technologies": {"contains": "Docker"}},
        {"metadata.language": "en"},
        {"metadata.file_paths": {"contains": "src/auth.rs"}},
        {"metadata.sentiment": {"gt": 0.2}},
        {"metadata.topics": {"contains": "rust"}},
    ],
)
def test_a_text_is_found_by_what_is_in_it(mem: Memory, filters: dict[str, Any]) -> None:
    kept = mem.add("I love the Rust compiler, and src/auth.rs with Docker is wonderful work.").id
    mem.add("La reunión es el lunes en la oficina de Madrid.")
    assert [record.id for record in mem.get_all(filters=filters)] == [kept]


def test_a_callers_own_metadata_goes_first_and_stays_as_it_is(mem: Memory) -> None:
    kept = mem.add("This is what we have written in plain English", metadata={"language": "xx"})
    assert kept.records[0].metadata == {"language": "xx"}
    assert mem.get_all(filters={"metadata.language": "xx"})
    assert not mem.get_all(filters={"metadata.language": "en"})
    assert mem.get_all(filters={"perceived.language": "en"})


def test_every_record_has_shorter_forms_and_their_costs(mem: Memory) -> None:
    text = "The harbour office moved. " * 20 + "Ana signed the lease for the new building on Friday."
    perceived = mem.add(text).records[0].perceived
    assert len(text) > len(perceived["summary"]) > len(perceived["key_fact"]) > len(perceived["tag"]) > 0
    assert perceived["tokens"] == sorted(perceived["tokens"], reverse=True)


def test_feeling_is_kept(mem: Memory) -> None:
    glad, sad, plain = mem.add(
        ["This is wonderful, I love it!", "This is a terrible disaster.", "The meeting is at nine."]
    ).records
    assert glad.affect is not None
    assert sad.affect is not None
    assert sad.affect.valence < -0.3 < 0.3 < glad.affect.valence
    assert plain.affect is None or plain.affect.valence == 0


def test_what_a_caller_gave_is_not_overwritten(mem: Memory) -> None:
    record = mem.add({"content": "Ana uses Rust", "subject": "the team", "facets": {"diataxis_type": "howto"}}).records[
        0
    ]
    assert record.subject == "the team"
    assert record.facets is not None
    assert record.facets.diataxis_type == "howto"


# --- nothing is lost by a repeat -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [
        {"timestamp": "2026-06-09"},
        {"category": "experience"},
        {"source": "mail"},
        {"valid_from": "2020-01-01"},
        {"tags": ["home"]},
        {"metadata": {"page": 3}},
        {"user_id": "ben"},
        {"infer": False},
    ],
)
def test_what_was_given_with_it_keeps_a_text_apart(mem: Memory, other: dict[str, Any]) -> None:
    first = mem.add("Ana went to the doctor", timestamp="2026-01-05").id
    again = mem.add("Ana went to the doctor", **{"timestamp": "2026-01-05", **other})
    assert again.merged == ()
    assert again.id != first


def test_the_same_text_of_the_same_day_is_said_again(mem: Memory) -> None:
    first = mem.add("Ana went to the doctor", timestamp="2026-01-05").id
    again = mem.add("Ana went to the doctor", timestamp="2026-01-05")
    assert (again.ids, again.merged) == ((first,), (first,))
    assert (again.event, again.count) == ("NONE", 0)
    assert [each["event"] for each in again.to_dict()["results"]] == ["NONE"]
    mixed = mem.add(["Ana went to the doctor", "Ben sold his bike"], timestamp="2026-01-05")
    assert (mixed.event, mixed.count) == ("ADD", 1)
    assert [each["event"] for each in mixed.to_dict()["results"]] == ["NONE", "ADD"]


def test_a_text_that_is_said_again_as_something_else_is_one_record_with_the_new_category(mem: Memory) -> None:
    first = mem.add("Ana drinks tea").id
    again = mem.add("Ana drinks tea", category="preference")
    assert (again.ids, again.event, again.count) == ((first,), "UPDATE", 1)
    plain = mem.add("Ana drinks tea")  # says nothing of its category
    assert (plain.ids, plain.event) == ((first,), "NONE")
    assert [(each.category, each.version) for each in mem.get_all()] == [("preference", 2)]
    mem.undo(plain)
    mem.undo(again)
    assert [each.category for each in mem.get_all()] == ["fact"]


@pytest.mark.parametrize(("first", "again"), [(0.2, 1.0), (0.5, 0.9), (0.9, 0.5), (1.0, 0.2)])
def test_a_repeated_fact_takes_the_surer_confidence(mem: Memory, first: float, again: float) -> None:
    said = mem.add("The door is green", confidence=first).id
    assert mem.add("The door is green", confidence=again).merged == (said,)
    assert mem.get_all()[0].confidence >= max(first, again)


def test_what_is_said_twice_in_one_breath_counts_once(mem: Memory) -> None:
    receipt = mem.add(["Ana likes tea"] * 3)
    assert len(set(receipt.ids)) == 1
    assert (len(receipt.ids), receipt.merged, receipt.count) == (3, (), 1)


@pytest.mark.parametrize("role", ["agent", "bot", "model", "function"])
def test_whatever_a_machine_is_called_it_is_not_the_user(mem: Memory, role: str) -> None:
    mem.add([{"role": role, "content": "I like eels very much."}])
    assert stated(mem) == []
