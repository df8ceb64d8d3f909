"""Who and what a text names: people, places, organisations, projects, technologies, tools, services and files.

A name is a capitalised word, or several in a row, that is not capitalised for another reason. Tables of given names,
places and organisations say what it is, then the words beside it ("trip to …", "my dog …", "…, you rock!"). What is a
name but could be anything is a concept; so is an animal, which is no person. Where all nouns have a capital, as in
German, only what is known counts. A word that opens a sentence may be a name that was heard before: it is `unsure`, for
callers who know the names. Pronouns are not mentions: they are resolved where statements are read, or not at all.

Careful rather than complete, because two things under one name are worse than one name missed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from recollect.language.detect import language_of
from recollect.language.spoken import language_named
from recollect.model.entity import EntityType
from recollect.perceive.names import known
from recollect.perceive.names.lookups import unspaced_in, word_before, words_before
from recollect.perceive.names.technologies import TOOLS, clear_names, languages_by_ending, places_of, technologies_in

TEXT_CHARS_MAX = 20_000  # of a longer text the beginning is looked at
MENTIONS_MAX = 64  # of one text
_WORDS_KNOWN = 1 << 14  # words whose look-up is remembered
ROLES = frozenset("user assistant system tool function human ai bot agent model developer".split())

_CAPITAL = r"(?:[A-ZÀ-ÖØ-Þ]\.){1,3}(?!\w)|[A-ZÀ-ÖØ-Þ]\w*(?:[-'’&]\w+)*"
_RUN = re.compile(
    rf"(?<![\w@#/.\\-])(?:{_CAPITAL})"
    rf"(?: (?:(?:of|de|del|da|di|du|van|von|der|bin|al)(?: the| la| der)? )?(?:{_CAPITAL}))*"
)
_PIECE = re.compile(rf"{_CAPITAL}|\w+")
_POSSESSIVE = re.compile(r"['’](?:s|S)?$")
_CONTRACTED = re.compile(r"['’](?:m|ve|ll|d|re|t|s)$")
_QUOTED = re.compile(r"[\"“]([A-Z][^\"“”\n]{1,60}?)[.,!?]?[\"”]")
_OPENS = frozenset("\"'“‘(*_>#-•\t ")
_ENDS = frozenset(".!?:;\n…")

_FILE = re.compile(
    r"(?<![\w/.:@+-])(?:(?:~|\.{1,2})?/)?(?:[\w.@+-]++/)*+[\w@+-][\w.@+-]*\.(?P<ending>[a-z]{1,10})\b(?![\w/(])"
)
_SERVICE = re.compile(r"(?<![\w/.-])[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:service|api|server|gateway|worker|db)\b(?![\w/.])")
_IN_FILES, _IN_SERVICES = re.compile(r"\.[a-z]"), re.compile(r"-(?:service|api|server|gateway|worker|db)\b")
_PLURAL_MIN = 5  # letters, from which on "Thursdays" are plain because "Thursday" is; "Mars" is no "Mar"
_OTHER_FILES = frozenset("txt pdf csv tsv log cfg ini env lock png jpg jpeg gif svg docx xlsx pptx zip sqlite".split())

# What stands before a name, up to its first letter; after each pattern the words it can end in.
_CALLED_OUT = words_before(rf"(?:^|[^\w])(?i:{known.INTERJECTIONS}),? $", known.INTERJECTIONS)
_TITLE = words_before(rf"\b(?:{known.TITLES})\.? $", known.TITLES)
_OF_A_PERSON = words_before(
    rf"\b(?:(?i:my|our|his|her|their|your|a|the|another|an) (?:[a-z]+ ){{0,2}})?"
    rf"(?:{known.RELATIVES}|{known.ANIMALS_AND_ROLES})s?,? (?:is |was |are |were )?(?:(?:named|called) )?[\"“']?$"
    r"|\b(?:named?|named her|named him|name is|name's|name her|name him|I'm|I am|met|by) [\"“']?$",
    known.RELATIVES,
    known.RELATIVES.replace("|", "s|") + "s",
    known.ANIMALS_AND_ROLES,
    known.ANIMALS_AND_ROLES.replace("|", "s|") + "s",
    "is was are were named called name her him name's I'm am met by",
)
_ANIMAL = words_before(
    rf"\b(?:{known.ANIMALS}),? (?:(?:is |was )?(?:named|called) )?[\"“']?$", known.ANIMALS, "named called"
)
_GOING_THERE = words_before(
    r"\b(?:visit(?:ed|ing|s)?|(?:trips?|moved|moving|travel(?:l?ed|l?ing)?|flew|fly|flight|been|go|going|went|off|drive|"
    r"drove|road|back|return(?:ed)?) to|(?:back|come|came|originally|moved) from|near|map of|based in|born in|"
    r"(?:live|lives|lived|living|stay(?:ed|ing)?|grew up|raised|trip|vacation|hik(?:e|ing)|studying) in|"
    r"explor(?:e|ed|ing)|downtown|streets of|capital of|coast of) (?:the |The )?$",
    "visit visited visiting visits to from near of in explore explored exploring downtown",
)
_WORKING_THERE = words_before(
    r"\b(?:(?:work(?:s|ed|ing)?|job|intern(?:ed|ing|ship)?|interview|position|role|engineer|manager) (?:at|for|with)|"
    r"hired by|employed by|sponsored by|signed (?:up )?(?:with|by)|deal with|talks with|CEO of|founder of|"
    r"clients? like|co-founded|founded|brands? like|customer of) (?:the )?$",
    "at for with by of like founded",
)
_PROJECT_BEFORE = words_before(
    r"\b[Pp]roject $|\b(?:repo|repository|codebase|project) (?:called |named )?[\"“']?$",
    "project repo repository codebase called named",
)
_IN_A_PLACE = re.compile(r"\b(?:in|to|from|at|near|around|across|through|visit(?:ed|ing)?) (?:the )?$")
# What stands after it, from its last letter.
_AFTER_ADDRESS = re.compile(r"[,!.?…]|$| ?[-–—] | \W|\n")
_SAYS = re.compile(rf" (?:{known.SAYING})\b| and I\b|['’]s (?:birthday|wedding|mom|dad|sister|brother|wife|husband)\b")
_PROJECT_AFTER = re.compile(r"(?: v?\d[\d.]*)? (?:project|repo|repository|codebase)\b")
_SERVICE_AFTER = re.compile(r"(?: v?\d[\d.]*)? (?:service|API|api|microservice|server)\b")
_COMPANY_AFTER = re.compile(r" (?:company|team|brand|employees?|office|headquarters|stock|fans)\b")
_NUMBER = re.compile(r" v?\d+(?:\.\d+)*(?![\w:/%-])")
_NUMBERED = frozenset({EntityType.PROJECT, EntityType.SERVICE, EntityType.CONCEPT})  # "Atlas 2" is not "Atlas 1"
_LISTED = re.compile(r",? (?:and |or |& |but not )?|, ?")


class Mention(NamedTuple):
    """A name in a text: as written, what it names, and where. A speaker's own name has the empty span (0, 0).

    What is `unsure` has its capital because a sentence begins; it is a name where a person or thing is known by it.
    """

    surface: str
    type: EntityType
    span: tuple[int, int]
    unsure: bool = False


class _CapitalRun(NamedTuple):
    """Capitalised words in a row, without what does not belong to a name."""

    surface: str
    pieces: list[str]
    start: int
    end: int
    begins: bool  # it stands where any word has a capital


def mentions_in(
    text: str,
    *,
    speaker: str | None = None,
    technologies: Sequence[str] | None = None,
    language: str | None = None,
    unsure: bool = False,
) -> tuple[Mention, ...]:
    """Everything a text names, in its order, the speaker first. A name that is there twice is listed twice. Give the
    `technologies_in` it and its `language` where they are known, and they are not looked for again; `unsure` mentions
    come only where they are asked for."""
    text = text[:TEXT_CHARS_MAX]
    found = [Mention(speaker, EntityType.PERSON, (0, 0))] if speaker and speaker.casefold() not in ROLES else []
    taken = [*_technical(text, technologies_in(text) if technologies is None else technologies), *_titles(text)]
    nouns = language_named(language or language_of(text)).nouns_are_capital
    named = _named(text, sorted(mention.span for mention in taken), nouns=nouns)
    plain = (mention for mention in named if unsure or not mention.unsure)
    found += sorted([*taken, *plain], key=lambda mention: mention.span)
    return tuple(found[:MENTIONS_MAX])


def _technical(text: str, technologies: Sequence[str]) -> Iterator[Mention]:
    """Files, services and technologies: told by how they are written, whatever stands beside them."""
    endings = languages_by_ending()
    for match in unspaced_in(text, _FILE, around=_IN_FILES):
        ending = match["ending"]
        if (ending in endings or ending in _OTHER_FILES) and match[0].lower() not in clear_names():
            yield Mention(match[0], EntityType.FILE, match.span())
    for match in unspaced_in(text, _SERVICE, around=_IN_SERVICES):
        yield Mention(match[0], EntityType.SERVICE, match.span())
    named = set()
    for name, span in places_of(text, technologies) if technologies else ():
        named.add(name)
        yield Mention(name, _kind_of(name), span)
    for name in technologies:
        if name not in named:  # told by more than its name
            at = text.casefold().find(name.casefold())
            yield Mention(name, _kind_of(name), (at, at + len(name)) if at >= 0 else (0, 0))


def _kind_of(technology: str) -> EntityType:
    return EntityType.TOOL if technology in TOOLS else EntityType.TECHNOLOGY


def _titles(text: str) -> Iterator[Mention]:
    """What stands in quotation marks and begins like a title."""
    if '"' not in text and "“" not in text:
        return
    for match in _QUOTED.finditer(text):
        title = match[1].strip()
        telling = [word for word in title.split() if word[0].isupper()]
        if 2 * len(telling) >= len(title.split()) and (len(telling) > 1 or not _is_plain(telling[0])):
            yield Mention(title, EntityType.CONCEPT, match.span(1))


def _named(text: str, taken: list[tuple[int, int]], *, nouns: bool) -> Iterator[Mention]:
    """The names among the runs, but for what is taken already, given in order. `nouns`: all nouns have a capital."""
    last: Mention | None = None
    family: set[str] = set()
    ahead, reached = 0, 0
    for run in map(_from_known, _runs(text)) if nouns else _runs(text):
        while ahead < len(taken) and taken[ahead][0] < run.end:
            reached = max(reached, taken[ahead][1])
            ahead += 1
        if reached > run.start:
            continue
        kind = EntityType.PERSON if run.surface in family else _type_of(text, run)  # "Ruiz", after "Ana Ruiz"
        if kind in (None, EntityType.CONCEPT) and last is not None and not run.begins:
            between = text[last.span[1] : run.start]
            if len(between) < 12 and _LISTED.fullmatch(between) and not run.surface.isupper():
                kind = last.type  # "Rome, Galway and Lima"
        if nouns and kind is EntityType.CONCEPT:
            continue
        if kind is None and run.begins and len(run.surface) > 2 and not run.surface.isupper():
            yield Mention(run.surface, EntityType.CONCEPT, (run.start, run.end), unsure=True)
        if kind is not None:
            if kind is EntityType.PERSON and len(run.pieces) > 1:
                family.add(run.pieces[-1])
            number = _NUMBER.match(text, run.end) if kind in _NUMBERED else None
            end = run.end if number is None else number.end()
            last = Mention(text[run.start : end], kind, (run.start, end))
            yield last


def _from_known(run: _CapitalRun) -> _CapitalRun:
    """The run from the first piece on that is known: of "Schwester Anna" it is "Anna"."""
    for at, piece in enumerate(run.pieces[1:], 1):
        if not _is_given_name(run.pieces[at - 1]) and (_is_given_name(piece) or piece.casefold() in known.PLACES):
            start = run.start + run.surface.rindex(piece)
            return run._replace(
                surface=run.surface[start - run.start :], pieces=run.pieces[at:], start=start, begins=False
            )
    return run


def _runs(text: str) -> Iterator[_CapitalRun]:
    for match in _RUN.finditer(text):
        run, start = match[0], match.start()
        alone = " " not in run
        if alone and _is_plain(run):
            continue  # most of them: "The", "I", "And"
        begins = _begins(text, start)
        pieces = [(run, start)] if alone else [(each[0], start + each.start()) for each in _PIECE.finditer(run)]
        if begins and len(pieces) > 3 and _shouts_or_heads(text, match.end()):
            continue
        while pieces and (pieces[0][0][0].islower() or _is_plain(pieces[0][0])):
            pieces, begins = pieces[1:], False
        stop = (at for at, (piece, _) in enumerate(pieces) if piece[0].isupper() and _is_plain(piece))
        pieces = pieces[: next(stop, len(pieces))]
        while pieces and pieces[-1][0][0].islower():
            pieces.pop()
        if pieces:
            yield from _without_opening(text, pieces, begins)


def _without_opening(text: str, pieces: list[tuple[str, int]], begins: bool) -> Iterator[_CapitalRun]:
    """A run at the start of a sentence may begin with any word: only what is known as a name keeps it."""
    if begins and len(pieces) > 1 and not _keeps_opening([piece for piece, _ in pieces]):
        pieces, begins = [piece for piece in pieces[1:] if piece[0][0].isupper()], False
    if not pieces:
        return
    start, last = pieces[0][1], pieces[-1]
    bare = [_bare(piece) for piece, _ in pieces]
    end = last[1] + len(bare[-1])
    if end - start > 1:
        yield _CapitalRun(text[start:end], bare, start, end, begins)


def _keeps_opening(pieces: list[str]) -> bool:
    first, last = pieces[0], _bare(pieces[-1]).casefold()
    whole = " ".join(pieces).casefold()
    return (
        _is_given_name(first)
        or "." in first
        or whole in known.PLACES
        or whole in known.ORGANISATIONS
        or first.casefold() in known.PLACE_OPENINGS
        or last in known.PLACE_ENDINGS
        or last in known.ORGANISATION_ENDINGS
    )


def _type_of(text: str, run: _CapitalRun) -> EntityType | None:
    """What a run names; None where it may be no name at all."""
    if _ANIMAL.stands(text, run.start, word_before(text, run.start)):
        return EntityType.CONCEPT
    listed = _listed(text, run)
    if listed is not None:
        return listed
    if run.surface.isupper() and len(run.surface) > 1 and "." not in run.surface:
        return None  # an abbreviation, or a word in capitals
    return _by_company(text, run) or (None if run.begins or len(run.surface) < 3 else EntityType.CONCEPT)


def _listed(text: str, run: _CapitalRun) -> EntityType | None:
    """By the tables alone, with a look at what is before it where a name is both a person's and a place's."""
    folded, first, last = run.surface.casefold(), run.pieces[0], run.pieces[-1].casefold()
    named = _is_given_name(first)
    if run.surface in known.PLACE_ACRONYMS:
        return EntityType.PLACE
    if run.surface in known.ORGANISATION_ACRONYMS or folded in known.ORGANISATIONS:
        return EntityType.ORGANIZATION
    if run.begins and run.surface in known.VERBS_TOO and not _AFTER_ADDRESS.match(text, run.end):
        return None
    if folded in known.PLACES:
        there = not named or _IN_A_PLACE.search(text, max(0, run.start - 20), run.start)
        return EntityType.PLACE if there else EntityType.PERSON
    if len(run.pieces) > 1 and last in known.ORGANISATION_ENDINGS:
        return EntityType.ORGANIZATION
    if len(run.pieces) > 1 and last in known.PROJECT_ENDINGS:
        return EntityType.PROJECT
    if len(run.pieces) > 1 and (last in known.PLACE_ENDINGS or first.casefold() in known.PLACE_OPENINGS):
        return EntityType.PLACE
    initials = "." in first and len(run.pieces) > 1
    return EntityType.PERSON if named or initials else None


def _by_company(text: str, run: _CapitalRun) -> EntityType | None:
    """By the words beside it."""
    start, end = run.start, run.end
    word = word_before(text, start)
    if _PROJECT_BEFORE.stands(text, start, word) or _PROJECT_AFTER.match(text, end):
        return EntityType.PROJECT
    if _SERVICE_AFTER.match(text, end):
        return EntityType.SERVICE
    if _WORKING_THERE.stands(text, start, word) or _COMPANY_AFTER.match(text, end):
        return EntityType.ORGANIZATION
    if _GOING_THERE.stands(text, start, word):
        return EntityType.PLACE
    called_out = len(run.pieces) < 3 and _CALLED_OUT.stands(text, start, word) and _AFTER_ADDRESS.match(text, end)
    is_person = _TITLE.stands(text, start, word) or _OF_A_PERSON.stands(text, start, word)
    if is_person or called_out or (not run.begins and _SAYS.match(text, end)):
        return EntityType.PERSON
    return None


def _bare(word: str) -> str:
    """A word without the mark of whose something is."""
    return _POSSESSIVE.sub("", word) if "'" in word or "’" in word else word


@lru_cache(maxsize=_WORDS_KNOWN)
def _is_given_name(word: str) -> bool:
    bare = _bare(word)
    return bare in known.GIVEN_NAMES or bare in known.FURTHER_NAMES


@lru_cache(maxsize=_WORDS_KNOWN)
def _is_plain(word: str) -> bool:
    """Whether a word has its capital for another reason than being a name."""
    folded = _CONTRACTED.sub("", word).casefold()
    plain = folded in known.NO_NAMES or (len(folded) > _PLURAL_MIN and folded.removesuffix("s") in known.NO_NAMES)
    return plain and not _is_given_name(word)


def _begins(text: str, at: int) -> bool:
    """Whether a sentence, a line or an item of a list begins here."""
    while at and text[at - 1] in _OPENS:
        at -= 1
    return at == 0 or text[at - 1] in _ENDS


def _shouts_or_heads(text: str, end: int) -> bool:
    """Whether a whole line is in capitals, or has one on every word, as headings do."""
    stop = text.find("\n", end)
    return not text[end : stop if stop >= 0 else len(text)].strip(" .!?:#")
