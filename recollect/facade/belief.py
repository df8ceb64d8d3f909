"""Verbs that say how far a record is to be believed."""

from __future__ import annotations

from typing import Unpack

from recollect.errors import AccessDenied
from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.handle import Handle
from recollect.ingest import check
from recollect.model.result import Receipt


class Belief(Handle):
    """Confirm, flag, and say what helped."""

    def confirm(self, id: str, **scope: Unpack[ScopeArgs]) -> Receipt:
        """Say that a record is right: it is certain from now on and does not fade.

        Records it validates or rests on gain with it, those it contradicts lose; one `undo` takes all of it back.
        A relation that was found counts as stated from now on.

        Args:
            id: The record, or the relation.
        """
        wanted = self._id(id, scope, or_edge=True)
        if not self._engine.judging.is_edge(wanted):
            self._refuse_untrusted(wanted, scope)
        return self._engine.judging.confirm(wanted, visible=self._sight(scope), actor=self._writer())

    def approve(self, id: str, **scope: Unpack[ScopeArgs]) -> Receipt:
        """Let in what an untrusted agent wrote: it is found and used from now on. `undo` keeps it apart again.

        For the owner, and for agents that `security.approval_in` lets approve; these reach all of their project if
        their policy is project.

        Args:
            id: The record; `review` shows those that wait.
        """
        wanted = self._waiting(id, scope)
        sight = self._sight(scope, reading=True)
        return self._engine.judging.approve(wanted, visible=sight, actor=self._writer())

    def refuse(self, id: str, *, reason: str | None = None, **scope: Unpack[ScopeArgs]) -> Receipt:
        """Do not let in what an untrusted agent wrote: it is deleted, softly. `undo` has it wait again.

        Args:
            id: The record; `review` shows those that wait.
            reason: Why.
        """
        why = check.reason(reason, self._opened.config.current.security)
        wanted = self._waiting(id, scope)
        engine, sight = self._engine, self._sight(scope, reading=True)
        engine.judging.refuse_unless_waiting(wanted, visible=sight)
        return engine.removal.delete(wanted, visible=sight, reason=why, hard=False, actor=self._writer())

    def _waiting(self, given: str, scope: ScopeArgs) -> str:
        if not self._approves(self._in(scope)):
            raise AccessDenied(
                "this caller may not approve; the owner of the store may, and agents that security.approval_in names: "
                "'agent_id=boss: approve'"
            )
        return self._id(given, scope, reading=True)

    def flag(self, id: str, *, reason: str, **scope: Unpack[ScopeArgs]) -> Receipt:
        """Report that a record is wrong: it is believed less and waits for review.

        A relation that was found is withdrawn, and not found again.

        Args:
            id: The record, or the relation.
            reason: What is wrong with it.
        """
        wanted = self._id(id, scope, or_edge=True)
        return self._engine.judging.flag(wanted, reason=reason, visible=self._sight(scope), actor=self._writer())

    def feedback(
        self,
        id: str,
        *,
        helpful: bool,
        query: str | None = None,
        reason: str | None = None,
        **scope: Unpack[ScopeArgs],
    ) -> Receipt:
        """Say whether a record helped; one that did not is left out when a question like that is asked again.

        Of the question only its direction and hashes of its words are kept, for as long as the record.

        Args:
            id: The record, or the relation.
            helpful: Whether it helped.
            query: The question it was recalled for.
            reason: Why.
        """
        wanted = self._id(id, scope, or_edge=True)
        receipt = self._engine.judging.feedback(
            wanted,
            helpful=helpful,
            reason=reason,
            query=None if query is None else arguments.question(query),
            visible=self._sight(scope),
            actor=self._writer(),
        )
        if self._opened.config.current.context.self_tuning:
            self._engine.windows.judged.say([wanted], helpful=helpful, operation=receipt.operation)
        return receipt
