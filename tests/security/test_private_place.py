"""Who may look at the files of a store, and what their sizes and times tell."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from security.vaults import filled

import recollect

KEY = bytes(range(32))
STEP = 524_288


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def generous_umask() -> None:
    os.umask(0o022)


def test_a_folder_made_for_a_store_is_its_owners_and_left_out_by_scanners(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "store"
    with filled(folder / "m.db") as memory:
        memory.vault.encrypt(KEY)
        assert mode(folder) == 0o700
        names = {each.name for each in folder.iterdir()}
        assert {".gitignore", ".nomedia", ".noindex"} <= names
        assert (folder / ".gitignore").read_text() == "*\n"
        assert {mode(each) for each in folder.iterdir()} == {0o600}
    assert mode(tmp_path / "deep") == 0o755


def test_a_folder_that_was_there_is_left_as_it_is(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    project.chmod(0o755)
    filled(project / "m.db").close()
    assert mode(project) == 0o755
    assert [each.name for each in project.iterdir()] == ["m.db"]


def test_the_default_folder_is_ours_whoever_made_it(tmp_path: Path) -> None:
    folder = tmp_path / ".recollect"
    folder.mkdir()
    folder.chmod(0o755)
    filled(folder / "m.db").close()
    assert mode(folder) == 0o700
    assert (folder / ".gitignore").exists()


def test_the_size_of_a_padded_store_grows_in_steps(tmp_path: Path) -> None:
    path, sizes = tmp_path / "m.db", {}
    config = {"security.pad": True}
    with recollect.open(path, key=KEY, embedder="fake", config=config) as memory:
        memory._opened.store.checkpoint()
        for number in range(1, 101):
            memory.add(f"Ana saw heron number {number} over the lake", user_id="ana")
            if number in (1, 10, 50, 100):
                memory._opened.store.checkpoint()
                sizes[number] = path.stat().st_size
        memory.delete(memory.add("to be erased").id, hard=True)  # rewrites the file
        memory._opened.store.checkpoint()
        assert path.stat().st_size % STEP == 0
        assert all(finding.ok for finding in memory.doctor() if finding.check == "database")
    assert all(size % STEP == 0 for size in sizes.values())
    assert sizes[1] == sizes[10]
    assert path.stat().st_size % STEP == 0


def test_without_the_switch_sizes_are_as_they_come(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", key=KEY, embedder="fake") as memory:
        memory.add("Ana saw a heron")
    assert (tmp_path / "m.db").stat().st_size % STEP != 0


def test_padding_holds_through_a_change_of_key(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with filled(path, config={"security.pad": True}) as memory:
        assert path.stat().st_size % STEP != 0, "a plain store is not padded"
        memory.vault.encrypt(KEY)
        memory.add("Ana saw a heron")
        memory.vault.rotate(bytes(32))
    assert path.stat().st_size % STEP == 0
    with recollect.open(path, key=bytes(32), embedder="fake", config={"security.pad": True}) as again:
        assert len(again.get_all(reach="all")) == 9


def test_file_times_tell_the_day_only(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with filled(path, config={"security.coarse_times": True}):
        pass
    assert path.stat().st_mtime % 86_400 == 0
    filled(tmp_path / "other.db").close()
    assert (tmp_path / "other.db").stat().st_mtime % 86_400 != 0
