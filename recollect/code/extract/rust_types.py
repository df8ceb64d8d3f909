"""Types and paths of Rust. References, pointers and `dyn` are read as what they lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.extract.syntax import DEPTH_MAX, Reading
from recollect.code.facts import UNKNOWN

if TYPE_CHECKING:
    from tree_sitter import Node

_UNBOUND = frozenset({"lifetime", "removed_trait_bound", "line_comment", "block_comment", "block", "integer_literal"})


class RustTypes(Reading):
    """Reads types."""

    def field(self, node: Node, name: str) -> Node | None:
        return node.child_by_field_name(name)

    def path(self, node: Node | None) -> int:
        """A name, or one within a module, type or trait."""
        if node is None:
            return UNKNOWN
        if node.type in ("scoped_identifier", "scoped_type_identifier"):
            name = self.field(node, "name")
            before = self.path(self.field(node, "path"))
            if self.exprs[before][0] == "n":
                before = self.put("r", self.exprs[before][1])
            return self.put("p", before, self.text(name)) if name is not None else UNKNOWN
        if node.type in ("generic_type", "generic_function", "generic_type_with_turbofish"):
            return self.path(self.field(node, "type") or self.field(node, "function"))
        if node.type == "bracketed_type":
            inner = node.named_children[0] if node.named_children else node
            return self.path(self.field(inner, "type") if inner.type == "qualified_type" else inner)
        if node.type in ("identifier", "type_identifier", "crate", "self", "super", "shorthand_field_identifier"):
            return self.put("n", self.text(node))
        return self.type(node) if node.type.endswith("_type") else UNKNOWN

    def type(self, node: Node) -> int:
        """A declared type. References, pointers, lifetimes and `dyn` are what they lead to."""
        if self.depth > DEPTH_MAX:
            self.too_deep = True
            return UNKNOWN
        self.depth += 1
        place = self._type(node)
        self.depth -= 1
        return place

    def _type(self, node: Node) -> int:
        kind = node.type
        if kind in ("primitive_type", "unit_type", "never_type"):
            return self.put("k", self.text(node))
        if kind in ("reference_type", "pointer_type"):
            inner = self.field(node, "type")
            return self.type(inner) if inner is not None else UNKNOWN
        if kind in ("dynamic_type", "abstract_type"):
            inner = self.field(node, "trait")
            return self.type(inner) if inner is not None else UNKNOWN
        if kind in ("array_type", "slice_type"):
            inner = self.field(node, "element") or (node.named_children[0] if node.named_children else None)
            return self.put("L", "list", (self.type(inner),)) if inner is not None else UNKNOWN
        if kind == "tuple_type":
            return self.put("L", "tuple", tuple(self.type(child) for child in node.named_children))
        if kind == "function_type":
            result = self.field(node, "return_type")
            return self.put("L", "call", (self.type(result) if result is not None else self.put("k", "()"),))
        if kind in ("bounded_type", "trait_bounds"):
            return self._bounds(node)
        if kind == "higher_ranked_trait_bound":
            inner = self.field(node, "type")
            return self.type(inner) if inner is not None else UNKNOWN
        if kind in ("scoped_type_identifier", "type_identifier", "bracketed_type", "identifier", "scoped_identifier"):
            return self.path(node)
        if kind == "generic_type":
            base = self.path(self.field(node, "type"))
            given = self.many_types(self.field(node, "type_arguments"))
            return self.put("s", base, self.put("L", "tuple", given)) if given else base
        return UNKNOWN

    def _bounds(self, node: Node) -> int:
        places = [self.type(child) for child in node.named_children if child.type not in _UNBOUND]
        places = [place for place in places if place != UNKNOWN]
        while len(places) > 1:
            places[:2] = [self.put("|", places[0], places[1])]
        return places[0] if places else UNKNOWN

    def many_types(self, node: Node | None) -> tuple[int, ...]:
        found: list[int] = []
        for child in node.named_children if node is not None else ():
            if child.type == "type_binding":
                inner = self.field(child, "type")
                found.append(self.type(inner) if inner is not None else UNKNOWN)
            elif child.type not in _UNBOUND:
                found.append(self.type(child))
        return tuple(found)
