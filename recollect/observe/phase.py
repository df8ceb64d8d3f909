"""Which phase of work a session is in, told from its events: planning, coding, qa_review, debugging, insights, spec.

The first of these that holds:

    a caller said so         an event named the phase; it holds until another one does
    planning                 the last prompt was in plan mode, and its plan was not taken up yet
    what a prompt asked for  planning, qa_review, insights or spec, until a file is edited
    debugging                tests fail, or the same error came up twice, and did not go well since; or it was asked for
    qa_review                tests went well after the last edit
    coding                   it was asked for, or files were edited

Where none holds nobody knows, and nothing is weighed by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from recollect.hook.phases import PHASES
from recollect.store.observed import StoredEvent

EVENTS_LOOKED_AT = 200  # the newest of a session
_PLAN_MODE = "plan"
_PLAN_TAKEN_UP = "exitplanmode"
_WITHOUT_EDITS = ("planning", "qa_review", "insights", "spec")
_SAME_ERROR = 2


def phase_of(events: Sequence[StoredEvent]) -> str | None:
    """The phase of a session by its events, oldest first."""
    said = next((word for event in reversed(events) if (word := event.detail.get("phase")) in PHASES), None)
    if said is not None:
        return str(said)
    last = next((at for at in reversed(range(len(events))) if events[at].type == "prompt"), -1)
    turn = events[last + 1 :]
    prompt = events[last].detail if last >= 0 else {}
    if prompt.get("mode") == _PLAN_MODE and not any(_is_plan_taken_up(event) for event in turn):
        return "planning"
    asked = prompt.get("asks")
    edited = any(_edits(event) for event in turn)
    if asked in _WITHOUT_EDITS and not edited:
        return str(asked)
    if _has_open_errors(events):
        return "debugging"
    if _is_tested(events):
        return "qa_review" if asked is None or edited else str(asked)
    if asked == "debugging":
        return "debugging"
    return "coding" if asked == "coding" or any(map(_edits, events)) else None


def _is_plan_taken_up(event: StoredEvent) -> bool:
    return event.type == "plan" and (event.tool or "").lower() == _PLAN_TAKEN_UP


def _edits(event: StoredEvent) -> bool:
    return event.type == "tool" and any(file.kind in ("edit", "write") for file in event.files)


def _has_open_errors(events: Sequence[StoredEvent]) -> bool:
    """Whether the last run of tests failed, or one error came up again and what it was about did not go well since."""
    well: set[tuple[str | None, str]] = set()
    errors: Counter[str] = Counter()
    tests_ran = False
    for event in reversed(events):
        about = event.target or next((file.path for file in event.files), "")
        if event.type == "tool":
            tests_ran = tests_ran or bool(event.detail.get("tests"))
            well.add((event.tool, about))
        elif event.type == "tool_failed" and (event.tool, about) not in well:
            if event.detail.get("tests") and not tests_ran:
                return True
            errors[event.error_hash or ""] += event.error_hash is not None
    return max(errors.values(), default=0) >= _SAME_ERROR


def _is_tested(events: Sequence[StoredEvent]) -> bool:
    """Whether tests went well after the last edit, and there was one."""
    tested = False
    for event in reversed(events):
        if event.type == "tool" and event.detail.get("tests"):
            tested = True
        if _edits(event):
            return tested
    return False
