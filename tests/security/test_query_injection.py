"""Questions and filters are data: no operator of text search or of LIKE acts, on the indexes in memory or on disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import recollect
from recollect import Memory

OWN = "palm trees grow in the garden"
LIKE_IT = "palmistry is read in the village"
OTHERS = "zebra secrets of somebody else"
# Every operator of FTS5 (and some of tantivy's and Lucene's), as a question that would say something by it.
OPERATORS = [
    'palm" OR "zebra',
    '"palm" AND "zebra"',
    "palm OR zebra",
    "palm AND nothing",
    "garden NOT palm",
    "NOT palm",
    "palm NEAR zebra",
    "NEAR(palm zebra, 5)",
    "palm*",
    "^palm",
    "terms:palm",
    "{terms}: palm",
    "-terms: palm",
    "record_text:palm",
    "palm + trees",
    "(palm",
    'palm)"',
    "palm~2",
    "/palm.*/",
    "[a TO z]",
    "palm^9",
    "palm'; DROP TABLE record; --",
    "palm\\",
]


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="none") as found:
        found.add(OWN, user_id="ana", infer=False)
        found.add(LIKE_IT, user_id="ana", infer=False)
        found.add(OTHERS, user_id="ben", infer=False)
        found.settle()
        yield found


@pytest.mark.parametrize("cold", [False, True], ids=["in memory", "on disk"])
@pytest.mark.parametrize("question", OPERATORS)
def test_no_operator_of_text_search_acts(memory: Memory, question: str, cold: bool) -> None:
    given: dict[str, Any] = {"known_at": "now"} if cold else {}
    found = [hit.content for hit in memory.search(question, user_id="ana", **given)]
    assert OTHERS not in found, "no way out of the scope"
    if "palm" in question:
        assert OWN in found, "nothing excludes it: NOT, AND and columns are words"
    assert LIKE_IT not in found, "a star is no prefix"
    assert memory.search("palm", user_id="ana").hits, "the store goes on"


def test_a_zebra_is_found_by_its_owner_by_the_same_words(memory: Memory) -> None:
    """Which shows that the questions above could have found it."""
    assert [hit.content for hit in memory.search('palm" OR "zebra', user_id="ben")] == [OTHERS]


VALUES = ["100%", "a_b", "back\\slash", "axb", "50 %", "plain", "[a-z]*", "quote'd", 'double"d']


@pytest.mark.parametrize("sign", ["%", "_", "\\", "%%", "a_b", "\\%", "[a-z]", "*", "?", "'", '"', "%' OR '1'='1"])
@pytest.mark.parametrize("operator", ["contains", "icontains", "eq"])
def test_signs_of_like_mean_themselves(sign: str, operator: str) -> None:
    with recollect.open(":memory:", embedder="none") as mem:
        for value in VALUES:
            mem.add(f"note {VALUES.index(value)}", metadata={"value": value}, source=value, infer=False)
        for field in ("metadata.value", "source"):
            found = {record.content for record in mem.get_all(filters={field: {operator: sign}})}
            expected = [value for value in VALUES if (value == sign if operator == "eq" else sign in value)]
            assert found == {f"note {VALUES.index(value)}" for value in expected}, field


@pytest.mark.parametrize("sign", ["%", "_", "\\", "______", "%25"])
def test_signs_of_like_name_no_record_entity_or_session(memory: Memory, sign: str) -> None:
    assert memory.get(sign) is None
    assert memory.entity(sign, user_id="ana") is None
    assert not memory.get_all(session_id=sign, user_id="ana").records
    assert not memory.get_all(user_id=sign).records
    assert not memory.search("palm", user_id="ana", tags=[sign]).hits
