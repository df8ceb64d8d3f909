"""Files and folders as they come: other encodings, binaries, huge ones, links in circles, changing under our hands."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from recollect.errors import UsageError
from recollect.limits import DOCUMENT_BYTES_MAX
from recollect.structure import read
from recollect.structure.detect import detect, named, text_of
from recollect.structure.formats import FORMATS
from recollect.structure.parse import documents_of, pieces_of
from recollect.structure.walk import walk

TEXT = "Ana leads the project; Ben reviews the changes that are made to it, day by day, and writes them all down."


def write(path: Path, data: str | bytes = TEXT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def names(folder: Path, *, recursive: bool = True) -> list[str]:
    found = [each for each in walk(folder, recursive=recursive) if each.skipped is None]
    return [each.path.relative_to(folder).as_posix() for each in found]


@pytest.mark.parametrize(
    ("path", "head", "format", "language"),
    [
        ("a.md", b"text", "markdown", None),
        ("a.rst", b"", "rst", None),
        ("a.html", b"", "html", None),
        ("a.txt", b"", "text", None),
        ("a.py", b"", "code", "python"),
        ("a.h", b"namespace a {", "code", "cpp"),
        ("a.h", b"int a;", "code", "c"),
        ("run", b"#!/usr/bin/env python3\n", "code", "python"),
        ("page", b"<!DOCTYPE html><p>", "html", None),
        ("x.bin", b"%PDF-1.5", "pdf", None),
        ("a.py", b'MAGIC = b"%PDF-"', "code", "python"),
        ("README", b"# Atlas\n", "markdown", None),
        (None, b"just a text", "text", None),
        (None, b"# Atlas\n\n- one\n", "markdown", None),
        ("Makefile", b"all:", "code", "make"),
        ("a.json", b'{"a": 1}', "code", "json"),
        ("a.json", b'[{"chat_messages": []}]', "chat", None),
        ("notes.unknown", b"words", "text", None),
    ],
)
def test_formats_are_told_by_name_and_content(path: str | None, head: bytes, format: str, language: str | None) -> None:
    found = detect(path, head)
    assert found is not None
    assert (found.name, found.language) == (format, language)


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n", b"PK\x03\x04abc", b"abc\x00def", bytes(range(1, 32)) * 9])
def test_binary_files_are_skipped_with_a_reason(tmp_path: Path, data: bytes) -> None:
    parsed = pieces_of(write(tmp_path / "notes.md", data))
    assert (parsed.skipped, parsed.pieces) == ("is binary, not text", ())


def test_binary_after_a_page_of_text_is_skipped_too(tmp_path: Path) -> None:
    assert "NUL" in (pieces_of(write(tmp_path / "a.txt", b"text " * 4_000 + b"\x00")).skipped or "")


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        ("naïve".encode(), "naïve", None),
        (b"\xef\xbb\xbfna\xc3\xafve", "naïve", None),
        ("naïve".encode("utf-16"), "naïve", None),
        ("naïve\r\nx\ry".encode("utf-16-be").join([b"\xfe\xff", b""]), "naïve\nx\ny", None),
        (b"na\xefve \x93quoted\x94", "naïve “quoted”", "is not UTF-8; read as Windows-1252"),
        (b"na\xefve \x81", "naïve \x81", "is not UTF-8; read as Latin-1"),
        ("größer als é".encode() + b"\xff", "größer als é\ufffd", "holds 1 broken characters; otherwise it is UTF-8"),
        (b"\xff\xfea\x00\x00\xd8b\x00", "a\ufffdb", "holds bytes that are not UTF-16"),
    ],
)
def test_encodings(data: bytes, text: str, note: str | None) -> None:
    assert text_of(data) == (text, note)


def test_no_two_formats_go_by_one_word_or_suffix() -> None:
    words = [word for entry in FORMATS.values() for word in (entry.name, *entry.aliases)]
    suffixes = [suffix for entry in FORMATS.values() for suffix in entry.suffixes]
    assert (len(words), len(suffixes)) == (len(set(words)), len(set(suffixes)))
    assert {named(word).name for word in words} == FORMATS.keys()


def test_a_text_cannot_be_given_in_a_format_of_bytes() -> None:
    with pytest.raises(UsageError, match="a text cannot be pdf"):
        pieces_of("words of a plan", "pdf")


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UsageError, match="markdown, rst"):
        named("docx")
    assert named("py").language == "python"


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "huge.log"
    with open(file, "wb") as handle:
        handle.truncate(100_000_000)
    assert DOCUMENT_BYTES_MAX < 100_000_000
    assert "100000000 bytes" in (pieces_of(file).skipped or "")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    write(tmp_path / "z.md")
    parsed = list(documents_of(tmp_path))
    assert [(Path(each.path or "").name, each.skipped) for each in parsed] == [
        ("z.md", None),
        ("pipe.md", "is not a file"),
    ]
    assert pieces_of(tmp_path / "pipe.md").skipped == "is not a file"


def test_a_file_that_changes_while_it_is_read_is_read_again_or_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "a.md")
    changes = [1]
    fstat = os.fstat

    def meddling(descriptor: int) -> os.stat_result:
        if changes:
            changes.pop()
            with open(file, "a", encoding="utf-8") as handle:
                handle.write(" More.")
            before = fstat(descriptor)
            os.utime(file, ns=(1, before.st_mtime_ns + 1_000_000))
            return before
        return fstat(descriptor)

    monkeypatch.setattr(read.os, "fstat", meddling)
    assert read.read_file(file).data.endswith(b" More.")
    changes.extend([1] * 10)
    assert "changed while it was read" in (read.read_file(file).skipped or "")


def test_a_file_that_is_written_all_the_time_is_never_read_half(tmp_path: Path) -> None:
    file = write(tmp_path / "a.md", "a" * 200_000)
    ended = threading.Event()

    def rewrite() -> None:
        letters = "bcdefgh"
        for count in range(10_000):
            if ended.is_set():
                return
            file.write_text(letters[count % 7] * (200_000 + count % 5), encoding="utf-8")

    thread = threading.Thread(target=rewrite)
    thread.start()
    try:
        for _ in range(50):
            source = read.read_file(file)
            assert source.skipped is not None or len(set(source.data)) <= 1
    finally:
        ended.set()
        thread.join()


def test_links_are_not_followed_so_circles_end(tmp_path: Path) -> None:
    write(tmp_path / "docs/a.md")
    (tmp_path / "docs/circle").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "docs/self.md").symlink_to("self.md")
    outside = write(tmp_path.parent / f"{tmp_path.name}-secret.md")
    (tmp_path / "docs/secret.md").symlink_to(outside)
    found = {each.path.name: each.skipped for each in walk(tmp_path)}
    assert found.pop("a.md") is None
    assert set(found) == {"circle", "self.md", "secret.md"}
    assert all("link" in (reason or "") for reason in found.values())


def test_hidden_vendored_and_ignored_files_are_left_out(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / ".gitignore", "*.log\n/private/\n!keep.log\n")
    write(tmp_path / "docs/.gitignore", "draft*.md\n")
    for name in (
        "a.md",
        "b.log",
        "keep.log",
        "private/x.md",
        "docs/c.md",
        "docs/draft1.md",
        "sub/private/y.md",
        ".env",
        "node_modules/m/readme.md",
        "__pycache__/z.txt",
        "docs/build/d.md",
        "env/pyvenv.cfg",
        "env/lib/e.py",
    ):
        write(tmp_path / name)
    assert names(tmp_path) == ["a.md", "keep.log", "docs/c.md", "sub/private/y.md"]
    assert names(tmp_path, recursive=False) == ["a.md", "keep.log"]
    assert names(tmp_path / "docs") == ["c.md"]


def test_a_rule_of_many_stars_takes_no_time_and_ignores_rather_too_much(tmp_path: Path) -> None:
    write(tmp_path / ".gitignore", "*a*a*a*a*a*a*a*b\n!*a*a*a*a*a*c\n")
    write(tmp_path / ("a" * 200), "nothing of interest")
    write(tmp_path / "plain.md", "# Plain")
    begun = time.thread_time()
    assert names(tmp_path) == ["plain.md"]
    assert time.thread_time() - begun < 1.0


def test_rules_of_the_repository_hold_in_its_folders(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / ".gitignore", "secret.md\n")
    write(tmp_path / "docs/secret.md")
    write(tmp_path / "docs/a.md")
    assert names(tmp_path / "docs") == ["a.md"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_files_and_folders_are_reported(tmp_path: Path) -> None:
    write(tmp_path / "a.md")
    write(tmp_path / "b.md").chmod(0)
    locked = write(tmp_path / "locked/c.md").parent
    locked.chmod(0)
    try:
        reasons = {Path(each.path or "").name: each.skipped for each in documents_of(tmp_path)}
    finally:
        locked.chmod(0o700)
    assert reasons["a.md"] is None
    assert "Permission denied" in (reasons["b.md"] or "")
    assert "Permission denied" in (reasons["locked"] or "")


def test_a_file_that_vanishes_is_reported(tmp_path: Path) -> None:
    assert "No such file" in (read.read_file(tmp_path / "gone.md").skipped or "")


def test_a_folder_gives_its_documents_in_order_whatever_some_of_them_are(tmp_path: Path) -> None:
    for number in range(40):
        write(tmp_path / f"{number:02}.md", f"# Note {number}\n\n{TEXT}\n")
    write(tmp_path / "07.md", b"\x00\x01")
    write(tmp_path / "08.md", b"")
    write(tmp_path / "09.pdf", b"no")
    write(tmp_path / "10.py", "def broken(:\n")
    parsed = list(documents_of(tmp_path))
    assert [Path(each.path or "").name for each in parsed] == sorted(os.listdir(tmp_path))
    assert sum(each.skipped is None for each in parsed) == 39
    assert {each.skipped for each in parsed} >= {"is binary, not text", "is empty"}


def test_deep_folders_end(tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(110):
        folder = folder / "d"
    write(folder / "a.md")
    (found,) = walk(tmp_path)
    assert "deep" in (found.skipped or "")


def test_a_text_is_not_a_path_and_a_path_must_exist(tmp_path: Path) -> None:
    assert pieces_of("~ 20 people came, said Ana").pieces[0].place.file_path is None
    with pytest.raises(UsageError, match="does not exist"):
        pieces_of("docs/missing.md")
    with pytest.raises(UsageError, match="does not exist"):
        pieces_of("talk.vtt")
    assert pieces_of("recollect.org").pieces, "an address is a text"
    with pytest.raises(UsageError, match="folder"):
        pieces_of(tmp_path)
    with pytest.raises(UsageError, match="path or a text"):
        pieces_of(None)
