"""Names that are known, and the words that stand beside names, from the lists in `language/en/names/`."""

from __future__ import annotations

from recollect.language import lists

# --- people ----------------------------------------------------------------------------------------------------------

_GIVEN = lists.sets("en", "names/given")
GIVEN_NAMES, FURTHER_NAMES = _GIVEN["common"], _GIVEN["further"]
VERBS_TOO = _GIVEN["verbs too"]  # names that begin sentences as other words
NICKNAMES = {
    short: frozenset(names.split()) for short, names in lists.pairs(lists.entries("en", "names/nicknames")).items()
}
NOT_PEOPLE = lists.sets("en", "names/no_names")["of people"]  # never part of the name of a person
NO_NAMES = lists.sets("en", "names/no_names")["of anything"]  # capitalised for another reason, in small letters

# --- places and organisations ----------------------------------------------------------------------------------------

_PLACES = lists.sets("en", "names/places")
WIDE_PLACES = frozenset(name.casefold() for name in _PLACES["countries"] | _PLACES["states"])  # that hold other places
PLACES = WIDE_PLACES | frozenset(name.casefold() for name in _PLACES["cities"]) | _PLACES["several words"]
PLACE_ACRONYMS = _PLACES["acronyms"]
PLACE_ENDINGS, PLACE_OPENINGS = _PLACES["endings"], _PLACES["openings"]
_ORGANISATIONS = lists.sets("en", "names/organisations")
ORGANISATIONS = frozenset(name.casefold() for name in _ORGANISATIONS["companies"]) | _ORGANISATIONS["several words"]
ORGANISATION_ACRONYMS = _ORGANISATIONS["acronyms"]
ORGANISATION_ENDINGS, PROJECT_ENDINGS = _ORGANISATIONS["endings"], _ORGANISATIONS["project endings"]
ABBREVIATIONS = lists.pairs(lists.entries("en", "names/abbreviations"))

# --- beside a name: alternatives of a pattern -------------------------------------------------------------------------

_BESIDE = {heading: "|".join(words) for heading, words in lists.sections("en", "names/beside").items()}
TITLES, RELATIVES, SAYING = _BESIDE["titles"], _BESIDE["relatives"], _BESIDE["saying"]
ADDRESSING, INTERJECTIONS = _BESIDE["addressing"], _BESIDE["interjections"]
ANIMALS = _BESIDE["animals"]
ANIMALS_AND_ROLES = f"{ANIMALS}|{_BESIDE['roles']}"
