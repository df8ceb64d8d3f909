"""The English wording by which one text says how it stands to another (RFC-014 §2.2). Tables, no decisions."""

from __future__ import annotations

import re

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
NOT = re.compile(
    r"\b(?:not|no|never|nobody|nothing|none|neither|without|cannot|no longer|stopped|lacks?)\b|n['’]t\b", re.IGNORECASE
)
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w.]*\d)")
NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
    if number > 1  # "one" is mostly no number
}
# States and judgements, which exclude each other; up and down, inside and outside may both be so (on sentence pairs
# rated by people, 3 in 4 of those were no contradiction).
OPPOSITES = tuple(
    tuple(pair.split("/"))
    for pair in """
        enable/disable enabled/disabled allow/deny allowed/denied allow/forbid true/false always/never open/close
        opened/closed open/closed opening/closing start/stop started/stopped increase/decrease increased/decreased
        rise/fall more/less most/least high/low higher/lower fast/slow faster/slower big/small large/small long/short
        old/young old/new hot/cold warm/cold wet/dry clean/dirty full/empty light/dark early/late love/hate loves/hates
        like/dislike likes/dislikes happy/sad good/bad better/worse best/worst easy/difficult easy/hard safe/dangerous
        strong/weak rich/poor cheap/expensive quiet/loud awake/asleep alive/dead accept/reject accepted/rejected
        succeed/fail succeeded/failed passes/fails passed/failed works/broken win/lose won/lost buy/sell bought/sold
        give/take push/pull add/remove added/removed install/uninstall import/export synchronous/asynchronous sync/async
        public/private static/dynamic stable/unstable known/unknown possible/impossible legal/illegal mutable/immutable
        required/optional single/married present/absent
    """.split()
)
