"""Rules of retention: `kind=episodic,age>365d` says which records are kept no longer.

A rule is a few conditions, all of which must hold. The grammar is small and strict: a rule that destroys must not mean
something else than it says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from recollect.errors import UsageError, nearest, shown
from recollect.model.filters import Filter, parse_filters
from recollect.model.record import Kind, Tier

RULE_CHARS_MAX = 1_000
CONDITIONS_MAX = 20
_CONDITION = re.compile(r"([a-z_]+)\s*(<=|>=|!=|=|<|>)(.*)", re.DOTALL)
_SPAN = re.compile(r"(\d{1,6})\s*([hdwmy])")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}
_SPAN_MAX = timedelta(days=365_000)
_OPERATORS = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}
_YES = {"yes": True, "no": False}


class _Term(NamedTuple):
    """A word of the grammar: what it is about, the operators it takes, and what may stand after them."""

    sort: str  # words, share, age, unused, flag
    field: str = ""
    among: tuple[str, ...] = ()

    @property
    def operators(self) -> tuple[str, ...]:
        return {"share": ("<", "<=", ">", ">="), "span": (">", ">=")}.get(self.sort, ("=", "!="))


TERMS: Mapping[str, _Term] = {
    "age": _Term("span", "created_at"),
    "unused": _Term("span", "last_access"),
    "kind": _Term("words", "kind", tuple(Kind)),
    "category": _Term("words", "category"),
    "tier": _Term("words", "tier", tuple(Tier)),
    "tag": _Term("tag", "tags"),
    "project": _Term("words", "project"),
    "user": _Term("words", "user_id"),
    "agent": _Term("words", "agent_id"),
    "squad": _Term("words", "squad"),
    "channel": _Term("words", "channel"),
    "session": _Term("words", "session_id"),
    "source": _Term("words", "source"),
    "importance": _Term("share", "importance"),
    "confidence": _Term("share", "confidence"),
    "confirmed": _Term("flag", "user_verified"),
    "remembered": _Term("flag", "decay_rate"),
    "flagged": _Term("flag", "flagged"),
}


class RetentionCondition(NamedTuple):
    """One part of a rule, checked."""

    word: str
    operator: str
    value: Any  # words, a number, a span of time, or a truth

    def filter(self, now: datetime) -> dict[str, Any]:
        """The same as a filter on records."""
        term = TERMS[self.word]
        if term.sort == "span":
            return _older(self.word, "lt" if self.operator == ">" else "lte", now - self.value)
        if term.sort == "share":
            return {term.field: {_OPERATORS[self.operator]: self.value}}
        if term.sort == "flag":
            return _truth(self.word, self.value is (self.operator == "="))
        held = [{term.field: {"contains": each}} for each in self.value]
        found: dict[str, Any] = {"OR": held} if term.sort == "tag" else {term.field: {"in": list(self.value)}}
        return found if self.operator == "=" else {"NOT": found}


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedRule:
    """A rule, understood. Records that a person confirmed, or asked to be remembered, are meant only if it says so."""

    text: str
    conditions: tuple[RetentionCondition, ...]

    @property
    def waits(self) -> bool:
        """Whether it is about age: one that is not would take a record as soon as it is stored."""
        return any(TERMS[each.word].sort == "span" for each in self.conditions)

    @property
    def spares(self) -> tuple[str, ...]:
        """Which marks keep a record from this rule."""
        named = {each.word for each in self.conditions}
        return tuple(word for word in ("confirmed", "remembered") if word not in named)

    def _sparing(self, word: str) -> dict[str, Any]:
        """A record without that mark. A confirmed one is asked to stay by that alone, which a rule may mean."""
        without = _truth(word, False)
        if word == "remembered" and "confirmed" not in self.spares:
            return {"OR": [without, _truth("confirmed", True)]}
        return without

    def born_before(self, now: datetime) -> datetime | None:
        """What it takes was stored before this moment, by the clock; None if it does not ask for an age."""
        ages = [each.value for each in self.conditions if TERMS[each.word].sort == "span"]
        return now - max(ages) if ages else None

    def filter(self, now: datetime, *, sparing: bool = True) -> Filter:
        """The records that it takes; without `sparing` also those that it spares."""
        parts = [each.filter(now) for each in self.conditions]
        parts += [self._sparing(word) for word in self.spares if sparing]
        found = parse_filters({"AND": parts}, now=now)
        assert found is not None
        return found


def parse_rule(given: Any) -> ParsedRule:
    """A rule in words, understood; a `UsageError` says what is not, and what would be."""
    if not isinstance(given, str) or not given.strip():
        raise UsageError("a rule is a text such as 'kind=episodic,age>365d'")
    if len(given) > RULE_CHARS_MAX:
        raise UsageError(f"a rule has at most {RULE_CHARS_MAX} characters")
    parts = given.split(",")
    if len(parts) > CONDITIONS_MAX:
        raise UsageError(f"a rule has at most {CONDITIONS_MAX} conditions")
    conditions = tuple(_condition(part) for part in parts)
    twice = {each.word for each in conditions if sum(other[:2] == each[:2] for other in conditions) > 1}
    if twice:
        raise UsageError(f"{sorted(twice)[0]} stands twice in the rule; alternatives are written kind=episodic|snippet")
    return ParsedRule(text=",".join(part.strip() for part in parts), conditions=conditions)


def _condition(part: str) -> RetentionCondition:
    found = _CONDITION.fullmatch(part.strip())
    if found is None:
        raise UsageError(f"{shown(part.strip(), 60)} is no condition; write one like kind=episodic or age>365d")
    word, operator, value = found[1], found[2], found[3].strip()
    term = TERMS.get(word)
    if term is None:
        raise UsageError(f"unknown word {shown(word, 40)} in the rule{nearest(word, TERMS)}; known: {', '.join(TERMS)}")
    if operator not in term.operators:
        raise UsageError(f"{word} takes {' or '.join(term.operators)}, not {operator}")
    return RetentionCondition(word, operator, _value(word, term, value))


def _value(word: str, term: _Term, text: str) -> Any:
    if term.sort == "span":
        return _span(word, text)
    if term.sort == "share":
        try:
            share = float(text)
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            raise UsageError(f"{word} is compared with a number from 0 to 1, not {shown(text, 40)}")
        return share
    if term.sort == "flag":
        if text not in _YES:
            raise UsageError(f"{word} is yes or no, not {shown(text, 40)}")
        return _YES[text]
    words = tuple(each.strip() for each in text.split("|"))
    if not all(words):
        raise UsageError(f"say what {word} is to be, or not to be")
    for each in words:
        if term.among and each not in term.among:
            raise UsageError(f"{word} is one of {', '.join(term.among)}, not {shown(each, 40)}")
    return words


def _span(word: str, text: str) -> timedelta:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise UsageError(f"{word} is compared with a time such as 365d (h, d, w, m, y), not {shown(text, 40)}")
    span = timedelta(hours=int(found[1]) * _HOURS[found[2]])
    if not timedelta(0) < span <= _SPAN_MAX:
        raise UsageError(f"{word} must be from 1h to {_SPAN_MAX.days}d")
    return span


def _older(word: str, operator: str, moment: datetime) -> dict[str, Any]:
    born = {"created_at": {operator: moment}}
    if word == "age":
        return born
    never = {"AND": [{"last_access": {"exists": False}}, born]}  # what was never used is unused since it came
    return {"OR": [{"last_access": {operator: moment}}, never]}


def _truth(word: str, wanted: bool) -> dict[str, Any]:
    if word == "remembered":
        fading = {"OR": [{"decay_rate": {"exists": False}}, {"decay_rate": {"gt": 0}}]}
        return {"decay_rate": {"eq": 0}} if wanted else fading
    return {TERMS[word].field: {"eq": wanted}}
