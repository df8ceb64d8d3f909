"""How well personal data and secrets are found, and how often ordinary talk is taken for them.

    python -m bench.quality --set personal

Labelled spans are those of a public set of sentences made from templates, split by template: those with an even number
were looked at while the finder was written, those with an odd number were not. A span counts as found if one of
its group overlaps it, and as right if it overlaps a labelled one of its group; in the group of numbers, of its type.
The baseline of persons is the finder of names that the engine reads entities with.

Secrets are fakes, drawn by the published format of each kind. False alarms are turns of chats (with code in them),
payloads of a coding client and commits, of which none is known to hold a real secret.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from bench.quality import naming, sets
from bench.quality.fake_secrets import fake_secrets, told
from bench.quality.figures import Figure, share
from recollect.model.record import SecurityTier
from recollect.perceive.names.mentions import mentions_in
from recollect.security.screening import personal, secrets
from recollect.security.screening.spans import tier_of

LABELLED = "pii/pii_presidio_dev.jsonl"
CODING = ("coding/claude_code_hooks.jsonl", "coding/history_garak.log.gz", "coding/history_recognizers.log.gz")
SEEDS = 20  # fakes of each kind
NUMBERS = {
    "CREDIT_CARD": "card",
    "IBAN_CODE": "iban",
    "US_SSN": "national_id",
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "DOMAIN_NAME": "domain",
}
OTHER_NUMBERS = ("ip", "crypto", "bank_account")  # found where nothing is labelled, these are wrong
ADDRESSES = {"STREET_ADDRESS": "address", "ZIP_CODE": "address", "postcode": "address"}
PERSONS = {"PERSON": "person"}


class Place(NamedTuple):
    """Where something stands and what it is, in our words."""

    start: int
    end: int
    type: str


Finder = Callable[[str], list[Place]]


def measure(baselines: bool) -> list[Figure]:
    rows = list(sets.lines_of(LABELLED))
    return [
        *_found(rows, baselines),
        _persons_in_chats(baselines),
        *_not_sensitive(),
        *_secrets_found(),
        *_no_false_secrets(),
    ]


def _found(rows: list[dict[str, Any]], baselines: bool) -> Iterator[Figure]:
    groups = {"numbers": NUMBERS, "addresses": ADDRESSES, "persons": PERSONS}
    for half, odd in (("left out", 1), ("developed on", 0)):
        part = [row for row in rows if row["template_id"] % 2 == odd]
        for name, types in groups.items():
            by_engine = _f1(part, types, _mentioned) if baselines and name == "persons" else None
            wanted = sum(label["type"] in types for row in part for label in row["spans"])
            yield Figure(
                name=f"{name} F1, {half}",
                value=_f1(part, types, _personal),
                baseline=by_engine,
                note=f"{wanted} spans in {len(part)} sentences",
            )


def _persons_in_chats(baselines: bool) -> Figure:
    """On the names that are marked by hand in turns of LoCoMo: other texts than the labelled sentences."""
    texts = {(each.id, turn.id): turn.text for each in sets.load("locomo") for turn in each.turns}
    labels: dict[str, list[naming.Row]] = json.loads(naming.LABELS.read_text(encoding="utf-8"))
    rows = [
        {
            "text": texts[conversation, turn],
            "spans": [{"start": span[0], "end": span[1], "type": "PERSON"} for span in spans if "person" in span[3]],
        }
        for part in labels.values()
        for conversation, turn, spans in part
        if (conversation, turn) in texts
    ]
    return Figure(
        name="persons F1, locomo",
        value=_f1(rows, PERSONS, _personal),
        baseline=_f1(rows, PERSONS, _mentioned) if baselines else None,
        note=f"{sum(len(row['spans']) for row in rows)} names in {len(rows)} turns",
    )


def _personal(text: str) -> list[Place]:
    return [Place(span.start, span.end, str(span.type)) for span in personal.find(text, names=True)]


def _mentioned(text: str) -> list[Place]:
    return [Place(*mention.span, mention.type.value) for mention in mentions_in(text)]


def _f1(rows: Iterable[dict[str, Any]], types: dict[str, str], find: Finder) -> float | None:
    right = found = met = wanted = 0
    counted = {*types.values(), *(OTHER_NUMBERS if types is NUMBERS else ())}
    for row in rows:
        labels = [
            Place(each["start"], each["end"], types[each["type"]]) for each in row["spans"] if each["type"] in types
        ]
        places = [place._replace(type=types.get(place.type, place.type)) for place in find(row["text"])]
        places = [place for place in places if place.type in counted]
        right += sum(any(_same(place, label) for label in labels) for place in places)
        met += sum(any(_same(place, label) for place in places) for label in labels)
        found, wanted = found + len(places), wanted + len(labels)
    precision, recall = share(right, found), share(met, wanted)
    return 2 * precision * recall / (precision + recall) if precision and recall else None


def _same(place: Place, label: Place) -> bool:
    return place.type == label.type and place.start < label.end and label.start < place.end


def _not_sensitive() -> Iterator[Figure]:
    turns = [turn.text for conversation in sets.load("locomo") for turn in conversation.turns]
    clear = sum(tier_of(personal.find(turn)) is SecurityTier.CLEARTEXT for turn in turns)
    yield Figure(name="turns not sensitive, locomo", value=share(clear, len(turns)), note=f"{len(turns)} turns")


def _secrets_found() -> Iterator[Figure]:
    fakes = [each for seed in range(SEEDS) for each in fake_secrets(seed).items()]
    found = 0
    for kind, secret in fakes:
        text = told(kind, secret)
        found += any(text[span.start : span.end] == secret for span in secrets.find(text))
    yield Figure(
        name="secrets found whole",
        value=share(found, len(fakes)),
        note=f"{len(fakes)} fakes of {len(fakes) // SEEDS} kinds",
    )


def _no_false_secrets() -> Iterator[Figure]:
    for name in ("locomo", "realtalk", "beam100k", "beam500k"):
        yield _quiet(name, (turn.text for conversation in sets.load(name) for turn in conversation.turns))
    yield _quiet("coding", _coding())


def _quiet(name: str, texts: Iterable[str]) -> Figure:
    counts = [bool(secrets.find(text)) for text in texts]
    return Figure(
        name=f"no secret seen, {name}", value=share(len(counts) - sum(counts), len(counts)), note=f"{len(counts)} texts"
    )


def _coding() -> Iterator[str]:
    """Every text in a payload of the client, and every commit with its files."""
    payloads, *histories = CODING
    for row in sets.lines_of(payloads):
        yield from _strings(row)
    for file in histories:
        path = sets.place() / file
        if not path.exists():
            raise sets.NoData(f"no {file} in {sets.place()}")
        yield from gzip.decompress(path.read_bytes()).decode("utf-8", "replace").split("\n\n")


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)
