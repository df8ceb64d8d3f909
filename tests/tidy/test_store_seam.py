"""Statements are written in the store, and only SQLite's own folder speaks SQLite."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from package_source import Module, modules, report

_SQL = re.compile(
    r"\bSELECT\b.*\bFROM\b|\bINSERT\b.*\bINTO\s+\w|\bUPDATE\b\s+\w+\s+SET\b|\bDELETE\s+FROM\b|\bPRAGMA\b|\bWITH\s+RECURSIVE\b"
    r"|\bWHERE\b|\bIS (?:NOT )?NULL\b|\bJOIN\s+\w+\s+\w*\s*ON\b|\bORDER BY\b|\bKEYS\(|\bLIVE\(|\bHEAD\(",
    re.DOTALL,
)


def texts_of(module: Module) -> Iterator[ast.Constant]:
    """Every text in the code that is no docstring."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(module.tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node


def statements_of(module: Module) -> list[str]:
    """Where a module holds a piece of SQL, or reaches for the connection below the groups of a transaction."""
    # A regular expression that recognises SQL in what people store is no statement.
    found = [
        f"{module.name}:{node.lineno}"
        for node in texts_of(module)
        if _SQL.search(node.value) and r"\b" not in node.value
    ]
    below = [node for node in ast.walk(module.tree) if isinstance(node, ast.Attribute) and node.attr == "sql"]
    return found + [f"{module.name}:{node.lineno} .sql" for node in below]


def test_a_planted_statement_is_seen() -> None:
    planted = Module("x.py", "", ast.parse('rows = tx.sql.all("SELECT pk FROM record")'))
    assert len(statements_of(planted)) == 2


def test_no_statement_stands_outside_the_store() -> None:
    outside = [module for module in modules() if not module.name.startswith("recollect/store/")]
    offenders = [place for module in outside for place in statements_of(module)]
    assert not offenders, report(offenders, "give the fitting group of `store/` a method (docs/STORE.md)")


def test_only_the_store_names_a_database() -> None:
    """Above it, a database has no name: another one is another folder."""
    outside = [module for module in modules() if not module.name.startswith("recollect/store/")]
    offenders = [
        f"{module.name}:{node.lineno}"
        for module in outside
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom | ast.Import)
        and any("sqlite" in name or name == "apsw" for name in (getattr(node, "module", "") or "", *_names(node)))
    ]
    assert not offenders, report(offenders, "ask `store.base.Store` or a group instead (docs/STORE.md)")


def _names(node: ast.ImportFrom | ast.Import) -> list[str]:
    return [alias.name for alias in node.names]


# How SQLite says what the words of `store/dialect.py` say for every database, and what only some of them would read.
_OF_SQLITE = re.compile(
    r"\b(?:carray|json_each|json_extract|json_type|json_set|json_remove|json_object|json_group_array|instr|iif|ifnull)\("
    r"| ->>? '|\bCOLLATE\b|\bINSERT OR\b|\bINDEXED BY\b|\bsqlite_|\bPRAGMA\b|\bIS (?:NOT )?\?|\bMATCH\b"
)
_SAID_ONCE = re.compile(r"\b(?:retired_at|head_pk) IS NULL\b")


def test_shared_statements_are_read_by_every_database() -> None:
    shared = [
        each
        for each in modules()
        if re.fullmatch(r"recollect/store/(?!foreign|dialect|vector_table)\w+\.py", each.name)
    ]
    assert len(shared) > 20
    offenders = [
        f"{each.name}:{node.lineno}" for each in shared for node in texts_of(each) if _OF_SQLITE.search(node.value)
    ]
    assert not offenders, report(offenders, "say it with a word of `store/dialect.py`, or move it to `store/sqlite/`")


def test_what_is_live_and_what_is_current_is_said_once() -> None:
    store = [each for each in modules() if each.name.startswith("recollect/store/") and "dialect" not in each.name]
    offenders = [
        f"{each.name}:{node.lineno}" for each in store for node in texts_of(each) if _SAID_ONCE.search(node.value)
    ]
    assert not offenders, report(offenders, "write LIVE(r) and HEAD(r): `store/dialect.py` says what they mean")
