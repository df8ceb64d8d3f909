"""What is in mind now, of one agent in one session: `mem.working`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.audited import audited
from recollect.facade.handle import Namespace
from recollect.ingest import check
from recollect.model.grant import APART
from recollect.model.scope import GLOBAL, Reach, Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.model.working import MindInSight, MindState, Slot
    from recollect.store.base import Tx
    from recollect.working.mind import Mind

TURNS_MAX = 1_000
MINDS_SHOWN_MAX = 200


@partial(audited, prefix="working_")
class WorkingMemory(Namespace):
    """The short-term memory of an agent in a session. It comes and goes by itself; these are for looking, and for hosts
    that switch between agents."""

    def slots(self, *, session_id: str | None = None, **scope: Unpack[ScopeArgs]) -> list[Slot]:
        """What is in mind, strongest first.

        Args:
            session_id: The session; left out, what is in mind outside any.
        """
        return self._mind(session_id, scope).in_mind()

    def note(
        self, text: str, *, session_id: str | None = None, inferred: bool = False, **scope: Unpack[ScopeArgs]
    ) -> Slot:
        """Bear something in mind for this session. It is kept for longer only if it leaves the mind by a new topic.

        Args:
            text: What to bear in mind.
            session_id: The session.
            inferred: Whether the agent found it important by itself; what somebody asked for weighs more.
        """
        from recollect.model.working import SlotSource

        config = self._handle._engine.config.current
        given = check.content(text, bytes_max=config.ingest.content_bytes_max, what="text")
        privacy = self._handle._engine.gate.privacy(config.security, self._handle._in(scope))
        admitted = privacy.unsealed.admit(given)
        source = SlotSource.INFERENCE if arguments.truth(inferred, "inferred") else SlotSource.USER
        return self._mind(session_id, scope).noted(admitted.text, source)

    def suspend(self, *, session_id: str | None = None, **scope: Unpack[ScopeArgs]) -> bool:
        """Put a mind aside, as when another agent is turned to; False when nothing was in memory.

        Args:
            session_id: The session.
        """
        where, session = self._which(session_id, scope)
        return self._handle._engine.minds.suspend(where, session)

    def resume(
        self, *, session_id: str | None = None, instead_of: str | None = None, **scope: Unpack[ScopeArgs]
    ) -> MindState:
        """Take a mind up again: as it was within hours, weaker within a day, then with what matters most.

        Args:
            session_id: The session.
            instead_of: The agent that was at work there until now: its open turns are stopped, with what they had kept,
                and its mind is put aside.
        """
        where, session = self._which(session_id, scope)
        if instead_of is not None:
            self._leave(session_id, {**scope, "agent_id": check.name(instead_of, "instead_of")})
        return self._handle._engine.minds.resume(where, session).state()

    def _leave(self, session_id: str | None, given: ScopeArgs) -> None:
        """Stop what an agent was at in a session, and put its mind aside."""
        from recollect.model.turn import TurnState

        where, session = self._which(session_id, given)
        engine = self._handle._engine
        open_turns = engine.turns.listed(
            lambda tx: tx.scopes.visible(where, Reach.OWN), state=TurnState.OPEN, session=session_id, limit=TURNS_MAX
        )
        for turn in open_turns:
            engine.turns.stop(turn.id, reason="another agent was turned to")
        engine.minds.suspend(where, session)

    def clear(self, *, session_id: str | None = None, **scope: Unpack[ScopeArgs]) -> bool:
        """Forget what is in mind, and what was put aside of it. Whether there was anything.

        Args:
            session_id: The session.
        """
        where, session = self._which(session_id, scope)
        return self._handle._engine.minds.clear(where, session)

    def state(self, *, session_id: str | None = None, **scope: Unpack[ScopeArgs]) -> MindState:
        """A mind in figures.

        Args:
            session_id: The session.
        """
        return self._mind(session_id, scope).state()

    def minds(self, *, limit: int = 20, **scope: Unpack[ScopeArgs]) -> list[MindInSight]:
        """Whose minds there are and what is in them, those at work first; looking takes none up.

        Args:
            limit: At most so many.
        """
        handle, where, most = self._handle, self._handle._in(scope), arguments.count(limit, "limit", MINDS_SHOWN_MAX)
        named = (handle._mind_name(None) or "").partition(APART)[2]

        def scopes(tx: Tx) -> Sequence[int] | None:
            if handle._owner:
                return None if where == GLOBAL else tx.scopes.visible(where, Reach.INSIDE)
            return tx.scopes.visible(where, Reach.OWN)

        def mine(of: Scope, session: str) -> bool:
            if handle._owner:
                return all(getattr(of, name) == value for name, value in where.items())
            return of == where and session.partition(APART)[2] == named

        return handle._engine.minds.in_sight(scopes, mine, limit=most)

    def _mind(self, session_id: str | None, given: ScopeArgs) -> Mind:
        return self._handle._engine.minds.of(*self._which(session_id, given))

    def _which(self, session_id: str | None, given: ScopeArgs) -> tuple[Scope, str | None]:
        session = None if session_id is None else check.name(session_id, "session_id")
        return self._handle._in(given), self._handle._mind_name(session)
