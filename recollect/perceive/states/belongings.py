"""What a person or thing has, and what took its place: attributes by their name, tools, cars, memberships."""

from __future__ import annotations

import re

from recollect.perceive.states import holding_patterns as wording
from recollect.perceive.states.values import (
    Holding,
    Stated,
    holders_of,
    is_new,
    is_single,
    plain_noun,
    value_of,
    without_adjunct,
    without_article,
)

_FROM_TO = re.compile(r"^(?:.{0,200}?\s)?from\s++(?P<was>\S(?:.{0,200}?\S)?)\s+to\s+(?P<value>.+)$", re.IGNORECASE)


def attribute(stated: Stated) -> Holding | None:
    """An attribute: "Ana's phone number is …", "the deadline moved to …", "Ana changed their major to …"."""
    holder, what = holders_of(stated.about)
    verb, rest = stated.verb, stated.rest
    if not what:
        return _altered(stated, holder) or _told_the_other_way(stated)
    if wording.OUTDATED.search(what) or (wording.FAVOURITE.search(what) and what.split()[-1] in wording.VAGUE):
        return None
    change = _set_to(verb, rest)
    if change is not None:
        was, value = change[0], value_of(change[1])
        return Holding(
            holder=holder,
            respect=what,
            value=value,
            was=value_of(was) if was else None,
            single=is_single(what, value),
            changed=True,
            event=stated.tense == "past" and verb != "is",
        )
    return _being(stated, holder, what) if verb.startswith("is") else None


def _being(stated: Stated, holder: str, what: str) -> Holding:
    """ "Ana's cat is called Milo", "Ana's flight is on Friday, not Thursday"."""
    plain = wording.LEADING.sub("", stated.rest)
    named = wording.CALLED.match(plain)
    told = wording.SCHEDULED.sub("", wording.CALLED.sub("", plain))
    instead = wording.INSTEAD.search(told)
    value = value_of(told[: instead.start()] if instead else told)
    elsewhere = stated.verb != "is" and what.split()[-1] in wording.THINGS - wording.LOCATED
    single = is_single(what, value) and not elsewhere
    renewed = single and wording.RENEWED.search(stated.about) is not None
    return Holding(
        holder=holder,
        respect=f"{what}, {wording.NAMED}" if named else what,
        value=value,
        single=single,
        was=value_of(instead["was"]) if instead else None,
        changed=is_new(stated) or instead is not None or renewed,
    )


def _set_to(verb: str, rest: str) -> tuple[str | None, str] | None:
    """(what it was, what it is) where something was changed to another value."""
    if verb == "is" and (found := wording.SET_TO.match(rest)):
        return found["was"], found["value"]
    if verb in wording.CHANGES_FROM and (found := wording.FROM_TO.match(rest)):
        return found["was"], found["value"]
    if verb in wording.CHANGES_TO:
        return None, rest
    if verb in wording.CHANGES_BY_DIRECTION and (found := wording.DIRECTED_TO.match(rest)):
        return found["was"], found["value"]
    return None


def _altered(stated: Stated, holder: str) -> Holding | None:
    """ "Ana changed their major to chemistry"."""
    found = wording.ONES_OWN.match(stated.rest) if stated.predicate in wording.ALTERS else None
    if found is None:
        return None
    what, value = plain_noun(found["what"]), value_of(found["value"])
    return Holding(
        holder=holder,
        respect=what,
        value=value,
        changed=True,
        event=True,
        single=is_single(what, value),
        was=value_of(found["was"]) if found["was"] else None,
    )


def _told_the_other_way(stated: Stated) -> Holding | None:
    """ "Dina is Ana's new manager"."""
    if stated.predicate != "is" or "'s " not in stated.rest.replace("’", "'"):
        return None
    text = stated.rest.replace("’", "'")
    owner, what = holders_of(without_adjunct(text))
    value = value_of(stated.about)
    if not is_single(what, value) or wording.OUTDATED.search(what):
        return None
    return Holding(
        holder=owner,
        respect=what,
        value=value,
        single=True,
        changed=is_new(stated) or wording.RENEWED.search(text) is not None,
    )


def switch(stated: Stated) -> Holding | None:
    """Something took the place of something else, whatever it is used for."""
    holder, what = holders_of(stated.about)
    verb, rest = stated.verb, stated.rest
    if what:
        return None
    if verb in wording.SWITCHES_FROM and (both := wording.FROM_TO.match(rest)):
        return _switched(holder, both["value"], both["was"])
    if verb in wording.SWITCHES and (both := _FROM_TO.match(rest)):
        return _switched(holder, both["value"], both["was"])
    if verb in wording.REPLACING and (both := wording.REPLACES.match(rest)):
        return _switched(holder, both["value"], both["was"])
    if verb in wording.SWITCHES_TO:
        return _switched(holder, rest)
    if verb == "switches over" and rest.startswith("to "):
        return _switched(holder, rest.removeprefix("to "))
    if (both := wording.INSTEAD.search(rest)) and verb in wording.HELD_BY_USE:
        return _switched(holder, rest[: both.start()], both["was"], event=False)
    return None


def _switched(holder: str, value: str, was: str | None = None, *, event: bool = True) -> Holding:
    return Holding(
        holder=holder,
        respect=wording.USES,
        value=value_of(value),
        changed=True,
        event=event,
        was=None if was is None else value_of(was),
    )


def loss(stated: Stated) -> Holding | None:
    """What a person has no longer."""
    holder, what = holders_of(stated.about)
    verb, rest = stated.verb, stated.rest
    if verb == "breaks up":
        verb, rest = wording.PARTS_WITH, rest.removeprefix("with ")
    elif verb == "gets" and rest.startswith("rid of "):
        verb, rest = "gets rid of", rest.removeprefix("rid of ")
    if what or verb not in wording.GIVES_AWAY or stated.polarity == "-":
        return None
    value = value_of(without_article(rest))
    return Holding(holder=holder, respect=wording.USES, value=value, denied=True, changed=True, event=True)
