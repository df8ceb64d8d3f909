"""The wording by which states and their changes are recognised: patterns, and the words of `language/en/states.txt`."""

from __future__ import annotations

import re

from recollect.language import lists
from recollect.language.en.calendar_words import MONTH_NAME
from recollect.language.terms import terms_of

_WORDS = lists.sets("en", "states")

# --- when a statement holds ------------------------------------------------------------------------------------------

# One more beside what is there, or something for a while: it takes no other's place.
ADDED = re.compile(
    r"\b(?:also|too|as well|another|second|third|fourth|extra|additional|both|one of|some of|part[- ]time|sometimes"
    r"|occasionally|often|besides|in addition|temporar\w+|for (?:the|a|one|two|a few) (?:day|week|weekend|month|summer"
    r"|winter|semester|season)s?|this (?:week|weekend|morning|evening)|on (?:the )?(?:weekends?|side)|on and off"
    r"|back and forth|half (?:of )?the|between|mostly|usually|at first|as a guest|visiting|freelance|volunteer\w*"
    r"|(?:in|during|over|every|each) (?:the )?(?:summer|winter|spring|autumn|fall)s?(?! of)|(?:at|over|every) (?:the )?"
    r"weekends?|(?:on|during) (?:weekdays|(?:mon|tues|wednes|thurs|fri|satur|sun)days)|for now|for the time being"
    r"|until|till|part of the \w+|every other|for (?:\w+|a few|a couple of) (?:night|day|weekend)s?)\b",
    re.IGNORECASE,
)
# Said before all else: where, for what or when it is so. A day or year only says since when.
FRONTED = re.compile(
    rf"^(?:for|on|in|at|during|with|under|within)\s+(?!(?:\w+\s+){{0,2}}\d|(?:early |late |mid-?)?(?:{MONTH_NAME}"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
    r"|(?:fact|last|long last|the end)\b)",
    re.IGNORECASE,
)
# After what is said of now: it is so only then.
CONDITION = re.compile(r"\b(?:when|whenever|while|unless|as long as|during)\b", re.IGNORECASE)
# A denial of a part only ("not much"), or of now, here or one companion: what was said before stays true.
DENIED_IN_PART = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|right now|at the moment|yet|this (?:time|week|weekend|month|year|morning"
    r"|afternoon|evening|summer|winter)|on \w+days?|with (?:me|us|them|him|her|you|it)|here|there|after|before|until"
    r"|when|while|during|unless|much|many|a lot|lots|(?<!at )all|every|everything|always|often|only|just|enough|very"
    r"|too|entirely|proper|exactly|completely|quite|in the (?:morning|afternoon|evening)s?|at night)\b",
    re.IGNORECASE,
)
# Told as past, and long over: it says nothing about now.
LONG_AGO = re.compile(
    r"\b(?:once(?! (?:a|an|every|per|again|more)\b)|long (?:time )?ago|(?:years|decades) ago|as an? (?:child|kid|boy"
    r"|girl|teenager|student|baby|toddler)|in (?:\S+ )?(?:childhood|youth)|back then|in those days|at one point"
    r"|when (?:\S+ ){1,3}?(?:was|were))\b",
    re.IGNORECASE,
)
# It is so in a story, or in the imagination.
IMAGINED = re.compile(
    r"\bin (?:\S+'s|an?|the|this|that|their|his|her|my|our|one)(?: \w+)? (?:dream|daydream|nightmare|fantasy|novel"
    r"|story|book|film|movie|game|play|tale|script|poem|song|comic|role-?play|simulation|scenario|imagination|mind"
    r"|head)s?(?! (?:industry|business|club|group|world))\b"
    r"|\b(?:dream(?:s|ed|t)|imagin(?:es?|ed)|pretend(?:s|ed)?|fictional(?:ly)?)\b",
    re.IGNORECASE,
)
# Was to happen, which does not say that it did.
ONCE_PLANNED = re.compile(
    r"\b(?:was|were|been) (?:\w+ )?(?:going|about|meant|due|set|ready|willing|hoping) to\b"
    r"|\b(?:wanted|planned|hoped|intended|intends?|meant|decided not|refused|failed) to\b",
    re.IGNORECASE,
)
UNDER_WAY = re.compile(r"\b(?:is|are|am) (?:\w+ )?\w+ing\b", re.IGNORECASE)  # a change that is not yet made
# Said before a value or after it: it was another one until now.
NOW = re.compile(r"\b(?:now(?! and then| that)|currently|these days|nowadays|from now on|as of (?:now|today))\b", re.I)
TRAILING = re.compile(
    r"(?<![\s,])[\s,]+(?:now|currently|these days|nowadays|from now on|as of (?:now|today)|at the moment|at present"
    r"|right now|instead|again|any ?more|any longer|today|already|finally|too|as well|for good|after all)$",
    re.IGNORECASE,
)
LEADING = re.compile(
    r"^(?:(?:now|currently|actually|really|just|only|still|finally|about|around|roughly|approximately|already|back|down"
    r"|up|over)\s+)+",
    re.IGNORECASE,
)
OUTDATED = re.compile(r"\b(?:old|former|previous|ex|late|last|next|first|original|future|upcoming)\b", re.IGNORECASE)
RENEWED = re.compile(r"\b(?:new|newest|current|latest|updated|present)\s+", re.IGNORECASE)
INSTEAD = re.compile(r"(?<![\s,])[\s,]+(?:instead of|rather than|in place of|not)\s+(?P<was>[^,;]+)$", re.IGNORECASE)
FROM_TO = re.compile(r"^(?P<was>.+?)(?<!\s)\s+(?:over\s+)?to\s+(?P<value>.+)$", re.IGNORECASE)
WHEN_OR_WHY = (
    r"since|because|after|before|until|last|recently|yesterday|in (?:19|20)\d\d|a (?:week|month|year) ago"
    rf"|in (?:{MONTH_NAME})"
)
HEDGED = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|might|(?-i:may)|could|thinks?|guess(?:es)?|suppos\w+|considering|hopes?|hoping"
    r"|plans?|planning|wants?|would|should|ought|shall|must|apparently|seems?|almost|nearly|trying|tempted|if)\b",
    re.IGNORECASE,
)

# --- where a person lives and works -----------------------------------------------------------------------------------

HOME, EMPLOYER, AGE, NAMED, USES = "home", "employer", "age", "name", "uses"
LIVES = _WORDS["lives"]
BASED = re.compile(r"^(?:based|located|living|settled) in\s+", re.IGNORECASE)  # after "is"
MOVES_TO = _WORDS["moves to"]
MOVES_FROM = _WORDS["moves from"]
TO_A_PLACE = re.compile(r"^(?:back |down |up |out |over )?(?:to|in)\s+", re.IGNORECASE)
WORKS_AT = _WORDS["works at"]
EMPLOYED = re.compile(r"^employed (?:at|by)\s+", re.IGNORECASE)
NEW_JOB = re.compile(
    r"^(?:an? |their )?(?:new )?(?:job|position|role|work|working)(?: as [^,]+?)? (?:at|for|with)\s+", re.I
)
STARTS = _WORDS["starts"]
JOINS = "joins"
LEAVES = _WORDS["leaves"]
FIRED = re.compile(r"^(?:fired|laid off|let go|dismissed) (?:from|by)\s+", re.IGNORECASE)
THEIR_JOB = re.compile(
    r"^(?:their |the |his |her )?(?:old )?(?:job|position|work|role)(?: as [^,]+?)? (?:at|with|for)\s+", re.I
)
# What one joins and leaves without working there.
NOT_EMPLOYERS = re.compile(r"\b(?:club|team|gym|group|class|band|choir|church|party|community|society|league)\b", re.I)
NAME = re.compile(
    r"^(?:the )?(?P<name>[A-Z][\w&.'’+-]*(?:\s+(?:(?:of|de|da|do|la|del|and the|&)\s+)?[A-Z0-9][\w&.'’+-]*)*)"
)

# --- what is had, used, taken ----------------------------------------------------------------------------------------

SWITCHES_TO = _WORDS["switches to"]
SWITCHES_FROM = _WORDS["switches from"]
SWITCHES = _WORDS["switches"]
REPLACES = re.compile(r"^(?P<was>.+?)(?<!\s)\s+(?:with|by|for)\s+(?P<value>.+)$", re.IGNORECASE)
REPLACING = _WORDS["replacing"]
# Of which one speaks when one has given something up for something else.
HELD_BY_USE = _WORDS["held by use"]
PARTS_WITH = "breaks up with"
GIVES_AWAY = _WORDS["gives away"]
PARTNERS = _WORDS["partners"]
HAD = _WORDS["had"]
# … when it is only said for what.
USED = _WORDS["used"]
# Kinds of which one takes another's place when a statement says "switched to".
SORTS = lists.sets("en", "sorts")

GIVEN_AWAY = HAD | USED | PARTNERS | {"plays"}

# --- attributes ------------------------------------------------------------------------------------------------------

# Attributes of which a person or thing has one at a time, by the last word of their name and by what the value must be:
# a person with a name …
PERSONS = _WORDS["persons"]
# … an amount, a day or a time …
AMOUNTS = _WORDS["amounts"]
# … or a few words.
WORDS = _WORDS["words"]
VALUE_WORDS_MAX = 4
# … of which these are things with a name; what else is said of them ("fast", "in the garage") is no other one.
THINGS = _WORDS["things"]
LOCATED = _WORDS["located"]
NAMES_A_THING = re.compile(r"[A-Z0-9@]")
NAMES_A_JOB = re.compile(r"^(?:an?|the)\s", re.IGNORECASE)
KIN = PERSONS | _WORDS["kin"]
MAIN = re.compile(r"\b(?:main|primary|default|go-to|preferred|usual)\b", re.IGNORECASE)
FAVOURITE = re.compile(r"\b(?:favou?rite|main)\b", re.IGNORECASE)
# "my favourite part": of what was spoken of, never of the person.
VAGUE = _WORDS["vague"]
SET_TO = re.compile(  # after "is": a state that came about by a change
    r"^(?:(?:now|been|being)\s+)?(?P<how>raised|increased|lowered|reduced|cut|dropped|moved|pushed(?: back)?|postponed"
    r"|delayed|changed|extended|shortened|rescheduled|updated|upgraded|bumped|shifted|brought forward|set|revised"
    r"|adjusted|renamed|switched|downgraded|promoted|reassigned|relocated)"
    r"(?:\s+from\s++(?P<was>.+?))?(?<!\s)\s+to\s+(?P<value>.+)$",
    re.IGNORECASE,
)
CHANGES_TO = _WORDS["changes to"]
CHANGES_FROM = _WORDS["changes from"]
CHANGES_BY_DIRECTION = _WORDS["changes by direction"]
DIRECTED_TO = re.compile(
    r"^(?:(?:up|down|back)\s+)?(?:from\s++(?P<was>.+?)(?<!\s)\s+)?to\s+(?P<value>.+)$", re.IGNORECASE
)
ONES_OWN = re.compile(  # after "changes", "updates": "their major to chemistry"
    r"^(?:their|the|his|her|its)\s++(?P<what>[\w -]{1,120}?)(?:(?<!\s)\s+from\s++(?P<was>.+?))?"
    r"(?<!\s)\s+to\s+(?P<value>.+)$",
    re.IGNORECASE,
)
ALTERS = _WORDS["alters"]
CALLED = re.compile(r"^(?:called|named|known as|renamed(?: to)?)\s+", re.IGNORECASE)
RENAMED = re.compile(r"^renamed\b", re.IGNORECASE)
OF_NOUN = re.compile(r"^the\s++(?P<what>[\w -]+?)(?<!\s)\s+(?:of|for)\s+(?P<whose>.+)$", re.IGNORECASE)

# Verbs with which a thing has one amount, day or version at a time.
MEASURES = _WORDS["measures"]
# … of which these take the same words around the amount: "takes 50 mg of iron", "runs on port 80".
MEASURES_OF = _WORDS["measures of"]
SCHEDULED = re.compile(r"^(?:due|scheduled|planned|set|booked)\s+(?:for|on|by|at)\s+", re.IGNORECASE)
OLD = re.compile(r"^(?P<years>\d{1,3})(?:\s+years?\s+old)?$", re.IGNORECASE)
VERSIONED = re.compile(r"\bversion\s+\S*\d|\bv\d", re.IGNORECASE)
VERSION_NUMBER = re.compile(r"\d[\w.]*\w|\d")
UPGRADES = _WORDS["upgrades"]
TO_VERSION = re.compile(r"^(?P<what>.+?)(?<!\s)\s+to\s+(?P<version>(?:version\s+|v)\S*\d\S*)", re.IGNORECASE)
REPORTS_TO, MANAGER = "reports to", "manager"
BOSS = re.compile(r"\b(?:boss|supervisor)$")

# Adjectives of which one holds at a time: value → what it is one of.
STATES = {value: sort for sort, values in lists.sections("en", "exclusive_states").items() for value in values}
BECOMES = _WORDS["becomes"]
CAME_ABOUT = _WORDS["came about"]
MARRIED_TO = re.compile(r"^(?P<how>married|engaged) to\s+", re.IGNORECASE)
THEIR_OWN = re.compile(r"^(?:their|his|her|the)\s+", re.IGNORECASE)
PREFERS = re.compile(r"^(?P<value>.+?)(?<!\s)\s+(?:over|to|rather than|instead of)\s+(?P<was>.+)$", re.IGNORECASE)
LIKES = frozenset(("likes", "loves", "enjoys"))
MORE_THAN = re.compile(r"^(?P<value>.+?)(?<!\s)\s+(?:more|better) than\s+(?P<was>.+)$", re.IGNORECASE)
EATS_MEAT = re.compile(r"\b(?:eats|eating) meat\b", re.IGNORECASE)

# What "has", "is" … say for a moment only: a denial of it ends nothing.
PASSING = frozenset(terms_of(" ".join(_WORDS["passing"])))
# What lasts until a statement says that it does not; other verbs tell of single occasions.
LASTING = _WORDS["lasting"]
