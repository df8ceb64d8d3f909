"""What a drawing of relations shows: concepts and the links between them, from the plain data of a verb's answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from recollect.model.edge import rule_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """One record, as far as it is drawn."""

    id: str
    text: str
    kind: str
    category: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptLink:
    """One relation between two concepts; one among more than two is drawn as several, from the first to each other."""

    id: str
    source: str
    target: str
    label: str
    confidence: float
    auto_extracted: bool

    @property
    def both_ways(self) -> bool:
        return rule_of(self.label).symmetric

    def other(self, id: str) -> str:
        """The end that is not this one."""
        return self.target if id == self.source else self.source


@dataclass(frozen=True, kw_only=True)
class Concepts:
    """A graph to be drawn. `root` is the concept that was asked about, if one was; `left_out` records are not in it."""

    nodes: tuple[Concept, ...]
    links: tuple[ConceptLink, ...]
    root: str | None = None
    left_out: int = 0

    @cached_property
    def by_id(self) -> dict[str, Concept]:
        return {node.id: node for node in self.nodes}

    @cached_property
    def links_of(self) -> dict[str, list[ConceptLink]]:
        """The links of each concept, surest first."""
        out: dict[str, list[ConceptLink]] = {node.id: [] for node in self.nodes}
        for link in sorted(self.links, key=lambda link: (-link.confidence, link.label, link.id)):
            for end in {link.source, link.target}:
                out[end].append(link)
        return out

    def to_dict(self) -> dict[str, Any]:
        return {
            "root": self.root,
            "left_out": self.left_out,
            "nodes": [{name: getattr(node, name) for name in Concept.__slots__} for node in self.nodes],
            "edges": [{name: getattr(link, name) for name in ConceptLink.__slots__} for link in self.links],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Concepts:
        """The inverse of `to_dict`."""
        nodes = tuple(Concept(**node) for node in data["nodes"])
        links = tuple(ConceptLink(**link) for link in data["edges"])
        return cls(nodes=nodes, links=links, root=data["root"], left_out=data["left_out"])


def concepts_of(
    records: Sequence[Mapping[str, Any]], edges: Iterable[Mapping[str, Any]], *, root: str | None, most: int
) -> Concepts:
    """The first `most` records and the relations among them."""
    shown = records[:most]
    nodes = tuple(
        Concept(id=row["id"], text=row["content"], kind=row["kind"], category=row["category"]) for row in shown
    )
    known = {node.id for node in nodes}
    links = tuple(link for edge in edges for link in _links(edge) if link.source in known and link.target in known)
    return Concepts(nodes=nodes, links=links, root=root, left_out=len(records) - len(shown))


def _links(edge: Mapping[str, Any]) -> Iterable[ConceptLink]:
    first, *others = dict.fromkeys(member["id"] for member in edge["members"])
    for other in others:
        yield ConceptLink(
            id=edge["id"],
            source=first,
            target=other,
            label=edge["label"],
            confidence=edge["confidence"],
            auto_extracted=edge["auto_extracted"],
        )
