"""The facade: every verb of the contract on one object."""

from __future__ import annotations

from typing import Unpack

from recollect.facade.arguments import ReadArgs, ScopeArgs
from recollect.facade.audited import audited
from recollect.facade.auditing import AuditVerbs
from recollect.facade.backups import BackupVerbs
from recollect.facade.belief import Belief
from recollect.facade.bus import Bus, BusVerbs
from recollect.facade.code import CodeVerbs
from recollect.facade.compaction import Compaction
from recollect.facade.contexts import Contexts
from recollect.facade.entities import EntityVerbs
from recollect.facade.exchange import ExchangeVerbs
from recollect.facade.graph import Graph
from recollect.facade.handle import UnknownArgument
from recollect.facade.knowing import Knowing
from recollect.facade.observing import Observing
from recollect.facade.overview import Overview
from recollect.facade.past import Past
from recollect.facade.promoting import Together
from recollect.facade.reasoning import Inquiring
from recollect.facade.sessions import SessionVerbs
from recollect.facade.skills import SkillVerbs, ToolVerbs
from recollect.facade.turns import TurnVerbs
from recollect.facade.upkeep import Upkeep
from recollect.facade.vault import VaultVerbs
from recollect.facade.watching import Watching
from recollect.facade.working import WorkingMemory
from recollect.facade.writing import Writing
from recollect.ingest import check
from recollect.model.grant import MayAdd
from recollect.model.scope import DIMENSIONS

__all__ = ["Memory", "ReadArgs", "ScopeArgs"]


@audited
class Memory(
    Contexts,
    Writing,
    Compaction,
    Belief,
    EntityVerbs,
    Graph,
    Past,
    Overview,
    Knowing,
    Inquiring,
    Observing,
    Bus,
    Together,
    Upkeep,
    ExchangeVerbs,
    BackupVerbs,
    AuditVerbs,
    Watching,
):
    """Long-term memory over one store. Made by `recollect.open`; safe to use from many threads.

    Every verb takes scope arguments. A plain memory belongs to the owner of the store: verbs that take an id
    reach any record. `scoped()` gives a handle that sees, and acts, only within what it was granted.
    """

    def scoped(
        self,
        *,
        actor: str | None = None,
        may_add: MayAdd | None = None,
        policy: str | None = None,
        **scope: Unpack[ScopeArgs],
    ) -> Memory:
        """A handle that holds a scope: the same verbs, without repeating who they are for, and for nobody else.

        A call of the handle may name what it holds, and of the other dimensions those in `may_add`: a handle made with
        `user_id="ana", may_add={"project": "*", "agent_id": ["rex"]}` is Ana's, in any project, alone or with rex.
        A handle that is made from a handle stays within what that one was granted.

        Args:
            actor: Who it is, for the history of what it writes.
            may_add: Which values calls may add, by dimension; dimensions alone for any value; `*` for all. None unless
                it is said.
            policy: What it sees beside its own: `own` nothing, `own+global` broader records, `project` all of its
                project too. Without one, broader records, and a read may ask for `reach="project"`.
        """
        unknown = scope.keys() - set(DIMENSIONS)
        if unknown:
            raise UnknownArgument(min(unknown), DIMENSIONS)
        who = self._actor if actor is None else check.name(actor, "actor")
        grant = self._grant.narrowed(scope, may_add, policy)
        return Memory(self._opened, grant=grant, actor=who, caller=self._caller or self.caller, channel=self._channel)

    @property
    def turns(self) -> TurnVerbs:
        """Turns of agents, call by call: begun, told what was said, ended or aborted."""
        return TurnVerbs(self)

    @property
    def skills(self) -> SkillVerbs:
        """Ways to do something, told or learnt: found by task, with how often they worked."""
        return SkillVerbs(self)

    @property
    def tools(self) -> ToolVerbs:
        """Tools that an agent has, found by need."""
        return ToolVerbs(self)

    @property
    def working(self) -> WorkingMemory:
        """What an agent has in mind in a session."""
        return WorkingMemory(self)

    @property
    def code(self) -> CodeVerbs:
        """What is known about a project's code."""
        return CodeVerbs(self)

    @property
    def sessions(self) -> SessionVerbs:
        """What sessions of coding agents begin with, and what becomes of them."""
        return SessionVerbs(self)

    @property
    def bus(self) -> BusVerbs:
        """What agents tell each other: what arrived, and who is told what."""
        return BusVerbs(self)

    @property
    def vault(self) -> VaultVerbs:
        """The key of the store, and what it protects. For the owner."""
        return VaultVerbs(self)

    def close(self) -> None:
        """Finish what is queued and let go of the store. On a scoped handle nothing happens: its owner closes."""
        if self._owner:
            self._opened.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, failure: object = None, *_: object) -> None:
        if self._owner:
            self._opened.close(failed=failure is not None)

    recall = Graph.search
    forget = Writing.delete
