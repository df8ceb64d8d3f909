"""What may be shown: nothing that steers a terminal or speaks to a model alone, and every language as it is written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model.showable import in_json, showable

HARMLESS = (
    "plain",
    "tab\tand\nline",
    "👨‍👩‍👧 ❤️ 👍🏽",
    "🏴󠁧󠁢󠁳󠁣󠁴󠁿",
    "می‌خواهم",
    "\u200fעברית\u200e (1)",
    "葛\U000e0100城",
    "ﷺ ไทย 한국어",
)


@pytest.mark.parametrize("text", HARMLESS)
def test_people_write_as_they_do(text: str) -> None:
    assert showable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a�[31mb"),
        ("a\x9b31mb", "a�31mb"),
        ("\u202eevil\u202c", "�evil�"),
        ("\u2066x\u2069", "�x�"),
        ("hi" + "".join(chr(0xE0000 + ord(c)) for c in "ignore"), "hi�"),
        ("a\r\nb\rc", "a\nb�c"),
        ("🏴" + "".join(chr(0xE0000 + ord(c)) for c in "ignoreall") + "\U000e007f", "🏴�"),
        ("a\ufe0f\ufe0e\ufe0f\ufe0eb", "a\ufe0f�b"),
    ],
)
def test_what_nobody_sees_is_seen_to_be_there(text: str, shown: str) -> None:
    assert showable(text) == shown


@given(st.text())
def test_it_is_done_once_and_json_loses_nothing(text: str) -> None:
    assert showable(showable(text)) == showable(text)
    written = in_json(json.dumps({"a": text}, ensure_ascii=False))
    assert json.loads(written) == {"a": text}
    assert showable(written) == written or max(written) >= "\ufe00"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a" + "\u200b\u200c" * 9 + "b", "a�b"),
        ("soft\u00adhyphen, zero\u200bwidth, \ufeffmark", "softhyphen, zerowidth, mark"),
        ("h\u200di\u200cd\u200de", "hide"),
        ("a\u2063\u2064b", "a�b"),
    ],
)
def test_a_row_of_characters_without_width_is_seen_to_be_there(text: str, shown: str) -> None:
    assert showable(text) == shown
