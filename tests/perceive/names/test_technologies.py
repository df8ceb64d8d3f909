"""Languages, frameworks, databases and tools, told from ordinary words."""

from __future__ import annotations

import pytest

from recollect.perceive.names.technologies import languages_by_ending, languages_by_fence, technologies_in

TECHNOLOGIES = [
    ("I use Rust and React", {"Rust", "React"}),
    ("We rewrote the backend in Go", {"Go"}),
    ("moved from mysql to postgres on k8s", {"MySQL", "PostgreSQL", "Kubernetes"}),
    ("Node.js and VUEJS are fine, C++ and C# too", {"Node.js", "Vue", "C++", "C#"}),
    ("Julia is a nice programming language", {"Julia"}),
    ("Rust on Windows compiles, and the tests pass in Swift", {"Rust", "Windows", "Swift"}),
    ("Go to the beach, react quickly, and express yourself", set()),
    ("Let's go, I react badly to rust in spring", set()),
    ("Go! Make it so. React to Ben's test.", set()),
    ("Julia and Ruby met Ray in the Safari Park", set()),
    ("Julia uses Slack", {"Slack"}),
]


@pytest.mark.parametrize(("text", "expected"), TECHNOLOGIES)
def test_technologies(text: str, expected: set[str]) -> None:
    assert set(technologies_in(text)) == expected


def test_files_and_fences_tell_a_language() -> None:
    assert languages_by_ending()["rs"] == "Rust"
    assert languages_by_fence()["golang"] == "Go"
    assert languages_by_fence()["python"] == "Python"
