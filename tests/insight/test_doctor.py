"""What is broken is found and said, and what can be cured without loss is cured."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from properties.tables import assert_sound

import recollect
from recollect import Memory
from recollect.errors import AccessDenied, EmbeddingFailed, StoreBusy, StoreDamaged
from recollect.index import follow
from recollect.insight import degraded, doctor
from recollect.insight.cures import CURES, in_the_way
from recollect.model.result import Finding
from recollect.providers.embedders.fake import FakeEmbedder
from recollect.store.sqlite.connection import PAGE_BYTES
from recollect.upkeep.jobs.worker import JobWorker

ROOT = Path(__file__).parents[2]
CHECKS = {
    "file",
    "erasures",
    "integrity",
    "references",
    "text index",
    "vectors",
    "embedder",
    "jobs",
    "disk",
    "settings",
}


def embed_jobs(memory: Memory) -> dict[str, int]:
    """How many embed jobs are in which state; other jobs come and go by themselves."""
    with memory._engine.store.read() as tx:
        return dict(tx.sql.all("SELECT state, count(*) FROM job WHERE kind = 'embed' GROUP BY state"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def mem(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)
    with recollect.open(path, embedder="fake") as memory:
        memory.add(["Ana lives in Oslo", "Ben lives in Rome"])
        memory.update(memory.add("a draft").id, content="a final text")
        yield memory


def found(memory: Memory, check: str, *, fix: bool = False) -> Finding:
    return next(finding for finding in memory.doctor(fix=fix) if finding.check == check)


def break_by_sql(memory: Memory, sql: str) -> None:
    memory._engine.store.write(lambda tx: tx.sql.run(sql))


def break_behind_its_back(path: Path, sql: str) -> None:
    """As another program would: without our rules for references."""
    db = apsw.Connection(str(path))
    db.pragma("foreign_keys", False)
    db.execute(sql)
    db.close()


def test_a_sound_store_has_one_good_finding_per_check(mem: Memory) -> None:
    findings = mem.doctor()
    assert {finding.check for finding in findings} >= CHECKS
    assert len({finding.check for finding in findings}) == len(findings)
    for finding in findings:
        assert (finding.ok, finding.cure, finding.code, finding.fixed) == (True, None, None, False), finding
        assert finding.detail
        assert finding.to_dict().keys() == {"check", "ok", "detail", "cure", "code", "fixed"}


@pytest.mark.parametrize("embedder", ["fake", None])
def test_an_empty_store_is_sound(embedder: str | None) -> None:
    with recollect.open(":memory:", embedder=embedder) as memory:
        assert all(finding.ok for finding in memory.doctor())


def test_it_is_for_the_owner(mem: Memory) -> None:
    with pytest.raises(AccessDenied):
        mem.scoped(user_id="ana").doctor()


@pytest.mark.parametrize(
    "sql",
    ["DELETE FROM record_text WHERE rowid = 1", "INSERT INTO record_text (rowid, terms) VALUES (999, 'ghost')"],
)
def test_a_text_index_out_of_step_is_found_and_rebuilt(
    mem: Memory, path: Path, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    break_by_sql(mem, sql)
    assert not found(mem, "text index").ok
    before = found(mem, "text index")
    assert (before.code, before.fixed) == ("D05", False)
    assert "doctor --fix" in before.cure
    done = found(mem, "text index", fix=True)
    assert (done.ok, done.fixed, done.code, done.cure) == (True, True, "D05", None)
    assert done.detail == "rebuilt from 4 rows"
    assert found(mem, "text index").ok
    assert not found(mem, "text index", fix=True).fixed
    monkeypatch.setattr(follow, "_WARM_DELAY_S", 3600)
    with recollect.open(path, embedder=None) as cold:  # asks the disk, as its indexes never warm up
        assert [hit.content for hit in cold.search("Oslo")] == ["Ana lives in Oslo"]
        assert [hit.content for hit in cold.search("final")] == ["a final text"]
        assert not cold.search("ghost")


def test_a_text_index_with_the_right_number_of_wrong_rows_is_found_too(mem: Memory) -> None:
    break_by_sql(mem, "DELETE FROM record_text WHERE rowid = 1")
    break_by_sql(mem, "INSERT INTO record_text (rowid, terms) VALUES (999, 'ghost')")
    assert not found(mem, "text index").ok


def test_references_that_lead_nowhere_are_found(mem: Memory, path: Path) -> None:
    break_behind_its_back(path, "INSERT INTO vector (space_pk, record_pk, data) VALUES (1, 999, x'00')")
    finding = found(mem, "references")
    assert (finding.ok, finding.detail) == (False, "1 rows point at nothing")
    assert "backup" in finding.cure


def test_damage_to_the_file_is_found(mem: Memory, path: Path) -> None:
    break_behind_its_back(
        path,
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'content        TEXT NOT NULL', "
        "'content INTEGER NOT NULL') WHERE name = 'record'",
    )
    mem.close()
    with recollect.open(path, embedder=None) as memory:
        finding = found(memory, "integrity")
    assert not finding.ok
    assert "backup" in finding.cure


def pages_of(path: Path) -> dict[str, list[int]]:
    """The pages of every table and index, counted from 0."""
    db = apsw.Connection(str(path))
    held: dict[str, list[int]] = {}
    for name, number in db.execute("SELECT name, pageno FROM dbstat ORDER BY pageno"):
        held.setdefault(name, []).append(number - 1)
    db.close()
    return held


@pytest.fixture
def large(path: Path) -> Path:
    with recollect.open(path, embedder=None, config={"store.durable": False}) as memory:
        texts = [f"fact number{at} about tea w{at * 7} {'and more words ' * (at % 40)}" for at in range(600)]
        memory.add(texts, infer=False)
    return path


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_page_is_a_finding_with_a_cure_never_an_error(large: Path, seed: int) -> None:
    data, chance = bytearray(large.read_bytes()), random.Random(seed)
    page = chance.randrange(1, len(data) // PAGE_BYTES)
    data[page * PAGE_BYTES : (page + 1) * PAGE_BYTES] = chance.randbytes(PAGE_BYTES)
    large.write_bytes(data)
    try:
        memory = recollect.open(large, embedder=None)
    except StoreDamaged:
        return
    with memory:
        findings = memory.doctor()
        assert not all(finding.ok for finding in findings)
        assert all(finding.cure for finding in findings if not finding.ok)
        memory.doctor(fix=True)


@pytest.mark.parametrize("which", [0, 1, -1])
def test_a_damaged_text_index_is_built_anew(large: Path, which: int) -> None:
    data, page = bytearray(large.read_bytes()), pages_of(large)["record_text_data"][which]
    data[page * PAGE_BYTES : (page + 1) * PAGE_BYTES] = random.Random(1).randbytes(PAGE_BYTES)
    large.write_bytes(data)
    with recollect.open(large, embedder=None) as memory:
        finding = found(memory, "integrity")
        assert not finding.ok
        assert "doctor --fix" in finding.cure
        assert found(memory, "integrity", fix=True).ok
        assert all(finding.ok for finding in memory.doctor())
        memory.add("a fact that came later")
    assert_sound(large)


def test_records_without_a_vector_are_found_and_reembed_cures_them(mem: Memory) -> None:
    break_by_sql(mem, "DELETE FROM vector WHERE record_pk = 1")
    finding = found(mem, "vectors")
    assert (finding.ok, finding.detail) == (False, "fake:64: 2 of 3 records have a vector")
    assert "reembed" in finding.cure
    done = found(mem, "vectors", fix=True)
    assert (done.ok, done.fixed, done.detail) == (True, True, "1 records had none, and the background makes them now")
    mem.settle()
    assert found(mem, "vectors").detail == "complete (1 of 1)"


def test_vectors_of_another_model_are_left_to_whoever_chose_it(path: Path) -> None:
    """To embed everything anew costs time, and maybe money: nobody is surprised by that."""
    with recollect.open(path, embedder="fake:64") as memory:
        memory.add("Ana lives in Oslo")
        memory.settle()
    with recollect.open(path, embedder="fake:32", background=False) as memory:
        break_by_sql(memory, "DELETE FROM job")
        for fix in (False, True):
            finding = found(memory, "vectors", fix=fix)
            assert (finding.ok, finding.code, finding.fixed) == (False, "D08", False)
        assert not embed_jobs(memory)


def test_an_erasure_that_could_not_finish_is_finished(path: Path) -> None:
    """As a process leaves it that was killed after it erased, before the file was rewritten."""
    with recollect.open(path, embedder="fake", background=False) as memory:
        memory.add("Ana lives in Oslo")
    break_behind_its_back(path, "INSERT INTO meta (key, value) VALUES ('scrub_due', 'x')")
    with recollect.open(path, embedder="fake", background=False) as memory:
        assert found(memory, "erasures").code == "D06"
        done = found(memory, "erasures", fix=True)
        assert (done.ok, done.fixed) == (True, True)
        assert found(memory, "erasures").ok


def test_a_store_in_use_elsewhere_is_no_reason_to_restore_a_backup() -> None:
    finding = in_the_way(StoreBusy("another process has it"), "erasures")
    assert (finding.check, finding.ok, finding.code) == ("erasures", False, "E1009")
    assert "process" in finding.cure


def test_every_finding_has_a_code_of_its_own_and_a_line_in_the_docs() -> None:
    page = (ROOT / "docs" / "observability.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| (D\d\d) \| ([^|]+) \| [^|]+ \| (yes|no) \|$", page, re.M)
    assert listed == [(cure.code, name, "yes" if cure.fixes else "no") for name, cure in CURES.items()]
    assert len({cure.code for cure in CURES.values()}) == len(CURES)


def test_failed_jobs_are_named_with_their_code_and_queued_again(mem: Memory) -> None:
    break_by_sql(
        mem,
        "INSERT INTO job (kind, payload, state, attempts, error, run_after, created_at) "
        "VALUES ('embed', '{}', 'failed', 5, 'E3001', 0, 0)",
    )
    finding = found(mem, "jobs")
    assert (finding.ok, finding.detail) == (False, "1 embed jobs failed with E3001")
    assert found(mem, "jobs", fix=True).ok
    assert embed_jobs(mem) == {"ready": 1}
    assert found(mem, "jobs").ok


def test_curing_wakes_the_worker(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    poked: list[bool] = []
    monkeypatch.setattr(JobWorker, "poke", lambda self: poked.append(True))
    mem.doctor()
    assert not poked
    mem.doctor(fix=True)
    assert poked


def test_an_embedder_that_does_not_answer_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with recollect.open(":memory:", embedder="fake") as memory:

        def refuse(self: FakeEmbedder, texts: object) -> object:
            raise EmbeddingFailed("no such model")

        monkeypatch.setattr(FakeEmbedder, "embed", refuse)
        finding = found(memory, "embedder")
    assert finding.code == "D09"
    assert "no such model" in finding.detail
    assert finding.cure


def test_a_full_disk_is_foreseen(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "FREE_BYTES_MIN", 2**60)
    monkeypatch.setattr(degraded, "FREE_BYTES_MIN", 2**60)
    finding = found(mem, "disk")
    assert not finding.ok
    assert "MiB" in finding.detail
    assert any("free on the disk" in warning for warning in mem.health().warnings)


def test_settings_out_of_range_are_found() -> None:
    with recollect.open(":memory:", embedder=None, config={"recall.rrf_k": 1_000_000}) as memory:
        assert found(memory, "settings").code == "D14"


def test_looking_changes_nothing(mem: Memory) -> None:
    before = (mem.stats().figures | {"size_bytes": 0}, mem._engine.store.change_seq())
    mem.doctor()
    assert (mem.stats().figures | {"size_bytes": 0}, mem._engine.store.change_seq()) == before
