"""The table of verbs agrees with the memory it describes, and with everything written from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.errors import UsageError
from recollect.memory import Memory
from recollect.verbs.document import reference
from recollect.verbs.signature import method_of, parse_docstring, signature_of
from recollect.verbs.stub import stub, verbs_of
from recollect.verbs.table import VERBS, find
from recollect.verbs.verb import GROUPS, Verb

ROOT = Path(__file__).resolve().parents[2]
NOT_VERBS = {"reload", "events"}  # of this process, not of the memory


def test_every_method_of_the_memory_is_a_verb_or_an_alias() -> None:
    known = {name for verb in VERBS for name in (verb.on_memory, *verb.aliases)}
    missing = {name for name, _ in verbs_of(Memory)} - known - NOT_VERBS
    assert not missing, f"add a row to recollect/verbs/table.py for {sorted(missing)}"


def test_names_are_unique() -> None:
    names = [name for verb in VERBS for name in verb.names]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_row_agrees_with_its_method(verb: Verb) -> None:
    signature = signature_of(verb)
    assert verb.group in GROUPS
    assert signature.summary == verb.summary
    assert signature.returns
    assert set(verb.positional) <= set(signature.names)
    assert not verb.piped or verb.piped in signature.names
    assert set(verb.asks) - {"*"} <= set(signature.names)
    for alias in verb.aliases:
        assert verb.implied_by(alias) or getattr(Memory, alias) is method_of(verb)
    for parameter in signature.parameters:
        assert parameter.doc, f"{verb.name}: document {parameter.name} in the Args of its docstring"


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_example_is_python(verb: Verb) -> None:
    compile(verb.example, verb.name, "eval")
    assert f"mem.{verb.on_memory}(" in verb.example


def test_find_by_name_alias_and_command() -> None:
    assert find("remember") is find("add")
    assert find("list") is find("get_all")
    assert find("delete-all") is find("delete_all")


def test_find_suggests() -> None:
    with pytest.raises(UsageError, match="did you mean search"):
        find("serch")


def test_scope_is_spelled_out() -> None:
    search, get = signature_of(find("search")), signature_of(find("get"))
    assert search["user_id"].scope
    assert "reach" in search.names
    assert "reach" not in get.names


def test_docstrings_are_read() -> None:
    text = (
        "One line.\n\nMore\nprose.\n\nArgs:\n    a: First.\n    b: Second,\n        continued.\n\nReturns:\n    c: no."
    )
    assert parse_docstring(text) == ("One line.", "More\nprose.", {"a": "First.", "b": "Second, continued."})


def test_docs_are_up_to_date() -> None:
    page = (ROOT / "docs" / "verbs.md").read_text(encoding="utf-8")
    assert page == reference(), "run: python -m recollect.verbs > docs/verbs.md"


def test_stub_is_up_to_date() -> None:
    written = (ROOT / "recollect" / "aio.pyi").read_text(encoding="utf-8")
    assert written == stub(), "run: python -m recollect.verbs.stub > recollect/aio.pyi"
