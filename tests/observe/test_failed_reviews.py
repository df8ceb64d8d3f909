"""Reports of tests and reviews: kept as warnings, known again, cured when they pass."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ticking import Ticking

import recollect
from recollect.errors import UsageError
from recollect.memory import Memory

PRINTED = Path(__file__).with_name("printed")
ATLAS = {"project": "atlas"}
FAILING = """
=================================== FAILURES ===================================
_____________________________ test_login_is_quick ______________________________
E       AssertionError: took {seconds} s
tests/test_auth.py:{line}: AssertionError
=========================== short test summary info ============================
FAILED tests/test_auth.py::test_login_is_quick - AssertionError: took {seconds} s
========================= 1 failed, 3 passed in 0.09s ==========================
"""
PASSING = "tests/test_auth.py::test_login_is_quick PASSED\n===== 4 passed in 0.08s =====\n"


@pytest.fixture
def clock() -> Ticking:
    return Ticking(1_000)


@pytest.fixture
def memory(tmp_path: Path, clock: Ticking) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", clock=clock, background=False) as found:
        yield found


def kept(memory: Memory) -> list[Any]:
    return [record for record in memory.get_all(limit=100, **ATLAS) if record.source == "qa_auto"]


def test_what_failed_is_kept_as_a_warning_about_its_file(memory: Memory) -> None:
    receipt = memory.report_failure((PRINTED / "pytest.txt").read_text(encoding="utf-8"), spec="42", **ATLAS)
    assert receipt.flags == ("read as pytest",)
    record = next(each for each in kept(memory) if "total off" in each.content)
    assert record.content == "test_cart.py::test_total_adds in test_cart.py:4: AssertionError: total off."
    assert (record.category, record.confidence, record.needs_review) == ("error_pattern", 0.8, False)
    assert set(record.tags) == {"qa_failure", "spec_42"}
    assert record.metadata["related_files"] == ["test_cart.py"]
    assert len(kept(memory)) == 3


def test_the_same_failure_is_known_again_by_all_but_its_numbers(memory: Memory, clock: Ticking) -> None:
    first = memory.report_failure(FAILING.format(seconds=3.1, line=40), **ATLAS)
    clock.skip(1)
    again = memory.report_failure(FAILING.format(seconds=4.7, line=41), **ATLAS)
    assert again.merged == again.ids == first.ids
    assert f"recurred:{first.id}" in again.flags
    assert [record.attributes["review"]["times"] for record in kept(memory)] == [2]


def test_what_passes_later_gains_its_cure_from_the_edits_between(memory: Memory, clock: Ticking) -> None:
    failed = memory.report_failure(FAILING.format(seconds=3.1, line=40), **ATLAS)
    clock.skip(0.1)
    edit = {"type": "tool", "tool": "Edit", "session_id": "s1", "id": "e1", "input": {"file_path": "src/auth.py"}}
    memory.observe(edit, **ATLAS)
    clock.skip(0.1)
    passed = memory.report_failure(PASSING, **ATLAS)
    assert passed.ids == failed.ids
    (record,) = kept(memory)
    assert record.content.endswith("It passed after edits of src/auth.py.")
    assert record.metadata["related_files"] == ["tests/test_auth.py", "src/auth.py"]
    assert memory.report_failure(PASSING, **ATLAS).event == "NONE"  # it is cured already


def test_a_report_is_one_operation(memory: Memory, clock: Ticking) -> None:
    memory.report_failure(FAILING.format(seconds=3.1, line=40), **ATLAS)
    before = kept(memory)
    clock.skip(0.1)
    both = FAILING.format(seconds=9, line=4) + (PRINTED / "pytest.txt").read_text(encoding="utf-8")
    receipt = memory.report_failure(both, **ATLAS)
    assert receipt.operation is not None
    assert len(kept(memory)) == 4
    memory.undo(receipt.operation)
    assert kept(memory) == before


def test_milder_findings_are_counted_and_left_out(memory: Memory) -> None:
    given = [{"severity": severity, "description": f"a {severity} thing"} for severity in ("critical", "high", "low")]
    receipt = memory.report_failure(given, **ATLAS)
    assert len(receipt.ids) == 2
    assert "1 milder or repeated ones left out" in receipt.flags
    assert {record.importance for record in kept(memory)} == {0.9, 0.7}


def test_a_report_warns_who_touches_the_file(memory: Memory) -> None:
    memory.report_failure({"severity": "high", "description": "login loops", "file": "src/auth.py"}, **ATLAS)
    (record,) = kept(memory)
    hints = memory._engine.observer.hints.of("", record.scope)
    assert "login loops" in hints["files"]["src/auth.py"][0]


def test_what_is_no_report_changes_nothing(memory: Memory) -> None:
    for given in ("all is well", {}, [{"severity": "high"}], {1, 2}, "x" * (9 << 20)):
        with pytest.raises(UsageError):
            memory.report_failure(given, **ATLAS)  # type: ignore[arg-type]
    assert kept(memory) == []


def test_another_project_neither_sees_nor_cures_it(memory: Memory) -> None:
    memory.report_failure(FAILING.format(seconds=3.1, line=40), **ATLAS)
    assert memory.report_failure(PASSING, project="borealis").event == "NONE"
    assert kept(memory)[0].attributes["review"]["failing"]
