"""What becomes of a text: judged, held against the thresholds for whoever it comes from, and put into words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.config.guarding import SecuritySettings
from recollect.errors import ProviderError
from recollect.model import roles
from recollect.model.screening import Action, Screening
from recollect.security.screening.injection import Floats, Judgement, judge, weights
from recollect.security.screening.normalise import normalised

KEPT = Screening()


class Screen:
    """Judges texts. `settings` are those of the moment; `encode` gives vectors of the encoder that ships."""

    def __init__(self, settings: Callable[[], SecuritySettings], encode: Callable[[Sequence[str]], Floats]) -> None:
        self._settings = settings
        self._encode = encode

    @property
    def version(self) -> str:
        """Of the weights: texts that others judged are judged again."""
        return weights().version

    def screen(self, text: str, *, role: str | None = None, closely: bool = False) -> Screening:
        """What becomes of a text that comes in a role. `closely` asks for its meaning even if its words are plain."""
        chosen = self._settings()
        if not chosen.injection_screen:
            return KEPT
        plain = normalised(text)
        try:
            found = judge(plain, self._encode, always=closely)
        except ProviderError:  # an encoder that cannot be loaded says so with every embedding; words and signs are left
            found = judge(plain, None)
        return screening_of(found, role, chosen)


def screening_of(found: Judgement, role: str | None, chosen: SecuritySettings) -> Screening:
    """A judgement as what becomes of the text, by the settings."""
    by_person = (role or "").lower() in roles.PEOPLE
    threshold = chosen.injection_people if by_person else chosen.injection_tools
    action = chosen.injection_people_action if by_person else chosen.injection_tools_action
    if found.probability < threshold:
        action = Action.MARK.value if found.probability >= chosen.injection_mark else Action.KEEP.value
    if action == Action.KEEP.value:
        return KEPT if not found.probability else Screening(injection=found.probability)
    flags = [f"injection:{action}", *(f"injection:{sign}" for sign in found.signs)]
    flags += [f"hidden:{name}" for name in found.hidden]
    return Screening(injection=found.probability, action=action, flags=tuple(flags))
