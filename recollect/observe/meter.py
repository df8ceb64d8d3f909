"""What a session cost, and what the memory spared it: counted from its events by rules, with a loss shown as a loss.

    discovery   searches, lists, and first reads of files that the memory had not named before
    hinted      first reads of files that it had named: in a brief, a warning, an answer
    reread      a read of lines that the same agent had read, unless the session changed the file since, or its
                context was compacted
    recurrence  an error that an earlier session of the project had met, once a session
    looked      what discovery and rereads brought, in characters
    injected    what the memory said, unasked and asked, in characters

Saved is what a session would have looked at without memory, less what it did look at; the net is that less what was
injected. What it would have looked at is told from the project's own sessions that the memory said nothing to: what
they looked at for each file they edited, times the files this one edited. Without three such sessions nobody knows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from recollect.clock import from_us
from recollect.model.observed import Meter, MeterFigures, ProjectMeter, SessionMeter
from recollect.model.scope import Scope
from recollect.observe.signals import AgentStep, steps_of
from recollect.store.accounts import MeterRow
from recollect.store.base import Store, Tx
from recollect.store.observed import SessionRow, StoredEvent

CHARS_PER_TOKEN = 4  # code and prose have three to five
BASELINE_SESSIONS = 3  # that the memory said nothing to, from which on they say what is usual
_LOOKING = ("search", "list")
_CHANGING = ("edit", "write")
_WHOLE = (1, 1 << 60)

Lines = list[tuple[int, int]]


class Meters:
    """What sessions of one store cost and were spared."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def meter(
        self,
        scope_pks: Callable[[Tx], Sequence[int] | None],
        *,
        session_id: str | None,
        since: int | None,
        before: int | None,
        limit: int,
    ) -> Meter:
        """Figures of sessions whose last event lies in a period; the usual is told from all there are."""
        with self._store.read() as tx:
            rows = tx.accounts.meters(scope_pks(tx))
            scopes = tx.scopes.load_all({row.scope_pk for row in rows})
        usual = _usual(rows)
        wanted = [
            row
            for row in rows
            if (session_id is None or row.id == session_id)
            and (since is None or row.at >= since)
            and (before is None or row.at < before)
        ]
        return Meter(
            since=None if since is None else from_us(since),
            before=None if before is None else from_us(before),
            total=_summed(wanted, usual),
            quiet=_summed([row for row in wanted if not _is_told(row)], usual),
            told=_summed([row for row in wanted if _is_told(row)], usual),
            projects=tuple(_by_project(wanted, scopes, usual)),
            sessions=tuple(_of_session(row, scopes, usual) for row in wanted[:limit]),
        )

    def of(self, session: SessionRow) -> MeterFigures:
        """The figures of one session."""
        with self._store.read() as tx:
            rows = tx.accounts.meters([session.scope_pk])
        mine = [row for row in rows if (row.client, row.id) == (session.client, session.id)]
        return _summed(mine, _usual(rows))


def measured(events: Sequence[StoredEvent], known_errors: Iterable[tuple[str, str]]) -> MeterRow:
    """The figures of a session. `known_errors`: (tool, hash) of errors that were met before it began."""
    counting = _Counting()
    steps = {step.event.pk: step for step in steps_of(events)}
    for event in events:
        counting.named.update(event.detail.get("named", ()))
        if event.type == "shown":
            counting.say(event)
        elif event.pk in steps:
            counting.step(steps[event.pk])
    known = set(known_errors)
    met = {(event.tool or "", event.error_hash) for event in events if event.error_hash is not None}
    return counting.row(steps=len(steps), recurrences=sum(each in known for each in met))


class _Counting:
    """A session as it goes on: what was read, changed and named up to now."""

    def __init__(self) -> None:
        self.named: set[str] = set()
        self._read: dict[tuple[str, str | None, int], Lines] = defaultdict(list)
        self._touched: set[str] = set()
        self._edited: set[str] = set()
        self._searches = self._first = self._hinted = self._reads = self._rereads = self._errors = 0
        self._looked = self._unsized = self._told = self._asked = self._injected = 0

    def say(self, event: StoredEvent) -> None:
        self._told += 1
        self._injected += event.detail.get("chars", 0)

    def step(self, step: AgentStep) -> None:
        if not step.done:
            self._errors += step.event.type == "tool_failed"
            return
        files = step.touched()
        found = step.event.kind in _LOOKING
        self._searches += found
        for file in files:
            if file.kind in _CHANGING:
                self._edited.add(file.path)
                for seen in [key for key in self._read if key[0] == file.path]:
                    self._read[seen].clear()
            else:
                found = self._reading(step, file.path, file.detail.get("lines")) or found
            self._touched.add(file.path)
        chars = step.event.detail.get("chars")
        if found:
            self._looked += chars or 0
            self._unsized += chars is None
        elif step.event.kind == "other" and chars is not None:
            self._asked += 1
            self._injected += chars

    def _reading(self, step: AgentStep, path: str, lines: object) -> bool:
        """Note that a file was read; whether that was a look that memory could have spared."""
        self._reads += 1
        spans = _spans(lines)
        seen = self._read[path, step.event.agent, step.epoch]
        again = all(any(one <= first and last <= end for one, end in seen) for first, last in spans)
        seen.extend(spans)
        if again:
            self._rereads += 1
        elif path not in self._touched:
            hinted = path in self.named
            self._hinted += hinted
            self._first += not hinted
            return not hinted
        return again

    def row(self, *, steps: int, recurrences: int) -> MeterRow:
        return MeterRow(
            steps=steps,
            edited=len(self._edited),
            searches=self._searches,
            first_reads=self._first,
            hinted=self._hinted,
            reads=self._reads,
            rereads=self._rereads,
            errors=self._errors,
            recurrences=recurrences,
            looked=self._looked,
            unsized=self._unsized,
            told=self._told,
            asked=self._asked,
            injected=self._injected,
        )


def _spans(lines: object) -> Lines:
    """The lines of a read; all of them where it does not say."""
    given = lines if isinstance(lines, list) else []
    spans = [(span[0], span[1]) for span in given if isinstance(span, list) and len(span) == 2]
    return spans or [_WHOLE]


# --- sums -----------------------------------------------------------------------------------------------------------


def _is_told(row: MeterRow) -> bool:
    return bool(row.told or row.asked)


def _size(row: MeterRow) -> int:
    """By what sessions are compared: files edited, and one for a session that edited none."""
    return max(1, row.edited)


def _looks(row: MeterRow) -> int:
    return row.searches + row.first_reads + row.rereads


def _chars(row: MeterRow, each: float) -> float:
    """What a session looked at; a look of unknown size counts as `each`."""
    return row.looked + row.unsized * each


class _Usual:
    """What is usual in a project without memory: characters of one look, and of all looks for each file edited."""

    def __init__(self, rows: Sequence[MeterRow]) -> None:
        sized = sum(_looks(row) - row.unsized for row in rows)
        self.of_a_look = sum(row.looked for row in rows) / sized if sized else 0.0
        quiet = [row for row in rows if not _is_told(row)]
        looked = sum(_chars(row, self.of_a_look) for row in quiet)
        enough = len(quiet) >= BASELINE_SESSIONS and sized
        self.of_a_file = looked / sum(map(_size, quiet)) if enough else None

    def saved(self, row: MeterRow) -> float | None:
        if self.of_a_file is None:
            return None
        return self.of_a_file * _size(row) - _chars(row, self.of_a_look) if _is_told(row) else 0.0


def _usual(rows: Iterable[MeterRow]) -> dict[int, _Usual]:
    of: dict[int, list[MeterRow]] = defaultdict(list)
    for row in rows:
        of[row.scope_pk].append(row)
    return {scope_pk: _Usual(each) for scope_pk, each in of.items()}


def _summed(rows: Sequence[MeterRow], usual: Mapping[int, _Usual]) -> MeterFigures:
    """The figures of several sessions. What was saved is said of those sessions whose project has a baseline."""
    saved = [(row, one) for row in rows if (one := usual[row.scope_pk].saved(row)) is not None]
    spared = sum(one for _, one in saved)
    net = spared - sum(row.injected for row, _ in saved)
    return MeterFigures(
        sessions=len(rows),
        steps=sum(row.steps for row in rows),
        edited=sum(row.edited for row in rows),
        discovery=sum(row.searches + row.first_reads for row in rows),
        hinted=sum(row.hinted for row in rows),
        reads=sum(row.reads for row in rows),
        rereads=sum(row.rereads for row in rows),
        errors=sum(row.errors for row in rows),
        recurrences=sum(row.recurrences for row in rows),
        told=sum(row.told for row in rows),
        asked=sum(row.asked for row in rows),
        tokens_looked=_tokens(sum(_chars(row, usual[row.scope_pk].of_a_look) for row in rows)),
        tokens_injected=_tokens(sum(row.injected for row in rows)),
        tokens_saved=_tokens(spared) if saved else None,
        tokens_net=_tokens(net) if saved else None,
        compared=len(saved),
    )


def _tokens(chars: float) -> int:
    return round(chars / CHARS_PER_TOKEN)


def _by_project(
    rows: Iterable[MeterRow], scopes: Mapping[int, Scope], usual: Mapping[int, _Usual]
) -> Iterable[ProjectMeter]:
    of: dict[str | None, list[MeterRow]] = defaultdict(list)
    for row in rows:
        of[_project(row, scopes)].append(row)
    return (ProjectMeter(project=project, figures=_summed(each, usual)) for project, each in of.items())


def _of_session(row: MeterRow, scopes: Mapping[int, Scope], usual: Mapping[int, _Usual]) -> SessionMeter:
    return SessionMeter(
        id=row.id,
        client=row.client,
        project=_project(row, scopes),
        at=from_us(row.at),
        figures=_summed([row], usual),
    )


def _project(row: MeterRow, scopes: Mapping[int, Scope]) -> str | None:
    scope = scopes.get(row.scope_pk)
    return None if scope is None else scope.project
