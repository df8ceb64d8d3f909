"""The words that hold clauses together, from their lists."""

from __future__ import annotations

from recollect.language import lists

_WORDS = lists.sets("en", "clauses")

# Who or what a clause is about.
FIRST_PERSON = _WORDS["first person"]
OWN = _WORDS["own"]
PRONOUNS = _WORDS["pronouns"]
NOMINATIVE = _WORDS["nominative"]
ANYBODY = _WORDS["anybody"]
DETERMINERS = lists.words("en", "determiners")
ARTICLES = _WORDS["articles"]
QUANTITIES = lists.words("en", "quantities")
PLURALS = lists.words("en", "plurals")
PEOPLE = _WORDS["people"]
PET_NOUNS = _WORDS["pet nouns"]
WOMEN = _WORDS["women"]
MEN = _WORDS["men"]

# How clauses begin, end and hang together.
COORDINATORS = _WORDS["coordinators"]
BREAKS = _WORDS["breaks"]
SUBORDINATORS = _WORDS["subordinators"]
CONDITIONS = _WORDS["conditions"]
REASONS = _WORDS["reasons"]
RELATIVES = _WORDS["relatives"]
PREPOSITIONS = lists.words("en", "prepositions")
TIME_LEADS = _WORDS["time leads"]
TIME_NOUNS = _WORDS["time nouns"]
ADVERBS = _WORDS["adverbs"]
NOT_ADVERBS = _WORDS["not adverbs"]
VERB_ADVERBS = _WORDS["verb adverbs"]

# What stands around a statement without being part of it.
OPENERS = _WORDS["openers"]
CLOSERS = _WORDS["closers"]

# A pair that is one thing; written as it is compared.
PAIRS = _WORDS["pairs"]
TOGETHER = _WORDS["together"]
OPINIONS = _WORDS["opinions"]
PREFERENCES = _WORDS["preferences"]
DECISIONS = _WORDS["decisions"]
PLANS = _WORDS["plans"]
HAPPENED_TO_KNOW = _WORDS["happened to know"]

# Common words that open sentences, and are no names although they are written like one there.
NO_NAMES = _WORDS["no names"]
