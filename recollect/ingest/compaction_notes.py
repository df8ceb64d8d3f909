"""A summary of a session taken apart: one short statement each, that can be understood by itself.

A summary has headings, bullets under bullets, or plain paragraphs. What stands under a heading is told with it unless
it says the same itself; a heading that only names a sort of thing ("Decisions", "Errors") says what its notes are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from recollect.language.sentences import Sentence
from recollect.language.spoken import each_sentence
from recollect.language.terms import telling, terms_of
from recollect.perceive.statements.propositions import Proposition, propositions_of

NOTES_MAX = 1_000  # of one summary
NOTE_CHARS_MAX = 600
LINE_CHARS_MAX = 20_000
_INVENTED = ("The user ", "The assistant ")  # whom a statement is about that names nobody

_FENCE = re.compile(r"^[ \t]*+(```|~~~).*?(?:^[ \t]*+\1[`~]*+[ \t]*+$|\Z)", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(
    r"[ \t]*+(?:(?P<marks>#{1,6})[ \t]++(?P<title>.*[^ \t#])[ \t#]*+|\*\*(?P<bold>[^*]{1,80})\*\*:?[ \t]*)"
)
_LABEL = re.compile(r"[ \t]*+(?:[-*+•][ \t]++|\d{1,3}[.)][ \t]++)?(?:\*\*)?(?P<label>[^:.!?]{1,60}):(?:\*\*)?[ \t]*")
_BULLET = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]")
_BOLD_AS = "#######"  # a line in bold is a heading beneath all others
_POINTING = re.compile(r"(?:it|this|that|they|these|those|he|she|its|their)\b", re.IGNORECASE)

# What the notes under a heading are, by a word in it; "" is a heading that says nothing.
_SORTS = (
    (re.compile(r"\b(?:decision|decided|agreement|agreed|resolution)", re.I), "decision", "Decision"),
    (re.compile(r"\b(?:error|bug|problem|issue|failure|gotcha|pitfall)", re.I), "error_pattern", "Problem"),
    (re.compile(r"\b(?:preference|prefers|style)", re.I), "preference", "Preference"),
    (re.compile(r"\b(?:constraint|limit|deadline)", re.I), "constraint", "Constraint"),
    (re.compile(r"\b(?:requirement|must|acceptance)", re.I), "requirement", "Requirement"),
    (re.compile(r"\b(?:instruction|rule|convention)", re.I), "instruction", "Instruction"),
    (re.compile(r"\b(?:insight|lesson|learned|learning|finding)", re.I), "insight", "Lesson"),
    (re.compile(r"\b(?:next|to.?do|open|pending|remaining|plan|follow.?up|state|status)", re.I), "work_state", "To do"),
    (re.compile(r"\b(?:dead end|tried|did not work|didn't work|abandoned)", re.I), "dead_end", "Tried"),
)
_PLAIN_HEADING = re.compile(
    r"(?:(?:session|conversation|chat|executive|short|brief|final|the|key|main|important|overall|work|what was)\s*+)*+"
    r"(?:summary|overview|notes?|points?|facts?|highlights|context|background|recap|details|takeaways|done|"
    r"files?(?: changed| modified)?)?[ :]*",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"\b\w*(?:Error|Exception)\b|\b(?:fails? with|failed|crash\w*|bug|broke\w*|traceback|segfault|time[sd] out)\b"
)
_CONCRETE = re.compile(r"\d|\w/\w|\w\.[a-z]{1,4}\b|\w(?:Error|Exception)\b|\b\w+_\w+\b")
_DECIDED = re.compile(
    r"\b(?:decided|chose|chosen|agreed|settled on|went with|switched (?:to|from)|will use|instead of)\b", re.I
)


class SummaryLine(NamedTuple):
    """Something to be noted: a line of a summary under its headings, or what a speaker said."""

    text: str
    headings: tuple[str, ...] = ()
    speaker: str | None = None
    role: str | None = None
    at: datetime | None = None


class Note(NamedTuple):
    """One statement. `bare` is what it says without its headings; `stated` how it was read, where it could be."""

    text: str
    bare: str
    category: str
    stated: Proposition | None = None
    at: datetime | None = None


def lines_of(summary: str) -> Iterator[SummaryLine]:
    """The lines of a summary, each under the headings and the bullets that it stands under; code is left out."""
    above: list[tuple[int, str]] = []  # (how far in, what it says)
    for line in _FENCE.sub("", summary).splitlines():
        if not line.strip():
            continue
        depth, title = _place(line)
        above = [heading for heading in above if heading[0] < depth]
        if title is None:
            yield SummaryLine(line[:LINE_CHARS_MAX], tuple(each for _, each in above))
        else:
            above.append((depth, title.strip(" :*")))


def _place(line: str) -> tuple[int, str | None]:
    """How far in a line stands, and what it says if it is a heading: headings, then lines, then their bullets."""
    heading = _HEADING.fullmatch(line)
    if heading is not None:
        return len(heading["marks"] or _BOLD_AS), heading["title"] or heading["bold"]
    indent = len(line) - len(line.lstrip())
    label = _LABEL.fullmatch(line)
    depth = len(_BOLD_AS) + 1 + 2 * indent + (_BULLET.match(line) is not None)
    return depth, None if label is None else label["label"]


def notes_of(lines: Iterable[SummaryLine], *, now: datetime) -> list[Note]:
    """What the lines say, one statement each, every one once; at most `NOTES_MAX`."""
    found: dict[str, Note] = {}
    for line in lines:
        for sentence in each_sentence(line.text):
            if len(found) >= NOTES_MAX:
                return list(found.values())
            for note in _notes(sentence, line, line.at or now):
                found.setdefault(note.text.casefold(), note)
    return list(found.values())


def _notes(sentence: Sentence, line: SummaryLine, at: datetime) -> Iterator[Note]:
    said = " ".join(sentence.text.split()).strip("*_ ")
    if sentence.in_code or len(telling(terms_of(said))) < 2:
        return
    if sentence.is_question and not line.headings:
        return
    stated = propositions_of(said, speaker=line.speaker, role=line.role, said_at=at)
    for text, read in _statements(said, stated, line):
        bare = text[:NOTE_CHARS_MAX]
        told = _with_headings(bare, line.headings, whole=bool(stated))
        yield Note(told[:NOTE_CHARS_MAX], bare, _category(text, line.headings, read), read, line.at)


def _statements(
    said: str, stated: tuple[Proposition, ...], line: SummaryLine
) -> Iterator[tuple[str, Proposition | None]]:
    """The statements in a sentence, or the sentence: what a summary does not say itself is not put into its mouth."""
    spoken = line.speaker is not None or line.role is not None
    sound = [each for each in stated if spoken or not each.content.startswith(_INVENTED)]
    if sound and (spoken or len(sound) > 1):
        yield from ((each.content, each) for each in sound)
        return
    if spoken:
        if not _CONCRETE.search(said) and not _DECIDED.search(said):
            return  # "Sure, I changed it": what was said in passing means nothing later
        said = f"{line.speaker or line.role}: {said}"
    yield said.rstrip(" ;,"), sound[0] if len(sound) == 1 and len(stated) == 1 else None


def _with_headings(bare: str, headings: tuple[str, ...], *, whole: bool) -> str:
    """A statement with what it stands under, so far as it needs it."""
    lowered = bare.lower()
    parts = []
    for heading in headings:
        if heading.lower() in lowered or _PLAIN_HEADING.fullmatch(heading):
            continue
        sort = next((name for sign, _, name in _SORTS if sign.search(heading)), None)
        if sort is None:
            parts.append(heading)
        elif not whole or _POINTING.match(bare):
            parts.append(sort)
    return ": ".join([*parts, bare])


def _category(text: str, headings: tuple[str, ...], read: Proposition | None) -> str:
    """What a note is to the work, by what it says, else by what it stands under."""
    if _DECIDED.search(text):
        return "decision"
    for heading in reversed(headings):
        for sign, category, _ in _SORTS:
            if sign.search(heading):
                return category
    if _ERROR.search(text):
        return "error_pattern"
    return read.category if read is not None else "fact"
