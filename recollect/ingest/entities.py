"""From names in texts to entities: the same thing under any of its names, and never two things as one.

A name is looked for among the names in use, exactly first: in the record's own scope and in the wider ones it sees.
Then among what its own scope knows, by likeness: part of a name, short form, initials, misspelling; only where one
entity alone fits, or one whose records are clearly nearer in meaning. Otherwise it is somebody new, of the scope of the
record that names it first. Scopes never mix: a record does not teach a wider entity the name it uses, so what is called
how in private stays there.

What is recognised holds as long as live records say so (`store.mentions`): undoing or deleting them takes it back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz, process

from recollect.model.entity import EntityType, fold
from recollect.perceive.names.mentions import Mention
from recollect.perceive.names.same_name import NICKNAME, keys_of, likeness, types_agree
from recollect.store import entities
from recollect.store.base import Tx
from recollect.store.entities import NewEntity
from recollect.store.journal import Op

CANDIDATES_MAX = 500  # entities of a scope that a new name is compared with, last seen first
_MISSPELLED_MAX = 5
_NEAR = 0.01  # scores this close say the same


class Noted(NamedTuple):
    """What one record names."""

    record_pk: int
    scope_pk: int
    at: int
    mentions: Sequence[Mention]


Named = tuple[int, int, int, Sequence[Mention]]  # record, scope, time, what it names


def note_mentions(tx: Tx, op: Op, rows: Iterable[Named], *, similarity: float) -> None:
    """New records name these things: find or make the entities, and say which record names which.

    To be called after the records, and their vectors if there are any, were stored in the same transaction.
    """
    by_scope: dict[int, list[Noted]] = {}
    for row in map(Noted._make, rows):
        by_scope.setdefault(row.scope_pk, []).append(row)
    for scope_pk, own in by_scope.items():
        _Registry(tx, op, scope_pk, similarity).note(own)


def revise_mentions(tx: Tx, op: Op, row: Noted, *, similarity: float) -> None:
    """A record whose text changed names other things now; journalled, as the record itself is."""
    registry = _Registry(tx, op, row.scope_pk, similarity)
    named = registry.resolve([row])
    registry.store_new()
    tx.mentions.replace(op, row.record_pk, {pk: surface for _, pk, surface in named})
    registry.store_names()


class _Registry:
    """What a scope knows, as far as the names at hand need it, and what they add to it."""

    def __init__(self, tx: Tx, op: Op, scope_pk: int, similarity: float) -> None:
        self._tx, self._op = tx, op
        self._scope_pk = scope_pk
        self._similarity = similarity
        self._next_pk = tx.entities.next_pk()
        self._known: dict[str, list[entities.Called]] = {}
        self._chosen: dict[tuple[str, EntityType], int] = {}
        self._candidates: dict[EntityType, _Candidates] = {}
        self._new: list[NewEntity] = []
        self._learned: list[tuple[int, str, int]] = []
        self._seen: dict[int, int] = {}

    def note(self, rows: Sequence[Noted]) -> None:
        named = self.resolve(rows)
        self.store_new()
        self._tx.mentions.note(named)
        self.store_names()

    def resolve(self, rows: Sequence[Noted]) -> list[tuple[int, int, str]]:
        """(record, entity, as written) of everything the rows name."""
        names = {fold(mention.surface) for row in rows for mention in row.mentions}
        if not names:
            return []
        self._known = self._tx.entities.called(names, self._tx.entities.visible_from(self._scope_pk))
        named: list[dict[int, str]] = [{} for _ in rows]
        for unsure in (
            False,
            True,
        ):  # what only opens a sentence is a name where one of the rows, or the scope, knows it
            for row, present in zip(rows, named, strict=True):
                wanted = [mention for mention in row.mentions if mention.unsure is unsure]
                for mention in sorted(wanted, key=_speaker_then_longest):
                    pk = self._heard_before(mention) if unsure else self._entity(row, mention, present)
                    if pk is not None:
                        present.setdefault(pk, mention.surface)
                        self._seen[pk] = max(self._seen.get(pk, row.at), row.at)
        return [
            (row.record_pk, pk, surface)
            for row, present in zip(rows, named, strict=True)
            for pk, surface in present.items()
        ]

    def store_new(self) -> None:
        pks = self._tx.entities.insert(self._new)
        assert not self._new or pks[-1] == self._next_pk - 1
        self._new = []

    def store_names(self) -> None:
        self._tx.mentions.learn(self._learned)
        self._tx.entities.seen(self._seen, self._scope_pk)

    def _entity(self, row: Noted, mention: Mention, present: dict[int, str]) -> int:
        name = fold(mention.surface)
        key = (name, mention.type)
        chosen = self._chosen.get(key)
        if chosen is None:
            chosen = self._exactly(name, mention.type)
            if chosen is None:
                chosen = self._by_likeness(row, mention, present)
            if chosen is None:
                chosen = self._make(row, mention)
            self._chosen[key] = chosen
        return chosen

    def _heard_before(self, mention: Mention) -> int | None:
        """The live entity of this very name; a word that opens a sentence makes none."""
        known = [one for one in self._known.get(fold(mention.surface), ()) if one.live]
        return min(known, key=lambda one: (one.scope_pk != self._scope_pk, one.alias, one.pk)).pk if known else None

    def _exactly(self, name: str, type_: EntityType) -> int | None:
        """By this very name: what lives before what does not, the same type before a related one, own before wider."""
        fitting = [one for one in self._known.get(name, ()) if types_agree(one.type, type_)]
        if not fitting:
            return None
        best = min(
            fitting,
            key=lambda one: (not one.live, one.type is not type_, one.scope_pk != self._scope_pk, one.alias, one.pk),
        )
        if best.type is EntityType.CONCEPT and type_ is not EntityType.CONCEPT and best.scope_pk == self._scope_pk:
            self.store_new()  # it may have been made for a row before this one
            self._tx.entities.revise(self._op, best.pk, {"type": type_.value})
            self._known[name] = [one._replace(type=type_) if one.pk == best.pk else one for one in self._known[name]]
        return best.pk

    def _by_likeness(self, row: Noted, mention: Mention, present: dict[int, str]) -> int | None:
        name = fold(mention.surface)
        scored = [
            (score, pk)
            for pk, score in self._of_type(mention.type).like(name, mention.type).items()
            if score >= self._similarity and (pk not in present or (score > NICKNAME and len(name) < len(present[pk])))
        ]
        if not scored:
            return None
        best = max(scored)[0]
        fitting = [pk for score, pk in scored if score >= best - _NEAR]
        new = {self._next_pk - 1 - at for at in range(len(self._new))}
        fitting = [pk for pk in fitting if pk in new or self._tx.entities.is_live(pk)]
        one = fitting[0] if len(fitting) == 1 else self._nearest(row, fitting)
        if one is not None:
            self._learned.append((one, name, row.record_pk))
            self._of_type(mention.type).add(one, name)
        return one

    def _nearest(self, row: Noted, pks: list[int]) -> int | None:
        """Of several that fit, the one whose records are nearest in meaning to this one, if that is clear."""
        return self._tx.profiles.nearest(row.record_pk, pks, above=self._similarity) if pks else None

    def _make(self, row: Noted, mention: Mention) -> int:
        pk = self._next_pk
        self._next_pk += 1
        self._new.append(NewEntity(mention.surface, mention.type, self._scope_pk, row.at, found=True))
        name = fold(mention.surface)
        self._known.setdefault(name, []).append(
            entities.Called(pk=pk, type=mention.type, scope_pk=self._scope_pk, alias=False, live=True)
        )
        for type_, known in self._candidates.items():
            if _comparable(type_, mention.type):
                known.add(pk, name)
        return pk

    def _of_type(self, type_: EntityType) -> _Candidates:
        """What a new name of this type is compared with; read when the first such name comes."""
        if type_ not in self._candidates:
            wanted = [other for other in EntityType if _comparable(type_, other)]
            found = self._tx.entities.names_in_use(self._scope_pk, wanted, limit=CANDIDATES_MAX)
            known = self._candidates[type_] = _Candidates()
            for pk, name in found:
                known.add(pk, name)
            for pk, new in enumerate(self._new, self._next_pk - len(self._new)):
                if new.type in wanted:
                    known.add(pk, fold(new.name))
        return self._candidates[type_]


class _Candidates:
    """Names by what they share with others, so that a new one is compared with few."""

    def __init__(self) -> None:
        self._names: dict[int, list[str]] = {}
        self._holders: dict[str, set[int]] = {}
        self._every: dict[str, set[int]] = {}

    def add(self, pk: int, name: str) -> None:
        self._names.setdefault(pk, []).append(name)
        self._every.setdefault(name, set()).add(pk)
        for key in keys_of(name):
            self._holders.setdefault(key, set()).add(pk)

    def like(self, name: str, type_: EntityType) -> dict[int, float]:
        """Entities that this may be another name of, and how likely it is."""
        if type_ is EntityType.FILE:
            return {}
        near = {pk for key in keys_of(name) for pk in self._holders.get(key, ())}
        close = process.extract(name, list(self._every), scorer=fuzz.ratio, score_cutoff=80, limit=_MISSPELLED_MAX)
        near |= {pk for other, _, _ in close for pk in self._every[other]}
        return {pk: score for pk in near if (score := self._score(name, pk, type_))}

    def _score(self, name: str, pk: int, type_: EntityType) -> float:
        """By the name most like it; nothing where another full name of it is somebody else's."""
        scores = [(likeness(name, other, type_), other) for other in self._names[pk]]
        if type_ is EntityType.PERSON and " " in name and any(not score and " " in other for score, other in scores):
            return 0.0
        return max(scores)[0]


def _comparable(one: EntityType, other: EntityType) -> bool:
    """Whether names of these types are compared by likeness: a concept only with concepts."""
    return one is other or (types_agree(one, other) and EntityType.CONCEPT not in (one, other))


def _speaker_then_longest(mention: Mention) -> tuple[bool, int]:
    return mention.span != (0, 0), -len(mention.surface)
