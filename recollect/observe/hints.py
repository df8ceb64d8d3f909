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
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from recollect.clock import DAY_US, SECOND_US, Clock, from_us, to_us
from recollect.config import LiveConfig
from recollect.hook import places, ready
from recollect.hook.failure import print_of_bytes
from recollect.model.context import ID_CHARS
from recollect.model.fence import INTRODUCTION, Shown, fenced, sealing_key
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.scope import Scope
from recollect.observe.failed_reviews import SOURCE as REPORTED
from recollect.observe.standing import SOURCE as INFERRED
from recollect.observe.standing import may_be_said_unasked
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
TEXT_BYTES_MAX, TEXT_BYTES_MIN = 1_200, 100  # of a record that are told
CUT = " …"
TOKEN_BYTES = 3  # fewer than any vocabulary needs for a token on average, in prose, code and other scripts
MADE = "made"  # the file that says up to which change hints were made

Saying = list[str]  # a text, and a mark by which it is known again


class _Told(NamedTuple):
    """A record as it is told, and the files it is about."""

    record: Record
    files: tuple[str, ...]


class Hints:
    """What may be said in each project of one store. `secret` seals what is said, as in every other window."""

    def __init__(self, store: Store, config: LiveConfig, clock: Clock, secret: Callable[[], bytes]) -> None:
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

    def _make(self, tx: Tx, root: str, scope: Scope) -> dict[str, Any]:
        settings = self._config.current.observe
        empty: dict[str, Any] = {"root": root}
        if not settings.inject:
            return empty
        now = self._clock()
        found = tx.records.latest(
            Criteria(scope=scope, categories=(*WARNING, *WANTED, STATE)), now=now, limit=RECORDS_MAX
        )
        loaded = tx.records.load(found)
        records = [loaded[pk] for pk in found if pk in loaded and may_be_said_unasked(loaded[pk], now // SECOND_US)]
        warnings = [_Told(each, _files(each, root, scope)) for each in _best(records, WARNING) if _is_trusted(each)]
        state = self._standing(records, now)
        scope_pk = tx.scopes.find(scope)
        errors = (
            []
            if scope_pk is None
            else tx.observed.known_errors([scope_pk], least=settings.retries_min, limit=ERRORS_MAX)
        )
        key = sealing_key(self._secret(), scope)
        return {
            **empty,
            "brief": self._brief(records, warnings, state, key, now),
            "work_state": self._said(state, key, settings.session_tokens, now),
            "files": self._by_file(warnings, key, now),
            "errors": {f"{each.tool} {each.hash}": self._cured(each, key) for each in errors},
        }

    def _standing(self, records: Sequence[Record], now: int) -> list[Record | str]:
        """The newest note of where work stands, unless it is too old to be of use."""
        config = self._config.current
        usual = config.decay.half_life_days.get(STATE, config.recall.freshness_half_life_days)
        for record in records:
            if record.category == STATE:
                age_days = (now - to_us(record.updated_at)) / DAY_US
                if age_days <= config.observe.state_half_lives * (record.half_life_days or usual):
                    return ["Where the work stood:", record]
                return []
        return []

    def _brief(
        self, records: Sequence[Record], warnings: Sequence[_Told], state: list[Record | str], key: bytes, now: int
    ) -> Saying | None:
        settings = self._config.current.observe
        wanted = [each for each in _best(records, WANTED) if each.user_verified]
        watch = [told.record for told in warnings[: settings.session_warnings]]
        parts: list[Record | str] = [*state]
        parts += ["Wanted here:", *wanted] if wanted else []
        parts += ["To watch out for:", *watch] if watch else []
        return self._said(parts, key, settings.session_tokens, now)

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
            said = self._said([f"About {path}:", *told], key, settings.tool_tokens, now) if told else None
            if said is None:
                continue
            size += len(path.encode()) + len(said[0].encode())
            if size > FILES_BYTES:
                break
            out[path] = said
        return out

    def _cured(self, error: KnownError, key: bytes) -> Saying | None:
        edited = (orjson.loads(error.cure) if error.cure else {}).get("edited") or []
        day = from_us(error.last_at).date().isoformat()
        how = f"after edits of {', '.join(edited[:5])}" if edited else "without an edit: it was run again"
        line = f"This error came up {error.times} times, last on {day}. It went away {how}."
        tokens = self._config.current.observe.tool_tokens
        return self._said([line], key, tokens, 0) if edited else None

    def _said(self, parts: Iterable[Record | str], key: bytes, tokens: int, now: int) -> Saying | None:
        """The parts between marks, as many as fit; None where no record would be left, or there is none."""
        shown: list[Shown | str] = []
        heads = list(parts)
        for part in heads:
            one = part if isinstance(part, str) else _fitting(part, shown, tokens, now)
            if one is None or _tokens([*shown, one]) > tokens:
                break
            shown.append(one)
        while shown and isinstance(shown[-1], str) and any(not isinstance(part, str) for part in heads):
            shown.pop()  # a heading with nothing below it
        if not shown:
            return None
        mark = print_of_bytes(
            repr([(each.id, each.text) if isinstance(each, Shown) else each for each in shown]).encode()
        )
        return [f"{INTRODUCTION}\n{fenced(shown, key)}", mark]


def _is_trusted(record: Record) -> bool:
    """Whether it may warn: a person confirmed it, a test or a review said it, or it was inferred and has earned it.

    An agent's own note may not.
    """
    return record.user_verified or record.source in (INFERRED, REPORTED)


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


def _fitting(record: Record, shown: Sequence[Shown | str], tokens: int, now: int) -> Shown | None:
    """A record as it is told after what is shown, cut short where it would not fit; None where too little would fit."""
    bare = Shown(record.id[:ID_CHARS], "", _age(record, now))
    left = (tokens - _tokens([*shown, bare]) - 1) * TOKEN_BYTES
    data = record.content.encode("utf-8", "replace")[:TEXT_BYTES_MAX]
    if len(data) > left or len(data) < len(record.content.encode("utf-8", "replace")):
        if left < TEXT_BYTES_MIN:
            return None
        data = data[: left - len(CUT.encode())]
        return bare._replace(text=data.decode("utf-8", "ignore").rstrip() + CUT)
    return bare._replace(text=record.content)


def _age(record: Record, now: int) -> str:
    days = max(0, (now - to_us(record.updated_at)) // DAY_US)
    return "(today)" if days == 0 else f"({days} d ago)"


def _tokens(shown: Sequence[Shown | str]) -> int:
    """About how many tokens it takes to say this, rather too many than too few."""
    text = INTRODUCTION + "".join(
        f"#{each.id} {each.note} {each.text}" if isinstance(each, Shown) else each for each in shown
    )
    return (len(text.encode("utf-8", "replace")) + 80) // TOKEN_BYTES


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
