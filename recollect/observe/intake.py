"""Events into the store: each once, in its project, and nothing of it but its shape.

What comes twice is known by the client's own name for it, so a transcript after its hooks changes nothing. Where hooks
told when a session began, stopped and ended, a transcript adds no such moments of its own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple, TypeGuard

import orjson

from recollect.clock import DAY_US, Clock, to_us
from recollect.config import LiveConfig
from recollect.errors import AccessDenied, UsageError
from recollect.hook import failure
from recollect.hook.payloads import EVENT_BYTES_MAX, TAIL_CHARS, Unusable, kept
from recollect.hook.phases import PHASES
from recollect.hook.places import PATH_CHARS_MAX
from recollect.hook.plans import STEPS_MAX
from recollect.hook.tools import CLASSES
from recollect.ids import ID_CHARS
from recollect.ingest import check
from recollect.limits import EVENTS_PER_OBSERVE_MAX, NAME_CHARS_MAX
from recollect.model.observed import Observed, RefusedEvent
from recollect.model.scope import Scope
from recollect.security.screening.policy import for_journals
from recollect.store.base import Store, Tx
from recollect.store.observed import EventRow

PORTION = 2_000  # events of one transaction
AHEAD_US = DAY_US  # a clock that is further ahead is wrong
API = "api"  # the client of those who name none
HOOK, TRANSCRIPT, CALL = "hook", "transcript", "call"
_MOMENTS = frozenset({"session_start", "message", "stop", "compact", "session_end", "outcome"})
_FILES_DETAIL = ("lines", "hunks", "gone", "came")
_PATHS = ("about", "named")  # files
_IDS = ("cited", "shown", "found", "stored")  # beginnings of ids of records
_PLACE = ("spec", "branch", "tree")  # which task, on which branch, in which work tree
_DETAIL = ("source", "mode", "chars", "text", "figures", "task", "asks", "phase", "tests", *_PLACE, *_PATHS, *_IDS)
_UNFIT = re.compile(r"[^\w.@+ -]+")

# The scope of an event by the project it belongs to; `AccessDenied` where its caller may not name that.
Placing = Callable[[str | None], Scope]


class Arrival(NamedTuple):
    """Where events come from: whose they are, through what, and whether their folders are on this machine."""

    scope: Placing
    origin: str = CALL
    client: str = API
    local: bool = False
    project: str | None = None  # that all of them belong to, wherever they happened


class _Placed(NamedTuple):
    position: int
    kept: dict[str, Any]
    row: EventRow


class Intake:
    """Takes events in over one store."""

    def __init__(self, store: Store, config: LiveConfig, clock: Clock) -> None:
        self._store = store
        self._config = config
        self._clock = clock

    def observe(self, given: Any, arrival: Arrival) -> Observed:
        """Take in an event, or a list of them, in the shape of the contract."""
        items = [given] if isinstance(given, Mapping) else given
        if isinstance(items, str | bytes) or not isinstance(items, Sequence):
            raise UsageError("observe takes an event, which is an object, or a list of them")
        if len(items) > EVENTS_PER_OBSERVE_MAX:
            raise UsageError(f"at most {EVENTS_PER_OBSERVE_MAX} events a call, not {len(items)}; give them in portions")
        refused: list[RefusedEvent] = []
        reduced: list[tuple[int, dict[str, Any]]] = []
        now = self._clock()
        for index, item in enumerate(items):
            try:
                reduced.append((index, self._reduced(item, now)))
            except Unusable as error:
                refused.append(RefusedEvent(index=index, reason=str(error)))
        return self.take(reduced, arrival, refused)

    def _reduced(self, item: Any, now: int) -> dict[str, Any]:
        if not isinstance(item, Mapping):
            raise Unusable("no object")
        event = dict(item)
        try:
            size = len(orjson.dumps(event, default=str))
        except (TypeError, ValueError, RecursionError):
            raise Unusable("no plain JSON") from None
        if size > EVENT_BYTES_MAX:
            raise Unusable("over 1 MiB")
        if event.get("at") is not None:
            event["at"] = _moment(event["at"])
        out = kept(event, at=now)
        if isinstance(event.get("client"), str):
            out["client"] = event["client"]
        return out

    def take(
        self, reduced: Iterable[tuple[int, Any]], arrival: Arrival, refused: Sequence[RefusedEvent] = ()
    ) -> Observed:
        """Take in what is kept of events, in portions of one transaction each."""
        done = Observed(refused=tuple(refused))
        portion: list[tuple[int, Any]] = []
        for each in reduced:
            portion.append(each)
            if len(portion) == PORTION:
                done, portion = joined(done, self._portion(portion, arrival)), []
        return joined(done, self._portion(portion, arrival)) if portion else done

    def _portion(self, portion: Sequence[tuple[int, Any]], arrival: Arrival) -> Observed:
        return self._store.write(lambda tx: self.write(tx, portion, arrival))

    def write(self, tx: Tx, portion: Iterable[tuple[int, Any]], arrival: Arrival) -> Observed:
        """The same within a transaction of the caller's."""
        settings, now = self._config.current.observe, self._clock()
        oldest = now - int(settings.log_days * DAY_US)
        screened = partial(for_journals, settings=self._config.current.security)
        refused: list[RefusedEvent] = []
        placed: list[_Placed] = []
        for index, each in portion:
            try:
                if not settings.enabled:
                    raise Unusable("observe.enabled is off")
                row = row_of(each, origin=arrival.origin, now=now, screened=screened)
                if row.at < oldest:
                    raise Unusable(f"older than {settings.log_days:g} days (observe.log_days)")
                placed.append(_Placed(index, each, row))
            except Unusable as error:
                refused.append(RefusedEvent(index=index, reason=str(error)))
        writing = _EventWriting(tx, arrival, screened if settings.work_states else None)
        for item in placed:
            try:
                writing.add(item)
            except AccessDenied:
                refused.append(RefusedEvent(index=item.position, reason="its project is not granted"))
        if writing.taken:
            tx.observed.trim(rows_max=settings.log_rows, before=oldest)
        return Observed(
            taken=writing.taken,
            known=writing.known,
            refused=tuple(sorted(refused, key=lambda each: each.index)),
            sessions=tuple(writing.sessions),
            projects=tuple(writing.projects),
        )


class _EventWriting:
    """Events on their way into one transaction."""

    def __init__(self, tx: Tx, arrival: Arrival, words: Callable[[str], str] | None) -> None:
        self._tx = tx
        self._words = words  # what takes secrets out of an agent's words; None where none are kept
        self._arrival = arrival
        self._scopes: dict[str | None, int] = {}
        self._of_hooks: dict[int, bool] = {}
        self.taken = self.known = 0
        self.sessions: dict[str, None] = {}
        self.projects: dict[str, None] = {}

    def add(self, item: _Placed) -> None:
        each, row = item.kept, item.row
        named, root = self._arrival.project or each.get("project"), each.get("root", "")
        if each.get("project") and each["project"] != named:
            raise AccessDenied("another project")
        project = named or self._project_at(root, row.at)
        if project not in self._scopes:
            self._scopes[project] = self._tx.scopes.ensure(self._arrival.scope(project))
        scope_pk = self._scopes[project]
        if self._arrival.local and named and root and self._tx.observed.project_at(root) != named:
            self._tx.observed.name_project(root, named, at=row.at)
        client = each.get("client") or self._arrival.client
        session_pk = self._tx.observed.session(
            scope_pk, client[:NAME_CHARS_MAX], each["session"], root=each.get("root", ""), at=row.at
        )
        if self._is_told_by_hooks(session_pk, row) or not self._tx.observed.add(scope_pk, session_pk, row):
            self.known += 1
        else:
            self.taken += 1
            if self._words is not None and ("plan" in each or "tail" in each):
                self._note_words(session_pk, each)
        self.sessions[each["session"]] = None
        if project:
            self.projects[project] = None

    def _note_words(self, session_pk: int, each: Mapping[str, Any]) -> None:
        """Keep what the agent planned and said last until the state of its work is written down."""
        assert self._words is not None
        plan, tail = self._tx.agent_work.words(session_pk)
        given = each.get("plan")
        steps = [_step(step, self._words) for step in given[:STEPS_MAX]] if isinstance(given, list) else []
        told = [step for step in steps if step is not None]
        if told and len(told) == len(steps):
            plan = plan_after(plan, told)
        if _is_text(each.get("tail"), TAIL_CHARS):
            tail = self._words(each["tail"])[:TAIL_CHARS]
        self._tx.agent_work.note_words(session_pk, plan, tail)

    def _is_told_by_hooks(self, session_pk: int, row: EventRow) -> bool:
        """Whether a transcript tells what the hooks of its session told: moments, and prompts in the same words."""
        if row.origin != TRANSCRIPT or not (row.type in _MOMENTS or row.type == "prompt"):
            return False
        if session_pk not in self._of_hooks:
            self._of_hooks[session_pk] = self._tx.observed.has_hooks(session_pk)
        if not self._of_hooks[session_pk]:
            return False
        if row.type in _MOMENTS:
            return True
        text = orjson.loads(row.detail).get("text") if row.detail else None
        return text is not None and self._tx.observed.prompted(session_pk, text) > 0

    def _project_at(self, root: str, at: int) -> str | None:
        """The project of a folder: its name, told apart from another folder of that name on this machine."""
        known = known_project(self._tx, root, local=self._arrival.local)
        if known is not None or not root:
            return known
        name = _name_of(root)
        other = self._tx.observed.root_of(name)
        if other is not None and not os.path.exists(other):
            self._tx.observed.forget_project(other)  # it was moved here
        elif other is not None:
            name = f"{name}-{failure.print_of_bytes(root.encode('utf-8', 'replace'))[:6]}"
        self._tx.observed.name_project(root, name, at=at)
        return name


def known_project(tx: Tx, root: str, *, local: bool) -> str | None:
    """The project of a folder as far as it is known; of a folder elsewhere nothing is noted, its name is its project:
    whoever may add that project to their calls could name it as well."""
    if not root:
        return None
    return tx.observed.project_at(root) if local else _name_of(root)


def _name_of(root: str) -> str:
    return _UNFIT.sub("-", os.path.basename(root)).strip("-. ")[:100] or "root"


def row_of(each: Any, *, origin: str, now: int, screened: Callable[[str], str]) -> EventRow:
    """What is kept of an event, as it is stored. A spool is a file that anybody may have written: all is checked."""
    if not isinstance(each, dict):
        raise Unusable("no object")
    for name in ("session", "type", "key"):
        if not isinstance(each.get(name), str) or not each[name]:
            raise Unusable(f"no {name}")
    for name in ("session", "type", "key", "client", "tool", "agent", "target", "project"):
        if each.get(name) is not None and not _is_text(each[name], 2 * NAME_CHARS_MAX):
            raise Unusable(f"{name} is no name")
    root = each.get("root", "")
    if not _is_text(root, 4_096):
        raise Unusable("root is no folder")
    at = each.get("at")
    at = at if isinstance(at, int) and not isinstance(at, bool) and 0 < at <= now + AHEAD_US else now
    error = each.get("error") if each["type"] == "tool_failed" else None
    error = screened(error[: failure.ERROR_CHARS_MAX])[: failure.ERROR_CHARS_MAX] if _is_text(error) else None
    normal = failure.normalised(error) if error else None
    detail = {name: each[name] for name in _DETAIL if each.get(name) is not None}
    _check_detail(detail)
    kind = each.get("class")
    return EventRow(
        key=each["key"],
        origin=origin,
        type=each["type"],
        at=at,
        step=_count(each.get("step")),
        agent=each.get("agent"),
        tool=each.get("tool"),
        kind=kind if kind in CLASSES else None,
        target=each.get("target"),
        duration_ms=_count(each.get("ms")),
        error=error,
        error_hash=failure.digest(error) if error else None,
        error_text=normal,
        detail=orjson.dumps(detail).decode() if detail else None,
        outside=_count(each.get("outside")) or 0,
        files=_files(each.get("files")),
    )


def _check_detail(detail: Mapping[str, Any]) -> None:
    """Raise `Unusable` where a part of it is not what it is named."""
    for name in (*_IDS, *_PATHS):
        chars = ID_CHARS if name in _IDS else PATH_CHARS_MAX
        if not (isinstance(texts := detail.get(name, []), list) and all(_is_text(one, chars) for one in texts)):
            raise Unusable(f"{name} is no list of {'ids' if name in _IDS else 'files'}")
    if any(detail.get(name) not in (None, *PHASES) for name in ("asks", "phase")):
        raise Unusable("unknown phase")
    if any(not _is_text(detail.get(name, ""), 4_096) for name in _PLACE):
        raise Unusable("spec, branch or tree is no name")
    task = detail.get("task", [])
    if not (isinstance(task, list) and all(_is_text(part, NAME_CHARS_MAX) for part in task)):
        raise Unusable("task is no step of a plan")
    if detail.get("tests") not in (None, True):
        raise Unusable("tests is no mark")


def _step(given: Any, screened: Callable[[str], str]) -> list[str] | None:
    """A step of a plan: its text, its state, and its number where it has one."""
    if (
        not isinstance(given, list)
        or len(given) not in (2, 3)
        or not all(_is_text(part, NAME_CHARS_MAX) for part in given)
    ):
        return None
    return [screened(given[0]), *given[1:]]


def plan_after(plan: list[list[str]], told: list[list[str]]) -> list[list[str]]:
    """A plan after it was told anew, or one of its steps was."""
    if len(told[0]) < 3:
        return told
    text, state, number = told[0]
    found = next((step for step in plan if step[2:] == [number]), None)
    if found is None:
        return [*plan, [text, state, number]][:STEPS_MAX] if text else plan
    if state == "deleted":
        return [step for step in plan if step is not found]
    return [[text or step[0], state or step[1], number] if step is found else step for step in plan]


def _files(given: Any) -> list[tuple[str, str, str | None]]:
    out: list[tuple[str, str, str | None]] = []
    for each in given if isinstance(given, list) else ():
        if (
            not isinstance(each, dict)
            or not _is_text(each.get("path"), PATH_CHARS_MAX)
            or each.get("class") not in CLASSES
        ):
            continue
        path = each["path"]
        if not path or path.startswith("/") or ".." in path.split("/"):
            continue
        detail = {name: each[name] for name in _FILES_DETAIL if isinstance(each.get(name), list)}
        out.append((path, each["class"], orjson.dumps(detail).decode() if detail else None))
    return out


def _is_text(value: Any, chars_max: int = 1 << 16) -> TypeGuard[str]:
    if not isinstance(value, str) or len(value) > chars_max or "\x00" in value:
        return False
    return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def _moment(value: Any) -> int:
    """Microseconds of a time as programs write it: ISO, a datetime, or a number of seconds, of thousandths, of both."""
    if isinstance(value, bool):
        raise Unusable("at is no time")
    if isinstance(value, int | float):
        scaled = value * (1_000_000 if value < 1e11 else 1_000 if value < 1e14 else 1)
        if 0 <= scaled < 2**62:
            return int(scaled)
        raise Unusable("at is no time")
    if isinstance(value, datetime):
        return to_us(value)
    try:
        found = check.moment(value, "at")
    except UsageError:
        raise Unusable("at is no time") from None
    if found is None:
        raise Unusable("at is no time")
    return found


def joined(one: Observed, other: Observed) -> Observed:
    """What became of the events of both."""
    return replace(
        one,
        taken=one.taken + other.taken,
        known=one.known + other.known,
        refused=(*one.refused, *other.refused),
        sessions=tuple(dict.fromkeys((*one.sessions, *other.sessions))),
        projects=tuple(dict.fromkeys((*one.projects, *other.projects))),
    )
