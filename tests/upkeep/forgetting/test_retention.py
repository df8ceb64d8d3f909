"""Rules of retention: what they take, what they spare, and that nothing goes before its time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run
from exchange.test_erase_user import traces
from properties.tables import assert_sound, counts, open_quick, visible_state
from ticking import Ticking

from recollect.errors import AccessDenied, UsageError
from recollect.memory import Memory
from recollect.model.retention import TERMS, parse_rule

DAY = 1


def contents(mem: Memory) -> set[str]:
    return {record.content for record in mem.get_all(reach="all", limit=1000)}


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


# --- the grammar


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("", "such as"),
        ("   ", "such as"),
        ("old", "no condition"),
        ("aeg>365d", "did you mean"),
        ("colour=red", "known: age"),
        ("age<365d", "takes > or >="),
        ("age>soon", "365d"),
        ("age>0d", "from 1h"),
        ("age>999999y", "from 1h"),
        ("kind=novel", "kind is one of"),
        ("kind=", "say what"),
        ("kind=episodic|", "say what"),
        ("importance<2", "0 to 1"),
        ("importance=0.5", "takes <"),
        ("confirmed=maybe", "yes or no"),
        ("age>1d,age>2d", "twice"),
        ("age>1d;kind=episodic", "365d"),
        ("age>1d OR 1=1", "365d"),
        ("kind=episodic,", "no condition"),
        ("x" * 2000, "characters"),
        (7, "such as"),
    ],
)
def test_what_is_not_understood_is_told_and_does_nothing(rule: str, told: str, memory: Memory) -> None:
    memory.add("Ana keeps bees")
    with pytest.raises(UsageError, match=told):
        memory.retain(rule, dry_run=False)
    assert contents(memory) == {"Ana keeps bees"}


def test_every_word_of_the_grammar_can_be_asked(memory: Memory) -> None:
    for word, term in TERMS.items():
        value = {"span": "1d", "share": "0.5", "flag": "yes"}.get(term.sort) or (term.among or ("x",))[0]
        for operator in term.operators:
            parse_rule(f"{word}{operator}{value}")
            assert memory.retain(f"{word}{operator}{value}")["count"] == 0


# --- what a rule takes


def test_a_dry_run_shows_counts_and_ids_and_changes_nothing(tmp_path: Path, clock: Ticking) -> None:
    with open_quick(tmp_path / "m.db", clock=clock) as mem:
        old = mem.add([{"role": "user", "content": "Old talk."}], session_id="s1", infer=False).id
        clock.skip(400 * DAY)
        mem.add([{"role": "user", "content": "New talk."}], session_id="s2", infer=False)
        mem.settle()
        before = counts(tmp_path / "m.db"), visible_state(tmp_path / "m.db")
        told = mem.retain("kind=episodic,age>365d")
        assert (told["count"], told["examples"], told["dry_run"]) == (1, [old], True)
        now = counts(tmp_path / "m.db"), visible_state(tmp_path / "m.db")
        assert now[1] == before[1]
        assert {**now[0], "audit": 0} == {**before[0], "audit": 0}


def test_one_undo_brings_back_what_a_rule_took(tmp_path: Path, clock: Ticking) -> None:
    with open_quick(tmp_path / "m.db", clock=clock) as mem:
        for n in range(5):
            mem.add(f"Old note {n}", project="atlas")
        mem.add("Old note of another project", project="other")
        clock.skip(40)
        done = mem.retain("project=atlas,age>30d", dry_run=False)
        assert (done["count"], contents(mem)) == (5, {"Old note of another project"})
        mem.undo(done.operation or "")
        assert len(contents(mem)) == 6
    assert_sound(tmp_path / "m.db")


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        ("tag=temp", {"plain", "weak", "ana's"}),
        ("importance<0.3", {"plain", "tagged", "ana's"}),
        ("user=ana", {"plain", "tagged", "weak"}),
        ("user!=ana,tag!=temp", {"tagged", "ana's"}),
        ("tag=temp|other", {"plain", "weak", "ana's"}),
        ("kind!=semantic", {"plain", "tagged", "weak", "ana's"}),
        ("unused>10d", set()),
        ("age>365d", {"plain", "tagged", "weak", "ana's"}),
    ],
)
def test_all_conditions_of_a_rule_must_hold(rule: str, left: set[str], tmp_path: Path, clock: Ticking) -> None:
    with open_quick(tmp_path / "m.db", clock=clock) as mem:
        mem.add("plain", kind="semantic")
        mem.add("tagged", tags=["temp"], kind="semantic")
        mem.add("weak", importance=0.1, kind="semantic")
        mem.add("ana's", user_id="ana", kind="semantic")
        clock.skip(20)
        mem.retain(rule, dry_run=False)
        assert contents(mem) == left


def test_a_hard_rule_leaves_no_byte(tmp_path: Path, clock: Ticking) -> None:
    with open_quick(tmp_path / "m.db", clock=clock) as mem:
        mem.add("Zmarbleton is a place", tags=["temp"])
        deleted = mem.add("Zquincewood is a place", tags=["temp"]).id
        mem.delete(deleted)
        mem.add("Ana keeps bees")
        clock.skip(2)
        assert mem.retain("tag=temp,age>1d", dry_run=False, hard=True)["count"] == 2
        assert contents(mem) == {"Ana keeps bees"}
    assert traces(tmp_path, "zmarbleton", "zquincewood") == {}


# --- what it spares


def test_what_a_person_confirmed_or_asked_to_remember_is_spared_unless_it_is_named(
    tmp_path: Path, clock: Ticking
) -> None:
    with open_quick(tmp_path / "m.db", clock=clock) as mem:
        mem.confirm(mem.add("confirmed").id)
        mem.remember("remembered")
        mem.add("neither")
        clock.skip(40)
        told = mem.retain("age>30d", dry_run=False)
        assert (told["count"], told["spared"]) == (1, 2)
        assert contents(mem) == {"confirmed", "remembered"}
        mem.retain("age>30d,remembered=yes", dry_run=False)
        assert contents(mem) == {"confirmed"}
        mem.retain("age>30d,confirmed=yes", dry_run=False)
        assert contents(mem) == set()


def test_a_clock_that_was_set_back_lets_nothing_go_early(tmp_path: Path, clock: Ticking) -> None:
    with open_quick(tmp_path / "m.db", clock=clock) as mem:
        mem.add("really old")
        clock.skip(400)
        mem.add("from today")
        clock.skip(-390)
        mem.add("stored while the clock was wrong")
        assert mem.retain("age>30d", dry_run=False)["count"] == 0, "while it is wrong, everything is younger"
        clock.skip(391)
        told = mem.retain("age>30d", dry_run=False, hard=True)
        assert contents(mem) == {"from today", "stored while the clock was wrong"}
        assert any("clock was set back" in each for each in told.warnings)
        clock.skip(31)
        mem.retain("age>30d", dry_run=False, hard=True)
        assert contents(mem) == set()


def test_an_import_has_its_age_from_its_file(tmp_path: Path, clock: Ticking) -> None:
    with open_quick(tmp_path / "m.db", clock=clock) as mem:
        mem.add("from today")
        clock.skip(-400)
        with open_quick(tmp_path / "old.db", clock=clock) as other:
            other.scoped(user_id="ana").add("an old note")
            other.scoped(user_id="ana").export(tmp_path / "old.jsonl")
        clock.skip(400)
        mem.import_(tmp_path / "old.jsonl")
        mem.retain("age>365d", dry_run=False)
        assert contents(mem) == {"from today"}


# --- rules that are kept


def test_rules_are_kept_listed_and_dropped(memory: Memory) -> None:
    assert memory.retain(list=True)["rules"] == []
    memory.retain("kind=episodic, age>365d", keep="talk")
    kept = memory.retain("age>30d,tag=temp", keep="temp", hard=True)
    assert [(each["name"], each["rule"], each["hard"]) for each in kept["rules"]] == [
        ("talk", "kind=episodic,age>365d", False),
        ("temp", "age>30d,tag=temp", True),
    ]
    assert any("takes the place" in each for each in memory.retain("age>1d", keep="temp").warnings)
    assert [each["name"] for each in memory.retain(drop="talk")["rules"]] == ["temp"]
    with pytest.raises(UsageError, match="no rule"):
        memory.retain(drop="talk")
    with pytest.raises(UsageError, match="as they are stored"):
        memory.retain("kind=episodic", keep="all talk")
    with pytest.raises(UsageError, match="one at a time"):
        memory.retain("age>1d", drop="temp")
    changed = [entry for entry in memory._opened.audit.entries(limit=20) if entry.event == "policy_changed"]
    assert len(changed) >= 4


def test_upkeep_applies_the_rules_that_are_kept(tmp_path: Path, clock: Ticking) -> None:
    with open_quick(tmp_path / "m.db", clock=clock, config={"decay.gc_threshold": 0.001}) as mem:
        mem.retain("age>30d,category=log", keep="logs")
        mem.retain("age>30d,category=secret", keep="secrets", hard=True)
        mem.add("a log line", category="log")
        mem.add("Zmarbleton is hidden", category="secret")
        mem.add("a fact to keep", category="fact")
        mem.maintain()
        assert {"a log line", "Zmarbleton is hidden", "a fact to keep"} <= contents(mem)
        clock.skip(40)
        seen = mem.maintain(dry_run=True)
        assert "a log line" in contents(mem)
        run = mem.maintain()
        assert (run.counts["erased"], seen.counts["retired"] >= 1) == (1, True)
        left = contents(mem)
        assert "a fact to keep" in left
        assert not left & {"a log line", "Zmarbleton is hidden"}
        mem.undo(run.operation or "")
        assert "a log line" in contents(mem)
        assert "Zmarbleton is hidden" not in contents(mem)
    assert traces(tmp_path, "zmarbleton") == {}


def test_rules_are_the_owners(memory: Memory) -> None:
    for given in ({"rule": "age>1d"}, {"list": True}, {"drop": "x"}):
        with pytest.raises(AccessDenied):
            memory.scoped(user_id="ana").retain(**given)  # type: ignore[arg-type]


def test_erasing_a_person_drops_rules_that_name_them(memory: Memory) -> None:
    memory.add("Ana keeps bees", user_id="ana")
    memory.retain("user=ana,age>30d", keep="for ana")
    memory.retain("user=ben,age>30d", keep="for ben")
    memory.erase_user("ana")
    assert [each["name"] for each in memory.retain()["rules"]] == ["for ben"]


def test_in_the_shell(run: Run) -> None:
    run("add", "Ana keeps bees", "--tags", "temp")
    told = run("retain", "tag=temp", "-o", "json")
    assert (told.code, told.data["count"], told.data["dry_run"]) == (0, 1, True)
    assert run("retain", "tag=temp", "--no-dry-run").code == 2, "nobody is there to confirm it"
    assert run("retain", "age>1d", "--keep", "days").code == 0
    assert [each["name"] for each in json.loads(run("retain", "--list", "-o", "json").out)["rules"]] == ["days"]
    assert run("retain", "--drop", "days").code == 0
    assert run("retain", "tag=temp", "--no-dry-run", "--yes").code == 0
    assert json.loads(run("list", "-o", "json").out)["results"] == []
    assert "known" in run("retain", "colour=red").err
