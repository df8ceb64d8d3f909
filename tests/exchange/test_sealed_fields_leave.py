"""What is sealed of records: left out of exports, or under a passphrase with them, and sealed again on arrival."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import recollect
from recollect.errors import AccessDenied, UsageError

MAIL, CARD = "ana.figueira@lisboa-mail.pt", "4111 1111 1111 1111"
TURN, PAYS = f"My e-mail is {MAIL} and I live in Porto", f"I pay with my credit card {CARD}"
PHRASE = "correct horse battery staple"
TIER = {"security": {"personal": "tier"}}


def filled(mem: recollect.Memory) -> list[str]:
    told = {"content": "Ana is pregnant", "security": "sensitive"}
    return [*mem.add(TURN, metadata={"m": MAIL}).ids, *mem.add(PAYS, tags=["pay"]).ids, *mem.add(told).ids]


def test_an_export_without_a_passphrase_has_what_the_rows_hold(tmp_path: Path) -> None:
    with recollect.open(":memory:", config=TIER) as mem:
        filled(mem)
        mem.export(tmp_path / "out.jsonl", plain=True)
        text = (tmp_path / "out.jsonl").read_text()
        assert "[email]" in text
        assert not any(each in text for each in (MAIL, CARD, "pregnant"))
        with pytest.raises(UsageError):
            mem.export(tmp_path / "all.jsonl", plain=True, include_sealed=True)
        with pytest.raises(AccessDenied):
            mem.scoped(user_id="ana").export(tmp_path / "all.jsonl", passphrase=PHRASE, include_sealed=True)


def test_what_went_out_under_a_passphrase_is_sealed_again_where_it_arrives(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "a.db", key=os.urandom(32), config=TIER) as mem:
        mail, card, told = filled(mem)
        mem.update(mail, content=f"Write to {MAIL}")
        mem.export(tmp_path / "out.bin", passphrase=PHRASE, include_sealed=True)
        assert MAIL.encode() not in (tmp_path / "out.bin").read_bytes()
    with recollect.open(":memory:") as mem:  # whatever its settings say
        mem.import_(tmp_path / "out.bin", passphrase=PHRASE, trusted=True)
        with mem._engine.store.read() as tx:
            stored = repr(tx.sql.all("SELECT * FROM record")) + repr(tx.sql.all("SELECT * FROM journal"))
        assert not any(each in stored for each in (MAIL, CARD, "pregnant"))
        assert mem.get(mail).content == f"Write to {MAIL}"  # type: ignore[union-attr]
        assert mem.get(card).content == "[confidential: card]"  # type: ignore[union-attr]
        assert (mem.reveal(card).content, mem.reveal(card).tags) == (PAYS, ("pay",))
        assert mem.get(told).content == "Ana is pregnant"  # type: ignore[union-attr]
        assert "unsealed_tier" not in stored


def test_a_store_without_a_key_takes_in_what_was_sealed_without_personal_data(tmp_path: Path) -> None:
    with recollect.open(":memory:", config=TIER) as mem:
        mail, card, told = filled(mem)
        mem.export(tmp_path / "out.bin", passphrase=PHRASE, include_sealed=True)
    with recollect.open(tmp_path / "plain.db") as mem:
        mem.import_(tmp_path / "out.bin", passphrase=PHRASE, trusted=True)
        assert mem.get(mail).content == "My e-mail is [email] and I live in Porto"  # type: ignore[union-attr]
        assert mem.get(card).content == "I pay with my credit card [card]"  # type: ignore[union-attr]
        assert mem.get(told).content == "[sensitive]"  # type: ignore[union-attr]
