"""With tiers on, no byte of what is sealed is anywhere else: every table of the database, every file beside it."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

import pytest
from security.clear_copies import CARD, CLEAR, IBAN, MAIL, NEW_MAIL, STREET, WORD, in_files, in_the_clear

import recollect
from recollect.errors import RecollectError

DOCUMENT = f"# Contacts\n\nWrite to {MAIL} about the garden.\n\n## Bank\n\nThe {WORD} fund pays from {IBAN}.\n"


@pytest.fixture(params=["memory", "file"])
def mem(request: Any, tmp_path: Path) -> Any:
    config = {"security": {"personal": "tier"}, "upkeep": {"scheduled": False}}
    where = ":memory:" if request.param == "memory" else tmp_path / "store" / "memory.db"
    key = None if request.param == "memory" else os.urandom(32)
    with recollect.open(where, key=key, config=config) as memory:
        yield memory
        if request.param == "file":
            assert in_files(tmp_path) == []
    if request.param == "file":
        assert in_files(tmp_path) == []


def test_the_grep_finds_what_is_kept_in_the_clear() -> None:
    with recollect.open(":memory:") as plain:
        plain.add(f"Write to {MAIL}")
        assert MAIL in in_the_clear(plain)


def test_no_clear_copy_is_left_by_anything_that_is_done_with_a_record(mem: recollect.Memory, tmp_path: Path) -> None:
    turns = [
        {"role": "user", "content": f"My e-mail is {MAIL}, and I moved to {STREET} in Leeds", "name": "Ana"},
        {"role": "assistant", "content": f"Noted: {MAIL}."},
        {"role": "user", "content": f"The {WORD} card is {CARD}, please pay with it", "metadata": {"note": WORD}},
    ]
    given = {"metadata": {"from": MAIL, "where": STREET}, "tags": [MAIL, "move"]}
    mem.add(turns, user_id="ana", session_id="s1", **given)
    told = {"content": f"Ana's e-mail is {MAIL}", "subject": "Ana", "object": MAIL, "attributes": {"x": MAIL}}
    (fact,) = mem.add(told, user_id="ana").ids
    mem.add({"content": f"{WORD} pays from {IBAN}", "subject": WORD, "metadata": {"w": WORD}, "tags": [WORD]})
    assert in_the_clear(mem) == []
    changed = mem.update(fact, content=f"Ana's e-mail is {NEW_MAIL}", metadata={"m": NEW_MAIL})
    mem.update(fact, object=NEW_MAIL, reason=f"she wrote from {NEW_MAIL}")
    mem.undo(mem.operations(limit=1)[0])
    mem.undo(changed)
    assert in_the_clear(mem) == []
    mem.correct(fact, f"Ana's e-mail is {NEW_MAIL} and her card {CARD}", reason=f"not {MAIL}")
    mem.ingest(DOCUMENT, user_id="ana")
    mem.ingest(DOCUMENT.replace("garden", "house"), user_id="ana", metadata={"by": MAIL}, tags=[MAIL])
    assert in_the_clear(mem) == []
    mem.compact(f"We agreed that Ana's e-mail is {MAIL}.\n- The {WORD} card is {CARD}.", user_id="ana")
    mem.working.note(f"Ana's e-mail is {MAIL}", user_id="ana", session_id="s1")
    for question in (f"which e-mail has Ana, is it {MAIL}?", "where does Ana live?", f"and the {WORD} card {CARD}?"):
        mem.search(question, user_id="ana", session_id=None)
        mem.context(question, user_id="ana", session_id="s1")
    mem.working.suspend(user_id="ana", session_id="s1")
    assert in_the_clear(mem) == []


def test_upkeep_makes_no_clear_copy(mem: recollect.Memory) -> None:
    for number in range(6):
        text = f"On day {number} I wrote to {MAIL} about the garden and paid with {CARD} at {STREET}"
        mem.add(
            [{"role": "user", "content": text}],
            user_id="ana",
            session_id=f"s{number}",
            timestamp=f"2024-05-0{number + 1}",
        )
    mem.consolidate(user_id="ana")
    mem.maintain()
    mem.reason("how can Ana be reached?", user_id="ana")
    assert in_the_clear(mem) == []


def test_exports_carry_what_the_rows_hold(mem: recollect.Memory, tmp_path: Path) -> None:
    mem.add([{"role": "user", "content": f"My e-mail is {MAIL}"}, f"The {WORD} card is {CARD}"], metadata={"m": MAIL})
    folder = tmp_path / "out"
    folder.mkdir()
    for name in ("all.jsonl", "all.md"):
        try:
            mem.export(folder / name)
        except RecollectError:
            mem.export(folder / name, plain=True)  # type: ignore[call-arg]
    assert len(list(folder.iterdir())) == 2
    assert in_files(folder) == []


def test_logs_hold_nothing_that_is_sealed(mem: recollect.Memory, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    (id_,) = mem.add(f"Write to {MAIL}").ids
    mem.search("whom to write to?")
    mem.update(id_, content=f"Write to {NEW_MAIL}")
    assert not any(value in caplog.text for value in CLEAR)
