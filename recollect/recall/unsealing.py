"""Records of a tier as their readers see them: sensitive ones whole where that is allowed, confidential ones withheld.

Only the last step before an answer opens anything, and only on the way to the caller who asked. Searches, rankings,
language models, summaries and whatever else works with records have the text that stands in the row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import orjson

from recollect.config import LiveConfig
from recollect.errors import NotFound, StoreDamaged
from recollect.model.audit import AuditEvent
from recollect.model.facets import Facets
from recollect.model.place import Place
from recollect.model.record import Record, SecurityTier
from recollect.model.result import Hit, Source
from recollect.security.auditing import Audit
from recollect.security.fields import FieldCipher
from recollect.security.screening.policy import SECRETS, in_scope
from recollect.store.base import Store, Tx

TEXT, REDACTED = "text", "redacted"
SHOWN, HIDDEN, DAMAGED = "sealed:shown", "sealed:hidden", "sealed:damaged"  # flags of hits
_READ: dict[str, Any] = {
    "tags": lambda text: tuple(orjson.loads(text)),
    "metadata": orjson.loads,
    "attributes": orjson.loads,
    "place": lambda text: Place.from_dict(orjson.loads(text)),
    "facets": lambda text: Facets.from_dict(orjson.loads(text)),
}
_OF_A_HIT = frozenset({"content", "metadata", "tags", "place", "speaker"})
_OF_A_SOURCE = frozenset({"content", "metadata", "speaker"})
R = TypeVar("R", Record, Hit)


class Unsealing:
    """Opens what is sealed of sensitive records, by the setting `security.sensitive_shown`."""

    def __init__(self, store: Store, fields: FieldCipher, config: LiveConfig, audit: Callable[[], Audit]) -> None:
        self._audit = audit
        self._store = store
        self._fields = fields
        self._config = config

    def record(self, record: Record) -> Record:
        """One record as it is shown."""
        return self.records([record])[0]

    def records(self, records: Sequence[Record]) -> list[Record]:
        """Records as they are shown."""
        if not any(_is_opened(each) for each in records):
            return list(records)
        whole = self._opened(records)
        return [replace(each, **_values(whole[each.sealed])) if each.sealed in whole else each for each in records]

    def revealed(self, record: Record) -> Record:
        """A record with all that is sealed of it, whatever its tier; `StoreDamaged` if that does not open."""
        assert record.sealed is not None
        self._fields.require()
        with self._store.read() as tx:
            box = tx.sealed.load([record.sealed]).get(record.sealed)
        if box is None:
            raise StoreDamaged(f"what is sealed of record {record.id} is gone; the record is still there without it")
        return replace(record, **_values(self._fields.opened(box)))

    def secret(self, ref: str) -> tuple[str, str]:
        """Kind and value of a secret that is kept, by its reference."""
        with self._store.read() as tx:
            box = tx.sealed.with_secret(ref)
        if box is None:
            raise NotFound("no secret is kept under this reference; it may have been erased with its record")
        kind, value = self._fields.opened(box)[SECRETS][ref]
        return kind, value

    def hits(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Hits as they are shown, with what they rest on; their flags say what they are."""
        if all(each.security is SecurityTier.CLEARTEXT for each in hits):
            return tuple(hits)
        whole = self._opened(hits)
        sources = self._sources([source for hit in hits for source in hit.sources])
        return tuple(self._hit(hit, whole, sources) for hit in hits)

    def _hit(self, hit: Hit, whole: Mapping[int | None, Any], sources: Mapping[str, Source]) -> Hit:
        if hit.sources and sources:
            hit = replace(hit, sources=tuple(sources.get(each.id, each) for each in hit.sources))
        if hit.sealed is None:
            return hit
        if hit.sealed not in whole:
            return replace(hit, flags=(*hit.flags, HIDDEN))
        if whole[hit.sealed] is None:
            return replace(hit, flags=(*hit.flags, DAMAGED))
        values = {name: value for name, value in _values(whole[hit.sealed]).items() if name in _OF_A_HIT}
        return replace(hit, **values, flags=(*hit.flags, SHOWN))

    def _sources(self, sources: Sequence[Source]) -> dict[str, Source]:
        """The turns that hits rest on, as they are shown; those without anything sealed are left out."""
        by_id = {source.id: source for source in sources}
        if not by_id:
            return {}
        with self._store.read() as tx:
            refs = self._allowed(tx, tx.sealed.current(list(by_id)))
            boxes = tx.sealed.load(list(refs.values()))
        whole = self._fields.opened_as_far(boxes.values())
        return {
            id_: replace(
                by_id[id_], **{name: value for name, value in _values(whole[ref]).items() if name in _OF_A_SOURCE}
            )
            for id_, ref in refs.items()
            if ref in whole
        }

    def _opened(self, shown: Iterable[R]) -> dict[int | None, Any]:
        """What is sealed of each, by its number; None for what does not open. What may not be shown is left out."""
        refs = {each.id: each.sealed for each in shown if _is_opened(each)}
        every = [each.sealed for each in shown if _is_opened(each)]
        if not every or not self._fields.available:
            return {}
        with self._store.read() as tx:
            allowed = self._allowed(tx, refs)
            boxes = tx.sealed.load([ref for ref in every if ref is not None])
        kept = {ref: box for ref, box in boxes.items() if box.record_id in allowed}
        whole = self._fields.opened_as_far(kept.values())
        if whole:
            self._audit().note(AuditEvent.FIELD_DECRYPTED, count=len(whole), detail={"tier": "sensitive"})
        return {ref: whole.get(ref) for ref in kept}

    def _allowed(self, tx: Tx, refs: Mapping[str, int | None]) -> dict[str, int]:
        """Those whose scope may be shown its texts."""
        chosen = self._config.current.security
        if not refs or (chosen.sensitive_shown == REDACTED and not chosen.sensitive_shown_in):
            return {}
        numbers = {id_: ref for id_, ref in refs.items() if ref is not None}
        if not chosen.sensitive_shown_in:
            return numbers
        where = tx.sealed.scopes(list(numbers))
        mode = {
            id_: in_scope(chosen.sensitive_shown, chosen.sensitive_shown_in, scope, "sensitive_shown")
            for id_, scope in where.items()
        }
        return {id_: ref for id_, ref in numbers.items() if mode.get(id_) == TEXT}


def _is_opened(shown: Record | Hit) -> bool:
    return shown.sealed is not None and shown.security is SecurityTier.SENSITIVE


def _values(columns: Mapping[str, Any] | None) -> dict[str, Any]:
    """Sealed columns as the fields of a record; nothing of what did not open."""
    return {
        name: _READ[name](value) if name in _READ and value is not None else value
        for name, value in (columns or {}).items()
        if name != SECRETS  # those are given by their references, one by one
    }
