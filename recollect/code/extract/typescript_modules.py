"""Imports and exports of TypeScript and JavaScript, as modules have them and as Node has them.

What a module offers under another name than its own stands among its names as `export NAME`; `export =` is what
`module.exports` and `export =` set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.extract.typescript_expressions import FUNCTIONS, TypeScriptExpressions
from recollect.code.facts import UNKNOWN, By

if TYPE_CHECKING:
    from tree_sitter import Node

CLASSES = frozenset({"class_declaration", "abstract_class_declaration"})
_NAMED = frozenset({"function_declaration", "generator_function_declaration", "function_signature"})
_NAMED |= {"interface_declaration", "enum_declaration", "type_alias_declaration"}


class TypeScriptModules(TypeScriptExpressions):
    """Reads what a module takes in and what it offers."""

    def __init__(self, data: bytes, language: str) -> None:
        super().__init__(data, language)
        self.exported: list[str] = []
        self.offering = False  # whether what is read next is exported

    def statement(self, node: Node) -> None:
        raise NotImplementedError

    def offer(self, name: str) -> None:
        """Export a name of the module, where what is read is exported."""
        if self.offering and self.here == 0:
            self.exported.append(name)

    def node_export(self, name: str, inside: Node, right: Node) -> int:
        """`module.exports = …`, `exports.name = …`."""
        if inside.type in FUNCTIONS and "." not in name:
            named = inside.child_by_field_name("name")
            own = name or (self.text(named) if named is not None else "exports")
            self.named_function(own, inside, inside, 0, bound=f"export {name or '='}")
            return UNKNOWN
        value = self.expr(right)
        if "." not in name:
            self.bind(f"export {name or '='}", By.VALUE, right.start_point[0] + 1, value, scope=0)
        return value

    def take_in(self, node: Node) -> None:
        source = node.child_by_field_name("source")
        typing = any(child.type in ("type", "typeof") for child in node.children)
        clauses = [child for child in node.named_children if child.type in ("import_clause", "import_require_clause")]
        if source is None and clauses:
            source = clauses[0].child_by_field_name("source")
        if source is None:
            return
        taken: list[tuple[str, str]] = []  # the name there, the name here
        for clause in clauses:
            for child in clause.named_children:
                if child.type == "identifier":
                    taken.append(("=" if clause.type == "import_require_clause" else "default", self.text(child)))
                elif child.type == "namespace_import":
                    taken.append(("", self.text(child.named_children[-1])))
                elif child.type == "named_imports":
                    taken += self._specifiers(child)
        place = self.imported(node, self.quoted(source), tuple(name for name, _ in taken), typing=typing)
        for name, here in taken:
            self.bind(here, By.IMPORT, node.start_point[0] + 1, place, name)
            if self.offering:
                self.offer(here)

    def _specifiers(self, node: Node) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for child in node.named_children:
            name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
            if name is not None:
                words = self.key(name)
                found.append((words, self.key(alias) if alias is not None else words))
        return found

    def take_alias(self, node: Node) -> None:
        """`import Name = Other.Inner`."""
        names = node.named_children
        if len(names) == 2:
            self.bind(self.text(names[0]), By.VALUE, node.start_point[0] + 1, self.expr(names[1]))
            self.offer(self.text(names[0]))

    def give_out(self, node: Node) -> None:
        source, declaration = node.child_by_field_name("source"), node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        words = {child.type for child in node.children}
        for child in node.named_children:
            if child.type == "decorator":
                self.first(child)
        if source is not None:
            self._passed_on(node, self.quoted(source), words)
        elif declaration is not None and "default" not in words:
            before, self.offering = self.offering, True
            self.statement(declaration)
            self.offering = before
        elif declaration is not None or value is not None:
            self._export_default(declaration or value, node)  # type: ignore[arg-type]
        else:
            self._export_names(node, words)

    def _export_names(self, node: Node, words: set[str]) -> None:
        line = node.start_point[0] + 1
        for child in node.named_children:
            if child.type == "export_clause":
                for name, offered in self._specifiers(child):
                    self.bind(f"export {offered}", By.VALUE, line, self.put("n", self.visible(name)), scope=self.here)
            elif "=" in words and child.type != "comment":
                self.bind("export =", By.VALUE, line, self.expr(child))

    def _export_default(self, node: Node, whole: Node) -> None:
        line = whole.start_point[0] + 1
        inside, name = self.unwrapped(node), node.child_by_field_name("name")
        if inside.type in FUNCTIONS or (inside.type == "function_declaration" and name is None):
            self.named_function("default", inside, whole, self.here, bound="export default")
        elif node.type in CLASSES or node.type == "class":
            place = self.class_(node, "" if name is not None else "default")
            self.bind(self.scopes[place].name, By.SCOPE, line, place)
            self.bind("export default", By.SCOPE, line, place)
        elif name is not None and node.type in _NAMED:
            self.statement(node)
            self.bind("export default", By.VALUE, line, self.put("n", self.text(name)))
        elif inside.type == "object":
            self.bind("export default", By.VALUE, line, self.put("O", self.object_(inside, "default")))
        else:
            self.bind("export default", By.VALUE, line, self.expr(node))

    def _passed_on(self, node: Node, module: str, words: set[str]) -> None:
        """`export … from "module"`."""
        line = node.start_point[0] + 1
        taken: list[tuple[str, str]] = []
        for child in node.named_children:
            if child.type == "export_clause":
                taken += self._specifiers(child)
            elif child.type == "namespace_export" and child.named_children:
                taken.append(("", self.key(child.named_children[-1])))
        star = "*" in words
        place = self.imported(
            node, module, ("*",) if star else tuple(name for name, _ in taken), typing="type" in words
        )
        self.imports[place] = self.imports[place]._replace(exported=True)
        if star:
            self.stars.append(place)
        for name, offered in taken:
            self.bind(f"export {offered}", By.IMPORT, line, place, name)
