"""Lines of an export held against what they may be, before anything of them is stored.

Every value is of its sort, every text is text, every reference leads to a row of the file, keys ascend. What is wrong
is told with the number of the line.
"""

from __future__ import annotations

import math
from array import array
from base64 import b64decode
from binascii import Error as NotBase64
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import orjson

from recollect.clock import EARLIEST_US, LATEST_US
from recollect.errors import UsageError, shown
from recollect.exchange.lines import ExportEnd, read_rows
from recollect.exchange.source import ImportSource
from recollect.ids import parse_id
from recollect.ingest import check
from recollect.limits import (
    CONTENT_BYTES_CEILING,
    FIGURE_STORED_MAX,
    HALF_LIFE_DAYS_MIN,
    METADATA_DEPTH_MAX,
    NAME_CHARS_MAX,
)
from recollect.model.edge import Family, Role
from recollect.model.entity import EntityType
from recollect.model.facets import Facets
from recollect.model.place import Place
from recollect.model.record import Kind, SecurityTier, Tier
from recollect.store.tables import BY_NAME, TABLES, ExportColumn, Table

_TEXT_BYTES_MAX = CONTENT_BYTES_CEILING
_KEY_MAX = 2**53
_JSON_DEPTH_MAX = 4 * METADATA_DEPTH_MAX
_ENUMS: dict[tuple[str, str], Any] = {
    ("record", "kind"): Kind,
    ("record", "tier"): Tier,
    ("record", "security"): SecurityTier,
    ("entity", "type"): EntityType,
    ("edge", "family"): Family,
    ("member", "role"): Role,
}
_SHARE, _COUNT = (0.0, 1.0), (0, 2**63 - 1)
_RANGES: dict[str, dict[str, tuple[float, float]]] = {  # what the database would refuse, told with the line instead
    "record": {
        "version": (1, 2**31),
        "confidence": _SHARE,
        "importance": _SHARE,
        "access_count": _COUNT,
        "access_sessions": _COUNT,
        "success_count": _COUNT,
        "failure_count": _COUNT,
        "valence": (-1.0, 1.0),
        "arousal": _SHARE,
        "intensity": _SHARE,
        "dominance": _SHARE,
        "surprise": _SHARE,
    },
    "record_before": {
        "version": (1, 2**31),
        "confidence": _SHARE,
        "importance": _SHARE,
        "success_count": _COUNT,
        "failure_count": _COUNT,
        "arousal": _SHARE,
    },
    "edge": {"confidence": _SHARE},
    "edge_before": {"confidence": _SHARE},
    "space": {"dimensions": (1, 65_536)},
    "journal": {"first_pk": (1, _KEY_MAX), "last_pk": (1, _KEY_MAX)},
}
# Figures of which a store may hold more than a caller may say today: no figure keeps a whole file from being restored.
_FIGURES: dict[str, dict[str, float]] = {
    "record": {"strength": 0.0, "decay_rate": 0.0, "half_life_days": HALF_LIFE_DAYS_MIN},
    "edge": {"weight": 0.0},
    "edge_before": {"weight": 0.0},
    "rehearsal": {"strength": 0.0},
}
_IMAGED = frozenset({"record", "edge", "entity", "vector", "mention"})
_IMAGE_NAMES = {"vector": {"data", "sentences"}, "mention": {"noted", "surface"}}


class ExportLine(NamedTuple):
    """A row of an export, as the database will hold it."""

    table: Table
    values: dict[str, Any]
    done: int  # bytes read so far


class Keys:
    """The keys of one table in a file, ascending, in eight bytes each."""

    def __init__(self) -> None:
        self.all = array("q")

    def __contains__(self, key: int) -> bool:
        at = bisect_left(self.all, key)
        return at < len(self.all) and self.all[at] == key

    def add(self, key: int) -> None:
        if self.all and key <= self.all[-1]:
            raise UsageError(f"the key {key} comes after {self.all[-1]}; keys must ascend, and each stands once")
        self.all.append(key)


class Ids:
    """The ids of a file by the first half of each, in eight bytes; that two of them agree by chance does not happen."""

    def __init__(self) -> None:
        self._heads = array("Q")

    def add(self, line: ExportLine) -> None:
        if "id" in line.values and line.table.columns["id"].sort == "id" and line.values.get("head_pk") is None:
            self._heads.append(int(line.values["id"].replace("-", "")[:16], 16))

    def check(self) -> None:
        heads = np.sort(np.frombuffer(self._heads, dtype=np.uint64))
        if (heads[1:] == heads[:-1]).any():
            twice = int(heads[1:][heads[1:] == heads[:-1]][0])
            raise UsageError(f"the id that begins with {twice >> 32:08x} stands for two things in the file")


class ExportSurvey(NamedTuple):
    """What a sound file holds: how many rows of each table, what all of it hashes to, and who signed that."""

    counts: dict[str, int]
    end: ExportEnd


def rows_of(source: ImportSource, ended: Callable[[ExportEnd], None] = lambda end: None) -> Iterator[ExportLine]:
    """The rows of a file, each checked by itself."""
    for number, raw, done in read_rows(source.start(), ended):
        try:
            yield ExportLine(*values_of(raw), done)
        except UsageError as error:
            raise type(error)(f"line {number}: {error.message}") from None


def survey(source: ImportSource, watch: Callable[[int], None]) -> ExportSurvey:
    """Read all of a file without storing any of it. An error if it is unsound."""
    keys = {table.name: Keys() for table in TABLES if table.keyed}
    ahead: dict[str, set[int]] = {name: set() for name in keys}
    counts: dict[str, int] = {}
    ends: list[ExportEnd] = []
    ids = Ids()
    last = 0
    for number, line in enumerate(rows_of(source, ends.append), start=2):
        try:
            last = _in_order(line.table, last)
            _note_references(line, keys, ahead)
            ids.add(line)
        except UsageError as error:
            raise type(error)(f"line {number}: {error.message}") from None
        counts[line.table.name] = counts.get(line.table.name, 0) + 1
        watch(line.done)
    ids.check()
    for name, wanted in ahead.items():
        for key in islice((key for key in wanted if key not in keys[name]), 1):
            raise UsageError(f"a line refers to the {name} {key}, which is not in the file")
    return ExportSurvey(counts, ends[0])


def _in_order(table: Table, last: int) -> int:
    at = TABLES.index(table)
    if at < last:
        raise UsageError(f"a {table.name} must come before any {TABLES[last].name}")
    return at


def _note_references(line: ExportLine, keys: dict[str, Keys], ahead: dict[str, set[int]]) -> None:
    table, values = line.table, line.values
    if table.keyed:
        keys[table.name].add(values["pk"])
    for name, column in table.columns.items():
        key = values.get(name)
        if column.refers and key is not None and key not in keys[column.refers]:
            if column.refers != table.name or name == "head_pk":
                raise UsageError(f"{name} refers to the {column.refers} {key}, which is not in the file before it")
            ahead[table.name].add(key)


def values_of(raw: dict[str, Any]) -> tuple[Table, dict[str, Any]]:
    """The table and the values of a line, as the database will hold them."""
    table = BY_NAME.get(str(raw.get("table")))
    if table is None:
        raise UsageError(f"a line cannot be a row of {shown(raw.get('table'))}")
    values: dict[str, Any] = {"pk": _key(raw.get("pk"))} if table.keyed else {}
    for name, column in table.columns.items():
        given = raw.get(name)
        if given is None:
            if column.needed:
                raise UsageError(f"a {table.name} needs {name}")
            continue
        values[name] = _value(table, name, column, given)
    unknown = raw.keys() - table.columns.keys() - {"table", "pk"}
    if unknown:
        raise UsageError(f"a {table.name} has no {sorted(unknown)[0][:40]!r}")
    _EXTRA.get(table.name, _nothing_more)(values)
    return table, values


def _value(table: Table, name: str, column: ExportColumn, given: Any) -> Any:
    if column.refers:
        return _key(given, name)
    value = _SORTS[column.sort](given, name)
    least = _FIGURES.get(table.name, {}).get(name)
    if least is not None:
        return _figure(value, name, least)
    low, high = _RANGES.get(table.name, {}).get(name, (None, None))
    if low is not None and high is not None and not low <= value <= high:
        raise UsageError(f"{name} must be from {low:g} to {high:g}, not {shown(given, 40)}")
    enum = _ENUMS.get((table.name, name))
    return value if enum is None else check.one_of(enum, value, name)


def _key(given: Any, name: str = "pk") -> int:
    if type(given) is not int or not 0 < given < _KEY_MAX:
        raise UsageError(f"{name} must be a key, a whole number from 1 on, not {shown(given, 40)}")
    return given


def _id(given: Any, name: str) -> str:
    if not isinstance(given, str) or parse_id(given, name) != given:
        raise UsageError(f"{name} must be a UUID in its usual form, not {shown(given, 60)}")
    return given


def _text(given: Any, name: str) -> str:
    if not isinstance(given, str) or "\x00" in given or len(given.encode()) > _TEXT_BYTES_MAX:
        raise UsageError(f"{name} must be a text of at most {_TEXT_BYTES_MAX} bytes without NUL")
    return given


def _int(given: Any, name: str) -> int:
    if type(given) is not int or not -(2**63) <= given < 2**63:
        raise UsageError(f"{name} must be a whole number, not {shown(given, 40)}")
    return given


def _time(given: Any, name: str) -> int:
    if type(given) is not int or not EARLIEST_US <= given <= LATEST_US:
        raise UsageError(f"{name} must be a time in microseconds since 1970, not {shown(given, 40)}")
    return given


def _number(given: Any, name: str) -> float:
    if type(given) not in (int, float) or not math.isfinite(given):
        raise UsageError(f"{name} must be a number, not {shown(given, 40)}")
    return float(given)


def _figure(value: float, name: str, least: float) -> float:
    """A weight, a strength, a rate, within what may be stored."""
    if value < 0 or (least > 0 and value == 0):
        raise UsageError(f"{name} must be a number {'above' if least else 'of at least'} 0, not {value:g}")
    return min(max(value, least), FIGURE_STORED_MAX)


def _flag(given: Any, name: str) -> int:
    if given not in (0, 1) or type(given) is not int:
        raise UsageError(f"{name} must be 0 or 1, not {shown(given, 20)}")
    return given


def _json(kind: type) -> Callable[[Any, str], str]:
    def checked(given: Any, name: str) -> str:
        if not isinstance(given, kind):
            raise UsageError(
                f"{name} must be a JSON {'list' if kind is list else 'object'}, not {type(given).__name__}"
            )
        _check_depth(given, name)
        text = orjson.dumps(given)
        if len(text) > 2 * _TEXT_BYTES_MAX:
            raise UsageError(f"{name} has {len(text)} bytes as JSON, at most {2 * _TEXT_BYTES_MAX} are allowed")
        return text.decode()

    return checked


def _check_depth(value: Any, name: str) -> None:
    """Level by level: a deep value must not go deep into our own stack."""
    level = [value]
    for _ in range(_JSON_DEPTH_MAX):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return
    raise UsageError(f"{name} is nested deeper than {_JSON_DEPTH_MAX} levels")


def _blob(given: Any, name: str) -> bytes:
    try:
        return b64decode(given, validate=True)
    except (TypeError, ValueError, NotBase64):
        raise UsageError(f"{name} must be bytes in base64") from None


_SORTS: dict[str, Callable[[Any, str], Any]] = {
    "id": _id,
    "text": _text,
    "name": lambda given, name: check.name(given, name, chars_max=4 * NAME_CHARS_MAX),
    "int": _int,
    "time": _time,
    "number": _number,
    "flag": _flag,
    "list": _json(list),
    "object": _json(dict),
    "blob": _blob,
}


def _check_record(values: dict[str, Any]) -> None:
    check.content(values["content"], bytes_max=CONTENT_BYTES_CEILING)
    for name, cls in (("place", Place), ("facets", Facets)):
        if name in values:
            try:
                cls.from_dict(orjson.loads(values[name]))
            except (TypeError, ValueError, KeyError, AttributeError) as error:
                raise UsageError(f"{name} is not understood: {str(error)[:80]}") from None
    if "tags" in values:
        check.tags(orjson.loads(values["tags"]))
    if values.get("valid_until") is not None and values.get("valid_from", EARLIEST_US) > values["valid_until"]:
        raise UsageError("valid_until lies before valid_from")


def _check_journal(values: dict[str, Any]) -> None:
    """An image names columns of its table and holds plain values: it is what undo will write one day."""
    relation, before = values["relation"], orjson.loads(values.get("before", "null"))
    if relation not in _IMAGED:
        raise UsageError(f"the journal knows no {relation[:40]!r}")
    if before is None:
        return
    known = _IMAGE_NAMES.get(relation) or {*BY_NAME[relation].columns, "content_hash"}
    unknown = before.keys() - known
    if unknown:
        raise UsageError(f"an image of a {relation} has no {sorted(unknown)[0][:40]!r}")
    if any(isinstance(value, dict | list) for value in before.values()):
        raise UsageError("an image holds texts, numbers and null")


def _nothing_more(values: dict[str, Any]) -> None:
    """Most tables have no rules beyond those of their columns."""


def _check_feedback(values: dict[str, Any]) -> None:
    if ("model" in values) != ("vector" in values):
        raise UsageError("a vector and the model that made it go together")


_EXTRA: dict[str, Callable[[dict[str, Any]], None]] = {
    "record": _check_record,
    "journal": _check_journal,
    "feedback": _check_feedback,
}
