"""What people, agents or a model say about code: notes and links, which are records, and edges of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.errors import UsageError, shown
from recollect.facade.code_asking import CodeAsking, named, number
from recollect.ingest import check
from recollect.limits import CODE_ANSWER_ITEMS_MAX
from recollect.model.result import Receipt
from recollect.model.said_of_code import ATTRIBUTE, LINK, PLACES_MAX, RELATIONS, NoteKind, SaidOfCode, place_of

if TYPE_CHECKING:
    from recollect.code.projects import AskedProject
    from recollect.model.code import CodeNotes


class CodeNoteVerbs(CodeAsking):
    """Say something about code, and list what was said."""

    def note(
        self,
        kind: str,
        text: str,
        about: str | Sequence[str],
        *,
        confidence: float = 1.0,
        by: str | None = None,
        needs_review: bool = False,
        root: str | None = None,
    ) -> Receipt:
        """Say what code does not: a pattern, a data flow, an invariant or a decision, at places in it.

        It is a record of the project, and a node of the graph. It follows its code, and waits where that is gone.

        Args:
            kind: pattern, data_flow, invariant or decision.
            text: What there is to know, understandable alone.
            about: Up to five places: a path, a symbol, path::symbol, path:10-20. Of a data flow in their order.
            confidence: 0 to 1.
            by: Who says it: a person, an agent, a model.
            needs_review: Whether a person should look at it first: until then it is part of no answer.
            root: The project, by its folder or name.
        """
        try:
            sort = NoteKind(kind)
        except ValueError:
            raise UsageError(f"kind is one of {', '.join(NoteKind)}, not {shown(kind, 40)}") from None
        given = [about] if isinstance(about, str) else list(about)
        if not 1 <= len(given) <= PLACES_MAX:
            raise UsageError(f"about is one place in code, or up to {PLACES_MAX}")
        asked = self._asked(root)
        places = tuple(dict.fromkeys(self._projects.place(asked, named(each, "about")) for each in given))
        said = SaidOfCode(places=places)
        return self._keep(asked, text, sort.value, said, confidence=confidence, by=by, needs_review=needs_review)

    def link(
        self,
        source: str,
        relation: str,
        target: str,
        *,
        why: str | None = None,
        weight: float = 1.0,
        confidence: float = 1.0,
        by: str | None = None,
        needs_review: bool = False,
        root: str | None = None,
    ) -> Receipt:
        """Say how two places in code are joined where no import or call shows it: an edge of the graph.

        Args:
            source: A path, a symbol, path::symbol, or the #id of a note.
            relation: depends_logically, is_entrypoint_for, handles_errors_from, applies_pattern or flows_to.
            target: Another one.
            why: How it is known.
            weight: How much of a change it passes on, 0 to 1; the share of its kind is `codegraph.impact`.
            confidence: 0 to 1.
            by: Who says it: a person, an agent, a model.
            needs_review: Whether a person should look at it first: until then it is part of no answer.
            root: The project, by its folder or name.
        """
        if relation not in RELATIONS:
            raise UsageError(f"relation is one of {', '.join(RELATIONS)}, not {shown(relation, 40)}")
        share = check.share(weight, "weight")
        asked = self._asked(root)
        ends_named = [self._end(asked, named(each, what)) for each, what in ((source, "source"), (target, "target"))]
        if ends_named[0] == ends_named[1]:
            raise UsageError("a link joins two different things")
        places = [place for place, id_ in ends_named if id_ is None]
        if not places:
            raise UsageError("a link has a place in code at one end; `relate` joins two notes")
        ends = [places.index(place) if id_ is None else id_ for place, id_ in ends_named]
        said = SaidOfCode(places=tuple(places), relation=relation, source=ends[0], target=ends[1], weight=share)
        words = f"{ends_named[0][0]} {relation} {ends_named[1][0]}"
        text = words if why is None else f"{words}: {check.content(why, bytes_max=None, what='why')}"
        return self._keep(asked, text, LINK, said, confidence=confidence, by=by, needs_review=needs_review)

    def notes(self, about: str | None = None, *, limit: int = 50, start: int = 0, root: str | None = None) -> CodeNotes:
        """What was said about a project's code: notes and links, with who said it, when, and how that code stands now.

        Args:
            about: Only what names this file, folder or symbol.
            limit: How many to name.
            start: Where to go on, as `next` of the answer before said.
            root: The project, by its folder or name.
        """
        from recollect.model.code import CodeNotes

        most, first = number(limit, "limit", 1), number(start, "start", 0)
        asked = self._asked(root)
        found = asked.said
        if about is not None:
            meant = asked.questions.meant(named(about, "about"))
            found = tuple(each for each in found if each.touches(meant.label))
        end = first + min(most, CODE_ANSWER_ITEMS_MAX)
        return CodeNotes(
            items=tuple(each.shown() for each in found[first:end]),
            total=len(found),
            next=end if end < len(found) else None,
        )

    def _end(self, asked: AskedProject, text: str) -> tuple[str, str | None]:
        """One end of a link, and the id of the record where it is a note."""
        if not text.startswith("#"):
            return self._projects.place(asked, text), None
        note = next((each for each in asked.said if text == each.node and each.row.category != LINK), None)
        if note is None:
            raise UsageError(f"{shown(text, 40)} is no note about this project's code; `notes` lists them")
        return note.node, note.row.id

    def _keep(
        self,
        asked: AskedProject,
        text: str,
        category: str,
        said: SaidOfCode,
        *,
        confidence: float,
        by: str | None,
        needs_review: bool,
    ) -> Receipt:
        """Stored as any record is, for good: what was said is truth, the graph is made of it.

        Said again in the same words, it is the same record: a note gains places, a link another weight.
        """
        again = next((each for each in asked.said if (each.row.category, each.row.content) == (category, text)), None)
        if again is not None:
            before = tuple(dict.fromkeys(each.label for each in again.places))
            grown = said if category in (LINK, NoteKind.DATA_FLOW) else said.with_places(before)
            if (grown, confidence) == (again.said, again.row.confidence):
                return Receipt(ids=(again.row.id,), merged=(again.row.id,), event="NONE")
            if len(grown.places) <= PLACES_MAX:
                return self._handle.update(  # type: ignore[attr-defined,no-any-return]
                    again.row.id,
                    confidence=confidence,
                    metadata={"related_files": _files_of(grown)},
                    attributes={ATTRIBUTE: grown.to_dict()},
                    project=asked.row.name,
                )
        return self._handle.remember(  # type: ignore[attr-defined,no-any-return]
            text,
            category=category,
            confidence=confidence,
            source=by,
            metadata={"related_files": _files_of(said)},
            attributes={ATTRIBUTE: said.to_dict()},
            infer=False,
            needs_review=needs_review,
            project=asked.row.name,
        )


def _files_of(said: SaidOfCode) -> list[str]:
    return list(dict.fromkeys(place_of(place)[0] for place in said.places))
