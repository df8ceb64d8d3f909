"""What a statement is to the work: its category, by rules over its verb, its subject and its words."""

from __future__ import annotations

import re

from recollect.model.record import Kind
from recollect.perceive.grammar import clause_words as wording
from recollect.perceive.grammar.clauses import Clause, Who
from recollect.perceive.grammar.manner import Manner
from recollect.perceive.grammar.words import any_of

_KINDS = {"preference": Kind.OPINION, "opinion": Kind.OPINION, "instruction": Kind.PROCEDURAL}

_UNPLANNED = (Who.DEFINITE, Who.GENERIC, Who.THERE)  # what will be without anybody wanting it
_PREFERRED = re.compile(
    r"\b"
    + any_of(
        "favou?rites?",
        "(?:big |huge )?fan of",
        "(?:am|is|are|really|so|super|not) into",
        "dislike",
        "aversion",
        "hatred",
        "rather",
        "can not stand",
        "prefer(?:red|s|ence)?",
        "fond of",
        "obsessed with",
        "interested in",
        "passionate about",
        "tired of",
        "keen on",
        "sick of",
        "crazy about",
        "a sucker for",
    )
)
_CONSIDERED = re.compile(
    r"(?:(?:am|is|are|was|were|have|been) )*(?:thinking (?:about|of)|considering) \w+ing\b"
    r"|(?:would|'d) (?:like|love) to\b"
)
_BOUND = re.compile(
    r"\b"
    + any_of(
        "allergic",
        "allergy",
        r"intoleran\w+",
        "deadline",
        "budget",
        "at most",
        "at least",
        "no more than",
        "not allowed",
        "limited to",
        "limit is",
        "must not",
        "vegan",
        "vegetarian",
        "gluten",
        "diabet(?:ic|es)",
        "kosher",
        "halal",
        "due (?:on|by)",
        "only (?:have|has|eat|use|work)s?",
        "can not (?:eat|drink|use|have|take|afford|exceed|tolerate)",
        "maximum",
        "minimum",
    )
)
_LEARNED = re.compile(r"\b(?:that|out|how|why|what|to)\b")
_REQUIRED = re.compile(any_of("must", "needs? to", "ha(?:s|ve) to", "requires?", "required", "needs", "should"))
_ABOUT_ONESELF = re.compile(
    any_of(
        r"(?:am|was) (?:a|an|from|based|born|married|single|divorced|engaged|\d+|in my|originally)",
        r"(?:live|lived|living|reside|grew up|work|worked|working|study|studied|studying|major|majored|majoring)"
        r"(?: \w+)? (?:in|at|as|for|with|near)",
        r"want to be called",
        r"have (?:got )?(?:a|an|one|two|three|four|five|\d+|no) (?:\w+ )?(?:kids?|child(?:ren)?|sons?|daughters?"
        r"|sisters?|brothers?|siblings?|dogs?|cats?|pets?|wife|husband|degree|phd)",
        "speak",
    )
)
_OWN_PERSON = re.compile(
    r"(?:my|our) (?:\w+ )?(?:name|birthday|age|job|hometown|address|email|phone|number|pronouns|major)\b"
)
_SETTLED = re.compile(
    r"\b"
    + any_of(
        "going with",
        "went with",
        "settled on",
        "decided",
        "switched (?:to|from)",
        "agreed (?:to|on)",
        "will (?:use|go with)",
    )
)


def category_of(clause: Clause, manner: Manner) -> str:
    """The category of a clause that is about to become a statement."""
    lowered, said = clause.said(clause.subject), clause.said(clause.group.start)
    lemma, own = clause.group.lemma, clause.who in (Who.SPEAKER, Who.GROUP)
    if own and _CONSIDERED.match(said):
        return "plan"
    if (lemma in wording.PREFERENCES and manner.tense != "past") or _PREFERRED.search(lowered):
        return "preference"
    if _BOUND.search(lowered):
        return "constraint"
    if lemma in wording.DECISIONS or _SETTLED.search(lowered):
        return "decision"
    if _OWN_PERSON.match(lowered) or (clause.who is Who.SPEAKER and _ABOUT_ONESELF.match(said)):
        return "user_info"
    if not own and _REQUIRED.match(said):
        return "requirement"
    if lemma in wording.OPINIONS and own and not (lemma == "find" and manner.tense == "past"):
        return "opinion"
    if lemma in wording.HAPPENED_TO_KNOW and manner.tense == "past" and _LEARNED.search(said):
        return "insight"
    if (manner.tense == "future" and clause.who not in _UNPLANNED) or (lemma in wording.PLANS and own):
        return "plan"
    if manner.tense == "past" and (own or clause.who is Who.OWN):
        return "experience"
    if clause.who is Who.OWN and any(word.low in wording.PEOPLE for word in clause.words[clause.subject : clause.verb]):
        return "user_info"
    return "fact"


def kind_of(category: str) -> Kind:
    """The kind of record a statement of this category becomes."""
    return _KINDS.get(category, Kind.SEMANTIC)
