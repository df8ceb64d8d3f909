"""How a text stands to others, with its evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.config.writing import PerceiveSettings
from recollect.perceive.relations.standing import (
    EVIDENCE_CHARS_MAX,
    RelationCandidate,
    TextRelation,
    relations_in,
    standings,
)

GATEWAY = "The gateway keeps session tokens in a cache of its own"


UNSURE = PerceiveSettings(relation_min=0.5)  # what only shares a topic counts, too


def found(text: str, other: str, *names: str) -> tuple[TextRelation, ...]:
    return relations_in(text, [RelationCandidate(key="other", text=other, names=names)], settings=UNSURE)


def labels(text: str, other: str, *names: str) -> set[str]:
    return {relation.label for relation in found(text, other, *names)}


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("The login page requires the gateway and its cache of session tokens", "depends_on"),
        ("For example, the gateway has session tokens of an hour in the cache", "exemplifies"),
        ("The cache, more precisely the one of the gateway, holds session tokens", "elaborates"),
        ("However, session tokens of the gateway cannot leave its cache, I heard from Ben and Ana", "contradicts"),
        ("This replaces the cache for session tokens of the gateway by a table", "supersedes"),
        ("That is so unless the gateway has no cache for session tokens left", "qualifies"),
        ("A test confirms that session tokens stay in the cache of the gateway for an hour", "supports"),
        ("The gateway, its cache, and the session tokens of Ana and Ben", "relates_to"),
    ],
)
def test_the_wording_of_a_sentence_and_a_shared_topic_make_a_relation(text: str, label: str) -> None:
    (relation,) = found(text, GATEWAY)
    assert (relation.label, relation.method) == (label, "topic")
    assert relation.confidence == PerceiveSettings().relation_confidence["topic"]


def test_the_evidence_is_the_sentence() -> None:
    text = "Hello. The login page requires the gateway with its cache of session tokens. Bye."
    (relation,) = found(text, GATEWAY)
    assert relation.evidence == "The login page requires the gateway with its cache of session tokens."


def test_only_the_shorter_text_sums_up() -> None:
    short = "In short, the gateway has a cache for session tokens"
    assert labels(short, GATEWAY + ". It is cleared at night, and every hour on Sundays, by Ben.") == {"summarizes"}
    assert "summarizes" not in labels(short + " and much more that Ben will tell", GATEWAY)


def test_what_only_shares_a_topic_is_not_kept_unless_asked_for() -> None:
    text = "The login page requires the gateway and its cache of session tokens"
    assert relations_in(text, [RelationCandidate(key="other", text=GATEWAY)]) == ()


def test_a_cue_elsewhere_in_the_text_says_nothing() -> None:
    text = "The gateway has a cache for session tokens. My bike requires oil."
    assert labels(text, GATEWAY) == {"relates_to"}


def test_a_name_is_a_reference_and_the_words_before_it_say_which() -> None:
    (relation,) = found("Ben wrote docs/cache.md in May.", "Notes", "docs/cache.md")
    assert (relation.label, relation.method, relation.confidence) == ("relates_to", "pattern", 0.9)
    assert relation.evidence == "Ben wrote docs/cache.md in May."
    assert labels("The gateway depends on RFC-014.", "Notes", "rfc-014") == {"depends_on"}
    assert labels("An ox", "Notes", "ox") == set()  # too short to be one
    assert labels("The cachet of it", "Notes", "cache") == set()  # not the whole of it


@pytest.mark.parametrize(
    ("text", "label", "reverse"),
    [
        ("It depends on [the cache](cache.md).", "depends_on", False),
        ("It is needed by [the cache](cache.md).", "depends_on", True),
        ("The reasons are in [the cache](cache.md).", "elaborates", True),
        ("See [the cache](cache.md) for details.", "elaborates", True),
        ("[The cache](cache.md) has the details.", "elaborates", True),
        ("For more information, see [the cache](cache.md).", "elaborates", True),
        ("This explains [the cache](cache.md).", "elaborates", False),
        ("An overview of cache.md by Ben.", "summarizes", False),
        ("This is an example of [caches](cache.md).", "exemplifies", False),
        ("Look at [this](cache.md) for an example.", "exemplifies", True),
        ("That contradicts [the page](cache.md).", "contradicts", False),
        ("What requires signals from others is ([the cache](cache.md)).", "relates_to", False),
        ("It needs water, and [the cache](cache.md) is full.", "relates_to", False),
    ],
)
def test_the_clause_around_a_name_says_who_stands_how_to_whom(text: str, label: str, reverse: bool) -> None:
    (relation,) = found(text, "Notes", "cache.md")
    assert (relation.label, relation.reverse, relation.method) == (label, reverse, "pattern")


@pytest.mark.parametrize(
    ("title", "label", "reverse"),
    [
        ("Example", "exemplifies", False),
        ("TL;DR", "summarizes", False),
        ("Known limitations", "qualifies", False),
        ("Prerequisites", "depends_on", True),
        ("An example of a cache", "exemplifies", False),
    ],
)
def test_a_title_says_what_a_section_is_to_the_one_above(title: str, label: str, reverse: bool) -> None:
    above = RelationCandidate(key="above", text="Notes", standing="above")
    (relation,) = relations_in("Ben keeps it.", [above], title=title)
    assert (relation.label, relation.reverse) == (label, reverse)
    assert standings("Ben keeps it.", title) == ("above",)


@pytest.mark.parametrize("title", ["Examples upgrade", "Exceptions", "The summary table", ""])
def test_other_titles_say_nothing(title: str) -> None:
    assert standings("Ben keeps it.", title) == ()
    assert (
        relations_in("Ben keeps it.", [RelationCandidate(key="above", text="Notes", standing="above")], title=title)
        == ()
    )


def test_first_words_go_on_from_the_piece_before() -> None:
    before = RelationCandidate(key="before", text="Notes", standing="before")
    (relation,) = relations_in("## Hours\n\nFor example, Ben comes at nine.", [before])
    assert (relation.label, relation.evidence) == ("exemplifies", "For example, Ben comes at nine.")
    assert standings("## Hours\n\nIn short, Ben is early.") == ("before",)
    assert standings("Ben is early, for example.") == ()


@pytest.mark.parametrize(
    ("one", "other", "evidence"),
    [
        ("Ana drinks coffee at work", "Ana does not drink coffee at work", "only one of the two denies it"),
        ("The login page answers in 120 ms", "The login page answers in 300 ms", "120 here, 300 there"),
        ("Tracing is enabled on the gateway", "Tracing is disabled on the gateway", "enabled here, disabled there"),
    ],
)
def test_texts_that_differ_in_one_thing_contradict_each_other(one: str, other: str, evidence: str) -> None:
    (relation,) = found(one, other)
    assert (relation.label, relation.method, relation.evidence) == ("contradicts", "difference", f"{evidence}: {one}")
    assert labels(other, one) == {"contradicts"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana drinks coffee at work", "Ana drinks coffee at work"),
        ("Ana drinks coffee at work", "Ben does not like the rain in Lisbon"),
        ("Ana paid 20 euros for the tea", "Ana paid 20 euros for the green tea"),
        ("", "Ana drinks coffee"),
        ("Ana drinks coffee today", "Ana does not drink coffee today"),
        ("Ana will reach her goals no matter what", "Ana will reach her goals"),
        ("A man plays a large flute", "A man plays a small flute"),
        ("The tea takes 3 minutes", "The tea takes 3 minutes or 5"),
        ("Room 3 is free for tea", "Room 4 is free for tea"),
        ("Hi. The page answers in 120 ms.", "Hi. The page answers in 300 ms."),
    ],
)
def test_what_agrees_or_speaks_of_something_else_does_not(one: str, other: str) -> None:
    assert "contradicts" not in labels(one, other)


def test_settings_say_how_much_must_be_shared_and_how_sure_it_is() -> None:
    settings = PerceiveSettings(topic_words_min=1, relation_confidence={"topic": 0.2}, relation_min=0.1)
    other = [RelationCandidate(key="other", text="The gateway has a cache, says Ben")]
    (relation,) = relations_in("A gateway, a cache, a tree", other, settings=settings)
    assert relation.confidence == 0.2
    assert relations_in("A gateway, a cache, a tree", other) == ()


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_can_be_compared(one: str, other: str) -> None:
    for relation in found(one, other, "name of it"):
        assert len(relation.evidence) <= EVIDENCE_CHARS_MAX
        assert 0.0 <= relation.confidence <= 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Room 1 has 3 chairs", "Room 2 has 4 chairs"),
        ("Flight 12 leaves at 9", "Flight 14 leaves at 11"),
        ("Version 2.1 was released in 2019", "Version 2.2 was released in 2021"),
        ("Ben owns part 3 of Atlas, which was built in 2011", "Ben owns part 4 of Atlas, which was built in 2012"),
        ("Ana has 3 old red chairs in the kitchen", "Ben has 4 old red chairs in the kitchen"),
        ("Flight LH400 takes 8 hours to New York", "Flight LH401 takes 7 hours to New York"),
        ("Prices are cached", "Prices are slow"),
    ],
)
def test_two_things_of_one_kind_contradict_nothing_of_each_other(one: str, other: str) -> None:
    assert "contradicts" not in labels(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Room 1 has 3 chairs", "Room 1 has 5 chairs"),
        ("Prices are cached", "Prices are not cached"),
        ("The cache holds 5 entries", "The cache holds 7 entries"),
    ],
)
def test_two_statements_of_one_thing_contradict_each_other_however_short(one: str, other: str) -> None:
    assert "contradicts" in labels(one, other)
