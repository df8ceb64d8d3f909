"""Which programming language the code of a text is in."""

from __future__ import annotations

import pytest

from recollect.perceive.traits.code_language import code_language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Try this:\n```rust\nlet x = 1;\n```", "Rust"),
        ("def run(self):\n    pass", "Python"),
        ("from pathlib import Path", "Python"),
        ("fn main() { }", "Rust"),
        ("let mut total = 0;", "Rust"),
        ("func (s *Server) Run() {", "Go"),
        ("total := count();", "Go"),
        ("interface Ana { name: string; }", "TypeScript"),
        ("const ana = { };", "JavaScript"),
        ("items.map(x => { return x })", "JavaScript"),
        ("public static void main(String[] args)", "Java"),
        ("std::vector<int> rows;", "C++"),
        ('#include "ana.h"', "C"),
        ("SELECT name\nFROM people;", "SQL"),
        ("$ ls -la", "Shell"),
        ("sudo reboot  # now", "Shell"),
    ],
)
def test_code_is_told_by_how_it_is_written(text: str, language: str) -> None:
    assert code_language_of(text) == language


@pytest.mark.parametrize(
    "text", ["", "Ben takes a class (on Mondays)", "We import tea; it is good", "class notes: none"]
)
def test_prose_is_not_code(text: str) -> None:
    assert code_language_of(text) is None


def test_a_file_says_it_where_there_is_no_code() -> None:
    assert code_language_of("see docs/a.txt and src/main.go", ["docs/a.txt", "src/main.go"]) == "Go"
