"""Whether a sentence speaks of what will be or of what was, at the place where it names a time.

"Friday" is the coming one in "I can't come on Friday" and the past one in "I went on Friday". The nearest sign before
the time decides, else the first one after it; where there is none it is the past, which is what memories tell of.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache, cached_property

_ASKS = r"(?!\s+(?:you|we|i)\s+(?:please\s+)?(?:tell|show|find|list|recall|remember|summari|explain|give|look|search))"
_ARRANGED = (
    "going|coming|leaving|flying|driving|travell?ing|meeting|seeing|visiting|starting|hosting|having|getting|moving|"
    "taking|playing|performing|presenting|opening|launching|throwing|joining|attending|returning|arriving|working"
)
_PLANNED = (
    r"(?<!\bmy\s)(?<!\bthe\s)(?<!\ba\s)(?<!\byour\s)will|won['’]t|['’]ll|shall|gonna|going\s+to|let['’]?s|how\s+about|tomorrow|"
    r"upcoming|due|deadline|soon|next|looking\s+forward|starting|please|remind|planning|plans?\s+(?:to|on|for)|"
    r"(?:i|we|they|you)\s+plan|(?:schedule|book)\s+(?:an?|the|my|me|us|it)|"
    r"starts|begins|opens|leaves|arrives|closes|ends|takes\s+place|"
    rf"(?:am|is|are|['’](?:m|re|s))\s+(?:not\s+|also\s+)?(?:{_ARRANGED})|"
    rf"(?:is|are)\s+(?:you|we|they|he|she|it)\s+(?:{_ARRANGED}|free|available|on)|"
    r"(?:is|are|be|['’]s)\s+(?:on|scheduled|planned|supposed|expected|invited|booked|free|available)"
)
_POSSIBLE = (
    rf"can(?:['’]?t|not)?\b{_ASKS}|could{_ASKS}\s+(?:you|we|i)|should|must|might|would\s+(?:like|love)|"
    r"(?:need|needs|have|has|want|wants|hope|hopes|hoping|expect|try|ought)\s+to"
)
_PAST = (
    r"(?:was|were)\s+(?:\w+\s+)?(?:going|supposed|planning|due)(?:\s+to)?|"
    r"(?:should|could|would|might|must)(?:n['’]t)?\s+have|"
    r"was|were|wasn['’]t|weren['’]t|did|didn['’]t|had|been|ago|last|yesterday|since|couldn['’]t|"
    r"went|took|came|saw|met|got|told|said|gave|made|left|ate|ran|flew|drove|bought|found|held|chose|sent|wrote|began|"
    r"became|brought|built|felt|heard|kept|knew|lost|paid|spent|spoke|taught|thought|won|wore|"
    r"(?<!\bis\s)(?<!\bare\s)(?<!\bbe\s)(?<!['’]s\s)\w{3,}(?<!ne)ed"
)


class Tense:
    """What a sentence says of the times it names: `past`, `possible`, `planned`. Looked for when first asked."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence

    @cached_property
    def _found(self) -> tuple[list[int], list[str]]:
        """Where each sign ends, and what it says."""
        matches = list(_signs().finditer(self._sentence))
        return [match.end() for match in matches], [match.lastgroup or "" for match in matches]

    def at(self, place: int) -> str:
        """What the sentence says of a time that is named there."""
        ends, says = self._found
        return says[max(0, bisect_right(ends, place) - 1)] if says else "past"

    def ahead(self, place: int) -> bool:
        return self.at(place) != "past"


@cache
def _signs() -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?<![\w-])|(?=['’]))(?:(?P<past>{_PAST})|(?P<planned>{_PLANNED})|(?P<possible>{_POSSIBLE}))(?![\w-])",
        re.IGNORECASE,
    )
