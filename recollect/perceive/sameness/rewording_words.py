"""Words and phrases that say the same, as far as it is safe to say so. Tables, no decisions."""

from __future__ import annotations

import re

from recollect.language.terms import terms_of

# A phrase → the one that is chosen for it. Tried in this order, on lower-case text.
PHRASES = tuple(
    (re.compile(rf"\b(?:{pattern})\b"), chosen)
    for pattern, chosen in (
        (
            r"(?:is|am|are) employed (?:by|at)|works? for|has a job (?:at|with)|(?:is|are) working (?:for|at)",
            "works at",
        ),
        (r"(?:is|are) (?:based|living|residing|located) in|resides? in|(?:has|makes?) (?:a|their) home in", "lives in"),
        (r"(?:is|are) (?:a )?(?:big |huge |great )?(?:fan of|fond of|into|keen on)", "likes"),
        (r"(?:is|are) called|goes by|has the name|(?:is|are) named", "is named"),
        (r"(?:is|are) unable to|can ?not|can't", "cannot"),
        (r"(?:is|are) the owner of|owns?|has got|possess(?:es)?", "has"),
        (r"(?:each|every) day|on a daily basis", "daily"),
        (r"(?:each|every) week|once a week", "weekly"),
        (r"(?:each|every) month|once a month|per month|a month", "monthly"),
        (r"(?:each|every) year|once a year|per year|a year", "yearly"),
        (r"does not eat meat(?: or fish)?", "is vegetarian"),
        (r"gets up|wakes up", "rises"),
        (r"no longer|not any ?more|not any longer", "no longer"),
        (r"(?:is|are) (?:currently |now )?using|makes? use of|utili[sz]es?", "uses"),
        (r"(?:is|are) (?:currently |now )?learning|(?:is|are) studying", "studies"),
        (r"(?:is|are) married with|has (?:a )?(?:husband|wife) (?:called|named)", "is married to"),
        (r"a couple of", "two"),
        (r"(?:is|are) (?:currently |now )?living", "lives"),
        (r"(?:is|are) (?:currently |now )?working", "works"),
        (r"(prefers?) (\w+) (?:to|rather than|instead of)", r"\1 \2 over"),
        (r"('s|s') name is", r" is named"),
    )
)

_GROUPS = """
    begin start commence | buy purchase | kid child children | movie film | car automobile | big large | like enjoy |
    picture photo photograph | bike bicycle | mother mom mum mommy | father dad daddy | grandmother grandma |
    grandfather grandpa | favourite favorite | colour color | apartment flat | doctor physician | shop store |
    finish complete | fix repair | tv television | hate detest | sick ill | glad happy | cellphone mobile smartphone |
    reply answer | holiday vacation | biscuit cookie | maths math | centre center | programme program |
    neighbour neighbor | organise organize | plane airplane aeroplane | supervisor boss | firm company | quick fast |
    fridge refrigerator | each every | exam examination | sofa couch | trousers pants | rubbish trash garbage
"""


def _folded() -> dict[str, str]:
    found: dict[str, str] = {}
    for group in _GROUPS.split("|"):
        stems = [terms_of(word)[0] for word in group.split()]
        found.update(dict.fromkeys(stems, stems[0]))
    return found


SAME = _folded()
AUXILIARY = {
    "am": "is",
    "are": "is",
    "is": "is",
    "has": "has",
    "have": "has",
    "had": "had",
    "was": "was",
    "were": "was",
    "does": "does",
    "do": "does",
    "did": "did",
}
# Function words that make a difference all the same.
KEPT = frozenset("from to by for with can could will would about than if all some any more other many much".split())
DROPPED = frozenset(
    terms_of(
        "also just really actually now currently still quite very basically simply too well definitely truly the a"
    )
)
