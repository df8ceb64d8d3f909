"""Sentences of a text as people type it: chat turns, notes, Markdown, any script.

A full stop ends a sentence, unless it stands in a number, a name of a file, an abbreviation or a quotation. So do the
end of a line, a run of emoji and the marks of other scripts. Code between fences is one piece, marked as such. What
differs between languages is in their `SentenceRules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recollect.language.expression import expression
from recollect.limits import PERCEIVED_CHARS_MAX

# Where a sentence ends by its marks alone, in any language and in no time: for cutting a long text into pieces, where a
# full stop too many does no harm. What is said where is told by `split`.
ROUGH_END = r"(?<=[.!?…。！？])[\"'”’)\]]*\s+|(?<=[。！？])"
SENTENCE_CHARS_MAX = 2_000  # a longer one is a table or a log, and is read in pieces

_FENCE = expression(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_LINE = expression(r"[^\n\r\u2028\u2029]+")
_LINE_MARK = expression(
    r"[ \t]*(?P<quote>(?:>[ \t]?)+)?(?:#{1,6}[ \t]+|(?:[-*+•‣◦–]|\(?(?:\d{1,3}|[a-z])[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?"
    r"(?:\*\*[^*\n]{1,60}(?::\*\*|\*\*:)[ \t]*)?"
)
_EMOJI = "\U0001f000-\U0001faff\u2600-\u27bf\u2b50\u2b55\ufe0f\u200d"
_END = expression(rf"[.!?…。！？｡۔؟।॥{_EMOJI}]+[\"'”’)\]*_」』）]*[{_EMOJI}]*")
_WITHOUT_SPACE = frozenset("。！？｡")  # their scripts put none after a sentence
_CLOSING = frozenset("\"'”’)]")
_QUOTATION = expression(r"\"[^\"\n]{1,300}\"|“[^“”\n]{1,300}”|`[^`\n]{1,300}`")
_QUOTES = frozenset('"“”`')
_LAST_WORD = expression(r"[^\s(\"'“]+$")
_ABBREVIATION_CHARS_MAX = 6
_INITIALS = expression(r"(?:[A-Z]\.){1,3}[A-Z]")  # "J.K. Rowling"
_ORDINAL = expression(r"(?:\d{1,2}\.)?\d{1,2}")
_OF_A_NAME = frozenset(["jr", "sr"])  # behind a name; before one, a title: "Sr. Albuquerque"
_NAME_BEFORE = expression(r"\b[A-Z]\w+,?\s+$")
_ASKS = frozenset("?？؟")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceRules:
    """What a language adds: abbreviations, which words open a question without its mark, and ordinals.

    `ordinals`: a number with a full stop is an ordinal, as "am 3. Mai". `or_word` joins two halves of a question.
    """

    never_ends: frozenset[str]
    may_end: frozenset[str]
    asking: re.Pattern[str]
    or_word: str
    ordinals: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence where it stands: `text` is what lies in `span`, without the mark of a list or a heading."""

    text: str
    span: tuple[int, int]
    is_question: bool = False
    in_code: bool = False
    in_quote: bool = False


def split(text: str, rules: SentenceRules) -> Iterator[Sentence]:
    """Every sentence of a text, in order, one at a time; of a very long text, those of its beginning."""
    text = text[:PERCEIVED_CHARS_MAX]
    quotes = any(mark in text for mark in _QUOTES)
    if "```" not in text and "~~~" not in text:
        yield from _prose(text, 0, len(text), rules, quotes=quotes)
        return
    begin = 0
    for fence in _FENCE.finditer(text):
        yield from _prose(text, begin, fence.start(), rules, quotes=quotes)
        yield Sentence(text=fence[0], span=fence.span(), in_code=True)
        begin = fence.end()
    yield from _prose(text, begin, len(text), rules, quotes=quotes)


def _prose(text: str, begin: int, end: int, rules: SentenceRules, *, quotes: bool) -> Iterator[Sentence]:
    """The sentences of a part without code. `quotes` says whether quotation marks stand anywhere in the text."""
    for line in _LINE.finditer(text, begin, end):
        first, last = line.span()
        mark = _LINE_MARK.match(text, first, last)
        assert mark is not None  # it may be empty
        quotations = [match.span() for match in _QUOTATION.finditer(text, mark.end(), last)] if quotes else []
        for piece in _pieces(text, mark.end(), last, quotations, rules):
            sentence = _sentence(text, *piece, rules, quoted=mark["quote"] is not None)
            if sentence is not None:
                yield sentence


def _pieces(
    text: str, begin: int, end: int, quotations: list[tuple[int, int]], rules: SentenceRules
) -> list[tuple[int, int]]:
    """Spans between the ends of sentences."""
    pieces: list[tuple[int, int]] = []
    whole = end - begin
    for found in _END.finditer(text, begin, end):
        last = found.end()
        if last < end and _ends(text, found, begin, quotations, rules):
            pieces.append((begin, last))
            begin = last
    pieces.append((begin, end))
    if whole <= SENTENCE_CHARS_MAX:
        return pieces
    return [part for first, last in pieces for part in _cut(text, first, last)]


def _cut(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Parts of a sentence that does not end, cut between words where there are words."""
    while end - begin > SENTENCE_CHARS_MAX:
        cut = text.rfind(" ", begin + 1, begin + SENTENCE_CHARS_MAX)
        cut = cut if cut > begin else begin + SENTENCE_CHARS_MAX
        yield begin, cut
        begin = cut
    yield begin, end


def _ends(text: str, found: re.Match[str], begin: int, quotations: list[tuple[int, int]], rules: SentenceRules) -> bool:
    """Whether this mark ends a sentence."""
    mark, (at, after) = found[0], found.span()
    if not text[after].isspace() and mark[0] not in _WITHOUT_SPACE:
        return False
    if quotations and any(first < at and after < last for first, last in quotations):
        return False
    following = text[after : after + 2].lstrip()
    if following[:1].islower() and (mark[-1] in _CLOSING or mark[0] == "…" or mark[:2] == ".."):
        return False
    if mark == "?" and text.startswith(rules.or_word, after + 1):
        return False  # "on Monday? or in a week?" is one question
    return mark != "." or _is_full_stop(text, at, begin, following, rules)


def _is_full_stop(text: str, at: int, begin: int, following: str, rules: SentenceRules) -> bool:
    """Whether the point at `at` is more than a part of the word before it."""
    before = _LAST_WORD.search(text, max(begin, at - 12), at)
    word = before[0] if before else ""
    if not word and following[:1].islower():
        return False  # "at 3 p . m ."
    if len(word) > _ABBREVIATION_CHARS_MAX:
        return True
    lowered = word.lower()
    if rules.ordinals and _ORDINAL.fullmatch(word) and _goes_on(text, at, following):
        return False
    initials = (len(word) == 1 and word.isalpha() and word != "I") or (word.isupper() and _INITIALS.fullmatch(word))
    if lowered in rules.never_ends or initials:
        return lowered == "no" and not following[:1].isdigit()
    if lowered in _OF_A_NAME and not _NAME_BEFORE.search(text, max(begin, at - 40), at - len(word)):
        return False
    return lowered not in rules.may_end or following[:1].isupper()


def _goes_on(text: str, at: int, following: str) -> bool:
    """Whether something follows that an ordinal belongs to: a word on the same line, behind one space."""
    return following[:1].isalnum() and text[at + 1 : at + 2] == " "


def _sentence(text: str, begin: int, end: int, rules: SentenceRules, *, quoted: bool) -> Sentence | None:
    said = text[begin:end].lstrip()
    begin = end - len(said)
    said = said.rstrip()
    if not said:
        return None
    whole = _QUOTATION.match(said) if said[0] in _QUOTES else None
    quoted = quoted or (whole is not None and len(said) - whole.end() <= 1)
    asks = not _ASKS.isdisjoint(said[-4:]) or rules.asking.match(said) is not None
    return Sentence(text=said, span=(begin, begin + len(said)), is_question=asks, in_code=False, in_quote=quoted)
