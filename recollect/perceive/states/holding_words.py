"""The English wording by which states and their changes are recognised: tables and patterns, no decisions.

Kept apart from `perceive.states.holdings` so that another language is another table.
"""

from __future__ import annotations

import re

from recollect.language.terms import terms_of

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
    r"^(?:for|on|in|at|during|with|under|within)\s+(?!(?:\w+\s+){0,2}\d|(?:early |late |mid-?)?(?:january|february"
    r"|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
    r"|(?:fact|last|long last|the end)\b)",
    re.IGNORECASE,
)
# After what is said of now: it is so only then.
CONDITION = re.compile(r"\b(?:when|whenever|while|unless|as long as|during)\b", re.IGNORECASE)
# A denial of so much only, or of now, here and with somebody: the rest stays true.
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
# It is so in a story, or in somebody's head.
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
    r"|in (?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
HEDGED = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|might|(?-i:may)|could|thinks?|guess(?:es)?|suppos\w+|considering|hopes?|hoping"
    r"|plans?|planning|wants?|would|should|ought|shall|must|apparently|seems?|almost|nearly|trying|tempted|if)\b",
    re.IGNORECASE,
)

# --- where somebody lives and works ----------------------------------------------------------------------------------

HOME, EMPLOYER, AGE, NAMED, USES = "home", "employer", "age", "name", "uses"
LIVES = frozenset(("lives in", "lives at", "resides in", "dwells in", "stays in"))
BASED = re.compile(r"^(?:based|located|living|settled) in\s+", re.IGNORECASE)  # after "is"
MOVES_TO = frozenset(("moves to", "relocates to", "moves", "relocates", "settles in", "emigrates to"))
MOVES_FROM = frozenset(("moves from", "relocates from"))
TO_A_PLACE = re.compile(r"^(?:back |down |up |out |over )?(?:to|in)\s+", re.IGNORECASE)
WORKS_AT = frozenset(("works at", "works for", "works with"))
EMPLOYED = re.compile(r"^employed (?:at|by)\s+", re.IGNORECASE)
NEW_JOB = re.compile(
    r"^(?:an? |their )?(?:new )?(?:job|position|role|work|working)(?: as [^,]+?)? (?:at|for|with)\s+", re.I
)
STARTS = frozenset(("starts", "begins", "gets", "takes", "lands", "accepts", "starts at", "starts working"))
JOINS = "joins"
LEAVES = frozenset(("leaves", "quits", "resigns from", "retires from"))
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

SWITCHES_TO = frozenset(("switches to", "migrates to", "converts to", "goes over to"))
SWITCHES_FROM = frozenset(
    (
        "switches from",
        "migrates from",
        "changes from",
        "moves from",
        "upgrades from",
        "downgrades from",
        "converts from",
    )
)
SWITCHES = frozenset(("switches", "changes", "migrates", "upgrades", "swaps", "moves"))
REPLACES = re.compile(r"^(?P<was>.+?)(?<!\s)\s+(?:with|by|for)\s+(?P<value>.+)$", re.IGNORECASE)
REPLACING = frozenset(("replaces", "swaps", "exchanges", "trades", "trades in", "ditches", "drops"))
# Of which one speaks when one has given something up for something else.
HELD_BY_USE = frozenset(
    """uses prefers drives runs rides plays drinks takes has owns codes writes eats wears smokes studies follows
    subscribes supports
    """.split()
) | frozenset(
    (
        "works with",
        "runs on",
        "codes in",
        "writes in",
        "works in",
        "programs in",
        "is on",
        "is with",
        "banks with",
        "relies on",
        "goes to",
        "shops at",
        "trains at",
        "subscribes to",
        "pays for",
        "works on",
        "edits with",
        "works as",
        "majors in",
        "studies at",
    )
)
PARTS_WITH = "breaks up with"
GIVES_AWAY = frozenset(
    (
        "sells",
        "cancels",
        "loses",
        "returns",
        "scraps",
        "gives away",
        "gets rid of",
        "gives up",
        PARTS_WITH,
        "divorces",
        "drops",
    )
)
PARTNERS = frozenset("boyfriend girlfriend partner wife husband spouse fiance fiancee roommate".split())
HAD = frozenset(("has", "owns", "drives", "rides", "is subscribed to", "subscribes to", "is married to", "dates"))
# … when it is only said for what.
USED = frozenset(
    ("uses", "runs", "drives", "drinks", "runs on", "codes in", "writes in", "works in", "edits with", "takes")
)
# Kinds of which one takes another's place when somebody says "switched to".
SORTS: dict[str, frozenset[str]] = {
    sort: frozenset(words.split())
    for sort, words in {
        "editor": "vim neovim nvim emacs helix vscode code sublime atom nano zed pycharm intellij kakoune notepad++",
        "browser": "chrome firefox safari brave edge opera vivaldi arc",
        "database": "postgres postgresql mysql mariadb sqlite mongodb oracle dynamodb cockroachdb cassandra",
        "shell": "bash zsh fish nushell powershell",
        "system": "linux ubuntu debian fedora arch macos windows nixos mint",
        "phone": "iphone android pixel samsung nokia",
        "cloud": "aws azure gcp heroku vercel netlify hetzner digitalocean",
        "notes": "notion obsidian evernote onenote logseq roam",
        "drink": "coffee tea matcha decaf espresso",
        "package manager": "npm yarn pnpm bun pip poetry uv conda",
        "bundler": "webpack vite rollup esbuild parcel",
        "chat": "slack teams discord mattermost zulip",
        "host": "github gitlab bitbucket codeberg",
    }.items()
}

GIVEN_AWAY = HAD | USED | PARTNERS | {"plays"}

# --- attributes ------------------------------------------------------------------------------------------------------

# Of which somebody or something has one at a time, by the last word of their name and by what the value must be:
# somebody with a name …
PERSONS = frozenset(
    """employer manager boss supervisor landlord dentist doctor therapist girlfriend boyfriend wife husband spouse
    partner fiance fiancee roommate ceo owner captain president coach mentor teacher tutor neighbour neighbor
    hairdresser
    """.split()
)
# … an amount, a day or a time …
AMOUNTS = frozenset(
    """budget rent salary price cost fee deadline weight height age version limit quota capacity goal target size dose
    dosage rate balance premium wage income bedtime curfew launch release pension mortgage allowance temperature speed
    threshold port timeout latency appointment interview wedding flight due exam checkup departure arrival extension
    """.split()
)
# … or a few words.
WORDS = frozenset(
    """number address email password username nickname name job hometown timezone status diet title major headquarters
    editor browser car phone laptop computer camera pronouns pin passcode postcode zip colour color domain url location
    venue plan
    """.split()
)
VALUE_WORDS_MAX = 4
# … of which these are things with a name; what else is said of them ("fast", "in the garage") is no other one.
THINGS = frozenset(
    """number address email job headquarters hometown editor browser car phone laptop computer camera domain url
    location venue
    """.split()
)
LOCATED = frozenset(("headquarters", "location", "hometown"))  # "is in" says which
NAMES_A_THING = re.compile(r"[A-Z0-9@]")
NAMES_A_JOB = re.compile(r"^(?:an?|the)\s", re.IGNORECASE)
KIN = PERSONS | frozenset(
    """brother sister sibling mother father mom mum dad parents parent son daughter friend cousin aunt uncle grandmother
    grandfather grandma grandpa niece nephew colleague twin
    """.split()
)
MAIN = re.compile(r"\b(?:main|primary|default|go-to|preferred|usual)\b", re.IGNORECASE)
FAVOURITE = re.compile(r"\b(?:favou?rite|main)\b", re.IGNORECASE)
# "my favourite part": of what was spoken of, never of the person.
VAGUE = frozenset(
    "part thing things parts memory memories moment moments way ways bit piece pieces one ones aspect spot place "
    "places time times activity activities kind type hobby hobbies person people word words quote quotes scene".split()
)
SET_TO = re.compile(  # after "is": a state that came about by a change
    r"^(?:(?:now|been|being)\s+)?(?P<how>raised|increased|lowered|reduced|cut|dropped|moved|pushed(?: back)?|postponed"
    r"|delayed|changed|extended|shortened|rescheduled|updated|upgraded|bumped|shifted|brought forward|set|revised"
    r"|adjusted|renamed|switched|downgraded|promoted|reassigned|relocated)"
    r"(?:\s+from\s++(?P<was>.+?))?(?<!\s)\s+to\s+(?P<value>.+)$",
    re.IGNORECASE,
)
CHANGES_TO = frozenset(
    (
        "changes to",
        "moves to",
        "rises to",
        "falls to",
        "drops to",
        "shifts to",
        "grows to",
        "climbs to",
        "increases to",
        "decreases to",
        "slips to",
        "switches to",
        "becomes",
    )
)
CHANGES_FROM = frozenset(
    (
        "changes from",
        "moves from",
        "rises from",
        "falls from",
        "drops from",
        "goes from",
        "shifts from",
        "switches from",
        "increases from",
        "decreases from",
    )
)
CHANGES_BY_DIRECTION = frozenset(
    ("goes up", "goes down", "goes", "rises", "falls", "drops", "changes", "moves", "shifts")
)
DIRECTED_TO = re.compile(
    r"^(?:(?:up|down|back)\s+)?(?:from\s++(?P<was>.+?)(?<!\s)\s+)?to\s+(?P<value>.+)$", re.IGNORECASE
)
ONES_OWN = re.compile(  # after "changes", "updates": "their major to chemistry"
    r"^(?:their|the|his|her|its)\s++(?P<what>[\w -]{1,120}?)(?:(?<!\s)\s+from\s++(?P<was>.+?))?"
    r"(?<!\s)\s+to\s+(?P<value>.+)$",
    re.IGNORECASE,
)
ALTERS = frozenset(
    "changes updates switches moves raises lowers increases reduces extends shortens reschedules renames pushes "
    "postpones cuts bumps sets shifts".split()
)
CALLED = re.compile(r"^(?:called|named|known as|renamed(?: to)?)\s+", re.IGNORECASE)
RENAMED = re.compile(r"^renamed\b", re.IGNORECASE)
OF_NOUN = re.compile(r"^the\s++(?P<what>[\w -]+?)(?<!\s)\s+(?:of|for)\s+(?P<whose>.+)$", re.IGNORECASE)

# Verbs with which a thing has one amount, day or version at a time.
MEASURES = frozenset(
    (
        "costs",
        "weighs",
        "earns",
        "charges",
        "expires on",
        "expires in",
        "is due",
        "is due on",
        "is due by",
        "ends on",
        "closes at",
        "opens at",
        "is at",
        "is on",
        "listens on",
        "runs on",
        "measures",
        "sells for",
        "pays",
        "lasts",
        "begins at",
        "starts at",
        "starts on",
        "is scheduled for",
        "takes",
    )
)
# … of which these take the same words around the amount: "takes 50 mg of iron", "runs on port 80".
MEASURES_OF = frozenset(("takes", "is at", "is on", "runs on", "listens on", "pays", "has", "lasts", "measures"))
SCHEDULED = re.compile(r"^(?:due|scheduled|planned|set|booked)\s+(?:for|on|by|at)\s+", re.IGNORECASE)
OLD = re.compile(r"^(?P<years>\d{1,3})(?:\s+years?\s+old)?$", re.IGNORECASE)
VERSIONED = re.compile(r"\bversion\s+\S*\d|\bv\d", re.IGNORECASE)
VERSION_NUMBER = re.compile(r"\d[\w.]*\w|\d")
UPGRADES = frozenset(("upgrades", "updates", "bumps", "moves", "migrates", "downgrades"))
TO_VERSION = re.compile(r"^(?P<what>.+?)(?<!\s)\s+to\s+(?P<version>(?:version\s+|v)\S*\d\S*)", re.IGNORECASE)
REPORTS_TO, MANAGER = "reports to", "manager"
BOSS = re.compile(r"\b(?:boss|supervisor)$")

# Adjectives of which one holds at a time: value → what it is one of.
STATES: dict[str, str] = {
    value: sort
    for sort, values in {
        "diet": "vegetarian,vegan,pescatarian,omnivore,carnivore,a vegetarian,a vegan,a pescatarian,an omnivore,"
        "a meat eater,flexitarian",
        "marriage": "single,married,engaged,divorced,widowed,separated",
        "progress": "open,closed,done,in progress,in review,blocked,merged,resolved,shipped,on hold,paused,cancelled,"
        "canceled,finished,completed,complete,pending,approved,rejected,archived,released,live,deployed,fixed,reopened,"
        "abandoned,ready for review",
        "switch": "enabled,disabled,turned on,turned off,switched on,switched off",
        "working life": "retired,unemployed,self-employed",
        "smoking": "a smoker,a non-smoker",
    }.items()
    for value in values.split(",")
}
BECOMES = frozenset(("is", "becomes", "goes", "turns", "gets", "stays", "remains"))
CAME_ABOUT = frozenset(("becomes", "goes", "turns", "gets"))
MARRIED_TO = re.compile(r"^(?P<how>married|engaged) to\s+", re.IGNORECASE)
THEIR_OWN = re.compile(r"^(?:their|his|her|the)\s+", re.IGNORECASE)
PREFERS = re.compile(r"^(?P<value>.+?)(?<!\s)\s+(?:over|to|rather than|instead of)\s+(?P<was>.+)$", re.IGNORECASE)
EATS_MEAT = re.compile(r"\b(?:eats|eating) meat\b", re.IGNORECASE)

# What "has", "is" … say for a moment only: a denial of it ends nothing.
PASSING = frozenset(
    terms_of(
        "time idea clue plan chance energy problem question doubt choice luck fun money here there ready sure able "
        "home back late busy free available tired hungry alone okay ok fine well right wrong going done happy sad angry"
    )
)
# What lasts until somebody says that it does not; other verbs tell of single occasions.
LASTING = frozenset(
    """is has uses likes loves prefers hates enjoys eats drinks smokes drives owns speaks plays studies wears knows
    codes writes reports works lives runs supports trusts believes needs wants dates rides teaches coaches
    practices practises follows takes cooks keeps allows accepts requires includes contains
    """.split()
)
