"""What can be filtered by in a text: people, technologies, paths, addresses, dates, language, sentiment, topics.

Plain values, ready to be stored as JSON (Engram §35.3). Careful rather than complete: what stands here hides the other
records when somebody filters by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, fields
from typing import Any

from recollect.model.affect import Affect
from recollect.perceive import technology_words as trade
from recollect.perceive.affect import affect_of
from recollect.perceive.code_language import code_language_of
from recollect.perceive.language import UNDETERMINED, language_of
from recollect.perceive.people import people_in
from recollect.perceive.times import Mention
from recollect.perceive.topics import topics_of
from recollect.perceive.unspaced import unspaced_in

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
_WORD = re.compile(r"[A-Za-z](?<![\w@/.-].)[\w+#-]*(?:\.(?:js|cpp|io|net|py)\b)?")
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

    def to_dict(self) -> dict[str, Any]:
        """What was found, as lists, texts and one number."""
        values = ((each.name, getattr(self, each.name)) for each in fields(self))
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values
            if value not in (None, ())
        }


def metadata_of(text: str, *, times: Sequence[Mention] | None = None, affect: Affect | None = None) -> Metadata:
    """Everything a text can be filtered by. Give `times` and `affect` where they are known, and they are not
    looked for again; without `times`, only dates written like 2026-05-13 are found."""
    text = text[:TEXT_CHARS_MAX]
    urls = _URL.findall(text) if "://" in text else []
    emails = [match[0] for match in unspaced_in(text, _EMAIL, around=_IN_EMAILS)]
    bare = _EMAIL.sub(" ", _URL.sub(" ", text)) if urls or emails else text
    paths = list(_paths(bare))
    technologies = technologies_in(bare)
    felt = affect_of(text) if affect is None else affect
    language = language_of(text)
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
    )


def technologies_in(text: str) -> tuple[str, ...]:
    """Names of languages, frameworks, databases and tools, in one spelling each.

    "Go", "Swift" and their like count only with a capital, and where the text speaks of software otherwise.
    """
    clear, cased = trade.clear(), trade.cased()
    written = dict.fromkeys(_WORD.findall(text))
    words = dict.fromkeys(map(str.lower, written))
    found = {clear[word]: None for word in words if word in clear}
    ordinary = {word for word in cased.keys() & written.keys() if word.lower() not in clear}
    if ordinary:
        doubtful = dict.fromkeys(cased[word] for word in _not_verbs(text, written, ordinary))
        found.update(dict.fromkeys(_beyond_doubt(doubtful, words.keys(), bool(found))))
    return tuple(found)


def _not_verbs(text: str, written: Iterable[str], ordinary: Set[str]) -> list[str]:
    """Those of the ordinary words, in order, that do not have their capital from the start of a sentence."""
    if trade.VERBS.isdisjoint(ordinary):
        return [word for word in written if word in ordinary]
    return [
        match[0]
        for match in _WORD.finditer(text)
        if match[0] in ordinary and not (match[0] in trade.VERBS and _begins(text, match.start()))
    ]


def _begins(text: str, at: int) -> bool:
    """Whether a sentence begins here."""
    return text[:at].rstrip(" \"'“*_>-")[-1:] in ("", ".", "!", "?", ":", "\n")


def _beyond_doubt(doubtful: Iterable[str], words: Set[str], known: bool) -> Iterator[str]:
    """Those of the ambiguous names that the other words of the text speak for."""
    of_the_trade = known or not trade.TRADE.isdisjoint(words)
    of_languages = not trade.LANGUAGE_WORDS.isdisjoint(words)
    plain = [name for name in doubtful if name not in trade.NAMES and name not in trade.EVERYDAY]
    in_use = bool(plain) and not trade.USING.isdisjoint(words)
    for name in doubtful:
        if of_languages if name in trade.NAMES else of_the_trade or in_use:
            yield name


def _paths(text: str) -> Iterator[str]:
    endings = trade.by_extension()
    drives = ":\\" in text  # the only paths with spaces in them
    for match in _PATH.finditer(text) if drives else unspaced_in(text, _PATH, around=_IN_PATHS):
        path, ending = match[0], match["ending"]
        if ending is None:
            if _IS_PATH.match(path):
                yield path
        elif (ending in endings or ending in _OTHER_ENDINGS) and path.lower() not in trade.clear():  # Node.js
            yield path


def _versions(text: str) -> tuple[str, ...]:
    if _MAY_BE_VERSION.search(text) is None:
        return ()
    return _few(named or plain for named, plain in _VERSION.findall(text))


_OTHER_ENDINGS = frozenset(
    "txt pdf csv tsv log cfg ini env lock png jpg jpeg gif svg docx xlsx pptx zip gz db sqlite".split()
)


def _date(mention: Mention) -> str:
    day = mention.start.date().isoformat()
    return day[:4] if mention.grain == "year" else day[:7] if mention.grain == "month" else day


def _few(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))[:VALUES_MAX]
