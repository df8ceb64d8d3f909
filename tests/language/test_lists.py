"""Lists of a language are data files: comments, phrases, and one reading per process."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.language import lists


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of lists of a language that is not there otherwise, so that nothing of it is cached."""
    made = tmp_path / "xx"
    made.mkdir()
    monkeypatch.setattr(lists, "FOLDER", tmp_path)
    for reader in (lists.words, lists.entries, lists.sections, lists.sets, lists.table):
        reader.cache_clear()
    return made


def test_entries_stand_between_commas_and_line_ends_and_a_phrase_keeps_its_blanks(folder: Path) -> None:
    (folder / "places.txt").write_text("# towns\nParis, New  York\nC#, Paris  # twice\n\n", encoding="utf-8")
    assert lists.entries("xx", "places") == ("Paris", "New York", "C#")
    assert lists.words("xx", "places") == {"Paris", "New York", "C#"}


def test_a_list_in_parts_is_read_by_its_headings_and_as_a_whole(folder: Path) -> None:
    text = "# shops\n\n[open]\nbakery, book shop\n[closed]  \n# for good\nbank\n"
    (folder / "shops.txt").write_text(text, encoding="utf-8")
    assert dict(lists.sections("xx", "shops")) == {"open": ("bakery", "book shop"), "closed": ("bank",)}
    assert lists.sets("xx", "shops")["open"] == {"bakery", "book shop"}
    assert lists.entries("xx", "shops") == ("bakery", "book shop", "bank")


def test_pairs_are_a_mapping() -> None:
    assert lists.pairs(["dont = do not", "c = a = b"]) == {"dont": "do not", "c": "a = b"}


def test_a_table_is_read_only(folder: Path) -> None:
    (folder / "verbs.toml").write_text('[past]\ngo = "went"  # irregular\nbe = ["was", "were"]\n', encoding="utf-8")
    table = lists.table("xx", "verbs")
    assert table["past"]["go"] == "went"
    assert table["past"]["be"] == ("was", "were")
    with pytest.raises(TypeError):
        table["past"]["go"] = "goed"


def test_a_list_is_read_from_disk_once(folder: Path) -> None:
    (folder / "fillers.txt").write_text("um", encoding="utf-8")
    first = lists.words("xx", "fillers")
    (folder / "fillers.txt").write_text("uh", encoding="utf-8")
    assert lists.words("xx", "fillers") is first


def test_a_list_that_does_not_exist_is_named(folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.txt"):
        lists.words("xx", "nowhere")


def test_every_list_that_ships_can_be_read_and_holds_something() -> None:
    files = [path.relative_to(lists.FOLDER) for path in lists.FOLDER.rglob("*") if path.suffix in (".txt", ".toml")]
    assert files
    for path in files:
        language, *name = path.with_suffix("").parts
        read = lists.words if path.suffix == ".txt" else lists.table
        assert read(language, "/".join(name)), path


def test_no_part_of_a_list_that_ships_is_empty() -> None:
    empty = []
    for path in lists.FOLDER.rglob("*.txt"):
        language, *name = path.relative_to(lists.FOLDER).with_suffix("").parts
        if "\n[" in path.read_text(encoding="utf-8"):
            empty += [
                f"{path.name}: {heading}"
                for heading, found in lists.sections(language, "/".join(name)).items()
                if not found
            ]
    assert not empty
