"""What is ready to be said to agents: of each project what a session begins with, warnings by file, cures by error, and
what an edit reaches.

Only what may be trusted is said (`observe.trusted`). What an agent noted of where its work stands, and what a stage of
work left for the next, is told to the next session as what it is. All of it stands between the marks of the store, as
data.

For hooks without a server the same is in one small file for each project, written anew when something changed. Of an
encrypted store no file is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from recollect.clock import DAY_US, Clock, from_us
from recollect.config import LiveConfig
from recollect.hook import places, ready
from recollect.model.anchor import StatesOfCode
from recollect.model.fence import INTRODUCTION, sealing_key
from recollect.model.observed import SessionBrief
from recollect.model.record import Record
from recollect.model.scope import Scope
from recollect.observe.brief import Beginning, BriefFor, brief_within, preloaded_part, prepared, read_beginning
from recollect.observe.made import MADE, basis, is_made_of
from recollect.observe.preload import HEADING, preloaded
from recollect.observe.proving import learned_errors
from recollect.observe.saying import Saying, said, sealed, tokens_of
from recollect.observe.trusted import Warned
from recollect.observe.wide import project_here, wide_files
from recollect.store.base import Store, Tx
from recollect.store.observed import KnownError

PROJECTS_MAX = 50
PROJECT_DAYS = 90
FILES_BYTES = 140 << 10  # of the warnings in one file of hints
REACH_BYTES = 60 << 10  # of what edits reach
ERRORS_MAX = 200
_SHORTENED = ("reach", "errors", "files")  # of hints that would be too large


class Hints:
    """What may be said in each project of one store. `secret` seals what is said, as in every other window."""

    def __init__(
        self, store: Store, config: LiveConfig, clock: Clock, secret: Callable[[], bytes], code: StatesOfCode
    ) -> None:
        self._code = code
        self._store = store
        self._config = config
        self._clock = clock
        self._secret = secret
        self._made: dict[tuple[str, Scope], tuple[str, dict[str, Any]]] = {}
        self._reached: dict[tuple[str, Scope], tuple[str, dict[str, Saying]]] = {}
        self.folder = None if store.path is None else Path(places.folder_of(str(store.path)))

    def of(self, root: str, scope: Scope) -> dict[str, Any]:
        """What is ready for a project, as those who work there in this scope may see it."""
        with self._store.read() as tx:
            state = basis(self._store, tx, self._config.current, self._clock)
            known = self._made.get((root, scope))
            if known is not None and known[0] == state:
                return known[1]
            made = self._make(tx, root, scope)
        if len(self._made) > PROJECTS_MAX:
            self._made.clear()
        self._made[(root, scope)] = (state, made)
        return made

    def renew(self) -> None:
        """Write the files of the projects that were worked in lately, if anything changed since the last time."""
        folder = self.folder
        if folder is None or self._store.encrypted or not folder.is_dir():
            return
        with self._store.read() as tx:
            state = basis(self._store, tx, self._config.current, self._clock)
            if is_made_of(folder, state):
                return
            since = self._clock() - PROJECT_DAYS * DAY_US
            user = self._config.current.user or None
            made: dict[str, tuple[Scope, dict[str, Any]]] = {}
            for root, name in tx.observed.projects(since=since, limit=PROJECTS_MAX):
                scope = Scope(project=name, user_id=user)
                made[root] = scope, self._make(tx, root, scope)
            self._made |= {(root, scope): (state, hints) for root, (scope, hints) in made.items()}
        self._mark_shape_only(folder)
        kept = {folder / MADE}
        for root, (_, hints) in made.items():
            path = Path(ready.hints_path(str(folder), root))
            kept.add(path)
            fitting = _as_read(hints)
            if _marks(_read(path)) != _marks(fitting):
                _replace(path, orjson.dumps(fitting))
        for path in folder.glob("hints-*.json"):
            if path not in kept:
                path.unlink(missing_ok=True)
        _replace(folder / MADE, state.encode())

    def forget(self) -> None:
        """Remove every file: what it says may have been erased, or the store is about to be encrypted."""
        self._made.clear()
        self._reached.clear()
        if self.folder is not None:
            for path in (*self.folder.glob("hints-*.json"), self.folder / MADE):
                with suppress(OSError):
                    path.unlink()

    def _mark_shape_only(self, folder: Path) -> None:
        """Say to hooks whether what agents plan and say last is wanted."""
        mark = folder / places.SHAPE_ONLY
        if self._config.current.observe.work_states:
            mark.unlink(missing_ok=True)
        else:
            mark.touch(mode=0o600)

    # --- what is said -------------------------------------------------------------------------------------------

    def brief(self, root: str, scope: Scope, wanted: BriefFor, *, tokens: int) -> SessionBrief:
        """What a session of a project begins with, within so many tokens; whether hooks may say it or not."""
        with self._store.read() as tx:
            begun = self._beginning(tx, root, scope, wanted.near)
        shown = brief_within(begun.sections(wanted), tokens, begun.now)
        lines = [line for part in shown for line in part.lines]
        key = sealing_key(self._secret(), scope)
        text = [sealed(lines, key)[0]] if lines else []
        used = tokens_of(lines) if lines else 0
        files = self._preloaded(begun, root, scope, tokens - used, whole=True) if begun.is_preloaded(wanted) else []
        parts = [part.told for part in shown]
        if files:
            told = [HEADING, *(file.saying[0] for file in files)]
            text += [*([] if text else [INTRODUCTION]), *told]
            used = min(tokens, used + tokens_of(told))
            parts.append(preloaded_part("\n".join(told), tuple(file.path for file in files)))
        return SessionBrief(project=scope.project, text="\n".join(text), parts=tuple(parts), tokens=used)

    def preloaded(self, root: str, scope: Scope, top: str, tokens: int) -> list[list[Any]]:
        """The files that a session which begins now probably reads first, as they are now: whole, where they fit."""
        with self._store.read() as tx:
            begun = self._beginning(tx, root, scope, None)
        return [[*each.saying, *each[1:]] for each in self._preloaded(begun, top, scope, tokens, whole=True)]

    def _preloaded(self, begun: Beginning, top: str, scope: Scope, tokens: int, *, whole: bool) -> list[Any]:
        settings, key = self._config.current.observe, sealing_key(self._secret(), scope)
        return preloaded(top, begun.usual, key, settings, tokens=tokens, whole=whole) if top else []

    def _beginning(self, tx: Tx, root: str, scope: Scope, near: str | None) -> Beginning:
        return read_beginning(tx, root, scope, self._config.current, self._code, now=self._clock(), near=near)

    def _make(self, tx: Tx, root: str, scope: Scope) -> dict[str, Any]:
        settings = self._config.current.observe
        empty: dict[str, Any] = {"root": root}
        if not settings.inject:
            return empty
        begun = self._beginning(tx, root, scope, None)
        scope_pk = tx.scopes.find(scope)
        errors = (
            []
            if scope_pk is None
            else tx.observed.known_errors([scope_pk], least=settings.retries_min, limit=ERRORS_MAX)
        )
        known = learned_errors(tx, scope, now=begun.now)
        key = sealing_key(self._secret(), scope)
        parts, left = prepared(begun, key, settings.session_tokens)
        here = root if scope.project is not None and tx.observed.project_at(root) == scope.project else ""
        files = self._preloaded(begun, here, scope, left, whole=False) if here else []
        reach = self._reach(tx, root, scope, key)
        return {
            **empty,
            "introduction": INTRODUCTION,
            "start": parts,
            "preload": {"heading": HEADING, "tokens": left, "files": [[*each.saying, *each[1:]] for each in files]},
            "files": self._by_file(begun.told.warnings, reach, key, begun.now),
            "errors": {
                f"{each.tool} {each.hash}": self._cured(each, known.get((each.tool, each.text)), key, begun.now)
                for each in errors
            },
            "reach": reach,
        }

    def _reach(self, tx: Tx, root: str, scope: Scope, key: bytes) -> dict[str, Saying]:
        """What is told before an edit of a file that much depends on. Made anew when the graph changes, and daily."""
        project = project_here(tx, root, scope)
        if project is None:
            return {}
        config, now = self._config.current, self._clock()
        stamp = f"{tx.code.state()} {now // DAY_US} {config.observe.reach_files} {config.observe.tool_tokens}"
        known = self._reached.get((root, scope))
        if known is not None and known[0] == stamp:
            return known[1]
        out: dict[str, Saying] = {}
        size = 0
        for file in wide_files(tx, project, scope, config, now=now):
            saying = said([file.text], key, config.observe.tool_tokens, now)
            if saying is not None:
                size += len(file.path.encode()) + len(saying[0].encode())
                if size > REACH_BYTES:
                    break
                out[file.path] = saying
        self._reached[(root, scope)] = (stamp, out)
        return out

    def _by_file(self, warnings: Sequence[Warned], reach: dict[str, Saying], key: bytes, now: int) -> dict[str, Saying]:
        settings = self._config.current.observe
        by_file: dict[str, list[Record]] = {}
        for record, files in warnings:
            for path in files:
                by_file.setdefault(path, []).append(record)
        out: dict[str, Saying] = {}
        size = 0
        for path, records in by_file.items():
            told = records[: settings.file_warnings]
            tokens = settings.tool_tokens - (tokens_of([reach[path][0]]) if path in reach else 0)
            saying = said([f"About {path}:", *told], key, tokens, now) if told else None
            if saying is None:
                continue
            size += len(path.encode()) + len(saying[0].encode())
            if size > FILES_BYTES:
                break
            out[path] = saying
        return out

    def _cured(self, error: KnownError, record: Record | None, key: bytes, now: int) -> Saying | None:
        """What is said when a known error comes up: how it went away, with the record of it where there is one."""
        edited = (orjson.loads(error.cure) if error.cure else {}).get("edited") or []
        day = from_us(error.last_at).date().isoformat()
        how = f"after edits of {', '.join(edited[:5])}" if edited else "without an edit: it was run again"
        line = f"This error came up {error.times} times, last on {day}. It went away {how}."
        told = line if record is None else replace(record, content=line)
        return said([told], key, self._config.current.observe.tool_tokens, now) if edited else None


def _as_read(hints: dict[str, Any]) -> dict[str, Any]:
    """As much as hooks read of a file: what edits reach goes first, then cures, then warnings, the last of each."""
    for name in _SHORTENED:
        while hints.get(name) and len(orjson.dumps(hints)) > ready.HINT_BYTES_MAX:
            kept = list(hints[name].items())
            hints = {**hints, name: dict(kept[: len(kept) // 2])}
    return hints


def _marks(value: Any) -> Any:
    """What is said, without the marks around it, which are new each time."""
    if isinstance(value, dict):
        return {name: _marks(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_marks(each) for each in value]
    if isinstance(value, str) and "[recollect:" in value:
        return [line for line in value.splitlines() if not line.startswith(("[recollect:", "[/recollect:"))]
    return value


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _read(path: Path) -> dict[str, Any]:
    try:
        found = orjson.loads(_content(path) or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _replace(path: Path, data: bytes) -> None:
    """The new content under its name at once, for nobody else's eyes."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
