"""Places asked for: what people write for one, and what meets it."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.errors import InvalidQuery
from recollect.model.narrowing import looks_like_path, place_query
from recollect.model.place import Place, PlaceQuery, PositionType, file_matches, spatial_match

WRITTEN: dict[str, tuple[Any, dict[str, Any]]] = {
    "a path": ("src/auth.ts", {"file_pattern": "src/auth.ts"}),
    "a file": ("auth.ts", {"file_pattern": "auth.ts"}),
    "a folder": ("src/", {"file_pattern": "src/"}),
    "a glob": ("docs/**/*.md", {"file_pattern": "docs/**/*.md"}),
    "a path of Windows": ("src\\auth.ts", {"file_pattern": "src/auth.ts"}),
    "lines": ("src/auth.ts:10-20", {"file_pattern": "src/auth.ts", "line_range": (10, 20)}),
    "one line": ("auth.ts:7", {"file_pattern": "auth.ts", "line_range": (7, 7)}),
    "lines of a web view": ("auth.ts#L3-L9", {"file_pattern": "auth.ts", "line_range": (3, 9)}),
    "a section": ("Limitations", {"section_contains": "Limitations"}),
    "a section path": ("Design > Caching", {"section_contains": "Design > Caching"}),
    "a module": ("recollect.recall", {"module_prefix": "recollect.recall"}),
    "a class": ("app.models.User", {"module_prefix": "app.models", "in_class": "User"}),
    "a method": ("User.rename", {"in_class": "User", "in_function": "rename"}),
    "a function": ("app.main.run()", {"module_prefix": "app.main", "in_function": "run"}),
    "a bare function": ("run()", {"in_function": "run"}),
    "a page": ("https://example.org/a", {"url_prefix": "https://example.org/a"}),
    "a part of a page": ("https://example.org/a#b", {"url_prefix": "https://example.org/a", "anchor": "b"}),
    "parts of a query": (
        {"file_pattern": "a.md", "heading_level_max": 2},
        {"file_pattern": "a.md", "heading_level_max": 2},
    ),
    "parts of a place": (
        {"file_path": "a.md", "lines": [1, 2], "section_path": ["A", "B"]},
        {"file_pattern": "a.md", "line_range": (1, 2), "section_contains": "A > B"},
    ),
    "nothing said about a part": ({"file_path": "a.md", "in_class": None}, {"file_pattern": "a.md"}),
    "a place": (
        Place(file_path="a.md", line_range=(1, 2), heading_level=3, scope_depth=1),
        {"file_pattern": "a.md", "line_range": (1, 2)},
    ),
    "a type": ({"position_type": "code"}, {"position_type": PositionType.CODE}),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_what_people_write_for_a_place(case: str) -> None:
    written, meant = WRITTEN[case]
    assert place_query(written) == PlaceQuery(**meant)
    assert place_query(place_query(written)) == PlaceQuery(**meant)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "is empty"),
        ({}, "is empty"),
        (Place(), "is empty"),
        (7, "not 7"),
        ({"file_pth": "a"}, "did you mean 'file_path'"),
        ({"wrong": "a"}, "known: "),
        ({"line_range": (1, 2)}, "needs a file"),
        ({"file_path": "a", "lines": (2, 1)}, "line_range"),
        ({"file_path": "a", "lines": True}, "line_range"),
        ({"file_path": ""}, "file_pattern"),
        ({"file_path": ["a"]}, "file_pattern"),
        ({"heading_level_max": "two"}, "level"),
        ({"position_type": "moon"}, "document"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_word(written: Any, said: str) -> None:
    with pytest.raises(InvalidQuery, match=said):
        place_query(written)


@pytest.mark.parametrize(
    ("path", "pattern", "meant"),
    [
        ("src/auth.ts", "src/auth.ts", True),
        ("web/src/auth.ts", "src/auth.ts", True),
        ("web/src/auth.ts", "./src/auth.ts", True),
        ("src/auth.ts", "auth.ts", True),
        ("src/oauth.ts", "auth.ts", False),
        ("src/auth.ts", "/home/ana/atlas/src/auth.ts", True),
        ("/home/ben/atlas/src/auth.ts", "/home/ana/atlas/src/auth.ts", False),
        ("src/a/b.py", "src/**/*.py", True),
        ("src/b.py", "src/**/*.py", True),
        ("docs/a/b.md", "docs/*.md", True),
        ("docs/b.md", "src/*.md", False),
        ("src/a/b.py", "src/", True),
        ("lib/src2/b.py", "src/", False),
        ("app/[id]/page.tsx", "app/[id]/page.tsx", True),
        ("Src/auth.ts", "src/auth.ts", False),
    ],
)
def test_which_file_is_meant(path: str, pattern: str, meant: bool) -> None:
    assert file_matches(path, pattern) is meant


HERE = Place(
    position_type=PositionType.CODE,
    file_path="src/auth.py",
    line_range=(10, 20),
    section_path=("Design", "Caching"),
    heading_level=3,
    module_path="src.auth",
    class_name="Session",
    function_name="renew",
    url="https://example.org/a/b",
    anchor="c",
)


@pytest.mark.parametrize(
    ("query", "score"),
    [
        ({}, 1.0),
        ({"file_pattern": "auth.py"}, 1.0),
        ({"file_pattern": "other.py"}, 0.0),
        ({"file_pattern": "auth.py", "line_range": (20, 30)}, 1.0),
        ({"file_pattern": "auth.py", "line_range": (21, 30)}, 0.0),
        ({"section_contains": "caching"}, 1.0),
        ({"section_contains": "design > cach"}, 1.0),
        ({"section_contains": "limits"}, 0.0),
        ({"heading_level_max": 3}, 1.0),
        ({"heading_level_max": 2}, 0.5),
        ({"heading_level_max": 2, "section_contains": "Caching"}, 0.5),
        ({"module_prefix": "src"}, 1.0),
        ({"module_prefix": "lib"}, 0.0),
        ({"in_class": "Session", "in_function": "renew"}, 1.0),
        ({"in_class": "Session", "in_function": "end"}, 0.0),
        ({"url_prefix": "https://example.org/a", "anchor": "c"}, 1.0),
        ({"url_prefix": "https://example.org/z"}, 0.0),
        ({"anchor": "d"}, 0.0),
        ({"position_type": PositionType.DOCUMENT}, 0.0),
    ],
)
def test_how_well_a_place_meets_a_query(query: dict[str, Any], score: float) -> None:
    assert spatial_match(HERE, PlaceQuery(**query), deep_heading_factor=0.5) == score


def test_a_place_that_does_not_say_is_not_there() -> None:
    nowhere = Place()
    for query in ({"file_pattern": "*"}, {"section_contains": "a"}, {"module_prefix": "a"}, {"in_class": "A"}):
        assert spatial_match(nowhere, PlaceQuery(**query), deep_heading_factor=0.5) == 0.0
    whole_file = Place(file_path="a.md")
    asked = PlaceQuery(file_pattern="a.md", line_range=(3, 4), heading_level_max=1)
    assert spatial_match(whole_file, asked, deep_heading_factor=0.5) == 1.0


def test_words_that_are_paths() -> None:
    assert all(map(looks_like_path, ("src/a", "a.py", ".github/x", "*.md", "package.json")))
    assert not any(map(looks_like_path, ("e.g.", "Ana", "v1.2", "recollect.recall", ".py", "end.")))
