"""Names that a store holds, offered by a shell: users, projects, sessions, the newest records and operations.

Read straight from the file, without the engine, so that Tab answers at once. A key press changes nothing: it never
creates a store and never brings an old one up to date, and whatever goes wrong means that nothing is offered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

OFFERED_MAX = 50
_BUSY_S = 0.2
# A shell reads what is offered as part of a line, zsh even with `eval`; what is stored may come from anybody.
_HARMLESS = re.compile(r"[\w.@/+-]+", re.ASCII)

_OF_SCOPES = ("user_id", "agent_id", "project", "squad", "channel")
_QUERIES = {
    **{name: f"SELECT DISTINCT {name} FROM scope WHERE substr({name}, 1, ?1) = ?2 LIMIT ?3" for name in _OF_SCOPES},
    "session_id": "SELECT id FROM session WHERE substr(id, 1, ?1) = ?2 "
    "GROUP BY id ORDER BY max(last_turn_at) DESC LIMIT ?3",
    "operation": "SELECT id FROM operation WHERE substr(id, 1, ?1) = ?2 ORDER BY pk DESC LIMIT ?3",
    "id": "SELECT id FROM record WHERE head_pk IS NULL AND retired_at IS NULL AND substr(id, 1, ?1) = ?2 "
    "ORDER BY pk DESC LIMIT ?3",
}
_RECORDS = {("relate", "source"), ("relate", "target"), ("path", "a"), ("path", "b")}  # ids by another name


def remembered(parameter: str, verb: str = "") -> Callable[[Any, str], list[str]] | None:
    """What completes this parameter of a verb out of the store; None where the store holds nothing of that sort."""
    what = "id" if (verb, parameter) in _RECORDS else parameter
    if what not in _QUERIES:
        return None

    def complete(ctx: Any, incomplete: str) -> list[str]:
        try:
            found = _read(_options(ctx), what, incomplete)
        except Exception:  # no store, a locked one, one of another version: there is nothing to offer
            return []
        return [text for text in found if _HARMLESS.fullmatch(text)]

    return complete


def _options(ctx: Any) -> Mapping[str, Any]:
    """What the line says so far, before the verb and after it."""
    from recollect.interfaces.cli.session import merged

    return merged(ctx.parent.params if ctx.parent else {}, ctx.params)


def _read(given: Mapping[str, Any], what: str, beginning: str) -> list[str]:
    from recollect.config import load_config
    from recollect.interfaces.cli.session import read_key
    from recollect.store.sqlite.connection import Opening, SqliteStatements, connect

    path = Path((given["db"] or load_config().db).removeprefix("sqlite:///")).expanduser()
    if not path.is_file():
        return []
    opening = Opening(path=str(path), key=read_key(given["key_file"]), busy_timeout_s=_BUSY_S)
    with closing(connect(opening)) as db:
        rows = SqliteStatements(db).all(_QUERIES[what], (len(beginning), beginning, OFFERED_MAX))
    return [str(row[0]) for row in rows]
