"""What a text can be filtered by, and what only looks like it."""

from __future__ import annotations

from datetime import UTC, datetime

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.language.en.times import times_in
from recollect.model.record import Affect
from recollect.perceive.traits.metadata import VALUES_MAX, metadata_of

NOW = datetime(2026, 5, 13, 15, 30, tzinfo=UTC)

PATHS = [
    ("see src/config/load.py and ./notes.md", ("src/config/load.py", "./notes.md")),
    ("in /etc/hosts, ~/notes/today.txt or main.rs", ("/etc/hosts", "~/notes/today.txt", "main.rs")),
    (r"C:\Users\ana\plan.txt is old", (r"C:\Users\ana\plan.txt",)),
    ("and/or, he/she, 3/5 of them, Node.js, e.g. this", ()),
    ("https://example.com/src/a.py is no path", ()),
]


@pytest.mark.parametrize(("text", "expected"), PATHS)
def test_file_paths(text: str, expected: tuple[str, ...]) -> None:
    assert metadata_of(text).file_paths == expected


def test_a_technology_named_like_a_person_is_not_both() -> None:
    found = metadata_of("Julia is a nice programming language")
    assert (found.people, found.technologies) == ((), ("Julia",))


def test_addresses_end_where_they_end() -> None:
    found = metadata_of("Mail ana@example.com, or see (https://example.com/a_(b).html?q=1).")
    assert found.emails == ("ana@example.com",)
    assert found.urls == ("https://example.com/a_(b).html?q=1",)


def test_versions() -> None:
    assert metadata_of("Python v3.12 and version 2, but not 16.2.1 of 3.5 percent").versions == ("3.12", "2", "16.2.1")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("```python\nprint(1)\n```", "Python"),
        ("```rs\nlet x = 1;\n```", "Rust"),
        ("fn main() { let mut x = 3; }", "Rust"),
        ("def load(path):\n    return path", "Python"),
        ("Look at main.go please", "Go"),
        ("SELECT a FROM b", None),
        ("select = SELECT name FROM users;", "SQL"),
        ("I like tea", None),
    ],
)
def test_the_language_of_code(text: str, language: str | None) -> None:
    assert metadata_of(text).code_language == language


def test_dates_are_those_of_the_times_that_were_found() -> None:
    text = "Ana moved in March 2021 and left on 3 May 2022, after 2019"
    assert metadata_of(text, times=times_in(text, NOW)).dates == ("2021-03", "2022-05-03", "2019")
    assert metadata_of("due 2026-05-13").dates == ("2026-05-13",)
    assert metadata_of("due 2026-05-13", times=()).dates == ()


def test_sentiment_and_language() -> None:
    found = metadata_of("I love this so much")
    assert found.sentiment is not None
    assert found.sentiment > 0.3
    assert found.language == "en"
    assert metadata_of("I love this so much", affect=Affect(valence=-0.25)).sentiment == -0.25
    assert metadata_of("12:30").to_dict() == {}


def test_what_is_stored_is_plain_json_and_bounded() -> None:
    text = " ".join(f"https://example.com/{number}" for number in range(100)) + " Ana likes Python"
    found = metadata_of(text).to_dict()
    assert len(found["urls"]) == VALUES_MAX
    assert orjson.loads(orjson.dumps(found)) == found


@given(st.text(max_size=300))
def test_any_text_has_metadata_that_can_be_stored(text: str) -> None:
    found = metadata_of(text).to_dict()
    assert orjson.loads(orjson.dumps(found)) == found
    assert all(len(value) <= VALUES_MAX for value in found.values() if isinstance(value, list))
