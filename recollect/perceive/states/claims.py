"""What a text claims: an amount, a day, a time or a name, and the words that say of what.

"The login page now answers in 120 ms" claims `120` of the sort `ms` about {login, page, answer}, and says that this is
new. Two claims of one sort about the same thing with different values are what `ingest.updates` looks for. Plain
patterns over one sentence at a time; what they do not recognise is simply no claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from recollect.language.spoken import each_sentence
from recollect.language.terms import telling, terms_of
from recollect.language.words import WORD
from recollect.perceive.states import claim_patterns as wording

TEXT_CHARS_MAX = 4_000  # of a longer text the beginning is looked at
CLAIMS_MAX = 24
_BEFORE, _AFTER = 8, 6  # telling words around a value that say what it is of …
_NEAR_BEFORE, _NEAR_AFTER = 3, 2  # … and those that name it
_CUE_WORDS, _AIM_WORDS = 6, 5  # how far before a value the word may stand that calls it new, or wanted
_ENDED_WORDS = 3  # telling words that say what has ended

LIVES_IN, WORKS_AT, IS_NAMED, MOVED, ENDED = "lives in", "works at", "is", "moved", "ended"

_SEMICOLON = re.compile(r";\s+")
_CLAUSE_END = re.compile(r",\s|\s[-–—]\s|\bbut\b")

Marks = frozenset[tuple[str, str]]
Positioned = list[tuple[int, str]]  # (where a word starts, its term)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One value in one sentence. `about` are the telling words around it, `near` those right beside it.

    The sort is money, percent, clock, date or ratio, the term for what is counted, or one of those above; what MOVED or
    ENDED has no value.
    """

    sort: str
    value: str
    about: frozenset[str]
    near: frozenset[str]
    new: bool = False  # the sentence says that it changed
    was: str | None = None  # … and from what
    aim: bool = False  # wanted or allowed rather than so
    marks: Marks = frozenset()  # which one of several: (sprint, 2), (order, first), (period, may)
    sentence: str = ""


def claims_of(text: str) -> tuple[Claim, ...]:
    """The claims of a text, in order."""
    out: list[Claim] = []
    for sentence in sentences_of(text):
        out.extend(_claims_in(sentence))
        if len(out) >= CLAIMS_MAX:
            break
    return tuple(out[:CLAIMS_MAX])


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, cut at semicolons too; code is not prose."""
    found = (each.text for each in each_sentence(text[:TEXT_CHARS_MAX]) if not each.in_code)
    return [part for sentence in found for part in _SEMICOLON.split(sentence)]


def words_of(sentence: str) -> frozenset[str]:
    """The telling words of a sentence; none of one that denies something, which has nothing that could end."""
    return frozenset() if wording.NOT.search(sentence) else frozenset(term for _, term in _telling_words(sentence, []))


def _claims_in(sentence: str) -> Iterator[Claim]:
    lowered = sentence.lower()
    found = list(wording.VALUE.finditer(sentence)) if wording.may_hold_a_value(lowered) else []
    changing = wording.may_hold_a_change(lowered)
    moved, ended = (changing and pattern.search(sentence) for pattern in (wording.MOVED, wording.ENDED))
    held, named = wording.HELD.search(sentence), wording.IS.search(sentence)
    if not (found or moved or ended or held or named):
        return
    words = _telling_words(sentence, found)
    marks = _marks(sentence)
    yield from _values_in(sentence, found, words)
    if held:
        yield _held(held, marks, sentence)
    if named:
        yield _named(named, marks, sentence)
    if moved:
        about = frozenset(term for _, term in words)
        yield Claim(sort=MOVED, value="", about=about, near=about, new=True, marks=marks, sentence=sentence)
    if ended:
        first, last = ended.span("what")
        what = frozenset([term for start, term in words if first <= start < last][:_ENDED_WORDS])
        if len(what) > 1 or ended["what"][:1].isupper():
            yield Claim(sort=ENDED, value="", about=what, near=what, new=True, marks=marks, sentence=sentence)


def _values_in(sentence: str, found: list[re.Match[str]], words: Positioned) -> Iterator[Claim]:
    was: str | None = None
    reached = 0  # a word calls the first value after it new, not those that follow
    for match, following in zip_longest(found, found[1:]):
        before, after = sentence[reached : match.start()], sentence[match.end() :]
        sort, value = _sort_and_value(match, after)
        if (
            following is not None
            and wording.FROM.search(before)
            and wording.TO.match(sentence[match.end() : following.start()])
        ):
            was = value
            continue
        reached = match.end()
        if not _is_apart(sort, before, after):
            ahead = [term for start, term in words if start < match.start()][-_BEFORE:]
            behind = [term for start, term in words if start >= match.end()][:_AFTER]
            yield Claim(
                sort=sort,
                value=value,
                about=frozenset(ahead + behind),
                near=frozenset(ahead[-_NEAR_BEFORE:] + behind[:_NEAR_AFTER]),
                new=_is_new(before, after, sort),
                was=was,
                aim=_is_aim(before, after, was),
                marks=_marks(sentence, match.span()),
                sentence=sentence,
            )
        was = None


def _is_apart(sort: str, before: str, after: str) -> bool:
    """One more of a kind, a step by which something grew, or a span in which it did: not a state of anything."""
    step = (wording.STEP.search(before) or wording.APART_AFTER.match(after)) and sort not in ("date", "clock")
    return bool(
        wording.MORE.search(before) or step or (sort in wording.SPAN_UNITS and wording.OF_A_SPAN.search(before))
    )


def _sort_and_value(match: re.Match[str], after: str) -> tuple[str, str]:
    """What is measured, "" if that cannot be told, and how much."""
    unit = match["unit"]
    if unit is not None or match.lastgroup in ("number", "word"):
        return unit.lower() if unit else wording.unit_after(after), wording.amount_of(match)
    return (str(match.lastgroup), wording.day_of(match[0]) if match.lastgroup == "date" else wording.amount_of(match))


def _held(match: re.Match[str], marks: Marks, sentence: str) -> Claim:
    """Where a person lives or works."""
    who = frozenset(terms_of("I" if match["who"] == "We" else match["who"]))
    sort = LIVES_IN if match["home"] else WORKS_AT
    value = " ".join(terms_of(match["where"]))
    new = bool(match["moved"])
    return Claim(sort=sort, value=value, about=who, near=who, new=new, marks=marks, sentence=sentence)


def _named(match: re.Match[str], marks: Marks, sentence: str) -> Claim:
    """What a belonging or attribute of a person is."""
    about = frozenset(terms_of(f"{match['owner'] or 'my'} {match['what']}"))
    value = " ".join(term for term in terms_of(match["value"]) if term not in wording.ASSURING)
    new = bool(match["now"] or match["after"])
    return Claim(sort=IS_NAMED, value=value, about=about, near=about, new=new, marks=marks, sentence=sentence)


def _telling_words(sentence: str, values: list[re.Match[str]]) -> Positioned:
    """The words outside the values that say something."""
    spans = [match.span() for match in values]
    out = []
    for word in WORD.finditer(sentence):
        if not any(start <= word.start() < end for start, end in spans):
            terms = [term for term in telling(terms_of(word[0])) if term not in wording.TALK and len(term) > 1]
            if terms:
                out.append((word.start(), terms[-1]))
    return out


def _is_new(before: str, after: str, sort: str) -> bool:
    """Whether the clause calls the value new. What happened on a day is no news about the day."""
    cue = wording.CHANGED.search(_last_words(_CLAUSE_END.split(before)[-1], _CUE_WORDS))
    if cue is None:
        return bool(wording.NOW_AFTER.match(after))
    return sort != "date" or not wording.ON.search(before) or bool(wording.RESET.match(cue[0]))


def _is_aim(before: str, after: str, was: str | None) -> bool:
    """Whether it is wanted rather than so; a change from one value to another may be wished for from further away."""
    wishing = before if was is not None else _last_words(before, _AIM_WORDS)
    return bool(wording.AIM.search(wishing) or wording.AIMED.match(after))


def _last_words(text: str, count: int) -> str:
    words = list(WORD.finditer(text))
    return text[words[-count].start() :] if len(words) > count else text


def _marks(sentence: str, value: tuple[int, int] = (-1, -1)) -> Marks:
    """What tells one of several from the others; the value itself is none of it."""
    marks = {("order", match[1].lower()) for match in wording.ORDINAL.finditer(sentence)}
    marks |= {("period", match[0].lower()[:3]) for match in wording.PERIOD.finditer(sentence)}
    for match in wording.NUMBERED.finditer(sentence):
        if not value[0] <= match.start(2) < value[1]:
            marks.add((match[1].lower(), match[2]))
    return frozenset(marks)
