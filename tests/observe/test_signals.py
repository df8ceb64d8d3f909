"""What a session shows, against small sessions that were written for it."""

from __future__ import annotations

from typing import Any

import orjson

from recollect.config.observing import ObserveSettings
from recollect.hook import failure
from recollect.observe.signals import Derived, derive
from recollect.store.observed import StoredEvent, TouchedFile

SETTINGS = ObserveSettings()
SECOND = 1_000_000


class Session:
    """Events one after another, a second apart."""

    def __init__(self) -> None:
        self.events: list[StoredEvent] = []

    def _add(self, what: str, **fields: Any) -> Session:
        blank: dict[str, Any] = dict.fromkeys(StoredEvent._fields)
        at = (len(self.events) + 1) * SECOND
        fields = {"detail": {}, "files": (), **fields}
        self.events.append(StoredEvent(**{**blank, "pk": len(self.events) + 1, "type": what, "at": at, **fields}))
        return self

    def read(self, *paths: str, lines: Any = None, agent: str | None = None) -> Session:
        detail = {"lines": lines} if lines else {}
        files = tuple(TouchedFile(path, "read", detail) for path in paths)
        return self._add("tool", tool="Read", kind="read", files=files, agent=agent)

    def edit(self, path: str, *hunks: list[int], gone: Any = (), came: Any = ()) -> Session:
        detail = {"hunks": list(hunks), "gone": list(gone), "came": list(came)}
        return self._add("tool", tool="Edit", kind="edit", files=(TouchedFile(path, "edit", detail),))

    def run(self, command: str) -> Session:
        return self._add("tool", tool="Bash", kind="run", target=command)

    def fail(self, command: str, error: str) -> Session:
        hash_ = failure.digest(error)
        return self._add("tool_failed", tool="Bash", kind="run", target=command, error=error, error_hash=hash_)

    def moment(self, kind: str) -> Session:
        return self._add(kind)

    def derived(self, **changes: Any) -> Derived:
        return derive(self.events, ObserveSettings(**changes) if changes else SETTINGS)

    def found(self, kind: str, **changes: Any) -> list[tuple[str, str, int, dict[str, Any]]]:
        rows = [row for row in self.derived(**changes).signals if row.kind == kind]
        return [(row.subject, row.other, row.times, orjson.loads(row.detail or "{}")) for row in rows]


def test_each_file_that_was_touched_is_counted_with_its_classes_and_steps() -> None:
    session = Session().read("a.py").edit("a.py", [1, 1, 1, 1]).read("b.py")
    assert session.found("file_access") == [
        ("a.py", "", 2, {"classes": {"edit": 1, "read": 1}, "steps": [1, 2]}),
        ("b.py", "", 1, {"classes": {"read": 1}, "steps": [3, 3]}),
    ]


def test_two_files_within_three_steps_are_a_pair_once_at_their_nearest() -> None:
    session = Session().read("a.py").run("x").run("y").read("b.py").read("a.py").run("z").run("u").run("v").read("c.py")
    assert session.found("co_access") == [("a.py", "b.py", 1, {"steps": 1, "ms": 1000})]
    assert {row[:2] for row in session.found("co_access", coaccess_steps=4)} == {("a.py", "b.py"), ("a.py", "c.py")}


def test_the_same_error_twice_is_a_retry_and_says_how_it_went_away() -> None:
    session = Session()
    session.fail("pytest", "E  KeyError: 'one'").read("a.py").fail("pytest", "E  KeyError: 'two'")
    session.edit("a.py", [3, 1, 3, 1]).edit("b.py", [1, 0, 1, 1]).run("ls").run("pytest").edit("c.py")
    ((subject, _, times, detail),) = session.found("error_retry")
    same = failure.digest("E  KeyError: 'three'")
    assert (subject, times) == (f"Bash {same}", 2)
    assert detail["resolved_how"] == {"edited": ["a.py", "b.py"], "steps": 4}
    (cure,) = session.derived().cures
    assert (cure.tool, cure.how["edited"]) == ("Bash", ["a.py", "b.py"])


def test_an_error_that_came_once_is_no_retry_and_one_that_stayed_has_no_cure() -> None:
    assert Session().fail("a", "boom error").run("a").found("error_retry") == []
    ((_, _, _, detail),) = Session().fail("a", "boom error").fail("a", "boom error").run("b").found("error_retry")
    assert detail["resolved_how"] is None
    assert Session().fail("a", "boom error").fail("a", "boom error").found("error_retry", retries_min=3) == []


def test_an_edit_of_the_same_lines_soon_after_is_a_backtrack() -> None:
    session = Session().edit("a.py", [10, 1, 10, 3]).run("pytest").edit("a.py", [11, 1, 11, 1])
    ((path, cause, times, detail),) = session.found("backtrack")
    assert (path, cause, times, detail["within_steps"]) == ("a.py", "wrong_assumption", 1, 2)


def test_hunks_in_a_row_are_no_backtrack_wherever_the_first_moved_the_second() -> None:
    assert Session().edit("a.py", [10, 1, 10, 1]).edit("a.py", [20, 1, 20, 1]).found("backtrack") == []
    session = Session().edit("a.py", [10, 1, 10, 5]).edit("a.py", [1, 0, 1, 30]).edit("a.py", [10, 1, 10, 1])
    assert [row[3]["within_steps"] for row in session.found("backtrack")] == [1]  # lines 10 are the second edit's now


def test_taking_back_ones_own_text_is_a_backtrack_without_line_numbers_too() -> None:
    session = Session().edit("a.py", gone=["11111111"], came=["22222222"]).edit("a.py", gone=["22222222"])
    assert [row[:2] for row in session.found("backtrack")] == [("a.py", "wrong_assumption")]


def test_an_edit_much_later_takes_nothing_back() -> None:
    session = Session().edit("a.py", [1, 1, 1, 1])
    for _ in range(5):
        session.run("x")
    session.edit("a.py", [1, 1, 1, 1])
    assert session.found("backtrack") == []
    assert len(session.found("backtrack", backtrack_steps=6)) == 1


def test_the_cause_of_a_backtrack_is_what_was_done_in_between() -> None:
    again = [1, 1, 1, 1]
    cascading = Session().edit("a.py", again).edit("b.py", again).edit("a.py", again)
    assert [(row[1], row[3].get("paired")) for row in cascading.found("backtrack")] == [("cascading_change", ["b.py"])]
    missing = Session().edit("a.py", again).read("b.py").edit("a.py", again)
    assert [row[1] for row in missing.found("backtrack")] == ["missing_context"]


def test_classes_in_a_row_are_counted_within_a_turn_with_their_ends() -> None:
    session = Session().read("a").edit("a").run("t").read("a").edit("a").fail("t", "error")
    found = {row[0]: row for row in session.found("sequence")}
    assert found["read edit run"][2:] == (2, {"succeeded": 1, "failed": 1})
    assert max(len(row.split()) for row in found) == 6
    apart = Session().read("a").edit("a").moment("prompt").run("t")
    assert apart.found("sequence") == []
    assert Session().read("a").edit("a").found("sequence", sequence_min=2)[0][0] == "read edit"
    assert max(len(row[0].split()) for row in session.found("sequence", sequence_max=4)) == 4
    assert Session().read("a").read("b").read("c").found("sequence") == []


def test_a_file_read_again_and_again_and_never_edited_is_told() -> None:
    session = Session()
    for _ in range(4):
        session.read("a.py")
    assert session.found("time_anomaly") == [("a.py", "", 4, {"ms": 3000})]
    assert session.found("time_anomaly", rereads_min=5) == []
    session.edit("a.py")
    assert session.found("time_anomaly") == []


def test_other_lines_other_agents_and_reads_after_compaction_are_no_rereads() -> None:
    lines = Session()
    for first in (1, 50, 100, 150):
        lines.read("a.py", lines=[[first, first + 49]])
    agents = Session().read("a.py").read("a.py", agent="x").read("a.py", agent="y").read("a.py", agent="z")
    compacted = Session().read("a.py").read("a.py").moment("compact").read("a.py").read("a.py")
    for session in (lines, agents, compacted):
        assert session.found("time_anomaly") == []


def test_a_call_that_failed_changed_nothing() -> None:
    session = Session().edit("a.py", [1, 1, 1, 1])
    session._add(
        "tool_failed", tool="Edit", kind="edit", files=(TouchedFile("a.py", "edit", {"hunks": [[1, 1, 1, 1]]}),)
    )
    assert session.found("backtrack") == []


def test_the_same_events_give_the_same_signals() -> None:
    session = Session().read("b", "a").edit("a").fail("t", "error one").fail("t", "error two").run("t").read("c")
    assert session.derived() == session.derived()
