"""The facade: one short method per verb."""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from recollect.clock import from_us
from recollect.config import Config
from recollect.engine import Engine
from recollect.errors import AccessDenied, InvalidQuery, NotFound, UsageError
from recollect.ids import parse_id
from recollect.ingest import check
from recollect.limits import PAGE_RECORDS_MAX, QUERY_CHARS_MAX, TOP_K_MAX
from recollect.model.filters import parse_filters
from recollect.model.query import Criteria, Query
from recollect.model.record import Record
from recollect.model.result import (
    Finding,
    HistoryEntry,
    Neighbourhood,
    Operation,
    Page,
    Receipt,
    Recollection,
    Report,
)
from recollect.model.scope import DIMENSIONS, GLOBAL, Reach, Scope
from recollect.recall.graph import CONTRADICTION_LABELS
from recollect.store import records


class ScopeArgs(TypedDict, total=False):
    """Who a call is for."""

    user_id: str | None
    agent_id: str | None
    project: str | None
    squad: str | None
    channel: str | None


class ReadArgs(ScopeArgs, total=False):
    """Who a read is for, and whether it looks further than that: `reach="project"` or, for the owner, `"all"`."""

    reach: str | None


class Memory:
    """Long-term memory over one store. Made by `recollect.open`; safe to use from many threads.

    Every verb takes scope arguments. A plain memory belongs to the owner of the store: verbs that take an id
    reach any record. `scoped()` gives a handle that sees, and acts, only within its scope.
    """

    def __init__(self, engine: Engine, *, scope: Scope = GLOBAL, owner: bool = True, actor: str | None = None) -> None:
        self._engine = engine
        self._scope = scope
        self._owner = owner
        self._actor = actor

    # --- handles ------------------------------------------------------------------------------------------------

    def scoped(self, *, actor: str | None = None, **scope: Unpack[ScopeArgs]) -> Memory:
        """A handle bound to a scope: the same verbs, without repeating who they are for."""
        return Memory(self._engine, scope=self._scope.narrowed(**scope), owner=False, actor=actor or self._actor)

    def close(self) -> None:
        """Finish what is queued and let go of the store. On a scoped handle nothing happens: its owner closes."""
        if self._owner:
            self._engine.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- writing ------------------------------------------------------------------------------------------------

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
        **scope: Unpack[ScopeArgs],
    ) -> Receipt:
        """Remember a text, a message, or a list of them.

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
            infer: Whether more may be derived from it; what is given is always kept verbatim.
            session_id: The conversation it belongs to.
            run_id: Another name for session_id.
            tier: task, session, longterm or archive.
            attributes: JSON that belongs to the system rather than to you.
        """
        fields = {
            "kind": kind, "category": category, "importance": importance, "confidence": confidence,
            "tags": tags or None, "metadata": metadata, "valid_from": valid_from, "valid_until": valid_until,
            "source": source, "tier": tier, "attributes": attributes,
        }  # fmt: skip
        receipt = self._engine.ingest.add(
            content, scope=self._in(scope), session_id=_session(session_id, run_id), timestamp=timestamp,
            fields=fields, actor=self._actor,
        )  # fmt: skip
        if receipt.missing:
            self._engine.worker.poke()
        return receipt

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
        **scope: Unpack[ScopeArgs],
    ) -> Receipt:
        """Remember a document, a folder of documents, or a long text, in pieces that know where they come from.

        Args:
            path_or_text: A path, or the text itself.
            format: text or markdown; by default told from the file's name.
            recursive: Whether a folder's folders are read too.
            category: What the pieces are to the work.
            tags: Words to find them by.
            metadata: Your own JSON, the same for every piece.
            session_id: The session it belongs to.
        """
        if format not in (None, "text", "markdown"):
            raise UsageError(f"cannot read the format {format!r:.20} yet; known: text, markdown")
        return self._engine.ingest.ingest(
            path_or_text, scope=self._in(scope), session_id=session_id, recursive=recursive, actor=self._actor,
            fields={"category": category, "tags": tags or None, "metadata": metadata},
        )  # fmt: skip

    def update(
        self,
        id: str,
        *,
        content: str | None = None,
        kind: str | None = None,
        category: str | None = None,
        importance: float | None = None,
        confidence: float | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        attributes: Mapping[str, Any] | None = None,
        event_time: Any = None,
        valid_from: Any = None,
        valid_until: Any = None,
        source: str | None = None,
        tier: str | None = None,
        needs_review: bool | None = None,
        user_verified: bool | None = None,
        flagged: bool | None = None,
        reason: str | None = None,
        **scope: Unpack[ScopeArgs],
    ) -> Receipt:
        """Change a record; the version before stays in its history.

        Args:
            id: The record.
            content: The new text.
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
            tier: Move it to another tier; noted in the evolution log.
            needs_review: Whether a person should look at it.
            user_verified: Whether a person confirmed it.
            flagged: Whether it was reported as wrong.
            reason: Why; kept with the operation and in the evolution log.
        """
        given = {
            "content": content, "kind": kind, "category": category, "importance": importance, "tags": tags,
            "confidence": confidence, "metadata": metadata, "attributes": attributes, "event_time": event_time,
            "valid_from": valid_from, "valid_until": valid_until, "source": source, "tier": tier,
            "needs_review": needs_review, "user_verified": user_verified, "flagged": flagged,
        }  # fmt: skip
        changes = {name: value for name, value in given.items() if value is not None}
        receipt = self._engine.ingest.update(
            parse_id(id), changes, visible=self._sight(scope), reason=reason, actor=self._actor
        )
        if receipt.missing:
            self._engine.worker.poke()
        return receipt

    def correct(self, id: str, content: str, *, reason: str | None = None, **scope: Unpack[ScopeArgs]) -> Receipt:
        """Replace a statement by a truer one: the old one ends now and stays reachable by `as_of`.

        Args:
            id: The record that is wrong.
            content: What is true instead.
            reason: Why.
        """
        receipt = self._engine.ingest.correct(
            parse_id(id), content, visible=self._sight(scope), reason=reason, actor=self._actor
        )
        if receipt.missing:
            self._engine.worker.poke()
        return receipt

    def delete(self, id: str, *, reason: str | None = None, hard: bool = False, **scope: Unpack[ScopeArgs]) -> Receipt:
        """Forget a record. Softly by default: `undo` brings it back.

        Args:
            id: The record.
            reason: Why.
            hard: Erase every trace of it, for good.
        """
        return self._engine.removal.delete(
            parse_id(id),
            visible=self._sight(scope),
            reason=check.reason(reason),
            hard=hard,
            actor=self._actor,
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
        session = _session(session_id, run_id)
        everything = self._reach(scope) is Reach.ALL
        if where == GLOBAL and not filters and session is None and not everything:
            raise UsageError("delete_all needs a scope, a session or filters; for the whole store say reach='all'")
        criteria = Criteria(
            scope=where, reach=Reach.ALL if everything else Reach.INSIDE,
            session_id=None if session is None else check.name(session, "session_id"),
            filters=parse_filters(filters, now=from_us(self._engine.clock())),
        )  # fmt: skip
        return self._engine.removal.delete_all(criteria, hard=hard, dry_run=dry_run, actor=self._actor)

    # --- reading ------------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        top_k: int = 10,
        kinds: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
        tiers: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        run_id: str | None = None,
        as_of: Any = None,
        known_at: Any = None,
        after: Any = None,
        before: Any = None,
        threshold: float | None = None,
        phase: str | None = None,
        place: Any = None,
        facets: Any = None,
        rerank: str | None = None,
        max_tokens: int | None = None,
        explain: bool = False,
        **scope: Unpack[ReadArgs],
    ) -> Recollection:
        """Find what answers a question, best first.

        Args:
            query: The question, in any words.
            top_k: How many records at most.
            kinds: Only these kinds.
            categories: Only these categories.
            tiers: Only these tiers; the archive is searched only when named.
            tags: Only records with all of these tags.
            filters: A tree of conditions, such as `{"metadata.team": {"eq": "core"}}`.
            session_id: Only what comes from this session.
            run_id: Another name for session_id.
            as_of: What was true at this time.
            known_at: What we believed at this time.
            after: Events from this time on.
            before: Events before this time.
            threshold: Leave out hits below this score (0 to 1).
            phase: Accepted, not weighed yet: `missing` says so. The same holds for the next three.
            place: Where it must come from.
            facets: What sort of text it must be.
            rerank: How to rerank.
            max_tokens: Leave out hits beyond this many tokens.
            explain: Say which source put each hit where.
        """
        criteria = self._criteria(
            scope, kinds=kinds, categories=categories, tiers=tiers, tags=tags, filters=filters,
            session_id=_session(session_id, run_id), as_of=as_of, known_at=known_at, after=after, before=before,
        )  # fmt: skip
        return self._engine.recall.search(
            Query(
                text=_question(query), criteria=criteria, top_k=_count(top_k, "top_k", TOP_K_MAX),
                threshold=None if threshold is None else check.share(threshold, "threshold"),
                max_tokens=None if max_tokens is None else _count(max_tokens, "max_tokens", 10**9), explain=explain,
                not_weighed=_given(phase=phase, place=place, facets=facets, rerank=rerank),
            )
        )  # fmt: skip

    def get(self, id: str, **scope: Unpack[ScopeArgs]) -> Record | None:
        """A record by its id, or None.

        Args:
            id: The record.
        """
        now = self._engine.clock()
        with self._engine.store.read() as tx:
            try:
                pk = records.find_pk(tx, parse_id(id), self._sight(scope), now=now)
            except NotFound:
                return None
            return records.load(tx, [pk])[pk]

    def get_all(
        self,
        *,
        kinds: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
        tiers: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        run_id: str | None = None,
        as_of: Any = None,
        known_at: Any = None,
        after: Any = None,
        before: Any = None,
        limit: int = 100,
        cursor: str | None = None,
        **scope: Unpack[ReadArgs],
    ) -> Page:
        """Records, newest first, a page at a time.

        Args:
            kinds: Only these kinds.
            categories: Only these categories.
            tiers: Only these tiers; the archive is listed only when named.
            tags: Only records with all of these tags.
            filters: A tree of conditions.
            session_id: Only what comes from this session.
            run_id: Another name for session_id.
            as_of: What was true at this time.
            known_at: What we believed at this time.
            after: Events from this time on.
            before: Events before this time.
            limit: How many at most.
            cursor: Where the page before ended.
        """
        criteria = self._criteria(
            scope, kinds=kinds, categories=categories, tiers=tiers, tags=tags, filters=filters,
            session_id=_session(session_id, run_id), as_of=as_of, known_at=known_at, after=after, before=before,
        )  # fmt: skip
        size = _count(limit, "limit", PAGE_RECORDS_MAX)
        with self._engine.store.read() as tx:
            found = records.page(tx, criteria, now=self._engine.clock(), limit=size + 1, before_pk=_position(cursor))
        more = len(found) > size
        found = found[:size]
        return Page(records=tuple(record for _, record in found), cursor=_cursor(found[-1][0]) if more else None)

    # --- the past -----------------------------------------------------------------------------------------------

    def history(self, id: str, **scope: Unpack[ScopeArgs]) -> list[HistoryEntry]:
        """What happened to a record, oldest first: each operation with the version it left.

        Args:
            id: The record.
        """
        return self._engine.past.history(parse_id(id), visible=self._sight(scope))

    def operations(self, *, limit: int = 20, **scope: Unpack[ScopeArgs]) -> list[Operation]:
        """What was done, newest first.

        Args:
            limit: How many at most.
        """
        where = self._in(scope)
        size = _count(limit, "limit", PAGE_RECORDS_MAX)
        return self._engine.past.operations(scope=None if self._owner and where == GLOBAL else where, limit=size)

    def undo(self, operation: str | Operation | Receipt, **scope: Unpack[ScopeArgs]) -> Receipt:
        """Take an operation back, whatever it was; the undo can be undone.

        Args:
            operation: Its id, from a receipt or `operations()`.
        """
        where = None if self._owner else self._in(scope)
        given = operation.operation if isinstance(operation, Receipt) else operation
        receipt = self._engine.past.undo(parse_id(given, "operation"), scope=where, actor=self._actor)
        if self._engine.backfill.pending():
            self._engine.worker.poke()
        return receipt

    # --- the graph ----------------------------------------------------------------------------------------------

    def relate(
        self,
        source: str | None = None,
        target: str | None = None,
        label: str = "relates_to",
        *,
        members: Sequence[Sequence[Any]] | None = None,
        family: str | None = None,
        weight: float = 1.0,
        confidence: float = 1.0,
        evidence: str | Sequence[str] | None = None,
        valid_from: Any = None,
        valid_until: Any = None,
        **scope: Unpack[ScopeArgs],
    ) -> str:
        """Relate two records, or several with their roles; the edge's id.

        Args:
            source: The record the relation starts from.
            target: The record it leads to.
            label: relates_to, supports, contradicts, depends_on, causes, derived_from, …
            members: Instead of source and target: `(id, role)` or `(id, role, position)` for each member.
            family: relation, composition, causation or context; by default the label's own.
            weight: 0 or more.
            confidence: 0 to 1.
            evidence: Why we think so.
            valid_from: When it became true.
            valid_until: When it stops being true.
        """
        return self._engine.relating.relate(
            _members(source, target, members), label, visible=self._sight(scope), family=family, weight=weight,
            confidence=confidence, evidence=evidence, valid_from=valid_from, valid_until=valid_until,
            actor=self._actor,
        )  # fmt: skip

    def unrelate(self, edge: str, **scope: Unpack[ScopeArgs]) -> Receipt:
        """Withdraw a relation.

        Args:
            edge: The edge's id.
        """
        return self._engine.relating.unrelate(edge, visible=self._sight(scope), actor=self._actor)

    def related(
        self,
        id: str,
        *,
        labels: Sequence[str] | None = None,
        depth: int = 1,
        direction: str = "both",
        as_of: Any = None,
        known_at: Any = None,
        **scope: Unpack[ReadArgs],
    ) -> Neighbourhood:
        """Records near a record, nearest first, with the relations between them.

        Args:
            id: The record to start from.
            labels: Only along these labels.
            depth: How many hops.
            direction: out, in or both.
            as_of: Along what was true at this time.
            known_at: Along what we believed at this time.
        """
        return self._engine.graph.related(
            [parse_id(id)], self._walk(scope, as_of, known_at), visible=self._sight(scope), labels=_labels(labels),
            depth=depth, direction=direction,
        )  # fmt: skip

    def dependencies(
        self, id: str, *, as_of: Any = None, known_at: Any = None, **scope: Unpack[ReadArgs]
    ) -> Neighbourhood:
        """Everything a record depends on, directly or not.

        Args:
            id: The record to start from.
            as_of: Along what was true at this time.
            known_at: Along what we believed at this time.
        """
        criteria = self._walk(scope, as_of, known_at)
        return self._engine.graph.dependencies(parse_id(id), criteria, visible=self._sight(scope))

    def path(
        self,
        a: str,
        b: str,
        *,
        max_depth: int = 5,
        as_of: Any = None,
        known_at: Any = None,
        **scope: Unpack[ReadArgs],
    ) -> Neighbourhood:
        """The shortest chain of relations between two records; empty when there is none.

        Args:
            a: One record.
            b: The other.
            max_depth: How many hops at most.
            as_of: Along what was true at this time.
            known_at: Along what we believed at this time.
        """
        return self._engine.graph.path(
            parse_id(a),
            parse_id(b),
            self._walk(scope, as_of, known_at),
            visible=self._sight(scope),
            max_depth=max_depth,
        )

    def contradictions(
        self,
        id_or_text: str,
        *,
        as_of: Any = None,
        known_at: Any = None,
        **scope: Unpack[ReadArgs],
    ) -> Neighbourhood:
        """What contradicts a record, or the records that a text finds.

        Args:
            id_or_text: A record's id, or words to look for.
            as_of: Among what was true at this time.
            known_at: Among what we believed at this time.
        """
        try:
            starts, visible = [parse_id(id_or_text)], self._sight(scope)
        except NotFound:
            found = self.search(id_or_text, as_of=as_of, known_at=known_at, **scope)
            starts, visible = [hit.id for hit in found], None
        return self._engine.graph.related(
            starts, self._walk(scope, as_of, known_at), visible=visible, labels=CONTRADICTION_LABELS
        )

    # --- upkeep -------------------------------------------------------------------------------------------------

    def prune(
        self,
        *,
        min_confidence: float | None = None,
        max_edges: int | None = None,
        dry_run: bool = False,
    ) -> Report:
        """Forget weak relations: decay what was found automatically, drop what fell too low or is one too many.

        Args:
            min_confidence: Below this an edge goes; by default graph.prune_min_confidence.
            max_edges: Edges kept per record; by default graph.prune_max_edges_per_node.
            dry_run: Only say what would go.
        """
        self._owner_only("prune")
        settings = self._engine.config.current.graph
        least = settings.prune_min_confidence if min_confidence is None else min_confidence
        most = settings.prune_max_edges_per_node if max_edges is None else max_edges
        operation, decayed, retired = self._engine.relating.prune(
            min_confidence=check.share(least, "min_confidence"), max_per_record=_count(most, "max_edges", 10**6),
            decay_factor=settings.prune_decay_factor, decay_days=settings.prune_decay_days,
            dry_run=dry_run, actor=self._actor,
        )  # fmt: skip
        return Report(figures={"decayed": decayed, "retired": retired, "dry_run": dry_run}, operation=operation)

    def reembed(self, *, wait: bool = False) -> Report:
        """Give every record a vector of the configured embedder, in the background; both spaces are searched meanwhile.

        Args:
            wait: Return when it is done.
        """
        self._owner_only("reembed")
        if self._engine.embedder is None:
            raise UsageError("no embedder is configured; open the memory with embedder='wordllama' or another")
        self._engine.backfill.request()
        if wait:
            self._engine.worker.run_pending()
        else:
            self._engine.worker.poke()
        return self._engine.backfill.report()

    def stats(self, **scope: Unpack[ScopeArgs]) -> Report:
        """What is stored, in figures."""
        where = self._in(scope)
        return self._engine.figures.stats(None if self._owner and where == GLOBAL else where)

    def health(self) -> Report:
        """How the memory is doing, with a warning for everything that needs a hand."""
        return self._engine.figures.health()

    def doctor(self, *, fix: bool = False) -> list[Finding]:
        """Check the store and say how to cure what is wrong.

        Args:
            fix: Cure what can be cured without losing anything.
        """
        self._owner_only("doctor")
        return self._engine.doctor.examine(fix=fix)

    @property
    def config(self) -> Config:
        """The settings in force."""
        return self._engine.config.current

    def reload(self) -> Report:
        """Read the configuration again: what may change while running does, the rest is named."""
        self._owner_only("reload")
        done = self._engine.config.reload()
        return Report(
            figures={
                "changed": {change.key: change.new for change in done.changed},
                "needs_reopening": [change.key for change in done.needs_reopening],
            },
            warnings=done.config.warnings,
        )

    remember = add
    recall = search
    forget = delete

    # --- arguments ----------------------------------------------------------------------------------------------

    def _in(self, given: Mapping[str, Any]) -> Scope:
        """The scope of a call: the handle's, narrowed by the call's own."""
        unknown = given.keys() - set(DIMENSIONS) - {"reach"}
        if unknown:
            raise TypeError(f"unknown argument {sorted(unknown)[0]!r}")
        return self._scope.narrowed(**{name: given.get(name) for name in DIMENSIONS})

    def _reach(self, given: Mapping[str, Any]) -> Reach:
        value = given.get("reach")
        if value is None:
            return Reach.SCOPE
        if value not in (Reach.SCOPE, Reach.PROJECT, Reach.ALL):
            raise UsageError(f"reach must be 'scope', 'project' or 'all', not {value!r:.20}")
        if value == Reach.ALL and not self._owner:
            raise AccessDenied("reach='all' is for the owner of the store, not for a scoped handle")
        return Reach(value)

    def _sight(self, given: Mapping[str, Any]) -> Criteria | None:
        """What verbs that take an id may touch: anything for the owner, the visible otherwise."""
        where = self._in(given)
        return None if self._owner and where == GLOBAL else Criteria(scope=where)

    def _walk(self, given: Mapping[str, Any], as_of: Any, known_at: Any) -> Criteria:
        """A graph walk of the owner without a scope goes everywhere, as its ids do."""
        return self._criteria(given, as_of=as_of, known_at=known_at, whole=self._sight(given) is None)

    def _criteria(self, given: Mapping[str, Any], *, whole: bool = False, **parts: Any) -> Criteria:
        now = from_us(self._engine.clock())
        after, before = (check.moment(parts.get(name), name, now=now) for name in ("after", "before"))
        session = parts.get("session_id")
        return Criteria(
            scope=self._in(given), reach=Reach.ALL if whole else self._reach(given),
            kinds=_words(parts.get("kinds"), check.kind, "kinds"),
            categories=_words(parts.get("categories"), lambda v: check.name(v, "category"), "categories"),
            tiers=_words(parts.get("tiers"), check.tier, "tiers"),
            tags=_words(parts.get("tags"), lambda v: check.name(v, "tag"), "tags"),
            session_id=None if session is None else check.name(session, "session_id"),
            filters=parse_filters(parts.get("filters"), now=now),
            as_of=check.moment(parts.get("as_of"), "as_of", now=now),
            known_at=check.moment(parts.get("known_at"), "known_at", now=now), after=after, before=before,
        )  # fmt: skip

    def _owner_only(self, verb: str) -> None:
        if not self._owner:
            raise AccessDenied(f"{verb} concerns the whole store; it is for its owner, not for a scoped handle")


def _given(**values: Any) -> tuple[str, ...]:
    """The names of the arguments that were given."""
    return tuple(name for name, value in values.items() if value is not None)


def _session(session_id: str | None, run_id: str | None) -> str | None:
    if session_id is not None and run_id is not None and session_id != run_id:
        raise UsageError("session_id and run_id are two names of one thing; give one of them")
    return session_id if session_id is not None else run_id


def _question(query: Any) -> str:
    if not isinstance(query, str) or not query.strip():
        raise InvalidQuery("the query is empty; ask with at least one word")
    if "\x00" in query:
        raise InvalidQuery("the query holds a NUL character; remove it")
    try:
        query.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidQuery("the query holds half a character (a lone surrogate)") from None
    return query[:QUERY_CHARS_MAX]


def _count(value: Any, what: str, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise UsageError(f"{what} must be a whole number from 1 to {most}, not {value!r:.20}")
    return value


def _words(values: Any, checked: Any, what: str) -> tuple[str, ...] | None:
    if values is None:
        return None
    if isinstance(values, str):
        values = [values]
    if not isinstance(values, Sequence | set | frozenset):
        raise UsageError(f"{what} must be a list of texts, not {values!r:.40}")
    return tuple(dict.fromkeys(checked(value) for value in values))


def _labels(values: Any) -> tuple[str, ...] | None:
    return _words(values, lambda v: check.name(v, "label"), "labels")


def _members(
    source: str | None, target: str | None, members: Sequence[Sequence[Any]] | None
) -> list[tuple[str, str | None, int]]:
    if members is None:
        if source is None or target is None:
            raise UsageError("relate takes source and target, or members=[(id, role), …]")
        return [(source, None, 0), (target, None, 1)]
    if source is not None or target is not None:
        raise UsageError("give source and target, or members, not both")
    if isinstance(members, str) or not isinstance(members, Sequence):
        raise UsageError(f"members must be a list of (id, role), not {members!r:.40}")
    placed: list[tuple[str, str | None, int]] = []
    for index, member in enumerate(members):
        sound = isinstance(member, Sequence) and not isinstance(member, str) and 2 <= len(member) <= 3
        if not sound or (len(member) == 3 and (type(member[2]) is not int or not 0 <= member[2] < 2**31)):
            raise UsageError(f"member {index} must be (id, role) or (id, role, position from 0 on)")
        placed.append((member[0], member[1], member[2] if len(member) == 3 else index))
    return placed


def _cursor(pk: int) -> str:
    return base64.urlsafe_b64encode(f"r{pk}".encode()).decode().rstrip("=")


def _position(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        if text[0] != "r" or not 0 < int(text[1:]) < 2**63:
            raise ValueError(text)
        return int(text[1:])
    except (ValueError, IndexError, TypeError, binascii.Error):
        raise InvalidQuery("that cursor is none of ours; start again without one") from None
