"""States of people and things that have one value at a time: a home, an employer, a diet, a version, a price."""

from __future__ import annotations

import re
from dataclasses import replace

from recollect.language.terms import telling, terms_of
from recollect.perceive.names.technologies import cased_names, clear_names
from recollect.perceive.states import holding_patterns as wording
from recollect.perceive.states.values import (
    Holding,
    Stated,
    StateValue,
    holders_of,
    is_new,
    sort_of,
    value_of,
    without_adjunct,
)


def home(stated: Stated) -> Holding | None:
    """Where a person lives."""
    holder, what = holders_of(stated.about)
    verb, rest = stated.verb, stated.rest
    if what == wording.HOME and verb == "is in":
        return _placed(holder, rest, changed=is_new(stated))
    if what and verb not in wording.LIVES and what.split()[-1] not in wording.KIN:
        return None
    holder = f"{holder}'s {what}" if what else holder.removesuffix(" and others")  # "we" live where I live
    if verb in wording.LIVES:
        return _placed(holder, rest, changed=is_new(stated))
    if verb == "is" and wording.BASED.match(rest):
        return _placed(holder, wording.BASED.sub("", rest), changed=is_new(stated))
    if verb in wording.MOVES_FROM and (both := wording.FROM_TO.match(rest)):
        was, here = _place(both["was"]), _placed(holder, both["value"], changed=True, event=True)
        return None if was is None or here is None else replace(here, was=was)
    if verb in wording.MOVES_TO and (verb.endswith((" to", " in")) or wording.TO_A_PLACE.match(rest)):
        return _placed(holder, wording.TO_A_PLACE.sub("", rest), changed=True, event=True)
    return None


def _placed(holder: str, text: str, *, changed: bool, event: bool = False) -> Holding | None:
    value = _place(text)
    if value is None:
        return None
    return Holding(holder=holder, respect=wording.HOME, value=value, single=True, changed=changed, event=event)


def _place(text: str) -> StateValue | None:
    """The place a text begins with, by its name; two of them are none in particular."""
    found = wording.NAME.match(wording.LEADING.sub("", text))
    if found is None or _is_technology(found["name"]) or re.match(r"\s+(?:and|or)\s+[A-Z]", text[found.end() :]):
        return None
    return StateValue("place", tuple(terms_of(found["name"])), found["name"])


def _is_technology(name: str) -> bool:
    """One moves to another tool as one moves to another town."""
    return name.casefold() in clear_names() or name in cased_names() or bool(sort_of(name))


def employer(stated: Stated) -> Holding | None:
    """For whom a person works, or no longer does."""
    holder, what = holders_of(stated.about)
    verb, rest = stated.verb, stated.rest
    if what:
        return None
    if verb in wording.WORKS_AT and verb != "works with":
        return _employed(holder, rest, changed=is_new(stated))
    if verb == "is" and wording.EMPLOYED.match(rest):
        return _employed(holder, wording.EMPLOYED.sub("", rest), changed=is_new(stated))
    if verb in wording.STARTS and wording.NEW_JOB.match(rest):
        return _employed(holder, wording.NEW_JOB.sub("", rest), changed=True, event=True)
    if verb == wording.JOINS and re.search(r"\bas an? ", rest):
        return _employed(holder, rest, changed=True, event=True)
    if verb == "is" and wording.FIRED.match(rest):
        return _employed(holder, wording.FIRED.sub("", rest), denied=True, changed=True, event=True)
    if verb in wording.LEAVES:
        gone = wording.THEIR_JOB.sub("", rest)
        return _employed(holder, gone, denied=True, changed=True, event=True)
    return None


def _employed(holder: str, text: str, *, changed: bool, event: bool = False, denied: bool = False) -> Holding | None:
    found = wording.NAME.match(text)
    if found is None or wording.NOT_EMPLOYERS.search(text):
        return None
    value = StateValue("name", tuple(terms_of(found["name"])), found["name"])
    return Holding(
        holder=holder, respect=wording.EMPLOYER, value=value, single=True, changed=changed, event=event, denied=denied
    )


def state(stated: Stated) -> Holding | None:
    """One of a few that exclude each other: a diet, being married, the progress of a task."""
    verb, rest = stated.verb, stated.rest
    holder = stated.about.casefold()
    if wording.EATS_MEAT.search(stated.content) and (verb == "goes" or "again" in rest):
        value = StateValue("diet", ("omnivor",), "eats meat")
        return Holding(holder=holder, respect="diet", value=value, single=True, changed=True, event=True)
    if verb in ("is in", "is on"):
        verb, rest = "is", f"{verb[3:]} {rest}"
    found = state_of(rest) if verb in wording.BECOMES else None
    if found is None or (
        stated.polarity == "-" and wording.MARRIED_TO.match(rest)
        # "not married to Ana" does not say that a person is single.
    ):
        return None
    return Holding(
        holder=holder,
        respect=found.sort,
        value=found,
        single=True,
        changed=is_new(stated) or verb in wording.CAME_ABOUT,
        event=stated.tense == "past",
    )


def state_of(text: str) -> StateValue | None:
    """The one of a few that a text names."""
    plain = wording.LEADING.sub("", without_adjunct(text))
    married = wording.MARRIED_TO.match(plain)
    if married and not _is_person(plain[married.end() :]):
        return None
    plain = married["how"] if married else plain
    sort = wording.STATES.get(plain.casefold())
    return None if sort is None else StateValue(sort, tuple(telling(terms_of(plain))), plain)


def _is_person(text: str) -> bool:
    """After "their", only kin is a person: "their best friend", never "their job"."""
    return not wording.THEIR_OWN.match(text) or text.split()[-1].casefold() in wording.KIN


def version(stated: Stated) -> Holding | None:
    """Which version something is on, or was brought to."""
    verb, rest, holder = stated.verb, stated.rest, stated.about
    brought = wording.TO_VERSION.match(rest) if verb in (*wording.UPGRADES, "is") else None
    if brought is not None:
        holder, rest = (holder if verb == "is" else brought["what"]), brought["version"]
    elif verb not in ("is at", "is on", "runs on", "runs") or not wording.VERSIONED.search(rest):
        return None
    number = wording.VERSION_NUMBER.search(rest)
    value = StateValue("version", (number[0],) if number else (), rest)
    changed = brought is not None or is_new(stated)
    return Holding(holder=holder.casefold(), respect="version", value=value, single=True, changed=changed)


def superior(stated: Stated) -> Holding | None:
    """ "Ana reports to Dina"."""
    found = wording.NAME.match(stated.rest) if stated.verb == wording.REPORTS_TO else None
    if found is None:
        return None
    value = StateValue("name", tuple(terms_of(found["name"])), found["name"])
    holder = stated.about.casefold()
    return Holding(holder=holder, respect=wording.MANAGER, value=value, single=True, changed=is_new(stated))


def measure(stated: Stated) -> Holding | None:
    """How old, how heavy, how dear, due when."""
    verb, rest = stated.verb, stated.rest
    holder = stated.about.casefold()
    if (
        verb in ("is", "turns")
        and (old := wording.OLD.match(without_adjunct(rest)))
        and (verb == "turns" or "old" in rest)
    ):
        value = StateValue("age", (old["years"],), old["years"])
        return Holding(holder=holder, respect=wording.AGE, value=value, single=True, changed=verb == "turns")
    due = wording.LEADING.sub("", rest)
    if verb == "is" and wording.SCHEDULED.match(due):
        verb, rest = "is scheduled for", wording.SCHEDULED.sub("", due)
    if verb not in wording.MEASURES and verb != "has":
        return None
    amount = _amount_in(rest, of=verb in wording.MEASURES_OF)
    if amount is None:
        return None
    single = verb != "has" and (verb not in wording.MEASURES_OF or bool(amount.beside))
    return Holding(holder=holder, respect=verb, value=amount, single=single, changed=is_new(stated))


def _amount_in(text: str, *, of: bool) -> StateValue | None:
    """The amount, day or time a text begins with; with `of`, it may stand after the word it is of: "port 80"."""
    value = value_of(text)
    if value.sort not in ("plain", "name", "weekday"):
        return value
    words = text.split(maxsplit=1)
    if of and len(words) == 2:
        behind = value_of(words[1])
        if behind.sort.startswith(("number", "money", "clock")):
            return behind._replace(beside=behind.beside | frozenset(terms_of(words[0])))
    return value if value.sort == "weekday" else None


def preference(stated: Stated) -> Holding | None:
    """Which of two things a person prefers."""
    rest = stated.rest
    found = wording.PREFERS.match(rest) if stated.predicate == "prefers" else None
    if found is None and stated.predicate in wording.LIKES:
        found = wording.MORE_THAN.match(rest)
    if found is None:
        return None
    holder = stated.about.casefold()
    value, was = value_of(found["value"]), value_of(found["was"])
    pair = " / ".join(sorted(" ".join(each.words) for each in (value, was)))
    return Holding(holder=holder, respect=f"prefers: {pair}", value=value, single=True, changed=is_new(stated))
