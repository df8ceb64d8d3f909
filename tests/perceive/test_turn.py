"""Everything a text says in one step: the same as its parts say alone, and what the whole of it states."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.config.writing import IngestSettings, PerceiveSettings
from recollect.language.spoken import times_in
from recollect.perceive.names.mentions import mentions_in
from recollect.perceive.statements.propositions import propositions_of
from recollect.perceive.traits.affect import affect_of
from recollect.perceive.traits.facets import facets_of
from recollect.perceive.traits.fidelity import fidelity_of
from recollect.perceive.traits.metadata import metadata_of
from recollect.perceive.turn import Perceived, perceive_text

SAID_AT = datetime(2026, 5, 13, 10, tzinfo=UTC)
LONG = " ".join(f"On day {number} Ana wrote src/page{number}.py in Python for Ben." for number in range(200))
TEXTS = [
    "",
    "   \n ",
    "I moved to Lisbon yesterday and I love it! My sister Ana works at Acme.",
    "Thanks Ben! We deploy the billing-service on Friday, see docs/deploy.md and Terraform 1.5.2.",
    "# How to\n\n1. Install `uv`.\n2. Run it:\n\n```python\nimport os\n```\n\nNever do that in production, Ana says.",
    'Did you read "The Night Watch"? I never finished it :(',
    "Ayer hablé con Ana sobre el proyecto de Madrid.",
    "Hier je suis allé au marché avec Ana.",
    LONG,
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_parts_are_what_they_are_alone(text: str) -> None:
    found = perceive_text(text, speaker="Ana", role="user", said_at=SAID_AT)
    times = times_in(text, SAID_AT)
    assert found == Perceived(
        affect=affect_of(text),
        metadata=metadata_of(text, times=times),
        fidelity=fidelity_of(text),
        facets=facets_of(text),
        times=times,
        mentions=mentions_in(text, speaker="Ana", unsure=True),
        propositions=propositions_of(text, speaker="Ana", role="user", said_at=SAID_AT),
        statement=found.statement,
        unread="fr" if "Hier" in text else None,
    )


def test_a_tag_has_no_words_of_an_address() -> None:
    text = "Tables for the turbine: https://example.org/a https://example.org/b https://example.org/c"
    assert "https" in fidelity_of(text).tag
    assert "https" not in perceive_text(text).fidelity.tag


def test_a_plain_text_needs_neither_speaker_nor_time() -> None:
    found = perceive_text("Ben uses Postgres for the billing project since 2026-01-05.")
    assert found.times == ()
    assert found.metadata.dates == ("2026-01-05",)
    assert "Ben" in [mention.surface for mention in found.mentions]
    assert found.propositions[0].subject == "Ben"


def test_what_is_not_wanted_is_left_out() -> None:
    found = perceive_text("Ben uses Postgres.", propositions=False, mentions=False)
    assert (found.propositions, found.mentions, found.statement) == ((), (), None)
    assert found.metadata.technologies == ("PostgreSQL",)


@pytest.mark.parametrize(
    ("text", "subject", "predicate", "thing", "polarity"),
    [
        ("Ben works at Acme as an engineer", "Ben", "works at", "Acme as an engineer", "+"),
        ("Yes, I do not use vim.", "The user", "uses", "vim", "-"),
        ("My sister lives in Lisbon!", "The user's sister", "lives in", "Lisbon", "+"),
    ],
)
def test_a_text_that_is_one_statement_has_its_parts(
    text: str, subject: str, predicate: str, thing: str, polarity: str
) -> None:
    stated = perceive_text(text).statement
    assert stated is not None
    assert (stated.subject, stated.predicate, stated.object, stated.polarity) == (subject, predicate, thing, polarity)


@pytest.mark.parametrize(
    "text",
    [
        "I use Rust. What do you use?",  # more than it
        "I use Rust and React.",  # two
        "I like tea, but if it is cold outside I would rather drink something else",  # the rest is left out
        "What a day!",  # none
    ],
)
def test_a_text_that_says_more_or_less_is_not_one_statement(text: str) -> None:
    assert perceive_text(text).statement is None


def test_settings_reach_the_parts() -> None:
    text = (
        "Ben moved to Lisbon with his sister last week. He works at Acme as an engineer, and he likes the new office."
    )
    short = perceive_text(text, ingest=IngestSettings(summary_bytes_max=40))
    assert len(short.fidelity.summary.encode()) <= 40 < len(perceive_text(text).fidelity.summary.encode())
    assert perceive_text("I use Rust", perceive=PerceiveSettings(statement_words_min=4)).propositions == ()
    assert perceive_text("I use Rust").propositions != ()


def test_the_source_of_a_text_is_a_facet() -> None:
    assert perceive_text("Ben uses Postgres.", source_type="docs").facets.source_type == "docs"
    assert perceive_text("Ben uses Postgres.").facets.source_type == "conversation"


@given(st.text(max_size=300))
def test_any_text_is_perceived(text: str) -> None:
    found = perceive_text(text, speaker="Ana", said_at=SAID_AT)
    assert found.affect == affect_of(text)
    assert len(found.propositions) != 1 or found.statement in (None, found.propositions[0])
