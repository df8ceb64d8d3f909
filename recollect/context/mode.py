"""How much a prompt asks for: nothing new, a fact, or many things at once.

Whether anything is recalled is never decided by the words of a prompt: it is searched for first, and what the search
finds decides. The wording only says how wide the look may be, and what to do where the search finds nothing.
"""

from __future__ import annotations

import re
from typing import Any

from recollect.config.window import ContextSettings
from recollect.context.budget import ASSISTANT
from recollect.errors import UsageError, shown
from recollect.model.context import Mode
from recollect.model.working import Saying
from recollect.working.sensory import saying_of
from recollect.working.talk_words import telling_words

AUTO = "auto"
_LONG_WORDS = 40
_QUESTIONS_MANY = 2
_WIDE = re.compile(
    r"\b(?:compar\w+|differ\w*|versus|vs|pros and cons|trade-?offs?|every(?:thing|one|body)?|all (?:of |the |my |our )|"
    r"overview|summar\w+|recap|histor\w+|timeline|so far|over time|evol\w+|chang(?:ed|es) (?:since|over)|relat\w+ to|"
    r"plan\w*|design\w*|refactor\w*|architect\w*|strateg\w+|step by step|why .* and )\b",
    re.IGNORECASE,
)
# Words for oneself, in the languages that `language.detect` knows small words of and that do not leave them out.
_ONESELF = re.compile(
    r"\b(?:i|me|my|mine|myself|we|us|our|ours|ich|mich|mir|mein\w*|wir|uns|unser\w*|je|j|moi|mon|ma|mes|nous|notre|nos|"
    r"yo|mi|mis|mí|mío|conmigo|nosotros|nuestr[oa]s?|eu|mim|meus?|minhas?|nós|noss[oa]s?|io|mio|mia|miei|mie|noi|"
    r"nostr[oa]|ik|mij|mijn|wij|ons|onze|jag|mig|min|mitt|mina|jeg|meg|ja|mnie|mój|moja|moje)\b",
    re.IGNORECASE,
)


def checked_mode(value: Any) -> Mode | None:
    """The mode that was asked for; None leaves it to the prompt and to what is found."""
    if value is None or value == AUTO:
        return None
    if value not in tuple(Mode):
        raise UsageError(f"mode must be {AUTO}, {', '.join(Mode)}, not {shown(value, 40)}")
    return Mode(value)


def width_of(prompt: str) -> Mode:
    """How widely to look for what a prompt needs, before anything is known about what there is."""
    many = prompt.count("?") >= _QUESTIONS_MANY or prompt.count(" ") >= _LONG_WORDS
    return Mode.DEEP if telling_words(prompt) and (many or _WIDE.search(prompt)) else Mode.STANDARD


def asks(prompt: str) -> bool:
    """Whether a prompt wants something, by its form: "Who am I?" and "tell me more" do, "thanks!" does not."""
    return saying_of(prompt, thin=False) in (Saying.QUESTION, Saying.INSTRUCTION)


def names_no_topic(prompt: str) -> bool:
    """Whether hardly a word of it says what it is about: "What do you know about me?", "ok, do it"."""
    return not telling_words(prompt)


def speaks_of_oneself(prompt: str) -> bool:
    """Whether who asks is in it: "What's my job?"."""
    return _ONESELF.search(prompt) is not None


def tokens_for(mode: Mode, layout: str, settings: ContextSettings) -> int:
    """The budget when neither the caller nor a model sets one. The assistant's design knows two sizes only."""
    standard = settings.simple_tokens if layout == ASSISTANT else settings.tokens
    return {Mode.MINIMAL: settings.simple_tokens, Mode.STANDARD: standard, Mode.DEEP: settings.complex_tokens}[mode]
