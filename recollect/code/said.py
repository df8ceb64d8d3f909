"""What was said about a project's code, as nodes and edges of its graph: notes, and links between places.

Truth is in the records; here they become edges as somebody may see them, for as long as nothing changes. What waits for
review or was flagged is no edge, nor is what names code that is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from recollect.clock import Clock, from_us
from recollect.code.anchoring import RecordAnchors
from recollect.code.graph import FLOWS, CodeGraph, SaidEdge
from recollect.code.questions import CodeQuestions
from recollect.config import LiveConfig
from recollect.errors import NotFound, UsageError, shown
from recollect.ids import ID_CHARS
from recollect.model.anchor import AnchorState, CodeAnchor, anchors_on, state_of
from recollect.model.code import CodeNote, NodeKind
from recollect.model.query import Criteria
from recollect.model.said_of_code import CATEGORIES, JOINED_BY, LINK, NoteKind, SaidOfCode, place_of
from recollect.store.anchors import SaidRow
from recollect.store.base import Store
from recollect.store.code import ProjectRow
from recollect.store.rows import from_json

CHARS_SHOWN = 400  # of a text, where several are shown
SAID_MAX = 5_000  # notes and links of one project, the newest
_HELD = 64  # projects and callers


class SaidRecord(NamedTuple):
    """A note or a link with the places it names, as they are now. `in_order`: data goes from place to place."""

    row: SaidRow
    said: SaidOfCode
    places: tuple[CodeAnchor, ...]
    in_order: bool = False

    @property
    def node(self) -> str:
        """Under which path a note is in the graph."""
        return node_of(self.row.id)

    @property
    def holds(self) -> bool:
        """Whether it is to be followed: nobody doubts it, and the code that it names is there."""
        gone = [place.state is AnchorState.ORPHANED for place in self.places]
        lost = any(gone) if self.row.category == LINK else all(gone)
        return not (self.row.needs_review or self.row.flagged or lost)

    def touches(self, label: str) -> bool:
        """Whether it names a file, something in it or in a folder, or a symbol or a part of it."""
        named = [each.label for each in self.places]
        return any(each == label or each.startswith((f"{label}::", f"{label}/", f"{label}.")) for each in named)

    def shown(self) -> CodeNote:
        """As somebody reads it."""
        state = state_of(self.places)
        return CodeNote(
            id=self.row.id,
            kind=self.row.category,
            text=self.row.content[:CHARS_SHOWN],
            about=tuple(each.label for each in self.places),
            relation=self.said.relation,
            weight=self.said.weight,
            confidence=self.row.confidence,
            by=self.row.source or "",
            at=from_us(self.row.updated_at),
            state=state.value if state is not None else "",
            counts=self.holds,
        )


class _SaidOfProject(NamedTuple):
    seq: int
    at: int
    records: tuple[SaidRecord, ...]


def node_of(id_: str) -> str:
    """How a note is named where code is named."""
    return f"#{id_[:ID_CHARS]}"


class SaidAboutCode:
    """Notes and links of one store."""

    def __init__(self, store: Store, config: LiveConfig, clock: Clock, anchors: RecordAnchors) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._anchors = anchors
        self._held: dict[tuple[str, Criteria], _SaidOfProject] = {}

    def records(self, project: str, sight: Criteria) -> tuple[SaidRecord, ...]:
        """What somebody may see of what was said about a project, the newest first.

        It is looked at anew after any change of the store, and every `codegraph.check_s`: code may have changed.
        """
        key, seq, now = (project, sight), self._store.change_seq(), self._clock()
        held = self._held.get(key)
        if held is not None and held.seq == seq and (now - held.at) / 1e6 < self._config.current.codegraph.check_s:
            return held.records
        found = self._read(project, sight, now)
        if held is not None and held.records == found:
            found = held.records  # the same value, so that a graph that was made of it holds
        if len(self._held) >= _HELD:
            self._held.clear()
        self._held[key] = _SaidOfProject(seq, now, found)
        return found

    def look_again(self) -> None:
        """Code has changed: how records stand to it is asked anew."""
        self._held = {key: held._replace(at=0) for key, held in self._held.items()}

    def _read(self, project: str, sight: Criteria, now: int) -> tuple[SaidRecord, ...]:
        with self._store.read() as tx:
            rows = tx.anchors.said(sight, categories=CATEGORIES, now=now, limit=SAID_MAX)
        attributes = {row.id: from_json(row.attributes, {}) for row in rows}
        anchored = {id_: anchors_on(each) for id_, each in attributes.items()}
        mine = {id_: each for id_, each in anchored.items() if each and each[0].project == project}
        states = self._anchors.states(mine) if mine else {}
        found: list[SaidRecord] = []
        for row in rows:
            places = states.get(row.id, ())
            named = SaidOfCode.of(attributes[row.id])
            said = named or SaidOfCode(places=tuple(each.label for each in places))
            if places and (row.category != LINK or (said.relation and len(places) == len(said.places))):
                in_order = row.category == NoteKind.DATA_FLOW and named is not None
                found.append(SaidRecord(row, said, places, in_order))
        return tuple(found)

    def place(self, project: ProjectRow, questions: CodeQuestions, text: str) -> str:
        """A place that somebody names, as it is kept: `path`, `path::symbol` or `path:10-20`."""
        label = text
        try:
            if place_of(text)[1] is None:
                found = questions.meant(text)
                label = found.label
                if found.whole and label not in questions.graph.places:
                    raise UsageError("a folder is no place that can be kept; name a file, or a symbol")
        except NotFound:
            if self._anchors.place(project, text) is None:  # nor is it a file that is no code
                raise
        if self._anchors.place(project, label) is None:
            raise NotFound(
                f"{shown(label, 80)} cannot be kept: hidden files, links and lines that are not there are none"
            )
        return label

    def joined(self, graph: CodeGraph, records: Iterable[SaidRecord]) -> CodeGraph:
        """A graph with what was said; the graph itself where that is nothing."""
        counted = [each for each in records if each.holds]
        if not counted:
            return graph
        nodes = _Nodes(graph)
        notes = {each.row.id: each for each in counted if each.row.category != LINK}
        edges = [edge for each in counted for edge in self._edges_of(each, nodes, notes)]
        return graph.joined(nodes.more, edges)

    def _edges_of(self, record: SaidRecord, nodes: _Nodes, notes: Mapping[str, SaidRecord]) -> Iterable[SaidEdge]:
        drifted = self._config.current.codegraph.drifted_trust
        surely = [record.row.confidence * (drifted if p.state is AnchorState.DRIFTED else 1.0) for p in record.places]
        places = [nodes.at(place) for place in record.places]
        said = record.said

        def edge(source: int, target: int, kind: str, confidence: float) -> SaidEdge:
            ends = (target, source) if kind == FLOWS else (source, target)
            return SaidEdge(*ends, kind, said.weight, confidence, record.row.id)

        if record.row.category == LINK:
            ends = [_end(each, places, notes, nodes) for each in (said.source, said.target)]
            if None not in ends:
                yield edge(ends[0], ends[1], said.relation, min(surely))  # type: ignore[arg-type]
            return
        own = nodes.of_note(record)
        there = [
            (place, confidence)
            for place, confidence, anchor in zip(places, surely, record.places, strict=True)
            if anchor.state is not AnchorState.ORPHANED
        ]
        for place, confidence in there:
            yield edge(place, own, JOINED_BY[NoteKind(record.row.category)], confidence)
        if record.in_order:
            for (one, confidence), (other, _) in pairwise(there):
                yield edge(one, other, FLOWS, confidence)


class _Nodes:
    """Places and notes as nodes of a graph; those that it lacks become further ones."""

    def __init__(self, graph: CodeGraph) -> None:
        self._graph = graph
        self.more: list[tuple[str, str]] = []
        self._further: dict[str, int] = {}

    def at(self, place: CodeAnchor) -> int:
        file = self._graph.places.get(place.path)
        if file is None:  # no code: a configuration, a document
            return self._added(place.path, NodeKind.FILE)
        first = self._graph.nodes_in(file).start
        symbols = self._graph.symbols_of(file)
        return next((first + at for at, each in enumerate(symbols) if each[0] == place.symbol), first)

    def of_note(self, note: SaidRecord) -> int:
        return self._added(note.node, note.row.category)

    def _added(self, path: str, kind: str) -> int:
        if path not in self._further:
            self._further[path] = len(self._graph) + len(self.more)
            self.more.append((path, kind))
        return self._further[path]


def _end(end: int | str, places: Sequence[int], notes: Mapping[str, SaidRecord], nodes: _Nodes) -> int | None:
    if isinstance(end, int):
        return places[end]
    return nodes.of_note(notes[end]) if end in notes else None
