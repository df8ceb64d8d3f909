"""What becomes of personal data and secrets, by setting, by scope and by call."""

from __future__ import annotations

from typing import Any

import pytest

import recollect
from recollect.errors import ConfigInvalid, ContentRefused

TEXT = "Ana, ana@lisboa.pt, pays with 4111 1111 1111 1111"
PASSWORD = "By the way, my password is Tr0ub4dor&3"


def opened(**security: Any) -> recollect.Memory:
    return recollect.open(":memory:", config={"security": security})


def test_by_default_personal_data_is_kept_and_the_receipt_says_so() -> None:
    with opened() as mem:
        receipt = mem.add(TEXT)
        assert receipt.records[0].content == TEXT
        assert receipt.records[0].security == "cleartext"
        assert receipt.flags == ("personal:email", "personal:card")


def test_by_default_a_secret_is_replaced_and_the_receipt_says_so() -> None:
    with opened() as mem:
        receipt = mem.add(PASSWORD)
        assert receipt.records[0].content == "By the way, my password is [secret:password]"
        assert receipt.flags == ("secret:password:replaced",)


def test_a_plain_text_has_no_flags() -> None:
    with opened() as mem:
        assert mem.add("Ana moved to Porto in 2019 with 3 cats").flags == ()


def test_a_tier_is_found_by_filters() -> None:
    with opened(personal="tier") as mem:
        receipt = mem.add([TEXT, "Ana writes from ana@lisboa.pt", "Ana likes tea"])
        assert [record.security for record in receipt.records[:3]] == ["confidential", "sensitive", "cleartext"]
        found = mem.search("Ana", filters={"security": {"eq": "sensitive"}})
        assert [(hit.content, hit.security) for hit in found] == [("Ana writes from ana@lisboa.pt", "sensitive")]


def test_statements_have_the_tier_of_their_turn() -> None:
    with opened(personal="tier") as mem:
        receipt = mem.add([{"role": "user", "content": "I live at 12 Baker Street and I use Helix"}], user_id="ana")
        assert receipt.statements
        assert {record.security for record in receipt.records} == {"sensitive"}


def test_redacted_text_is_what_is_stored_and_read() -> None:
    with opened(personal="redact") as mem:
        receipt = mem.add(TEXT, metadata={"mail": "ana@lisboa.pt", "card": 4111111111111111, "team": "core"})
        (record,) = receipt.records
        assert record.content == "Ana, [email], pays with [card]"
        assert record.metadata == {"mail": "[email]", "card": "[card]", "team": "core"}
        assert receipt.flags == ("personal:email:redacted", "personal:card:redacted")


def test_a_refused_text_changes_nothing() -> None:
    with opened(personal="refuse", secrets="refuse") as mem:
        for text in (TEXT, PASSWORD):
            with pytest.raises(ContentRefused) as error:
                mem.add(text)
            assert error.value.code == "E4009"
            assert "ana@" not in str(error.value)
            assert "Tr0ub" not in str(error.value)
        assert list(mem.get_all()) == []


def test_a_tier_that_is_given_decides() -> None:
    with opened(personal="redact") as mem:
        told = mem.add({"content": "Ana writes from ana@lisboa.pt", "security": "confidential"})
        assert told.records[0].content == "[confidential: email]"
        assert told.records[0].security == "confidential"
        clear = mem.add({"content": TEXT, "security": "cleartext"})
        assert clear.records[0].content == TEXT
        assert clear.records[0].security == "cleartext"


def test_a_scope_may_have_a_mode_of_its_own() -> None:
    with opened(personal_in="project=payroll: redact", secrets_in="user_id=bo project=lab: keep") as mem:
        assert "[email]" in mem.add(TEXT, project="payroll").records[0].content
        assert mem.add(TEXT, project="atlas").records[0].content == TEXT
        assert "Tr0ub" in mem.add(PASSWORD, project="lab", user_id="bo").records[0].content
        assert "Tr0ub" not in mem.add(PASSWORD, project="lab").records[0].content


def test_a_scope_that_is_not_understood_is_refused() -> None:
    with opened(personal_in="payroll: hide") as mem, pytest.raises(ConfigInvalid):
        mem.add(TEXT)


def test_update_and_correct_pass_the_same_policy() -> None:
    with opened(personal="redact") as mem:
        record = mem.add("Ana pays by card").ids[0]
        changed = mem.update(record, content=TEXT, metadata={"from": "ana@lisboa.pt"})
        assert changed.records[0].content == "Ana, [email], pays with [card]"
        assert changed.records[0].metadata == {"from": "[email]"}
        assert "personal:card:redacted" in changed.flags
        corrected = mem.correct(record, "Ana pays with 4111 1111 1111 1111 only")
        assert corrected.records[0].content == "Ana pays with [card] only"
        assert corrected.flags == ("personal:card:redacted",)


def test_a_tier_does_not_fall_by_an_update() -> None:
    with opened(personal="tier") as mem:
        record = mem.add(TEXT).ids[0]
        assert mem.update(record, content="Ana pays").records[0].security == "confidential"


def test_what_a_text_calls_a_secret_is_taken_out_of_its_fields_too() -> None:
    with opened() as mem:
        receipt = mem.add({"content": PASSWORD, "object": "Tr0ub4dor&3", "metadata": {"raw": "see Tr0ub4dor&3"}})
        assert receipt.records[0].metadata == {"raw": "see [secret:password]"}
        assert "Tr0ub" not in repr(receipt)
