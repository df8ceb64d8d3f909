"""What one source file says about itself, in no particular language: scopes, what binds their names, calls, imports.

Facts are made from the text of one file alone, so they can be kept by the hash of that text and used wherever the text
comes back. Nothing in them is resolved: a call is an expression, and what the expression means is asked later.

Expressions stand in one list, each once, and refer to each other by their place in it. Place 0 is "nobody can tell".

    ("n", name)             a name                       ("a", of, name)         an attribute
    ("c", function, args)   a call                       ("s", of, index)        a subscript
    ("k", type)             a literal                    ("L", type, items)      a list, tuple, set or dictionary
    ("o", choices)          one of several               ("|", left, right)      a union of types
    ("i", of)               an item of an iteration      ("u", of, place)        one part of a tuple
    ("y", of)               what waiting gives           ("e", of)               what a `with` gives
    ("f", scope)            a function without a name    ("I", type)             an instance of a type
    ("N", of)               what `new` makes             ("T", bound)            a type variable
    ("b", sign, left, right)  an operation               ("C", type, scope, items)  a comprehension
    ("m", of, name, count, args)  a method, by what it is given (`count` as text, the first few of `args`)
    ("M", name, count, args)      one that nothing stands in front of
    ("p", of, name)         a name within a module or type   ("r", name)     the first name of such a path
    ("q", of)               what `?` passes on
    ("v", of, name)         a part of what is made by a type or variant   ("w", scope, of, line)  seen from elsewhere
    ("t", type)             what is made, or converted to, by the name of a type
    ("O", scope)            an object by what it has       ("K", scope)            a class without a name
    ("R", how, module)      a module that is loaded        ("A", callee, place, args)  what a call hands to a function
    ("q", value)            the type of a value            ("l", of, name)         the type of a member
    ("&", types)            what is of all these types
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

Expr = tuple[Any, ...]
ADDED = "added"  # of a scope: it adds members to a type that is defined elsewhere, or further up
DECLARED = "declared"  # of a function: it is defined elsewhere
LOCAL = "local"  # of a symbol: no other file sees it unless it takes this one in
UNKNOWN = 0  # the place of the expression nobody can tell
SHADOWS = "shadows"  # trait of a block: values of what it binds are looked at from around it
LAMBDA = "lambda"  # of one that is a function, whose interface, or the call that takes it, stands in `interfaces`
ARGUMENT = "argument:"  # and as which argument that call takes it


class Sort(StrEnum):
    """What a scope is."""

    MODULE = "module"
    CLASS = "class"
    INTERFACE = "interface"
    FUNCTION = "function"
    OBJECT = "object"  # an object that is written out, or its type; a namespace, which alone is a symbol
    BLOCK = "block"  # a comprehension, a lambda: has names of its own, and is no symbol


class By(StrEnum):
    """What binds a name."""

    SCOPE = "d"  # a definition: `first` is its scope
    VALUE = "v"  # an assignment: `first` is the value, `second` the declared type
    IMPORT = "i"  # `first` is the place in `imports`, `second` the name that is taken, "" for the module itself
    PARAMETER = "p"  # `first` is the parameter's place
    OUTER = "g"  # the name is that of the module, or of a function around
    TYPE = "t"  # a name for a type: `first` is the type


class NameBinding(NamedTuple):
    """One thing that gives a name its meaning, in the order of the file."""

    by: str
    line: int
    maybe: bool  # inside a branch or a loop: what was bound before may still hold
    first: int = UNKNOWN
    second: Any = UNKNOWN


class FunctionParameter(NamedTuple):
    """One parameter. `sort` is "" for a plain one, `*` and `**` for those that take many."""

    name: str
    type: int = UNKNOWN
    default: int = UNKNOWN
    sort: str = ""


class Narrowed(NamedTuple):
    """Within these lines a name is known to be of a type."""

    name: str
    first: int
    last: int
    type: int


class ImportStatement(NamedTuple):
    """One module that is named by an import, and what is taken from it; `*` for all, nothing for the module itself."""

    line: int
    module: str
    level: int  # dots in front of the name
    names: tuple[str, ...]
    scope: int
    typing: bool = False  # for types alone
    exported: bool = False  # passed on to others by this very statement


class CallSite(NamedTuple):
    """One place where something is called."""

    scope: int
    callee: int
    line: int
    column: int


@dataclass(slots=True)
class CodeScope:
    """A module, class, function or block: its names, and what is declared about it."""

    sort: str
    name: str
    parent: int
    line: int
    end: int
    names: dict[str, list[NameBinding]] = field(default_factory=dict)
    bases: list[int] = field(default_factory=list)
    interfaces: list[int] = field(default_factory=list)  # of the bases, those that are only promised
    decorators: list[int] = field(default_factory=list)
    parameters: list[FunctionParameter] = field(default_factory=list)
    type: int = UNKNOWN  # what a function is declared to return
    returned: list[tuple[int, int]] = field(default_factory=list)  # value, line
    yielded: list[tuple[int, int]] = field(default_factory=list)
    members: dict[str, list[tuple[int, int, int, int]]] = field(default_factory=dict)  # scope, value, type, line
    narrowed: list[Narrowed] = field(default_factory=list)
    traits: list[str] = field(default_factory=list)  # async, generator, exported, default, static, property


@dataclass(slots=True)
class FileFacts:
    """Everything that one file says."""

    language: str
    lines: int
    exprs: list[Expr]
    scopes: list[CodeScope]
    calls: list[CallSite]
    imports: list[ImportStatement]
    stars: list[int]  # imports that take all there is
    exported: list[str] | None  # what the module says it offers, where it says so
    notes: list[str]
    settings: Any = None  # of a file that is no code: what it says, as plain values
    _paths: dict[int, str] = field(default_factory=dict, repr=False, compare=False)

    def path_of(self, scope: int) -> str:
        """The qualified name of a scope: the names of the symbols around it and its own."""
        known = self._paths.get(scope)
        if known is None:
            known = self._paths[scope] = self._path_of(scope)
        return known

    def _path_of(self, scope: int) -> str:
        names: list[str] = []
        while scope > 0:
            found = self.scopes[scope]
            if found.sort != Sort.BLOCK and found.name:
                names.append(found.name)
            scope = found.parent
        return ".".join(reversed(names))

    def plain(self) -> list[Any]:
        """As lists and texts, to be kept."""
        scopes = [
            [
                s.sort,
                s.name,
                s.parent,
                s.line,
                s.end,
                s.names,
                s.bases,
                s.interfaces,
                s.decorators,
                s.parameters,
                s.type,
                s.returned,
                s.yielded,
                s.members,
                s.narrowed,
                s.traits,
            ]
            for s in self.scopes
        ]
        rest = [self.calls, self.imports, self.stars, self.exported, self.notes, self.settings]
        return [self.language, self.lines, self.exprs, scopes, *rest]


def from_plain(kept: Sequence[Any]) -> FileFacts:
    """Facts that were kept."""
    language, lines, exprs, scopes, calls, imports, stars, exported, notes, *settings = kept
    return FileFacts(
        language=language,
        lines=lines,
        exprs=[_expr(each) for each in exprs],
        scopes=[_scope(each) for each in scopes],
        calls=[CallSite(*each) for each in calls],
        imports=[ImportStatement(*each)._replace(names=tuple(each[3])) for each in imports],
        stars=stars,
        exported=exported,
        notes=notes,
        settings=settings[0] if settings else None,  # facts of earlier versions have none
    )


def _expr(kept: list[Any]) -> Expr:
    return tuple(tuple(part) if isinstance(part, list) else part for part in kept)


def _scope(kept: list[Any]) -> CodeScope:
    sort, name, parent, line, end, names, bases, interfaces, decorators, parameters, type_, *rest = kept
    returned, yielded, members, narrowed, traits = rest
    return CodeScope(
        sort=sort,
        name=name,
        parent=parent,
        line=line,
        end=end,
        names={name: [NameBinding(*each) for each in bound] for name, bound in names.items()},
        bases=bases,
        interfaces=interfaces,
        decorators=decorators,
        parameters=[FunctionParameter(*each) for each in parameters],
        type=type_,
        returned=[tuple(each) for each in returned],
        yielded=[tuple(each) for each in yielded],
        members={name: [tuple(each) for each in found] for name, found in members.items()},
        narrowed=[Narrowed(*each) for each in narrowed],
        traits=traits,
    )


class Extractor(Protocol):
    """Reads the files of one language, which it is made with. Must not look at any other file; must take any bytes."""

    version: int  # another one makes facts that were kept before useless

    def extract(self, data: bytes) -> FileFacts:
        """What a file says; what could not be read is in its notes."""
