"""The English wording by which sorts of text are recognised (RFC-014 §4.2, everyday domains too). Only tables."""

from __future__ import annotations

import re
from functools import cache

from recollect.model.facets import DiataxisType, PersonaType
from recollect.perceive.traits.signs import Sign, sign, words_of

DIATAXIS = {
    DiataxisType.TUTORIAL: sign(
        "learn lesson tutorial tutorials walkthrough step-by-step beginner beginners let's",
        "step by step, follow along, you will, first steps, getting started",
    ),
    DiataxisType.HOWTO: sign(
        "guide solve achieve accomplish task goal troubleshooting workaround recipe", "how to, in order to, make sure"
    ),
    DiataxisType.REFERENCE: sign(
        """api specification schema format option options parameter parameters syntax argument arguments returns default
        defaults field fields type types flag flags endpoint endpoints""",
    ),
    DiataxisType.EXPLANATION: sign(
        "why architecture design concept concepts understand theory background because rationale tradeoff trade-off",
        "in principle, the reason, works by",
    ),
}
# Words of a heading → the type of what stands under it.
HEADINGS = {
    "tutorial": DiataxisType.TUTORIAL,
    "quickstart": DiataxisType.TUTORIAL,
    "getting started": DiataxisType.TUTORIAL,
    "walkthrough": DiataxisType.TUTORIAL,
    "how to": DiataxisType.HOWTO,
    "how-to": DiataxisType.HOWTO,
    "howto": DiataxisType.HOWTO,
    "troubleshooting": DiataxisType.HOWTO,
    "installation": DiataxisType.HOWTO,
    "guide": DiataxisType.HOWTO,
    "faq": DiataxisType.HOWTO,
    "reference": DiataxisType.REFERENCE,
    "api": DiataxisType.REFERENCE,
    "configuration": DiataxisType.REFERENCE,
    "options": DiataxisType.REFERENCE,
    "parameters": DiataxisType.REFERENCE,
    "changelog": DiataxisType.REFERENCE,
    "overview": DiataxisType.EXPLANATION,
    "explanation": DiataxisType.EXPLANATION,
    "architecture": DiataxisType.EXPLANATION,
    "background": DiataxisType.EXPLANATION,
    "design": DiataxisType.EXPLANATION,
    "concepts": DiataxisType.EXPLANATION,
    "introduction": DiataxisType.EXPLANATION,
    "motivation": DiataxisType.EXPLANATION,
}
PERSONAS = {
    PersonaType.NOVICE: sign(
        "beginner beginners introduction introductory basic basics first simple easy starting newcomer newcomers",
        "new to, from scratch",
    ),
    PersonaType.EXPERT: sign(
        """advanced expert experts professional architect optimize optimized optimization performance internals
        low-level tuning""",
        "deep dive, under the hood",
    ),
    PersonaType.SKEPTIC: sign(
        "benchmark benchmarks evidence proof comparison versus limitations drawbacks trade-offs alternatives",
        "compared to, compared with, why not, why should, is it worth",
    ),
}
CERTAIN = sign("must always never definitely guaranteed required certainly undoubtedly exactly")
DOUBTFUL = sign(
    """maybe might possibly probably typically usually generally perhaps likely seems apparently guess roughly
    supposedly unclear unsure""",
    "not sure, i think, as far as i know, don't know, no idea",
)
OUTDATED = sign(
    "outdated obsolete superseded", "no longer works, no longer true, no longer applies, out of date, is deprecated"
)
DISPUTED = sign(
    "disputed incorrect inaccurate misleading", "known issue, this is wrong, is not true, is false, not correct"
)
# How a text says so of what it tells: "this page is outdated", "Outdated:"; "how to detect outdated caches" does not.
_SAID_OF = r"(?:\b(?:is|are|was|were|been|becomes?|became|marked(?: as)?|considered) (?:\w+ly |now |partly )?{word}\b"
_AS_NOTICE = r"|^\W*(?:(?:warning|note|notice|status|state)\W+)?{word}\b(?=\W*$|\s*[:.!)\]*,—-]| by\b))"
ON_CONDITION = re.compile(r"\b(?:if|when|whenever|whether|unless|once|before|how|what|which|avoid|detects?|checks?)\b")


def says_of_itself(sign: Sign) -> re.Pattern[str]:
    """A sentence, in small letters, that says this of itself or of its subject."""
    words = "|".join(sorted(sign.words))
    phrases = "|".join(re.escape(phrase) for group in sign.phrases.values() for phrase in group)
    return re.compile((_SAID_OF + _AS_NOTICE).replace("{word}", f"(?:{words})") + rf"|\b(?:{phrases})\b")


TIME_SENSITIVE = sign(
    """currently today tomorrow tonight latest deadline temporary temporarily soon nowadays upcoming ongoing beta
    preview expires expired nightly""",
    """right now, as of, this week, this month, this year, next week, next month, for now, until further notice, at the
    moment, these days, at present""",
)
_DOMAINS = {
    "cli": "cli terminal shell command-line commandline bash zsh prompt",
    "api": "api apis endpoint endpoints request requests response responses rest graphql webhook",
    "config": "config configuration configure setting settings yaml json toml dotenv",
    "security": "security auth authentication authorization token tokens permission permissions encryption oauth",
    "testing": "test tests testing pytest unittest assert mock mocks coverage fixture",
    "database": "database databases sql sqlite postgres postgresql mysql migration migrations query redis",
    "deployment": "deploy deployed deployment docker kubernetes ci pipeline release releases rollback production",
    "performance": "performance latency throughput profiling profiler benchmark cache caching memory-leak bottleneck",
    "frontend": "frontend css html react vue svelte component components browser ui ux layout",
    "backend": "backend server servers service services microservice queue worker workers",
    "data": "dataset datasets dataframe csv pandas numpy model models training pipeline statistics",
    "docs": "documentation docs readme docstring changelog",
    "versioning": "git commit commits branch branches merge rebase pull-request repository repo",
    "work": "job boss manager colleague colleagues coworker office interview promotion salary career meeting client",
    "family": "mom mum dad mother father sister brother son daughter wife husband parents kids children baby grandma",
    "relationships": "friend friends girlfriend boyfriend dating wedding married engaged divorce partner roommate",
    "health": "doctor hospital medicine allergy allergic surgery therapy therapist sick illness symptoms dentist sleep",
    "fitness": "gym workout workouts running marathon yoga exercise training swimming cycling hiking",
    "food": "recipe recipes cook cooking dinner lunch breakfast restaurant vegan vegetarian coffee tea pizza baking",
    "travel": "trip travel travelling traveling flight flights hotel vacation holiday airport passport visa beach",
    "finance": "budget mortgage rent loan savings invoice tax taxes invest investment bank payment insurance",
    "education": "school college university exam exams class classes teacher student students course degree homework",
    "entertainment": "movie movies film films book books novel series game games gaming concert music song band",
    "sports": "football basketball tennis soccer baseball match tournament team coach league",
    "home": "apartment house garden furniture kitchen moving renovation plants landlord neighbour neighbor",
    "pets": "dog dogs cat cats puppy kitten pet pets vet",
}


@cache
def domains() -> dict[str, tuple[str, ...]]:
    """A word in small letters → the domains it belongs to."""
    known: dict[str, tuple[str, ...]] = {}
    for domain, words in _DOMAINS.items():
        for word in words.split():
            known[word] = (*known.get(word, ()), domain)
    return known


@cache
def telling() -> frozenset[str]:
    """Every word that a sign or a domain asks for."""
    signs = (*DIATAXIS.values(), *PERSONAS.values(), CERTAIN, DOUBTFUL, OUTDATED, DISPUTED, TIME_SENSITIVE)
    return words_of(*signs) | domains().keys()


NOTICES = words_of(OUTDATED, DISPUTED)
SAYS_OUTDATED, SAYS_DISPUTED = says_of_itself(OUTDATED), says_of_itself(DISPUTED)
DOMAIN_ORDER = tuple(_DOMAINS)
