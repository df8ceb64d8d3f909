"""Erasing by person, channel and session: in steps that a kill cannot leave halfway, with a report that proves it."""

from __future__ import annotations

import json
import signal
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from commands import Run
from exchange.test_erase_user import WORDS, fill, left_in, traces
from faults.processes import started
from properties.tables import assert_sound, counts, looking_at, open_quick, visible_state

from recollect.errors import AccessDenied, UsageError
from recollect.memory import Memory
from recollect.security.signing import PLACE

STEPS = (
    "begin",
    "inside the first transaction",
    "blanked",
    "inside the second transaction",
    "removed",
    "while the file is rewritten",
    "rewritten",
)


def contents(mem: Memory) -> set[str]:
    return {record.content for record in mem.get_all(reach="all", limit=1000)}


# --- in two steps -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", STEPS)
def test_an_erasure_that_is_killed_is_finished_or_was_never_begun(where: str, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as mem:
        kept = fill(mem)
        mem.settle()
    with started("erase_and_die.py", path, where) as process:
        process.wait(60)
        assert process.returncode == -signal.SIGKILL
    with open_quick(path) as mem:
        begun = where not in STEPS[:2]
        theirs = [record for record in mem.get_all(reach="all", limit=1000) if record.scope.user_id == "zperson"]
        assert bool(theirs) is not begun, "all of it, or nothing"
        if not begun:
            mem.erase(user_id="zperson")
        assert mem.get(kept["shared"]) is not None
    assert traces(tmp_path, *WORDS) == {}
    assert_sound(path)


def test_after_the_first_step_nothing_can_be_read_or_recalled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        fill(mem)
        mem.settle()
        seen: dict[str, Any] = {}

        def look(name: str) -> None:
            if name != "blanked":
                return
            seen["recalled"] = [hit.content for hit in mem.search("zquincewood zmarbleton", user_id="zperson")]
            with looking_at(tmp_path / "m.db") as db:
                seen["texts"] = list(
                    db.execute("SELECT 1 FROM record WHERE lower(content || coalesce(metadata, '')) LIKE '%zmarble%'")
                )
                seen["blank"] = db.execute("SELECT count(*) FROM record WHERE content = '[erased]'").get
                seen["images"] = list(
                    db.execute("SELECT 1 FROM journal WHERE relation = 'record' AND lower(before) LIKE '%zmarble%'")
                )
                seen["vectors"] = list(
                    db.execute("SELECT 1 FROM vector v JOIN record r ON r.pk = v.record_pk WHERE content = '[erased]'")
                )

        mem._opened.erasure.step = look
        mem.erase(user_id="zperson")
        assert seen["blank"] >= 4
        assert not any("zmarble" in text.lower() or "zquince" in text.lower() for text in seen["recalled"])
        assert (seen["texts"], seen["images"], seen["vectors"]) == ([], [], [])


def test_fifty_records_leave_no_row_in_any_table(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        mem.add("The gateway listens on port 8080")
        mem.settle()
        mem.export(tmp_path / "before.jsonl")
        before = counts(tmp_path / "m.db")
        hers = mem.scoped(user_id="zperson")
        ids = [
            hers.add(
                [{"role": "user", "content": f"Zmarbleton {n}: I work at Zquincewood {n} in Oslo.", "name": "Zperson"}],
                session_id=f"zsession-{n % 5}",
            ).id
            for n in range(50)
        ]
        mem.settle()
        for one, two in pairwise(ids):
            hers.relate(one, two, "supports", evidence=["zmarbleton"])
        for one in ids[::7]:
            hers.update(one, content="Zquincewood is another place", reason="zreason")
            hers.feedback(one, helpful=False, query="zquestion?")
        hers.search("zquestion?", session_id="zsession-1")
        hers.working.note("zmarbleton to be borne in mind", session_id="zsession-1")
        mem.consolidate()
        mem.maintain()
        mem.settle()
        report = mem.erase(user_id="zperson")
        assert report["count"] >= 50
        assert report["report"]["removed"]["record"] >= 50
        after = counts(tmp_path / "m.db")
        own = {"operation", "journal", "audit", "change", "job", "run", "meta", "mark", "sense", "evolution_log"}
        grown = {name: (before[name], rows) for name, rows in after.items() if name not in own and rows > before[name]}
        assert set(grown) <= {"summary", "summary_member", "exported_file"}, grown
        with looking_at(tmp_path / "m.db") as db:
            terms = [row[0] for row in db.execute("SELECT term FROM record_vocabulary")]
        assert not [term for term in terms if "zmarble" in term or "zquince" in term], "no ghost in the text index"
        assert left_in(tmp_path, ("Zmarbleton", "Zquincewood", "zsession", "zreason", "zperson")) == set()
    assert left_in(tmp_path, ("Zmarbleton", "Zquincewood", "zsession", "zreason", "zperson")) == set()
    held = (tmp_path / "m.db").read_bytes()
    printable = subprocess.run(["strings", str(tmp_path / "m.db")], capture_output=True, check=False)
    assert b"marbleton" not in (printable.stdout or held).lower()


def test_what_is_in_mind_goes_and_does_not_come_back(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        mem.add("Zmarbleton is a place", user_id="zperson")
        mem.working.note("zmarbleton again", user_id="zperson", session_id="zsession")
        mem.erase(user_id="zperson")
    assert traces(tmp_path, "zmarbleton", "zperson", "zsession") == {}
    with open_quick(tmp_path / "m.db") as mem:
        assert not mem.working.slots(user_id="zperson", session_id="zsession")


# --- by channel and by session ----------------------------------------------------------------------------------------


def test_a_channel_goes_and_no_other(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        mem.add("Zmarbleton is on call", channel="zslack", user_id="ana")
        mem.add("Zquincewood too", channel="zslack")
        mem.add("Ana keeps bees", user_id="ana", channel="mail")
        mem.add("Ben plays the cello", user_id="ben")
        assert mem.erase(channel="zslack", dry_run=True)["count"] == 2
        assert mem.erase(channel="zslack")["count"] == 2
        assert contents(mem) == {"Ana keeps bees", "Ben plays the cello"}
    assert traces(tmp_path, "zmarbleton", "zquincewood", "zslack") == {}
    assert_sound(tmp_path / "m.db")


def test_a_session_goes_with_what_was_made_of_it_and_its_scope_stays(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        turn = {"role": "user", "content": "I moved to Zmarbleton, and my sister Zfennimore lives in Zquincewood."}
        mem.add([turn], session_id="zsession", user_id="ana")
        mem.add([{"role": "user", "content": "I keep bees on the roof."}], session_id="other", user_id="ana")
        mem.search("where does the sister live?", user_id="ana", session_id="zsession")
        mem.working.note("zmarbleton in mind", user_id="ana", session_id="zsession")
        mem.settle()
        mem.consolidate()
        mem.maintain()
        mem.settle()
        report = mem.erase(session_id="zsession")
        assert report["count"] >= 1
        assert (report["sessions"], report["scopes"]) == (1, 0)
        assert any("bees" in text for text in contents(mem))
        assert mem.search("who keeps bees?", user_id="ana").hits
        with looking_at(tmp_path / "m.db") as db:
            assert [row[0] for row in db.execute("SELECT id FROM session")] == ["other"]
    assert traces(tmp_path, "zmarbleton", "zquincewood", "zfennimore", "zsession") == {}
    assert_sound(tmp_path / "m.db")


def test_what_a_coding_agent_did_in_a_session_goes_too(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        for session in ("zsession", "other"):
            event = {"id": f"{session}-1", "session_id": session, "type": "tool_failed", "tool": "Bash"}
            said = {"error": f"ENOENT: {session}-cupboard is missing"}
            mem.observe({**event, **said}, project="atlas")
        mem.settle()
        assert len(mem.observed(project="atlas")) == 2
        mem.erase(session_id="zsession")
        assert [each.id for each in mem.observed(project="atlas")] == ["other"]
    assert traces(tmp_path, "zsession") == {}
    assert traces(tmp_path, "other-cupboard") != {}
    assert_sound(tmp_path / "m.db")


def test_what_is_named_together_is_what_they_have_in_common(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        mem.add([{"role": "user", "content": "Ana in the first"}], user_id="ana", session_id="s1")
        mem.add([{"role": "user", "content": "Ben in the first"}], user_id="ben", session_id="s1")
        mem.add([{"role": "user", "content": "Ana in the second"}], user_id="ana", session_id="s2")
        mem.erase(user_id="ana", session_id="s1")
        assert contents(mem) == {"Ben in the first", "Ana in the second"}


def test_it_is_for_the_owner_and_somebody_must_be_named(memory: Memory) -> None:
    memory.add("Ana keeps bees", user_id="ana")
    with pytest.raises(AccessDenied):
        memory.scoped(user_id="ana").erase(user_id="ana")
    with pytest.raises(UsageError, match="say what"):
        memory.erase()
    for bad in ("", " ", 7):
        with pytest.raises(UsageError):
            memory.erase(channel=bad)  # type: ignore[arg-type]


# --- the report -------------------------------------------------------------------------------------------------------


def test_a_report_is_signed_tells_what_stays_and_names_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        fill(mem)
        mem.settle()
        answer = mem.erase(user_id="zperson")
        report = answer["report"]
        assert not [word for word in WORDS if word in json.dumps(report).lower()]
        assert report["removed"]["record"] == report["records"] + answer["versions"]
        assert report["removed"]["vector"] >= report["records"] - 2
        assert report["rewritten"]
        assert {file["name"] for file in report["files"]} >= {"database"}
        assert sum(file["found"] for file in report["files"]) == 0
        assert {each["what"] for each in report["remaining"]} >= {"operations", "audit", "elsewhere"}
        assert mem.erasure_verify(answer)["genuine"]
        assert mem.erasure_verify(json.dumps(answer.to_dict()))["genuine"]
        assert mem.erasure_verify(answer, user_id="zperson")["about"]
        assert not mem.erasure_verify(answer, user_id="ben")["about"]
        (tmp_path / "report.json").write_text(json.dumps(report))
        assert mem.erasure_verify(tmp_path / "report.json")["genuine"]
        for name, value in (("records", 0), ("at", "2020-01-01T00:00:00+00:00"), ("files", [])):
            assert not mem.erasure_verify({**report, name: value})["genuine"]
        with pytest.raises(UsageError):
            mem.erasure_verify({"kind": "something else"})
        monkeypatch.setenv(PLACE, str(tmp_path / "another.key"))
        assert not mem.erasure_verify(report)["genuine"]
        noted = [entry for entry in mem._opened.audit.entries(limit=20) if entry.event == "erasure_completed"]
        assert [entry.count for entry in noted] == [report["records"]]


def test_a_text_that_is_still_in_a_file_is_found_and_told(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        mem.add("Zmarbleton is where Zfennimore lives", user_id="zperson")
        (tmp_path / "m.db.backup").write_bytes(b"x Zmarbleton is where Zfennimore lives x")
        answer = mem.erase(user_id="zperson")
        assert [(file["name"], file["found"]) for file in answer["report"]["files"] if file["found"]] == [("backup", 1)]
        assert any("were found" in each for each in answer.warnings)


def test_what_another_record_says_too_is_no_trace(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        for who in ("zperson", "ben"):
            mem.add("The gateway listens on port 8080", user_id=who)
        answer = mem.erase(user_id="zperson")
        assert sum(file["found"] for file in answer["report"]["files"]) == 0
        assert contents(mem) == {"The gateway listens on port 8080"}


def test_exports_that_hold_them_are_listed_and_called_by_name_only_to_the_caller(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        mem.add("Zmarbleton is a place", user_id="zperson")
        mem.add("Ben plays the cello", user_id="ben")
        mem.export(tmp_path / "all.jsonl")
        mem.export(tmp_path / "zperson.jsonl", user_id="zperson")
        mem.export(tmp_path / "ben.jsonl", user_id="ben")
        mem.export(tmp_path / "gone.jsonl", passphrase="open sesame")
        (tmp_path / "gone.jsonl").unlink()
        answer = mem.erase(user_id="zperson")
        told = [each for each in answer.warnings if "was exported" in each]
        assert sorted(Path(each.split(" was ")[0]).name for each in told) == ["all.jsonl", "zperson.jsonl"]
        backups = answer["report"]["backups"]
        assert [(each["whole"], each["sealed"], each["there"]) for each in backups] == [
            (True, False, True),
            (False, False, True),
            (True, True, False),
        ]
        assert "zperson" not in json.dumps(answer["report"])
        for path in (tmp_path / "all.jsonl", tmp_path / "zperson.jsonl"):
            path.unlink()
    assert traces(tmp_path, "zperson", "zmarbleton") == {}, "nor does the store remember the name of the file"


def test_an_encrypted_store_is_erased_too(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db", key=bytes(range(32))) as mem:
        mem.add("Zmarbleton is a place", user_id="zperson")
        assert mem.erase(user_id="zperson")["count"] == 1
        assert not mem.get_all(reach="all")


def test_erasing_in_the_shell(run: Run) -> None:
    run("add", "Ana keeps bees", "--channel", "mail")
    assert run("erase", "--channel", "mail").code == 2
    assert json.loads(run("erase", "--channel", "mail", "--dry-run", "-o", "json").out)["count"] == 1
    done = run("erase", "--channel", "mail", "--yes", "-o", "json")
    Path("report.json").write_text(done.out)
    assert json.loads(run("erasure-verify", "report.json", "-o", "json").out)["genuine"]
    assert json.loads(run("list", "-o", "json").out)["results"] == []


def test_derived_knowledge_is_made_anew_without_them(tmp_path: Path) -> None:
    with open_quick(tmp_path / "m.db") as mem:
        for n in range(6):
            mem.add(f"Zfennimore waters the plants in room {n}", project="atlas", channel="zslack")
            mem.add(f"The plants in room {n} are ferns", project="atlas")
        mem.settle()
        mem.maintain()
        mem.erase(channel="zslack")
        mem.maintain()
        mem.settle()
        assert all("zfennimore" not in text.lower() for text in contents(mem))
        assert not [each for each in mem.entities(project="atlas") if "Zfennimore" in each.name]
        assert len(visible_state(tmp_path / "m.db")) >= 6
    assert traces(tmp_path, "zfennimore", "zslack") == {}
