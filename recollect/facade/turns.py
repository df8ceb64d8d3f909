"""Turns of agents that outlive a call: `mem.turns`. For programs that speak to a memory over a wire, and for hosts that
stop and resume agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from recollect.errors import AccessDenied, NotFound, UsageError, shown
from recollect.facade import arguments
from recollect.facade.arguments import ReadArgs, ScopeArgs
from recollect.facade.audited import audited
from recollect.facade.handle import Handle, Namespace
from recollect.ingest import check
from recollect.limits import PAGE_RECORDS_MAX
from recollect.model.result import Recollection
from recollect.model.scope import GLOBAL, Reach, Scope

if TYPE_CHECKING:
    from recollect.context.open_turns import OpenTurns
    from recollect.model.turn import AgentTurn, BegunTurn, TurnEnd
    from recollect.store.base import Tx
    from recollect.store.turns import AgentTurnRow

CHAT, AUTO = "chat", "auto"


@partial(audited, prefix="turns_")
class TurnVerbs(Namespace):
    """Turns of agents, call by call: begun, recalled in, told what was said, ended or aborted. What was said lies in
    the store meanwhile, so any process that has it open may go on with a turn."""

    def begin(
        self,
        prompt: str | Sequence[Mapping[str, Any]] | Mapping[str, Any],
        *,
        caller: str = CHAT,
        name: str | None = None,
        node: str | None = None,
        model: str | None = None,
        max_tokens: int | None = None,
        phase: str | None = None,
        history: Sequence[Mapping[str, Any] | str] | None = None,
        mode: str = AUTO,
        session_id: str | None = None,
        run_id: str | None = None,
        identity: str | Sequence[str] | None = None,
        skills: str | Sequence[str] | None = None,
        roster: str | Sequence[str] | None = None,
        flow: str | Sequence[str] | None = None,
        **scope: Unpack[ReadArgs],
    ) -> BegunTurn:
        """Begin a turn of an agent: what to send to the model, and an id for the calls that follow.

        The turn stays open until `turns.end` or `turns.abort`. One that nobody goes on with is closed by upkeep after
        `working.turn_idle_minutes`, and what it had is kept.

        Args:
            prompt: What is asked, or a conversation whose last message is.
            caller: Who runs it: chat, task, cron, round (of an orchestrator), delegation (in a swarm), flow or webhook.
            name: Of the task, schedule, workflow or webhook; names the session where none is given.
            node: The node of a flow.
            model: The model that will answer.
            max_tokens: The budget for everything that is sent, the prompt included.
            phase: What the agent is doing (planning, coding, …); weighs categories.
            history: The conversation before the prompt.
            mode: How much to recall: minimal, standard, deep, or auto to go by the prompt.
            session_id: The conversation.
            run_id: Another name for session_id.
            identity: Who the agent is, in your words.
            skills: What it can do, in your words.
            roster: The other agents, in your words.
            flow: What a workflow did before, in your words.
        """
        handle: Any = self._handle
        turn = handle.turn(
            prompt,
            caller=caller,
            name=name,
            node=node,
            model=model,
            max_tokens=max_tokens,
            phase=phase,
            history=history,
            mode=mode,
            session_id=session_id,
            run_id=run_id,
            identity=identity,
            skills=skills,
            roster=roster,
            flow=flow,
            **scope,
        )
        handle._writer()
        mind = None if turn.session_id is None else handle._mind_name(turn.session_id)
        where = turn.request.criteria.scope
        return self._turns.begin(turn, mind=mind, actor=handle.actor, admit=self._admit(where))

    def recall(self, id: str, query: str, *, top_k: int | None = None) -> Recollection:
        """Search in the course of a turn, for what its prompt did not ask: in its scope and session.

        Args:
            id: The turn.
            query: What to look for.
            top_k: At most so many; by default what suits who runs the turn (`context.caller_results`).
        """
        arguments.question(query)
        row, where, sees = self._found(id)
        self._turns.refuse_if_over(row)
        usual = self._handle._opened.config.current.context.caller_results.get(row.caller)
        most = top_k if top_k is not None else None if usual is None else int(usual)
        handle: Any = self._handle
        found: Recollection = handle.search(
            query, **({} if most is None else {"top_k": most}), **sees, **_together(row, where, handle)
        )
        return found

    def say(
        self,
        id: str,
        answer: str | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        *,
        tool: str | None = None,
        result: str | Mapping[str, Any] | Sequence[Any] | None = None,
        failed: bool = False,
    ) -> AgentTurn:
        """Tell what was said or done in a turn on the way: part of the answer, or what a tool gave back.

        Args:
            id: The turn.
            answer: What the model said, as text or as its message.
            tool: The tool that was called.
            result: What it gave back.
            failed: Whether that was an error.
        """
        from recollect.context.open_turns import messages_of, told_of

        said = messages_of(answer, tool, result, failed=arguments.truth(failed, "failed"))
        if not said:
            raise UsageError("say takes answer=…, or tool=… and its result=…")
        row, where, _ = self._found(id)
        self._handle._writer()
        return told_of(self._turns.say(row, said, admit=self._admit(where)), where)

    def end(self, id: str, answer: str | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None) -> TurnEnd:
        """End a turn: what was said in it is remembered, as one operation. Ended again, it tells the same.

        Args:
            id: The turn.
            answer: What the model said last, as text or as its message.
        """
        from recollect.context.open_turns import messages_of, told_of
        from recollect.model.turn import TurnEnd, TurnState

        said = messages_of(answer, None, None, failed=False)
        row, where, _ = self._found(id)
        if row.state == TurnState.ENDED:
            return TurnEnd(turn=told_of(row, where))
        self._handle._writer()
        ended = self._turns.over(row, where, state=TurnState.ENDED, more=said, admit=self._admit(where))
        engine = self._handle._engine
        if ended.cited.ids and engine.config.current.context.self_tuning:
            engine.windows.judged.say(ended.cited.ids, helpful=True, operation=ended.receipt.operation)
        return ended

    def abort(self, id: str, *, reason: str | None = None, keep: bool = True) -> TurnEnd:
        """Stop a turn and keep what it had. Whoever goes on with it is told that it is over.

        Args:
            id: The turn.
            reason: Why; told to whoever goes on with it.
            keep: Whether what it had is kept.
        """
        from recollect.model.turn import TurnState

        why = None if reason is None else check.reason(reason, self._handle._opened.config.current.security)
        kept = arguments.truth(keep, "keep")
        row, where, _ = self._found(id)
        self._handle._writer()
        return self._turns.over(row, where, state=TurnState.ABORTED, reason=why, keep=kept)

    def status(
        self,
        *,
        state: str | None = None,
        session_id: str | None = None,
        limit: int = 20,
        **scope: Unpack[ScopeArgs],
    ) -> list[AgentTurn]:
        """The register of turns, the newest first: those under way, and those that are over.

        Args:
            state: Only these: open, ended, aborted, or orphaned, which nobody went on with.
            session_id: Only of this session.
            limit: At most so many.
        """
        from recollect.model.turn import TurnState

        handle, where = self._handle, self._handle._in(scope)
        wanted = None if state is None else check.one_of(TurnState, state, "state")

        def own(tx: Tx) -> Sequence[int] | None:
            if handle._owner:
                return None if where == GLOBAL else tx.scopes.visible(where, Reach.INSIDE)
            return tx.scopes.visible(where, Reach.OWN)

        return self._turns.listed(
            own,
            state=None if wanted is None else str(wanted),
            session=None if session_id is None else check.name(session_id, "session_id"),
            limit=arguments.count(limit, "limit", PAGE_RECORDS_MAX),
        )

    @property
    def _turns(self) -> OpenTurns:
        return self._handle._engine.turns

    def _found(self, given: Any) -> tuple[AgentTurnRow, Scope, dict[str, str]]:
        """A turn, whose it is, and how a call of this handle names that. One that is not this caller's is not there."""
        found = self._turns.find(check.name(given, "id"))
        if found is not None:
            row, scope = found
            sees = dict(scope.items())
            try:
                allowed = self._handle._in(sees) == scope
            except AccessDenied:
                allowed = False
            same = row.mind is None or self._handle._owner or row.mind == self._handle._mind_name(row.session)
            if allowed and same:
                return row, scope, sees
        raise NotFound(f"no turn has the id {shown(given, 40)}, or it is not yours")

    def _admit(self, scope: Scope) -> Callable[[str], str]:
        """Words as they may lie in the store by themselves, with nothing sealed beside them."""
        engine = self._handle._engine
        privacy = engine.gate.privacy(engine.config.current.security, scope).unsealed
        return lambda text: privacy.admit(text).text


def _together(row: AgentTurnRow, where: Scope, handle: Handle) -> dict[str, str]:
    """Workers of an orchestrator look at all of their project or squad, as far as that was granted."""
    from recollect.context.callers import caller_of

    reach = handle.grant.shared_reach(where) if caller_of(row.caller).together else None
    return {} if reach is None else {"reach": reach.value}
