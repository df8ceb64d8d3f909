"""The language of the sandbox: Python without imports, classes, underscores or attributes we did not list.

RestrictedPython rewrites the source so that every attribute, item, iteration and in-place operation goes
through a function of ours. The values inside are plain (text, numbers, lists, dicts, sets, functions,
exceptions), so the attributes worth having can be listed, and what is not in `ATTRIBUTES` does not exist.
"""

# ruff: noqa: N802  ast.NodeTransformer finds its visitors by the names of the nodes

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

from RestrictedPython.compile import compile_restricted_exec
from RestrictedPython.Guards import (
    full_write_guard,
    guarded_iter_unpack_sequence,
    guarded_unpack_sequence,
    safer_getattr,
)
from RestrictedPython.transformer import IOPERATOR_TO_STR, RestrictingNodeTransformer

FILENAME = "<sandbox>"

BUILTINS: tuple[Callable[..., Any], ...] = (
    bool,
    dict,
    float,
    frozenset,
    int,
    list,
    set,
    str,
    tuple,
    abs,
    all,
    any,
    chr,
    divmod,
    enumerate,
    filter,
    isinstance,
    iter,
    len,
    map,
    max,
    min,
    next,
    ord,
    pow,
    range,
    repr,
    reversed,
    round,
    sorted,
    sum,
    zip,
    ArithmeticError,
    AssertionError,
    AttributeError,
    Exception,
    IndexError,
    KeyError,
    LookupError,
    NameError,
    NotImplementedError,
    OverflowError,
    RecursionError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
    ZeroDivisionError,
)

SET_READS = "copy difference intersection isdisjoint issubset issuperset symmetric_difference union"

# No str.format and format_map: their templates read attributes ("{0.__class__}"). f-strings are compiled, and
# so guarded.
ATTRIBUTES: dict[type, frozenset[str]] = {
    kind: frozenset(names.split())
    for kind, names in {
        str: "capitalize casefold center count endswith expandtabs find index isalnum isalpha isascii"
        " isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust"
        " lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition"
        " rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill",
        list: "append clear copy count extend index insert pop remove reverse sort",
        dict: "clear copy fromkeys get items keys pop popitem setdefault update values",
        set: SET_READS + " add clear difference_update discard intersection_update pop remove"
        " symmetric_difference_update update",
        frozenset: SET_READS,
        tuple: "count index",
        range: "count index start step stop",
        int: "bit_length",
        float: "is_integer",
    }.items()
}

IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "<<=": operator.ilshift,
    ">>=": operator.irshift,
    "|=": operator.ior,
    "^=": operator.ixor,
    "&=": operator.iand,
}


class CodeRefused(Exception):
    """The code is not in the language; the message names the line."""


class MemoryCallError(Exception):
    """What sandboxed code sees when the memory refuses a call: two texts, no objects."""

    def __init__(self, message: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class CodePolicy(RestrictingNodeTransformer):
    """RestrictedPython's rules, narrower at imports and classes, wider at two harmless habits."""

    def visit_Import(self, node: ast.Import) -> None:
        self.error(node, "imports are not allowed")

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.error(node, "imports are not allowed")

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.error(node, "class definitions are not allowed")

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """`count: int = 0` is `count = 0`; the annotation is never evaluated."""
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return self.visit(ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node))

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """`count[word] += 1` becomes `_inplaceitem_("+=", count, word, 1)`; both are evaluated once."""
        if not isinstance(node.target, ast.Subscript):
            return super().visit_AugAssign(node)
        symbol = IOPERATOR_TO_STR[type(node.op)]
        parts = [node.target.value, node.target.slice, node.value]
        call = ast.Call(
            func=ast.Name("_inplaceitem_", ast.Load()),
            args=[ast.Constant(symbol), *(self.visit(part) for part in parts)],
            keywords=[],
        )
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node))


class Output:
    """What `print` writes, cut at a length. RestrictedPython makes `print(…)` a call of `_call_print`."""

    def __init__(self, chars_max: int) -> None:
        self._parts: list[str] = []
        self._left = chars_max
        self._cut = False

    def write(self, text: str) -> None:
        self._cut = self._cut or len(text) > self._left
        if self._left and text:
            self._parts.append(text[: self._left])
            self._left = max(0, self._left - len(text))

    def text(self) -> str:
        # A lone surrogate cannot cross as UTF-8; here it is only something to look at.
        written = "".join(self._parts).encode(errors="replace").decode()
        return written + "… [cut]" if self._cut else written

    def _call_print(self, *values: object, sep: str | None = " ", end: str | None = "\n", flush: bool = False) -> None:
        print(*values, sep=sep, end=end, file=self)

    def __call__(self) -> str:  # the name `printed`, which RestrictedPython adds to the language
        return self.text()


def read_attribute(value: Any, name: str) -> Any:
    """`value.name`, if that attribute is in the language."""
    kind = value if isinstance(value, type) else type(value)
    allowed = ATTRIBUTES.get(kind, frozenset())
    if isinstance(value, MemoryCallError):
        allowed = frozenset({"args", "code", "message"})
    elif isinstance(value, Exception):
        allowed = frozenset({"args"})
    if name not in allowed:
        hint = "; use an f-string" if name in ("format", "format_map") else ""
        raise AttributeError(f"{kind.__name__!r} has no attribute {name!r} in the sandbox{hint}")
    return safer_getattr(value, name)  # type: ignore[no-untyped-call]


def change_name(symbol: str, value: Any, operand: Any) -> Any:
    if symbol not in IN_PLACE:
        raise TypeError(f"{symbol} is not supported")
    return IN_PLACE[symbol](value, operand)


def change_item(symbol: str, container: Any, key: Any, operand: Any) -> None:
    full_write_guard(container)[key] = change_name(symbol, container[key], operand)


def apply(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def namespace(functions: Mapping[str, Callable[..., Any]], output: Output) -> dict[str, Any]:
    """Fresh globals for one run: the guards, the builtins and the memory functions."""
    builtins = {builtin.__name__: builtin for builtin in BUILTINS}
    return {
        "__builtins__": builtins | {"MemoryCallError": MemoryCallError},
        "_getattr_": read_attribute,
        "_getitem_": operator.getitem,
        "_getiter_": lambda values: values,
        "_iter_unpack_sequence_": guarded_iter_unpack_sequence,
        "_unpack_sequence_": guarded_unpack_sequence,
        "_write_": full_write_guard,
        "_inplacevar_": change_name,
        "_inplaceitem_": change_item,
        "_apply_": apply,
        "_print_": lambda _getattr: output,
        **functions,
    }


def compile_code(source: str) -> CodeType:
    """Bytecode in which every guarded operation is a call of ours, or `RefusedError`."""
    try:
        compiled = compile_restricted_exec(ast.parse(source, FILENAME), filename=FILENAME, policy=CodePolicy)
    except SyntaxError as exc:
        raise CodeRefused(f"line {exc.lineno or 1}: SyntaxError: {exc.msg}") from None
    except (MemoryError, RecursionError):  # the parser says MemoryError when its stack is full
        raise CodeRefused("the code is nested too deeply to compile") from None
    except ValueError as exc:
        raise CodeRefused(f"the code cannot be compiled: {exc}") from None
    if compiled.errors:
        first, *others = (error.replace("Line ", "line ", 1).rstrip(".") for error in compiled.errors)
        raise CodeRefused(first + (f" (and {len(others)} more)" if others else ""))
    assert compiled.code is not None
    return compiled.code
