"""Entities in LoCoMo's chats: who and what a turn names, and whether names that mean one are one.

How the labels were made. From the five conversations of the development half 160 turns were drawn, half at random, half
among those with a capitalised word other than the participants' names; every person (pets and figures of stories
included), place and organisation in them was marked by hand with the entity it means. 140 further turns were drawn and
marked the same way after the rules were written (`second`). `entity_labels.json` holds no word of the data: only
conversation, turn, and for each mention where it begins and ends in the turn, the number of its entity within the
conversation, and its type; an animal that the turn calls one may be a person or a concept. A `title` is the name of a
book, film or game, which is neither right nor wrong.

How it is counted. All turns are stored in order, one project a conversation. A mention is right when one of its type
begins at its place and the entity known under that name is the one most mentions of its label have, and whose mentions
mostly have that label. The baseline takes every capitalised word inside a sentence, each spelling for an entity.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import recollect
from bench.quality import sets
from bench.quality.figures import Figure, share
from recollect.perceive.names.mentions import mentions_in

LABELS = Path(__file__).with_name("entity_labels.json")
_TYPES = ("person", "place", "organization")
_TITLE, _CONCEPT = "title", "concept"
_CAPITALS = re.compile(r"(?<=[a-z,;:'\"] )[A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*)*")
_NEAR = 4  # characters: "the Eiffel Tower" or "Eiffel Tower"


class Label(NamedTuple):
    begin: int
    end: int
    entity: int
    type: str


class Named(NamedTuple):
    """A name that was found: where, its types, and the entity it was taken for."""

    begin: int
    end: int
    types: tuple[str, ...]
    entity: str


Row = tuple[str, str, list[tuple[int, int, int, str]]]  # conversation, turn, labels
Turns = dict[tuple[str, str], str]  # the text of a turn of a conversation
Finder = Callable[[str, str], list[Named]]  # what a text of a conversation names


def measure(baselines: bool) -> list[Figure]:
    conversations = sets.load("locomo")
    texts = {(each.id, turn.id): turn.text for each in conversations for turn in each.turns}
    labels: dict[str, list[Row]] = json.loads(LABELS.read_text(encoding="utf-8"))
    if missing := {row[0] for rows in labels.values() for row in rows if (row[0], row[1]) not in texts}:
        raise sets.NoData(f"{sets.FILES['locomo']} holds other conversations than {', '.join(sorted(missing))}")
    with TemporaryDirectory() as folder, recollect.open(Path(folder) / "entities.db") as memory:
        for each in conversations:
            by_session: dict[str, list[sets.Turn]] = defaultdict(list)
            for turn in each.turns:
                by_session[turn.session].append(turn)
            for session, turns in by_session.items():
                told = [{"role": "user", "name": turn.speaker, "content": turn.text} for turn in turns]
                memory.add(told, project=each.id, session_id=session)
        own = {name: _figures(rows, texts, _known_to(memory)) for name, rows in labels.items()}
    other = {name: _figures(rows, texts, _capitals) for name, rows in labels.items()} if baselines else {}
    return [
        Figure(
            name=f"{measure}, {name} sample",
            value=value,
            note=f"{len(labels[name])} turns",
            baseline=other[name][measure] if other else None,
        )
        for name, figures in own.items()
        for measure, value in figures.items()
    ]


def _known_to(memory: recollect.Memory) -> Finder:
    ids: dict[tuple[str, str], str] = {}

    def entity(project: str, name: str) -> str:
        if (project, name) not in ids:
            found = memory.entity(name, project=project)
            ids[project, name] = found.entity.id if found else f"unknown {name}"
        return ids[project, name]

    def find(project: str, text: str) -> list[Named]:
        return [
            Named(*mention.span, (mention.type.value,), entity(project, mention.surface))
            for mention in mentions_in(text)
            if mention.type.value in (*_TYPES, _CONCEPT)
        ]

    return find


def _capitals(project: str, text: str) -> list[Named]:
    return [Named(*match.span(), _TYPES, match[0].removesuffix("'s")) for match in _CAPITALS.finditer(text)]


def _figures(rows: list[Row], texts: Turns, find: Finder) -> dict[str, float | None]:
    pairs: list[tuple[str, str]] = []  # label and entity of what was found
    found_count = wanted_count = 0
    for conversation, turn, spans in rows:
        labels = [Label(*span) for span in spans]
        titles = [label for label in labels if label.type == _TITLE]
        wanted = [label for label in labels if label.type != _TITLE]
        wanted_count += len(wanted)
        for name in find(conversation, texts[conversation, turn]):
            match = next((label for label in wanted if _is(name, label)), None)
            if match is not None:
                wanted.remove(match)
                pairs.append((f"{conversation} {match.entity}", f"{conversation} {name.entity}"))
            elif name.types == (_CONCEPT,) or any(
                label.begin < name.end and name.begin < label.end for label in titles
            ):
                continue
            found_count += 1
    resolved = _agreeing(pairs)
    return {
        "found F1": f1(len(pairs), found_count, wanted_count),
        "found and resolved F1": f1(resolved, found_count, wanted_count),
    }


def _is(name: Named, label: Label) -> bool:
    overlaps = name.begin < label.end and label.begin < name.end
    return overlaps and abs(name.begin - label.begin) <= _NEAR and not {*label.type.split("|")}.isdisjoint(name.types)


def _agreeing(pairs: list[tuple[str, str]]) -> int:
    """How many have the entity that is usual for their label, and the label that is usual for their entity."""
    entities: defaultdict[str, Counter[str]] = defaultdict(Counter)
    labels: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for label, entity in pairs:
        entities[label][entity] += 1
        labels[entity][label] += 1
    return sum(
        entities[label].most_common(1)[0][0] == entity and labels[entity].most_common(1)[0][0] == label
        for label, entity in pairs
    )


def f1(right: int, found: int, wanted: int) -> float | None:
    return share(2 * right, found + wanted)
