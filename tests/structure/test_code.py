"""Code is cut where its author divided it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from recollect.structure.code import code_pieces, module_of
from recollect.structure.definitions import spans_of
from recollect.structure.parse import pieces_of
from recollect.structure.piece import Piece, PieceSizes

SMALL = PieceSizes(chars_min=20)  # so that the examples may be short
SOURCES = {
    "python": '''\
"""Ledger of the team."""
import os


class Ledger:
    """Keeps accounts."""

    # Adds one line.
    @checked
    def add(self, line):
        return line

    class Row:
        def total(self):
            return 42


async def main():
    pass  # done
''',
    "javascript": """\
/** Adds. */
export function add(a, b) {
  return a + b;
}

const area = (r) => {
  return r * r;
};

class Ledger {
  // pays in
  pay(x) {
    return x;
  }
}
""",
    "typescript": """\
export interface Shape {
  name: string;
}

export abstract class Base<T> {
  size = 0;

  @log
  async run(x: T): Promise<void> {
    await x;
  }
}
""",
    "go": """\
package main

// Server answers.
type Server struct {
	addr string
}

// Run starts it.
func (s *Server) Run(port int) error {
	return nil
}

func main() {
	run()
}
""",
    "rust": """\
use std::fmt;

/// A point.
#[derive(Debug)]
pub struct Point<T> {
    x: T,
}

impl<T> Point<T> {
    /// A new one.
    pub fn new(x: T) -> Self {
        Point { x }
    }
}

fn main() {
    run();
}
""",
    "java": """\
package a.b;

/** An account. */
public class Account<T> {
  private int balance = 0;

  /** Pays in. */
  @Override
  public int pay(int amount) {
    return balance + amount;
  }
}
""",
    "c": """\
#include <stdio.h>

/* A point. */
struct point {
  int x;
};

// Adds.
static int *add(int a, int b) {
  return 0;
}
""",
    "cpp": """\
namespace geo {

template <typename T>
class Vec {
 public:
  T norm() const {
    return x_;
  }
};

int Vec2::dot(const Vec2& o) const {
  return x * o.x;
}

}
""",
}
# Qualified name: class, function, the first line at the latest, the last.
WANTED: dict[str, dict[str, tuple[str | None, str | None, int, int]]] = {
    "python": {
        "Ledger.add": ("Ledger", "add", 8, 11),
        "Ledger.Row.total": ("Row", "total", 13, 15),
        "main": (None, "main", 18, 19),
    },
    "javascript": {
        "add": (None, "add", 1, 4),
        "area": (None, "area", 6, 8),
        "Ledger.pay": ("Ledger", "pay", 11, 15),
    },
    "typescript": {
        "Shape": ("Shape", None, 1, 3),
        "Base.run": ("Base", "run", 8, 12),
    },
    "go": {
        "Server.Run": ("Server", "Run", 8, 11),
        "main": (None, "main", 13, 15),
    },
    "rust": {
        "Point": ("Point", None, 3, 7),
        "Point::new": ("Point", "new", 9, 14),
        "main": (None, "main", 16, 18),
    },
    "java": {
        "Account.pay": ("Account", "pay", 7, 12),
    },
    "c": {
        "point": ("point", None, 3, 6),
        "add": (None, "add", 8, 11),
    },
    "cpp": {
        "Vec::norm": ("Vec", "norm", 6, 9),
        "Vec2::dot": ("Vec2", "dot", 11, 15),
    },
}


def pieces(text: str, language: str = "python", sizes: PieceSizes = PieceSizes()) -> tuple[Piece, ...]:
    return code_pieces(text, language, f"src/atlas/ledger.{language}", sizes=sizes)[0]


@pytest.mark.parametrize("language", SOURCES)
def test_definitions_know_their_names_and_lines(language: str) -> None:
    found = {piece.key.removesuffix("#1"): piece for piece in pieces(SOURCES[language], language, SMALL)}
    for name, (owner, function, first, last) in WANTED[language].items():
        place = found[name].place
        assert (place.class_name, place.function_name) == (owner, function)
        assert place.line_range is not None
        assert place.line_range[0] <= first  # imports and the head of a class may be with its first member
        assert place.line_range[1] == last
        assert (place.module_path, found[name].language) == ("atlas.ledger", language)


@pytest.mark.parametrize("language", SOURCES)
@pytest.mark.parametrize(
    "sizes", [PieceSizes(), SMALL, PieceSizes(chars_min=1, chars_max=60)], ids=["usual", "small", "tiny"]
)
def test_every_line_is_in_one_piece(language: str, sizes: PieceSizes) -> None:
    text = SOURCES[language]
    wanted = [line for line in text.split("\n") if line.strip()]
    found = [line for piece in pieces(text, language, sizes) for line in piece.text.split("\n") if line.strip()]
    if sizes.chars_max >= 100:
        assert found == wanted
    else:
        assert "".join("".join(found).split()) == "".join("".join(wanted).split())


def test_comments_and_decorators_above_a_definition_belong_to_it() -> None:
    text = SOURCES["python"]
    found = {piece.key: piece for piece in pieces(text, "python", SMALL)}
    assert found["Ledger.add#1"].text.startswith("    # Adds one line.\n    @checked\n    def add")
    assert found["Ledger#1"].text == 'class Ledger:\n    """Keeps accounts."""'
    assert found["#1"].text == '"""Ledger of the team."""\nimport os'


def test_a_comment_behind_code_is_not_about_the_next_definition() -> None:
    (head, function) = pieces(
        "x = 1  # about x\ndef f():\n    return 2 * x  # and more\n", "python", PieceSizes(chars_min=5)
    )
    assert (head.text, function.place.line_range) == ("x = 1  # about x", (2, 3))


def test_small_functions_are_grouped_and_large_ones_cut() -> None:
    small = "".join(f"def f{number}():\n    return {number}\n\n" for number in range(20))
    grouped = pieces(small)
    assert all(90 <= len(piece.text) <= 200 for piece in grouped[:-1])
    assert grouped[0].title == "f0, f1, f2, f3, f4"
    body = "".join(f"    if x == {number}:\n        y = {number}\n        z = y\n\n" for number in range(300))
    parts = pieces(f"def choose(x):\n{body}    return z\n")
    assert len(parts) > 3
    assert all(piece.place.function_name == "choose" and len(piece.text) <= 4_000 for piece in parts)
    assert all(piece.text.startswith(("def", "    if")) for piece in parts)
    assert [piece.key for piece in parts] == [f"choose#{number + 1}" for number in range(len(parts))]


def test_syntax_errors_cost_only_what_they_break() -> None:
    text = f"def good():\n    return 1  # {'x' * 100}\n\ndef broken(:\n    retrn ((\n\ndef after():\n    return 2\n"
    found, _, notes = code_pieces(text, "python", "a.py")
    assert found[0].place.function_name == "good"
    assert "retrn" in "".join(piece.text for piece in found)
    assert "syntax errors" in notes[0]


def test_what_is_no_code_at_all_is_cut_between_lines() -> None:
    text = "\n".join(f"}}}} )( {number} ???" for number in range(1_000))
    found, _, notes = code_pieces(text, "java", "A.java")
    assert all(len(piece.text) <= 4_000 for piece in found)
    assert "\n".join(piece.text for piece in found) == text
    assert notes == ["has syntax errors; cut between lines"]


@pytest.mark.parametrize("language", sorted(SOURCES))
@pytest.mark.timeout(60)
def test_hostile_code_ends(language: str) -> None:
    for text in ("(" * 20_000, "class A { " * 2_000, "if x:\n" * 2_000, "x" * 300_000, "'" * 20_001, "/*" * 5_000):
        found, _, _ = code_pieces(text, language, "a")
        assert sum(len("".join(piece.text.split())) for piece in found) == len("".join(text.split()))
        assert all(len(piece.text) <= 4_000 for piece in found)


def test_a_file_too_large_for_a_grammar_is_cut_between_lines() -> None:
    text = "def f():\n    return 1\n" * 250_000
    found, tree, notes = code_pieces(text, "python", "big.py")
    assert "bytes" in notes[0]
    assert len(tree.sections) == 1
    assert max(len(piece.text) for piece in found) <= 4_000


def test_languages_without_a_grammar_are_cut_at_the_least_indented_line() -> None:
    text = "\n\n".join(f"def method{number}\n  puts {number}\n  {'x' * 60}\nend" for number in range(100))
    found = pieces(text, "ruby")
    assert len(found) > 1
    assert all(piece.text.startswith("def") and piece.text.endswith("end") for piece in found)


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("src/atlas/sync/__init__.py", "atlas.sync"),
        ("atlas/sync.py", "atlas.sync"),
        ("web/index.ts", "web"),
        ("./a.test.js", "a"),
        (None, None),
    ],
)
def test_a_module_is_named_by_its_path(path: str | None, module: str | None) -> None:
    assert module_of(path) == module


def test_a_module_is_named_from_its_package_on(tmp_path: Path) -> None:
    package = tmp_path / "work" / "atlas" / "sync"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").touch()
    file = package / "merge.py"
    file.write_text("def merge():\n    return 1\n", encoding="utf-8")
    assert pieces_of(file).pieces[0].place.module_path == "atlas.sync.merge"


def test_what_takes_a_grammar_too_long_is_cut_between_lines() -> None:
    begun = time.thread_time()
    notes: list[str] = []
    text = '"' * 60_000
    assert len(spans_of(text, text.splitlines(), "rust", notes)) == 1
    assert time.thread_time() - begun < 1
    assert "cut between lines" in notes[0]
