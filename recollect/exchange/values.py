"""Values of an export, each held against what its column may hold; what is wrong is said in words."""

from __future__ import annotations

import math
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Callable
from typing import Any

import orjson

from recollect.clock import EARLIEST_US, LATEST_US
from recollect.errors import UsageError, shown
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
from recollect.store.tables import BY_NAME, ExportColumn, Table

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
_IMAGE_NAMES = {"vector": {"data"}, "mention": {"noted", "surface"}}


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
