"""What exists is documented, and what is documented exists."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from itertools import combinations

from package_source import ROOT, modules, report

from recollect import errors
from recollect.config.root import declared, sections
from recollect.errors import RecollectError
from recollect.verbs.table import VERBS

DOCS = ROOT / "docs"
ERRORS = sorted(
    (thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, RecollectError)),
    key=lambda error: error.__name__,
)
_ERROR_ROW = re.compile(r"^\| (E\d{4}) \| \*?(\w+)\*? \| (yes|no) \|", re.MULTILINE)
_TREE_NAME = re.compile(r"^[│├└─ ]*([A-Z]\w+)", re.MULTILINE)


def read(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def test_every_error_is_drawn() -> None:
    drawn = set(_TREE_NAME.findall(errors.__doc__ or ""))
    missing = [error.__name__ for error in ERRORS if error.__name__ not in drawn]
    assert not missing, report(missing, "draw it in the tree of errors.py")


def test_errors_are_documented_as_they_are() -> None:
    rows = {name: (code, retry) for code, name, retry in _ERROR_ROW.findall(read("errors.md"))}
    assert rows == {error.__name__: (error.code, "yes" if error.retryable else "no") for error in ERRORS}


def test_codes_tell_errors_apart() -> None:
    """An error may share the code of one it is a kind of; otherwise a code is one error."""
    alike = [
        f"{one.__name__} and {other.__name__} are both {one.code}"
        for one, other in combinations(ERRORS, 2)
        if one.code == other.code and not issubclass(one, other) and not issubclass(other, one)
    ]
    assert not alike, report(alike, "give each error a code of its own")


def test_every_setting_is_documented() -> None:
    parts = re.split(r"^### ", read("configuration.md"), flags=re.MULTILINE)
    tables = {part.partition("\n")[0].strip(): part for part in parts}
    missing = [
        key
        for key in declared()
        if f"| `{key.rpartition('.')[2]}` |" not in tables.get(key.rpartition(".")[0] or "Top level", "")
    ]
    assert not missing, report(missing, "docs/configuration.md does not have it; write the page anew")
    assert sections().keys() <= tables.keys()


def test_every_module_is_on_the_map() -> None:
    """docs/ARCHITECTURE.md draws the package; a module that is not on it is hard to find."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "map"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_table_and_column_is_in_the_format() -> None:
    text = read("FORMAT.md")
    steps = sorted((ROOT / "recollect/store/sqlite/migrations").glob("*.sql"))
    schema = "\n".join(step.read_text(encoding="utf-8") for step in steps)
    missing = []
    tables = re.findall(r"^CREATE TABLE (\w+) \((?:  --[^\n]*)?\n(.*?)^\)", schema, re.MULTILINE | re.DOTALL)
    for name, body in dict(tables).items():  # of a table that a later step makes anew, as it is then
        part = re.search(rf"^### `{name}`(.*?)(?=^##)", text, re.MULTILINE | re.DOTALL)
        columns = re.findall(r"^  ([a-z_]+) +(?:INTEGER|TEXT|REAL|BLOB)", body, re.MULTILINE)
        missing += [f"{name}.{column}" for column in columns if part is None or f"`{column}`" not in part[1]]
    assert not missing, report(missing, "docs/FORMAT.md says nothing of it")


def test_every_verb_is_documented() -> None:
    text = read("verbs.md")
    missing = [verb.name for verb in VERBS if not re.search(rf"^#+ .*\b{re.escape(verb.name)}\b", text, re.MULTILINE)]
    assert not missing, report(missing, "docs/verbs.md has no heading for it; write the page anew")


def test_docstrings_cite_no_section_of_another_text() -> None:
    """A reader has this package and its docs; what a design said in one of its sections is said where it matters."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    citing = [
        f"{module.name}: {(ast.get_docstring(node) or '').splitlines()[0]}"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, documented) and "§" in (ast.get_docstring(node) or "")
    ]
    assert not citing, report(citing, "say the idea in a sentence, without the number of a section")
