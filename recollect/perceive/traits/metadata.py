"""What can be filtered by in a text: people, technologies, paths, addresses, dates, language, sentiment, topics.

Plain values, ready to be stored as JSON. Careful rather than complete: a search that filters by a value hides every
record without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from recollect.language.detect import UNDETERMINED, language_of
from recollect.language.finding import TimeMention
from recollect.model.record import Affect
from recollect.model.vocabulary import EMPTY, Vocabulary
from recollect.perceive.names.lookups import unspaced_in
from recollect.perceive.names.people import people_in
from recollect.perceive.names.technologies import clear_names, languages_by_ending, technologies_in
from recollect.perceive.traits.affect import affect_of
from recollect.perceive.traits.code_language import code_language_of
from recollect.perceive.traits.topics import topics_of

TEXT_CHARS_MAX = 20_000  # of a longer text the beginning is looked at
VALUES_MAX = 32  # of one sort

_URL = re.compile(r"https?://(?:[^\s<>\"'`()\]}]|\([^\s()]*\))+(?<![.,;:!?])")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PATH = re.compile(
    r"(?<![\w/.:@+-])(?:(?:~|\.{1,2})?/)?(?:[\w.@+-]++/)++[\w.@+-]*\w"  # with folders
    r"|(?<![\w/.:@-])[A-Z]:\\(?:[\w.@+ -]+\\)*[\w.@+-]*\w"  # with a drive
    r"|(?<![\w/.:@-])[\w-]+(?:\.[\w-]+)*\.(?P<ending>[a-z]{1,10})\b"  # a name with a known ending
)
_IN_PATHS = re.compile(r"[/\\.](?:(?<!\.)|[a-z])")
_IN_EMAILS = re.compile("@")
_IS_PATH = re.compile(  # rooted, ending like a file, or in a folder that projects have: not "and/or", "3/5", "he/she"
    r"(?:~|\.{1,2})?/|[A-Z]:|.*\.[A-Za-z]\w{0,9}$|(?:.*/)?(?:src|lib|libs|bin|docs?|tests?|app|apps|cmd|pkg|packages|scripts|"
    r"config|public|static|assets|internal|vendor|node_modules|etc|usr|var|home|tmp)/"
)
_VERSION = re.compile(
    r"\b(?:v|version )(\d+(?:\.\d+){0,3}(?:-?(?:alpha|beta|rc)\d*)?)\b|\b(\d+\.\d+\.\d+)\b", re.IGNORECASE
)
_MAY_BE_VERSION = re.compile(r"\d(?:\.\d+\.\d|(?<=[vV].)|(?<=[nN] .))")
_ISO_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """Each list without repeats, in the order of the text, topics best first. Dates are ISO, to the month or year
    where no day was named; `sentiment` is the valence, None of a text that shows no feeling."""

    people: tuple[str, ...] = ()
    technologies: tuple[str, ...] = ()
    file_paths: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    language: str | None = None
    code_language: str | None = None
    sentiment: float | None = None
    own: tuple[tuple[str, tuple[str, ...]], ...] = ()  # fields of the user's own vocabulary, each with what was found

    def to_dict(self) -> dict[str, Any]:
        """What was found, as lists, texts and one number."""
        values = ((each.name, getattr(self, each.name)) for each in fields(self) if each.name != "own")
        found = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values
            if value not in (None, ())
        }
        for name, told in self.own:
            found[name] = list(dict.fromkeys([*found.get(name, ()), *told]))
        return found


def metadata_of(
    text: str,
    *,
    times: Sequence[TimeMention] | None = None,
    affect: Affect | None = None,
    language: str | None = None,
    vocabulary: Vocabulary = EMPTY,
) -> Metadata:
    """Everything a text can be filtered by. Give `times` and `affect` where they are known, and they are not
    looked for again; without `times`, only dates written like 2026-05-13 are found."""
    text = text[:TEXT_CHARS_MAX]
    urls = _URL.findall(text) if "://" in text else []
    emails = [match[0] for match in unspaced_in(text, _EMAIL, around=_IN_EMAILS)] if "@" in text else []
    bare = _EMAIL.sub(" ", _URL.sub(" ", text)) if urls or emails else text
    paths = list(_paths(bare))
    technologies = technologies_in(bare)
    felt = affect_of(text) if affect is None else affect
    language = language or language_of(text)
    known = frozenset(technologies)
    return Metadata(
        people=_few(name for name in people_in(bare) if name not in known),
        technologies=_few(technologies),
        file_paths=_few(paths),
        urls=_few(urls),
        emails=_few(emails),
        versions=_versions(bare),
        dates=_few(_ISO_DATE.findall(bare) if times is None else map(_date, times)),
        topics=topics_of(bare),
        language=None if language == UNDETERMINED else language,
        code_language=code_language_of(text, paths),
        sentiment=felt.valence or None,
        own=tuple(vocabulary.found_in(text).items()),
    )


def _paths(text: str) -> Iterator[str]:
    endings = languages_by_ending()
    drives = ":\\" in text  # the only paths with spaces in them
    for match in _PATH.finditer(text) if drives else unspaced_in(text, _PATH, around=_IN_PATHS):
        path, ending = match[0], match["ending"]
        if ending is None:
            if _IS_PATH.match(path):
                yield path
        elif (ending in endings or ending in _OTHER_ENDINGS) and path.lower() not in clear_names():  # Node.js
            yield path


def _versions(text: str) -> tuple[str, ...]:
    if _MAY_BE_VERSION.search(text) is None:
        return ()
    return _few(named or plain for named, plain in _VERSION.findall(text))


_OTHER_ENDINGS = frozenset(
    "txt pdf csv tsv log cfg ini env lock png jpg jpeg gif svg docx xlsx pptx zip gz db sqlite".split()
)


def _date(mention: TimeMention) -> str:
    day = mention.start.date().isoformat()
    return day[:4] if mention.grain == "year" else day[:7] if mention.grain == "month" else day


def _few(values: Iterable[str]) -> tuple[str, ...]:
    """Each once, and not too many."""
    if values == []:
        return ()  # most texts have no paths, addresses and links
    return tuple(dict.fromkeys(values))[:VALUES_MAX]
