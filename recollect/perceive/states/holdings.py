"""What a statement says to be so: of whom, in which respect, which value, and whether that took another's place.

"Ana moved from Lisbon to Porto" says of Ana's home that it is Porto, that it is new, and that it was Lisbon. "Ana got a
second dog" says nothing of the sort: having one thing more changes no state. Only statements that are plainly about a
state are read, and most are not; what is doubted, wished for, to come or over says nothing about now.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from recollect.language.terms import telling, terms_of
from recollect.perceive.states import belongings as held_things
from recollect.perceive.states import holding_patterns as wording
from recollect.perceive.states import single as held_states
from recollect.perceive.states.values import (
    ADJUNCT,
    TIME_OR_REASON,
    Holding,
    Stated,
    StateValue,
    is_new,
    without_adjunct,
    without_article,
)

INSTRUCTION = "instruction"
AS_SAID = "= "  # before the verb, where a respect is nothing but what was said
_ORDER = re.compile(r"^(?:always|never|do not|don't|avoid|please)\s+", re.IGNORECASE)
_NEGATIONS = frozenset(terms_of("not no never longer any more"))
_READERS = (
    held_states.home,
    held_states.employer,
    held_states.superior,
    held_states.state,
    held_states.version,
    held_states.preference,
    held_things.attribute,
    held_states.measure,
    held_things.switch,
    held_things.loss,
)
_CHANGING = (
    wording.MOVES_TO,
    wording.MOVES_FROM,
    wording.SWITCHES_TO,
    wording.SWITCHES_FROM,
    wording.SWITCHES,
    wording.REPLACING,
    wording.LEAVES,
    wording.GIVES_AWAY,
    wording.CHANGES_TO,
    wording.CHANGES_FROM,
    wording.CHANGES_BY_DIRECTION,
    wording.ALTERS,
    wording.UPGRADES,
    {wording.JOINS, "breaks up", "switches over"},
)


def holdings_of(stated: Stated) -> tuple[Holding, ...]:
    """The states a statement speaks of; none for most."""
    if stated.tense == "future" or wording.HEDGED.search(stated.content):
        return ()
    if stated.subject is None or stated.predicate is None:
        return _instruction(stated)
    if _says_nothing_of_now(stated):
        return ()
    if stated.tense == "past" and not (stated.ended or _tells_of_a_change(stated)):
        return ()
    return tuple(
        replace(each, denied=each.denied or stated.denies, changed=each.changed or stated.ended)
        for each in _read(stated)
        if each.holder and (each.value.words or each.denied or stated.denies)
    )


def _says_nothing_of_now(stated: Stated) -> bool:
    """Imagined, once planned, long over, under way, or denied in part."""
    text = stated.content
    if wording.IMAGINED.search(text) or wording.ONCE_PLANNED.search(text):
        return True
    if stated.ended:
        return False
    if stated.polarity == "-":
        return wording.DENIED_IN_PART.search(text) is not None
    if stated.tense == "past":
        return wording.LONG_AGO.search(text) is not None
    return any(stated.verb in table for table in _CHANGING) and wording.UNDER_WAY.search(text) is not None


def _tells_of_a_change(stated: Stated) -> bool:
    """Of what is told as past, only a change says how things are now."""
    verb, rest = stated.verb, stated.rest
    was_set = (wording.SET_TO, wording.FIRED, wording.RENAMED)
    return (
        any(verb in table for table in _CHANGING)
        or (verb == "is" and any(pattern.match(rest) for pattern in was_set))
        or (verb in wording.CAME_ABOUT and held_states.state_of(rest) is not None)
        or (verb in wording.STARTS and wording.NEW_JOB.match(rest) is not None)
        or (verb == "turns" and wording.OLD.match(without_adjunct(rest)) is not None)
        or (verb == "gets" and rest.startswith("rid of "))
        or (verb in ("goes", "gets") and wording.EATS_MEAT.search(rest) is not None)
    )


def _read(stated: Stated) -> Iterator[Holding]:
    special = next((found for reader in _READERS if (found := reader(stated)) is not None), None)
    if special is not None:
        yield special
    general = _general(stated)
    if general is not None:
        yield general


def _general(stated: Stated) -> Holding | None:
    """What is said of it as it stands, for others to deny or to take the place of."""
    verb, rest = stated.verb, stated.rest
    if verb.split(" ")[0] not in wording.LASTING or (stated.tense == "past" and not stated.ended):
        return None
    core = without_adjunct(
        rest, TIME_OR_REASON if stated.denies else ADJUNCT
    )  # "not … from that" denies no more than that
    words = tuple(telling(terms_of(without_article(wording.LEADING.sub("", core)))))
    if not words and not (stated.denies or stated.object is None):
        return None
    if wording.PASSING & set(words):
        return None
    holder = stated.about.casefold()
    return Holding(
        holder=holder, respect=f"{AS_SAID}{verb}", value=StateValue("words", words, rest), changed=is_new(stated)
    )


def _instruction(stated: Stated) -> tuple[Holding, ...]:
    plain = _ORDER.sub("", stated.content)
    words = tuple(term for term in terms_of(plain) if term not in _NEGATIONS)
    if stated.subject is not None or not words:
        return ()
    value = StateValue("words", words, plain)
    return (Holding(holder=INSTRUCTION, respect=INSTRUCTION, value=value, denied=stated.polarity == "-"),)
