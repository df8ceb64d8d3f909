"""Secrets kept in the vault by a reference: given back to its owner, and never part of anything else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.errors import AccessDenied, EncryptionFailed, NotFound

SECRET, OTHER = "Tr0ub4dor&3", "c0rrect-H0rse"
TEXT = f"My password is {SECRET} and I like tea"


@pytest.fixture
def mem(tmp_path: Path) -> Any:
    with recollect.open(tmp_path / "memory.db") as memory:
        memory.vault.encrypt(os.urandom(32))
        yield memory


def ref_in(text: str) -> str:
    return text.partition("#")[2].partition("]")[0]


def test_with_a_vault_a_secret_is_kept_by_a_reference(mem: recollect.Memory) -> None:
    receipt = mem.add(TEXT, metadata={"password": SECRET, "n": 1})
    (record,) = receipt.records
    ref = ref_in(record.content)
    assert record.content == f"My password is [secret:password#{ref}] and I like tea"
    assert record.metadata == {"password": f"[secret:password#{ref}]", "n": 1}
    assert receipt.flags == ("secret:password:sealed",)
    assert mem.vault.secret(ref) == mem.vault.secret(f"[secret:password#{ref}]") == SECRET


def test_without_a_vault_a_secret_is_replaced_and_kept_nowhere(tmp_path: Path) -> None:
    for path, key in ((":memory:", None), (tmp_path / "plain.db", None), (tmp_path / "raw.db", os.urandom(32))):
        with recollect.open(path, key=key) as mem:
            receipt = mem.add(TEXT)
            assert receipt.records[0].content == "My password is [secret:password] and I like tea"
            assert receipt.flags == ("secret:password:replaced",)
    wanted = {"security": {"secrets": "vault"}}
    with recollect.open(tmp_path / "plain.db", config=wanted) as mem, pytest.raises(EncryptionFailed):
        mem.add(TEXT)


def test_nothing_shows_a_secret_but_its_reference(mem: recollect.Memory, tmp_path: Path) -> None:
    (id_,) = mem.add([{"role": "user", "content": TEXT}], user_id="ana").ids
    shown = [
        *(each.content for each in mem.get_all(user_id="ana")),
        *(hit.content for hit in mem.search("what is my password?", user_id="ana")),
        mem.context("what is my password?", user_id="ana").text,
        mem.reveal(id_).content,
        repr(mem.history(id_)),
    ]
    assert SECRET not in "\n".join(shown)
    with mem._engine.store.read() as tx:
        assert SECRET not in repr(tx.sql.all("SELECT * FROM record")) + repr(tx.sql.all("SELECT * FROM journal"))
        assert SECRET.encode() not in b"".join(box.box for box in tx.sealed.after(-1, 99))


def test_the_same_secret_has_one_reference_in_a_scope_and_another_one_elsewhere(mem: recollect.Memory) -> None:
    first, again, other = (
        mem.add(f"{text} is my password: {SECRET}", user_id="ana") for text in ("It", "This", "That")
    )
    refs = {ref_in(each.records[0].content) for each in (first, again, other)}
    assert len(refs) == 1
    assert ref_in(mem.add(f"my password: {SECRET}", user_id="bo").records[0].content) not in refs
    assert ref_in(mem.add(f"my password: {OTHER}", user_id="ana").records[0].content) not in refs
    assert mem.add(f"It is my password: {SECRET}", user_id="ana").event == "NONE"


def test_a_secret_stays_with_the_versions_that_speak_of_it(mem: recollect.Memory) -> None:
    (id_,) = mem.add(TEXT).ids
    ref = ref_in(mem.get(id_).content)  # type: ignore[union-attr]
    mem.update(id_, importance=0.9)
    mem.update(id_, content=f"The old password was [secret:password#{ref}]")
    assert mem.vault.secret(ref) == SECRET
    mem.correct(id_, f"The password is {OTHER}, not [secret:password#{ref}]")
    assert mem.vault.secret(ref) == SECRET


def test_a_secret_is_erased_with_its_record(mem: recollect.Memory) -> None:
    (id_,) = mem.add(TEXT, user_id="ana").ids
    (other,) = mem.add(f"Her password: {SECRET}", user_id="ana").ids
    ref = ref_in(mem.get(id_).content)  # type: ignore[union-attr]
    mem.delete(id_, hard=True)
    assert mem.vault.secret(ref) == SECRET  # the other record speaks of it, too
    mem.delete(other, hard=True)
    with pytest.raises(NotFound):
        mem.vault.secret(ref)


def test_a_secret_survives_a_new_key(mem: recollect.Memory) -> None:
    ref = ref_in(mem.add(TEXT).records[0].content)
    mem.vault.rotate(os.urandom(32))
    assert mem.vault.secret(ref) == SECRET


def test_giving_a_secret_is_audited_and_for_the_owner(mem: recollect.Memory) -> None:
    ref = ref_in(mem.add(TEXT, user_id="ana").records[0].content)
    mem.vault.secret(ref, reason="to log in")
    (entry,) = (each for each in mem._engine.audit.entries(limit=9) if each.event == "field_decrypted")
    assert entry.detail == {"secret": "password", "ref": ref, "reason": "to log in"}
    with pytest.raises(AccessDenied):
        mem.scoped(user_id="ana").vault.secret(ref)


def test_a_secret_in_a_sealed_text_is_kept_by_its_reference_too(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "a.db", config={"security": {"personal": "tier"}}) as mem:
        mem.vault.encrypt(os.urandom(32))
        (id_,) = mem.add(f"ana@lisboa.pt logs in, her password is {SECRET}").ids
        shown = mem.get(id_).content  # type: ignore[union-attr]
        ref = ref_in(shown)
        assert shown == f"ana@lisboa.pt logs in, her password is [secret:password#{ref}]"
        assert mem.vault.secret(ref) == SECRET


def test_a_long_turn_keeps_each_secret_with_its_part(tmp_path: Path) -> None:
    filler = "Nothing of note happened here. " * 60
    config = {"ingest": {"content_bytes_max": 1024}}
    with recollect.open(tmp_path / "a.db", config=config) as mem:
        mem.vault.encrypt(os.urandom(32))
        receipt = mem.add([{"role": "user", "content": f"My password is {SECRET}. {filler} My password was {OTHER}."}])
        parts = [each.content for each in receipt.records[: len(receipt.ids)]]
        refs = [ref_in(each) for each in parts if "#" in each]
        assert [mem.vault.secret(ref) for ref in refs] == [SECRET, OTHER]
        with mem._engine.store.read() as tx:
            assert tx.sealed.counts().boxes == 2
