"""Documents fall into chunks that hold every word and know their lines; folders, files and texts are told apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recollect
from recollect import Memory
from recollect.errors import UsageError
from recollect.ingest import documents
from recollect.ingest.documents import Chunk, chunks_of, place_of, read_documents

lines = st.lists(st.sampled_from(("tea", "rome", "naïve", "parse_config(x)", "a  b")), min_size=1, max_size=8).map(
    " ".join
)
indented = st.tuples(st.sampled_from(("", "    ", "\t")), lines).map("".join)
blanks = st.sampled_from(("", "", "   ", "\t"))
texts = st.lists(indented | blanks, min_size=1, max_size=25).map("\n".join)


def chunks(text: str, limit: int = 60) -> list[Chunk]:
    return chunks_of(text, bytes_max=limit, chars_max=10_000)


def told(text: str) -> list[str]:
    """The lines that say something, without spaces at their ends."""
    return [line.rstrip() for line in text.split("\n") if line.strip()]


@given(texts, st.integers(20, 200))
def test_nothing_is_lost(text: str, limit: int) -> None:
    found = chunks(text, limit)
    assert "".join("".join(chunk.text.split()) for chunk in found) == "".join(text.split())
    assert all(len(chunk.text.encode()) <= limit for chunk in found)
    assert all(chunk.text.strip() for chunk in found)


@given(texts)
def test_chunks_of_a_roomy_size_are_the_lines_as_written(text: str) -> None:
    """Indentation means something in code and lists."""
    found = chunks(text, 10_000)
    assert len(found) == (1 if text.strip() else 0)
    for chunk in found:
        assert told(chunk.text) == told(text)


@given(texts, st.integers(20, 200))
def test_chunks_stand_on_the_lines_they_name(text: str, limit: int) -> None:
    written = text.split("\n")
    last = 1
    for chunk in chunks(text, limit):
        assert last <= chunk.first_line <= chunk.last_line <= len(written)
        there = "\n".join(written[chunk.first_line - 1 : chunk.last_line])
        assert "".join(chunk.text.split()) in "".join(there.split())
        own = told(chunk.text)
        assert own[0].strip() in written[chunk.first_line - 1]
        assert own[-1].strip() in written[chunk.last_line - 1]
        last = chunk.last_line


def test_paragraphs_are_packed() -> None:
    assert chunks("one\n\ntwo\n\nthree", limit=8) == [
        Chunk(text="one\n\ntwo", first_line=1, last_line=3),
        Chunk(text="three", first_line=5, last_line=5),
    ]


def test_many_blank_lines_between_paragraphs() -> None:
    assert chunks("\n\none\ntwo\n\n\n \n\nthree\n") == [Chunk(text="one\ntwo\n\nthree", first_line=3, last_line=9)]


def test_a_long_paragraph_is_cut_between_words() -> None:
    text = "first\n\n" + "\n".join(["word"] * 20) + "\n\nlast"
    found = chunks(text, limit=30)
    assert "".join(chunk.text for chunk in found[1:-1]) == "\n".join(["word"] * 20)
    assert [(chunk.first_line, chunk.last_line) for chunk in found] == [
        (1, 1), (3, 8), (9, 14), (15, 20), (21, 22), (24, 24)
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", " ", "\n\n \n\t\n"])
def test_a_text_of_nothing_has_no_chunks(text: str) -> None:
    assert chunks(text) == []


def test_the_smaller_limit_counts() -> None:
    assert [c.text for c in chunks_of("aa\n\nbb", bytes_max=100, chars_max=4)] == ["aa", "bb"]
    assert [c.text for c in chunks_of("aa\n\nbb", bytes_max=4, chars_max=100)] == ["aa", "bb"]


def test_place() -> None:
    place = place_of(Chunk(text="x", first_line=3, last_line=5), "/a/b.md")
    assert (place.file_path, place.line_range) == ("/a/b.md", (3, 5))


# --- what is a path and what is a text ------------------------------------------------------------------------------


def read(given: object, *, recursive: bool = True) -> list[tuple[str | None, str]]:
    return list(read_documents(given, recursive=recursive))


def test_a_file_by_path_and_by_name(tmp_path: Path) -> None:
    file = tmp_path / "note.xyz"
    file.write_text("tea\r\nrome", encoding="utf-8")
    assert read(file) == read(str(file)) == [(str(file), "tea\nrome")]


def test_a_folder(tmp_path: Path) -> None:
    for name in ("b.md", "a.txt", "c.py", "sub/d.rst", "sub/e.bin", "LICENSE"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    assert [text for _, text in read(tmp_path)] == ["LICENSE", "a.txt", "b.md", "sub/d.rst"]
    assert [text for _, text in read(tmp_path, recursive=False)] == ["LICENSE", "a.txt", "b.md"]


def test_a_folder_without_what_is_hidden_or_lies_elsewhere(tmp_path: Path) -> None:
    """A folder under version control holds files without a suffix that are no text."""
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere.txt"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "index").write_bytes(b"\xff\xfe")
    (folder / ".env").write_text("hidden", encoding="utf-8")
    (folder / "a.txt").write_text("seen", encoding="utf-8")
    elsewhere.write_text("outside", encoding="utf-8")
    (folder / "link.txt").symlink_to(elsewhere)
    (folder / "broken.txt").symlink_to(tmp_path / "nowhere")
    assert [text for _, text in read(folder)] == ["seen"]
    assert [text for _, text in read(folder / ".env")] == ["hidden"], "what is named is read"


def test_an_empty_folder(tmp_path: Path, memory: Memory) -> None:
    assert read(tmp_path) == []
    with pytest.raises(UsageError):
        memory.ingest(tmp_path)


@pytest.mark.parametrize("given", ["notes.md", "./notes", "/no/such/file", "~/no-such-file-here", "README.txt"])
def test_a_path_that_leads_nowhere_is_refused(given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="does not exist"):
        read(given)
    with pytest.raises(UsageError, match="does not exist"):
        read(Path(given))


@pytest.mark.parametrize(
    "given",
    [
        "Ana reads notes.md every day",
        "and/or is no word",
        "two\nlines.md",
        "just a word",
        "word " * 60,
        "x" * 300,
        "x" * 5_000,
        "~bo said that it is about noon",
        "~ 20 people came",
    ],
    ids=lambda text: text[:20],
)
def test_a_text_is_a_text(given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read(given) == [(None, given)]


@pytest.mark.parametrize("given", ["", "  \n ", None, 3, b"tea", ["tea"]])
def test_what_is_neither_is_refused(given: object) -> None:
    with pytest.raises(UsageError, match="path or a text"):
        read(given)


def test_files_that_are_not_text_or_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x.txt"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not UTF-8"):
        read(file)
    monkeypatch.setattr(documents, "FILE_BYTES_MAX", 2)
    with pytest.raises(UsageError, match="split it"):
        read(file)


def test_what_was_ingested_is_found_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "guide.md"
    file.write_text(
        "# Guide\n\n" + "Filler words here.\n" * 3_000 + "\n\nThe zebra crossing is closed.\n", encoding="utf-8"
    )
    with recollect.open(":memory:", embedder="fake") as memory:
        receipt = memory.ingest(file, tags=["docs"])
        hit = memory.search("Where is the zebra?", top_k=1)[0]
        assert len(receipt.ids) > 1
        assert "zebra" in hit.content
        assert hit.place is not None
        assert hit.place.file_path == str(file)
        first, last = hit.place.line_range or (0, 0)
        assert "zebra" in "".join(file.read_text(encoding="utf-8").split("\n")[first - 1 : last])
        memory.undo(receipt.operation)
        assert memory.search("zebra").abstained
