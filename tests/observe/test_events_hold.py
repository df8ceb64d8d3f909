"""What holds for all events: any input is kept or refused, seen twice is seen once, and no project sees another's."""

from __future__ import annotations

import json
import random
import zlib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect.facade.handle import engine_of
from recollect.hook import failure, payloads, process, shell, spool, tools
from recollect.memory import Memory
from recollect.observe.intake import row_of
from recollect.wiring import open_memory

NOW = 1_800_000_000_000_000
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10**12) | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_FIELDS = [
    *("session_id conversation_id hook_event_name cwd workspace_roots tool_name tool_input tool_response").split(),
    *("tool_use_id error duration_ms prompt source agent_id last_assistant_message").split(),
]
_PAYLOADS = st.fixed_dictionaries(
    {"session_id": st.just("s") | _JSON, "hook_event_name": st.sampled_from(sorted(payloads.EVENTS))},
    optional={name: _JSON for name in _FIELDS if name not in ("session_id", "hook_event_name")},
)


@given(_PAYLOADS | _JSON)
def test_any_payload_is_kept_or_refused_and_what_is_kept_is_sound(payload: Any) -> None:
    try:
        kept = payloads.kept(payloads.event_of(payload), at=NOW)
    except payloads.Unusable:
        return
    row = row_of(json.loads(process.dumped(kept)), origin="hook", now=NOW, screened=str)
    assert row.type in (*payloads.TYPES, payloads.BEFORE)
    assert len(row.error or "") <= failure.ERROR_CHARS_MAX
    assert all(not path.startswith("/") and ".." not in path.split("/") for path, _, _ in row.files)


_WORDS = ["cat", "a.py", "|", "&&", ">", "<<", "'", '"', "\\", "\n", "sed", "-n", "1,3p", " "]


@given(st.text(max_size=80) | st.lists(st.sampled_from(_WORDS)).map(" ".join))
def test_any_command_has_a_class(command: str) -> None:
    kind, files = shell.read(command)
    assert kind in tools.CLASSES
    assert all(set(each) <= {"path", "class", "lines"} for each in files)


@given(st.binary(max_size=200), st.lists(st.binary(min_size=1, max_size=30), max_size=4))
def test_frames_are_found_among_anything(junk: bytes, bodies: list[bytes]) -> None:
    whole = [body.replace(b"\n", b" ") for body in bodies]
    data = junk + b"".join(b"\n%08x %08x %b\n" % (len(body), zlib.crc32(body), body) for body in whole)
    found = [each for each in spool.frames(data) if each is not None]
    assert found[len(found) - len(whole) :] == whole


_CALLS = st.sampled_from(
    [
        ("Read", {"path": "a.py"}, None),
        ("Read", {"path": "b.py"}, None),
        ("Edit", {"path": "a.py", "old_string": "one line", "new_string": "two lines"}, None),
        ("Edit", {"path": "a.py", "old_string": "two lines", "new_string": "one line"}, None),
        ("Bash", {"command": "pytest"}, None),
        ("Bash", {"command": "pytest"}, "KeyError: 'a'"),
        ("Grep", {"pattern": "x"}, None),
    ]
)


def _events(calls: list[tuple[str, dict[str, Any], str | None]], session: str, now: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"t{number}",
            "session_id": session,
            "type": "tool" if error is None else "tool_failed",
            "tool": tool,
            "input": given,
            "error": error,
            "at": now - (1_000 - number) * 1_000_000,
        }
        for number, (tool, given, error) in enumerate(calls)
    ]


def _told(memory: Memory, project: str) -> list[dict[str, Any]]:
    return [each.to_dict() for each in memory.observed(project=project)]


@given(st.lists(_CALLS, min_size=1, max_size=14), st.integers(0, 2**32))
def test_observed_twice_in_any_order_and_portion_is_observed_once(
    calls: list[tuple[str, dict[str, Any], str | None]], seed: int
) -> None:
    chance = random.Random(seed)
    with open_memory(":memory:", embedder="fake", background=False, clock=lambda: NOW) as memory:
        events = _events(calls, "s1", NOW)
        memory.observe(events, project="once")
        twice = [*events, *events]
        chance.shuffle(twice)
        while twice:
            size = chance.randint(1, len(twice))
            memory.observe(twice[:size], project="twice")
            twice = twice[size:]
        memory.observe(_events(calls[:3], "s2", NOW), project="other")
        one, other = _told(memory, "once"), _told(memory, "twice")
        assert [each["signals"] for each in one] == [each["signals"] for each in other]
        assert [(each["steps"], each["errors"]) for each in one] == [(each["steps"], each["errors"]) for each in other]
        assert [each["id"] for each in _told(memory, "other")] == ["s2"]
        with engine_of(memory).store.read() as tx:
            rows = tx.observed.sessions(None, limit=10)
            failed = {row.scope_pk: tx.observed.known_errors([row.scope_pk], least=1, limit=9) for row in rows}
        assert len({repr([each[:4] for each in known]) for scope, known in failed.items() if known}) <= 2
