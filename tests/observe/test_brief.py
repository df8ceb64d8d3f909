"""`mem.sessions.brief`: what a session begins with, as text and part by part, through Python, shell and server."""

from __future__ import annotations

import time
from pathlib import Path

import orjson
import pytest
from interfaces.rest_server import client
from sessions import ClaudeCode, hook, repository, told

import recollect
from recollect.errors import UsageError
from recollect.hook.ready import HINT_BYTES_MAX
from recollect.memory import Memory
from recollect.observe.hints import _as_read
from recollect.observe.standing import ATTRIBUTE, SOURCE, may_be_said_unasked


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop", a__py="x = 1\n")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def filled(memory: Memory) -> dict[str, str]:
    ids = {
        "warnings": memory.add(
            "x is read by the cache", category="gotcha", metadata={"related_files": ["a.py"]}, project="shop"
        ).id,
        "wanted": memory.add("Sign every commit", category="instruction", project="shop").id,
    }
    for each in ids.values():
        memory.confirm(each)
    state = memory.add("Half way through the rename; next: tests", category="work_state", project="shop").id
    return {"work_state": state, **ids}


def opened(store: Path) -> Memory:
    return recollect.open(store, embedder="fake", background=False)


def test_a_brief_has_its_parts_in_the_order_of_their_weight_and_cites_its_records(store: Path) -> None:
    with opened(store) as memory:
        ids = filled(memory)
        brief = memory.sessions.brief(project="shop")
        assert [part.name for part in brief.parts] == ["work_state", "wanted", "warnings"]
        assert all(part.ids == (ids[part.name][:8],) for part in brief.parts)
        assert all(part.text in brief.text for part in brief.parts)
        assert brief.project == "shop"
        assert 0 < brief.tokens <= 1_500
        assert memory.get(ids["warnings"]).access_count == 0


def test_a_brief_is_what_a_hook_says(store: Path, shop: Path) -> None:
    hook(ClaudeCode(shop, "s0").start(), store)
    with opened(store) as memory:
        filled(memory)
        brief = memory.sessions.brief(project="shop")
    said = told(hook(ClaudeCode(shop).start(), store))
    assert said
    assert all(part.text in said for part in brief.parts)


def test_what_was_only_inferred_about_a_file_waits_for_that_file(store: Path) -> None:
    with opened(store) as memory:
        kept = memory.add(
            "An edit of a.py had to be done again",
            category="gotcha",
            metadata={"related_files": ["a.py"]},
            project="shop",
            source=SOURCE,
            confidence=0.9,
            attributes={ATTRIBUTE: {"used_in": ["s1", "s2"], "seen_in": ["s1"], "last_used_s": int(time.time())}},
        )
        assert may_be_said_unasked(memory.get(kept.id), int(time.time()))
        assert "warnings" not in [part.name for part in memory.sessions.brief(project="shop").parts]
        memory.confirm(kept.id)
        assert "warnings" in [part.name for part in memory.sessions.brief(project="shop").parts]


def test_a_brief_keeps_to_its_tokens_and_leaves_the_last_out_first(store: Path) -> None:
    with opened(store) as memory:
        filled(memory)
        whole = memory.sessions.brief(project="shop").tokens
        names = [
            [part.name for part in memory.sessions.brief(project="shop", max_tokens=tokens).parts]
            for tokens in range(1, whole + 3)
        ]
        order = ["work_state", "wanted", "warnings"]
        assert all(found == order[: len(found)] for found in names)
        assert [len(found) for found in names] == sorted(len(found) for found in names)
        assert names[0] == []
        assert names[-1] == order
        for bad in (0, -1, True, "many"):
            with pytest.raises(UsageError):
                memory.sessions.brief(project="shop", max_tokens=bad)  # type: ignore[arg-type]


def test_a_project_that_nobody_knows_begins_with_nothing(store: Path) -> None:
    with opened(store) as memory:
        filled(memory)
        brief = memory.sessions.brief(project="bank")
        assert (brief.text, brief.parts, brief.tokens) == ("", (), 0)


def test_without_a_name_the_project_of_the_current_folder_is_meant(
    store: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(ClaudeCode(shop, "s0").start(), store)
    with opened(store) as memory:
        filled(memory)
        monkeypatch.chdir(shop)
        assert memory.sessions.brief().project == "shop"
        assert len(memory.sessions.brief().parts) == 3


def test_a_handle_is_told_of_its_own_project_alone(store: Path) -> None:
    with opened(store) as memory:
        filled(memory)
        assert memory.scoped(project="shop").sessions.brief().parts
        assert not memory.scoped(project="bank").sessions.brief().parts
        with pytest.raises(recollect.errors.AccessDenied):
            memory.scoped(project="bank").sessions.brief(project="shop")


def test_a_brief_over_http(store: Path) -> None:
    with client(store) as rest:
        filled(rest.memory)  # type: ignore[attr-defined]
        found = rest.get("/v1/sessions/brief", params={"project": "shop"}).json()
        assert [part["name"] for part in found["parts"]] == ["work_state", "wanted", "warnings"]
        assert "Half way" in found["text"]


def test_hints_are_never_larger_than_a_hook_reads() -> None:
    long = {f"src/file{number}.py": ["x" * 400, "mark"] for number in range(400)}
    made = {
        "root": "/src",
        "start": {"rest": ["kept", "mark"]},
        "files": dict(long),
        "errors": dict(long),
        "reach": long,
    }
    fitting = _as_read(made)
    assert len(orjson.dumps(fitting)) <= HINT_BYTES_MAX < len(orjson.dumps(made))
    assert fitting["start"] == made["start"]
    assert fitting["files"] == made["files"]
    assert _as_read({"root": "/src"}) == {"root": "/src"}
