"""Programming languages: which files they are in, and what a definition looks like in each one's grammar.

The grammars come as tree-sitter wheels, one a language, and are loaded at the first file that needs them.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from recollect.limits import PARSED_CODE_SECONDS_MAX, PARSED_CODE_SECONDS_MIN, PARSED_CODE_SECONDS_PER_MB

if TYPE_CHECKING:
    from tree_sitter import Language, Parser, Tree

_PIECE = 65_536  # bytes that a parser is handed at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """How definitions are told in the syntax tree of a language, by the types of its nodes."""

    module: str
    entry: str = "language"
    functions: frozenset[str]
    classes: frozenset[str]  # definitions that hold others, and those that could
    wrappers: frozenset[str] = frozenset()  # around a definition: decorators, `export`, `template`
    spaces: frozenset[str] = frozenset()  # hold definitions without being one: namespaces, modules
    values: frozenset[str] = frozenset()  # declarations that may hold a function: `const f = () => …`
    attached: frozenset[str] = field(default=frozenset({"comment", "line_comment", "block_comment"}))
    joint: str = "."  # between the names of a qualified name


def _types(names: str) -> frozenset[str]:
    return frozenset(names.split())


_JAVASCRIPT = Grammar(
    module="tree_sitter_javascript",
    functions=_types(
        "function_declaration generator_function_declaration method_definition function_signature "
        "method_signature abstract_method_signature"
    ),
    classes=_types("class_declaration"),
    wrappers=_types("export_statement ambient_declaration"),
    values=_types("lexical_declaration variable_declaration field_definition public_field_definition"),
    attached=_types("comment decorator"),
)
_TYPESCRIPT = replace(
    _JAVASCRIPT,
    module="tree_sitter_typescript",
    entry="language_typescript",
    classes=_types(
        "class_declaration abstract_class_declaration interface_declaration enum_declaration type_alias_declaration"
    ),
    spaces=_types("internal_module module expression_statement"),
)
_C = Grammar(
    module="tree_sitter_c",
    functions=_types("function_definition"),
    classes=_types("struct_specifier union_specifier enum_specifier class_specifier type_definition"),
    wrappers=_types("template_declaration"),
    spaces=_types("namespace_definition linkage_specification preproc_ifdef preproc_if preproc_else"),
    joint="::",
)

GRAMMARS: Mapping[str, Grammar] = {
    "python": Grammar(
        module="tree_sitter_python",
        functions=_types("function_definition"),
        classes=_types("class_definition"),
        wrappers=_types("decorated_definition"),
        spaces=_types("if_statement try_statement with_statement"),
    ),
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": replace(_TYPESCRIPT, entry="language_tsx"),
    "go": Grammar(
        module="tree_sitter_go",
        functions=_types("function_declaration method_declaration"),
        classes=_types("type_declaration"),
    ),
    "rust": Grammar(
        module="tree_sitter_rust",
        functions=_types("function_item function_signature_item macro_definition"),
        classes=_types("struct_item enum_item union_item trait_item impl_item type_item"),
        spaces=_types("mod_item"),
        attached=_types("line_comment block_comment attribute_item"),
        joint="::",
    ),
    "java": Grammar(
        module="tree_sitter_java",
        functions=_types("method_declaration constructor_declaration compact_constructor_declaration"),
        classes=_types(
            "class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration"
        ),
        spaces=_types("enum_body_declarations"),
    ),
    "c": _C,
    "cpp": replace(_C, module="tree_sitter_cpp"),
}

# Files in languages without a grammar are cut between lines.
EXTENSIONS: Mapping[str, str] = {
    **dict.fromkeys((".py", ".pyi", ".pyw"), "python"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), "javascript"),
    **dict.fromkeys((".ts", ".mts", ".cts"), "typescript"),
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".c": "c",
    ".h": "c",
    **dict.fromkeys((".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".ipp"), "cpp"),
    ".rb": "ruby",
    ".php": "php",
    ".cs": "csharp",
    ".swift": "swift",
    ".kt": "kotlin",
    ".kts": "kotlin",
    ".scala": "scala",
    **dict.fromkeys((".sh", ".bash", ".zsh", ".fish"), "shell"),
    ".ps1": "powershell",
    ".sql": "sql",
    ".lua": "lua",
    ".r": "r",
    ".jl": "julia",
    ".pl": "perl",
    ".pm": "perl",
    ".hs": "haskell",
    ".ex": "elixir",
    ".exs": "elixir",
    ".erl": "erlang",
    ".clj": "clojure",
    ".ml": "ocaml",
    ".dart": "dart",
    ".zig": "zig",
    ".nim": "nim",
    ".m": "objective-c",
    ".vue": "vue",
    ".svelte": "svelte",
    ".css": "css",
    ".scss": "scss",
    ".less": "less",
    ".proto": "protobuf",
    ".graphql": "graphql",
    ".tf": "hcl",
    ".cmake": "cmake",
    ".mk": "make",
    ".gradle": "groovy",
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json"),
    ".yaml": "yaml",
    ".yml": "yaml",
    ".toml": "toml",
    ".ini": "ini",
    ".cfg": "ini",
    ".conf": "ini",
    ".xml": "xml",
    ".csv": "csv",
    ".tsv": "csv",
    ".tex": "latex",
}
FILE_NAMES: Mapping[str, str] = {"dockerfile": "docker", "makefile": "make", "cmakelists.txt": "cmake"}
INTERPRETERS: Mapping[str, str] = {
    "python": "python",
    "node": "javascript",
    "deno": "typescript",
    "ruby": "ruby",
    "perl": "perl",
    "bash": "shell",
    "sh": "shell",
    "zsh": "shell",
}
ALIASES: Mapping[str, str] = {
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "c++": "cpp",
    "golang": "go",
    "rs": "rust",
    "jsx": "javascript",
    "sh": "shell",
    "bash": "shell",
}


def parser_of(language: str) -> Parser | None:
    """A new parser for a language, since two threads must not share one; None if there is no grammar for it here."""
    grammar = _loaded(language)
    if grammar is None:
        return None
    from tree_sitter import Parser

    return Parser(grammar)


def parse(parser: Parser, data: bytes, *, size: int | None = None) -> Tree:
    """The syntax tree of a file, or of `size` bytes of it.

    `ValueError` if that takes longer than so much may. The parser must be reset then: it would go on with this file
    when it is given the next one.
    """
    allowed = seconds_allowed(len(data) if size is None else size)
    if not hasattr(type(parser), "timeout_micros"):  # gone in 0.26, which asks whether to stop, if it reads by pieces
        until = time.monotonic() + allowed
        return parser.parse(
            lambda at, _: data[at : at + _PIECE],
            progress_callback=lambda _at, _failed: time.monotonic() > until,
        )
    with warnings.catch_warnings():  # in 0.25 that callback ends the process
        warnings.simplefilter("ignore", DeprecationWarning)
        parser.timeout_micros = int(allowed * 1e6)  # type: ignore[attr-defined, misc, unused-ignore]
    return parser.parse(data)


def seconds_allowed(size: int) -> float:
    """How long a grammar may take for so many bytes."""
    return min(PARSED_CODE_SECONDS_MAX, PARSED_CODE_SECONDS_MIN + PARSED_CODE_SECONDS_PER_MB * size / 1e6)


@cache
def _loaded(language: str) -> Language | None:
    grammar = GRAMMARS.get(language)
    if grammar is None:
        return None
    try:
        from tree_sitter import Language

        return Language(getattr(import_module(grammar.module), grammar.entry)())
    except (ImportError, ValueError):  # not installed, or of a version this tree-sitter does not read
        return None
