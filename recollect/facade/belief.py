"""Verbs that say how far a record is to be believed."""

from __future__ import annotations

from typing import Unpack

from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.handle import Handle
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
        return self._engine.judging.confirm(
            self._id(id, scope, or_edge=True), visible=self._sight(scope), actor=self._writer()
        )

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
        return self._engine.judging.feedback(
            self._id(id, scope, or_edge=True),
            helpful=helpful,
            reason=reason,
            query=None if query is None else arguments.question(query),
            visible=self._sight(scope),
            actor=self._writer(),
        )
