"""Stores that earlier formats wrote (`scripts/keep-store`) open in today's version, with all that was in them."""

from __future__ import annotations

import gzip
import importlib.machinery
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import apsw
import pytest
from commands import Run
from properties.tables import assert_sound

import recollect
from recollect.facade.handle import engine_of
from recollect.memory import Memory
from recollect.store.sqlite.migrate import steps

HERE = Path(__file__).parent
KEPT = sorted(path.name.partition(".")[0] for path in HERE.glob("format-*.db.gz"))
NEWEST = steps()[-1][0]


def loaded() -> ModuleType:
    """`scripts/keep-store`, which knows what the stores hold and how it is told."""
    place = str(HERE.parents[1] / "scripts" / "keep-store")
    loader = importlib.machinery.SourceFileLoader("keep_store", place)
    spec = importlib.util.spec_from_loader("keep_store", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


keep_store = loaded()


@pytest.fixture(params=KEPT)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """A store of an earlier format, and what its own version said about it."""
    path = tmp_path / "m.db"
    path.write_bytes(gzip.decompress((HERE / f"{request.param}.db.gz").read_bytes()))
    return path, json.loads((HERE / f"{request.param}.json").read_text(encoding="utf-8"))


@pytest.fixture
def upgraded(kept: tuple[Path, dict[str, Any]]) -> Iterator[Memory]:
    with recollect.open(kept[0], embedder="fake", background=False) as memory:
        yield memory


def test_there_is_a_store_of_todays_format() -> None:
    assert f"format-{NEWEST:02}" in KEPT, "the format changed: run scripts/keep-store and commit what it writes"


def test_a_store_of_every_format_that_there_was_is_kept() -> None:
    """These came together with the next one, in one change: no program ever wrote a store of them."""
    never_written = {2, 7, 13, 17, 18}
    assert {int(name.removeprefix("format-")) for name in KEPT} == set(range(1, NEWEST + 1)) - never_written


def test_a_store_of_the_next_format_is_refused_with_a_cure_and_left_alone(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "m.db"
    path.write_bytes(gzip.decompress((HERE / f"{KEPT[-1]}.db.gz").read_bytes()))
    db = apsw.Connection(str(path))
    db.execute("INSERT INTO migration SELECT max(version) + 1, 'of a later release', 0 FROM migration")
    db.close()
    before = path.read_bytes()
    listed = run("--db", str(path), "list")
    assert (listed.code, "E1006" in listed.err, "upgrade recollect" in listed.err) == (1, True, True)
    (finding,) = (each for each in run("--db", str(path), "doctor", "-o", "json").data["findings"] if not each["ok"])
    assert (finding["code"], "pip install --upgrade recollect" in finding["cure"]) == ("E1006", True)
    assert path.read_bytes() == before


def test_a_store_is_brought_to_todays_format_once(kept: tuple[Path, dict[str, Any]]) -> None:
    path, _ = kept
    for _ in range(2):
        recollect.open(path, embedder="fake", background=False).close()
        assert keep_store.format_of(path) == NEWEST
        assert_sound(path)


def test_the_file_as_it_was_is_backed_up_first(kept: tuple[Path, dict[str, Any]]) -> None:
    path, _ = kept
    before = keep_store.format_of(path)
    recollect.open(path, embedder="fake", background=False).close()
    made = sorted((path.parent / "m.db.backups").glob("migration-*.db"))
    assert [keep_store.format_of(each) for each in made] == ([] if before == NEWEST else [before])


def test_the_verbs_say_what_they_said(kept: tuple[Path, dict[str, Any]], upgraded: Memory) -> None:
    _, then = kept
    now = json.loads(json.dumps(keep_store.said_of(upgraded)))
    assert {name: now[name] for name in ("live", "history", "relations", "operations")} == {
        name: then[name] for name in ("live", "history", "relations", "operations")
    }


def test_what_was_found_is_found(kept: tuple[Path, dict[str, Any]], upgraded: Memory) -> None:
    _, then = kept
    assert keep_store.said_of(upgraded)["answers"] == then["answers"]


def test_work_goes_on_where_it_was_left(kept: tuple[Path, dict[str, Any]]) -> None:
    """Old operations are undone, old records changed, new ones added; upkeep loses nothing that was there."""
    path, then = kept
    ana = keep_store.ANA
    with recollect.open(path, embedder="fake") as memory:
        deletion = next(each for each in memory.operations(limit=200) if each.verb == "delete")
        (back,) = memory.undo(deletion.id).ids
        record = memory.get(back, **ana)
        assert record is not None
        assert record.content == "The old doorbell rings twice"
        memory.correct(back, "The new doorbell rings once", **ana)
        added = memory.add("The gate is green", **ana).ids[0]
        memory.settle()
        memory.maintain()
        assert added in {hit.id for hit in memory.search("Which colour has the gate?", **ana)}
        assert then["live"].keys() <= {record.id for record in memory.get_all(limit=200, **ana)}
        assert [finding for finding in memory.doctor() if not finding.ok] == []


@pytest.mark.parametrize("kept", [KEPT[0], KEPT[-1]], indirect=True)
@pytest.mark.parametrize("key", [bytes(range(32)), "correct horse"])
def test_a_store_with_a_key_of_an_earlier_version_opens_with_it(
    kept: tuple[Path, dict[str, Any]], tmp_path: Path, key: bytes | str
) -> None:
    """Encrypted here as versions before the vault did it: the pragmas are theirs, spelled out."""
    path, then = kept
    secret = f"x'{key.hex()}'" if isinstance(key, bytes) else key
    plain = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI)
    settings = f"cipher=sqlcipher&legacy_page_size=8192&hexkey={secret.encode().hex()}"
    plain.execute("VACUUM INTO ?", (f"file:{tmp_path / 'old.db'}?{settings}",))
    plain.close()
    with recollect.open(tmp_path / "old.db", key=key, embedder="fake", background=False) as memory:
        assert then["live"].keys() == keep_store.said_of(memory)["live"].keys()
        assert memory.vault.status()["vault"] is False
        memory.vault.encrypt("another horse")
    with pytest.raises(recollect.errors.StoreLocked):
        recollect.open(tmp_path / "old.db", key=key, embedder="fake")
    with recollect.open(tmp_path / "old.db", key="another horse", embedder="fake", background=False) as memory:
        assert then["live"].keys() == keep_store.said_of(memory)["live"].keys()


def test_files_of_earlier_notes_are_found_again(tmp_path: Path) -> None:
    """`remember_this` kept them as `files` once; what a caller filed under that name is the caller's and stays."""
    path = tmp_path / "m.db"
    path.write_bytes(gzip.decompress((HERE / "format-12.db.gz").read_bytes()))
    db = apsw.Connection(str(path))
    ids = [row[0] for row in db.execute("SELECT id FROM record WHERE head_pk IS NULL AND retired_at IS NULL LIMIT 3")]
    for id_, category, metadata in zip(
        ids,
        ("gotcha", "gotcha", "fact"),
        ('{"files":["src/a.py"]}', '{"files":["b.py"],"team":"core"}', '{"files":["c.py"]}'),
        strict=True,
    ):
        db.execute("UPDATE record SET category = ?, metadata = ? WHERE id = ?", (category, metadata, id_))
    db.close()
    with recollect.open(path, embedder="fake", background=False) as memory:
        found = [memory.get(id_) for id_ in ids]
        assert [record.metadata for record in found if record] == [
            {"related_files": ["src/a.py"]},
            {"files": ["b.py"], "team": "core"},
            {"files": ["c.py"]},
        ]
        with engine_of(memory).store.read() as tx:
            assert tx.marks.values("related_file", limit=10) == ["src/a.py"]
