"""What the phrases of a question stand for. The phrases themselves are lists of each language (`questions.txt`).

At one place the longest phrase counts: `how many days` is about time though `how many` is not. All languages are read
at once, so words that mean something else in another one (`was`, `come`) stand in phrases that tell which it is, or
count only where a question opens.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class PhrasePlace(Enum):
    """Where a phrase has to stand to count."""

    FIRST = "first"  # asks, unless another one asked before it
    OPENING = "opening"  # asks at the very beginning if no other asks: conjunctions, words of many uses
    ANYWHERE = "anywhere"  # asks nothing itself, adds to what is asked


class QuestionSign(NamedTuple):
    """What a group of phrases stands for. `cue` names its weight in the settings, `part` says how much of it counts.

    Signs without a kind say something about the form of a question: a person is meant, everything, several parts.
    """

    name: str
    place: PhrasePlace
    cue: str = ""
    kind: str = ""
    asks: str = ""
    part: float = 1.0


SIGNS = (
    QuestionSign("why", PhrasePlace.FIRST, "why", "causal", "why"),
    QuestionSign("reason", PhrasePlace.ANYWHERE, "why", "causal", "why", 0.8),
    QuestionSign("when", PhrasePlace.FIRST, "time", "temporal", "when"),
    QuestionSign("while", PhrasePlace.OPENING, "time", "temporal", "when"),
    QuestionSign("moment", PhrasePlace.ANYWHERE, "time", "temporal", "when", 0.8),
    QuestionSign("dated", PhrasePlace.ANYWHERE, "time", "temporal", "", 0.6),
    QuestionSign("order", PhrasePlace.ANYWHERE, "time", "temporal", "", 0.3),
    QuestionSign("who", PhrasePlace.FIRST, "what_is", "lookup", "who"),
    QuestionSign("what_is", PhrasePlace.FIRST, "what_is", "lookup", "what"),
    QuestionSign("what", PhrasePlace.FIRST, "what_is", "lookup", "what", 0.5),
    QuestionSign("that", PhrasePlace.OPENING, "what_is", "lookup", "what", 0.5),
    QuestionSign("whether", PhrasePlace.OPENING, "what_is", "lookup", "what", 0.5),
    QuestionSign("how", PhrasePlace.FIRST, "how", "procedural", "general"),
    QuestionSign("like", PhrasePlace.OPENING, "how", "procedural", "general"),
    QuestionSign("in_what_way", PhrasePlace.FIRST, "how", "procedural", "general", 0.6),
    QuestionSign("steps", PhrasePlace.ANYWHERE, "how", "procedural", "general", 0.8),
    QuestionSign("about", PhrasePlace.FIRST, "about", "exploratory", "what"),
    QuestionSign("advice", PhrasePlace.ANYWHERE, "about", "exploratory", "general"),
    QuestionSign("feeling", PhrasePlace.ANYWHERE, "about", "exploratory", "what"),
    QuestionSign("compare", PhrasePlace.ANYWHERE, "compare", "comparative", "what"),
    QuestionSign("definition", PhrasePlace.ANYWHERE),
    QuestionSign("people", PhrasePlace.ANYWHERE),
    QuestionSign("every", PhrasePlace.ANYWHERE),
    QuestionSign("joined", PhrasePlace.ANYWHERE),
    QuestionSign("clause", PhrasePlace.ANYWHERE),
)
