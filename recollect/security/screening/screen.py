"""What becomes of a text: judged, held against the thresholds for whoever it comes from, and put into words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from recollect.config.guarding import SecuritySettings
from recollect.errors import ContentRefused, ProviderError
from recollect.model import roles
from recollect.model.record import SecurityTier
from recollect.model.screening import OFF, Screening, ScreeningAction, TextTier
from recollect.security.screening import personal, secrets
from recollect.security.screening.injection import Floats, InjectionJudgement, judge, version
from recollect.security.screening.normalise import normalised
from recollect.security.screening.policy import Privacy
from recollect.security.screening.spans import tier_of

KEPT = Screening()


class Screen:
    """Judges texts. `settings` are those of the moment; `encode` gives vectors of the encoder that ships."""

    def __init__(self, settings: Callable[[], SecuritySettings], encode: Callable[[Sequence[str]], Floats]) -> None:
        self._settings = settings
        self._encode = encode

    @property
    def version(self) -> str:
        """Of the weights: texts that others judged are judged again."""
        return version()

    def screen(self, text: str, *, role: str | None = None, closely: bool = False) -> Screening:
        """What becomes of a text that comes in a role. `closely`: its meaning is asked for a smaller doubt."""
        chosen = self._settings()
        return self._judged(text, role, chosen, closely=closely) if chosen.injection_screen else KEPT

    def _judged(self, text: str, role: str | None, chosen: SecuritySettings, *, closely: bool) -> Screening:
        plain = normalised(text)
        try:
            found = judge(plain, self._encode, closely=closely)
        except ProviderError:  # an encoder that cannot be loaded says so with every embedding; words and signs are left
            found = judge(plain, None)
        return screening_of(found, role, chosen)

    def whole(self, text: str, privacy: Privacy, *, role: str | None = None) -> Screening:
        """Everything that is known about a text before it is stored: whom it addresses, and what private data it holds.

        As `add` and, a moment later, the background would have it. Where texts are not screened for
        instructions, it is what would become of the text if they were, and a flag says so.
        """
        chosen = self._settings()
        found = self._judged(text, role, chosen, closely=True)
        if not chosen.injection_screen:
            found = replace(found, flags=(OFF, *found.flags))
        spans = sorted((*secrets.find(text), *personal.find(text)))
        try:
            admitted = privacy.admit(text)
            action, flags = found.action, (*found.flags, *admitted.flags)
        except ContentRefused:
            action, flags = ScreeningAction.REFUSE.value, (*found.flags, *(f"{span.type}:refused" for span in spans))
        return replace(
            found,
            action=action,
            tier=_TIERS[tier_of(spans)].value,
            spans=tuple((span.start, span.end, str(span.type)) for span in spans),
            flags=tuple(dict.fromkeys(flags)),
        )


_TIERS = {
    SecurityTier.CLEARTEXT: TextTier.CLEAR,
    SecurityTier.SENSITIVE: TextTier.SENSITIVE,
    SecurityTier.CONFIDENTIAL: TextTier.CONFIDENTIAL,
}


def screening_of(found: InjectionJudgement, role: str | None, chosen: SecuritySettings) -> Screening:
    """A judgement as what becomes of the text, by the settings.

    A text without a role is mostly somebody's own note: to keep it apart takes a sign of what is tried, or near
    certainty. "Session tokens live as long as Ben says" is .92 to the screen. A person who says "from now on answer in
    German" (.91) is to be followed: without a sign nothing less than that certainty marks a person's words.
    """
    by_person = (role or "").lower() in roles.PEOPLE
    threshold = chosen.injection_people if by_person else chosen.injection_tools
    if (by_person or not role) and not found.signs and not found.hidden:
        if by_person and found.probability < chosen.injection_unsaid:
            return Screening(injection=found.probability) if found.probability else KEPT
        threshold = max(threshold, chosen.injection_unsaid)
    action = chosen.injection_people_action if by_person else chosen.injection_tools_action
    if found.probability < threshold:
        action = (
            ScreeningAction.MARK.value if found.probability >= chosen.injection_mark else ScreeningAction.KEEP.value
        )
    if action == ScreeningAction.KEEP.value:
        return KEPT if not found.probability else Screening(injection=found.probability)
    flags = [f"injection:{action}", *(f"injection:{sign}" for sign in found.signs)]
    flags += [f"hidden:{name}" for name in found.hidden]
    return Screening(injection=found.probability, action=action, flags=tuple(flags))
