"""Of what two texts speak, as far as their statements say it.

A reader of texts takes "the chair costs 15 dollars" and "the lamp costs 20 dollars" for one price that changed, and "I
used to weigh 90 kilos" for a new weight. Where statements were drawn from both texts, their subjects tell that they are
two, and their tense that one is of the past. What a text says of its speaker is another matter: people tell that their
own circumstances changed by speaking of other things.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

import orjson

from recollect.language import lists
from recollect.language.terms import telling, terms_of
from recollect.model.columns import RecordRow
from recollect.perceive.reader.features import LANGUAGES
from recollect.store.base import Tx
from recollect.store.stretches import ToldRecord

_SPEAKERS = frozenset(telling(terms_of("the user and others")))  # how statements name a speaker without a name
_OWNER = re.compile(r"(.+?)['’]s\s")  # statements in every language have their subjects in English
_IS = "is"
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_ARTICLES = "|".join(article for language in LANGUAGES for article in lists.words(language, "articles"))
_OPENING = re.compile(
    rf"\W*(?:(?:{_ARTICLES})\s+)?(?:[^\W\d]+[\s#-]+)?\W?[^\W\d]?(?P<number>{_NUMBER.pattern}[^\W\d]?)(?!\w)",
    re.IGNORECASE,
)  # a word before the number, and an article


class StatedSubject(NamedTuple):
    """What a statement is about: the telling words of its subject, without its owner's; none for the speaker.

    `owner` is None where none is named. `past`: it says how things were. `numbers` tell one of several things
    apart from the others, as in "room 12".
    """

    words: frozenset[str] = frozenset()
    owner: frozenset[str] | None = None
    past: bool = False
    numbers: frozenset[str] = frozenset()


UNKNOWN = StatedSubject()
SubjectsByTurn = Mapping[int, Mapping[int, StatedSubject]]  # by turn and statement


def stated_in(tx: Tx, turns: Collection[ToldRecord]) -> SubjectsByTurn:
    """What the statements of each of these turns are about; those that ended are among them."""
    speakers = {turn.pk: _SPEAKERS.union(terms_of(turn.speaker or "")) for turn in turns}
    said = tx.statements.turns_saying(tx.statements.drawn_from(speakers.keys()))
    rows = dict(tx.statements.live_rows({pk for pk, _, _ in said}))
    found: dict[int, dict[int, StatedSubject]] = {}
    for pk, turn_pk, _ in said:
        if turn_pk in speakers and pk in rows:
            found.setdefault(turn_pk, {})[pk] = _stated(rows[pk], speakers[turn_pk])
    return found


def may_speak_of(newer: Collection[StatedSubject], older: StatedSubject) -> bool:
    """Whether a text that states these things may make a statement untrue: both are of the present, and of one thing.

    Two subjects may be one where they have a word in common and one owner, as far as owners are named. Where a text
    speaks of its speaker, or nothing was drawn from it, it may speak of anything.
    """
    present = [each for each in newer if not each.past]
    return not older.past and (not newer or any(_may_be_one(each, older) for each in present))


def open_with_two_things(one: str, other: str) -> bool:
    """Whether each text begins with a thing that has a number, and the numbers differ: "Room 12 …" and "Room 13 …".

    What stands at the head of a note is what it is about; a value comes later, after a verb or in the midst of a line.
    """
    first, second = _OPENING.match(one), _OPENING.match(other)
    return first is not None and second is not None and first["number"] != second["number"]


def _may_be_one(one: StatedSubject, other: StatedSubject) -> bool:
    if not one.words or not other.words:
        return True
    owned_alike = one.owner is None or other.owner is None or one.owner == other.owner
    numbered_alike = not one.numbers or not other.numbers or not one.numbers.isdisjoint(other.numbers)
    return owned_alike and numbered_alike and not one.words.isdisjoint(other.words)


def _stated(row: RecordRow, speaker: frozenset[str]) -> StatedSubject:
    """Whatever a speaker is called, what is the speaker's has one owner: no word at all."""
    text = row.subject or ""
    owner = _OWNER.match(text)
    words = frozenset(telling(terms_of(text if owner is None else text[owner.end() :])))
    owned_by = None if owner is None else frozenset(telling(terms_of(owner[1]))) - speaker
    attributes = orjson.loads(row.attributes or "{}")
    is_past = attributes.get("tense") == "past" and (bool(attributes.get("ended")) or row.predicate == _IS)
    return StatedSubject(words - speaker, owned_by, is_past, frozenset(_NUMBER.findall(text)))
