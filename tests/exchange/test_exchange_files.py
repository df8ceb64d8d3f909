"""Where exports go and imports come from: whole files, owner only, and nothing that is not meant."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from properties.tables import counts, open_quick

from recollect.errors import EncryptionFailed, MissingExtra, UsageError
from recollect.exchange import lines, sealed
from recollect.exchange.target import target
from recollect.memory import Memory


@pytest.fixture
def mem(tmp_path: Path) -> Iterator[Memory]:
    with open_quick(tmp_path / "m.db") as memory:
        memory.add("Ana keeps bees on the roof", user_id="ana")
        yield memory


def test_a_file_is_the_owners_alone_and_leaves_nothing_beside(mem: Memory, tmp_path: Path) -> None:
    mem.export(tmp_path / "a.jsonl")
    assert stat.S_IMODE((tmp_path / "a.jsonl").stat().st_mode) == 0o600
    assert not list(tmp_path.glob(".*"))


def test_an_export_replaces_an_export_and_nothing_else(mem: Memory, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    for options in ({}, {"format": "markdown"}, {"passphrase": "open sesame"}, {}):
        mem.export(path, **options)  # type: ignore[arg-type]
    notes = tmp_path / "notes.txt"
    notes.write_text("my notes")
    with pytest.raises(UsageError, match="is no export"):
        mem.export(notes)
    assert notes.read_text() == "my notes"
    mem.export(notes, overwrite=True)
    assert notes.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("make", ["store", "folder", "link", "pipe", "nowhere", "empty", "number"])
def test_places_that_are_refused(mem: Memory, tmp_path: Path, make: str) -> None:
    target = tmp_path / "target"
    if make == "folder":
        target.mkdir()
    elif make == "link":
        (tmp_path / "real.jsonl").write_text("")
        target.symlink_to(tmp_path / "real.jsonl")
    elif make == "pipe":
        os.mkfifo(target)
    given = {
        "store": tmp_path / "m.db",
        "nowhere": tmp_path / "no" / "a.jsonl",
        "empty": "",
        "number": 7,
    }.get(make, target)
    with pytest.raises(UsageError):
        mem.export(given, overwrite=True)
    if make != "store":
        before = counts(tmp_path / "m.db")
        with pytest.raises(UsageError):
            mem.import_(given)
        assert counts(tmp_path / "m.db") == before


def test_an_encrypted_store_is_not_written_over(tmp_path: Path) -> None:
    with open_quick(tmp_path / "k.db", key=bytes(32)) as mem:
        mem.add("x marks the spot")
        with pytest.raises(UsageError, match="is a store"):
            mem.export(tmp_path / "k.db", overwrite=True)


def test_a_failed_export_leaves_the_file_before_it(
    mem: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recollect.exchange import export

    mem.export(tmp_path / "a.jsonl")
    before = (tmp_path / "a.jsonl").read_bytes()

    def broken(*_: object) -> None:
        raise UsageError("no")

    monkeypatch.setattr(export, "_facts", broken)
    with pytest.raises(UsageError):
        mem.export(tmp_path / "a.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == before
    assert not list(tmp_path.glob(".*"))


def test_what_a_killed_export_left_goes_with_the_next_one_and_what_another_writes_stays(
    mem: Memory, tmp_path: Path
) -> None:
    (tmp_path / ".a.jsonl.0123456789ab.part").write_text("half an export")
    others = {".a.jsonl.mine.part", ".b.jsonl.0123456789ab.part"}
    for name in others:
        (tmp_path / name).touch()
    with target(tmp_path / "a.jsonl", overwrite=False, store_path=None) as (slow, _):
        mem.export(tmp_path / "a.jsonl")
        assert len(list(tmp_path.glob(".a.jsonl.*.part"))) == 2, "the slow one is still at it"
        slow.write(lines.OPENING)
    assert (tmp_path / "a.jsonl").read_bytes() == lines.OPENING
    assert {each.name for each in tmp_path.glob(".*")} == others


def test_streams_take_and_give(mem: Memory) -> None:
    out = io.BytesIO()
    mem.export(out)
    with open_quick(":memory:") as other:
        assert other.import_(io.BytesIO(out.getvalue()))["count"] == 1
        with pytest.raises(UsageError, match="binary"):
            other.import_(io.StringIO("text"))


def test_an_unknown_format_is_named(mem: Memory, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="jsonl or markdown"):
        mem.export(tmp_path / "a.xml", format="xml")
    with pytest.raises(UsageError, match="unknown format"):
        mem.import_(tmp_path / "m.db", format="xml")
    mem.export(tmp_path / "a.md", format="markdown")
    with pytest.raises(UsageError, match=r"no format that is known|not JSON"):
        mem.import_(tmp_path / "a.md")


def test_the_document_for_people(tmp_path: Path) -> None:
    with open_quick(tmp_path / "d.db") as mem:
        mem.add("Ana keeps bees", user_id="ana", timestamp="2026-01-02", tags=["bees"])
        mem.add("# not a heading\n[nor](a link)", timestamp="2026-01-03")
        mem.add([{"role": "user", "content": "Good morning", "name": "Ana"}], session_id="s1", user_id="ana")
        gone = mem.add("a thing that was deleted").id
        mem.delete(gone)
        mem.export(tmp_path / "d.md", format="markdown")
        assert mem.scoped(user_id="ben").export(tmp_path / "ben.md", format="markdown")["count"] == 0
    text = (tmp_path / "d.md").read_text()
    assert "## user_id ana" in text
    assert "### Session s1" in text
    assert "- 2026-01-02 Ana keeps bees" in text
    assert "**Ana:** Good morning" in text
    assert "\n# not" not in text
    assert "\\# not a heading\n  \\[nor\\]" in text
    assert "deleted" not in text
    assert "bees" not in (tmp_path / "ben.md").read_text()


# --- under a passphrase ---------------------------------------------------------------------------------------------


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys that take no time: what is tested is what they are used for."""
    monkeypatch.setattr(sealed, "_COST", {"n": 1 << 10, "r": 8, "p": 1})


def test_a_sealed_file_shows_nothing_and_opens_with_its_passphrase(mem: Memory, tmp_path: Path) -> None:
    path = tmp_path / "a.sealed"
    mem.export(path, passphrase="open sesame")
    mem.export(tmp_path / "plain.jsonl")
    data = path.read_bytes()
    assert b"bees" not in data
    assert b"ana" not in data
    with open_quick(":memory:") as other:
        other.import_(path, passphrase="open sesame")
        out = io.BytesIO()
        other.export(out)
        assert out.getvalue() == (tmp_path / "plain.jsonl").read_bytes()


@pytest.mark.usefixtures("cheap")
def test_a_wrong_passphrase_imports_nothing(mem: Memory, tmp_path: Path) -> None:
    path = tmp_path / "a.sealed"
    mem.export(path, passphrase="open sesame")
    with open_quick(tmp_path / "o.db") as other:
        before = counts(tmp_path / "o.db")
        for given in ("wrong", None):
            with pytest.raises(EncryptionFailed):
                other.import_(path, passphrase=given)
        for bad in ("", 7, "x" * 2000, "\ud800"):
            with pytest.raises(UsageError):
                other.import_(path, passphrase=bad)  # type: ignore[arg-type]
        assert counts(tmp_path / "o.db") == before


@pytest.mark.usefixtures("cheap")
def test_no_byte_of_a_sealed_file_can_be_changed_moved_or_cut_off(mem: Memory, tmp_path: Path) -> None:
    mem.add([{"content": f"note {n} " + "x" * 400} for n in range(300)])
    path = tmp_path / "a.sealed"
    mem.export(path, passphrase="p")
    data = path.read_bytes()
    start = data.index(b"\n", len(sealed.MAGIC)) + 1
    chunk = sealed.CHUNK_BYTES + 16
    assert len(data) > start + 2 * chunk
    swapped = (
        data[:start] + data[start + chunk : start + 2 * chunk] + data[start : start + chunk] + data[start + 2 * chunk :]
    )
    flips = [data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :] for at in (start, start + chunk + 5, len(data) - 1)]
    cuts = [data[: start + chunk], data[: start + 2 * chunk], data[:-1], data[:start]]
    with open_quick(tmp_path / "o.db") as other:
        before = counts(tmp_path / "o.db")
        for broken in (swapped, *flips, *cuts, data + b"x", data + data[start:]):
            with pytest.raises(EncryptionFailed):
                other.import_(io.BytesIO(broken), passphrase="p")
        assert counts(tmp_path / "o.db") == before


@pytest.mark.parametrize(
    "recipe",
    [
        b"",
        b"{}\n",
        b"[]\n",
        b'{"cipher":"rot13","kdf":"scrypt","n":1024,"r":8,"p":1,"salt":"00","nonce":"00"}\n',
        b'{"cipher":"aes-256-gcm","kdf":"scrypt","n":1073741824,"r":8,"p":1,"salt":"%s","nonce":"%s"}\n'
        % (b"00" * 16, b"00" * 7),
        b'{"cipher":"aes-256-gcm","kdf":"scrypt","n":1000,"r":8,"p":1,"salt":"%s","nonce":"%s"}\n'
        % (b"00" * 16, b"00" * 7),
    ],
)
def test_a_recipe_that_makes_no_sense_is_refused(memory: Memory, recipe: bytes) -> None:
    with pytest.raises(EncryptionFailed):
        memory.import_(io.BytesIO(sealed.MAGIC + recipe + b"x" * 100), passphrase="p")


def test_a_passphrase_for_a_plain_file_is_refused(mem: Memory, tmp_path: Path) -> None:
    mem.export(tmp_path / "a.jsonl")
    with pytest.raises(UsageError, match="not sealed"):
        mem.import_(tmp_path / "a.jsonl", passphrase="p")


@pytest.mark.usefixtures("cheap")
def test_the_library_is_named_where_it_is_missing(mem: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    with pytest.raises(MissingExtra, match=r"recollect\[vault\]"):
        mem.export(tmp_path / "a.sealed", passphrase="p")
    assert not (tmp_path / "a.sealed").exists()
