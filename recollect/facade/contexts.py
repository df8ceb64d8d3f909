"""Verbs that make what a model sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from recollect.facade import arguments
from recollect.facade.arguments import ReadArgs
from recollect.facade.audited import note_recalled
from recollect.facade.handle import Handle
from recollect.ids import new_id
from recollect.ingest import check
from recollect.model.audit import CALLING, AuditedCall
from recollect.model.scope import OwnScope, Scope

if TYPE_CHECKING:  # whoever opens a memory to list it needs none of what makes a context
    from recollect.context.callers import Caller
    from recollect.context.request import Request
    from recollect.context.turn import Turn
    from recollect.model.context import ContextWindow
    from recollect.model.question import Question
    from recollect.working.mind import Mind

AUTO, WINDOW, WORKFLOW, CHAT = "auto", "window", "flow", "chat"  # a mode, two layouts, a caller
TOKENS_MAX = 100_000_000


class Contexts(Handle):
    """The right memories, in the right number of tokens."""

    def context(
        self,
        prompt: str | Sequence[Mapping[str, Any]] | Mapping[str, Any],
        *,
        model: str | None = None,
        max_tokens: int | None = None,
        phase: str | None = None,
        history: Sequence[Mapping[str, Any] | str] | None = None,
        mode: str = AUTO,
        layout: str = WINDOW,
        order: str = "time",
        session_id: str | None = None,
        run_id: str | None = None,
        as_of: Any = None,
        known_at: Any = None,
        identity: str | Sequence[str] | None = None,
        skills: str | Sequence[str] | None = None,
        roster: str | Sequence[str] | None = None,
        flow: str | Sequence[str] | None = None,
        **scope: Unpack[ReadArgs],
    ) -> ContextWindow:
        """What to send to a model for a prompt: what is remembered, the talk so far, within a budget of tokens.

        Args:
            prompt: What is asked, or a conversation whose last message is.
            model: The model that will answer: its window is the budget, its tokens are counted.
            max_tokens: The budget for everything that is sent, the prompt included.
            phase: What the agent is doing (planning, coding, …); weighs categories.
            history: The conversation before the prompt.
            mode: How much to recall: minimal, standard, deep, or auto to go by the prompt.
            layout: How the budget is shared: window, assistant or flow.
            order: Recalled records by time, trust or relevance.
            session_id: The conversation; what is in mind there is borne in mind here.
            run_id: Another name for session_id.
            as_of: What was true at this time.
            known_at: What we believed at this time.
            identity: Who the agent is, in your words.
            skills: What it can do, in your words.
            roster: The other agents, in your words.
            flow: What a workflow did before, in your words.
        """
        from recollect.context.turn import keep

        request = self._request(
            prompt,
            history,
            scope,
            model=model,
            max_tokens=max_tokens,
            phase=phase,
            mode=mode,
            layout=layout,
            order=order,
            session=arguments.session(session_id, run_id),
            as_of=as_of,
            known_at=known_at,
            own={"identity": identity, "skills": skills, "roster": roster, "flow": flow},
        )
        engine, mind = self._engine, self._mind(request)
        window = engine.windows.build(request, mind, self._worth_asking(request))
        if mind is not None:
            keep(mind, request, engine.recall, engine.ingest, said=True)
        return window

    def turn(
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
    ) -> Turn:
        """One turn of an agent, from prompt to memory: `with mem.turn(…) as turn`, and `turn.answer(…)` inside.

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
        from recollect.context.callers import caller_of
        from recollect.context.turn import Turn

        who = caller_of(caller)
        session = arguments.session(session_id, run_id)
        if session is None and who.session:
            session = f"{who.session}:{check.name(name, 'name')}" if name is not None else f"{who.session}:{new_id()}"
        called = None if name is None else check.name(name, "name")
        request = self._request(
            prompt,
            history,
            self._seen_by(who, called, scope),
            model=model,
            max_tokens=max_tokens,
            phase=phase,
            mode=mode,
            layout=who.layout,
            session=session,
            task=who.is_task,
            own={"identity": identity, "skills": skills, "roster": roster, "flow": flow},
        )
        request = self._as_caller_asks(request, who, called)
        engine = self._engine
        this = CALLING.get()
        call = AuditedCall(self._as_caller(), "turn" if this is None else this.verb, request.criteria.scope)
        if this is not None:
            this.noted = True  # when the block begins

        def begun(window: ContextWindow) -> ContextWindow:
            note_recalled(self, call, request.prompt, window)
            shown: ContextWindow = engine.oracles.blurred(window) if self._blurred else window
            return shown

        return Turn(
            request,
            who,
            windows=engine.windows,
            ingest=engine.ingest,
            recall=engine.recall,
            actor=self._writer(),
            settings=engine.config.current.ingest,
            mind=lambda: engine.minds.of(request.criteria.scope, self._mind_name(request.session)),
            questions=lambda: self._worth_asking(request),
            call=call,
            begun=begun,
            around=engine.oracles.evenly,
            name=called,
            outgrown=lambda: engine.outgrown,
            node=None if node is None else check.name(node, "node"),
        )

    def _seen_by(self, who: Caller, name: str | None, scope: ReadArgs) -> ReadArgs:
        """Who a turn is for: a webhook lives in a channel of its own, workers look at all of their project or squad."""
        if who.apart and name is not None and scope.get("channel") is None and self._scope.channel is None:
            return {**scope, "channel": f"{who.tag}{name}"}
        reach = self._grant.shared_reach(self._in(scope)) if who.together and scope.get("reach") is None else None
        return scope if reach is None else {**scope, "reach": reach.value}

    def _as_caller_asks(self, request: Request, who: Caller, name: str | None) -> Request:
        """What differs by who runs a turn: how many records it recalls, which come first, how far a webhook sees."""
        settings = self._opened.config.current.context
        most = settings.caller_results.get(who.name)
        criteria = request.criteria
        if who.apart and criteria.scope.agent_id is not None:
            agent = Scope(agent_id=criteria.scope.agent_id)
            criteria = replace(criteria, scope=OwnScope(**dict(criteria.scope.items()), floor=agent))
        first = tuple(who.tags(name)) if who.layout == WORKFLOW else ()
        return replace(request, criteria=criteria, first=first, results=None if most is None else int(most))

    def _worth_asking(self, request: Request) -> list[Question]:
        """What the memory would like to know, in a session where it may be asked."""
        from recollect.model.context import Mode

        if request.session is None or request.mode is Mode.MINIMAL or request.task:
            return []
        from recollect.upkeep.knowledge.questions import ask_if_due

        engine = self._engine
        return ask_if_due(
            engine.store,
            request.criteria.scope,
            request.session,
            now=engine.clock(),
            settings=engine.config.current.upkeep,
        )

    def _mind(self, request: Request) -> Mind | None:
        """What is in mind in a session; a call without one bears nothing in mind."""
        if request.session is None:
            return None
        return self._engine.minds.of(request.criteria.scope, self._mind_name(request.session))

    def _request(
        self,
        prompt: Any,
        history: Any,
        scope: Mapping[str, Any],
        *,
        model: str | None = None,
        max_tokens: int | None = None,
        phase: str | None = None,
        mode: Any = None,
        layout: Any = WINDOW,
        order: Any = "time",
        session: str | None = None,
        as_of: Any = None,
        known_at: Any = None,
        own: Mapping[str, Any] | None = None,
        task: bool = False,
    ) -> Request:
        from recollect.context.budget import checked_layout
        from recollect.context.mode import checked_mode
        from recollect.context.request import Request, checked_order, own_words, prompt_and_history
        from recollect.recall.ranking.weigh import checked_phase

        asked, before = prompt_and_history(prompt, history)
        self._count_search()
        return Request(
            prompt=asked,
            history=before,
            criteria=self._criteria(scope, as_of=as_of, known_at=known_at),
            model=None if model is None else check.name(model, "model"),
            max_tokens=None if max_tokens is None else _tokens(max_tokens),
            phase=None if phase is None else checked_phase(phase),
            mode=checked_mode(mode),
            layout=checked_layout(layout),
            order=checked_order(order),
            session=None if session is None else check.name(session, "session_id"),
            own={part: own_words(value, part) for part, value in (own or {}).items()},
            task=task,
        )


def _tokens(value: Any) -> int:
    """A budget. One of 0 is refused where it is known how much would do."""
    return 0 if value == 0 and type(value) is int else arguments.count(value, "max_tokens", TOKENS_MAX)
