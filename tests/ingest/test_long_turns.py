"""A turn longer than one record is kept whole, as a chain of parts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from recollect import Memory, errors
from recollect.ingest.drafts import split_text
from recollect.wiring import open_memory

LIMIT = 200


@pytest.fixture
def mem() -> Iterator[Memory]:
    config = {"ingest.content_bytes_max": LIMIT, "ingest.turn_parts_max": 5}
    with open_memory(":memory:", embedder="fake", config=config) as memory:
        yield memory


def words(count: int, word: str = "word") -> str:
    return " ".join(f"{word}{i}" for i in range(count))


@pytest.mark.parametrize(
    "text",
    [
        words(300),
        "x" * 1_000,
        "é" * 500,
        "🦊" * 300,
        "line one\n" * 80,
        words(40, "日本語"),
        "a",
        "ab " * 1_000,
        "x" * 199 + "é" + "y" * 300,
    ],
)
@pytest.mark.parametrize("size", [64, 200, 333])
def test_parts_fit_and_give_the_text_when_joined(text: str, size: int) -> None:
    parts = split_text(text, size)
    assert "".join(parts) == text
    assert all(len(part.encode()) <= size for part in parts)


def test_parts_are_cut_after_a_space_where_there_is_one() -> None:
    parts = split_text(words(300), 100)
    assert all(part.endswith(" ") for part in parts[:-1])
    assert all(part.split()[0].startswith("word") for part in parts)


def test_no_part_is_mere_space() -> None:
    parts = split_text("start" + " " * 500 + "end", 64)
    assert all(part.strip() for part in parts)
    assert "".join(parts).split() == ["start", "end"]


def test_a_long_turn_is_a_chain_of_numbered_parts(mem: Memory) -> None:
    text = words(80)
    receipt = mem.add({"role": "user", "content": text, "name": "Ana", "metadata": {"m": 1}}, session_id="s")
    parts = receipt.records
    assert "".join(part.content for part in parts) == text
    assert len(parts) == receipt.count == 3
    assert [part.attributes for part in parts] == [{"part": i, "parts": 3} for i in range(1, 4)]
    assert {(p.role, p.speaker, p.session_id, p.kind.value) for p in parts} == {("user", "Ana", "s", "episodic")}
    assert all(part.metadata == {"m": 1} for part in parts)
    for before, after in itertools.pairwise(parts):
        assert [r.id for r in mem.related(after.id, labels=["follows"], direction="out")] == [before.id]


def test_parts_keep_the_attributes_they_were_given(mem: Memory) -> None:
    message = {"role": "user", "content": words(60), "attributes": {"origin": "import"}}
    for record in mem.add(message).records:
        assert record.attributes["origin"] == "import"
        assert {"part", "parts"} <= record.attributes.keys()


def test_the_turns_around_it_follow_it_whole(mem: Memory) -> None:
    first, *parts, last = mem.add(
        [
            {"role": "user", "content": "first"},
            {"role": "user", "content": words(60)},
            {"role": "user", "content": "last"},
        ]
    ).ids
    assert [r.id for r in mem.related(parts[0], labels=["follows"], direction="out")] == [first]
    assert [r.id for r in mem.related(last, labels=["follows"], direction="out")] == [parts[-1]]


def test_every_part_is_found_by_its_own_words_and_undone_with_the_rest(mem: Memory) -> None:
    receipt = mem.add({"role": "user", "content": words(80)})
    assert "word0 " in mem.search("word0")[0].content
    assert "word79" in mem.search("word79")[0].content
    mem.undo(receipt.operation)
    assert mem.stats()["records"] == 0


def test_a_turn_within_the_limit_is_one_record_without_numbers(mem: Memory) -> None:
    (record,) = mem.add({"role": "user", "content": "é" * (LIMIT // 2)}).records
    assert record.attributes == {}


def test_too_many_parts_are_refused_with_the_way_out(mem: Memory) -> None:
    with pytest.raises(errors.ContentTooLarge, match=r"turn_parts_max.*ingest\(\)"):
        mem.add({"role": "user", "content": words(500)})
    assert mem.stats()["records"] == 0


def test_a_statement_is_never_cut(mem: Memory) -> None:
    with pytest.raises(errors.ContentTooLarge):
        mem.add(words(80))
