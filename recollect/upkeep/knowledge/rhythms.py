"""What happens at the same time again and again: "stand-up, Mondays at 9:30".

Words that come up within half an hour of one time of day, on the same weekday or day after day, make a rhythm: a record
of kind `schema` and category `rhythm` that names its occurrences. It is found again by its words and day, counts on,
and goes when its occurrences go, or when it was missed too often.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from functools import partial
from statistics import median
from typing import NamedTuple

from recollect.clock import DAY_US, SECOND_US, Clock
from recollect.config import LiveConfig
from recollect.ids import new_id
from recollect.ingest.embedding import Embedding, Prepared
from recollect.language.terms import telling, terms_of
from recollect.language.words import WORD
from recollect.model.columns import RecordRow
from recollect.model.scope import Scope
from recollect.recall.foremost import Important, most_important
from recollect.store import edges
from recollect.store.base import Store, Tx
from recollect.store.journal import Op
from recollect.store.patterns import FOUND_BY, Pattern, TimedRow
from recollect.store.rows import content_hash, to_json
from recollect.upkeep.runs.run import Run

METHOD, CATEGORY = "rhythm", "rhythm"
DAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
DAILY, WORKDAYS = "every day", "on workdays"
LOOKED_AT_DAYS = 180
ROWS_MAX = 20_000
NEAR_MINUTES = 30
KEPT_SHARE = 0.6  # of the weeks or days in between that a rhythm keeps, and of a word's days that are its
DAILY_MIN = 5  # days
WEEKDAYS_MIN = 4  # on which something happens that happens daily
LABEL_WORDS = 4
OCCURRENCES_MAX = 20  # that are tied to a rhythm, the newest
DUE_MINUTES = 60  # before and after, when it comes to mind
_DAY_MINUTES = 24 * 60


class Occurrence(NamedTuple):
    """A record by the local day and minute of day that it is about."""

    pk: int
    content: str
    day: date
    minute: int


class Rhythm(NamedTuple):
    """What happens when: `on` is a weekday in the plural, every day or workdays; `share` of the times it was kept."""

    words: tuple[str, ...]
    label: str
    on: str
    minute: int
    occurrences: tuple[Occurrence, ...]
    share: float

    @property
    def key(self) -> str:
        return f"{self.on}|{' '.join(self.words)}"

    @property
    def content(self) -> str:
        return f"{self.label}: {self.on} at {self.minute // 60}:{self.minute % 60:02}"


class RhythmsStep:
    """The step."""

    name = "rhythms"

    def __init__(self, embedding: Embedding, zone: tzinfo | None = None) -> None:
        self._embedding = embedding
        self._zone = zone

    def run(self, run: Run) -> None:
        least = run.config.upkeep.rhythm_times_min
        if not least:
            return
        now = run.clock()
        today = local(now, self._zone).date()
        for scope_pk in run.each_scope():
            with run.store.read() as tx:
                rows = tx.patterns.timed(scope_pk, since=now - LOOKED_AT_DAYS * DAY_US, until=now, limit=ROWS_MAX)
                known = {str(one.attributes.get("key", "")): one for one in tx.patterns.of_scope(scope_pk, METHOD)}
            found = {each.key: each for each in rhythms_in(occurrences(rows, self._zone), least=least, today=today)}
            for key, pattern in known.items():
                if key not in found and pattern.live and not pattern.edited:
                    run.portion(partial(_retire, run=run, pattern=pattern))
            for key, rhythm in found.items():
                before = known.get(key)
                if before is None or (before.live and before.attributes.get("occurrences") != len(rhythm.occurrences)):
                    vector = self._embedding.prepare([rhythm.content]) if before is None else Prepared()
                    run.portion(partial(_store, run=run, scope_pk=scope_pk, found=rhythm, before=before, vector=vector))


def local(at_us: int, zone: tzinfo | None = None) -> datetime:
    """A moment as people there say it; without a zone where this machine is."""
    return datetime.fromtimestamp(at_us / SECOND_US, zone).replace(tzinfo=None)


def occurrences(rows: Iterable[TimedRow], zone: tzinfo | None = None) -> list[Occurrence]:
    """Rows with a time of day; what is known by its day alone begins at midnight, and tells no time."""
    out = []
    for row in rows:
        moment = local(row.at, zone)
        if row.at % DAY_US:
            out.append(Occurrence(row.pk, row.content, moment.date(), moment.hour * 60 + moment.minute))
    return out


def rhythms_in(found: Sequence[Occurrence], *, least: int, today: date) -> list[Rhythm]:
    """The rhythms of what happened, each once, the surest first."""
    by_term: dict[str, list[Occurrence]] = {}
    for each in found:
        for term in set(telling(terms_of(each.content))):
            by_term.setdefault(term, []).append(each)
    kept: dict[tuple[str, tuple[int, ...]], tuple[list[str], str, int, list[Occurrence], float]] = {}
    for term, own in by_term.items():
        if len({each.day for each in own}) < least:
            continue
        for on, minute, times, share in _kept(own, least, today):
            key = (on, tuple(each.pk for each in times))
            kept.setdefault(key, ([], on, minute, times, share))[0].append(term)
    out = [
        Rhythm(tuple(sorted(terms)), _label(terms, times), on, minute, tuple(times), share)
        for terms, on, minute, times, share in kept.values()
    ]
    return _without_parts(sorted(out, key=lambda each: (-len(each.occurrences), -each.share, each.key)))


def _kept(own: Sequence[Occurrence], least: int, today: date) -> Iterable[tuple[str, int, list[Occurrence], float]]:
    """What one word keeps: daily, else on weekdays."""
    days = len({each.day for each in own})
    for minute, times in _at_one_time(own):
        weekdays = {each.day.weekday() for each in times}
        if len(times) >= max(least, DAILY_MIN) and len(weekdays) >= WEEKDAYS_MIN:
            on = WORKDAYS if weekdays <= set(range(5)) else DAILY
            share = _share(times, 1, today, on == WORKDAYS)
            if share >= KEPT_SHARE and len(times) >= KEPT_SHARE * days:
                yield on, minute, times, share
                return
    for weekday, name in enumerate(DAYS):
        of_day = [each for each in own if each.day.weekday() == weekday]
        for minute, times in _at_one_time(of_day):
            share = _share(times, 7, today) if len(times) >= least else 0.0
            if share >= KEPT_SHARE and len(times) >= KEPT_SHARE * days:
                yield name, minute, times, share


def _at_one_time(own: Sequence[Occurrence]) -> Iterable[tuple[int, list[Occurrence]]]:
    """The time of day around which most of these lie, and those that do, one a day."""
    if not own:
        return
    centre = max((each.minute for each in own), key=lambda at: (sum(_near(at, e.minute) for e in own), -at))
    near: dict[date, Occurrence] = {}
    for each in sorted(own, key=lambda each: abs(each.minute - centre)):
        if _near(centre, each.minute):
            near.setdefault(each.day, each)
    times = sorted(near.values(), key=lambda each: each.day)
    yield _round(int(median(each.minute for each in times))), times


def _near(one: int, other: int) -> bool:
    apart = abs(one - other)
    return min(apart, _DAY_MINUTES - apart) <= NEAR_MINUTES


def _round(minute: int) -> int:
    """To five minutes, as people say it."""
    return 5 * round(minute / 5) % _DAY_MINUTES


def _share(times: Sequence[Occurrence], every: int, today: date, workdays: bool = False) -> float:
    """How many of the times that there were since the first it was kept; what was missed of late counts."""
    first, last = times[0].day, times[-1].day
    if every == 1:
        between = [first + timedelta(days=at) for at in range((today - first).days + 1)]
        expected = sum(not workdays or each.weekday() < 5 for each in between)
        expected -= int(last < today)  # today is not over
    else:
        expected = (today - first).days // every + 1
        expected -= int((today - last).days // every == 1 and today.weekday() == first.weekday())
    return min(1.0, len(times) / max(1, expected))


def _label(terms: Sequence[str], times: Sequence[Occurrence]) -> str:
    """The words of the newest text that all of them share, in its order and spelling."""
    wanted = set(terms)
    words: list[str] = []
    for word in WORD.findall(times[-1].content):
        if wanted.intersection(terms_of(word)) and word.lower() not in (each.lower() for each in words):
            words.append(word)
    label = " ".join(words[:LABEL_WORDS]) or " ".join(terms[:LABEL_WORDS])
    return label[:1].upper() + label[1:]


def _without_parts(found: Sequence[Rhythm]) -> list[Rhythm]:
    """A rhythm within a larger one of the same time says nothing more."""
    out: list[Rhythm] = []
    for each in found:
        pks = {one.pk for one in each.occurrences}
        if not any(pks <= {one.pk for one in other.occurrences} for other in out):
            out.append(each)
    return out


def _store(tx: Tx, op: Op, *, run: Run, scope_pk: int, found: Rhythm, before: Pattern | None, vector: Prepared) -> None:
    pks = [each.pk for each in found.occurrences][-OCCURRENCES_MAX:]
    attributes = {
        FOUND_BY: METHOD,
        "key": found.key,
        "on": found.on,
        "minute": found.minute,
        "occurrences": len(found.occurrences),
        "last": found.occurrences[-1].day.isoformat(),
    }
    if before is None:
        row = RecordRow(
            id=new_id(),
            scope_pk=scope_pk,
            content=found.content,
            content_hash=content_hash(found.content),
            created_at=op.at,
            updated_at=op.at,
            recorded_at=op.at,
            kind="schema",
            category=CATEGORY,
            source="upkeep",
            perceived="{}",
            attributes=to_json(attributes),
            confidence=round(found.share, 3),
        )
        (pk,) = tx.records.insert(op, [row], [terms_of(found.content)])
        vector.store(tx, [pk], now=op.at)
        run.note("made", row.id, f"{len(found.occurrences)} times at one time")
    else:
        pk = before.pk
        tx.records.revise(op, pk, {"attributes": to_json(attributes), "confidence": round(found.share, 3)})
        run.note("updated", before.id, f"{len(found.occurrences)} times by now")
    had = set(before.instances) if before is not None else set()
    tx.edges.retire(op, tx.patterns.ties(pk, had - set(pks)))
    new = [each for each in pks if each not in had]
    tx.edges.insert(op, [edges.pair(each, pk, "instance_of", auto_extracted=True) for each in new])
    tx.edges.insert(op, [edges.pair(pk, each, "derived_from", auto_extracted=True) for each in new])


def _retire(tx: Tx, op: Op, *, run: Run, pattern: Pattern) -> None:
    tx.edges.retire(op, tx.patterns.ties(pattern.pk))
    if tx.records.retire(op, [pattern.pk]):
        run.note("retired", pattern.id, "it does not happen at that time any more")


def falls_on(attributes: Mapping[str, object], day: date) -> bool:
    """Whether a rhythm, by what is stored of it, falls on a day."""
    on = attributes.get("on")
    return on == DAILY or on == DAYS[day.weekday()] or (on == WORKDAYS and day.weekday() < 5)


def due_rhythms(tx: Tx, scope_pks: Sequence[int] | None, now: int, within_minutes: int | None) -> list[tuple[str, str]]:
    """(id, text) of what usually happens today, or about now, by its time."""
    moment = local(now)
    found = []
    for row in tx.patterns.rhythms(scope_pks):
        minute = row.attributes.get("minute")
        if not isinstance(minute, int) or not falls_on(row.attributes, moment.date()):
            continue
        apart = abs(minute - (moment.hour * 60 + moment.minute))
        if within_minutes is None or apart <= within_minutes:
            found.append((minute, row.id, row.content))
    return [(id_, content) for _, id_, content in sorted(found)]


def begins_with(store: Store, live: LiveConfig, clock: Clock, scope: Scope, limit: int) -> list[Important]:
    """What comes to mind first after a long absence: what usually happens about now, then what matters most."""
    with store.read() as tx:
        due = due_rhythms(tx, tx.scopes.visible(scope), clock(), DUE_MINUTES)
    usual = [Important(id_, text, 1.0) for id_, text in due]
    return [*usual, *most_important(store, live, clock, scope, limit)][:limit]
