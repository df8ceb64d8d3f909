"""People a text names. Careful: a name is one when it is a common given name, or when what stands beside it says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.perceive.names import known
from recollect.perceive.names.lookups import CHARS_BEFORE, last_words, word_before

_NAME = r"[A-Z][a-z]+(?:[-'’][A-Z][a-z]+)?"
_FULL_NAME = rf"{_NAME}(?: (?:[A-Z]\. )?(?:(?:de|van|von|del|da|di|bin|al) )?{_NAME}){{0,2}}"
_CAPITALISED = re.compile(_FULL_NAME)
_BESIDE = re.compile(
    rf"\b(?:{known.TITLES})\.? (?P<titled>{_FULL_NAME})"
    rf"|\b(?i:my|our|his|her|their) (?:{known.RELATIVES}),? (?:(?:named|called) )?(?P<related>{_FULL_NAME})"
    rf"|(?<![.!?] )(?<!^)(?<!\b[Tt]he )(?<!\b[Oo]ur )(?<!\b[Aa] )\b(?P<saying>{_NAME}) (?:{known.SAYING})\b"
    rf"|\b(?i:{known.ADDRESSING}) (?P<addressed>{_NAME})(?=[,!.?]|$| and | (?:to|about|if|that|for)\b)"
)
_GROUPS = ("titled", "related", "saying", "addressed")
# Where that may match: at a capital after a word of `_CUES`, and where a name is followed by a word of saying.
_CAPITAL = re.compile(r" (?=[A-Z][a-z])")
_SAYING = re.compile(rf"[A-Z](?=[a-z]+(?:[-'’][A-Z][a-z]+)? (?:{known.SAYING})\b)")
_CUES = last_words([*known.TITLES.split("|"), *known.RELATIVES.split("|"), *known.ADDRESSING.split("|")])
_NAME_CHARS_MAX = 100


def people_in(text: str) -> tuple[str, ...]:
    """The names of people, as written, each once and in the order in which they are first named."""
    found = {name.removesuffix("'s").removesuffix("’s"): None for name in _names(text)}
    longer = {part for name in found if " " in name for part in name.split()}
    return tuple(name for name in found if name not in longer)  # "Ana" is "Ana Silva" when both are there


def _names(text: str) -> Iterator[str]:
    unknown = False
    for match in _CAPITALISED.finditer(text):
        words = match[0].split()
        first = next((at for at, word in enumerate(words) if word in known.GIVEN_NAMES), None)
        if first is not None:
            yield " ".join(_until_no_name(words[first:]))
        unknown = unknown or not known.NOT_PEOPLE.issuperset(words)
    for match in _beside(text) if unknown else ():
        name = next(match[group] for group in _GROUPS if match[group])
        words = _until_no_name(name.split())
        if words:
            yield " ".join(words)


def _beside(text: str) -> Iterator[re.Match[str]]:
    """All matches of `_BESIDE`, looked for only where there may be one."""
    places = [match.start() for match in _SAYING.finditer(text)]
    places += [at for match in _CAPITAL.finditer(text) if word_before(text, at := match.end()) in _CUES]
    done = 0
    for at in sorted(places):
        match = _BESIDE.search(text, max(done, at - CHARS_BEFORE), at + _NAME_CHARS_MAX)
        if match is not None and match.start() <= at:
            done = match.end()
            yield match


def _until_no_name(words: list[str]) -> list[str]:
    """A name up to the first word that cannot be part of one: "Ben Monday" is Ben."""
    end = next((at for at, word in enumerate(words) if word in known.NOT_PEOPLE), len(words))
    return words[:end]
