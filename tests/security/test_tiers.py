"""Texts of a tier: sealed beside their rows, shown to those who may see them, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.errors import EncryptionFailed, StoreDamaged
from recollect.model.columns import SealedBox
from recollect.security.fields import FieldCipher

MAIL, OTHER_MAIL, CARD = "ana.figueira@lisboa-mail.pt", "bo.martins@porto-mail.pt", "4111 1111 1111 1111"
TURN = f"My e-mail is {MAIL} and I live in Porto"


def opened(path: Path | str = ":memory:", key: bytes | None = None, **security: Any) -> recollect.Memory:
    return recollect.open(path, key=key, config={"security": {"personal": "tier", **security}})


def test_the_row_of_a_sensitive_record_holds_the_text_without_personal_data() -> None:
    with opened() as mem:
        receipt = mem.add(TURN, metadata={"from": MAIL, "team": "core"}, tags=["mail"])
        (record,) = receipt.records
        assert record.content == "My e-mail is [email] and I live in Porto"
        assert record.metadata == {"from": "[email]", "team": "core"}
        assert record.security == "sensitive"
        assert receipt.flags == ("personal:email:sealed",)


def test_a_sensitive_record_is_shown_whole_to_who_may_see_it() -> None:
    with opened() as mem:
        (id_,) = mem.add(TURN, user_id="ana", metadata={"from": MAIL}).ids
        (hit,) = mem.search("where does Ana live?", user_id="ana").hits[:1]
        assert (hit.content, hit.metadata, hit.flags) == (TURN, {"from": MAIL}, ("sealed:shown",))
        found = mem.get(id_, user_id="ana")
        assert found is not None
        assert (found.content, found.metadata) == (TURN, {"from": MAIL})
        assert [each.content for each in mem.get_all(user_id="ana")] == [TURN]
        assert MAIL in mem.context("where does Ana live?", user_id="ana").text
        assert mem.get(id_, user_id="bo") is None
        assert not mem.search("where does Ana live?", user_id="bo").hits


def test_what_a_hit_rests_on_is_shown_whole_too() -> None:
    with opened() as mem:
        mem.add([{"role": "user", "content": TURN}], user_id="ana")
        hits = mem.search("where does Ana live?", user_id="ana").hits
        assert {source.content for hit in hits for source in hit.sources} == {TURN}


def test_readers_may_be_shown_the_text_without_personal_data() -> None:
    with opened(sensitive_shown="redacted", sensitive_shown_in="user_id=ana: text") as mem:
        for user in ("ana", "bo"):
            mem.add(TURN, user_id=user)
        shown = mem.search("which e-mail?", user_id="ana").hits[0]
        hidden = mem.search("which e-mail?", user_id="bo").hits[0]
        assert (shown.content, shown.flags) == (TURN, ("sealed:shown",))
        assert (hidden.content, hidden.flags) == ("My e-mail is [email] and I live in Porto", ("sealed:hidden",))
        assert MAIL not in mem.context("which e-mail?", user_id="bo").text


def test_versions_bring_back_their_own_originals() -> None:
    with opened() as mem:
        (id_,) = mem.add(TURN).ids
        first = mem.get(id_)
        changed = mem.update(id_, content=f"My e-mail is {OTHER_MAIL}")
        assert changed.records[0].content == "My e-mail is [email]"
        again = mem.get(id_)
        assert first is not None
        assert again is not None
        assert again.content == f"My e-mail is {OTHER_MAIL}"
        assert [entry.record and entry.record.content for entry in mem.history(id_)] == [TURN, again.content]
        before = mem.get_all(known_at=first.recorded_at).records
        assert [each.content for each in before] == [TURN]
        mem.undo(changed)
        assert mem.get(id_) is not None
        assert mem.get_all().records[0].content == TURN
        second = mem.update(id_, content=f"Write to {OTHER_MAIL}")  # a second version 2
        contents = [entry.record and entry.record.content for entry in mem.history(id_)]
        assert contents == [TURN, f"My e-mail is {OTHER_MAIL}", TURN, f"Write to {OTHER_MAIL}"]
        assert second.flags == ("personal:email:sealed",)


def test_a_change_of_other_fields_keeps_what_is_sealed() -> None:
    with opened() as mem:
        (id_,) = mem.add(TURN, metadata={"from": MAIL}).ids
        mem.update(id_, importance=0.9)
        mem.update(id_, metadata={"from": OTHER_MAIL, "n": 1})
        found = mem.get(id_)
        assert found is not None
        assert (found.content, found.metadata, found.importance) == (TURN, {"from": OTHER_MAIL, "n": 1}, 0.9)
        mem.update(id_, metadata={"n": 2})
        assert mem.get(id_).metadata == {"n": 2}  # type: ignore[union-attr]


def test_a_correction_is_sealed_and_brings_its_own() -> None:
    with opened() as mem:
        (id_,) = mem.add(TURN).ids
        receipt = mem.correct(id_, f"My e-mail is {OTHER_MAIL}")
        assert receipt.records[0].content == "My e-mail is [email]"
        assert mem.get(receipt.ids[0]).content == f"My e-mail is {OTHER_MAIL}"  # type: ignore[union-attr]
        assert mem.get(id_).content == TURN  # type: ignore[union-attr]


def test_two_addresses_are_two_records_and_the_same_one_is_one() -> None:
    with opened() as mem:
        first = mem.add(f"Ana's e-mail is {MAIL}").ids[0]
        other = mem.add(f"Ana's e-mail is {OTHER_MAIL}").ids[0]
        again = mem.add(f"Ana's e-mail is {MAIL}")
        assert first != other
        assert again.ids == (first,)
        assert {each.content for each in mem.get_all()} == {f"Ana's e-mail is {MAIL}", f"Ana's e-mail is {OTHER_MAIL}"}


def test_erasing_a_record_erases_what_is_sealed_of_all_its_versions() -> None:
    with opened() as mem:
        (id_,) = mem.add(TURN, user_id="ana").ids
        mem.update(id_, content=f"My e-mail is {OTHER_MAIL}")
        mem.add(f"Write to {OTHER_MAIL}", user_id="bo")
        assert _boxes(mem) == 3
        mem.delete(id_, hard=True)
        assert _boxes(mem) == 1
        mem.erase_user("bo")
        assert _boxes(mem) == 0


def _boxes(mem: recollect.Memory) -> int:
    with mem._engine.store.read() as tx:
        return tx.sealed.counts().boxes


def test_long_turns_are_sealed_part_by_part() -> None:
    long = " ".join([f"Line {n} is about nothing. " for n in range(60)] + [f"Pay with {CARD} then."])
    long = f"{MAIL} says: {long}"
    config = {"security": {"personal": "tier"}, "ingest": {"content_bytes_max": 1024}}
    with recollect.open(":memory:", config=config) as mem:
        receipt = mem.add([{"role": "user", "content": long}])
        parts = receipt.records[: len(receipt.ids)]
        assert [each.security for each in parts] == ["sensitive", *["cleartext"] * (len(parts) - 2), "confidential"]
        assert MAIL not in "".join(each.content for each in parts)
        assert mem.get(parts[0].id).content.startswith(MAIL)  # type: ignore[union-attr]


def test_a_tier_without_a_key_is_refused_before_anything_is_stored(tmp_path: Path) -> None:
    with opened(tmp_path / "plain.db") as mem:
        for given in ("Ana likes tea", TURN):
            with pytest.raises(EncryptionFailed, match="recollect vault migrate") as error:
                mem.add(given)
            assert error.value.code == "E4002"
        assert not mem.get_all().records


def test_a_tier_that_a_caller_tells_needs_a_key_too(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "plain.db") as mem:
        with pytest.raises(EncryptionFailed):
            mem.add({"content": "Ana is ill", "security": "sensitive"})
        assert not mem.get_all().records
        assert mem.add({"content": TURN, "security": "cleartext"}).records[0].content == TURN


def test_a_key_that_is_given_seals_without_a_vault(tmp_path: Path) -> None:
    key = os.urandom(32)
    with opened(tmp_path / "raw.db", key) as mem:
        (id_,) = mem.add(TURN).ids
    with opened(tmp_path / "raw.db", key) as mem:
        assert mem.get(id_).content == TURN  # type: ignore[union-attr]


def test_a_tier_told_for_a_text_in_which_nothing_is_found_withholds_all_of_it() -> None:
    with opened() as mem:
        receipt = mem.add({"content": "Ana is pregnant", "security": "sensitive", "metadata": {"n": 1}})
        assert receipt.records[0].content == "[sensitive]"
        assert receipt.flags == ("sealed:sensitive",)
        assert mem.get(receipt.ids[0]).content == "Ana is pregnant"  # type: ignore[union-attr]


def test_personal_data_in_metadata_alone_raises_the_tier_and_leaves_the_text() -> None:
    with opened() as mem:
        receipt = mem.add("Ana likes tea", metadata={"mail": MAIL})
        (record,) = receipt.records
        assert (record.content, record.metadata, record.security) == ("Ana likes tea", {"mail": "[email]"}, "sensitive")
        assert mem.get(record.id).metadata == {"mail": MAIL}  # type: ignore[union-attr]


def test_a_box_that_was_changed_leaves_the_record_listed_without_it() -> None:
    with opened() as mem:
        (id_,) = mem.add(TURN).ids

        def damage(tx: Any) -> None:
            (box,) = tx.sealed.after(0, 10)
            tx.sealed.rewrite([box._replace(box=box.box[:-1] + bytes([box.box[-1] ^ 1]))])

        mem._engine.store.write(damage)
        (hit,) = mem.search("which e-mail?").hits
        assert (hit.content, hit.flags) == ("My e-mail is [email] and I live in Porto", ("sealed:damaged",))
        assert mem.get(id_) is not None
        with pytest.raises(StoreDamaged) as error:
            mem.update(id_, metadata={"n": 1})
        assert error.value.code == "E1002"
        assert mem.get(id_).version == 1  # type: ignore[union-attr]


def test_a_box_opens_for_its_own_record_only() -> None:
    cipher = FieldCipher(lambda: b"k" * 32)
    box = cipher.sealed("one", {"content": "text"})
    assert cipher.opened(box) == {"content": "text"}
    for other in (box._replace(record_id="two"), box._replace(ref=box.ref + 1), SealedBox(box.ref, "one", b"")):
        with pytest.raises(StoreDamaged):
            cipher.opened(other)
    with pytest.raises(StoreDamaged):
        FieldCipher(lambda: b"x" * 32).opened(box)


def test_nonces_do_not_run_out_or_repeat() -> None:
    cipher = FieldCipher(lambda: b"k" * 32)
    boxes = [cipher.sealed("one", {}) for _ in range(100_000)]
    assert len({box.box[1:13] for box in boxes}) == len(boxes)
    assert len({box.ref for box in boxes}) == len(boxes)


PAYS = f"I pay with my credit card {CARD} in shops"


def confidential(mem: recollect.Memory) -> str:
    mem.add(["Ana likes green tea", "Bo plays chess on Sundays", "The server runs in Porto"], user_id="ana")
    (id_,) = mem.add(PAYS, user_id="ana", metadata={"till": 7}, tags=["payment"]).ids
    return id_


def test_of_a_confidential_record_nothing_is_readable_but_what_sort_of_data_it_holds() -> None:
    with opened() as mem:
        id_ = confidential(mem)
        found = mem.get(id_)
        assert found is not None
        assert (found.content, found.metadata, found.tags, found.perceived) == ("[confidential: card]", {}, (), {})
        assert "[confidential: card]" in [each.content for each in mem.get_all(user_id="ana")]
        assert [entry.record and entry.record.content for entry in mem.history(id_)] == ["[confidential: card]"]


def test_a_confidential_record_is_found_by_its_meaning_and_by_none_of_its_words() -> None:
    with opened() as mem:
        id_ = confidential(mem)
        hit = mem.search("how do I pay?", user_id="ana").hits[0]
        assert (hit.id, hit.content, hit.metadata, hit.flags) == (id_, "[confidential: card]", {}, ("sealed:hidden",))
        assert CARD not in mem.context("how do I pay?", user_id="ana").text
        assert not mem.search("how do I pay?", user_id="bo").hits
    config = {"security": {"personal": "tier"}}
    with recollect.open(":memory:", embedder=None, config=config) as mem:
        confidential(mem)
        for words in ("pay credit card shops", "confidential card", CARD, "payment"):
            assert not [hit for hit in mem.search(words, user_id="ana") if hit.security == "confidential"]


def test_the_vector_of_a_confidential_record_is_turned_by_a_key_and_lies_apart() -> None:
    import numpy as np

    with opened() as mem:
        confidential(mem)
        engine = mem._engine
        model = engine.embedding.here[0]
        with engine.store.read() as tx:
            (space,) = (each for each in tx.vectors.spaces() if each.name == model.name)
            ((pk, data),) = tx.sealed.vectors(space)
            assert len(tx.vectors.load(space, [pk])[0]) == 0
        stored = space.decode([data])[0]
        own = model.embed([PAYS.replace(CARD, "[card]")])[0]
        cosine = float(stored @ own / np.linalg.norm(stored) / np.linalg.norm(own))
        assert abs(cosine) < 0.3
        turned = engine.protection.turned(own)
        assert float(stored @ turned / np.linalg.norm(stored) / np.linalg.norm(turned)) > 0.99


def test_a_changed_confidential_record_is_found_by_what_it_says_now_and_after_an_undo_by_what_it_said() -> None:
    with opened() as mem:
        id_ = confidential(mem)
        changed = mem.update(id_, content="The train to Lisbon is booked with 4242 4242 4242 4242")
        assert mem.search("a journey by train", user_id="ana").hits[0].id == id_
        mem.undo(changed)
        assert mem.search("how do I pay in shops?", user_id="ana").hits[0].id == id_
        assert mem.reveal(id_).content == PAYS


def test_a_reveal_gives_the_text_and_is_audited_before_it_does() -> None:
    with opened() as mem:
        id_ = confidential(mem)
        whole = mem.reveal(id_, reason=f"a refund for {MAIL}", user_id="ana")
        assert (whole.content, whole.metadata, whole.tags) == (PAYS, {"till": 7}, ("payment",))
        (entry,) = (each for each in mem._engine.audit.entries(limit=9) if each.event == "field_decrypted")
        assert entry.detail == {"tier": "confidential", "record": id_, "version": 1, "reason": "a refund for [email]"}
        with pytest.raises(recollect.errors.NotFound):
            mem.scoped(user_id="bo").reveal(id_)


def test_showing_sensitive_texts_is_counted_in_the_audit() -> None:
    with opened() as mem:
        mem.add([TURN, f"Write to {OTHER_MAIL} about living"], user_id="ana")
        mem.search("where does Ana live?", user_id="ana")
        mem._engine.audit.flush()
        (entry,) = (each for each in mem._engine.audit.entries(limit=9) if each.event == "field_decrypted")
        assert (entry.count, entry.detail) == (2, {"tier": "sensitive"})


def test_no_tool_reveals_anything_unless_it_is_named() -> None:
    from recollect.verbs.table import VERBS

    (verb,) = (each for each in VERBS if each.name == "reveal")
    assert verb.tool is None
    assert verb.writes  # a token that may only read does not


def test_confidential_records_are_embedded_anew_with_the_store(tmp_path: Path) -> None:
    key = os.urandom(32)
    config = {"security": {"personal": "tier"}}
    with recollect.open(tmp_path / "a.db", key=key, embedder="static", config=config) as mem:
        id_ = confidential(mem)
    with recollect.open(tmp_path / "a.db", key=key, embedder="minilm", config=config) as mem:
        mem.reembed(wait=True)
        with mem._engine.store.read() as tx:
            spaces = [space for space in tx.vectors.spaces() if tx.sealed.vectors(space)]
        assert len(spaces) == 2
        assert mem.search("how do I pay?", user_id="ana").hits[0].id == id_


@pytest.mark.parametrize("first", ["vault", "key"])
def test_a_new_key_seals_everything_anew(tmp_path: Path, first: str) -> None:
    path, config = tmp_path / "a.db", {"security": {"personal": "tier"}}
    raw, key, new_key = (os.urandom(32) for _ in range(3))
    with recollect.open(path, key=None if first == "vault" else raw, config=config) as mem:
        if first == "vault":
            mem.vault.encrypt(key)
        id_ = confidential(mem)
        (mail,) = mem.add(TURN, user_id="ana").ids
        mem.update(mail, content=f"My e-mail is {OTHER_MAIL}")
        with mem._engine.store.read() as tx:
            before = {box.ref: box.box for box in tx.sealed.after(-1, 99)}
        mem.vault.rotate(new_key) if first == "vault" else mem.vault.encrypt(new_key)
        _check_sealed_as_before(mem, id_, mail)
        with mem._engine.store.read() as tx:
            after = {box.ref: box.box for box in tx.sealed.after(-1, 99)}
        assert before.keys() == after.keys()
        assert not set(before.values()) & set(after.values())
    with recollect.open(path, key=new_key, config=config) as mem:
        _check_sealed_as_before(mem, id_, mail)
        assert mem.add(f"My e-mail is {OTHER_MAIL}", user_id="ana").ids == (mail,)  # it is known, under the new key


def _check_sealed_as_before(mem: recollect.Memory, id_: str, mail: str) -> None:
    assert mem.reveal(id_).content == PAYS
    assert mem.search("how do I pay?", user_id="ana").hits[0].id == id_
    assert [entry.record and entry.record.content for entry in mem.history(mail)] == [
        TURN,
        f"My e-mail is {OTHER_MAIL}",
    ]


def test_a_new_key_that_could_not_be_given_leaves_what_is_sealed_as_it_was(tmp_path: Path) -> None:
    key = os.urandom(32)
    with opened(tmp_path / "a.db") as mem:
        mem.vault.encrypt(key)
        id_ = confidential(mem)
        for name in ("noted", "copied", "linked"):

            def fail(step: str, name: str = name) -> None:
                if step == name:
                    raise OSError(28, "no space left")

            from recollect.security.keeping import wished

            with pytest.raises((OSError, recollect.errors.RecollectError)):
                mem._engine.vault.rotate(wished(os.urandom(32), None), step=fail)
            assert mem.reveal(id_).content == PAYS
    with opened(tmp_path / "a.db", key) as mem:
        assert mem.reveal(id_).content == PAYS


def test_a_store_with_sealed_fields_does_not_become_plain_by_itself(tmp_path: Path) -> None:
    key = os.urandom(32)
    with opened(tmp_path / "a.db") as mem:
        mem.vault.encrypt(key)
        id_ = confidential(mem)
        with pytest.raises(recollect.errors.UsageError, match="1 confidential"):
            mem.vault.decrypt()
        assert mem.vault.status()["encrypted"]
        mem.delete(id_, hard=True)
        mem.vault.decrypt()
        assert not mem.vault.status()["encrypted"]
