"""What calls, imports and bases of Python mean, one rule at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from samples import edges, write

import recollect
from recollect import Memory


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="fake") as opened:
        yield opened


LIB = """
    from __future__ import annotations
    from typing import Self, TypeVar
    T = TypeVar("T")

    class Base:
        def greet(self) -> str:
            return "hi"
        def me(self):
            return self

    class Child(Base):
        def wave(self) -> Base:
            return Base()
        @property
        def parent(self) -> Base:
            return Base()
        @classmethod
        def make(cls) -> Self:
            return cls()

    def build():
        return Child()

    def same(x: T) -> T:
        return x
"""

# A module that uses the library, and what `use` in it calls.
CASES: dict[str, tuple[str, set[str]]] = {
    "an import binding": ("from lib import build\ndef use():\n    build()", {"build"}),
    "an alias": ("import lib as l\ndef use():\n    l.build()", {"build"}),
    "a relative import": ("from . import lib\ndef use():\n    lib.build()", {"build"}),
    "a star": ("from lib import *\ndef use():\n    build()", {"build"}),
    "a constructed type": ("from lib import Child\ndef use():\n    Child().wave()", {"Child", "Child.wave"}),
    "a base class": ("from lib import Child\ndef use():\n    Child().greet()", {"Child", "Base.greet"}),
    "a declared type": ("from lib import Child\ndef use(c: Child):\n    c.wave()", {"Child.wave"}),
    "a type in quotes": ("from lib import Child\ndef use(c: 'Child | None'):\n    c.wave()", {"Child.wave"}),
    "a return type": (
        "from lib import build\ndef use():\n    build().wave().greet()",
        {"build", "Child.wave", "Base.greet"},
    ),
    "a property": ("from lib import Child\ndef use(c: Child):\n    c.parent.greet()", {"Base.greet"}),
    "a classmethod": ("from lib import Child\ndef use():\n    Child.make().wave()", {"Child.make", "Child.wave"}),
    "self is returned": ("from lib import Child\ndef use(c: Child):\n    c.me().wave()", {"Base.me", "Child.wave"}),
    "a type variable": (
        "from lib import same, Child\ndef use():\n    same(Child()).wave()",
        {"same", "Child", "Child.wave"},
    ),
    "a local variable": ("from lib import build\ndef use():\n    c = build()\n    c.wave()", {"build", "Child.wave"}),
    "a loop": ("from lib import Child\ndef use(cs: list[Child]):\n    for c in cs:\n        c.wave()", {"Child.wave"}),
    "a comprehension": ("from lib import Child\ndef use(cs: list[Child]):\n    [c.wave() for c in cs]", {"Child.wave"}),
    "a check": ("from lib import Child\ndef use(c):\n    if isinstance(c, Child):\n        c.wave()", {"Child.wave"}),
    "a walrus": (
        "from lib import build\ndef use():\n    if (c := build()):\n        c.wave()",
        {"build", "Child.wave"},
    ),
    "a dictionary": (
        "from lib import Child\ndef use(d: dict[str, Child]):\n    for k, v in d.items():\n        v.wave()",
        {"Child.wave"},
    ),
    "a nested function": ("def use():\n    def inner():\n        pass\n    inner()", set()),
}


@pytest.mark.parametrize("name", CASES)
def test_a_call_is_resolved_by(name: str, memory: Memory, tmp_path: Path) -> None:
    code, wanted = CASES[name]
    prefix = "pkg/" if "from . " in code else ""
    files = {f"{prefix}lib.py": LIB, f"{prefix}app.py": code}
    if prefix:
        files["pkg/__init__.py"] = ""
    memory.code.index(write(tmp_path, files))
    found = {
        target.partition("::")[2]
        for source, target in edges(memory, "calls")
        if source == f"{prefix}app.py::use" and target.startswith(f"{prefix}lib.py")
    }
    assert found == wanted


def test_members_assigned_in_init_have_their_type(memory: Memory, tmp_path: Path) -> None:
    files = {
        "lib.py": LIB,
        "app.py": """
            from lib import Child
            class App:
                def __init__(self, other):
                    self.child = Child()
                    self.other = other
                def run(self):
                    self.child.wave()
                    self.step()
                def step(self): ...
        """,
    }
    memory.code.index(write(tmp_path, files))
    calls = edges(memory, "calls")
    assert ("app.py::App.run", "lib.py::Child.wave") in calls
    assert ("app.py::App.run", "app.py::App.step") in calls


def test_super_calls_the_next_class(memory: Memory, tmp_path: Path) -> None:
    code = """
        class A:
            def go(self): ...
        class B(A):
            def go(self):
                super().go()
    """
    memory.code.index(write(tmp_path, {"m.py": code}))
    assert edges(memory, "calls") == {("m.py::B.go", "m.py::A.go")}
    assert edges(memory, "extends") == {("m.py::B", "m.py::A")}


def test_a_protocol_is_implemented(memory: Memory, tmp_path: Path) -> None:
    code = """
        from typing import Protocol
        class Speaks(Protocol):
            def say(self) -> str: ...
        class Dog(Speaks):
            def say(self) -> str: return "woof"
    """
    memory.code.index(write(tmp_path, {"m.py": code}))
    assert edges(memory, "implements") == {("m.py::Dog", "m.py::Speaks")}


def test_a_reexport_leads_to_where_it_is_defined(memory: Memory, tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .deep.thing import make",
        "pkg/deep/__init__.py": "",
        "pkg/deep/thing.py": "def make(): ...",
        "app.py": "import pkg\ndef use():\n    pkg.make()",
    }
    memory.code.index(write(tmp_path, files))
    assert ("app.py::use", "pkg/deep/thing.py::make") in edges(memory, "calls")
    assert edges(memory, "exports") == {("pkg/__init__.py::", "pkg/deep/thing.py::make")}
    assert ("app.py::", "pkg/__init__.py::") in edges(memory, "imports")


def test_a_bare_name_is_never_joined_to_a_namesake(memory: Memory, tmp_path: Path) -> None:
    files = {"a.py": "def save(): ...", "b.py": "def use(x):\n    save()\n    x.save()"}
    memory.code.index(write(tmp_path, files))
    assert edges(memory, "calls") == set()
    assert {target for _, target in edges(memory, "calls", sure=False)} == {"::save", "::.save"}


def test_a_union_is_ambiguous_with_all_candidates(memory: Memory, tmp_path: Path) -> None:
    code = """
        class A:
            def go(self): ...
        class B:
            def go(self): ...
        def use(x: A | B):
            x.go()
    """
    memory.code.index(write(tmp_path, {"m.py": code}))
    assert edges(memory, "calls") == set()
    found = [edge for edge in memory.code.edges("calls") if edge.resolved == "ambiguous"]
    assert {edge.target_symbol for edge in found} == {"A.go", "B.go"}


def how(memory: Memory, symbol: str) -> Any:
    return next(edge.resolved for edge in memory.code.edges("calls") if edge.target_symbol == symbol)


def test_it_is_said_how_a_call_was_resolved(memory: Memory, tmp_path: Path) -> None:
    code = """
        from lib import Child, build
        def use(c: Child):
            c.wave()
            Child().greet()
            build()
    """
    memory.code.index(write(tmp_path, {"lib.py": LIB, "app.py": code}))
    assert how(memory, "Child.wave") == "exact"
    assert how(memory, "Base.greet") == "inferred"
    assert how(memory, "build") == "exact"


def test_a_module_beside_a_script_does_not_hide_the_standard_library(memory: Memory, tmp_path: Path) -> None:
    files = {"tools/logging.py": "def info(): ...", "app.py": "import logging\ndef use():\n    logging.info('x')"}
    memory.code.index(write(tmp_path, files))
    assert edges(memory, "calls") == set()
    assert edges(memory, "imports") == set()


def test_an_import_that_should_be_here_and_is_not_is_unresolved(memory: Memory, tmp_path: Path) -> None:
    files = {"pkg/__init__.py": "", "pkg/a.py": "from .missing import thing\nimport os"}
    memory.code.index(write(tmp_path, files))
    assert edges(memory, "imports", sure=False) == {("pkg/a.py::", "::.missing")}
