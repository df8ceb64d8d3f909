"""What a verb takes and returns, read once from the method of `Memory` that does it; the same as a JSON schema."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cache
from os import PathLike
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Union, Unpack, get_args, get_origin, get_type_hints

from recollect.verbs.checking import Takes
from recollect.verbs.schema import TEXT, Schema, in_words, json_type, object_of
from recollect.verbs.table import find
from recollect.verbs.verb import BOUNDS, PAGE_DOCS, SCOPE_DOCS, TIMES, Verb

REQUIRED: Any = inspect.Parameter.empty
TIME_HINT = "A date, ISO 8601, or words such as 'last week'."

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

    @property
    def schema(self) -> Schema:
        """What values it takes. A time may be anything here: `Memory` says which of them make sense."""
        least, most = BOUNDS.get(self.name, (None, None)) if self.type in (int, float) else (None, None)
        bounds = {"minimum": least, "maximum": most}
        return json_type(self.type) | {name: bound for name, bound in bounds.items() if bound is not None}

    @property
    def in_words(self) -> str:
        """What values it takes, for people."""
        if self.time:
            return "a time"
        kinds = get_args(self.type) if get_origin(self.type) in (Union, UnionType) else ()
        more = [f"`{kind.__name__}`" for kind in kinds if is_dataclass(kind) and isinstance(kind, type)]
        more += ["a path" for kind in kinds if get_origin(kind) is PathLike]
        return " or ".join((in_words(json_type(self.type)), *more))

    @property
    def told(self) -> Schema:
        """Its schema with what is said about it."""
        out: Schema = dict(TEXT) if self.time else self.schema
        out["description"] = f"{self.doc} {TIME_HINT}".strip() if self.time else self.doc
        if not self.required and self.default is not None:
            out["default"] = list(self.default) if isinstance(self.default, tuple) else self.default
        return out


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """One verb as its method declares it."""

    summary: str
    details: str  # the docstring between its first line and its arguments
    named: Mapping[str, Parameter]
    returns: str  # the annotation as written, such as `Record | None`

    def __getitem__(self, name: str) -> Parameter:
        return self.named[name]

    @property
    def parameters(self) -> Collection[Parameter]:
        return self.named.values()

    @property
    def names(self) -> Collection[str]:
        return self.named.keys()


@cache
def signature_of(verb: Verb) -> Signature:
    """The signature of a verb, scope arguments spelled out."""
    return read(method_of(verb))


def method_of(verb: Verb) -> Callable[..., Any]:
    """The method that does it, of `Memory` or of the namespace that the verb hangs off."""
    from recollect.memory import Memory

    holder: Any = Memory
    if verb.space:  # a property of the memory gives it, and says of what type
        getter = getattr(Memory, verb.space).fget
        holder = getattr(sys.modules[getter.__module__], inspect.get_annotations(getter)["return"])
    found: Callable[..., Any] = getattr(holder, verb.on_memory.rpartition(".")[2])
    return found


@cache
def takes_of(verb: Verb) -> Takes:
    """What a call of the verb is checked against. Messages offer what it needs first and who it is for last."""
    parameters = signature_of(verb).parameters
    shown = [each for each in parameters if each.name not in verb.hidden]
    return Takes(
        who=verb.name,
        arguments={each.name: each.schema | {"description": each.doc} for each in parameters},
        needed=tuple(each.name for each in parameters if each.required),
        told=tuple(each.name for each in sorted(shown, key=lambda each: (not each.required, each.scope))),
    )


def schema(verb: Verb | str) -> Schema:
    """The arguments of a verb as a JSON schema object; hidden ones are left out."""
    verb = find(verb) if isinstance(verb, str) else verb
    signature = signature_of(verb)
    shown = [each for each in signature.parameters if each.name not in verb.hidden]
    arguments = object_of(*(each.name for each in shown if each.required), **{each.name: each.told for each in shown})
    return {"title": verb.name, "description": signature.summary, **arguments, "additionalProperties": False}


def read(method: Callable[..., Any]) -> Signature:
    """The signature of any method documented in the house style."""
    summary, details, docs = parse_docstring(inspect.getdoc(method) or "")
    given_types = {name: each for name, each in method.__annotations__.items() if name != "return"}
    written = inspect.unwrap(method)  # what goes round a verb has names of its own
    hints = get_type_hints(SimpleNamespace(__annotations__=given_types), written.__globals__)
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
    named = {each.name: each for each in parameters}
    return Signature(summary=summary, details=details, named=named, returns=str(returns))


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
            doc=docs.get(name) or SCOPE_DOCS.get(name) or PAGE_DOCS.get(name, ""),
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
