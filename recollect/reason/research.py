"""`research`: findings become episodic records with their sources, related where they support each other.

Records and relations are one operation. A finding that is known is not stored again: it speaks for the one that is
there, which gets the new addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import orjson

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.ids import new_id
from recollect.ingest import check
from recollect.ingest.addition import add
from recollect.ingest.drafts import draft
from recollect.ingest.embedding import Embedding
from recollect.ingest.material import Material, prepare
from recollect.ingest.recognition import Recognition, Repeats, SaidAgain, dedupe
from recollect.ingest.screening import ScreeningGate
from recollect.limits import NAME_CHARS_MAX
from recollect.model.columns import RecordRow
from recollect.model.place import Place, PositionType
from recollect.model.result import Receipt
from recollect.model.scope import Scope
from recollect.reason.findings import Findings, ResearchFinding, findings_of, source_of
from recollect.store import edges
from recollect.store.base import Store, Tx
from recollect.store.edges import NewEdge
from recollect.store.journal import Op
from recollect.store.rows import from_json

SESSION = "research:"
CATEGORY = "insight"
WITHOUT_ADDRESS = "research"  # the source of a finding that names none
SAME_ADDRESS_WEIGHT = 0.5


class Research:
    """Keeps findings."""

    def __init__(
        self,
        store: Store,
        embedding: Embedding,
        config: LiveConfig,
        clock: Clock,
        gate: ScreeningGate,
        poke: Callable[[], None],
    ) -> None:
        self._gate = gate
        self._store = store
        self._embedding = embedding
        self._config = config
        self._clock = clock
        self._poke = poke

    def keep(
        self,
        given: Any,
        *,
        scope: Scope,
        query: Any = None,
        cross_references: Any = (),
        session_id: Any = None,
        tags: Any = (),
        actor: str | None = None,
    ) -> Receipt:
        """All of it or, with an error, nothing."""
        findings = findings_of(given, query=query, cross_references=cross_references, session_id=session_id)
        session = _session(findings.session)
        material = self._material(findings, tags, scope)
        known = _FindingsKnown(material, findings)
        added = self._store.write(
            lambda tx: add(
                tx,
                material,
                at=self._clock(),
                scope=scope,
                session=session,
                actor=actor,
                verb="research",
                recognition=known,
                also=known.relate,
            )
        )
        if added.queued:
            self._poke()
        return Receipt(
            operation=added.operation,
            ids=tuple(added.ids),
            statements=tuple(added.statements),
            records=tuple(added.records),
            event=added.event,
            count=added.new,
            merged=tuple(added.merged),
            flags=tuple(material.drafts.flags),
            missing=material.missing,
        )

    def _material(self, findings: Findings, tags: Any, scope: Scope) -> Material:
        now, settings = self._clock(), self._config.current.ingest
        shared = {"kind": "episodic", "category": CATEGORY, "tags": tags or None}
        drafts = draft(
            [_item(finding, findings.query, tags) for finding in findings.each],
            shared,
            timestamp=None,
            now=now,
            bytes_max=settings.content_bytes_max,
            parts_max=settings.turn_parts_max,
            privacy=self._gate.privacy(self._config.current.security, scope),
        )
        drafts.flags += self._gate.admit(drafts.rows, scope)
        return prepare(drafts, self._embedding, self._config.current, now=now)


class _FindingsKnown(Recognition):
    """What is known of findings, and the relations between them."""

    def __init__(self, material: Material, findings: Findings) -> None:
        super().__init__(material)
        self._findings = findings

    def relate(self, tx: Tx, op: Op, pks: list[int]) -> None:
        """Join the records of findings that belong together."""
        tx.edges.insert(op, list(self._relations(tx, pks)))

    def repeats(self, tx: Tx, op: Op) -> Repeats:
        """Findings that are known as such; what somebody said in a conversation is no finding with a source.

        The very same text is the same finding whenever it was found, even if it speaks of "a second" or "today".
        """
        rows = self.material.rows
        found = dedupe().told_before(tx, rows, at=op.at, overlap=self.overlap)
        same = _by_text(tx, rows)
        kept = tx.sayings.findings_among(found.stored.values())
        stored = {at: pk for at, pk in found.stored.items() if pk in kept}
        stored |= {at: same[row.content_hash] for at, row in enumerate(rows) if row.content_hash in same}
        within: dict[int, int] = {}
        first: dict[str, int] = {}
        for at, row in enumerate(rows):
            other = found.within.get(at, first.setdefault(row.content_hash, at))
            other = within.get(other, other)
            if at not in stored and other in stored:
                stored[at] = stored[other]
            elif at not in stored and other != at:
                within[at] = other
        return Repeats(stored, within, found.senses)

    def corroborate(self, tx: Tx, op: Op, again: Sequence[SaidAgain]) -> list[str]:
        merged = super().corroborate(tx, op, again)
        for pk, row, _ in again:
            _add_addresses(tx, op, pk, row)
        return merged

    def _relations(self, tx: Tx, pks: Sequence[int]) -> Iterator[NewEdge]:
        """What supports what, and what comes from one address, as far as that is not known."""
        related = {frozenset((pks[a], pks[b])): (a, b) for a, b in self._findings.cross_references}
        for pair, (a, b) in related.items():
            if len(pair) == 2 and not tx.edges.joins(pks[a], pks[b], "supports"):
                yield edges.pair(pks[a], pks[b], "supports", weight=self.config.graph.research_weight)
        by_address: dict[str, dict[int, None]] = {}
        for finding, pk in zip(self._findings.each, pks, strict=True):
            for url in finding.urls:
                by_address.setdefault(url, {})[pk] = None
        for url, several in by_address.items():
            for first, second in pairwise(several):
                pair = frozenset((first, second))
                if pair not in related and not tx.edges.joins(first, second, "relates_to"):
                    related[pair] = (0, 0)
                    evidence = [f"both from {source_of(url)}"]
                    yield edges.pair(first, second, "relates_to", weight=SAME_ADDRESS_WEIGHT, evidence=evidence)


def _item(finding: ResearchFinding, query: str | None, shared_tags: Any) -> dict[str, Any]:
    """A finding as `add` takes it."""
    found = {"urls": list(finding.urls), "title": finding.title, "query": query}
    item: dict[str, Any] = {
        "content": finding.content,
        "source": source_of(finding.urls[0]) if finding.urls else WITHOUT_ADDRESS,
        "metadata": {name: value for name, value in found.items() if value},
    }
    if finding.confidence is not None:
        item |= {"importance": finding.confidence, "confidence": finding.confidence}
    if finding.discovered_at is not None:
        item["timestamp"] = finding.discovered_at
    if finding.urls:
        item["place"] = Place(position_type=PositionType.EXTERNAL, url=finding.urls[0])
    if finding.tags:
        item["tags"] = [*shared_tags, *finding.tags]
    return item


def _session(name: str | None) -> str:
    given = new_id() if name is None else name
    return check.name(given if given.startswith(SESSION) else f"{SESSION}{given}"[:NAME_CHARS_MAX], "session_id")


def _by_text(tx: Tx, rows: Sequence[RecordRow]) -> dict[str, int]:
    """Findings of the very text of one of the rows, in their scope, by the hash of the text."""
    return tx.sayings.findings_by_hash({row.content_hash for row in rows}, rows[0].scope_pk)


def _add_addresses(tx: Tx, op: Op, pk: int, row: RecordRow) -> None:
    """The record that is there was found in these places too."""
    old = tx.records.columns_of(pk) or {}
    metadata = from_json(old.get("metadata"), {})
    known = metadata.get("urls") or []
    fresh = [url for url in from_json(row.metadata, {}).get("urls", ()) if url not in known]
    if fresh and isinstance(known, list):
        text = orjson.dumps(metadata | {"urls": [*known, *fresh]}).decode()
        tx.records.revise(op, pk, {"metadata": text})
