"""What a verb takes and returns, read once from the method of `Memory` that does it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Union, Unpack, get_args, get_origin, get_type_hints

from recollect.verbs.table import SCOPE_DOCS, TIMES, Verb

REQUIRED: Any = inspect.Parameter.empty

_ARGUMENT = re.compile(r"(\w+): (.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument of a verb."""

    name: str
    type: Any  # as annotated, without the None that only says "not given"
    doc: str
    default: Any = REQUIRED
    scope: bool = False  # says who the call is for

    @property
    def required(self) -> bool:
        return self.default is REQUIRED

    @property
    def time(self) -> bool:
        return self.name in TIMES


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """One verb as its method declares it."""

    summary: str
    details: str  # the docstring between its first line and its arguments
    parameters: tuple[Parameter, ...]
    returns: str  # the annotation as written, such as `Record | None`

    def __getitem__(self, name: str) -> Parameter:
        return next(each for each in self.parameters if each.name == name)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.parameters)


@cache
def signature_of(verb: Verb) -> Signature:
    """The signature of a verb, scope arguments spelled out."""
    from recollect.memory import Memory

    return read(getattr(Memory, verb.on_memory))


def read(method: Callable[..., Any]) -> Signature:
    """The signature of any method documented in the house style."""
    summary, details, docs = parse_docstring(inspect.getdoc(method) or "")
    given_types = {name: each for name, each in method.__annotations__.items() if name != "return"}
    hints = get_type_hints(SimpleNamespace(__annotations__=given_types), method.__globals__)
    parameters: list[Parameter] = []
    for name, given in inspect.signature(method).parameters.items():
        if name == "self":
            continue
        if given.kind is inspect.Parameter.VAR_KEYWORD:
            parameters.extend(_keywords(hints[name], docs))
        else:
            doc = docs.get(name, SCOPE_DOCS.get(name, ""))
            parameters.append(Parameter(name=name, type=_given(hints[name]), doc=doc, default=given.default))
    returns = inspect.get_annotations(method).get("return", "")
    return Signature(summary=summary, details=details, parameters=tuple(parameters), returns=str(returns))


def parse_docstring(text: str) -> tuple[str, str, dict[str, str]]:
    """The first line, the prose after it, and the text of each argument."""
    prose, _, arguments = text.partition("\nArgs:\n")
    summary, _, details = prose.partition("\n")
    docs: dict[str, str] = {}
    name = ""
    for line in arguments.splitlines():
        if line and not line.startswith(" "):
            break  # the next section
        found = _ARGUMENT.fullmatch(line.strip())
        if found and len(line) - len(line.lstrip()) == 4:
            name, docs[found[1]] = found[1], found[2]
        elif name and line.strip():
            docs[name] += " " + line.strip()
    return summary.strip(), details.strip(), docs


def _keywords(annotation: Any, docs: dict[str, str]) -> list[Parameter]:
    """The keys of `**given: Unpack[SomeTypedDict]`, all optional."""
    assert get_origin(annotation) is Unpack, f"{annotation} should be Unpack[…]"
    keys = get_type_hints(get_args(annotation)[0])
    own = [name for name in keys if name not in SCOPE_DOCS]
    return [
        Parameter(
            name=name,
            type=_given(keys[name]),
            doc=docs.get(name, SCOPE_DOCS.get(name, "")),
            default=None,
            scope=name in SCOPE_DOCS,
        )
        for name in (*own, *(name for name in keys if name in SCOPE_DOCS))
    ]


def _given(annotation: Any) -> Any:
    """The annotation of a value that is there: `str | None` is `str`."""
    if get_origin(annotation) not in (Union, UnionType):
        return annotation
    kinds = tuple(kind for kind in get_args(annotation) if kind is not NoneType)
    return kinds[0] if len(kinds) == 1 else Union[kinds]  # noqa: UP007  (a tuple of them, known at run time)
