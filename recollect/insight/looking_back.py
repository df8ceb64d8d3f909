"""Pages about a time: what there was in a period (`reflect`), and what a morning or a session begins with (`brief`).

A page is made of records that the reader may see, and names them. Nothing is made up, and nothing is stored: a page
says what the tables say when it is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from recollect.clock import DAY_US, SECOND_US, Clock, from_us
from recollect.config import LiveConfig
from recollect.context.beside import Standing
from recollect.index.follow import Indexes
from recollect.model.knowledge import KnowledgeMap
from recollect.model.page import PageLine, PageSection, TimePage
from recollect.model.query import Criteria
from recollect.model.record import Kind
from recollect.model.result import Hit
from recollect.model.scope import Reach, Scope
from recollect.recall.known.questions import open_questions
from recollect.recall.pipeline import ReadPath
from recollect.store.base import Store
from recollect.store.looks import FeltRow
from recollect.upkeep.knowledge.rhythms import due_rhythms, local

MORNING, SESSION = "morning", "session"
BRIEFS = (MORNING, SESSION)
LINES_MAX = 8
LINE_CHARS = 240
AHEAD_DAYS = 7
DUE_MINUTES = 60
DOMAINS_MAX = 3
TOLD = (Kind.EPISODIC.value,)
STATED = (Kind.SEMANTIC.value, Kind.OPINION.value, Kind.PROCEDURAL.value)

Maps = Callable[[Scope, Reach], KnowledgeMap]


class Pages:
    """Pages over one store. `maps` tells how well areas are known."""

    def __init__(
        self, store: Store, indexes: Indexes, recall: ReadPath, config: LiveConfig, clock: Clock, maps: Maps
    ) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._maps = maps
        self._standing = Standing(store, indexes, recall.screened)

    def reflect(self, criteria: Criteria, *, since: int, until: int) -> TimePage:
        """What a period held: what was learned, what changed, how it felt, who was named, what is known of it."""
        stored = replace(criteria, after=since, before=until)
        with self._store.read() as tx:
            scope_pks = tx.scopes.visible(criteria.scope, criteria.reach)
            days = tx.looks.days(scope_pks, since=since, until=until)
            named = tx.looks.named(scope_pks, since=since, until=until, limit=LINES_MAX)
            changes = tx.looks.changes(scope_pks, since=since, until=until, limit=LINES_MAX)
            felt = tx.looks.felt(scope_pks, since=since, until=until)
        sections = [
            PageSection(heading="In figures", lines=tuple(_figures(days, felt))),
            _of_hits("What was learned", self._foremost(replace(stored, kinds=STATED, drawn=True))),
            _of_hits("What happened", self._foremost(replace(stored, kinds=TOLD))),
            _section("What changed", [PageLine(text=f"{new} (before: {old})", id=id_) for id_, new, old in changes]),
            _of_hits("How it felt", self._strongest(criteria, felt)),
            _section("Who and what", [PageLine(text=f"{name}: {count} times") for name, count in named]),
            _section("Known well, and little", list(_domains(self._maps(criteria.scope, criteria.reach)))),
            _section("Open", self._questions(criteria)),
        ]
        title = f"{from_us(since).date().isoformat()} to {from_us(until).date().isoformat()}"
        return _page(title, since, until, sections)

    def brief(self, kind: str, criteria: Criteria, *, session: str | None) -> TimePage:
        """What a morning or a session begins with."""
        now = self._clock()
        return self._morning(criteria, now) if kind == MORNING else self._session(criteria, now, session)

    def _morning(self, criteria: Criteria, now: int) -> TimePage:
        today, tomorrow = day_of(now)
        yesterday = today - DAY_US
        sections = [
            _section("Usual today", self._rhythms(criteria, now, None)),
            _of_hits("Today", self._in_time(criteria, today, tomorrow)),
            _of_hits("Coming up", self._in_time(criteria, tomorrow, tomorrow + AHEAD_DAYS * DAY_US)),
            _of_hits("Yesterday", self._foremost(replace(criteria, after=yesterday, before=today, drawn=False))),
            _of_hits("What matters", self._foremost(replace(criteria, drawn=False))),
            _section("Worth asking", self._questions(criteria)),
        ]
        return _page(f"The morning of {local(now).date().isoformat()}", yesterday, tomorrow, sections)

    def _session(self, criteria: Criteria, now: int, session: str | None) -> TimePage:
        with self._store.read() as tx:
            scope_pks = tx.scopes.visible(criteria.scope, criteria.reach)
            last = tx.looks.last_session(scope_pks, besides=session)
            since = now - DAY_US if last is None else last.started_at
            changes = tx.looks.changes(scope_pks, since=since, until=now, limit=LINES_MAX)
        before = [] if last is None else self._foremost(replace(criteria, session_pks=(last.pk,), drawn=False))
        sections = [
            _section("Usual about now", self._rhythms(criteria, now, DUE_MINUTES)),
            _of_hits("Last time", before),
            _section("What changed", [PageLine(text=f"{new} (before: {old})", id=id_) for id_, new, old in changes]),
            _of_hits("Coming up", self._in_time(criteria, now, now + AHEAD_DAYS * DAY_US)),
            _section("Worth asking", self._questions(criteria)),
        ]
        return _page("Where this session begins", since, now, sections)

    # --- what pages are made of -------------------------------------------------------------------------------------

    def _foremost(self, criteria: Criteria) -> list[Hit]:
        found = self._standing.foremost(criteria, LINES_MAX, now=self._clock(), config=self._config.current)
        return [hit for hit in found if not hit.flags]

    def _in_time(self, criteria: Criteria, since: int, until: int) -> list[Hit]:
        """What is said to happen in a time that has not passed: statements, and notes that are dated so."""
        of_time = replace(criteria, after=since, before=until)
        stated = self._foremost(replace(of_time, drawn=True))
        said = {source.id for hit in stated for source in hit.sources}
        told = [hit for hit in self._foremost(replace(of_time, drawn=False)) if hit.id not in said]
        dated = [hit for hit in (*stated, *told) if hit.event_time is not None and hit.event_time > hit.created_at]
        return sorted(dated, key=lambda hit: hit.event_time or hit.created_at)

    def _rhythms(self, criteria: Criteria, now: int, within_minutes: int | None) -> list[PageLine]:
        with self._store.read() as tx:
            due = due_rhythms(tx, tx.scopes.visible(criteria.scope, criteria.reach), now, within_minutes)
        return [PageLine(text=text, id=id_) for id_, text in due]

    def _questions(self, criteria: Criteria) -> list[PageLine]:
        with self._store.read() as tx:
            asked = open_questions(tx, criteria, now=self._clock(), limit=3)
        return [PageLine(text=each.text, id=each.records[0] if len(each.records) == 1 else None) for each in asked]

    def _strongest(self, criteria: Criteria, felt: Sequence[FeltRow]) -> list[Hit]:
        """The moments that were felt most, one of each sign."""
        chosen = [
            max(own, key=lambda row: row.arousal)
            for own in ([row for row in felt if row.valence > 0], [row for row in felt if row.valence < 0])
            if own
        ]
        if not chosen:
            return []
        keys = {row.pk for row in chosen}
        return self._standing.foremost(
            criteria, len(keys), now=self._clock(), config=self._config.current, among=lambda tx, pks: sorted(keys)
        )


def day_of(now: int) -> tuple[int, int]:
    """When the day began and when it ends, as people here count it."""
    midnight = datetime.combine(local(now).date(), time())
    begins = int(midnight.astimezone().timestamp()) * SECOND_US
    ends = int((midnight + timedelta(days=1)).astimezone().timestamp()) * SECOND_US
    return begins, ends


def _page(title: str, since: int, until: int, sections: Iterable[PageSection]) -> TimePage:
    kept = tuple(each for each in sections if each.lines)
    return TimePage(title=title, since=from_us(since), until=from_us(until), sections=kept)


def _section(heading: str, lines: Sequence[PageLine]) -> PageSection:
    return PageSection(heading=heading, lines=tuple(lines[:LINES_MAX]))


def _of_hits(heading: str, hits: Sequence[Hit]) -> PageSection:
    return _section(heading, [PageLine(text=_told(hit), id=hit.id) for hit in hits])


def _told(hit: Hit) -> str:
    text = " ".join(hit.content.split())
    text = text if len(text) <= LINE_CHARS else text[: LINE_CHARS - 1].rstrip() + "…"
    at = hit.event_time or hit.created_at
    who = f"{hit.speaker}: " if hit.speaker else ""
    return f"{at.astimezone(UTC).date().isoformat()} {who}{text}"


def _figures(days: Mapping[str, int], felt: Sequence[FeltRow]) -> Iterable[PageLine]:
    total = sum(days.values())
    if not total:
        return
    yield PageLine(text=f"{total} records on {len(days)} days")
    busiest, most = Counter(days).most_common(1)[0]
    if len(days) > 1:
        yield PageLine(text=f"the fullest day was {busiest}, with {most}")
    if felt:
        mean = sum(row.valence for row in felt) / len(felt)
        tone = "good" if mean > 0.1 else "bad" if mean < -0.1 else "mixed"
        yield PageLine(text=f"{len(felt)} were felt, on the whole {tone} ({mean:+.2f})")


def _domains(known: KnowledgeMap) -> Iterable[PageLine]:
    best = known.domains[:DOMAINS_MAX]
    weak = [each for each in known.domains[DOMAINS_MAX:][-DOMAINS_MAX:] if each.confidence < 0.5]
    for each in (*best, *weak):
        doubt = f", {each.uncertainty:.0%} in doubt" if each.uncertainty else ""
        yield PageLine(text=f"{each.label}: {each.records} records, known to {each.confidence:.0%}{doubt}")
