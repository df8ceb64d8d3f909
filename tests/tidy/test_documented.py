"""What exists is documented, and what is documented exists."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from recollect import errors
from recollect.config.root import declared, sections
from recollect.errors import RecollectError

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ERRORS = sorted(
    (thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, RecollectError)),
    key=lambda error: error.__name__,
)
_ERROR_ROW = re.compile(r"^\| (E\d{4}) \| \*?(\w+)\*? \| (yes|no) \|", re.MULTILINE)
_TREE_NAME = re.compile(r"^[│├└─ ]*([A-Z]\w+)", re.MULTILINE)


def read(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_error_is_drawn_and_documented(error: type[RecollectError]) -> None:
    assert error.__name__ in _TREE_NAME.findall(errors.__doc__ or ""), "draw it in the tree of errors.py"
    rows = {name: (code, retry) for code, name, retry in _ERROR_ROW.findall(read("errors.md"))}
    assert rows.get(error.__name__) == (error.code, "yes" if error.retryable else "no"), "docs/errors.md"


def test_no_error_is_documented_that_does_not_exist() -> None:
    documented = {name for _, name, _ in _ERROR_ROW.findall(read("errors.md"))}
    assert documented == {error.__name__ for error in ERRORS}


def test_codes_tell_errors_apart() -> None:
    """An error may share the code of one it is a kind of; otherwise a code is one error."""
    for one in ERRORS:
        for other in ERRORS:
            related = issubclass(one, other) or issubclass(other, one)
            assert one.code != other.code or related, f"{one.__name__} and {other.__name__} are both {one.code}"


def test_every_setting_is_documented() -> None:
    parts = re.split(r"^### ", read("configuration.md"), flags=re.MULTILINE)
    tables = {part.partition("\n")[0].strip(): part for part in parts}
    for key in declared():
        section, _, name = key.rpartition(".")
        assert f"| `{name}` |" in tables.get(section or "Top level", ""), f"{key} is not in docs/configuration.md"
    assert sections().keys() <= tables.keys()


def test_every_module_is_on_the_map() -> None:
    """docs/ARCHITECTURE.md draws the package; a module that is not on it is hard to find."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "map"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_table_and_column_is_in_the_format() -> None:
    text = read("FORMAT.md")
    steps = sorted((ROOT / "recollect/store/migrations").glob("*.sql"))
    schema = "\n".join(step.read_text(encoding="utf-8") for step in steps)
    for name, body in re.findall(r"^CREATE TABLE (\w+) \((?:  --[^\n]*)?\n(.*?)^\)", schema, re.MULTILINE | re.DOTALL):
        part = re.search(rf"^### `{name}`(.*?)(?=^##)", text, re.MULTILINE | re.DOTALL)
        assert part is not None, f"docs/FORMAT.md says nothing of {name}"
        for column in re.findall(r"^  ([a-z_]+) +(?:INTEGER|TEXT|REAL|BLOB)", body, re.MULTILINE):
            assert f"`{column}`" in part[1], f"{name}.{column}"


def test_every_verb_is_documented() -> None:
    if importlib.util.find_spec("recollect.verbs.table") is None or not (DOCS / "verbs.md").exists():
        pytest.skip("the table of verbs is not there yet")
    from recollect.verbs import table

    text = read("verbs.md")
    for verb in table.VERBS:
        name = getattr(verb, "name", verb)
        assert re.search(rf"^#+ .*\b{re.escape(name)}\b", text, re.MULTILINE), f"{name} has no heading in docs/verbs.md"
