"""Records about code: anchored when they are stored, and told to be fresh, moved, drifted or orphaned when found."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect import Memory
from recollect.code import anchoring
from recollect.facade.handle import engine_of
from recollect.model.result import Hit
from recollect.model.scope import Scope
from tests.code.samples import write

AUTH = """
class Session:
    def refresh(self):
        return self

def login(name):
    check(name)
    return Session().refresh()
"""
OTHER = "def far():\n    return 1\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "shop", {"auth.py": AUTH, "far.py": OTHER, "app.toml": "[app]\nport = 1\n"})


@pytest.fixture
def memory(tmp_path: Path, root: Path) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", background=False) as opened:
        opened.code.index(root)
        yield opened


def keep(memory: Memory, text: str, *files: str, **more: Any) -> str:
    return memory.add(text, category="gotcha", metadata={"related_files": list(files)}, project="shop", **more).id


def edit(root: Path, path: str, text: str) -> None:
    """Write a file so that its time is another one."""
    (root / path).write_text(text, encoding="utf-8")
    later = time.time_ns() + 5_000_000_000
    os.utime(root / path, ns=(later, later))


def hit(memory: Memory, question: str = "login checks the name") -> Hit:
    return memory.search(question, project="shop", top_k=3)[0]


def told(found: Hit) -> list[tuple[str, str]]:
    return [(each.label, str(each.state)) for each in found.code]


def test_a_record_is_anchored_to_the_symbol_it_names(memory: Memory) -> None:
    id_ = keep(memory, "login() checks the name first", "auth.py")
    assert told(hit(memory)) == [("auth.py::login", "fresh")]
    kept = memory.get(id_).attributes["anchors"]
    assert [(each["start"], each["end"]) for each in kept] == [(6, 8)]
    assert "check" not in str(kept)


def test_a_record_that_names_no_symbol_is_about_the_file(memory: Memory) -> None:
    keep(memory, "the port of the app is wrong in tests", "app.toml")
    found = hit(memory, "port of the app")
    assert (told(found), found.standing) == ([("app.toml", "fresh")], "")


def test_code_that_moved_is_followed(memory: Memory, root: Path) -> None:
    keep(memory, "`login` checks the name first", "auth.py")
    edit(root, "auth.py", "# one\n# two\n" + AUTH)
    found = hit(memory)
    assert [(each.state, each.line, each.end_line) for each in found.code] == [("moved", 8, 10)]
    assert "its code moved to auth.py:8" in found.standing


def test_code_that_changed_is_drifted_and_less_trusted_and_may_come_back(memory: Memory, root: Path) -> None:
    id_ = keep(memory, "login() checks the name first", "auth.py")
    before = hit(memory).trust.composite
    edit(root, "auth.py", AUTH.replace("check(name)", "name = name.strip()"))
    found = hit(memory)
    assert told(found) == [("auth.py::login", "drifted")]
    assert found.trust.composite == pytest.approx(before * memory.config.codegraph.drifted_trust)
    assert "has drifted: auth.py::login" in memory.context("login checks the name", project="shop").text
    assert any("has drifted" in reason for reason in memory.explain(id_).because)
    (root / "auth.py").write_text(AUTH, encoding="utf-8")
    assert told(hit(memory)) == [("auth.py::login", "fresh")]
    assert memory.get(id_).content == "login() checks the name first"


def test_a_record_whose_code_is_gone_is_found_but_told_to_nobody_and_waits_for_review(
    memory: Memory, root: Path
) -> None:
    id_ = keep(memory, "login() checks the name first", "auth.py")
    (root / "auth.py").unlink()
    assert told(hit(memory)) == [("auth.py::login", "orphaned")]
    assert "checks the name" not in memory.context("login checks the name", project="shop").text
    waiting = [(each.id, str(each.why)) for each in memory.review(project="shop")]
    assert waiting == [(id_, "orphaned")]
    memory.confirm(id_)
    assert hit(memory).code == ()
    assert list(memory.review(project="shop")) == []


def test_a_confirmed_record_is_about_the_code_as_it_is_now_and_undo_takes_that_back(memory: Memory, root: Path) -> None:
    id_ = keep(memory, "login() checks the name first", "auth.py")
    edit(root, "auth.py", AUTH.replace("check(name)", "name = name.strip()"))
    assert told(hit(memory))[0][1] == "drifted"
    done = memory.confirm(id_)
    assert told(hit(memory))[0][1] == "fresh"
    memory.undo(done.operation)
    assert told(hit(memory))[0][1] == "drifted"


def test_a_symbol_that_went_to_another_file_is_followed_and_found_by_it(memory: Memory, root: Path) -> None:
    id_ = keep(memory, "login() checks the name first", "auth.py")
    edit(root, "auth.py", AUTH.split("def login")[0])
    edit(root, "far.py", OTHER + "\n\ndef login" + AUTH.split("def login")[1])
    memory.code.index(root)
    found = hit(memory)
    assert told(found) == [("far.py::login", "moved")]
    assert id_ in {each.id for each in memory.search("what about far.py", project="shop")}


def test_a_file_under_a_new_name_is_followed(memory: Memory, root: Path) -> None:
    keep(memory, "login() checks the name first", "auth.py")
    (root / "auth.py").rename(root / "entry.py")
    memory.code.index(root)
    assert told(hit(memory)) == [("entry.py::login", "moved")]


def test_what_a_person_changes_is_anchored_anew(memory: Memory, root: Path) -> None:
    id_ = keep(memory, "login() checks the name first", "auth.py")
    edit(root, "auth.py", AUTH.replace("check(name)", "name = name.strip()"))
    memory.update(id_, content="login() strips the name", project="shop")
    assert told(hit(memory, "login strips the name")) == [("auth.py::login", "fresh")]
    memory.update(id_, metadata={"related_files": ["far.py"]}, project="shop")
    assert told(hit(memory, "login strips the name")) == [("far.py", "fresh")]


def test_undo_of_a_record_and_forgetting_its_project_leave_nothing(memory: Memory, root: Path) -> None:
    id_ = keep(memory, "login() checks the name first", "auth.py")
    edit(root, "auth.py", AUTH.replace("check(name)", "pass"))
    assert told(hit(memory))[0][1] == "drifted"
    memory.code.forget(root=str(root))
    assert hit(memory).code == ()
    memory.delete(id_, hard=True)
    assert len(memory.search("login checks the name", project="shop")) == 0


@pytest.mark.parametrize(
    "path",
    ["../outside.py", "/etc/hosts", "missing.py", ".env", "link.py", "", "auth.py\0", "inner/../../outside.py"],
)
def test_only_files_of_the_project_are_looked_at(memory: Memory, root: Path, path: str) -> None:
    (root.parent / "outside.py").write_text("x = 1\n")
    (root / ".env").write_text("KEY=secret\n")
    (root / "link.py").symlink_to(root.parent / "outside.py")
    keep(memory, "login() checks the name first", path)
    assert hit(memory).code == ()


def test_nobody_else_says_what_a_record_is_anchored_to(memory: Memory) -> None:
    forged = {"anchors": [{"path": "auth.py", "start": 1, "end": 1, "prints": "00000000", "project": "shop"}]}
    memory.add("login checks the name", project="shop", attributes=forged)
    assert hit(memory).code == ()


def test_a_record_of_another_project_is_about_no_file_here(memory: Memory) -> None:
    memory.add("login() checks the name", metadata={"related_files": ["auth.py"]}, project="other")
    assert memory.search("login checks the name", project="other")[0].code == ()


def test_a_search_reads_no_file_and_records_without_files_cost_nothing(
    memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(memory, "login() checks the name first", "auth.py")
    memory.add("the harbour is closed on Mondays", project="shop")
    assert told(hit(memory))[0][1] == "fresh"

    def no_read(*_: object) -> None:
        raise AssertionError("a file was read")

    monkeypatch.setattr(anchoring, "content_of", no_read)
    assert told(hit(memory))[0][1] == "fresh"
    monkeypatch.setattr(anchoring, "_stamp", no_read)
    assert memory.search("harbour on Mondays", project="shop", top_k=1)[0].code == ()


def test_with_work_in_the_background_a_search_says_what_it_did_not_look_at(tmp_path: Path, root: Path) -> None:
    with recollect.open(tmp_path / "b.db") as memory:
        memory.code.index(root)
        keep(memory, "login() checks the name first", "auth.py")
        edit(root, "auth.py", AUTH.replace("check(name)", "pass"))
        first = hit(memory).code[0]
        assert first.checked is False or first.state == "drifted"
        until = time.monotonic() + 10
        while hit(memory).code[0].state != "drifted" and time.monotonic() < until:
            time.sleep(0.02)
        assert told(hit(memory)) == [("auth.py::login", "drifted")]


def test_the_tool_of_agents_tells_what_became_of_the_code(memory: Memory, root: Path) -> None:
    from recollect.verbs.toolsets.brief import hit_in_brief

    keep(memory, "login() checks the name first", "auth.py")
    assert "code" not in hit_in_brief(hit(memory))
    edit(root, "auth.py", AUTH.replace("check(name)", "pass"))
    assert hit_in_brief(hit(memory))["code"] == "its code has drifted: auth.py::login"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("login() is slow", ["login"]),
        ("the login is slow", []),
        ("`login` is slow", ["login"]),
        ("Session.refresh leaks", ["Session.refresh"]),
        ("auth.Session.refresh leaks", ["Session.refresh"]),
        ("`refresh` of `Session` leaks", ["Session.refresh"]),
        ("`Session` leaks", ["Session"]),
        ("see load_all", ["load_all"]),
    ],
)
def test_symbols_are_named_as_code(text: str, named: list[str]) -> None:
    symbols = {"Session": (1, 9), "Session.refresh": (2, 3), "login": (10, 11), "load_all": (12, 13)}
    assert anchoring.named_symbols(text, symbols) == named


def test_hooks_tell_drifted_code_as_such_and_nothing_about_code_that_is_gone(memory: Memory, root: Path) -> None:
    hints = engine_of(memory).observer.hints
    memory.confirm(keep(memory, "login() checks the name first", "auth.py"))
    scope = Scope(project="shop")
    assert "drifted" not in str(hints.of(str(root), scope)["files"]["auth.py"])
    edit(root, "auth.py", AUTH.replace("check(name)", "pass"))
    memory.add("something else", project="shop")
    assert "(today; its code has drifted: auth.py::login)" in hints.of(str(root), scope)["files"]["auth.py"][0]
    (root / "auth.py").unlink()
    memory.add("something else again", project="shop")
    assert "auth.py" not in hints.of(str(root), scope)["files"]
