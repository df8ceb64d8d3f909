"""The memory of a project or squad as a whole: `promote` hands on to it what its agents know and what is strong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from recollect.errors import AccessDenied, UsageError
from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.handle import Handle
from recollect.ingest import check
from recollect.model.grant import CallerPolicy
from recollect.model.promotion import Promotion, Wider
from recollect.model.scope import Scope

if TYPE_CHECKING:
    from recollect.upkeep.promotion import Sources

PROMOTED_MAX = 1_000  # records in one call


class Together(Handle):
    """Knowledge of many agents as one."""

    def promote(
        self,
        to: str = "project",
        *,
        strength_min: float | None = None,
        limit: int = 500,
        review: bool = False,
        dry_run: bool = False,
        **scope: Unpack[ScopeArgs],
    ) -> Promotion:
        """Hand on what is strong of what agents know: to all of their project, their squad, or everybody.

        For the end of a project, of a piece of work, or of a round of workers. Each record gets a copy in the wider
        scope, which says where it came from; all of them are one operation that `undo` takes back. What was said in
        conversations, waits for somebody's word, or is private to a user or channel that is not named stays where it
        is. To the project may also who has the policy project; the rest is for the owner.

        Args:
            to: project, squad or global. The scope says whose memory is looked over: a project, a squad, an agent.
            strength_min: Only what is stronger; `bus.promote_strength` by default.
            limit: At most so many, the strongest first.
            review: The copies wait in `review` for a person's look. They are found meanwhile.
            dry_run: Only say what would be handed on.
        """
        wider = Wider(check.one_of(Wider, to, "to"))
        where = self._in(scope)
        least = self._opened.config.current.bus.promote_strength
        strength = least if strength_min is None else check.figure(strength_min, "strength_min")
        most = arguments.count(limit, "limit", PROMOTED_MAX)
        waits, only_told = arguments.truth(review, "review"), arguments.truth(dry_run, "dry_run")
        if not self._owner and (wider is not Wider.PROJECT or self._grant.policy is not CallerPolicy.PROJECT):
            raise AccessDenied(
                "promote writes what others will read: to='project' is for the owner of the store and for handles with "
                "the policy project, the rest for the owner alone"
            )
        of = _sources(wider, where, named_agent=where.agent_id if self._owner else scope.get("agent_id"))
        if not self._owner:
            of = of._replace(seen_from=where)
        return self._engine.promoting.promote(
            of,
            by=of.to if self._owner else where,
            strength_min=strength,
            limit=most,
            review=waits,
            dry_run=only_told,
            actor=self._writer(),
        )


def _sources(wider: Wider, where: Scope, *, named_agent: str | None) -> Sources:
    """Whose memory is looked over and where it goes. A handle's own agent is nobody it has named."""
    from recollect.upkeep.promotion import Sources

    private = {"user_id": where.user_id, "channel": where.channel}
    if wider is Wider.PROJECT and where.project is None:
        raise UsageError("to='project' needs a project; name one")
    if wider is Wider.SQUAD and where.squad is None:
        raise UsageError("to='squad' needs a squad; name one, and a project if it is at its end")
    if wider is Wider.GLOBAL and not (where.project or where.squad or named_agent):
        raise UsageError("to='global' needs to know whose memory is looked over: name a project, a squad or an agent")
    to = {
        Wider.PROJECT: Scope(project=where.project, **private),
        Wider.SQUAD: Scope(squad=where.squad, **private),
        Wider.GLOBAL: Scope(**private),
    }[wider]
    by_project = where.project is not None
    below = Scope(project=where.project, squad=None if by_project else where.squad, agent_id=named_agent, **private)
    return Sources(below, where.squad if by_project else None, to)
