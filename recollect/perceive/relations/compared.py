"""A text as it is compared with others: its sentences of prose, with the words that tell something.

Read once and compared many times. Code, tables and trees say nothing in sentences and are left out; lines that an
editor broke are joined again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from recollect.language.spoken import each_sentence
from recollect.language.terms import telling, terms_of
from recollect.perceive.grammar.clauses import is_name
from recollect.perceive.grammar.words import words_of

TEXT_CHARS_MAX = 4_000  # of a longer text the beginning is compared
SENTENCES_MAX = 40
_LINE_CHARS_MIN = 50  # a line as long as this was broken for its length, if the next one goes on like prose
_BEGINS = re.compile(r"\s*(?:[-*+•>|│├└#~=]|```|\d{1,3}[.)]\s|$)")  # what no broken line goes on with
_WHOLE = re.compile(r"\s*(?:[|│├└#~=]|```)")  # what is never broken
# A word that a number behind it makes one of several: room 3, version 2. An amount follows a verb or a preposition.
_NUMBERED = re.compile(
    r"(?!(?i:is|are|was|were|has|have|had|in|at|to|of|for|by|takes?|took|costs?|after|under|over|within|holds?|uses?|needs?"
    r"|every|owns?|only|about|and|or|than|from|on|the|an?|with|until|before|between|most|least|around|i|we|you)$)[A-Za-z]\w*"
)
_TABULAR = re.compile(r"\s*[|│├└=]|.*\|.*\|")


@dataclass(frozen=True)
class ComparedSentence:
    """A sentence and its telling words; a `title` is none, but stands like one."""

    text: str
    words: frozenset[str]
    title: bool = False

    @cached_property
    def lowered(self) -> str:
        return self.text.lower()

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """What tells the things it speaks of from others of their kind: names, and the number right after a noun."""
        words = words_of(self.text)
        return frozenset(
            word.low
            for at, word in enumerate(words)
            if is_name(words, at) or (at and word.text[0].isdigit() and _NUMBERED.fullmatch(words[at - 1].text))
        )


@dataclass(frozen=True)
class ComparedText:
    """`text` is its beginning as it stands, `words` are the telling ones of all of it."""

    text: str

    @classmethod
    def of(cls, text: str) -> ComparedText:
        return cls(text[:TEXT_CHARS_MAX])

    @cached_property
    def lowered(self) -> str:
        return self.text.lower()

    @cached_property
    def words(self) -> frozenset[str]:
        return telling_words(self.text)

    @cached_property
    def sentences(self) -> tuple[ComparedSentence, ...]:
        text = _joined(self.text)
        prose = (each for each in each_sentence(text) if not (each.in_code or _TABULAR.match(each.text)))
        return tuple(
            ComparedSentence(
                each.text, telling_words(each.text), title=text[: each.span[0]].rpartition("\n")[2][:1] == "#"
            )
            for each in islice(prose, SENTENCES_MAX)
        )


def telling_words(text: str) -> frozenset[str]:
    return frozenset(telling(terms_of(text)))


def _joined(text: str) -> str:
    """Without the line breaks that an editor put into paragraphs."""
    out: list[str] = []
    broken = False
    for line in text.split("\n"):
        if broken and not _BEGINS.match(line):
            out[-1] += " " + line.strip()
        else:
            out.append(line)
        broken = len(line) >= _LINE_CHARS_MIN and not _WHOLE.match(line)
    return "\n".join(out)
