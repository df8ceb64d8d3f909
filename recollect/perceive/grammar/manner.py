"""How a clause says what it says: yes or no, when, how surely, and whether it speaks of something real."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from recollect.language.en.verbs import forms
from recollect.perceive.grammar.clause_words import PLANS
from recollect.perceive.grammar.clauses import Clause, Who
from recollect.perceive.grammar.words import any_of

Polarity = Literal["+", "-"]
Tense = Literal["past", "present", "future"]

_NO_MORE = re.compile(r"\bany ?(?:more|longer)\b")
_HEDGED = re.compile(
    r"\b"
    + any_of(
        "maybe",
        "perhaps",
        "possibly",
        "probably",
        "might",
        "may",
        "could",
        "apparently",
        "supposedly",
        "not sure",
        "i (?:guess|think|believe|suppose)",
        "thinking (?:about|of)",
        "considering",
        "debating",
        "tempted",
        "hopefully",
        "kind of",
        "sort of",
        "seems?",
        "wondering",
        "leaning",
    )
)
_UNREAL_HELPERS = {"would", "should", "could"}
_NOTHING = ("no ", "nothing ", "none ", "neither ")
_WISHES = {"like", "love", "prefer", "hate", "recommend", "rather", "say"}
_ABILITIES = {"speak", "play", "drive", "swim", "dance", "sing", "cook", "bake", "code", "ride", "ski", "draw", "type"}
_ENDS = {"stop", "quit"}
_FUTURE_REST = re.compile(r"(?:about|due|set|scheduled|planning|hoping|going) to\b")
_GUESSED = re.compile(r"\bmust be (?:a|an|so|such|very|pretty|quite|great|nice|fun|tough|hard|\w+(?:ly|ing|ous|ful))\b")
_ARRANGED = re.compile(
    r"\b(?:tomorrow|tonight|next (?:week|weekend|month|year|summer|\w+day)|this (?:weekend|summer)|soon)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """`ended` says that it was so once and is no more. What is `unreal` (if, would have, wishes) states nothing."""

    polarity: Polarity = "+"
    tense: Tense = "present"
    hedged: bool = False
    ended: bool = False
    unreal: bool = False


def manner_of(clause: Clause) -> Manner:
    """The manner of a clause that was read."""
    group = clause.group
    text, rest = clause.said(0), clause.said(group.end)
    no_more = _NO_MORE.search(rest) is not None and group.negated
    no_longer = "no longer" in text
    used_to = group.lemma == "use" and group.past and rest.startswith("to ") and not group.helpers
    stopped = (group.lemma in _ENDS or (group.lemma == "give" and rest.startswith("up "))) and not group.negated
    negative = (
        group.negated
        or no_longer
        or (rest.startswith(_NOTHING) and not rest.startswith(("nothing more than", "nothing but")))
        or ends_doing(clause)
    )
    return Manner(
        polarity="-" if negative else "+",
        tense=_tense(clause, rest),
        hedged=_HEDGED.search(text) is not None,
        ended=no_more or no_longer or used_to or stopped,
        unreal=_is_unreal(clause, text),
    )


def ends_doing(clause: Clause) -> bool:
    """ "stopped using", "quit smoking": what was done is no more."""
    words, group = clause.words, clause.group
    return group.lemma in _ENDS and group.end < len(words) and words[group.end].low in forms().ing and not group.negated


def _tense(clause: Clause, rest: str) -> Tense:
    group = clause.group
    first = group.helpers[0] if group.helpers else ""
    if group.going:
        return "past" if group.past else "future"
    if first in ("will", "shall", "might", "may") or (
        group.lemma == "be" and not group.past and _FUTURE_REST.match(rest)
    ):
        return "future"
    if first == "would" and rest.startswith("to "):
        return "future"
    if group.past:
        return "past"
    if first in ("have", "has"):
        return "present" if "been" in group.helpers or group.lemma in ("be", "have") else "past"
    progressive = first in ("am", "is", "are") and _ARRANGED.search(rest)
    return "future" if progressive or (group.lemma in PLANS and rest.startswith("to ")) else "present"


def _is_unreal(clause: Clause, text: str) -> bool:
    group = clause.group
    if text.startswith(("if ", "unless ", "even if ")) or " if i were " in text or "as if" in text:
        return True
    helpers = set(group.helpers)
    if "would" in helpers:
        return group.lemma not in _WISHES and "rather" not in text
    if helpers & {"could", "should", "must"} and "have" in helpers:
        return True
    if "must" in helpers and clause.who is Who.GENERIC and clause.words[clause.subject].low in forms().ing:
        return True  # "writing a contract must involve much": so one thinks
    if "must" in helpers and (group.lemma == "be" or "be" in helpers) and clause.who in (Who.NAMED, Who.GENERIC):
        return _GUESSED.search(text) is not None
    if clause.who is Who.SPEAKER and not group.negated and helpers & {"could", "can"}:
        return group.lemma not in _ABILITIES
    if "should" in helpers:
        return clause.who in (Who.SPEAKER, Who.GROUP, Who.LISTENER, Who.POINTED)
    return group.lemma == "wish"
