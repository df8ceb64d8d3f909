"""Whether two names can be one thing's."""

from __future__ import annotations

import pytest

from recollect.model.entity import EntityType
from recollect.perceive.names.same_name import NICKNAME, PART, SAME, keys_of, likeness, types_agree


@pytest.mark.parametrize(
    ("one", "other", "type_", "score"),
    [
        ("ana", "ana", EntityType.PERSON, SAME),
        ("ana", "ana ruiz", EntityType.PERSON, PART),
        ("mel", "melanie", EntityType.PERSON, NICKNAME),
        ("ana r", "ana ruiz", EntityType.PERSON, PART),
        ("anna", "hanna", EntityType.PERSON, 0.0),
        ("nyc", "new york", EntityType.PLACE, SAME),
        ("the billing-service", "billing service", EntityType.PROJECT, SAME),
        ("atlas 1", "atlas 2", EntityType.PROJECT, 0.0),
        ("austria", "australia", EntityType.PLACE, 0.0),
        ("a.py", "b.py", EntityType.FILE, 0.0),
    ],
)
def test_how_surely_two_names_are_one_things(one: str, other: str, type_: EntityType, score: float) -> None:
    assert likeness(one, other, type_) == likeness(other, one, type_) == score


def test_a_slip_of_the_pen_is_nearly_the_same() -> None:
    assert NICKNAME > likeness("melanie ruiz", "melanie riuz", EntityType.PERSON) > 0.7


def test_names_of_one_thing_share_a_key() -> None:
    assert keys_of("mel") & keys_of("melanie ruiz")
    assert keys_of("k8s") & keys_of("kubernetes")
    assert not keys_of("ana") & keys_of("ben")


def test_a_concept_may_turn_out_to_be_anything() -> None:
    assert types_agree(EntityType.CONCEPT, EntityType.PERSON)
    assert types_agree(EntityType.TOOL, EntityType.SERVICE)
    assert not types_agree(EntityType.PERSON, EntityType.PLACE)
