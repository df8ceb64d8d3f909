"""Verbs by which a memory speaks of what it knows, and how well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from recollect.clock import DAY_US
from recollect.errors import UsageError, shown
from recollect.facade import arguments
from recollect.facade.arguments import ReadArgs, ScopeArgs
from recollect.facade.handle import Handle
from recollect.ids import parse_id
from recollect.ingest import check
from recollect.limits import PAGE_RECORDS_MAX
from recollect.model.result import Receipt, Report
from recollect.model.scope import GLOBAL

if TYPE_CHECKING:
    from recollect.model.explanation import Explanation
    from recollect.model.fading import FadingRecord
    from recollect.model.knowledge import Assessment, KnowledgeMap, SummaryBranch
    from recollect.model.page import TimePage
    from recollect.model.question import Question
    from recollect.model.review import Waiting

_SOON_DAYS = 30.0
_DAYS_MAX = 36_500.0
_WEEK_DAYS = 7.0
NUMBER_MAX = 2**62


class Knowing(Handle):
    """Why, how sure, for how long, and what is missing."""

    def explain(self, id: str, **scope: Unpack[ScopeArgs]) -> Explanation:
        """Why a record is there and why it is believed: what it rests on, replaced, and is contradicted by.

        Args:
            id: The record; one that was deleted is explained too.
        """
        from recollect.insight.explain import explain

        engine, wanted, visible = self._engine, self._id(id, scope, reading=True), self._sight(scope, reading=True)
        return explain(
            engine.store,
            wanted,
            visible=visible,
            now=engine.clock(),
            config=engine.config.current,
            code=lambda of: engine.anchors.states(of),  # noqa: PLW0108 (made where there is code to look at)
        )

    def weak(
        self, *, limit: int = 20, within_days: float = _SOON_DAYS, **scope: Unpack[ReadArgs]
    ) -> list[FadingRecord]:
        """Records that are about to be forgotten, the soonest first. `confirm` keeps one for good.

        Args:
            limit: How many at most.
            within_days: Only those that go within so many days unless they are used.
        """
        from recollect.insight.weak import weak

        engine = self._engine
        return weak(
            engine.store,
            self._walk(scope, None, None),
            limit=arguments.count(limit, "limit", PAGE_RECORDS_MAX),
            within_days=check.within(within_days, 0.0, _DAYS_MAX, "within_days"),
            now=engine.clock(),
            config=engine.config.current,
        )

    def review(self, *, limit: int = 20, **scope: Unpack[ReadArgs]) -> list[Waiting]:
        """What waits for a person's word: quarantined and flagged records, unsure conclusions, questions.

        Args:
            limit: How many at most.
        """
        from recollect.insight.review import review

        engine, most = self._engine, arguments.count(limit, "limit", PAGE_RECORDS_MAX)
        criteria = self._walk(scope, None, None)
        return review(engine.store, criteria, limit=most, now=engine.clock(), config=engine.config.current)

    def assess(self, query: str, **scope: Unpack[ReadArgs]) -> Assessment:
        """Whether a question can be answered from memory: confident, uncertain or unknown, and why.

        Args:
            query: The question, in any words.
        """
        return self._engine.assessing.assess(self._asked(query), self._criteria(scope))

    def knowledge(self, **scope: Unpack[ReadArgs]) -> KnowledgeMap:
        """The areas of what is known, those known best first. They are made by `maintain`."""
        criteria = self._walk(scope, None, None)
        return self._engine.assessing.map(criteria.scope, criteria.reach)

    def summaries(
        self,
        under: int | None = None,
        *,
        about: str | None = None,
        limit: int = 50,
        start: int = 0,
        **scope: Unpack[ReadArgs],
    ) -> SummaryBranch:
        """The tree of summaries, a branch at a time: all there is, its domains, their clusters, the records of these.

        It is made by `maintain`. A number holds until the tree is drawn up again.

        Args:
            under: The number of a node: what is right below it. Left out, what is at the top of each scope.
            about: What it shall be about: summaries of every level that are, the nearest first. Not with `under`.
            limit: How many at most, the largest first.
            start: How many of them to pass over.
        """
        from recollect.insight.summed_up import branch, nearest

        if about is not None and under is not None:
            raise UsageError("`about` looks through the whole tree; leave out `under`")
        criteria = self._walk(scope, None, None)
        first = arguments.count(start, "start", NUMBER_MAX, least=0)
        most = arguments.count(limit, "limit", PAGE_RECORDS_MAX)
        if about is not None:
            asked, assessing = self._asked(about), self._engine.assessing
            towards = assessing.direction(asked)
            return nearest(self._engine.store, criteria, asked, towards, start=first, limit=most)
        return branch(
            self._engine.store,
            criteria,
            under=None if under is None else arguments.count(under, "under", NUMBER_MAX),
            start=first,
            limit=most,
            now=self._engine.clock(),
        )

    def gaps(self, *, limit: int = 20, **scope: Unpack[ReadArgs]) -> list[Question]:
        """What is not known and should be, the most important first. Looking does not count as asking.

        Args:
            limit: How many at most.
        """
        from recollect.recall.known.questions import open_questions

        criteria, most = self._walk(scope, None, None), arguments.count(limit, "limit", PAGE_RECORDS_MAX)
        with self._engine.store.read() as tx:
            return open_questions(tx, criteria, now=self._engine.clock(), limit=most)

    def reflect(
        self, *, after: Any = None, before: Any = None, days: float = _WEEK_DAYS, **scope: Unpack[ReadArgs]
    ) -> TimePage:
        """A period as a page to read: what was learned, happened and changed, how it felt, what is known and open.

        Args:
            after: From this time on; by default so many days before its end.
            before: Up to this time; by default now.
            days: How many days, where `after` is not given.
        """
        criteria = self._criteria(scope)
        now = self._engine.clock()
        ends = check.moment(before, "before", now=self._now())
        begins = check.moment(after, "after", now=self._now())
        until = now if ends is None else ends
        since = until - int(check.within(days, 0.0, _DAYS_MAX, "days") * DAY_US) if begins is None else begins
        if since >= until:
            raise UsageError("the period ends before it begins; give an `after` that lies before `before`")
        return self._engine.pages.reflect(criteria, since=since, until=until)

    def brief(
        self,
        kind: str = "morning",
        *,
        session_id: str | None = None,
        run_id: str | None = None,
        **scope: Unpack[ReadArgs],
    ) -> TimePage:
        """What a morning or a session begins with: what is usual, due and open, what happened last and what changed.

        Args:
            kind: `morning` or `session`.
            session_id: The session that begins; it is left out of what happened last.
            run_id: Another name for session_id.
        """
        from recollect.insight.looking_back import BRIEFS

        if kind not in BRIEFS:
            raise UsageError(f"there is a brief for {' or '.join(BRIEFS)}, not for {shown(kind, 20)}")
        session = arguments.session(session_id, run_id)
        name = None if session is None else check.name(session, "session_id")
        return self._engine.pages.brief(kind, self._criteria(scope), session=name)

    def questions(
        self,
        *,
        session_id: str | None = None,
        run_id: str | None = None,
        limit: int | None = None,
        **scope: Unpack[ScopeArgs],
    ) -> list[Question]:
        """What the memory would like to know, for an agent to ask: at most a few in a session, each once a week.

        Those that are given count as asked. They are found by `maintain`, and gone when an answer is stored.

        Args:
            session_id: The session in which they are asked; without one each call is one.
            run_id: Another name for session_id.
            limit: How many at most; by default, and never more than, upkeep.session_questions.
        """
        from recollect.upkeep.knowledge.questions import ask

        engine, session = self._engine, arguments.session(session_id, run_id)
        return ask(
            engine.store,
            self._in(scope),
            None if session is None else check.name(session, "session_id"),
            now=engine.clock(),
            settings=engine.config.current.upkeep,
            limit=None if limit is None else arguments.count(limit, "limit", PAGE_RECORDS_MAX),
        )

    def answer(self, question: str, *, changed: bool, **scope: Unpack[ScopeArgs]) -> Receipt:
        """Answer whether a later record takes the place of an earlier one: yes ends it, no removes the doubt for good.

        Args:
            question: The id of a question of the kind `change`.
            changed: Whether it does: what was said first holds no more.
        """
        from recollect.upkeep.knowledge.questions import answer

        engine, where = self._engine, self._in(scope)
        return answer(
            engine.store,
            parse_id(question, "question"),
            None if self._owner and where == GLOBAL else where,
            changed=arguments.truth(changed, "changed"),
            clock=engine.clock,
            actor=self._writer(),
        )

    def dismiss(self, question: str, **scope: Unpack[ScopeArgs]) -> Report:
        """Never ask that question again.

        Args:
            question: Its id.
        """
        from recollect.upkeep.knowledge.questions import dismiss

        engine, where = self._engine, self._in(scope)
        wanted = parse_id(question, "question")
        dismiss(engine.store, wanted, None if self._owner and where == GLOBAL else where, now=engine.clock())
        return Report(figures={"dismissed": wanted})
