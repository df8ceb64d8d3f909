"""Documents and code become records with a place; given again, only what changed is changed, and one undo is enough."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recollect
from recollect import Memory
from recollect.errors import UsageError
from recollect.ingest import reading
from recollect.ingest.pieces import tree_of
from recollect.ingest.progress import watched
from recollect.model.record import Record
from recollect.providers.base import Vectors
from recollect.providers.embedders.fake import FakeEmbedder

INTRO = "The guide tells how the kettle is used, cleaned and put away after tea. It is short, and it has three parts."
INSTALL = (
    "Put the kettle on a flat table near a socket. Fill it with cold water up to the mark, and not above the mark."
)
CLEAN = "Vinegar removes the chalk that hard water leaves behind. Boil it twice with fresh water before you make tea."
GUIDE = f"# Guide\n\n{INTRO}\n\n## Install\n\n{INSTALL}\n\n## Clean\n\n{CLEAN}\n"
CODE = '''"""Brewing tea."""

import time


class Kettle:
    """Heats water."""

    def boil(self, litres: float) -> float:
        """How long it takes to boil so much water, in seconds; the lid is closed."""
        seconds = litres * 180
        time.sleep(0)
        return seconds

    def pour(self, cups: int) -> None:
        """Pours into cups, one after the other, and leaves a little room for milk."""
        for _ in range(cups):
            time.sleep(0)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A guide, some code and a file that is no text."""
    folder = tmp_path / "atlas"
    (folder / "src").mkdir(parents=True)
    (folder / "guide.md").write_text(GUIDE, encoding="utf-8")
    (folder / "src" / "kettle.py").write_text(CODE, encoding="utf-8")
    (folder / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    return folder


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def live(memory: Memory, **scope: Any) -> dict[str, Record]:
    """Live pieces by their key within their document."""
    return {record.attributes["piece"]: record for record in memory.get_all(kinds=["snippet"], **scope)}


def document_of(memory: Memory, record: Record) -> Record:
    found = memory.get(record.attributes["document"])
    assert found is not None
    return found


# --- places and trees -----------------------------------------------------------------------------------------------


def test_pieces_of_a_document_know_their_section_and_lines(folder: Path, memory: Memory) -> None:
    file = folder / "guide.md"
    receipt = memory.ingest(file, tags=["docs"], metadata={"team": "core"})
    assert [record.content for record in receipt.records] == [
        f"# Guide\n\n{INTRO}",
        f"## Install\n\n{INSTALL}",
        f"## Clean\n\n{CLEAN}",
    ]
    install = receipt.records[1]
    assert install.place is not None
    assert (install.kind, install.category, install.source) == ("snippet", "snippet", "document")
    assert (install.place.file_path, install.place.line_range) == (str(file), (5, 7))
    assert (install.place.section_path, install.place.heading_level) == (("Guide", "Install"), 2)
    assert install.tags == ("docs",)
    assert install.metadata == {
        "document": str(file),
        "format": "markdown",
        "section_type": "prose",
        "title": "Install",
        "team": "core",
    }


def test_pieces_of_code_know_their_module_class_and_function(folder: Path, memory: Memory) -> None:
    memory.ingest(folder)
    boil = live(memory)["Kettle.boil#1"]
    assert boil.place is not None
    assert (boil.place.module_path, boil.place.class_name, boil.place.function_name) == ("kettle", "Kettle", "boil")
    assert (boil.metadata["language"], boil.metadata["section_type"], boil.source) == ("python", "code", "code")
    lines = CODE.split("\n")
    first, last = boil.place.line_range or (0, 0)
    assert boil.content == "\n".join(lines[first - 1 : last]).rstrip()


def test_what_was_ingested_is_found_with_its_place(folder: Path, memory: Memory) -> None:
    memory.ingest(folder)
    hit = memory.search("What removes chalk?", top_k=1)[0]
    assert hit.place is not None
    assert hit.place.section_path == ("Guide", "Clean")


def test_the_tree_of_a_document_is_kept(folder: Path, memory: Memory) -> None:
    receipt = memory.ingest(folder / "guide.md")
    document = document_of(memory, receipt.records[0])
    tree = tree_of(document.attributes)
    install = receipt.records[1]
    section = tree.section(install.attributes["section"])
    assert (section.title, section.level, section.lines) == ("Install", 2, (5, 8))
    assert [above.title for above in tree.ancestors(section.key)] == ["Guide", ""]
    assert [below.title for below in tree.children("Guide")] == ["Install", "Clean"]


def test_a_document_is_no_answer_but_leads_to_its_pieces(folder: Path, memory: Memory) -> None:
    receipt = memory.ingest(folder / "guide.md")
    document = document_of(memory, receipt.records[0])
    assert document.category == "document"
    assert document.id not in [record.id for record in memory.get_all()]
    assert document.id not in [hit.id for hit in memory.search("Guide Install Clean", top_k=10)]
    around = memory.related(document.id, labels=["part_of"])
    assert {record.id for record in around.records} == set(receipt.ids)


def test_pieces_belong_to_their_scope(folder: Path, memory: Memory) -> None:
    memory.ingest(folder / "guide.md", project="atlas")
    again = memory.ingest(folder / "guide.md", project="beta")
    assert len(again.ids) == 3
    assert len(live(memory, project="atlas")) == len(live(memory, project="beta")) == 3


# --- given again ----------------------------------------------------------------------------------------------------


def test_unchanged_files_are_not_opened_again(folder: Path, memory: Memory) -> None:
    first = memory.ingest(folder)
    for file in (folder / "guide.md", folder / "src" / "kettle.py"):
        state = file.stat()
        file.write_bytes(b"x" * state.st_size)  # nobody can tell from outside
        os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    for file in (folder / "guide.md", folder / "src" / "kettle.py"):
        again = memory.ingest(file)
        assert (again.ids, again.count, again.operation, len(again.merged)) == ((), 0, None, 1)
    assert {record.id for record in memory.get_all()} == set(first.ids)


def test_only_what_changed_gets_a_new_version(folder: Path, memory: Memory) -> None:
    first = memory.ingest(folder / "guide.md")
    change(folder / "guide.md", "cold water", "warm water")
    again = memory.ingest(folder / "guide.md")
    assert again.ids == (first.ids[1],)
    assert set(again.merged) == {first.ids[0], first.ids[2]}
    assert [live(memory)[key].version for key in ("Guide#1", "Guide > Install#1", "Guide > Clean#1")] == [1, 2, 1]
    entries = memory.history(first.ids[1])
    assert ["cold" in entry.record.content for entry in entries if entry.record] == [True, False]


def test_new_versions_have_vectors_of_their_own(folder: Path) -> None:
    model = FakeEmbedder()
    with recollect.open(":memory:", embedder=model) as memory:
        memory.ingest(folder)
        change(folder / "guide.md", "cold water", "warm milk")
        change(folder / "guide.md", "Vinegar", "Lemon juice")
        change(folder / "src" / "kettle.py", "litres * 180", "litres * 200")
        assert memory.ingest(folder).count == 3
        with memory._engine.store.read() as tx:
            rows = tx.sql.all("SELECT r.content, v.data FROM record r JOIN vector v ON v.record_pk = r.pk")
    texts, stored = zip(*rows, strict=True)
    assert len(texts) == 7, "five pieces and two documents"
    expected = [row.tobytes() for row in model.embed(texts).astype(np.float16)]
    assert list(stored) == expected


def test_case_and_spaces_count_as_changes(folder: Path, memory: Memory) -> None:
    memory.ingest(folder / "src" / "kettle.py")
    change(folder / "src" / "kettle.py", "seconds = litres", "Seconds = litres")
    again = memory.ingest(folder / "src" / "kettle.py")
    assert len(again.ids) == 1
    assert "Seconds = litres" in live(memory)["Kettle.boil#1"].content


def test_pieces_that_only_moved_get_new_lines_and_no_version(folder: Path, memory: Memory) -> None:
    memory.ingest(folder / "guide.md")
    change(folder / "guide.md", "## Install", f"## Buy\n\n{INTRO[::-1]}\n\n## Install")
    again = memory.ingest(folder / "guide.md")
    assert [record.attributes["piece"] for record in again.records] == ["Guide > Buy#1"]
    install = live(memory)["Guide > Install#1"]
    assert install.place is not None
    assert (install.version, install.place.line_range) == (1, (9, 11))
    memory.undo(again)
    before = live(memory)["Guide > Install#1"].place
    assert before is not None
    assert before.line_range == (5, 7)


def test_what_vanished_is_forgotten(folder: Path, memory: Memory) -> None:
    memory.ingest(folder / "guide.md")
    change(folder / "guide.md", f"## Install\n\n{INSTALL}\n\n", "")
    again = memory.ingest(folder / "guide.md")
    assert (again.ids, again.count) == ((), 1)
    assert set(live(memory)) == {"Guide#1", "Guide > Clean#1"}
    assert memory.search("flat table near a socket", as_of="now").abstained


def test_pieces_of_a_file_that_is_gone_are_forgotten(folder: Path, memory: Memory) -> None:
    memory.ingest(folder)
    (folder / "guide.md").unlink()
    again = memory.ingest(folder)
    assert again.count == 3
    assert any("is gone" in flag for flag in again.flags)
    assert not any(key.startswith("Guide") for key in live(memory))
    memory.undo(again)
    assert "Guide > Clean#1" in live(memory)


def test_a_file_that_is_only_left_out_now_is_not_gone(folder: Path, memory: Memory) -> None:
    memory.ingest(folder)
    (folder / ".gitignore").write_text("guide.md\n", encoding="utf-8")
    assert memory.ingest(folder).count == 0
    assert "Guide > Clean#1" in live(memory)


def test_a_file_below_is_not_gone_when_only_the_folder_itself_is_read(folder: Path, memory: Memory) -> None:
    memory.ingest(folder)
    (folder / "src" / "kettle.py").unlink()
    assert memory.ingest(folder, recursive=False).count == 0
    assert memory.ingest(folder).count > 0


def test_what_a_person_changed_stays_until_the_file_changes_there(folder: Path, memory: Memory) -> None:
    install = memory.ingest(folder / "guide.md").records[1]
    memory.update(install.id, content="Ana puts the kettle on the stove.")
    change(folder / "guide.md", "Vinegar", "Lemon juice")
    memory.ingest(folder / "guide.md")
    assert live(memory)["Guide > Install#1"].content == "Ana puts the kettle on the stove."
    change(folder / "guide.md", "flat table", "wooden table")
    memory.ingest(folder / "guide.md")
    assert "wooden table" in live(memory)["Guide > Install#1"].content


def test_a_document_that_was_forgotten_whole_comes_back_when_given_again(folder: Path, memory: Memory) -> None:
    receipt = memory.ingest(folder / "guide.md", project="atlas")
    for record_id in receipt.ids:
        memory.delete(record_id)
    assert len(memory.ingest(folder / "guide.md", project="atlas").ids) == 3


def test_other_tags_reach_unchanged_pieces(folder: Path, memory: Memory) -> None:
    memory.ingest(folder / "guide.md", tags=["docs"])
    memory.ingest(folder / "guide.md", tags=["kitchen"])
    assert {record.tags for record in live(memory).values()} == {("kitchen",)}
    assert {record.version for record in live(memory).values()} == {1}


def test_the_same_file_by_another_path_is_the_same_document(
    folder: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.ingest(folder / "guide.md")
    monkeypatch.chdir(folder)
    assert memory.ingest("guide.md").count == 0
    assert memory.ingest("../atlas/guide.md").count == 0


def test_a_text_is_known_by_what_it_says(memory: Memory) -> None:
    first = memory.ingest(GUIDE, format="markdown")
    again = memory.ingest(GUIDE, format="markdown")
    assert (len(first.ids), again.count, len(again.merged)) == (3, 0, 1)
    assert first.records[0].place is not None
    assert first.records[0].place.file_path is None
    assert len(memory.ingest(GUIDE + "\nMore.", format="markdown").ids) == 3


@given(st.lists(st.sampled_from("abcdefgh"), unique=True), st.lists(st.sampled_from("abcdefgh"), unique=True))
def test_what_is_live_is_what_the_file_says(tmp_path: Path, before: list[str], after: list[str]) -> None:
    """Whatever was added, taken away or turned round in between."""

    def text(names: list[str]) -> str:
        return "".join(f"# {name}\n\n{name * 3} says {INSTALL}\n\n" for name in ["start", *names])

    with recollect.open(":memory:", embedder="fake") as memory:
        file = tmp_path / "any.md"
        for names in (before, after):
            file.write_text(text(names), encoding="utf-8")
            os.utime(file, ns=(0, len(names) + 100 * (names is after)))
            memory.ingest(file)
        stored = sorted(record.content for record in memory.get_all())
        assert stored == sorted(f"# {name}\n\n{name * 3} says {INSTALL}" for name in ["start", *after])


# --- one operation, many portions -----------------------------------------------------------------------------------


def test_one_undo_takes_all_portions_back(folder: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PORTION_PIECES", 1)
    receipt = memory.ingest(folder)
    assert len(receipt.ids) > 3
    assert [(op.verb, op.count) for op in memory.operations()] == [("ingest", receipt.count)]
    undone = memory.undo(receipt)
    assert not list(memory.get_all())
    memory.undo(undone)
    assert {record.id for record in memory.get_all()} == set(receipt.ids)
    assert memory.ingest(folder).count == 0


def test_undoing_a_second_look_restores_the_first(folder: Path, memory: Memory) -> None:
    memory.ingest(folder)
    before = {key: (record.content, record.place) for key, record in live(memory).items()}
    change(folder / "guide.md", f"## Install\n\n{INSTALL}", "## Buy\n\nBuy a kettle in town, at the shop by the river.")
    change(folder / "src" / "kettle.py", "litres * 180", "litres * 200")
    memory.undo(memory.ingest(folder))
    assert {key: (record.content, record.place) for key, record in live(memory).items()} == before
    assert memory.ingest(folder).count > 0, "the files still say something else"


class Failing(FakeEmbedder):
    """Breaks off in the middle, as a process does that is killed."""

    def __init__(self, texts_max: int) -> None:
        super().__init__()
        self.left = texts_max

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.left -= len(texts)
        if self.left < 0:
            raise KeyboardInterrupt
        return super().embed(texts)


def test_after_a_crash_it_goes_on_where_it_was(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PORTION_PIECES", 1)
    with recollect.open(tmp_path / "crash.db", embedder=Failing(5)) as memory, pytest.raises(KeyboardInterrupt):
        memory.ingest(folder)
    with recollect.open(tmp_path / "crash.db", embedder="fake") as memory:
        there = {record.metadata["document"] for record in memory.get_all()}
        assert there == {str(folder / "guide.md")}, "a file is there whole or not at all"
        again = memory.ingest(folder)
        assert {record.metadata["document"] for record in again.records} == {str(folder / "src" / "kettle.py")}


class Overtaking(FakeEmbedder):
    """While it embeds for the first time, somebody else does the same work."""

    meanwhile: Any = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return super().embed(texts)


def test_two_who_ingest_the_same_file_store_it_once(folder: Path) -> None:
    model = Overtaking()
    with recollect.open(":memory:", embedder=model) as memory:
        model.meanwhile = lambda: memory.ingest(folder / "guide.md")
        receipt = memory.ingest(folder / "guide.md")
        assert len(live(memory)) == len(list(memory.get_all())) == 3
        assert receipt.count == 0


def test_a_dry_run_says_what_would_change_and_changes_nothing(folder: Path, memory: Memory) -> None:
    plan = memory.ingest(folder, dry_run=True)
    assert plan.dry_run
    assert plan.ids == ()
    assert not list(memory.get_all())
    assert plan.count == memory.ingest(folder).count
    change(folder / "guide.md", f"## Install\n\n{INSTALL}\n\n", "")
    assert memory.ingest(folder, dry_run=True).count == 1
    assert "Guide > Install#1" in live(memory)


def test_progress_is_told_to_who_watches(folder: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PORTION_PIECES", 1)
    told: list[tuple[int, int]] = []
    with watched(lambda done, total: told.append((done, total))):
        memory.ingest(folder)
    memory.ingest(folder)
    total = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    assert told[-1] == (total, total)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[0][0] < total


# --- bad input ------------------------------------------------------------------------------------------------------


def test_files_that_cannot_be_read_are_named_and_the_rest_is_kept(folder: Path, memory: Memory) -> None:
    (folder / "empty.md").touch()
    (folder / "not.pdf").write_bytes(b"no pdf at all")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.md")
    receipt = memory.ingest(folder)
    reasons = {Path(each.reason.split(" ")[0]).name: each.reason for each in receipt.skipped}
    assert reasons.keys() == {"photo.png", "empty.md", "not.pdf", "loop", "pipe.md"}
    assert "is a link" in reasons["loop"]
    assert len(receipt.ids) == len(live(memory)) > 3


def test_odd_files_are_read_with_a_note(folder: Path, memory: Memory) -> None:
    (folder / "open.md").write_text(f"# Open\n\n{INTRO}\n\n```python\nprint('never closed')\n", encoding="utf-8")
    (folder / "broken.py").write_text(f"def broken(:\n    return {INTRO!r}\n", encoding="utf-8")
    flags = memory.ingest(folder).flags
    assert any("open.md" in flag for flag in flags)
    assert any("broken.py" in flag for flag in flags)


def test_a_name_in_no_encoding_is_skipped(folder: Path, memory: Memory) -> None:
    odd = os.fsdecode(os.fsencode(folder) + b"/\xff.md")
    Path(odd).write_text(GUIDE, encoding="utf-8")
    receipt = memory.ingest(folder)
    assert any("not valid Unicode" in each.reason for each in receipt.skipped)
    assert json.dumps(receipt.to_dict(), ensure_ascii=False).encode()
    assert "Guide > Clean#1" in live(memory)


def test_nothing_to_remember_is_refused(tmp_path: Path, memory: Memory) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for nothing in (empty, "", "  \n "):
        with pytest.raises(UsageError):
            memory.ingest(nothing)


def test_a_text_that_is_not_unicode_is_refused(memory: Memory) -> None:
    with pytest.raises(UsageError, match="surrogate"):
        memory.ingest("tea \ud800 and more\nof it")


@pytest.mark.parametrize("nowhere", ["notes.md", "./notes", "/no/such/file", "~/no-such-file-here"])
def test_a_path_that_leads_nowhere_is_refused(
    nowhere: str, memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="does not exist"):
        memory.ingest(nowhere)


def test_an_unknown_format_is_refused(folder: Path, memory: Memory) -> None:
    with pytest.raises(UsageError, match="known: markdown"):
        memory.ingest(folder / "guide.md", format="runes")


def test_a_format_that_is_given_counts(folder: Path, memory: Memory) -> None:
    receipt = memory.ingest(folder / "guide.md", format="text")
    assert {record.metadata["format"] for record in receipt.records} == {"text"}
    assert memory.ingest(folder / "guide.md", format="markdown").count > 0
