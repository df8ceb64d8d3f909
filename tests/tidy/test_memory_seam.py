"""No private attribute of a `Memory` is used outside its package: interfaces and bridges have a seam."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from package_source import modules, report

from recollect.facade.handle import Handle
from recollect.memory import Memory

OUTSIDE = ("recollect/interfaces/", "recollect/verbs/", "recollect/compat/")
PRIVATE = {name for name in dir(Memory) if name.startswith("_") and not name.startswith("__")}
PRIVATE |= set(vars(Handle(None)))  # type: ignore[arg-type]


def uses(tree: ast.Module) -> list[int]:
    """The lines where an attribute of that name is read from something that is not `self`."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in PRIVATE
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    ]


def outside() -> Iterator[tuple[str, list[int]]]:
    return ((module.name, uses(module.tree)) for module in modules() if module.name.startswith(OUTSIDE))


def test_no_private_attribute_of_a_memory_is_used_outside() -> None:
    offenders = [f"{name}:{line}" for name, lines in outside() for line in lines]
    assert not offenders, report(offenders, "use a verb, `grant`, `actor` or a function of `facade.handle` instead")
