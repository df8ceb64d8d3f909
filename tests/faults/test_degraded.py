"""A part is taken away from an open memory: what still works, what `health` says, and that it comes back by itself.

A test for each row of the table in docs/reliability.md ("When a part is missing"). Each breaks the real thing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import keyring
import pytest
from postgres_server import another
from properties.tables import assert_sound, looking_at, wait_until
from security.vaults import keyring_in, using

import recollect
from faults.bad_disk import How, bad_disk
from faults.part_servers import ModelServer, VectorServer
from recollect.errors import DiskFull, StoreError, StoreLocked, StoreReadOnly, StoreUnavailable
from recollect.index import follow
from recollect.insight import degraded
from recollect.memory import Memory

# Who is away is asked again at every look, and jobs and indexes do not wait long.
SOON = {
    "embedding.probe_ttl_s": 0,
    "embedding.retries": 0,
    "embedding.static_beside": False,
    "jobs.backoff_s": 0.05,
    "index.poll_interval_s": 0.02,
    "store.durable": False,
}
TEA = [f"Ana drinks tea number {number} in Rome" for number in range(40)]


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
        monkeypatch.setenv("RECOLLECT_RERANK_URL", f"{server.address}/v1")
        yield server


@pytest.fixture
def began() -> datetime:
    return datetime.now(UTC)


def opened(place: Path | str, **more: Any) -> Memory:
    return recollect.open(place, **{"embedder": "fake", **more, "config": {**SOON, **more.get("config", {})}})


def missing(mem: Memory) -> dict[str, dict[str, str]]:
    return {each["part"]: each for each in mem.health()["degraded"]}


def told(mem: Memory, part: str, began: datetime, *, by_hand: bool = True) -> dict[str, str]:
    """What health says of a part that is missing: since when, what still works, and what to do, also as a warning."""
    wait_until(lambda: part in missing(mem), f"{part} to be missing")
    health = mem.health()
    found = {each["part"]: each for each in health["degraded"]}[part]
    assert began <= datetime.fromisoformat(found["since"]) <= datetime.now(UTC)
    assert found["why"]
    assert found["still"]
    assert bool(found["cure"]) is by_hand
    assert any(found["why"] in warning and found["cure"] in warning for warning in health.warnings) is by_hand
    later = missing(mem)[part]
    assert later["since"] == found["since"], "it went on all the time"
    return found


def is_whole(mem: Memory) -> None:
    """Nothing is missing any more, and nobody had to do anything in this process."""
    wait_until(lambda: not missing(mem), "all parts to be back")
    wait_until(lambda: not mem.health()["pending_embeddings"], "vectors to be made")
    mem.add("Everybody is back on Monday")
    wait_until(lambda: mem.search("who is back on Monday", top_k=1)[0].content == "Everybody is back on Monday", "it")
    assert mem.health()["level"] in ("full", "words")


# --- models -----------------------------------------------------------------------------------------------------------


def test_the_embedder_is_away(models: ModelServer, tmp_path: Path, began: datetime) -> None:
    with opened(tmp_path / "m.db", embedder="openai:small") as mem:
        mem.add("Ana likes tea")
        mem.settle()
        assert mem.search("tea").quality.level == "full"
        models.down()
        receipt = mem.add("Ben likes coffee")
        assert "queued" in receipt.missing[0]
        found = mem.search("coffee")
        assert found[0].content == "Ben likes coffee"
        assert (found.quality.level, mem.health()["level"]) == ("text_only", "words")
        assert any("did not answer (E3001); only words are compared" in each for each in found.missing)
        assert "words" in told(mem, "embedder", began)["still"]
        models.up()
        is_whole(mem)
        assert mem.search("coffee").quality.level == "full"
        assert mem.health()["level"] == "full"


def test_beside_a_static_model_searches_still_go_by_meaning(
    models: ModelServer, tmp_path: Path, began: datetime
) -> None:
    config = {"embedding.static_beside": True}
    with opened(tmp_path / "m.db", embedder="openai:small", config=config) as mem:
        mem.add("The kitten sleeps on the sofa")
        mem.settle()
        models.down()
        found = mem.search("cat on the couch")
        assert found[0].content == "The kitten sleeps on the sofa"
        assert (found.quality.level, mem.health()["level"]) == ("full", "partial")
        assert "wordllama" in told(mem, "embedder", began)["still"]
        models.up()
        is_whole(mem)


def test_the_language_model_is_away(models: ModelServer, tmp_path: Path, began: datetime) -> None:
    models.say = lambda prompt: '{"statements": [], "notes": []}'
    config = {"perceive.statements": "model"}
    with opened(tmp_path / "m.db", llm=f"openai:small@{models.address}/v1", config=config) as mem:
        models.down()
        mem.add({"role": "user", "name": "Ana", "content": "I use Rust at work."}, session_id="s")
        by_rules = lambda: [each.content for each in mem.get_all(kinds=["semantic"])]  # noqa: E731
        wait_until(lambda: by_rules() == ["Ana uses Rust at work"], "rules to do its work")
        assert mem.search("Rust").hits
        found = told(mem, "language model", began)
        assert found["still"] == "rules do its work; 1 piece of work waits for it"
        models.up()
        wait_until(lambda: mem.health()["waiting_for_model"] == 0, "the work to be done")
        is_whole(mem)


def test_the_reranker_is_away(models: ModelServer, tmp_path: Path, began: datetime) -> None:
    with opened(tmp_path / "m.db", reranker="endpoint:r") as mem:
        mem.add(["tea", "tea, and a long tale about a pot and its lid"])
        asked: Callable[[], Any] = lambda: mem.search("tea", rerank="cross_encoder")  # noqa: E731
        assert asked()[0].content == "tea, and a long tale about a pot and its lid"
        models.down()
        found = asked()
        assert len(found) == 2
        assert any("endpoint:r did not answer (E3001)" in each for each in found.missing)
        told(mem, "reranker", began)
        models.up()
        wait_until(lambda: not missing(mem), "the reranker to be asked again")
        assert asked().missing == ()
        assert asked()[0].content == "tea, and a long tale about a pot and its lid"


# --- indexes ----------------------------------------------------------------------------------------------------------

RUINED = {
    "pages": "UPDATE record_text_data SET block = randomblob(length(block)) WHERE id > 10",
    "structure": "UPDATE record_text_data SET block = zeroblob(40) WHERE id > 0",
    "table": "DROP TABLE record_text_idx",
}


@pytest.mark.parametrize("ruined", RUINED)
def test_the_text_index_is_damaged_and_somebody_writes(ruined: str, tmp_path: Path) -> None:
    with opened(tmp_path / "m.db") as mem:
        ids = mem.add(TEA, infer=False).ids
        mem._engine.store.write(lambda tx: tx.sql.run(RUINED[ruined]))
        assert mem.search("tea in Rome").quality.level == "full"  # it looks in memory
        mem.add("Ben drinks coffee")
        mem.update(ids[0], content="Ana drinks milk")
        mem.delete(ids[1], hard=True)
        is_whole(mem)
        assert mem.search("milk", known_at="2100-01-01")[0].content == "Ana drinks milk"  # it looks in the file
        assert all(finding.ok for finding in mem.doctor())
    assert_sound(tmp_path / "m.db")


def test_the_text_index_is_damaged_and_somebody_searches(tmp_path: Path, began: datetime) -> None:
    with opened(tmp_path / "m.db") as mem:
        mem.add(TEA, infer=False)
        mem._engine.store.write(lambda tx: tx.sql.run(RUINED["pages"]))
        with looking_at(tmp_path / "m.db") as other:
            other.execute("BEGIN IMMEDIATE")  # so long the index cannot be made anew
            found = mem.search("tea number 7", known_at="2100-01-01")
            assert any("[E1002] the index on disk is damaged and is made anew" in each for each in found.missing)
            assert mem.search("tea number 7").hits  # in memory
            told(mem, "text index", began, by_hand=False)
            other.execute("ROLLBACK")
        is_whole(mem)
        found = mem.search("tea number 7", known_at="2100-01-01")
        assert not any("text" in each for each in found.missing)
        assert "number 7" in found[0].content
        assert all(finding.ok for finding in mem.doctor())
    assert_sound(tmp_path / "m.db")


@pytest.mark.parametrize("garbage", [b"", b"garbage", bytes(8192)])
def test_the_files_of_vectors_hold_something_else(
    garbage: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = {"index.flat_max": 10}
    with opened(tmp_path / "m.db", config=config) as mem:
        mem.add(TEA, infer=False)
        wait_until(lambda: mem.health()["index_lag"] == 0, "the indexes to follow")
    (file,) = tmp_path.glob("m.db.vectors-*")
    whole = file.read_bytes()
    file.write_bytes(garbage)
    monkeypatch.setattr(follow, "_WARM_DELAY_S", 0.5)
    monkeypatch.setattr(follow, "SMALL_ROWS", 0)
    with opened(tmp_path / "m.db", config=config) as mem:
        found = mem.search("tea number 7")
        assert "number 7" in found[0].content
        assert (found.quality.level, mem.health()["level"]) == ("text_plus_disk_vectors", "warming")
        wait_until(lambda: mem.search("tea number 7").quality.level == "full", "the indexes to be read")
        file.unlink()
        assert mem.search("tea number 7").quality.level == "full"
        is_whole(mem)
    assert len(file.read_bytes()) >= len(whole) // 2


def test_the_server_of_vectors_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, began: datetime) -> None:
    pytest.importorskip("qdrant_client")
    monkeypatch.setattr(follow, "_RETRY_S", 0.2)
    with VectorServer() as server:
        config = {"index.flat_max": 10, "index.backend": "qdrant", "index.qdrant_url": server.address}
        with opened(tmp_path / "m.db", config=config) as mem:
            held: Callable[[], int] = lambda: sum(map(len, server.collections.values()))  # noqa: E731
            mem.add(TEA, infer=False)
            wait_until(lambda: held() == len(TEA), "the server to have the vectors")
            assert "number 7" in mem.search("tea number 7", top_k=1)[0].content
            server.down()
            assert "number 7" in mem.search("tea number 7", top_k=1)[0].content
            mem.add("Ben drinks coffee", infer=False)
            assert mem.search("coffee", top_k=1)[0].content == "Ben drinks coffee"
            told(mem, "vector index", began)
            wait_until(lambda: mem.search("coffee").quality.level == "full", "vectors to be held in memory")
            server.up()
            is_whole(mem)
            wait_until(lambda: held() == len(TEA) + 2, "the server to have the vectors again")


# --- the disk and the process -----------------------------------------------------------------------------------------


@contextmanager
def small_disk(mib: int) -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="recollect-small-"))
    command = ["mount", "-t", "tmpfs", "-o", f"size={mib}m", "tmpfs", str(place)]
    done = subprocess.run(command, capture_output=True, check=False) if shutil.which("mount") else None
    if done is None or done.returncode:
        place.rmdir()
        pytest.skip("no small file system can be made here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)
        place.rmdir()


def fill(file: Path) -> None:
    """Make a file that takes all the space there is."""
    with file.open("wb", buffering=0) as taken, suppress(OSError):
        while taken.write(bytes(1 << 16)):
            """More."""


def add_without_end(mem: Memory) -> None:
    """What is free inside the file is used up first."""
    for number in range(1_000):
        mem.add(f"{number} " + "coffee " * 1_000, infer=False)


def test_the_disk_is_full(monkeypatch: pytest.MonkeyPatch, began: datetime) -> None:
    monkeypatch.setattr(degraded, "FREE_BYTES_MIN", 512 << 10)
    with small_disk(16) as disk, opened(disk / "m.db") as mem:
        mem.add(TEA, infer=False)
        assert not missing(mem)
        ballast = disk / "ballast"
        fill(ballast)
        with pytest.raises(DiskFull, match="no space left"):
            add_without_end(mem)
        there = len(mem.get_all(limit=1_000))
        assert "number 7" in mem.search("tea number 7", top_k=1)[0].content
        assert told(mem, "disk", began)["why"].startswith("[E1003]")
        assert mem.search("tea number 7").quality.level == "full"
        assert len(mem.get_all(limit=1_000)) == there
        ballast.unlink()
        is_whole(mem)
        assert len(mem.get_all(limit=1_000)) == there + 1


@pytest.mark.parametrize(
    ("how", "part", "code"), [(How.READ_ONLY, "file", "E1008"), (How.UNWRITABLE, "writes", "E1005")]
)
def test_the_disk_takes_no_write_any_more(how: How, part: str, code: str, tmp_path: Path, began: datetime) -> None:
    with bad_disk() as disk, opened(tmp_path / "m.db") as mem:
        mem.add(TEA, infer=False)
        disk.fail(0, how, kinds=("write",))
        with pytest.raises(StoreError) as caught:
            mem.add("Ben drinks coffee", infer=False)
        assert caught.value.code == code
        assert "number 7" in mem.search("tea number 7", top_k=1)[0].content
        assert told(mem, part, began)["why"].startswith(f"[{code}] the newest write failed")
        disk.heal()
        is_whole(mem)
        assert "Ben drinks coffee" not in [each.content for each in mem.get_all(limit=100)]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="takes a user whom files can be closed to")
def test_the_file_and_its_folder_cannot_be_written(began: datetime) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name) / "store"
        folder.mkdir()
        Path(name).chmod(0o755)
        path = folder / "m.db"
        with opened(path) as mem:
            mem.add(TEA, infer=False)
            is_whole(mem)
            told_nothing = mem.health()
            assert told_nothing["degraded"] == []
            for each in (folder, *folder.iterdir()):
                os.chown(each, 65_534, 65_534)
            os.seteuid(65_534)
            try:
                path.chmod(0o400)
                folder.chmod(0o500)
                assert told(mem, "file", began)["why"] == "[E1008] the file and its folder cannot be written"
                mem.add("Ben drinks coffee", infer=False)  # what is open stays writable
                assert mem.search("coffee", top_k=1)[0].content == "Ben drinks coffee"
                with pytest.raises(StoreReadOnly, match=r"read-only|cannot be written"):
                    opened(path)
                folder.chmod(0o700)
                path.chmod(0o600)
                is_whole(mem)
                with opened(path) as other:
                    assert other.search("coffee", top_k=1)[0].content == "Ben drinks coffee"
            finally:
                os.seteuid(0)


def test_memory_is_short(tmp_path: Path, began: datetime) -> None:
    with opened(tmp_path / "m.db", config={"ram.calm_s": 0}) as mem:
        mem.add(TEA, infer=False)
        assert not missing(mem)
        mem._engine.config.change({"ram.budget_mb": 1})
        wait_until(lambda: mem.health()["pressure"] == "critical", "a look at the memory")
        wait_until(lambda: "models" in mem.health()["let_go"], "all to be let go, one after the other")
        assert "caches" in told(mem, "memory", began)["still"]
        assert "number 7" in mem.search("tea number 7", top_k=1)[0].content
        mem.add("Ben drinks coffee", infer=False)
        mem._engine.config.change({"ram.budget_mb": 100_000})
        wait_until(lambda: mem.health()["let_go"] == [], "all to be taken back")
        is_whole(mem)


def test_the_keyring_is_locked(tmp_path: Path, began: datetime) -> None:
    class Locked(keyring.backends.fail.Keyring):
        def get_password(self, service: str, username: str) -> str:
            raise keyring.errors.KeyringLocked("locked")

    path = tmp_path / "m.db"
    with keyring_in(tmp_path) as ring, opened(path) as mem:
        mem.add(TEA, infer=False)
        mem.vault.encrypt(keep="keyring")
        with using(Locked()):
            mem.add("Ben drinks coffee", infer=False)
            assert mem.search("coffee", top_k=1)[0].content == "Ben drinks coffee"
            (finding,) = [each for each in mem.doctor() if each.check == "key"]
            assert (finding.ok, finding.code) == (False, "D17")
            with pytest.raises(StoreLocked, match="the keyring of this system does not answer"):
                mem.vault.rotate()
            with pytest.raises(StoreLocked, match="KeyringLocked"):
                opened(path)
            assert told(mem, "key", began)["why"].startswith("[E1001]")
        assert keyring.get_keyring() is ring
        is_whole(mem)
        assert next(each for each in mem.doctor() if each.check == "key").ok
        mem.vault.rotate()
        assert len(mem.get_all(limit=100)) == len(TEA) + 2
    with keyring_in(tmp_path), opened(path) as again:
        assert again.search("coffee", top_k=1)[0].content == "Ben drinks coffee"


# --- a database server ------------------------------------------------------------------------------------------------


def test_the_database_server_is_away(began: datetime) -> None:
    own = another(durable=True)
    config = {"store.busy_timeout_s": 0.8, "recall.timeout_s": 0.2, "store.durable": True}
    with opened(own.get_uri(), config=config) as mem:
        mem.add(TEA[:5], infer=False)
        is_whole(mem)
        own.stop()
        seconds = []
        for call in (lambda: mem.search("tea"), lambda: mem.add("lost", infer=False), mem.get_all):
            asked_at = time.monotonic()
            with pytest.raises(StoreUnavailable) as caught:
                call()
            assert (caught.value.code, caught.value.retryable) == ("E1014", True)
            seconds.append(time.monotonic() - asked_at)
        assert seconds[0] < config["store.busy_timeout_s"] <= seconds[1], "a search waits as long as it may, no longer"
        assert told(mem, "server", began)["why"].startswith("[E1014]")
        health = mem.health()
        assert (health["level"], health["status"]) == ("none", "attention")
        assert "jobs" not in health.figures
        own.ensure_postgres_running()
        is_whole(mem)
        assert {each.content for each in mem.get_all(limit=100)} >= set(TEA[:5])
        assert not any(each.content == "lost" for each in mem.get_all(limit=100))
