"""Synthetic memories: sentences of ordinary English words, so that they cost a tokenizer what real ones do.

Everything follows from a number: the same index always gives the same record, in any process, without the ones
before it. Words are drawn with a bias towards the front of each list, as language does, so that some terms are
common and many are rare.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

STORE_FILE = "store.db"  # inside the folder of a size
EPOCH = datetime(2025, 1, 1, tzinfo=UTC)
DAYS = 365  # over which the events of a store are spread
PROJECT = "atlas"  # nine tenths of the records belong to it
USERS = 10  # one hundredth of the records each
USER_SHARE = 0.01

_KINDS = ("semantic", "semantic", "semantic", "episodic", "episodic", "procedural", "opinion")
_TEAMS = ("core", "mobile", "data", "infra", "design", "sales", "legal", "support", "research", "finance")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_PEOPLE = _words(
    """Ana Tom Priya Marek Lena Jonas Mei Omar Clara Diego Ingrid Yusuf Nora Felix Aisha Pavel Greta Ravi Sofia
    Hugo Emma Kenji Laura Amir Julia Mateo Hanna Viktor Zara Leo Marta Samuel Olga Pedro Alice Nikhil Eva Bruno
    Fatima Daniel Ruth Andre Chloe Stefan Maya Ivan Elena Karim Rosa Peter"""
)

_TOWNS = _words(
    """Berlin Lisbon Oslo Madrid Kyoto Toronto Dublin Prague Vienna Nairobi Boston Melbourne Zurich Warsaw Athens
    Porto Helsinki Montreal Geneva Copenhagen Seville Krakow Bergen Utrecht Lyon Turin Basel Leeds Bristol
    Malaga"""
)
_ROOMS = _words(
    """office kitchen library airport harbour warehouse basement station garden workshop attic cellar courtyard
    reception canteen"""
)

_TOOLS = _words(
    """Postgres Redis Docker Kubernetes Helix vim Terraform Grafana Kafka Figma Notion Jira Slack GitHub Python
    Rust TypeScript React Django FastAPI SQLite Elasticsearch Prometheus Ansible Jenkins Webpack Vite Pandas
    Spark Airflow Stripe Sentry Datadog Nginx RabbitMQ Celery Tailwind Storybook Cypress Playwright"""
)

_THINGS = _words(
    """report invoice login page release meeting database schema customer budget roadmap migration dashboard
    password contract interview presentation bicycle garden recipe apartment concert holiday train ticket flight
    birthday dinner breakfast medication doctor appointment insurance passport guitar lesson marathon novel
    camera laptop keyboard monitor headset router printer battery charger backpack umbrella jacket kettle sofa
    lamp bookshelf window balcony staircase elevator parking lot warehouse shipment order refund discount coupon
    newsletter survey feedback form prototype wireframe mockup icon logo banner brochure poster workshop
    training course seminar lecture exam thesis chapter footnote appendix glossary index archive backup snapshot
    cluster replica shard queue cache session token certificate firewall gateway proxy endpoint webhook payload
    parser compiler linter formatter debugger profiler scheduler worker daemon container image volume network
    subnet domain mailbox calendar notebook whiteboard agenda minutes deadline milestone backlog sprint
    retrospective estimate forecast quarter ledger payroll receipt expense allowance pension loan mortgage
    deposit salary bonus stock option audit policy clause appeal permit licence visa allergy vaccine recovery
    therapy diet protein vitamin smoothie sandwich curry noodle dumpling pancake cheese olive lemon ginger
    garlic pepper cinnamon espresso tea lemonade"""
)

_ADJECTIVES = _words(
    """new old final broken weekly monthly quick slow quiet bright heavy cheap expensive internal external shared
    private public temporary permanent missing duplicate outdated encrypted optional mandatory automatic manual
    early late annual local remote small large green blue wooden second third experimental stable draft signed
    urgent boring favourite spare seasonal handwritten digital"""
)

_VERBS = _words(
    """finished moved reviewed cancelled postponed rewrote deployed tested approved rejected bought sold repaired
    replaced cleaned measured compared described recorded translated printed uploaded downloaded archived
    restored merged split renamed deleted created designed planned discussed explained presented documented
    automated configured disabled enabled upgraded downgraded benchmarked profiled simplified prepared delivered
    shipped returned borrowed lent painted cooked ordered booked visited photographed sketched estimated
    negotiated signed withdrew submitted corrected validated scheduled delegated escalated"""
)

_HABITS = _words(
    """prefers likes avoids recommends trusts distrusts needs wants owns maintains remembers forgets misses enjoys
    dislikes collects studies teaches uses"""
)

_REASONS = (
    "because the deadline moved",
    "since the last one failed twice",
    "to save time on Fridays",
    "before the audit in spring",
    "after a long discussion with the team",
    "because nobody could find the old one",
    "so that the night shift can rest",
    "although the numbers were not final",
    "as the customer had asked for it",
    "while the heating was off",
    "because it kept crashing under load",
    "to stay within the budget",
    "after the workshop last week",
    "so the children could come",
    "since it is closer to home",
    "because the licence expired",
    "to make room for the archive",
    "before leaving for the summer",
    "when the power came back",
    "as agreed in the retrospective",
)

_TEMPLATES = (
    "{person} {verb} the {adjective} {thing} in {place} {reason}.",
    "{person} {habit} {tool} for the {thing}, {reason}.",
    "The {adjective} {thing} was {verb} by {person} and {other} {reason}.",
    "{person} told {other} that the {thing} in {place} is {adjective}.",
    "We decided to keep {tool} for the {thing} and the {other_thing} {reason}.",
    "In {place}, {person} {verb} a {thing}; the {other_thing} stays {adjective}.",
    "To fix the {adjective} {thing}, restart {tool} and check the {other_thing} first.",
    "{person} {habit} the {adjective} {thing} more than the {other_thing}.",
    "{person}'s {thing} from {place} has been {verb}, the {adjective} {other_thing} has not.",
    "Every {adjective} {thing} goes through {tool} before {person} sees the {other_thing}.",
)
_DETAILS = (  # the long tail: most of these numbers occur once or a few times
    " It is ticket {prefix}-{number}.",
    " That was version {major}.{minor}.",
    " The bill came to {number} euros.",
    " See page {page} of the notes.",
)
_DETAIL_SHARE = 0.4
_QUESTIONS = (
    "what did {person} do with the {thing} in {place}?",
    "which tool do we use for the {thing}?",
    "why was the {adjective} {thing} {verb}?",
    "who {verb} the {thing} and the {other_thing}?",
    "how do I fix the {adjective} {thing} with {tool}?",
    "does {person} like the {adjective} {thing}?",
    "{tool} {thing} {other_thing}",
    "what does {person} think about {tool}?",
)
_LISTS: dict[str, tuple[str, ...]] = {
    "person": _PEOPLE,
    "other": _PEOPLE,
    "place": (*_TOWNS, *(f"the {room}" for room in _ROOMS)),
    "tool": _TOOLS,
    "thing": _THINGS,
    "other_thing": _THINGS,
    "adjective": _ADJECTIVES,
    "verb": _VERBS,
    "habit": _HABITS,
    "reason": _REASONS,
}


def record(index: int, *, seed: int = 0) -> dict[str, Any]:
    """One memory as `add` takes it: a text with its kind, its time and some metadata."""
    rng = random.Random(f"{seed}/{index}")
    return {
        "content": _sentence(rng),
        "kind": rng.choice(_KINDS),
        "timestamp": EPOCH + timedelta(seconds=rng.randrange(DAYS * 86_400)),
        "metadata": {"team": _skewed(rng, _TEAMS), "number": rng.randrange(1_000)},
    }


def records(first: int, count: int, *, seed: int = 0) -> list[dict[str, Any]]:
    return [record(index, seed=seed) for index in range(first, first + count)]


def text(index: int, *, seed: int = 0) -> str:
    """The content of `record(index)`."""
    return _sentence(random.Random(f"{seed}/{index}"))


def texts(first: int, count: int, *, seed: int = 0) -> list[str]:
    return [text(index, seed=seed) for index in range(first, first + count)]


def turns(first: int, count: int, *, seed: int = 0) -> list[dict[str, Any]]:
    """A conversation: two speakers, in order, a minute apart."""
    return [
        {
            "role": "assistant" if index % 2 else "user",
            "content": text(index, seed=seed),
            "timestamp": EPOCH + timedelta(minutes=index),
        }
        for index in range(first, first + count)
    ]


def questions(count: int, *, seed: int = 1) -> list[str]:
    rng = random.Random(f"questions/{seed}")
    return [_filled(rng, rng.choice(_QUESTIONS)) for _ in range(count)]


def portions(size: int, portion: int) -> Iterator[tuple[dict[str, str], int, int]]:
    """How a store of `size` is loaded: (scope, first index, count), the project first, then each user's own."""
    own = int(size * USER_SHARE)
    shared = size - own * USERS
    for first in range(0, shared, portion):
        yield {"project": PROJECT}, first, min(portion, shared - first)
    for user in range(USERS if own else 0):
        yield {"user_id": user_name(user)}, shared + user * own, own


def user_name(number: int) -> str:
    return f"user-{number}"


def _sentence(rng: random.Random) -> str:
    sentence = _filled(rng, rng.choice(_TEMPLATES))
    if rng.random() < _DETAIL_SHARE:
        sentence += rng.choice(_DETAILS).format(
            prefix=rng.choice(("PL", "OPS", "WEB", "FIN")),
            number=rng.randrange(10_000),
            major=rng.randrange(1, 9),
            minor=rng.randrange(40),
            page=rng.randrange(1, 400),
        )
    return sentence[0].upper() + sentence[1:]


def _filled(rng: random.Random, template: str) -> str:
    return template.format_map({name: _skewed(rng, words) for name, words in _LISTS.items()})


def _skewed(rng: random.Random, words: tuple[str, ...]) -> str:
    """A word, those at the front of the list more often."""
    return words[int(len(words) * rng.random() ** 2)]
