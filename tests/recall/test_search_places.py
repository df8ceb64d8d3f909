"""Where an answer must come from, and what sort of text it must be: filters that hold however the order is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ticking import Ticking

from recollect import Memory
from recollect.errors import InvalidQuery
from recollect.recall.question.query import STRATEGIES
from recollect.wiring import open_memory

PLACES: dict[str, dict[str, Any]] = {
    "token renewal": {"file_path": "src/auth.py", "line_range": (10, 20)},
    "token expiry": {"file_path": "src/auth.py", "line_range": (80, 90)},
    "token checks": {"file_path": "src/oauth.py", "line_range": (10, 20)},
    "token theory": {"file_path": "docs/guide.md", "section_path": ("Design", "Tokens")},
    "token class": {"position_type": "code", "module_path": "app.auth", "class_name": "Token"},
}
FACETS: dict[str, dict[str, Any]] = {
    "key rotation": {"diataxis_type": "howto", "domain_tags": ["security"]},
    "key theory": {"diataxis_type": "explanation", "domain_tags": ["security"]},
    "key lime pie": {"diataxis_type": "howto", "domain_tags": ["kitchen"]},
}


@pytest.fixture(scope="module")
def mem() -> Iterator[Memory]:
    with open_memory(":memory:", embedder="wordllama", clock=Ticking()) as memory:
        for content, place in PLACES.items():
            memory.add({"content": content, "place": place}, infer=False)
        for content, facets in FACETS.items():
            memory.add({"content": content, "facets": facets})
        memory.add(["token talk from nowhere", "key talk of no sort"], infer=False)
        yield memory


def contents(found: Any) -> set[str]:
    return {hit.content for hit in found}


@pytest.mark.parametrize("rerank", [None, *STRATEGIES])
@pytest.mark.parametrize(
    ("place", "there"),
    [
        ("src/auth.py", {"token renewal", "token expiry"}),
        ("auth.py:15-30", {"token renewal"}),
        ("auth.py:15-85", {"token renewal", "token expiry"}),
        ("src/auth.py:50", set()),
        ("src/*.py", {"token renewal", "token expiry", "token checks"}),
        ({"section_contains": "tokens"}, {"token theory"}),
        ({"in_class": "Token"}, {"token class"}),
        ({"file": "src/oauth.py", "lines": [1, 12]}, {"token checks"}),
    ],
)
def test_only_what_lies_there_is_found(mem: Memory, place: Any, there: set[str], rerank: str | None) -> None:
    assert contents(mem.search("token", place=place, rerank=rerank)) == there


@pytest.mark.parametrize("rerank", [None, *STRATEGIES])
@pytest.mark.parametrize(
    ("facets", "such"),
    [
        ({"diataxis_type": "howto"}, {"key rotation", "key lime pie"}),
        ({"domain_tags": ["security"]}, {"key rotation", "key theory"}),
        ({"diataxis_type": "howto", "domain_tags": ["security"]}, {"key rotation"}),
        ({"diataxis_type": "tutorial"}, set()),
    ],
)
def test_all_that_is_asked_of_a_text_has_to_hold(mem: Memory, facets: Any, such: set[str], rerank: str | None) -> None:
    assert contents(mem.search("key", facets=facets, rerank=rerank)) == such


def test_place_and_facets_are_both_asked_for(mem: Memory) -> None:
    found = mem.search("key", place="src/auth.py", facets={"diataxis_type": "howto"})
    assert not found
    assert found.abstained


def test_what_lies_there_is_found_without_a_common_word(mem: Memory) -> None:
    assert contents(mem.search("zebra crossing", place="src/oauth.py")) == {"token checks"}


@pytest.mark.parametrize(
    ("narrowing", "named"),
    [
        ({"place": {"filepattern": "x"}}, "did you mean 'file_pattern'?"),
        ({"place": {"line_range": [1, 2]}}, "needs a file"),
        ({"place": ""}, "is empty"),
        ({"place": 7}, "7"),
        ({"facets": {"diataxistype": "howto"}}, "did you mean 'diataxis_type'?"),
        ({"facets": {"diataxis_type": "recipe"}}, "'recipe'"),
        ({"facets": "howto"}, "'howto'"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(mem: Memory, narrowing: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidQuery) as refused:
        mem.search("token", **narrowing)
    assert named in refused.value.message


def test_files_that_go_together_bring_their_warnings() -> None:
    with open_memory(":memory:", embedder="wordllama", clock=Ticking()) as memory:
        memory.add(
            {
                "content": "auth and sessions change together",
                "category": "causal_dependency",
                "confidence": 0.9,
                "place": {"file_path": "src/auth.py"},
                "metadata": {"related_files": ["src/session.py"]},
            }
        )
        warning = memory.add(
            {
                "content": "Pickled cookies break on upgrade",
                "category": "gotcha",
                "place": {"file_path": "src/session.py"},
            }
        ).id
        memory.add({"content": "Cookies are tasty", "category": "gotcha"})
        found = memory.search("what must I know before I touch src/auth.py?", explain=True)
        assert "files" in found.trace.found_by[warning]
        assert "files" in {step.source for step in found.trace.hits[warning]}
