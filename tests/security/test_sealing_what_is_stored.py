"""What is stored already, moved under a tier or out of it: nothing of the old is left behind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from security.clear_copies import CARD, IBAN, MAIL, NEW_MAIL, STREET, WORD, in_files, in_the_clear

import recollect
from recollect.errors import EncryptionFailed, UndoRefused, UsageError

TURN = f"My e-mail is {MAIL} and I live at {STREET} in Leeds"
TIER = {"security": {"personal": "tier"}}


def lived_in(mem: recollect.Memory) -> dict[str, str]:
    """A store with a past, everything in the clear."""
    ids = {}
    (ids["turn"],) = mem.add(
        [{"role": "user", "content": TURN}], user_id="ana", session_id="s1", metadata={"m": MAIL}
    ).ids
    (ids["card"],) = mem.add(f"The {WORD} card is {CARD}", user_id="ana", tags=[WORD]).ids
    mem.update(ids["card"], content=f"The {WORD} account is {IBAN}", reason=f"{WORD} said so")
    (ids["gone"],) = mem.add(f"Write to {NEW_MAIL}", user_id="ana").ids
    mem.delete(ids["gone"])
    (ids["tea"],) = mem.add("Ana likes tea", user_id="ana").ids
    mem.relate(ids["card"], ids["tea"], "relates_to", evidence=[f"{WORD} and tea"])
    mem.working.note(f"Ana's e-mail is {MAIL}", user_id="ana", session_id="s1")
    mem.working.suspend(user_id="ana", session_id="s1")
    mem.ingest(f"# Contacts\n\nWrite to {MAIL} about the garden.\n", user_id="ana")
    return ids


def test_what_is_stored_is_sealed_and_nothing_clear_is_left(tmp_path: Path) -> None:
    path, key = tmp_path / "store" / "memory.db", os.urandom(32)
    with recollect.open(path, config={"upkeep": {"scheduled": False}}) as mem:
        ids = lived_in(mem)
        mem.vault.encrypt(key)
        assert in_the_clear(mem)
    with recollect.open(path, key=key, config=TIER | {"upkeep": {"scheduled": False}}) as mem:
        found = mem.vault.seal(dry_run=True)
        assert in_the_clear(mem)
        report = mem.vault.seal()
        assert report["sealed"] == found["sealed"] >= 4
        assert in_the_clear(mem) == []
        assert mem.vault.seal()["sealed"] == 0
        assert mem.get(ids["turn"]).content == TURN  # type: ignore[union-attr]
        assert mem.get(ids["turn"]).metadata == {"m": MAIL}  # type: ignore[union-attr]
        assert mem.get(ids["card"]).content == "[confidential: iban]"  # type: ignore[union-attr]
        assert mem.reveal(ids["card"]).content == f"The {WORD} account is {IBAN}"
        assert mem.search("where does Ana live?", user_id="ana").hits[0].content == TURN
        assert ids["card"] in [hit.id for hit in mem.search("which account is it?", user_id="ana")]
        assert [each.id for each in mem.related(ids["card"])] == [ids["tea"]]
        statements = [each.content for each in mem.get_all(user_id="ana") if each.source == "statement"]
        assert statements
        assert not any(MAIL in each for each in statements)
    assert in_files(tmp_path) == []


def test_sealing_goes_on_where_it_was_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, key = tmp_path / "a.db", os.urandom(32)
    with recollect.open(path, key=key) as mem:
        ids = [mem.add(f"Write to a{n}.{MAIL} about {n}").ids[0] for n in range(6)]
    with recollect.open(path, key=key, config=TIER) as mem:
        sealing = mem._engine.sealing
        write, left = sealing._write, [3]

        def interrupted(*given: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt
            return write(*given)

        monkeypatch.setattr(sealing, "_write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            mem.vault.seal()
        monkeypatch.undo()
        assert [each.security for each in mem.get_all()].count("sensitive") == 3
        assert mem.vault.seal()["sealed"] == 3
        assert in_the_clear(mem) == []
        assert [mem.get(id_).content for id_ in ids] == [  # type: ignore[union-attr]
            f"Write to a{n}.{MAIL} about {n}" for n in range(6)
        ]


@pytest.mark.parametrize("tier", ["sensitive", "confidential"])
def test_a_tier_that_is_told_later_leaves_nothing_behind(tier: str) -> None:
    with recollect.open(":memory:") as mem:
        (id_,) = mem.add([{"role": "user", "content": TURN}], user_id="ana", metadata={"m": MAIL}).ids
        mem.update(id_, content=f"{TURN} now", reason=f"for {MAIL}")
        receipt = mem.update(id_, security=tier, importance=0.9)
        assert MAIL not in repr(receipt)
        assert {"zyxana", MAIL, "Quetzal"} & set(in_the_clear(mem)) == set()
        found = mem.get(id_)
        assert found is not None
        assert (found.security, found.importance) == (tier, 0.9)
        assert mem.reveal(id_).content == f"{TURN} now"


def test_a_record_comes_back_into_the_clear_when_that_is_told() -> None:
    with recollect.open(":memory:", config=TIER) as mem:
        (id_,) = mem.add(TURN, metadata={"m": MAIL}).ids
        mem.update(id_, security="cleartext")
        found = mem.get(id_)
        assert found is not None
        assert (found.content, found.metadata, found.security, found.sealed) == (TURN, {"m": MAIL}, "cleartext", None)
        assert mem.search(MAIL).hits[0].id == id_


def test_sealing_cannot_be_undone() -> None:
    with recollect.open(":memory:") as mem:
        (id_,) = mem.add(f"Write to {MAIL}").ids
        receipt = mem.update(id_, security="sensitive")
        with pytest.raises(UndoRefused):
            mem.undo(receipt)


def test_what_is_sealed_comes_back_into_the_rows_of_a_store_that_becomes_plain(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "a.db", config=TIER) as mem:
        mem.vault.encrypt(os.urandom(32))
        (mail,) = mem.add(TURN, user_id="ana", metadata={"m": MAIL}).ids
        mem.update(mail, content=f"Write to {NEW_MAIL}")
        (card,) = mem.add(f"The {WORD} card is {CARD}", user_id="ana").ids
        (secret,) = mem.add("My password is Tr0ub4dor&3", metadata={"password": "Tr0ub4dor&3"}, user_id="ana").ids
        with pytest.raises(UsageError):
            mem.vault.decrypt()
        mem.vault.decrypt(open_fields=True)
    with recollect.open(tmp_path / "a.db") as mem:
        assert mem.get(mail).content == f"Write to {NEW_MAIL}"  # type: ignore[union-attr]
        assert mem.get(card).content == f"The {WORD} card is {CARD}"  # type: ignore[union-attr]
        found = mem.get(secret)
        assert found is not None
        assert (found.content, found.metadata) == ("My password is Tr0ub4dor&3", {"password": "Tr0ub4dor&3"})
        assert mem.search(WORD, user_id="ana").hits[0].id == card
        with mem._engine.store.read() as tx:
            assert not tx.sealed.any()


def test_sealing_is_refused_where_it_makes_no_sense(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "plain.db", config=TIER) as mem, pytest.raises(EncryptionFailed):
        mem.vault.seal()
    with recollect.open(":memory:") as mem, pytest.raises(UsageError, match=r"security\.personal"):
        mem.vault.seal()
    with recollect.open(":memory:", config=TIER) as mem, pytest.raises(recollect.errors.AccessDenied):
        mem.scoped(user_id="ana").vault.seal()
