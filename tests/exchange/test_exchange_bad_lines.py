"""Exports that were cut, changed or made up: refused with a line, and nothing is stored of them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from exchange.used_stores import used_store
from hypothesis import given
from hypothesis import strategies as st
from properties.tables import counts, examples, open_quick

from recollect.errors import RecollectError, UsageError
from recollect.exchange import lines as module
from recollect.exchange.lines import LineWriter

Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("bad")
    out = io.BytesIO()
    with used_store(folder / "a.db", 9) as mem:
        mem.export(out, vectors=True)
    return out.getvalue()


def sealed_again(lines: Lines) -> bytes:
    """An export with these lines, its end made anew."""
    out = io.BytesIO()
    writer = LineWriter(out)
    lines[0].pop("signed_by", None)  # whoever changes a file cannot sign it
    for line in lines[:-1]:
        writer.row(line)
    writer.end()
    return out.getvalue()


def refused(data: bytes, folder: Path, match: str) -> None:
    with open_quick(folder / "o.db", embedder=None) as other:
        other.add("something else")
        before = counts(folder / "o.db")
        for mem in (other, other.scoped(user_id="zoe")):
            with pytest.raises(UsageError, match=match):
                mem.import_(io.BytesIO(data), format="jsonl")
        assert counts(folder / "o.db") == before
    with open_quick(folder / "empty.db", embedder=None) as empty:
        with pytest.raises(UsageError, match=match):
            empty.import_(io.BytesIO(data), format="jsonl")
        assert not counts(folder / "empty.db")["record"]


def test_a_file_that_was_cut_off_is_told(exported: bytes, tmp_path: Path) -> None:
    cut = exported.rindex(b"\n", 0, len(exported) - 1) + 1
    refused(exported[:cut], tmp_path, "cut off")
    refused(exported[: cut // 2], tmp_path, "not JSON|cut off")
    refused(exported[:-5], tmp_path, "not JSON")


def test_a_file_that_was_changed_is_told(exported: bytes, tmp_path: Path) -> None:
    refused(exported.replace(b"Ana", b"Eva"), tmp_path, "checksum")
    refused(exported + b'{"table":"record"}\n', tmp_path, "follows the end")


def test_a_newer_format_is_refused(exported: bytes, tmp_path: Path) -> None:
    refused(exported.replace(b'"version":1', b'"version":9', 1), tmp_path, "newer recollect")


def _first(lines: Lines, table: str) -> dict[str, Any]:
    return next(line for line in lines if line.get("table") == table)


def _set(table: str, /, **values: Any) -> Callable[[Lines], None]:
    return lambda lines: _first(lines, table).update(values)


def _without(table: str, name: str) -> Callable[[Lines], None]:
    return lambda lines: (_first(lines, table).pop(name), None)[1]


def _twice(table: str) -> Callable[[Lines], None]:
    return lambda lines: lines.insert(lines.index(_first(lines, table)), dict(_first(lines, table)))


def _same_id(lines: Lines) -> None:
    heads = [line for line in lines if line.get("table") == "record" and "head_pk" not in line]
    heads[-1]["id"] = heads[0]["id"]


def _deep(lines: Lines) -> None:
    value: Any = 1
    for _ in range(200):
        value = [value]
    _first(lines, "record")["metadata"] = {"deep": value}


CHANGES: dict[str, Callable[[Lines], None]] = {
    "no content": _without("record", "content"),
    "empty content": _set("record", content="  "),
    "content is a number": _set("record", content=7),
    "NUL": _set("record", content="a\x00b"),
    "too long": _set("record", content="x" * 1_100_000),
    "unknown kind": _set("record", kind="dream"),
    "unknown tier": _set("record", tier="attic"),
    "id is no id": _set("record", id="1"),
    "key is a text": _set("record", pk="1"),
    "key is zero": _set("record", pk=0),
    "key is huge": _set("record", pk=2**62),
    "key below zero": _set("record", pk=-5),
    "unknown scope": _set("record", scope_pk=999),
    "unknown head": _set("record", head_pk=999),
    "unknown turn": _set("record", turn_pk=999_999),
    "time out of range": _set("record", created_at=2**62),
    "time is a text": _set("record", created_at="yesterday"),
    "gigantic number": _set("record", importance=1e308),
    "confidence over one": _set("record", confidence=2),
    "ends before it begins": _set("record", valid_from=10**15, valid_until=10**14),
    "tags are a text": _set("record", tags="a"),
    "metadata is a list": _set("record", metadata=[1]),
    "place makes no sense": _set("record", place={"position_type": 7}),
    "unknown column": _set("record", colour="red"),
    "unknown table": _set("record", table="secrets"),
    "twice": _twice("record"),
    "unknown entity type": _set("entity", type="ghost"),
    "mention of nobody": _set("mention", entity_pk=999),
    "unknown role": _set("member", role="boss"),
    "member of nothing": _set("member", record_pk=999_999),
    "journal of another table": _set("journal", relation="sqlite_schema"),
    "journal sets a column that is none": _set("journal", before={"pk = 1; DROP TABLE record; --": 1}),
    "scope is a number": _set("scope", user_id=7),
    "session without id": _without("session", "id"),
    "bytes that are none": _set("vector", data="%%%"),
    "deep": _deep,
    "flag": _set("record", flagged=7),
    "one id twice": _same_id,
    "feeling out of range": _set("record", valence=-7),
    "version zero": _set("record", version=0),
    "negative count": _set("record", access_count=-1),
    "weight below zero": _set("edge", weight=-1.0),
    "half-life of nothing": _set("record", half_life_days=0),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_line_that_makes_no_sense_is_named(exported: bytes, tmp_path: Path, name: str) -> None:
    rows = [json.loads(line) for line in exported.splitlines()]
    CHANGES[name](rows)
    refused(sealed_again(rows), tmp_path, r"line \d+|refers to|two things")


def test_rows_that_contradict_each_other_restore_nothing(exported: bytes, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in exported.splitlines()]
    _twice("mention")(rows)
    with open_quick(tmp_path / "o.db", embedder=None) as mem:
        with pytest.raises(UsageError, match="contradict"):
            mem.import_(io.BytesIO(sealed_again(rows)), trusted=True)
        assert not counts(tmp_path / "o.db")["record"]


def test_tables_out_of_order_are_refused(exported: bytes, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in exported.splitlines()]
    rows.insert(1, rows.pop(-2))
    refused(sealed_again(rows), tmp_path, "line")


def test_a_line_without_end_is_bounded(exported: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXPORT_LINE_BYTES_MAX", 2_000)
    first, rest = exported.split(b"\n", 1)
    refused(first + b"\n" + b'{"table":"record","content":"' + b"x" * 5_000 + b'"}\n' + rest, tmp_path, "longer than")


@examples(25)
@given(data=st.data())
def test_any_change_of_a_byte_is_refused(exported: bytes, data: st.DataObject, tmp_path_factory: Any) -> None:
    at = data.draw(st.integers(0, len(exported) - 2))
    other = data.draw(st.integers(0, 255))
    changed = exported[:at] + bytes([other]) + exported[at + 1 :]
    with open_quick(":memory:", embedder=None) as mem:
        if changed == exported:
            return
        with pytest.raises(RecollectError):
            mem.import_(io.BytesIO(changed), format="jsonl")
        assert not mem.get_all(reach="all")
