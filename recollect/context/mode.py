"""How much a prompt asks for: nothing new, a fact, or many things at once."""

from __future__ import annotations

import re
from typing import Any

from recollect.config.window import Context
from recollect.errors import UsageError, shown
from recollect.model.context import Mode
from recollect.model.working import Saying
from recollect.working.heard import Heard
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


def checked_mode(value: Any) -> Mode | None:
    """The mode that was asked for; None leaves it to the prompt."""
    if value is None or value == AUTO:
        return None
    if value not in tuple(Mode):
        raise UsageError(f"mode must be {AUTO}, {', '.join(Mode)}, not {shown(value, 40)}")
    return Mode(value)


def mode_for(prompt: str, heard: Heard | None) -> Mode:
    """What a prompt needs. "Thanks!" needs nothing; "do it" is about something, if there is a talk to tell what."""
    if not prompt.strip():
        return Mode.STANDARD  # what matters most now
    if not telling_words(prompt):
        asks = heard is not None and heard.saying in (Saying.QUESTION, Saying.INSTRUCTION) and bool(heard.words)
        return Mode.STANDARD if asks else Mode.MINIMAL
    many = prompt.count("?") >= _QUESTIONS_MANY or prompt.count(" ") >= _LONG_WORDS
    return Mode.DEEP if many or _WIDE.search(prompt) else Mode.STANDARD


def tokens_for(mode: Mode, settings: Context) -> int:
    """The budget when neither the caller nor a model sets one."""
    return {
        Mode.MINIMAL: settings.simple_tokens, Mode.STANDARD: settings.tokens, Mode.DEEP: settings.complex_tokens,
    }[mode]  # fmt: skip
