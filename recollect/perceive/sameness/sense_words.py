"""English wording that changes nothing about what is said: spellings, contractions, fillers. Tables, no decisions."""

from __future__ import annotations


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split("/") for pair in text.split())


ARTICLES = frozenset("a an the".split())
COUNTED_BY_ARTICLE = frozenset("few little".split())  # "a few" are some, "few" are hardly any
NEGATIONS = frozenset("not no never n't".split())

# Anywhere in a sentence, unless a "not" stands before them: "not really" is a milder no.
FILLERS = frozenset("actually really basically literally honestly also btw fyi please um uh hmm".split())
# Only where a sentence begins; the second ones need a comma, for "well water" and "so many" mean something.
OPENINGS = frozenset("oh ah ok okay yeah yes yep yup and but anyway anyways".split())
OPENINGS_BEFORE_A_PAUSE = frozenset("well so hey hi hello right sure".split())
OPENING_PHRASES = (
    "by the way",
    "to be honest",
    "to be fair",
    "in fact",
    "of course",
    "for the record",
    "for your information",
    "as a matter of fact",
    "just so you know",
    "note that",
    "please note that",
    "remember that",
    "keep in mind that",
)
PHRASES_BEFORE_A_PAUSE = ("you know", "i mean", "as you know", "as i said", "like i said")

# Contractions without their apostrophe, as people type them, and words written together.
TYPED = {
    "dont": "do not",
    "doesnt": "does not",
    "didnt": "did not",
    "cant": "can not",
    "wont": "will not",
    "isnt": "is not",
    "arent": "are not",
    "wasnt": "was not",
    "werent": "were not",
    "havent": "have not",
    "hasnt": "has not",
    "hadnt": "had not",
    "couldnt": "could not",
    "wouldnt": "would not",
    "shouldnt": "should not",
    "cannot": "can not",
    "im": "i am",
    "ive": "i have",
    "anymore": "any more",
    "gonna": "going to",
    "wanna": "want to",
    "thats": "that is",
    "&": "and",
    "till": "until",
    "percent": "%",
    "ok": "okay",
}
CONTRACTED = {"n't": "not", "'re": "are", "'ve": "have", "'ll": "will", "'m": "am"}
CONTRACTED_STEMS = {"ca": "can", "wo": "will", "sha": "shall"}
PRONOUNS_WITH_IS = frozenset("it he she that there what who here where how".split())
HAS_BEFORE = frozenset("been got had".split())  # "it's been": has
IS_BEFORE = frozenset("a an the not".split())  # "Ana's a doctor": no possessive stands before these

NOW = frozenset("currently nowadays".split())
NOW_PHRASES = ("right now", "at the moment", "these days", "at present")

SPELLINGS = _pairs(
    """
    colour/color colours/colors favourite/favorite favourites/favorites behaviour/behavior neighbour/neighbor
    neighbours/neighbors honour/honor labour/labor flavour/flavor centre/center centres/centers theatre/theater
    metre/meter metres/meters litre/liter litres/liters organise/organize organises/organizes organised/organized
    organising/organizing realise/realize realises/realizes realised/realized recognise/recognize
    recognises/recognizes recognised/recognized prioritise/prioritize optimise/optimize optimises/optimizes
    optimised/optimized travelling/traveling travelled/traveled cancelled/canceled cancelling/canceling
    modelling/modeling programme/program grey/gray mum/mom licence/license defence/defense catalogue/catalog
    dialogue/dialog analyse/analyze analyses/analyzes analysed/analyzed e-mail/email e-mails/emails
    """
)
NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | _pairs("thirty/30 forty/40 fifty/50 sixty/60 seventy/70 eighty/80 ninety/90")
# After a number only.
UNITS = _pairs(
    """
    kilometers/km kilometres/km kilometer/km kilometre/km kms/km kilograms/kg kilogram/kg kilos/kg kgs/kg minutes/min
    minute/min mins/min hours/h hour/h hrs/h hr/h seconds/s second/s secs/s sec/s milliseconds/ms millisecond/ms
    dollars/$ dollar/$ bucks/$ euros/€ euro/€ a.m/am p.m/pm
    """
)
GLUED_UNITS = frozenset("km kg cm mm mi lb lbs ms min mins h hr hrs s am pm".split())
MONTHS = "january february march april may june july august september october november december".split()
MONTH_OF = {month: month for month in MONTHS} | {month[:3]: month for month in MONTHS} | {"sept": "september"}

# What may open a sentence and could as well close it.
WHEN_OR_WHERE = frozenset(
    """
    on in at during since until before after for from by with without within throughout around near last next this every
    each yesterday today tomorrow tonight now recently usually sometimes often lately
    """.split()
)
TIMES = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday yesterday today tomorrow tonight morning afternoon evening
    night noon midnight week weekend month year summer winter spring autumn
    """.split()
) | frozenset(MONTHS)
TIME_OPENERS = frozenset("on in at last next this every each during since until".split())

SAYING = frozenset(
    """
    said says say think thinks thought know knows knew believe believes believed mentioned mentions confirmed confirms
    noticed notices hope hopes hoped realize realizes realized learned found
    """.split()
)
# "likes hiking" is "likes to hike"; "stopped smoking" is not "stopped to smoke".
TO_OR_ING = frozenset(
    """
    like likes liked love loves loved hate hates hated prefer prefers preferred start starts started begin begins began
    continue continues continued
    """.split()
)
# "is using" is "uses": of these, what goes on is what is so.
LASTING = {"using": "use", "living": "live", "owning": "own", "wanting": "want", "preferring": "prefer"}
WORKING_AT = frozenset("at as for".split())  # "is working at" is a job, "is working on Friday" is not
FIRST_AND_SECOND_PERSON = frozenset(
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves".split()
)
