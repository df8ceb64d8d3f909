"""What was learned, changed, forgotten and asked, by day; and what a list of records can be narrowed by."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any

from recollect.clock import DAY_US, SECOND_US, from_us
from recollect.model.audit import AuditEvent
from recollect.model.query import Criteria
from recollect.model.result import Report
from recollect.model.scope import DIMENSIONS, Scope
from recollect.store.base import Store
from recollect.store.figures import DayCount, ValueCount

LEARNED, CHANGED, FORGOTTEN, ASKED = "learned", "changed", "forgotten", "asked"
SORTS = (LEARNED, CHANGED, FORGOTTEN, ASKED)
OWNER_NAME = "owner"  # of what was done by nobody in particular
_EPOCH = date(1970, 1, 1)
_LEARNING = frozenset("add remember ingest compact research import report_failure observe publish".split())
_FORGETTING = frozenset("delete delete_all decay retain erase erase_user".split())
_ASKING = (AuditEvent.MEMORY_SEARCHED.value, AuditEvent.MEMORY_RECALLED.value)


def activity(
    store: Store, scope: Scope | None, *, caller: str | None, days: int, offset_minutes: int, now: int
) -> Report:
    """Each of the last days with its figures, oldest first, and who did it. `scope=None`: the whole store.

    What was asked is told by the audit, of one caller where one is given. What was undone does not count.
    """
    shift = offset_minutes * 60 * SECOND_US
    last = (now + shift) // DAY_US
    since = (last - days + 1) * DAY_US - shift
    with store.read() as tx:
        visible = None if scope is None else tx.scopes.visible(scope)
        done = tx.figures.done_by_day(visible, since=since, shift=shift)
        asked = tx.figures.asked_by_day(_ASKING, since=since, shift=shift, caller=caller)
        scopes = tx.scopes.load_all({each.scope_pk for each in done if each.scope_pk is not None})
    by_day: dict[int, Counter[str]] = defaultdict(Counter)
    by_agent: dict[str, Counter[str]] = defaultdict(Counter)
    for each in (*done, *asked):
        sort, much = _sort(each), _weight(each)
        by_day[each.day][sort] += much
        by_agent[_who(each, scopes)][sort] += much
    shown = range(last - days + 1, last + 1)
    told = sorted(by_agent.items(), key=lambda item: (-item[1].total(), item[0]))
    return Report(
        figures={
            "days": [{"day": _name(day), **_figures(by_day[day])} for day in shown],
            "agents": [{"agent": who, **_figures(figures)} for who, figures in told],
            "total": _figures(sum((by_day[day] for day in shown), Counter[str]())),
        }
    )


def _sort(each: DayCount) -> str:
    if each.what == ASKED:
        return ASKED
    return LEARNED if each.what in _LEARNING else FORGOTTEN if each.what in _FORGETTING else CHANGED


def _weight(each: DayCount) -> int:
    """A question counts once, however many records it found; a write as many times as there are records in it."""
    return each.times if each.what == ASKED else max(each.times, each.records)


def _who(each: DayCount, scopes: dict[int, Scope]) -> str:
    scope = scopes.get(each.scope_pk) if each.scope_pk is not None else None
    return (scope.agent_id if scope else None) or each.actor or OWNER_NAME


def _figures(counted: Counter[str]) -> dict[str, int]:
    return {sort: counted[sort] for sort in SORTS}


def _name(day: int) -> str:
    return (_EPOCH + timedelta(days=day)).isoformat()


def counts(store: Store, criteria: Criteria, *, limit: int, now: int) -> Report:
    """Records that fit, by everything a list can be narrowed by, the most frequent values first."""
    with store.read() as tx:
        found = tx.figures.values(criteria, now=now)
        tags = tx.figures.tags(criteria, now=now, limit=limit)
        sessions = tx.figures.newest_sessions(criteria, now=now, limit=limit)
        scopes = tx.scopes.load_all({each.scope_pk for each in found} | {each.scope_pk for each in sessions})
    figures: dict[str, Any] = {
        "records": sum(each.records for each in found),
        "flagged": sum(each.records for each in found if each.flagged),
        "needs_review": sum(each.records for each in found if each.waiting),
        **{name: _by(found, name, limit) for name in ("kind", "category", "tier")},
        **{name: _by_dimension(found, scopes, name, limit) for name in DIMENSIONS},
        "tags": tags,
        "sessions": [
            {
                "session_id": each.id,
                "records": each.records,
                "began": from_us(each.started_at).isoformat(),
                "last": from_us(each.last_turn_at).isoformat(),
                **dict(scopes[each.scope_pk].items()),
            }
            for each in sessions
            if each.records
        ],
    }
    return Report(figures=figures)


def _by(found: Iterable[ValueCount], name: str, limit: int) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for each in found:
        counted[getattr(each, name)] += each.records
    return dict(counted.most_common(limit))


def _by_dimension(found: Sequence[ValueCount], scopes: dict[int, Scope], name: str, limit: int) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for each in found:
        value = getattr(scopes[each.scope_pk], name)
        if value is not None:
            counted[value] += each.records
    return dict(counted.most_common(limit))
