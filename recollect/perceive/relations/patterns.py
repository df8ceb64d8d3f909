"""The wording by which one text says how it stands to another: patterns, and words of `language/en/differences.txt`."""

from __future__ import annotations

import re

from recollect.language import lists

_WORDS = lists.sections("en", "differences")

# Label → words of a sentence that relates to another text in this way. The first that matches a sentence is meant.
_WORDING = {
    "supersedes": r"supersed(?:es|ing)|replac(?:es|ed|ing)\b|in favou?r of\b|obsoletes\b",
    "updates": r"updates?:|correction:|edit:|as an update\b|changed (?:from|to)\b|now uses?\b",
    "depends_on": r"requires?\b|depend(?:s|ed|ing)? (?:up)?on\b|needs\b|build(?:s|ing)? (?:up)?on\b|built on\b|"
    r"relie[sd] on\b|prerequisites?\b|based on\b|only works (?:with|if)\b",
    "exemplifies": r"for example\b|for instance\b|e\.g\.|an example of\b|such as\b|to illustrate\b",
    "summarizes": r"in short\b|in summary\b|to sum(?: it)? up\b|to summari[sz]e\b|tl;?dr\b|in a nutshell\b|"
    r"in conclusion\b|all in all\b",
    "elaborates": r"more precisely\b|in (?:more )?detail\b|specifically\b|in other words\b|namely\b|to elaborate\b|"
    r"that is to say\b|in addition\b|furthermore\b|moreover\b",
    "qualifies": r"only if\b|unless\b|except (?:when|if|for|that)\b|as long as\b|provided that\b|with the caveat\b",
    "supports": r"confirms?\b|confirmed\b|as expected\b|evidence (?:for|that)\b|consistent with\b|proves?\b|"
    r"this shows\b|indeed\b",
    "contradicts": r"however\b|but\b|unlike\b|in contrast\b|contradicts?\b|on the contrary\b|contrary to\b|"
    r"whereas\b|in fact\b|actually\b",
}
CUES = tuple((label, re.compile(rf"\b(?:{words})", re.IGNORECASE)) for label, words in _WORDING.items())

# How the clause that names another text speaks of it, right before the name and at most two words between. "<" in
# front of a label: the other one stands so to this one ("details in X": X elaborates this). First match.
_REFERRING = {
    "<supersedes": r"(?:superseded|replaced|obsoleted) by\b|in favou?r of\b|moved (?:in)?to\b",
    "supersedes": r"supersed(?:es|ing)\b|replac(?:es|ing)\b|obsoletes\b",
    "<depends_on": r"(?:required|needed|used) by\b|prerequisite (?:of|for)\b",
    "depends_on": r"requires?\b|depends? (?:up)?on\b|depending on\b|needs\b|builds? (?:up)?on\b|built (?:up)?on\b|"
    r"rel(?:y|ies) on\b|(?:rests|based) on\b|prerequisites?:?|only works with\b",
    "exemplifies": r"examples? (?:of|for)\b|illustrates\b|instance of\b",
    "<exemplifies": r"for (?:an )?examples?,?\b|for instance\b|e\.g\.|such as\b|examples? (?:is |are )?in\b",
    "<summarizes": r"summari[sz]ed in\b|summary (?:is )?in\b|overview (?:is )?in\b|in short in\b",
    "summarizes": r"summari[sz]es\b|sums up\b|(?:summary|overview) of\b",
    "<elaborates": r"(?:details?|more|the rest|reasons?) (?:is |are |stands? )?(?:in|at|under)\b|in (?:more )?detail\b|"
    r"(?:described|explained|documented|defined|told|listed|specified|covered|drawn|shown) (?:\w+ )?(?:in|by|at|under)"
    r"\b|"
    r"for (?:(?:more|further|all|the) ?)*(?:details?|information|reasons?)?,?\s*(?:see|read)\b|read more\b",
    "elaborates": r"elaborates(?: on)?\b|(?:the )?details of\b|expands on\b|explains\b|describes\b|documents\b|"
    r"extends\b",
    "contradicts": r"contradicts\b|contrary to\b|disagrees with\b|conflicts with\b|inconsistent with\b",
    "supports": r"confirms\b|supports\b|consistent with\b|in line with\b|evidence for\b",
    "qualifies": r"(?:exceptions?|caveats?) (?:to|of|from)\b|restricts\b",
}
REFERRING = tuple(
    (label, re.compile(rf"\b(?:{words})(?:\s*[^\s,]+){{0,2}}\s*$", re.IGNORECASE))
    for label, words in _REFERRING.items()
)
# … or right after it: "See X for details", "X has the reasons".
AFTER = (
    (
        "<elaborates",
        re.compile(
            r"[^.;]{0,20}\b(?:for (?:more|(?:the )?(?:details|reasons|rest))|"
            r"(?:has|tells|gives|holds|describes|explains|says) (?:the |more|how|why|what))",
            re.I,
        ),
    ),
    ("<exemplifies", re.compile(r"[^.;]{0,20}\bfor (?:an )?examples?\b", re.I)),
    ("<summarizes", re.compile(r"[^.;]{0,20}\bfor (?:a |an )?(?:summary|overview)\b", re.I)),
)

# How a text begins that goes on from the one before it.
OPENINGS = tuple(
    (label, re.compile(rf"(?:{words})(?=[\s,:;])", re.IGNORECASE))
    for label, words in {
        "exemplifies": r"for example|for instance|to illustrate|as an example|an example",
        "summarizes": r"in short|in summary|to sum(?: it)? up|to summari[sz]e|tl;?dr|in a nutshell|in conclusion|"
        r"all in all",
        "elaborates": r"more precisely|in (?:more )?detail|in other words|to elaborate|that is to say",
        "qualifies": r"except (?:when|if|for|that)|the exception (?:is|to)|one caveat|a caveat",
    }.items()
)
# What a section of such a title is to the one it stands under.
TITLES = tuple(
    (label, re.compile(rf"\W*+(?:{words})\W*+$", re.IGNORECASE))
    for label, words in {
        "exemplifies": r"(?:worked |usage |more )?examples?(?:(?: of|:| –| -) .{1,60})?|an example(?: .{1,60})?|"
        r"for example",
        "summarizes": r"summary|in short|tl;?dr|in a nutshell|conclusions?|key (?:points|takeaways)|recap",
        "qualifies": r"limitations|caveats|known (?:issues|limitations)|what is not covered(?: yet)?",
        "elaborates": r"(?:more )?details|in (?:more )?detail|background",
        "<depends_on": r"prerequisites|requirements|before you (?:begin|start)",
    }.items()
)

NOT = re.compile(
    r"\b(?:not|no|never|nobody|nothing|none|neither|without|cannot|no longer|stopped|lacks?|avoids?|prevents?)\b"
    r"(?! (?:matter|doubt|problem|only|just|to mention|least|sure|wonder))|n['’]t\b(?! (?:wait|mind|worry))",
    re.IGNORECASE,
)
# Words that are there, or not, because something is denied.
OF_DENIAL = _WORDS["denial"]
NUMBER_WORDS = lists.pairs(_WORDS["numbers"])  # not "one", which is mostly no number
# A number that says how much: not the one of room 3, of step 4 or of version 2.
NUMBER = re.compile(
    r"\b(?:is|are|was|were|has|have|had|in|at|to|of|for|by|takes?|took|costs?|after|under|over|within|holds?|uses?|needs?|"
    r"every|owns?|only|about) [$€£]?(?P<number>\d++(?:[.,]\d++)*+(?![\w.]*\d)|(?:" + "|".join(NUMBER_WORDS) + r")\b)",
    re.IGNORECASE,
)
# "A man" of one sentence is not the man of another: of the unnamed everything may be so, and its opposite.
UNNAMED = re.compile(r"(?:an?|some|several|many|few|two|three|four|five|there (?:is|are|was|were))\s", re.IGNORECASE)
# What is said of a day, or by comparison, is said of another thing each time.
RELATIVE = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|now|currently|recently|lately|soon|than|"
    r"(?:this|last|next|every|each) (?:\w+day|morning|evening|night|week|weekend|month|year|time|summer|winter))\b",
    re.IGNORECASE,
)
# States and judgements, which exclude each other; up and down, inside and outside may both be so (on sentence pairs
# rated by people, 3 in 4 of those were no contradiction).
OPPOSITES = tuple(tuple(pair.split(" / ")) for pair in _WORDS["opposites"])
