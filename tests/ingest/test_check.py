"""Checks at the edge: every value is made sound, or refused with a word about what would be right."""

from __future__ import annotations

from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import pytest

from recollect.clock import to_us
from recollect.errors import ContentTooLarge, UsageError
from recollect.ingest import check
from recollect.limits import (
    FIGURE_MAX,
    HALF_LIFE_DAYS_MIN,
    METADATA_BYTES_MAX,
    METADATA_DEPTH_MAX,
    NAME_CHARS_MAX,
    TAG_CHARS_MAX,
    TAGS_MAX,
)
from recollect.model.place import Place


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"leaf": 1}
    for _ in range(levels):
        value = {"in": value}
    return value


@pytest.mark.parametrize("text", ["x", " kept as it is\n", "🦊", "日本語", "a\tb"])
def test_a_text_is_kept_to_the_letter(text: str) -> None:
    assert check.content(text, bytes_max=100) == text


def test_bytes_are_taken_if_they_are_utf8() -> None:
    assert check.content("café".encode(), bytes_max=100) == "café"
    with pytest.raises(UsageError, match="not UTF-8"):
        check.content("café".encode("latin-1"), bytes_max=100)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("", "empty"),
        (" \n\t\u2003", "empty"),
        (None, "NoneType"),
        (5, "int"),
        (["x"], "list"),
        ("a\x00", "NUL"),
        ("\ud83e", "half a character"),
    ],
)
def test_what_is_no_text_is_refused(value: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        check.content(value, bytes_max=100)


def test_the_limit_counts_bytes_not_characters() -> None:
    assert check.content("é" * 50, bytes_max=100)
    with pytest.raises(ContentTooLarge, match="102 bytes") as caught:
        check.content("é" * 51, bytes_max=100)
    assert "ingest()" in caught.value.message
    assert check.content("é" * 51, bytes_max=None)


@pytest.mark.parametrize("value", [0, 1, 0.5, 1.0])
def test_a_share_is_a_number_from_0_to_1(value: float) -> None:
    assert check.share(value, "confidence") == float(value)


@pytest.mark.parametrize("value", [-0.01, 1.01, True, "0.5", None, float("nan"), float("inf")])
def test_other_shares_are_refused_by_name(value: Any) -> None:
    with pytest.raises(UsageError, match="confidence must be a number from 0 to 1"):
        check.share(value, "confidence")


@pytest.mark.parametrize("value", [-1, True, "1", float("nan"), float("inf"), 1e305, 10**400])
def test_a_figure_is_not_negative_and_not_absurd(value: Any) -> None:
    assert (check.figure(0, "weight"), check.figure(FIGURE_MAX, "weight")) == (0.0, FIGURE_MAX)
    with pytest.raises(UsageError, match="weight must be a number from 0 to 1e\\+09"):
        check.figure(value, "weight")
    with pytest.raises(UsageError, match="half_life_days must be a number from 1e-06"):
        check.figure(0, "half_life_days", least=HALF_LIFE_DAYS_MIN)


@pytest.mark.parametrize("value", [1, 0, "true", None])
def test_a_flag_is_true_or_false_and_nothing_like_it(value: Any) -> None:
    assert (check.flag(True, "flagged"), check.flag(False, "flagged")) == (1, 0)
    with pytest.raises(UsageError, match="flagged"):
        check.flag(value, "flagged")


def test_an_unknown_word_is_refused_with_the_known_ones() -> None:
    assert check.kind("opinion") == "opinion"
    with pytest.raises(UsageError, match="known: episodic, semantic, procedural"):
        check.kind("dream")
    with pytest.raises(UsageError, match="known: task, session, longterm, archive"):
        check.tier(["task"])


@pytest.mark.parametrize("value", ["", "  ", None, 5, "a\x00", "\ud800"])
def test_a_name_is_a_short_text(value: Any) -> None:
    assert check.name("Ana Nováková", "speaker") == "Ana Nováková"
    with pytest.raises(UsageError, match="speaker"):
        check.name(value, "speaker")
    with pytest.raises(ContentTooLarge, match=str(NAME_CHARS_MAX)):
        check.name("x" * (NAME_CHARS_MAX + 1), "speaker")


def test_tags_are_distinct_and_keep_their_order() -> None:
    assert check.tags(["b", "a", "b"]) == '["b","a"]'
    assert check.tags(tag for tag in ("x",)) == '["x"]'
    assert check.tags([]) is None
    assert check.tags(None) is None


@pytest.mark.parametrize("value", ["abc", {"a": 1}, 5, [5], [""], [None]])
def test_what_is_no_list_of_texts_is_no_tags(value: Any) -> None:
    with pytest.raises(UsageError, match="tags"):
        check.tags(value)


def test_tags_are_bounded() -> None:
    with pytest.raises(ContentTooLarge):
        check.tags([str(i) for i in range(TAGS_MAX + 1)])
    with pytest.raises(ContentTooLarge):
        check.tags(["x" * (TAG_CHARS_MAX + 1)])


def test_metadata_is_plain_json() -> None:
    assert check.mapping({"a": [1, {"b": None}], "c": True}) == '{"a":[1,{"b":null}],"c":true}'
    assert check.mapping({}) is None
    assert check.mapping(None) is None


@pytest.mark.parametrize(
    "value",
    [
        [1],
        "a",
        5,
        {"a": object()},
        {"a": float("nan")},
        {"a": [float("inf")]},
        {1: "x"},
        {"a": 2**70},
        {"a": "\ud800"},
        {"a": b"x"},
        {"a": {1, 2}},
    ],
)
def test_what_json_cannot_hold_is_refused_by_name(value: Any) -> None:
    with pytest.raises(UsageError, match="metadata"):
        check.mapping(value)


def test_any_mapping_is_an_object() -> None:
    assert check.mapping(MappingProxyType({"a": 1})) == '{"a":1}'


def test_metadata_is_bounded_in_size_and_depth() -> None:
    with pytest.raises(ContentTooLarge, match=str(METADATA_BYTES_MAX)):
        check.mapping({"a": "x" * METADATA_BYTES_MAX})
    assert check.mapping(nested(METADATA_DEPTH_MAX - 1))
    with pytest.raises(UsageError, match="nested deeper"):
        check.mapping(nested(METADATA_DEPTH_MAX + 1))
    endless: dict[str, Any] = {}
    endless["self"] = endless
    with pytest.raises(UsageError, match="nested deeper"):
        check.mapping(endless)


def test_times_become_microseconds_of_their_moment() -> None:
    now = datetime(2026, 5, 13, tzinfo=UTC)
    assert check.moment(None, "when") is None
    assert check.moment("yesterday", "when", now=now) == to_us(datetime(2026, 5, 12, tzinfo=UTC))


def test_a_place_is_taken_as_a_value_or_as_an_object() -> None:
    assert check.place({"file_path": "a.py", "line_range": [1, 2]}) == check.place(
        Place(file_path="a.py", line_range=(1, 2))
    )
    for wrong in ({"colour": "red"}, {"position_type": "moon"}, 5):
        with pytest.raises(UsageError, match="place"):
            check.place(wrong)
    with pytest.raises(UsageError, match="facets"):
        check.facets({"diataxis_type": "poem"})
