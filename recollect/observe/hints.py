"""What is ready to be said to agents: of each project a brief, warnings by file and cures by error.

Only what may be trusted is said: a person confirmed it, nobody flagged it, and nothing about it waits for review. What
an agent noted of where its work stands is told to the next session as what it is. All of it stands between the marks of
the store, as data. A record without a project is told about no file unless it names the file by its full path: another
project may have a file of that name.

For hooks without a server the same is in one small file for each project, written anew when something changed. Of an
encrypted store no file is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from recollect.clock import DAY_US, SECOND_US, Clock, from_us, to_us
from recollect.config import LiveConfig
from recollect.hook import places, ready
from recollect.hook.failure import print_of_bytes
from recollect.model.anchor import AnchorState, CodeAnchor, StatesOfCode, anchors_on, code_in_words, state_of
from recollect.model.fence import sealing_key
from recollect.model.observed import SessionBrief
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.scope import Scope
from recollect.observe.brief import BriefSection, brief_within
from recollect.observe.saying import CODE, Saying, said, sealed, tokens_of
from recollect.observe.standing import may_be_said_unasked, may_warn
from recollect.store.base import Store, Tx
from recollect.store.observed import KnownError

WARNING = ("gotcha", "error_pattern")
WANTED = ("instruction", "constraint")
STATE = "work_state"
PROJECTS_MAX = 50
PROJECT_DAYS = 90
RECORDS_MAX = 2_000  # of a project that are looked at, newest first
FILES_BYTES = 200 << 10  # of the warnings in one file of hints
ERRORS_MAX = 200
MADE = "made"  # the file that says up to which change hints were made


class _Told(NamedTuple):
    """A record as it is told, and the files it is about."""

    record: Record
    files: tuple[str, ...]


class _Trusted(NamedTuple):
    """What of a project may be told unasked: records, the newest first, and warnings, the best first."""

    records: list[Record]
    warnings: list[_Told]


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
        self.folder = None if store.path is None else Path(places.folder_of(str(store.path)))

    def of(self, root: str, scope: Scope) -> dict[str, Any]:
        """What is ready for a project, as those who work there in this scope may see it."""
        with self._store.read() as tx:
            state = self._state(tx)
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
            state = self._state(tx)
            if _content(folder / MADE) == state.encode():
                return
            since = self._clock() - PROJECT_DAYS * DAY_US
            user = self._config.current.user or None
            made = {
                root: self._make(tx, root, Scope(project=name, user_id=user))
                for root, name in tx.observed.projects(since=since, limit=PROJECTS_MAX)
            }
        kept = {folder / MADE}
        for root, hints in made.items():
            path = Path(ready.hints_path(str(folder), root))
            kept.add(path)
            if _marks(_read(path)) != _marks(hints):
                _replace(path, orjson.dumps(hints))
        for path in folder.glob("hints-*.json"):
            if path not in kept:
                path.unlink(missing_ok=True)
        _replace(folder / MADE, state.encode())

    def forget(self) -> None:
        """Remove every file: what it says may have been erased, or the store is about to be encrypted."""
        self._made.clear()
        if self.folder is not None:
            for path in (*self.folder.glob("hints-*.json"), self.folder / MADE):
                with suppress(OSError):
                    path.unlink()

    def _state(self, tx: Tx) -> str:
        """What hints depend on, as one text: what is stored, what was seen, what is set."""
        settings = self._config.current.observe
        chosen: list[object] = [settings.inject, settings.session_tokens, settings.tool_tokens, settings.file_warnings]
        chosen += [
            settings.session_warnings,
            settings.state_half_lives,
            settings.retries_min,
            self._config.current.user,
        ]
        day = self._clock() // DAY_US  # ages are told in days
        return f"{self._store.change_seq()} {tx.observed.state()} {day} {print_of_bytes(repr(chosen).encode())}"

    # --- what is said -------------------------------------------------------------------------------------------

    def brief(self, root: str, scope: Scope, *, tokens: int) -> SessionBrief:
        """What a session of a project begins with, within so many tokens; whether hooks may say it or not."""
        now = self._clock()
        with self._store.read() as tx:
            told = self._trusted(tx, root, scope, now)
        shown = brief_within(self._sections(told, now), tokens, now)
        lines = [line for part in shown for line in part.lines]
        text = sealed(lines, sealing_key(self._secret(), scope))[0] if lines else ""
        return SessionBrief(
            project=scope.project,
            text=text,
            parts=tuple(part.told for part in shown),
            tokens=tokens_of(lines) if lines else 0,
        )

    def _make(self, tx: Tx, root: str, scope: Scope) -> dict[str, Any]:
        settings = self._config.current.observe
        empty: dict[str, Any] = {"root": root}
        if not settings.inject:
            return empty
        now = self._clock()
        told = self._trusted(tx, root, scope, now)
        scope_pk = tx.scopes.find(scope)
        errors = (
            []
            if scope_pk is None
            else tx.observed.known_errors([scope_pk], least=settings.retries_min, limit=ERRORS_MAX)
        )
        key = sealing_key(self._secret(), scope)
        sections = self._sections(told, now)
        return {
            **empty,
            "brief": _sealed(sections, key, settings.session_tokens, now),
            "work_state": _sealed([each for each in sections if each.name == STATE], key, settings.session_tokens, now),
            "files": self._by_file(told.warnings, key, now),
            "errors": {f"{each.tool} {each.hash}": self._cured(each, key) for each in errors},
        }

    def _trusted(self, tx: Tx, root: str, scope: Scope, now: int) -> _Trusted:
        """The records of a project that may be told unasked."""
        found = tx.records.latest(
            Criteria(scope=scope, categories=(*WARNING, *WANTED, STATE)), now=now, limit=RECORDS_MAX
        )
        loaded = tx.records.load(found)
        records = [loaded[pk] for pk in found if pk in loaded and may_be_said_unasked(loaded[pk], now // SECOND_US)]
        records = self._about_code(records)
        warnings = [_Told(each, _files(each, root, scope)) for each in _best(records, WARNING) if may_warn(each)]
        return _Trusted(records, warnings)

    def _sections(self, told: _Trusted, now: int) -> list[BriefSection]:
        """What a session begins with, the most pressing first."""
        wanted = [each for each in _best(told.records, WANTED) if each.user_verified]
        watch = [each.record for each in told.warnings[: self._config.current.observe.session_warnings]]
        return [
            BriefSection(STATE, "Where the work stood:", self._standing(told.records, now)),
            BriefSection("wanted", "Wanted here:", wanted),
            BriefSection("warnings", "To watch out for:", watch),
        ]

    def _about_code(self, records: Sequence[Record]) -> list[Record]:
        """Records with what became of the code they are about; those whose code is gone are told to nobody."""
        about = {record.id: anchors for record in records if (anchors := anchors_on(record.attributes))}
        states = self._code(about) if about else {}
        return [
            _with_code(record, states[record.id]) if record.id in states else record
            for record in records
            if state_of(states.get(record.id, ())) is not AnchorState.ORPHANED
        ]

    def _standing(self, records: Sequence[Record], now: int) -> list[Record]:
        """The newest note of where work stands, unless it is too old to be of use."""
        config = self._config.current
        usual = config.decay.half_life_days.get(STATE, config.recall.freshness_half_life_days)
        for record in records:
            if record.category == STATE:
                age_days = (now - to_us(record.updated_at)) / DAY_US
                fresh = age_days <= config.observe.state_half_lives * (record.half_life_days or usual)
                return [record] if fresh else []
        return []

    def _by_file(self, warnings: Sequence[_Told], key: bytes, now: int) -> dict[str, Saying]:
        settings = self._config.current.observe
        by_file: dict[str, list[Record]] = {}
        for record, files in warnings:
            for path in files:
                by_file.setdefault(path, []).append(record)
        out: dict[str, Saying] = {}
        size = 0
        for path, records in by_file.items():
            told = records[: settings.file_warnings]
            saying = said([f"About {path}:", *told], key, settings.tool_tokens, now) if told else None
            if saying is None:
                continue
            size += len(path.encode()) + len(saying[0].encode())
            if size > FILES_BYTES:
                break
            out[path] = saying
        return out

    def _cured(self, error: KnownError, key: bytes) -> Saying | None:
        edited = (orjson.loads(error.cure) if error.cure else {}).get("edited") or []
        day = from_us(error.last_at).date().isoformat()
        how = f"after edits of {', '.join(edited[:5])}" if edited else "without an edit: it was run again"
        line = f"This error came up {error.times} times, last on {day}. It went away {how}."
        tokens = self._config.current.observe.tool_tokens
        return said([line], key, tokens, 0) if edited else None


def _sealed(sections: Sequence[BriefSection], key: bytes, tokens: int, now: int) -> Saying | None:
    lines = [line for part in brief_within(sections, tokens, now) for line in part.lines]
    return sealed(lines, key) if lines else None


def _with_code(record: Record, code: Sequence[CodeAnchor]) -> Record:
    """A record as it is told: with a word on its code, and by the files that this is in now."""
    listed = record.metadata.get("related_files")
    files = [*(listed if isinstance(listed, list) else [listed]), *(each.path for each in code)]
    return replace(
        record,
        metadata={**record.metadata, "related_files": files},
        attributes={**record.attributes, CODE: code_in_words(code)},
    )


def _best(records: Iterable[Record], categories: Sequence[str]) -> list[Record]:
    of = [record for record in records if record.category in categories]
    return sorted(of, key=lambda record: (-record.importance, -record.updated_at.timestamp(), record.id))


def _files(record: Record, root: str, scope: Scope) -> tuple[str, ...]:
    """The files of a project that a record is about, as paths within it."""
    listed = record.metadata.get("related_files")
    listed = listed if isinstance(listed, list) else [listed]
    own = record.place.file_path if record.place is not None else None
    inside = root.rstrip("/") + "/"
    mine = scope.project is not None and record.scope.project == scope.project
    found: dict[str, None] = {}
    for path in (own, *listed):
        if not isinstance(path, str) or not path:
            continue
        if path.startswith(inside):
            found[path[len(inside) :]] = None
        elif mine and not os.path.isabs(path):
            found[os.path.normpath(path).replace(os.sep, "/")] = None
    return tuple(found)


def _marks(hints: dict[str, Any]) -> Any:
    """What is said, without the marks around it, which are new each time."""

    def mark(value: Any) -> Any:
        return value[1] if isinstance(value, list) and len(value) == 2 else value

    return {
        name: {each: mark(said) for each, said in value.items()} if isinstance(value, dict) else mark(value)
        for name, value in hints.items()
    }


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
