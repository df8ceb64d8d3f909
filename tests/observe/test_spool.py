"""From hook to store nothing is lost and nothing doubled: cut lines, many writers, and a kill at any moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from sessions import ClaudeCode, hook, repository
from take_and_die import MOMENTS

import recollect
from recollect.facade.handle import engine_of
from recollect.hook import places, spool
from recollect.memory import Memory

HERE = Path(__file__).parent


def opened(store: Path, **config: Any) -> Memory:
    named = {name.replace("__", "."): value for name, value in config.items()}
    return recollect.open(store, embedder="fake", background=False, config=named)


def steps(memory: Memory) -> dict[str, int]:
    return {each.id: each.steps for each in memory.observed(limit=1000)}


def body(number: int, session: str = "s1") -> bytes:
    event = {"session": session, "type": "tool", "key": f"tool:{number}", "tool": "Read", "class": "read", "root": "/p"}
    return json.dumps({**event, "at": time.time_ns() // 1000, "client": "claude-code"}).encode()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def test_what_hooks_left_is_taken_in_when_the_store_is_opened(store: Path, tmp_path: Path) -> None:
    agent = ClaudeCode(repository(tmp_path / "shop", a__py="x = 1\n"))
    for payload in (agent.start(), agent.read("a.py"), agent.edit("a.py", 1, "x = 1", "x = 2"), agent.stop()):
        assert hook(payload, store) == ""
    folder = Path(places.folder_of(str(store)))
    assert [path.name for path in folder.iterdir()] == ["spool"]
    assert (folder / "spool").stat().st_mode & 0o777 == 0o600
    with opened(store) as memory:
        (session,) = memory.observed()
        assert (session.id, session.client, session.project, session.steps) == ("s1", "claude-code", "shop", 2)
        assert [(each.subject, each.count) for each in session.signals if each.kind == "file_access"] == [("a.py", 2)]
    assert not spool.waiting(str(folder))
    with opened(store) as memory:
        assert steps(memory) == {"s1": 2}


def test_a_session_that_is_over_is_concluded_by_whoever_opens_the_store_next(store: Path, tmp_path: Path) -> None:
    agent = ClaudeCode(repository(tmp_path / "shop", a__py="x = 1\n"))
    for payload in (agent.start(), agent.edit("a.py", 1, "x = 1", "x = 2"), agent.stop(), agent.end()):
        hook(payload, store)
    with opened(store) as memory:
        assert [record.category for record in memory.get_all(project="shop").records] == ["work_state"]
        assert memory.sessions.coverage().open == 0
    assert "a.py" in hook(ClaudeCode(agent.folder, "s2").start(), store)


@pytest.mark.parametrize("shape_only", [False, True])
def test_nothing_of_a_file_or_a_prompt_reaches_the_spool_or_the_store(
    store: Path, tmp_path: Path, shape_only: bool
) -> None:
    """… nor of an answer, where nothing is to be kept of what agents plan and say."""
    agent = ClaudeCode(repository(tmp_path / "shop"))
    if shape_only:
        hook(agent.start(), store)
        with opened(store, observe__work_states=False):
            pass  # says so to hooks
    secret = "the-launch-code-is-0451"
    for payload in (
        agent.prompt(f"never tell that {secret}"),
        agent.tool(
            "Write", {"type": "create", "content": secret}, file_path=str(agent.folder / "n.txt"), content=secret
        ),
        agent.edit("a.py", 1, secret, f"not {secret}"),
        agent.run(f"echo {secret}"),
        *([agent.stop(f"I wrote {secret}")] if shape_only else []),
    ):
        hook(payload, store)
    left = b"".join(path.read_bytes() for path in Path(f"{store}.hooks").iterdir())
    with opened(store) as memory:
        assert steps(memory) == {"s1": 3}
    left += b"".join(path.read_bytes() for path in store.parent.glob("m.db*") if path.is_file())
    assert secret.encode() not in left


@pytest.mark.parametrize("moment", MOMENTS)
def test_events_come_in_once_whenever_the_process_that_takes_them_in_is_killed(store: Path, moment: str) -> None:
    opened(store).close()
    folder = places.folder_of(str(store))
    taking = subprocess.Popen(
        [sys.executable, str(HERE / "take_and_die.py"), str(store), moment], stdin=subprocess.PIPE, text=True
    )
    while not Path(f"{store}.ready").exists():
        assert taking.poll() is None
        time.sleep(0.02)
    for number in range(20):
        spool.append(folder, body(number))
    taking.communicate("go\n", timeout=60)
    assert taking.returncode == -signal.SIGKILL
    spool.append(folder, body(20))
    with opened(store) as memory:
        assert steps(memory) == {"s1": 21}
        with engine_of(memory).store.read() as tx:
            (row,) = tx.observed.sessions(None, limit=5)
            assert [each.pk for each in tx.observed.events(row.pk)] == sorted(
                each.pk for each in tx.observed.events(row.pk)
            )
    assert spool.is_empty(folder)


def test_a_line_that_was_cut_anywhere_costs_itself_and_nothing_else(store: Path) -> None:
    folder = places.folder_of(str(store))
    spool.append(folder, body(1))
    whole = Path(folder, "spool").read_bytes()
    for cut in range(1, len(whole) - 1, 7):
        Path(folder, "spool").write_bytes(whole[:cut])
        spool.append(folder, body(2))
        found = list(spool.frames(Path(folder, "spool").read_bytes()))
        assert found[-1] is not None
        assert json.loads(found[-1])["key"] == "tool:2"
        assert [each for each in found[:-1] if each is not None] == []
    with opened(store) as memory:
        assert steps(memory) == {"s1": 1}
        with engine_of(memory).store.read() as tx:
            assert tx.observed.taken_figures()[1:3] == (1, 1)


@pytest.mark.parametrize(
    "junk", [b"\x00" * 5000, b"ffffffff ffffffff {}", b"\n\n\n", b"0000000a 00000000 " + b"x" * 10]
)
def test_junk_in_a_spool_is_counted_and_skipped(store: Path, junk: bytes) -> None:
    folder = places.folder_of(str(store))
    spool.append(folder, body(1))
    with open(Path(folder, "spool"), "ab") as file:
        file.write(junk)
    spool.append(folder, body(2))
    with opened(store) as memory:
        assert steps(memory) == {"s1": 2}


def test_sound_frames_that_hold_nonsense_are_refused_one_by_one(store: Path) -> None:
    folder = places.folder_of(str(store))
    nonsense = (b"[]", b"7", b'{"session": 5}', b'{"session":"s","type":"tool","key":"k","root":"\\u0000"}', b"{}")
    for each in (*nonsense, body(1), b'{"session":"s2","type":"tool","key":"t2","at":-5,"files":[{"path":"../x"}]}'):
        spool.append(folder, each)
    with opened(store) as memory:
        assert steps(memory) == {"s1": 1, "s2": 0}
        with engine_of(memory).store.read() as tx:
            rows = tx.observed.sessions(None, limit=5)
            assert [each.files for row in rows for each in tx.observed.events(row.pk)] == [(), ()]


def test_many_writers_and_a_store_that_takes_in_lose_and_double_nothing(store: Path) -> None:
    folder = places.folder_of(str(store))
    writing = (
        "import sys; from recollect.hook import spool; from test_spool import body\n"
        f"for number in range(60): spool.append({folder!r}, body(number, sys.argv[1]))"
    )
    with opened(store) as memory:
        os.makedirs(folder, exist_ok=True)
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", writing, f"w{number}"],
                env={**os.environ, "PYTHONPATH": f"{HERE}:{os.environ.get('PYTHONPATH', HERE.parents[1])}"},
            )
            for number in range(4)
        ]
        done = threading.Event()

        def take() -> None:
            while not done.is_set():
                engine_of(memory).observer.spool.take()

        thread = threading.Thread(target=take)
        thread.start()
        assert [writer.wait(timeout=60) for writer in writers] == [0, 0, 0, 0]
        done.set()
        thread.join()
        engine_of(memory).observer.spool.take()
        assert steps(memory) == {f"w{number}": 60 for number in range(4)}


def test_a_spool_is_set_aside_when_it_has_grown_and_bounded_in_all(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = places.folder_of(str(store))
    monkeypatch.setattr(spool, "FILE_BYTES_MAX", 1000)
    monkeypatch.setattr(spool, "FILES_MAX", 3)
    kept = 0
    while len(spool.waiting(folder)) < 3 or Path(folder, "spool").stat().st_size < 800:
        spool.append(folder, body(kept))
        kept += 1
    with pytest.raises(spool.NotKept, match="spool full"):
        spool.append(folder, body(kept) + b" " * 300)
    with opened(store) as memory:
        assert steps(memory) == {"s1": kept}


def test_a_disk_that_is_full_and_a_folder_that_cannot_be_written_harm_no_agent(store: Path, tmp_path: Path) -> None:
    agent = ClaudeCode(repository(tmp_path / "shop"))
    Path(f"{store}.hooks").write_text("a file where the folder should be", encoding="utf-8")
    assert hook(agent.read("a.py"), store) == ""
    with pytest.raises(spool.NotKept, match="too large"):
        spool.append(str(tmp_path / "x"), b"x" * (spool.FRAME_BYTES_MAX + 1))


def test_a_link_in_the_place_of_the_spool_is_not_followed(store: Path, tmp_path: Path) -> None:
    folder = Path(places.folder_of(str(store)))
    folder.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine", encoding="utf-8")
    (folder / "spool").symlink_to(elsewhere)
    hook(ClaudeCode(repository(tmp_path / "shop")).read("a.py"), store)
    assert elsewhere.read_text(encoding="utf-8") == "mine"
    assert [why for _, why in spool.failures(str(folder))] == ["OSError"]
