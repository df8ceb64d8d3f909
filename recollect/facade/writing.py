"""Verbs that remember, change and forget."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from recollect.errors import UsageError
from recollect.facade import arguments
from recollect.facade.arguments import AddArgs, ReadArgs, RecordArgs, ScopeArgs
from recollect.facade.handle import Handle
from recollect.ingest import check
from recollect.model.filters import parse_filters
from recollect.model.query import Criteria
from recollect.model.result import (
    Receipt,
)
from recollect.model.scope import GLOBAL, Reach
from recollect.model.screening import Screening


class Writing(Handle):
    """Remember, change, forget."""

    def add(
        self,
        content: str | Mapping[str, Any] | Sequence[Mapping[str, Any] | str],
        *,
        kind: str | None = None,
        category: str | None = None,
        importance: float | None = None,
        confidence: float | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None,
        valid_from: Any = None,
        valid_until: Any = None,
        source: str | None = None,
        infer: bool = True,
        session_id: str | None = None,
        run_id: str | None = None,
        tier: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        keep: bool = False,
        needs_review: bool = False,
        half_life_days: float | None = None,
        **scope: Unpack[ScopeArgs],
    ) -> Receipt:
        """Remember a text, a message, or a list of them.

        What is known already is not stored again: `merged` names the record that is surer now, `event` is NONE.

        Args:
            content: A text, a message `{"role", "content", "name", "timestamp", "metadata"}`, or a list of either.
            kind: episodic, semantic, procedural, opinion, entity, snippet or schema.
            category: What it is to the work: fact, preference, decision, gotcha, …
            importance: 0 to 1.
            confidence: 0 to 1.
            tags: Words to find it by.
            metadata: Your own JSON; filter on it with `metadata.key`.
            timestamp: When it was said or happened.
            valid_from: When it became true.
            valid_until: When it stops being true.
            source: Where it comes from.
            infer: Whether it is looked through for statements, names, times and feeling; it is always kept verbatim.
            session_id: The conversation it belongs to.
            run_id: Another name for session_id.
            tier: task, session, longterm or archive.
            attributes: JSON that belongs to the system rather than to you.
            keep: Whether it is never to fade, whatever its age: what `remember` does.
            needs_review: Whether a person should look at it: `review` shows it.
            half_life_days: Time in which it loses half its freshness; by default that of its category.
        """
        fields = {
            "kind": kind,
            "category": category,
            "importance": importance,
            "confidence": confidence,
            "tags": tags or None,
            "metadata": metadata,
            "valid_from": valid_from,
            "valid_until": valid_until,
            "source": source,
            "tier": tier,
            "attributes": attributes,
            "decay_rate": 0.0 if check.flag(keep, "keep") else None,
            "needs_review": True if check.flag(needs_review, "needs_review") else None,
            "half_life_days": half_life_days,
        }
        receipt = self._engine.ingest.add(
            content,
            scope=self._in(scope),
            session_id=arguments.session(session_id, run_id),
            timestamp=timestamp,
            fields=fields,
            infer=arguments.truth(infer, "infer"),
            actor=self._writer(),
        )
        if receipt.missing or self._engine.embedding.later:
            self._engine.worker.poke()
        return receipt

    def remember(
        self, content: str | Mapping[str, Any] | Sequence[Mapping[str, Any] | str], **given: Unpack[AddArgs]
    ) -> Receipt:
        """`add` what somebody asked to be remembered: it never fades, whatever its age."""
        keeping: AddArgs = {"keep": True, **given}
        return self.add(content, **keeping)

    def screen(self, text: str, *, role: str | None = None) -> Screening:
        """Say what `add` would make of a text, and store nothing.

        While `security.injection_screen` is off the flag `screen:off` is set, and the answer is what `add` would do if
        it were on.

        Args:
            text: The text.
            role: Whose turn it would be: user, assistant, tool. Words of people and of tools are judged differently.
        """
        said = check.content(text, bytes_max=None, what="the text")
        privacy = self._engine.gate.privacy(self._engine.config.current.security, self._scope)
        return self._engine.screen.whole(said, privacy, role=None if role is None else check.name(role, "role"))

    def ingest(
        self,
        path_or_text: str | os.PathLike[str],
        *,
        format: str | None = None,
        recursive: bool = True,
        category: str | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        dry_run: bool = False,
        **scope: Unpack[ScopeArgs],
    ) -> Receipt:
        """Remember a document, a folder of documents, or a long text, in pieces that know where they come from.

        Given again, only what changed is changed: `merged` names what stayed, `skipped` the files that cannot be read.

        Args:
            path_or_text: A path, or the text itself.
            format: markdown, rst, html, text, pdf, chat, or a programming language; by default told from the file.
            recursive: Whether a folder's folders are read too.
            category: What the pieces are to the work.
            tags: Words to find them by.
            metadata: Your own JSON, the same for every piece.
            session_id: The session it belongs to.
            dry_run: Only say what would change.
        """
        receipt = self._engine.documents.ingest(
            path_or_text,
            scope=self._in(scope),
            format=format,
            recursive=arguments.truth(recursive, "recursive"),
            session_id=session_id,
            fields={"category": category, "tags": tags or None, "metadata": metadata},
            actor=self._writer(),
            dry_run=arguments.truth(dry_run, "dry_run"),
        )
        if receipt.operation is not None:
            self._engine.worker.poke()  # what was stored is read in the background
        return receipt

    def update(
        self,
        id: str,
        *,
        content: str | None = None,
        clear: Sequence[str] = (),
        reason: str | None = None,
        if_version: int | None = None,
        **fields: Unpack[RecordArgs],
    ) -> Receipt:
        """Change a record; the version before stays in its history.

        Args:
            id: The record.
            content: The new text.
            clear: Fields to empty, such as valid_until.
            reason: Why; kept with the operation and in the evolution log.
            if_version: Only if it is still this version; otherwise nothing changes. In Python: `VersionConflict`.
            kind: Another kind.
            category: Another category.
            importance: 0 to 1.
            confidence: 0 to 1.
            tags: The new tags, all of them.
            metadata: The new metadata, all of it.
            attributes: The new attributes, all of them.
            event_time: When it happened.
            valid_from: When it became true.
            valid_until: When it stops being true.
            source: Where it comes from.
            role: The role of who said it.
            speaker: Who said it.
            subject: Of what it says something.
            predicate: What it says.
            object: About what else.
            place: Its position in a file, a section, code or a page.
            facets: What sort of text it is.
            tier: Move it to another tier; noted in the evolution log.
            security: cleartext, sensitive or confidential.
            strength: How well it is remembered.
            decay_rate: How fast it fades; 0 never.
            half_life_days: The same as a half-life.
            needs_review: Whether a person should look at it.
            user_verified: Whether a person confirmed it.
            flagged: Whether it was reported as wrong.
        """
        scope, changes = arguments.parted(fields)
        self._refuse_untrusted(self._id(id, scope), scope)
        if content is not None:
            changes["content"] = content
        changes |= dict.fromkeys(arguments.clearable(clear, changes))
        receipt = self._engine.revision.update(
            self._id(id, scope),
            changes,
            visible=self._sight(scope),
            reason=reason,
            actor=self._writer(),
            if_version=arguments.version(if_version),
        )
        if receipt.missing or self._engine.embedding.later:
            self._engine.worker.poke()
        return receipt

    def correct(
        self, id: str, content: str, *, reason: str | None = None, query: str | None = None, **scope: Unpack[ScopeArgs]
    ) -> Receipt:
        """Replace a statement by a truer one: the old one ends now and stays reachable by `as_of`.

        Args:
            id: The record that is wrong.
            content: What is true instead.
            reason: Why.
            query: The question it was no answer to; kept as `feedback` keeps it.
        """
        self._refuse_untrusted(self._id(id, scope), scope)
        context, missing = self._engine.judging.context_of(None if query is None else arguments.question(query))
        receipt = self._engine.revision.correct(
            self._id(id, scope),
            content,
            visible=self._sight(scope),
            reason=reason,
            context=context,
            actor=self._writer(),
        )
        if receipt.missing or self._engine.embedding.later:
            self._engine.worker.poke()
        return replace(receipt, missing=(*receipt.missing, *missing))

    def delete(
        self,
        id: str,
        *,
        reason: str | None = None,
        hard: bool = False,
        if_version: int | None = None,
        **scope: Unpack[ScopeArgs],
    ) -> Receipt:
        """Forget a record. Softly by default: `undo` brings it back.

        Args:
            id: The record.
            reason: Why.
            hard: Erase every trace of it, for good.
            if_version: Only if it is still this version; otherwise nothing changes. In Python: `VersionConflict`.
        """
        return self._engine.removal.delete(
            self._id(id, scope),
            visible=self._sight(scope),
            reason=check.reason(reason, self._engine.config.current.security),
            hard=arguments.truth(hard, "hard"),
            actor=self._writer(),
            if_version=arguments.version(if_version),
        )

    def delete_all(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        run_id: str | None = None,
        hard: bool = False,
        dry_run: bool = False,
        **scope: Unpack[ReadArgs],
    ) -> Receipt:
        """Forget everything inside a scope, or what filters name. Broader records seen from there are left alone.

        Args:
            filters: Only what meets these conditions.
            session_id: Only what comes from this session.
            run_id: Another name for session_id.
            hard: Erase for good instead of forgetting softly.
            dry_run: Only say what would go.
        """
        where = self._in(scope)
        session = arguments.session(session_id, run_id)
        reach = Reach.SCOPE if scope.get("reach") is None else self._reach(scope)
        if reach in (Reach.PROJECT, Reach.SQUAD):
            raise UsageError(f"delete_all acts inside its scope; give {reach.value}= alone for all of a {reach.value}")
        everything = reach is Reach.ALL
        if where == GLOBAL and not filters and session is None and not everything:
            raise UsageError("delete_all needs a scope, a session or filters; for the whole store say reach='all'")
        criteria = Criteria(
            scope=where,
            reach=Reach.ALL if everything else Reach.INSIDE if self._owner else Reach.OWN,
            session_id=None if session is None else check.name(session, "session_id"),
            filters=parse_filters(filters, now=self._now()),
        )
        for_good, only_told = arguments.truth(hard, "hard"), arguments.truth(dry_run, "dry_run")
        return self._engine.removal.delete_all(criteria, hard=for_good, dry_run=only_told, actor=self._writer())
