"""Rows to values and back. The only place that knows the order of columns."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from typing import Any, cast

import orjson

from recollect.clock import from_us
from recollect.model.columns import COLUMNS, RECORD_COLUMNS, RecordRow, row_values
from recollect.model.facets import Facets
from recollect.model.place import Place
from recollect.model.record import Affect, Kind, Record, SecurityTier, Tier
from recollect.model.scope import DIMENSIONS, Scope
from recollect.store.base import Row

INSERT_RECORD = f"INSERT INTO record (pk, {', '.join(COLUMNS)}) VALUES (?{', ?' * len(COLUMNS)})"
COPY_COLUMNS = ", ".join(COLUMNS)

# One record with what it points at: its scope's dimensions and the name of its session.
RECORD_FROM = "FROM record r JOIN scope s ON s.pk = r.scope_pk LEFT JOIN session n ON n.pk = r.session_pk"
RECORD_SELECT = (
    f"SELECT r.pk, {', '.join(f'r.{name}' for name in COLUMNS)}, {', '.join(f's.{name}' for name in DIMENSIONS)}, n.id "
    f"{RECORD_FROM}"
)
_SELECTED = ("_", *COLUMNS, *DIMENSIONS, "session_id")


def reader(kind: Any, names: tuple[str, ...]) -> Callable[[Row], Any]:
    """How a row of these columns becomes a value of this class, as straight code.

    The names are columns of a record, `_` for one that is skipped, and what was joined to it: the dimensions of its
    scope and `session_id`. Hundreds of rows are read for one context, so nothing is looked up by name for each: the
    code is written here once, from the declaration of the columns, the way dataclasses write theirs.
    """
    wanted = [each.name for each in fields(kind)] if is_dataclass(kind) else list(kind._fields)
    values = ", ".join(f"{name}={_value_of(name)}" for name in wanted)
    unpacked = ", ".join(f"_{name}" if name != "_" else "_" for name in names)
    source = f"def read(row):\n    {unpacked}, = row\n    created = from_us(_created_at)\n    return kind({values})\n"
    scope: dict[str, Any] = {**_TOOLS, "kind": kind}
    exec(source, scope)
    return cast("Callable[[Row], Any]", scope["read"])


def _value_of(name: str) -> str:
    """The code that makes a field of a value of what the columns hold."""
    if name in _MADE:
        return _MADE[name]
    sort = RECORD_COLUMNS[name].sort if name in RECORD_COLUMNS else "name"
    return _BY_SORT.get(sort, "_{0}").format(name)


# Times that are the same share one value: most records were never changed.
_BY_SORT = {
    "time": "None if _{0} is None else created if _{0} == _created_at else from_us(_{0})",
    "flag": "bool(_{0})",
    "list": "tuple(loads(_{0})) if _{0} else ()",
    "object": "loads(_{0}) if _{0} else {{}}",
}
_MADE = {
    "created_at": "created",
    "kind": "kinds[_kind]",
    "tier": "tiers[_tier]",
    "security": "securities[_security]",
    "scope": "scope_of(_project, _squad, _agent_id, _channel, _user_id)",
    "affect": "affect_of(_valence, _arousal, _intensity, _dominance, _surprise)",
    "place": "place_of(loads(_place)) if _place else None",
    "facets": "facets_of(loads(_facets)) if _facets else None",
}


def record_of(row: Row) -> Record:
    """The value of one row of `RECORD_SELECT`."""
    return cast("Record", _record_reader()(row))


@cache
def _record_reader() -> Callable[[Row], Any]:
    return reader(Record, _SELECTED)


def stored_value(row: RecordRow, scope: Scope, session_id: str | None) -> Record:
    """The value of a row that was just stored, without reading it again."""
    dimensions = (scope.project, scope.squad, scope.agent_id, scope.channel, scope.user_id)
    return record_of((0, *row_values(row), *dimensions, session_id))


@lru_cache(maxsize=4096)
def _scope_of(*values: str | None) -> Scope:
    return Scope(**dict(zip(DIMENSIONS, values, strict=True)))


def _affect_of(
    valence: float | None,
    arousal: float | None,
    intensity: float | None,
    dominance: float | None,
    surprise: float | None,
) -> Affect | None:
    if valence is arousal is intensity is dominance is surprise is None:
        return None
    return Affect(
        valence=valence or 0.0,
        arousal=arousal or 0.0,
        intensity=intensity or 0.0,
        dominance=dominance or 0.0,
        surprise=surprise or 0.0,
    )


_TOOLS: dict[str, Any] = {
    "from_us": from_us,
    "loads": orjson.loads,
    "kinds": {kind.value: kind for kind in Kind},
    "tiers": {tier.value: tier for tier in Tier},
    "securities": {tier.value: tier for tier in SecurityTier},
    "scope_of": _scope_of,
    "affect_of": _affect_of,
    "place_of": Place.from_dict,
    "facets_of": Facets.from_dict,
}


def to_json(value: Any) -> str | None:
    """JSON text of a non-empty value, None for an empty one."""
    return orjson.dumps(value).decode() if value else None


def from_json(text: str | None, empty: Any) -> Any:
    return orjson.loads(text) if text else empty


def content_hash(content: str) -> str:
    """The same for texts that differ only in case, spacing or Unicode form."""
    folded = content.casefold() if content.isascii() else unicodedata.normalize("NFKC", content).casefold()
    return hashlib.blake2b(" ".join(folded.split()).encode(), digest_size=16).hexdigest()
