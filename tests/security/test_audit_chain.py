"""The chain of the audit: whatever somebody does to its rows shows, and what we do to them ourselves does not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ticking import Ticking
from vaults import files_with

import recollect
from recollect.clock import DAY_US
from recollect.memory import Memory
from recollect.model.audit import AuditEvent, AuditReport
from recollect.security import passphrase
from recollect.security.passphrase import Cost
from recollect.store.audit import HEAD_NOTE, KEY_NOTE
from recollect.store.base import Tx

NUMBERS = ("pk", "at", "count")
TEXTS = ("event", "verb", "channel", "outcome", "caller", "scope", "detail")
BLOBS = ("told", "salt", "mark", "unnamed")


class Undone(Exception):
    """Takes back what a test did to the rows, and brings out what was found."""

    def __init__(self, report: AuditReport) -> None:
        self.report = report


def verified_after(memory: Memory, tamper: Callable[[Tx], object]) -> AuditReport:
    """What `verify` finds after somebody changed the rows; they are as before afterwards."""

    def work(tx: Tx) -> None:
        tamper(tx)
        raise Undone(tx.audit.verify())

    with pytest.raises(Undone) as undone:
        memory._opened.store.write(work)
    return undone.value.report


def rows(memory: Memory) -> list[int]:
    with memory._opened.store.read() as tx:
        return [row[0] for row in tx.sql.all("SELECT pk FROM audit ORDER BY pk")]


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A store whose audit has everything in it: writes, reads, refusals, an erased person, and a cut."""
    clock = Ticking()
    with recollect.open(
        tmp_path_factory.mktemp("chain") / "m.db",
        embedder=None,
        clock=clock,
        background=False,
        config={"audit.days": 30},
    ) as memory:
        memory.add("too old to be kept")
        memory.search("old")
        memory._opened.audit.flush()
        clock.skip(40)
        for user in ("ana", "ben"):
            mine = memory.scoped(user_id=user, actor=user)
            mine.add(f"{user} keeps bees")
            mine.search("who keeps bees?")
            with pytest.raises(recollect.errors.AccessDenied):
                mine.search("bees", user_id="somebody else")
        memory.erase_user("ben")
        memory.maintain()
        assert memory.audit_verify().ok
        yield memory


def test_an_untouched_chain_is_sound_and_says_what_retention_took(chain: Memory) -> None:
    report = chain.audit_verify()
    assert report.ok
    assert report.cut_through
    assert report.checked == len(rows(chain))
    assert any(entry.unnamed for entry in chain.audit())


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_change_to_any_column_of_any_row_is_found(chain: Memory, data: st.DataObject) -> None:
    pk = data.draw(st.sampled_from(rows(chain)))
    column = data.draw(st.sampled_from(NUMBERS + TEXTS + BLOBS))
    value: Any = data.draw(
        st.integers(-(2**40), 2**40)
        if column in NUMBERS
        else st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12) | st.none()
        if column in TEXTS
        else st.binary(max_size=40) | st.none()
    )
    if value is None and column in TEXTS[:4]:
        value = ""
    with chain._opened.store.read() as tx:
        taken = column == "pk" and tx.sql.value("SELECT 1 FROM audit WHERE pk = ?", (value,))
        same = tx.sql.value(f"SELECT {column} IS ? FROM audit WHERE pk = ?", (value, pk))
    if taken or same:
        return
    report = verified_after(chain, lambda tx: tx.sql.run(f"UPDATE audit SET {column} = ? WHERE pk = ?", (value, pk)))
    assert not report.ok
    assert report.first_bad is not None
    assert report.why


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_rows_that_are_removed_moved_or_put_in_are_found(chain: Memory, data: st.DataObject) -> None:
    pks = rows(chain)
    one, other = data.draw(st.lists(st.sampled_from(pks), min_size=2, max_size=2, unique=True))

    def remove(tx: Tx) -> None:
        tx.sql.run("DELETE FROM audit WHERE pk = ?", (one,))

    def swap(tx: Tx) -> None:
        tx.sql.run("UPDATE audit SET pk = -1 WHERE pk = ?", (one,))
        tx.sql.run("UPDATE audit SET pk = ? WHERE pk = ?", (one, other))
        tx.sql.run("UPDATE audit SET pk = ? WHERE pk = -1", (other,))

    def cut_off(tx: Tx) -> None:
        tx.sql.run("DELETE FROM audit WHERE pk >= ?", (one,))

    def behead(tx: Tx) -> None:
        tx.sql.run("DELETE FROM audit WHERE pk <= ?", (one,))

    def repeat(tx: Tx) -> None:
        tx.sql.run(
            "INSERT INTO audit SELECT ?, at, event, verb, channel, count, outcome, told, caller, scope, detail, salt, "
            "mark, unnamed FROM audit WHERE pk = ?",
            (pks[-1] + 1, one),
        )

    tamper = data.draw(st.sampled_from([remove, swap, cut_off, behead, repeat]))
    assert not verified_after(chain, tamper).ok


def test_the_note_of_where_the_chain_ends_cannot_be_set_back(chain: Memory) -> None:
    with chain._opened.store.read() as tx:
        head = tx.meta.text(HEAD_NOTE)
        last, mark = tx.sql.all("SELECT pk, mark FROM audit ORDER BY pk DESC LIMIT 2")[1]
    assert head is not None

    def shorten(tx: Tx) -> None:
        tx.sql.run("DELETE FROM audit WHERE pk > ?", (last,))
        tx.meta.note(HEAD_NOTE, f"{last}:{mark.hex()}:{head.split(':')[2]}")

    assert not verified_after(chain, shorten).ok
    assert not verified_after(chain, lambda tx: tx.meta.forget(HEAD_NOTE)).ok
    assert not verified_after(chain, lambda tx: tx.meta.forget(KEY_NOTE)).ok


def test_an_end_that_was_lost_is_told_for_good_though_more_is_written(chain: Memory) -> None:
    def lose(tx: Tx) -> None:
        tx.sql.run("DELETE FROM audit WHERE pk = (SELECT max(pk) FROM audit)")
        tx.meta.forget(HEAD_NOTE)
        for _ in range(3):
            tx.audit.append(AuditEvent.MEMORY_READ, at=0)

    report = verified_after(chain, lose)
    assert not report.ok
    assert "lost" in report.why


def test_rows_put_in_at_the_end_keep_nobody_from_writing(chain: Memory) -> None:
    def put_in(tx: Tx) -> None:
        tx.sql.run(
            "INSERT INTO audit (pk, at, event, verb, channel, count, outcome) "
            "SELECT max(pk) + 1, at, event, verb, channel, count, outcome FROM audit"
        )
        tx.audit.append(AuditEvent.MEMORY_READ, at=0)
        tx.audit.append(AuditEvent.MEMORY_READ, at=0)

    report = verified_after(chain, put_in)
    assert not report.ok
    assert report.first_bad == rows(chain)[-1] + 1


def test_one_more_row_beyond_what_retention_took_is_missed(tmp_path: Path) -> None:
    clock = Ticking()
    with recollect.open(tmp_path / "m.db", embedder=None, clock=clock, config={"audit.rows_max": 100}) as memory:
        for number in range(130):
            memory.add(f"bee {number}")
        memory.maintain()
        report = memory.audit_verify()
        assert report.ok
        assert report.cut_through
        assert len(rows(memory)) <= 110
        assert not verified_after(memory, lambda tx: tx.sql.run("DELETE FROM audit WHERE pk = ?", rows(memory)[:1])).ok
        clock.now += 400 * DAY_US
        memory.maintain()
        assert memory.audit_verify().ok
        assert {entry.event for entry in memory.audit(limit=1000)} >= {AuditEvent.AUDIT_CUT}
        assert all(entry.verb != "add" for entry in memory.audit(limit=1000))


def test_the_erasure_of_a_person_leaves_nothing_that_names_them_and_a_sound_chain(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder=None) as memory:
        theirs = memory.scoped(user_id="zebulon", agent_id="rex", actor="zebulon")
        theirs.add("keeps bees")
        theirs.search("bees", session_id="s1")
        memory.search("bees", user_id="zebulon")
        with pytest.raises(recollect.errors.AccessDenied):
            theirs.search("bees", user_id="ana")
        memory.search("bees", user_id="ana")
        memory.erase_user("zebulon")
        entries = memory.audit(limit=1000)
        assert "zebulon" not in repr(entries)
        assert sum(entry.unnamed for entry in entries) >= 4
        assert any(entry.event == AuditEvent.PERSON_ERASED and entry.detail for entry in entries)
        assert any((entry.scope or "").endswith("ana;") for entry in entries)
        assert memory.audit_verify().ok
    assert files_with(tmp_path, "zebulon") == []


WORK = """
import sys
import recollect
memory = recollect.open(sys.argv[1], embedder=None)
for number in range(int(sys.argv[3])):
    memory.add(f"{sys.argv[2]} {number}")
    memory.search("bees"), memory.get_all(limit=1)
    print(number, flush=True)
memory.close()
"""


def working(path: Path, name: str, times: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WORK, str(path), name, str(times)], stdout=subprocess.PIPE, text=True, env=os.environ
    )


def test_what_was_answered_is_in_the_chain_after_a_kill_in_the_middle(tmp_path: Path) -> None:
    process = working(tmp_path / "m.db", "bee", 100_000)
    assert process.stdout is not None
    until = time.monotonic() + 60
    while "120" not in process.stdout.readline() and time.monotonic() < until:
        pass
    time.sleep(2.2)  # reads are written every two seconds: some are, some wait
    process.send_signal(signal.SIGKILL)
    answered = int(process.stdout.read().split()[-1])
    process.wait()
    process.stdout.close()
    with recollect.open(tmp_path / "m.db", embedder=None) as memory:
        assert memory.audit_verify().ok
        entries = memory.audit(limit=1000, event="memory_written")
        newest = max(record.content for record in memory.get_all(limit=1))
        assert len(entries) == 1000 or len(entries) > answered
        assert memory.audit(event="memory_searched", limit=1), newest


def test_two_processes_that_write_at_once_make_one_chain(tmp_path: Path) -> None:
    recollect.open(tmp_path / "m.db", embedder=None).close()
    both = [working(tmp_path / "m.db", name, 60) for name in ("bee", "wasp")]
    for process in both:
        assert process.communicate(timeout=120)[0].split()[-1] == "59"
        assert process.returncode == 0
    with recollect.open(tmp_path / "m.db", embedder=None) as memory:
        entries = memory.audit(limit=1000)
        for event, count in (("memory_written", 120), ("memory_searched", 120), ("memory_read", 120)):
            assert sum(entry.event == event for entry in entries) == count, event
        assert memory.audit_verify().ok


def test_entries_of_earlier_versions_are_taken_into_the_chain(tmp_path: Path) -> None:
    import gzip

    kept = Path(__file__).parent.parent / "upgrade" / "format-12.db.gz"
    (tmp_path / "m.db").write_bytes(gzip.decompress(kept.read_bytes()))
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        earlier = len(rows(memory))
        assert earlier > 5
        memory.add("something new")
        assert memory.audit_verify().ok
        assert memory.audit_verify().checked > earlier
        oldest = "UPDATE audit SET verb = 'undo' WHERE pk = (SELECT min(pk) FROM audit)"
        assert not verified_after(memory, lambda tx: tx.sql.run(oldest)).ok


def test_a_vault_seals_the_key_of_the_chain_through_every_change_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passphrase, "COST", Cost(memory_kib=8 * 1024, iterations=1, lanes=1))

    def noted(memory: Memory) -> str:
        with memory._opened.store.read() as tx:
            return tx.meta.text(KEY_NOTE) or ""

    with recollect.open(tmp_path / "m.db", embedder=None) as memory:
        memory.add("before there was a vault")
        assert '"plain"' in noted(memory)
        memory.vault.encrypt("correct horse")
        memory.add("under a vault")
        assert '"plain"' not in noted(memory)
        first = noted(memory)
        memory.vault.rotate("another horse")
        assert noted(memory) != first
        report = memory.audit_verify()
        assert report.ok
        assert report.sealed
    with recollect.open(tmp_path / "m.db", key="another horse", embedder=None) as memory:
        memory.add("after it was opened again")
        assert memory.audit_verify().ok
        started = memory.audit(event="key_rotation_started")
        assert [entry.verb for entry in started] == ["rotate", "encrypt"]
        assert len(memory.audit(event="key_rotation_completed")) == 2
        assert memory.audit(event="vault_opened")
        memory.vault.decrypt()
        assert '"plain"' in noted(memory)
        assert memory.audit_verify().ok


def test_a_change_of_key_that_fails_leaves_the_chain_with_the_key_it_had(tmp_path: Path) -> None:
    def fail(name: str) -> None:
        raise OSError(f"no more at {name}")

    with recollect.open(tmp_path / "m.db", embedder=None) as memory:
        memory.add("before")
        from recollect.security.keeping import wished

        with pytest.raises(OSError, match="no more"):
            memory._opened.vault.encrypt(wished(bytes(range(32)), None), step=fail)
        memory.add("after")
        assert memory.audit_verify().ok
