"""Errors of tools: the line that tells, and what stays of it when the same thing goes wrong elsewhere."""

from __future__ import annotations

import pytest

from recollect.hook import failure


@pytest.mark.parametrize(
    ("error", "line"),
    [
        ("Exit code 1\nTraceback (most recent call last):\n  File \"x\"\nKeyError: 'a'", "KeyError: 'a'"),
        ("Exit code 2\nCompiling…\nsrc/a.c:3: error: expected ;\n2 warnings", "src/a.c:3: error: expected ;"),
        ("File does not exist.", "File does not exist."),
        ("", ""),
        ("\n\n", ""),
    ],
)
def test_the_line_that_tells_is_found(error: str, line: str) -> None:
    assert failure.telling(error) == line


def test_no_more_than_200_characters_of_an_error_are_kept() -> None:
    assert len(failure.telling("error: " + "x" * 10_000_000)) == 200


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/home/a/x.py:12: error", "/srv/b/x.py:907: error"),
        ("\x1b[31mfailed\x1b[0m in 3.2s", "failed in 0.11s"),
        ("No module named 'foo'", 'No module named "bar"'),
        ("at 2026-01-02T03:04:05Z: timed out", "at 2025-12-31 23:59:59.123: timed out"),
        ("job 4f9a2b1c-0000-4000-8000-1234567890ab lost", "job 11111111-2222-4333-8444-555555555555 lost"),
        ("commit 3ddaf486aba2 is missing", "commit 844b3e5ffed1 is missing"),
        ("object at 0x7f3a failed", "object at 0x1c00 failed"),
    ],
)
def test_what_differs_from_one_time_to_the_next_is_no_part_of_an_error(one: str, other: str) -> None:
    assert failure.normalised(one) == failure.normalised(other)
    assert failure.digest(one) == failure.digest(other)


def test_two_errors_stay_two() -> None:
    assert failure.digest("KeyError: 'a'") != failure.digest("ValueError: 'a'")
