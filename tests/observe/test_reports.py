"""Reports of tests and reviews: what real tools printed (`printed/`), and what nobody may make of them."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import UsageError
from recollect.observe.reports import FAILURES_MAX, WORDS_MAX, read_report

PRINTED = Path(__file__).with_name("printed")


def read(name: str) -> list[tuple[str, str, int, str]]:
    found = read_report((PRINTED / name).read_text(encoding="utf-8"))
    assert found.form == name.partition(".")[0].partition("_")[0]
    return [(each.test, each.file, each.line, each.description) for each in found.failures]


def passed(name: str) -> tuple[str, ...]:
    return read_report((PRINTED / name).read_text(encoding="utf-8")).passed


def test_failures_of_pytest() -> None:
    assert read("pytest.txt") == [
        ("test_cart.py::test_total_adds", "test_cart.py", 4, "AssertionError: total off"),
        ("test_cart.py::test_reads", "test_cart.py", 6, "KeyError: 'price'"),
        ("test_cart.py::test_with_db", "test_cart.py", 9, "RuntimeError: no database"),
    ]


def test_failures_in_junit() -> None:
    assert read("junit.xml") == [
        ("test_cart::test_total_adds", "test_cart.py", 4, "AssertionError: total off"),
        ("test_cart::test_reads", "test_cart.py", 6, "KeyError: 'price'"),
        ("test_cart::test_with_db", "test_cart.py", 9, 'failed on setup with "RuntimeError: no database"'),
    ]
    assert passed("junit.xml") == ("test_cart::test_fine",)


def test_failures_of_jest() -> None:
    assert read("jest.txt") == [
        (
            "arithmetic › adds 1 + 2",
            "src/sum.test.js",
            3,
            "expect(received).toBe(expected) // Object.is equality; Expected: 3; Received: -1",
        ),
        ("reads a field", "src/sum.js", 2, "TypeError: Cannot read properties of undefined (reading 'field')"),
    ]
    assert passed("jest.txt") == ("keeps zero",)


def test_failures_of_go_test() -> None:
    assert read("go.txt") == [
        ("TestTotal", "cart_test.go", 3, "Total = 2, want 3"),
        ("TestSub/zero", "cart_test.go", 5, "zero is not kept"),
        (
            "TestPanics",
            "/src/cart/p2/p_test.go",
            3,
            "panic: runtime error: index out of range [0] with length 0 [recovered]",
        ),
    ]
    assert read("go_v.txt") == read("go.txt")[:2]
    assert passed("go_v.txt") == ("TestFine",)


def test_failures_of_cargo() -> None:
    assert sorted(read("cargo.txt")) == [
        ("tests::adds", "src/lib.rs", 6, "assertion `left == right` failed; left: -1; right: 3"),
        ("tests::unwraps", "src/lib.rs", 10, "called `Option::unwrap()` on a `None` value"),
    ]
    assert passed("cargo.txt") == ("tests::fine",)


def test_colours_of_a_terminal_change_nothing() -> None:
    plain = (PRINTED / "jest.txt").read_text(encoding="utf-8")
    coloured = "\n".join(f"\x1b[31m{line[:4]}\x1b[0m{line[4:]}\x1b[39m" for line in plain.splitlines())
    assert read_report(coloured).failures == read_report(plain).failures


def test_our_own_report() -> None:
    issue = {
        "severity": "Critical",
        "description": "tokens are compared byte by byte",
        "file": "src/auth.py",
        "tried": ["==", "strcmp"],
        "recommendation": "use hmac.compare_digest",
    }
    (found,) = read_report(json.dumps({"issues": [issue]})).failures
    assert (found.severity, found.file, found.tried) == ("critical", "src/auth.py", "==; strcmp")
    assert read_report(json.dumps(issue)).failures == read_report(json.dumps([issue])).failures == (found,)


def test_findings_in_sarif() -> None:
    def result(level: str, security: str | None = None) -> dict[str, object]:
        place = {"artifactLocation": {"uri": "src/a.py"}, "region": {"startLine": 7}}
        return {
            "ruleId": "S1",
            "level": level,
            "message": {"text": "unsafe"},
            "locations": [{"physicalLocation": place}],
            "properties": {} if security is None else {"security-severity": security},
        }

    text = json.dumps(
        {"version": "2.1.0", "runs": [{"results": [result("error"), result("note"), result("error", "9.8")]}]}
    )
    found = read_report(text).failures
    assert [each.severity for each in found] == ["high", "low", "critical"]
    assert (found[0].test, found[0].file, found[0].line) == ("S1", "src/a.py", 7)


def test_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>'
    with pytest.raises(UsageError, match="XML"):
        read_report(bomb)
    with pytest.raises(UsageError, match="XML"):
        read_report('<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/hostname">]><testsuite>&f;</testsuite>')


def test_many_and_long_failures_are_bounded() -> None:
    found = read_report(json.dumps([{"description": "x" * 10_000}] * (FAILURES_MAX + 5)))
    assert (len(found.failures), found.left_out) == (FAILURES_MAX, 5)
    assert len(found.failures[0].description) == WORDS_MAX


@pytest.mark.parametrize("text", ["", "all good", "{}", "[]", '{"runs": 5}', '[{"description": 3}]', "<html></html>"])
def test_what_is_no_report_is_said_to_be_none(text: str) -> None:
    with pytest.raises(UsageError, match="report"):
        read_report(text)


@given(st.text(max_size=400))
def test_any_text_is_read_or_refused(text: str) -> None:
    for ending in ("", "\nTests: 1 failed, 1 total", "\nFAIL\tx", "\ntest result: FAILED.", "\n== 1 failed in 0.1s"):
        with contextlib.suppress(UsageError):
            read_report(text + ending)


@pytest.mark.parametrize(
    "line",
    ["--- FAIL: T (0.00s)\n", "____ a ____\n", "  ● a\n", "---- a stdout ----\n", "FAILED a.py::", "E   x\n", " " * 50],
)
def test_a_megabyte_is_read_in_a_second(line: str) -> None:
    for ending in ("\nTests: 1 failed, 1 total", "\nFAIL\tx", "\ntest result: FAILED.", "\n== 1 failed in 0.1s"):
        started = time.process_time()
        read_report(line * (1_000_000 // len(line)) + ending)
        assert time.process_time() - started < 1.0
