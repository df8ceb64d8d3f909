"""The gate that every text passes on its way into the store: screened, and marked, kept apart or refused.

A quarantined record lies in the archive and waits for review: no search, window, summary or run of upkeep reads it
unless the archive is named. It is not read for statements and names either; that is done when a person releases it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recollect.config.guarding import SecuritySettings
from recollect.ingest.drafts import Drafts
from recollect.model.audit import CALLING, OWNER_NAME
from recollect.model.columns import RecordRow
from recollect.model.record import Tier
from recollect.model.result import Skipped
from recollect.model.scope import Scope
from recollect.model.screening import ATTRIBUTE, WAITS, Screening, ScreeningAction, is_quarantined
from recollect.security.screening.policy import Privacy, approval_of
from recollect.security.screening.screen import Screen
from recollect.store.rows import from_json, to_json

if TYPE_CHECKING:
    from recollect.security.fields import FieldCipher

REFUSED = "it gives orders to the model that reads it, and security.injection_*_action says refuse"
READ = "{}"  # what a record has perceived that was looked at, and of which nothing was looked for
_SET = ("tier", "needs_review", "perceived", "attributes")


class ScreeningGate:
    """Screens rows before they are stored, and writes into them what was decided."""

    def __init__(
        self,
        screen: Screen,
        fields: Callable[[], FieldCipher] | None = None,
        settings: Callable[[], SecuritySettings] | None = None,
    ) -> None:
        self.screen = screen
        self._settings = settings
        self._fields = fields

    @property
    def fields(self) -> FieldCipher:
        """What seals and opens texts of a tier."""
        assert self._fields is not None
        return self._fields()

    def privacy(self, settings: SecuritySettings, scope: Scope) -> Privacy:
        """What becomes of personal data and secrets in a scope, with what seals them."""
        return Privacy.of(settings, scope, self._fields)

    def admit(self, rows: Iterable[RecordRow], scope: Scope | None = None) -> tuple[str, ...]:
        """Screen rows that cannot be left out one by one: what would be refused is quarantined. The flags.

        With a `scope`, what is written there by an agent that is not trusted waits for approval.
        """
        flags: dict[str, None] = {}
        wait = self._waits(scope)
        for row in rows:
            flags |= dict.fromkeys(self._note(row, self._look(row)))
            if wait:
                flags |= dict.fromkeys(_hold(row))
        return tuple(flags)

    def _waits(self, scope: Scope | None) -> bool:
        if scope is None or self._settings is None:
            return False
        settings = self._settings()
        if settings.approval == "none" and not settings.approval_in:
            return False
        call = CALLING.get()
        by_owner = scope.agent_id is None and call is not None and call.caller.name == OWNER_NAME
        return not by_owner and approval_of(settings, scope) == "wait"

    def admit_again(self, row: RecordRow) -> tuple[str, ...]:
        """Screen a stored row that says something else now: whatever was decided about the old text is void."""
        released = released_columns({"attributes": row.attributes})
        row.tier = released.get("tier", row.tier)
        row.needs_review = released.get("needs_review", row.needs_review)
        return self.admit([row])

    def admit_columns(self, rows: Iterable[dict[str, Any]]) -> int:
        """The same for rows as an export has them; how many were quarantined. Old versions are not recalled."""
        count = 0
        for row in rows:
            if row.get("head_pk") is not None or row.get("retired_at") is not None:
                continue
            given = {name: row[name] for name in ("content", "role", *_SET) if row.get(name) is not None}
            found = RecordRow(id="", **given, **_UNSAID)
            was = is_quarantined(from_json(found.attributes, {}))
            self.admit_again(found)
            now = is_quarantined(from_json(found.attributes, {}))
            names = _SET if was or now else ("attributes",)
            row |= {name: getattr(found, name) for name in names if getattr(found, name) != row.get(name)}
            count += now
        return count

    def admit_drafts(self, drafts: Drafts, scope: Scope | None = None) -> Drafts:
        """Screen what `add` was given: what is refused is left out, and the receipt says so. `scope` as in `admit`."""
        wait = self._waits(scope)
        flags: dict[str, None] = {}
        refused: list[int] = []
        for position, row in enumerate(drafts.rows):
            found = self._look(row)
            if found.action == ScreeningAction.REFUSE:
                refused.append(position)
                flags |= dict.fromkeys(found.flags)
            else:
                flags |= dict.fromkeys(self._note(row, found))
                if wait:
                    flags |= dict.fromkeys(_hold(row))
        drafts.flags += flags
        return _without(drafts, refused) if refused else drafts

    def _look(self, row: RecordRow) -> Screening:
        imported = (row.source or "").startswith("import:")  # a file says who spoke, and would say a person
        return self.screen.screen(row.content, role=None if imported else row.role)

    def _note(self, row: RecordRow, found: Screening) -> tuple[str, ...]:
        """Write a screening into a row; the words for a receipt."""
        if found.action == ScreeningAction.KEEP:
            if row.attributes and ATTRIBUTE in row.attributes:  # nobody but this gate says what was screened
                _set_noted(row, None)
            return ()
        if found.action == ScreeningAction.MARK:
            _set_noted(row, noted(found, ScreeningAction.MARK))
            return found.flags
        quarantine(row, found)
        return (*found.flags, *([f"quarantined:{row.id}"] if row.id else ()))


def _hold(row: RecordRow) -> tuple[str, ...]:
    """Keep a row apart until somebody approves it; the words for a receipt."""
    if is_quarantined(from_json(row.attributes, {})):
        return ()
    quarantine(row, Screening(action=ScreeningAction.QUARANTINE.value, flags=(WAITS,)))
    return (WAITS,)


_UNSAID: dict[str, Any] = {"scope_pk": 0, "content_hash": "", "created_at": 0, "updated_at": 0, "recorded_at": 0}


def noted(found: Screening, action: ScreeningAction, tier: str | None = None) -> dict[str, Any]:
    """What is kept with a record about a screening."""
    kept = {"action": action.value, "injection": round(found.injection, 3), "flags": list(found.flags)}
    return kept if tier is None else {**kept, "tier": tier}


def quarantine(row: RecordRow, found: Screening) -> None:
    """Keep a row apart until a person has looked at it."""
    _set_noted(row, noted(found, ScreeningAction.QUARANTINE, row.tier))
    row.tier, row.needs_review, row.perceived = Tier.ARCHIVE.value, 1, READ


def quarantined_columns(old: Mapping[str, Any], found: Screening) -> dict[str, Any]:
    """The columns of a stored record that change when it is kept apart."""
    attributes = from_json(old["attributes"], {}) | {ATTRIBUTE: noted(found, ScreeningAction.QUARANTINE, old["tier"])}
    return {"attributes": to_json(attributes), "tier": Tier.ARCHIVE.value, "needs_review": 1}


def marked_columns(old: Mapping[str, Any], found: Screening) -> dict[str, Any]:
    """The columns of a stored record that change when it is marked."""
    return {"attributes": to_json(from_json(old["attributes"], {}) | {ATTRIBUTE: noted(found, ScreeningAction.MARK)})}


def released_columns(old: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that change when a person lets a record out of quarantine; none if it is not in it.

    What it says is looked for then, as for any record that was never read.
    """
    attributes = from_json(old["attributes"], {})
    if not is_quarantined(attributes):
        return {}
    kept = attributes[ATTRIBUTE]
    tier = kept.get("tier")
    return {
        "attributes": to_json(attributes | {ATTRIBUTE: {**kept, "action": ScreeningAction.RELEASED.value}}),
        "tier": tier if tier in tuple(Tier) else Tier.LONGTERM.value,
        "needs_review": 0,
        "perceived": None,
    }


def in_quarantine(count: int) -> tuple[str, ...]:
    """A word for a report, if there is anything to say."""
    if not count:
        return ()
    return (f"{count} records give orders to their reader; they are in quarantine, and `review` shows them",)


def _set_noted(row: RecordRow, value: dict[str, Any] | None) -> None:
    attributes = {name: each for name, each in from_json(row.attributes, {}).items() if name != ATTRIBUTE}
    if value is not None:
        attributes[ATTRIBUTE] = value
    row.attributes = to_json(attributes) if attributes else None


def _without(drafts: Drafts, refused: Sequence[int]) -> Drafts:
    gone = set(refused)
    places = {old: new for new, old in enumerate(at for at in range(len(drafts.rows)) if at not in gone)}
    items = dict.fromkeys(drafts.items[at] for at in refused)
    return Drafts(
        rows=[row for at, row in enumerate(drafts.rows) if at not in gone],
        items=[item for at, item in enumerate(drafts.items) if at not in gone],
        turns=[places[at] for at in drafts.turns if at not in gone],
        skipped=[*drafts.skipped, *(Skipped(index=item, reason=REFUSED) for item in items)],
        flags=drafts.flags,
    )
