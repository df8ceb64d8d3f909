"""What sort of text this is: Diataxis type, persona, verification, confidence, domains, authority.

Recognised by words, and where a text stands in a document, by the headings above it. A text may call itself outdated
or disputed and is believed; that something was verified only people can say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import TypeVar

from recollect.config.writing import PerceiveSettings, StructureSettings
from recollect.language import lists
from recollect.language.spoken import each_sentence
from recollect.limits import GIST_CHARS_MAX
from recollect.model.facets import ConfidenceLevel, DiataxisType, Facets, PersonaType, VerificationState
from recollect.model.place import Place, PositionType
from recollect.perceive.traits.signs import Sign, sign_of, words_in, words_of

Sort = TypeVar("Sort")
EnumSort = TypeVar("EnumSort", bound=Enum)

NOTICE_CHARS = 300  # a text that calls itself outdated says so on top
DOMAINS_MAX = 5
_SIGNS_IN_DOCUMENTS, _SIGNS_IN_TALK = 1, 2  # talk uses the words of documentation by chance
_CONVERSATION, _USER = "conversation", "user"
_SOURCES = {
    PositionType.CODE: "code",
    PositionType.DOCUMENT: "docs",
    PositionType.CONVERSATION: _CONVERSATION,
    PositionType.EXTERNAL: "external",
}

_LISTS = lists.sections("en", "facets")


def _signs(sorts: type[EnumSort]) -> dict[EnumSort, Sign]:
    """The sign of each sort that has one in the lists, in the order of the lists."""
    by_name = {sort.name.lower(): sort for sort in sorts}
    return {by_name[heading]: sign_of(entries) for heading, entries in _LISTS.items() if heading in by_name}


_DIATAXIS, _PERSONAS = _signs(DiataxisType), _signs(PersonaType)
# Words of a heading → the type of what stands under it.
_HEADINGS = {heading: sort for sort in _DIATAXIS for heading in _LISTS[f"headings of {sort.name.lower()}"]}
_CERTAIN, _DOUBTFUL = sign_of(_LISTS["certain"]), sign_of(_LISTS["doubtful"])
_OUTDATED, _DISPUTED = sign_of(_LISTS["outdated"]), sign_of(_LISTS["disputed"])
_TIME_SENSITIVE = sign_of(_LISTS["time sensitive"])
# How a text says so of what it tells: "this page is outdated", "Outdated:"; "how to detect outdated caches" does not.
_SAID_OF = r"(?:\b(?:is|are|was|were|been|becomes?|became|marked(?: as)?|considered) (?:\w+ly |now |partly )?{word}\b"
_AS_NOTICE = r"|^\W*(?:(?:warning|note|notice|status|state)\W+)?{word}\b(?=\W*$|\s*[:.!)\]*,—-]| by\b))"
_ON_CONDITION = re.compile(r"\b(?:if|when|whenever|whether|unless|once|before|how|what|which|avoid|detects?|checks?)\b")


def _says_of_itself(sign: Sign) -> re.Pattern[str]:
    """A sentence, in small letters, that says this of itself or of its subject."""
    words = "|".join(sorted(sign.words))
    phrases = "|".join(re.escape(phrase) for group in sign.phrases.values() for phrase in group)
    return re.compile((_SAID_OF + _AS_NOTICE).replace("{word}", f"(?:{words})") + rf"|\b(?:{phrases})\b")


_NOTICES = words_of(_OUTDATED, _DISPUTED)
_SAYS_OUTDATED, _SAYS_DISPUTED = _says_of_itself(_OUTDATED), _says_of_itself(_DISPUTED)
_DOMAINS = lists.sections("en", "domains")
_DOMAIN_ORDER = tuple(_DOMAINS)


def _by_word() -> dict[str, tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {}
    for domain, words in _DOMAINS.items():
        for word in words:
            known[word] = (*known.get(word, ()), domain)
    return known


_DOMAINS_OF = _by_word()  # a word in small letters → the domains it belongs to
_SIGNS = (*_DIATAXIS.values(), *_PERSONAS.values(), _CERTAIN, _DOUBTFUL, _OUTDATED, _DISPUTED, _TIME_SENSITIVE)
_TELLING = words_of(*_SIGNS) | _DOMAINS_OF.keys()  # every word that a sign or a domain asks for


def facets_of(
    text: str,
    *,
    place: Place | None = None,
    source_type: str | None = None,
    perceive: PerceiveSettings = PerceiveSettings(),
    structure: StructureSettings = StructureSettings(),
) -> Facets:
    """The facets of a text. `source_type` is code, docs, conversation, external or user; by default the place says it,
    and a text without one was said in a conversation."""
    source = source_type or (_SOURCES[place.position_type] if place else _CONVERSATION)
    lowered = text[:GIST_CHARS_MAX].lower()
    words = words_in(lowered) & _TELLING
    talk = source in (_CONVERSATION, _USER)
    personas = _ranked(_PERSONAS, words, lowered, _SIGNS_IN_TALK if talk else _SIGNS_IN_DOCUMENTS)
    return Facets(
        diataxis_type=_diataxis(words, lowered, place, talk=talk),
        primary_persona=personas[0] if personas else PersonaType.PRAGMATIST,
        secondary_personas=tuple(personas[1:]),
        verification_state=_verification(words, lowered[:NOTICE_CHARS])
        or VerificationState(structure.default_verification),
        confidence=_confidence(words, lowered, perceive.certainty_markers),
        domain_tags=_domains(words),
        is_time_sensitive=_TIME_SENSITIVE.count(words, lowered) > 0,
        source_type=source,
        source_authority=structure.source_authority.get(source, structure.source_authority[_USER]),
    )


def _ranked(signs: Mapping[Sort, Sign], words: frozenset[str], lowered: str, least: int) -> list[Sort]:
    """What enough signs speak for, most first; of equals, the one listed first."""
    if not words:
        return []
    counts = {sort: sign.count(words, lowered) for sort, sign in signs.items()}
    return sorted((sort for sort in counts if counts[sort] >= least), key=lambda sort: -counts[sort])


def _diataxis(words: frozenset[str], lowered: str, place: Place | None, *, talk: bool) -> DiataxisType | None:
    for heading in reversed(place.section_path if place else ()):
        plain = heading.lower()
        for known, type_under_it in _HEADINGS.items():
            if known in plain:
                return type_under_it
    found = _ranked(_DIATAXIS, words, lowered, _SIGNS_IN_TALK if talk else _SIGNS_IN_DOCUMENTS)
    return found[0] if found else None


def _verification(words: frozenset[str], notice: str) -> VerificationState | None:
    """What a text says of itself on top, given the words of the whole; None if it says nothing."""
    if words.isdisjoint(_NOTICES):
        return None
    for state, says in (
        (VerificationState.OUTDATED, _SAYS_OUTDATED),
        (VerificationState.DISPUTED, _SAYS_DISPUTED),
    ):
        if any(says.match(line) for line in notice.splitlines() if line[:1] in "*[>_(" and line):
            return state  # "**Outdated:** …", "[disputed] …"
        for sentence in each_sentence(notice):
            found = None if sentence.is_question or sentence.in_code else says.search(sentence.text)
            if found and not _ON_CONDITION.search(sentence.text, 0, found.start()):
                return state
    return None


def _confidence(words: frozenset[str], lowered: str, markers: int) -> ConfidenceLevel:
    """More than `markers` certain words, and more than doubtful ones, make it high; the other way round, low."""
    if not words:
        return ConfidenceLevel.MODERATE
    certain, doubtful = _CERTAIN.count(words, lowered), _DOUBTFUL.count(words, lowered)
    if certain > doubtful and certain > markers:
        return ConfidenceLevel.HIGH
    if doubtful > certain and doubtful > markers:
        return ConfidenceLevel.UNCERTAIN if doubtful - certain > 2 * markers else ConfidenceLevel.LOW
    return ConfidenceLevel.MODERATE


def _domains(words: frozenset[str]) -> tuple[str, ...]:
    """Domains by how many of their words are there, most first."""
    if not words:
        return ()
    known = _DOMAINS_OF
    counts: dict[str, int] = {}
    for word in words & known.keys():
        for domain in known[word]:
            counts[domain] = counts.get(domain, 0) + 1
    ranked = sorted(counts, key=lambda domain: (-counts[domain], _DOMAIN_ORDER.index(domain)))
    return tuple(ranked[:DOMAINS_MAX])
