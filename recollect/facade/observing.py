"""Verbs about coding agents at work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from recollect.errors import UsageError
from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.handle import Handle
from recollect.ingest import check
from recollect.limits import ANSWER_CHARS_MAX, PAGE_RECORDS_MAX, REPORT_CHARS_MAX
from recollect.model.query import Criteria
from recollect.model.result import Receipt
from recollect.model.scope import GLOBAL, Reach, Scope

if TYPE_CHECKING:
    from recollect.model.citing import CheckedAnswer
    from recollect.model.observed import AgentSession, Observed
    from recollect.observe.intake import Arrival
    from recollect.store.base import Tx

_ORIGINS = ("call", "hook", "transcript")


class Observing(Handle):
    """What agents do."""

    def observe(
        self,
        events: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        client: str | None = None,
        origin: str = "call",
        **scope: Unpack[ScopeArgs],
    ) -> Observed:
        """Take in what a coding agent did: which tools it used on which files, and what went wrong; never contents.

        An event is `{id, session_id, project, agent_id, parent, step, at, type, tool, input, output, error,
        duration_ms, prompt, message, cwd, phase, spec}`; types are session_start, prompt, tool, tool_failed, plan,
        outcome, stop, compact and session_end. Its project is the git root above `cwd`, unless it is named. Given
        again, it changes nothing.

        Args:
            events: An event, or a list of them.
            client: The program they come from, such as claude-code.
            origin: call; hook or transcript where they are read from those.
        """
        if origin not in _ORIGINS:
            raise UsageError(f"origin is one of {', '.join(_ORIGINS)}")
        name = "api" if client is None else check.name(client, "client")
        taken = self._engine.observer.observe(events, self._arrival(scope, origin=origin, client=name))
        self._look_at_code()
        return taken

    def cited(self, answer: str, *, session_id: str | None = None, **scope: Unpack[ScopeArgs]) -> CheckedAnswer:
        """Hold the records that an answer cites as #id against what is stored, and count them as used.

        The answer comes back with numbers in the place of ids, the records behind them, and the ids that no record has
        which the caller may see.

        Args:
            answer: What an agent or a model said.
            session_id: The session it was said in: for what is learned there, it counts as a use by that session.
        """
        from recollect.insight.citing import checked

        if not isinstance(answer, str) or len(answer) > ANSWER_CHARS_MAX:
            raise UsageError(f"answer is a text of at most {ANSWER_CHARS_MAX:,} characters")
        named = None if session_id is None else check.name(session_id, "session_id")
        where = self._in(scope)
        sight = self._sight(scope, reading=True) or Criteria(reach=Reach.ALL)
        with self._engine.store.read() as tx:
            found = checked(tx, answer, sight, now=self._engine.clock())
        everything = self._owner and where == GLOBAL
        visible = partial(_visible, where=None if everything else where)
        if named is None or self._engine.observer.said(named, answer, where, visible):
            self._engine.recall.reinforce([each.id for each in found.citations], named)
        return found

    def report_failure(
        self,
        report: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        spec: str | None = None,
        session_id: str | None = None,
        **scope: Unpack[ScopeArgs],
    ) -> Receipt:
        """Tell what a test or a review found: what failed is remembered as a warning about its file.

        Takes our own form (`{severity, description, file, tried, recommendation}`, one or a list), JUnit XML, SARIF,
        and what pytest, jest, go test and cargo test print. Critical and high failures are kept; the same one again is
        counted; one that passes later is told with the edits that cured it.

        Args:
            report: The report, as text or as values.
            spec: The task it belongs to.
            session_id: The session it was found in.
        """
        if not isinstance(report, str):
            import json

            try:
                report = json.dumps(report)
            except (TypeError, ValueError, RecursionError):
                raise UsageError("report is a text, or values that can be written as JSON") from None
        if len(report) > REPORT_CHARS_MAX:
            raise UsageError(f"a report has at most {REPORT_CHARS_MAX:,} characters; give the failing part of it")
        return self._engine.observer.failed_reviews.report(
            report,
            scope=self._in(scope),
            spec=None if spec is None else check.name(spec, "spec"),
            session_id=session_id,
            actor=self._writer(),
        )

    def observed(
        self, *, session_id: str | None = None, limit: int = 20, **scope: Unpack[ScopeArgs]
    ) -> list[AgentSession]:
        """Sessions of coding agents, the newest first: how much was done, and what can be told from it.

        Args:
            session_id: Only this session.
            limit: At most so many.
        """
        where, most = self._in(scope), arguments.count(limit, "limit", PAGE_RECORDS_MAX)
        named = None if session_id is None else check.name(session_id, "session_id")
        everything = self._owner and where == GLOBAL
        self._engine.observer.derive()
        return self._engine.observer.accounts.sessions(
            lambda tx: None if everything else tx.scopes.visible(where), session_id=named, limit=most
        )

    def _hooked(self, client: str, payload: Any, *, at: int | None, project: str | None, **said: str | None) -> str:
        self._look_at_code()
        arrival = self._arrival({} if project is None else {"project": project}, origin="hook", client=client)
        return self._engine.observer.hook(client, payload, arrival, at=at, project=project, **said)

    def _look_at_code(self) -> None:
        """An agent may have edited files: graphs that are held look before the next answer."""
        if (code := self._opened.made("code")) is not None:
            code.look_again()

    def _arrival(self, scope: Mapping[str, Any], *, origin: str, client: str) -> Arrival:
        from recollect.observe.intake import Arrival

        held = self._in(scope)
        user = self._engine.config.current.user if self._owner and held.user_id is None else None

        def placed(project: str | None) -> Scope:
            wanted = {**scope, **({"user_id": user} if user and origin == "hook" else {})}
            return self._in(wanted if project is None or held.project is not None else {**wanted, "project": project})

        return Arrival(placed, origin=origin, client=client, local=self._owner, project=held.project)


def hooked(
    memory: Handle,
    client: str,
    payload: Any,
    *,
    at: int | None = None,
    project: str | None = None,
    phase: str | None = None,
    spec: str | None = None,
) -> str:
    """One event of a client's hook, for the server: taken in, and what the client is to be answered."""
    assert isinstance(memory, Observing)
    return memory._hooked(client, payload, at=at, project=project, phase=phase, spec=spec)


def _visible(tx: Tx, *, where: Scope | None) -> Sequence[int] | None:
    return None if where is None else tx.scopes.visible(where)
