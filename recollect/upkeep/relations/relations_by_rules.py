"""Finds how new documents and statements stand to others, and says so with edges that a person may confirm.

A durable job, not a part of the write path. What a text points at is looked up by name
(`references`), what it may contradict is looked for in the indexes, both in its own scope only. The edges are
guesses with their evidence (`perceive.relations.standing`): marked `auto_extracted`, they hide and retire nothing, fade
unless confirmed, and are pruned.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.config.writing import PerceiveSettings
from recollect.index.base import Selection
from recollect.index.follow import Indexes
from recollect.ingest.requests import MODEL_RELATIONS_JOB, SOUGHT_IN, STATEMENTS
from recollect.language.terms import telling, terms_of
from recollect.perceive.relations.links import links_in
from recollect.perceive.relations.standing import RelationCandidate, Standing, relations_in, standings
from recollect.store.base import Store, Tx
from recollect.store.jobs import Job
from recollect.store.rows import from_json
from recollect.store.stretches import RowStretch
from recollect.upkeep.jobs.worker import Progress, await_indexes
from recollect.upkeep.relations.extracted import TextRelations, keep
from recollect.upkeep.relations.references import References
from recollect.upkeep.relations.texts import LiveText, live_texts

PORTION = 256  # rows looked at between two writes
TERMS_MAX = 16  # words that candidates are looked for by
CONTENTS_MIN = 8  # links into a document's own sections from which they are its table of contents
REFERRING_MAX = 50  # earlier texts that may have named a document before it was there

METHODS = ("pattern", "difference", "topic")
_SEEN = "relations_seen"  # meta: the newest row looked at


@dataclass(slots=True)
class TextToRead:
    """A text to be read, and the row that gives cause to. `anew`: it was read before; only links may lead further."""

    pk: int
    row_pk: int
    anew: bool = False


@dataclass(slots=True)
class SimilarRows:
    """Rows like a given one, in its scope; what is worth keeping while one portion is looked at."""

    indexes: Indexes
    now: int
    selections: dict[tuple[int, tuple[str, ...]], Selection] = field(default_factory=dict)

    def of(self, note: LiveText, kinds: tuple[str, ...], limit: int) -> list[int]:
        """The nearest by meaning; by words where the store has no vectors."""
        key = note.row.scope_pk, kinds
        if key not in self.selections:
            self.selections[key] = self.indexes.columns.select(scope_pks=[note.row.scope_pk], kinds=kinds, now=self.now)
        among = self.selections[key]
        found: list[int] = []
        for index in list(self.indexes.vectors.values()):
            own = index.vectors(np.array([note.pk], dtype=np.int64))[0]
            if own.any():
                found = index.search(own, limit=limit + 1, among=among).pks.tolist()
                break
        else:
            terms = list(dict.fromkeys(telling(terms_of(note.content))))[:TERMS_MAX]
            found = self.indexes.text.search(terms, limit=limit + 1, among=among).pks.tolist()
        return [pk for pk in found if pk != note.pk][:limit]


class RelationsByRules:
    """The handler of `relations` jobs."""

    def __init__(self, store: Store, indexes: Indexes, config: LiveConfig, clock: Clock) -> None:
        self._store = store
        self._indexes = indexes
        self._config = config
        self._clock = clock

    def run(self, job: Job, progress: Progress) -> None:
        """Look at every record stored since the last run. Stops early when told to; the next run goes on."""
        if self._config.current.perceive.relations_by_model:  # it goes over the same records, in its own time
            self._store.write(lambda tx: tx.jobs.enqueue_once(MODEL_RELATIONS_JOB, now=self._clock()))
        while kinds := SOUGHT_IN[self._config.current.perceive.relations]:
            with self._store.read() as tx:
                here = tx.stretches.next(_SEEN, PORTION)
            if here is None:
                return
            found = self._found_in(here, kinds, progress)
            self._store.write(partial(self._keep, here=here, found=found))
            if here.reached < here.last and not progress(here.share):
                raise InterruptedError("stopped before the end")

    def _keep(self, tx: Tx, here: RowStretch, found: Sequence[TextRelations]) -> None:
        """The edges of a portion and how far we are, together. A portion that another process did is left alone."""
        if tx.stretches.move_on(_SEEN, here):
            keep(tx, found, methods=METHODS, now=self._clock())

    def _found_in(self, here: RowStretch, kinds: tuple[str, ...], progress: Progress) -> list[TextRelations]:
        with self._store.read() as tx:
            new = live_texts(tx, here.records, kinds)
            documents = tx.documents.wholes_among(here.records)
        if not new and not documents:
            return []
        await_indexes(self._indexes, progress)
        causes = {head: TextToRead(head, row) for head, row in here.records.items() if head in new}
        for pk, scope_pk, place in documents:
            for referring in self._naming(scope_pk, place, here.seen):
                causes.setdefault(referring, TextToRead(referring, pk, anew=True))
        with self._store.read() as tx:
            looking = _Looking(
                tx,
                kinds,
                self._config.current.perceive,
                References(tx),
                SimilarRows(self._indexes, self._clock()),
                live_texts(tx, causes, kinds),
            )
            return [looking.found(cause) for cause in causes.values() if looking.can_read(cause)]

    def _naming(self, scope_pk: int, place: str | None, seen: int) -> list[int]:
        """Texts read earlier that hold the name of this file: it was not there yet when they were read."""
        name = posixpath.basename(from_json(place, {}).get("file_path") or "")
        if "." not in name:
            return []
        among = self._indexes.columns.select(scope_pks=[scope_pk], now=self._clock())
        found = self._indexes.text.search(terms_of(name)[:1], limit=REFERRING_MAX, among=among)
        return [pk for pk in found.pks.tolist() if pk <= seen]


@dataclass(slots=True)
class _Looking:
    """One look at a portion, in one read transaction: `read` are the texts it is about, `known` those met so far."""

    tx: Tx
    kinds: tuple[str, ...]
    settings: PerceiveSettings
    references: References
    near: SimilarRows
    read: dict[int, LiveText]
    known: dict[int, LiveText] = field(
        default_factory=dict
    )  # neighbours come again and again; each is read and cut once

    def can_read(self, cause: TextToRead) -> bool:
        return cause.pk in self.read and not self.read[cause.pk].is_code

    def found(self, cause: TextToRead) -> TextRelations:
        """What one text says about those it names, those it stands under, and those like it."""
        note = self.read[cause.pk]
        named = self._named(note)
        standing = {} if cause.anew else self._standing(note)
        around = [] if cause.anew else self._around(note, before=cause.row_pk)
        others = self._notes({*named, *standing, *around})
        candidates = [
            RelationCandidate(
                key=str(pk), text=others[pk].text, names=tuple(named.get(pk, ())), standing=standing.get(pk, "near")
            )
            for pk in dict.fromkeys((*named, *standing, *around))
            if pk in others
        ]
        relations = relations_in(note.text, candidates, title=note.row.title or "", settings=self.settings)
        return TextRelations(note, cause.row_pk, [(each, others[int(each.key)]) for each in relations])

    def _notes(self, pks: set[int]) -> dict[int, LiveText]:
        if unknown := pks - self.read.keys() - self.known.keys():
            self.known |= live_texts(self.tx, unknown, self.kinds)
        return {pk: note for pk in pks if (note := self.read.get(pk) or self.known.get(pk)) is not None}

    def _named(self, note: LiveText) -> dict[int, list[str]]:
        """Records that a text points at, with what it calls them."""
        links = links_in(note.content)
        if sum(link.sort == "path" and not link.target for link in links) > CONTENTS_MIN:
            links = tuple(link for link in links if link.target)
        named: dict[int, list[str]] = {}
        for link in links:
            pk = self.references.target(
                link, scope_pk=note.row.scope_pk, file_path=note.file_path, document=note.row.document
            )
            if pk is not None and pk != note.pk:
                named.setdefault(pk, []).append(link.name)
        return named

    def _standing(self, note: LiveText) -> dict[int, Standing]:
        """The pieces before and above this one, if its first words or its title say that it belongs to them."""
        if note.row.document is None:
            return {}
        found: dict[int, Standing] = {}
        for standing in standings(note.text, note.row.title or ""):
            look = self.references.before if standing == "before" else self.references.above
            pk = look(note.pk, note.row.document, note.row.scope_pk)
            if pk is not None:
                found.setdefault(pk, standing)
        return found

    def _around(self, note: LiveText, *, before: int) -> list[int]:
        """What a statement may contradict; anything that shares its topic, if that is enough to be kept.

        Only what was there before it: of two, the later one is read for what it is to the other.
        """
        kinds: tuple[str, ...] = ()
        if self.settings.relation_confidence["topic"] >= self.settings.relation_min:
            kinds = self.kinds
        elif note.is_statement and len(note.text.sentences) == 1:
            kinds = STATEMENTS
        found = self.near.of(note, kinds, self.settings.relation_candidates) if kinds else []
        return [pk for pk in found if pk < before]
