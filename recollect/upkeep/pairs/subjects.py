"""Of what two texts speak, as far as their statements say it.

A reader of texts takes "the chair costs 15 dollars" and "the lamp costs 20 dollars" for one price that changed. Where
statements were drawn from both, their subjects tell that they are two. What a text says of its speaker is another
matter: people tell that their own circumstances changed by speaking of other things.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from recollect.language.terms import telling, terms_of
from recollect.store.base import Tx
from recollect.store.stretches import ToldRecord

_SPEAKERS = frozenset(telling(terms_of("the user and others")))  # how statements name a speaker without a name
_OWNER = re.compile(r"(.+?)['’]s\s")  # statements in every language have their subjects in English


class Subject(NamedTuple):
    """The telling words of a subject, without its owner's; none: the speaker. `owner` is None where none is named."""

    words: frozenset[str]
    owner: frozenset[str] | None = None


UNKNOWN = Subject(frozenset())


def subjects_of(tx: Tx, turns: Collection[ToldRecord]) -> dict[int, dict[int, Subject]]:
    """What the statements of each of these turns are about, by turn and statement; those that ended are among them."""
    speakers = {turn.pk: _SPEAKERS.union(terms_of(turn.speaker or "")) for turn in turns}
    said = tx.statements.turns_saying(tx.statements.drawn_from(speakers.keys()))
    rows = dict(tx.statements.live_rows({pk for pk, _, _ in said}))
    found: dict[int, dict[int, Subject]] = {}
    for pk, turn_pk, _ in said:
        if turn_pk in speakers and pk in rows:
            found.setdefault(turn_pk, {})[pk] = _subject(rows[pk].subject or "", speakers[turn_pk])
    return found


def may_be_one(one: Subject, others: Collection[Subject]) -> bool:
    """Whether a subject may be one of others: of one owner as far as one is named, and with a word in common.

    Where a text speaks of its speaker, or of what is not known, it may be about anything.
    """
    return not others or any(_may_be(one, other) for other in others)


def _may_be(one: Subject, other: Subject) -> bool:
    if not one.words or not other.words:
        return True
    owned_alike = one.owner is None or other.owner is None or one.owner == other.owner
    return owned_alike and not one.words.isdisjoint(other.words)


def _subject(text: str, speaker: frozenset[str]) -> Subject:
    """Whatever the speaker is called, what is the speaker's has the same owner: none of the words."""
    owner = _OWNER.match(text)
    words = frozenset(telling(terms_of(text if owner is None else text[owner.end() :])))
    owned_by = None if owner is None else frozenset(telling(terms_of(owner[1])))
    return Subject(words - speaker, None if owned_by is None else owned_by - speaker)
