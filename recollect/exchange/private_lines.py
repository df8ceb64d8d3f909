"""Lines of an export under the policy for personal data and secrets, before they are stored.

Each line passes the policy of the scope in which it will lie. The words of a record stand in many of its columns, in
statements drawn from it and in images of the journal: what was taken out of one line is therefore taken out of every
later one as well. Where tiers are kept, what is taken out of a record goes along, to be sealed when the record has its
place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from recollect.exchange.checked import ExportLine
from recollect.model.columns import RecordRow, SealedBox
from recollect.model.record import SecurityTier
from recollect.model.scope import DIMENSIONS, Scope
from recollect.security.screening.policy import REDACT, VAULT, WORDED, Privacy, higher, withheld
from recollect.store.exports import UNSEALED
from recollect.store.rows import from_json, to_json

ORIGINALS = "originals"  # beside the columns of a line: what is to be sealed of it
_TAKEN_MAX = 10_000  # what is looked for in later lines
_KEYS = frozenset({"id", "content_hash", "security", "kind", "category", "tier", "label", "family", "verb", "role"})
_UNSAID: dict[str, Any] = {"scope_pk": 0, "content_hash": "", "created_at": 0, "updated_at": 0, "recorded_at": 0}


class PrivateLines:
    """The lines of one file on their way into a store, inside a scope; `bound`, exactly in it."""

    def __init__(
        self, privacy_of: Callable[[Scope], Privacy], *, inside: Scope, bound: bool = False, believed: bool
    ) -> None:
        self._privacy_of = privacy_of
        self._inside = inside
        self._bound = bound
        self._believed = believed  # what the file says about the tier of a record
        self._usual = privacy_of(inside)
        self._by_scope: dict[int, Privacy] = {}
        self._taken: dict[str, str] = {}

    def of(self, lines: Iterable[ExportLine]) -> Iterator[ExportLine]:
        """Each line as it may be stored; `ContentRefused` where the policy refuses what one holds."""
        for line in lines:
            if line.table.name == "scope":
                self._by_scope[line.values["pk"]] = self._privacy_of(self._place(line.values))
            changed = self._admitted(line.table.name, line.values)
            yield line._replace(values=line.values | changed) if changed else line

    def sealed(self, row: Mapping[str, Any], originals: Mapping[str, Any]) -> tuple[SealedBox, dict[str, Any]]:
        """The box with what was taken out of a row that has its id, and the columns that change with it."""
        sealing = RecordRow(id=row["id"], content=row["content"], perceived=row.get("perceived"), **_UNSAID)
        self._usual.seal(sealing, originals)
        assert sealing.box is not None
        columns = {name: getattr(sealing, name) for name in ("sealed", "content_hash", "perceived")}
        return sealing.box, columns

    def _place(self, values: Mapping[str, Any]) -> Scope:
        own = {} if self._bound else {name: values[name] for name in DIMENSIONS if values.get(name) is not None}
        return Scope(**own | dict(self._inside.items()))

    def _admitted(self, table: str, values: dict[str, Any]) -> dict[str, Any]:
        privacy = self._by_scope.get(values.get("scope_pk", 0), self._usual)
        told = _unsealed(values) if table == "record" else None
        if told is not None and privacy.least(told) is None:  # nothing can be sealed here; in the clear it never was
            privacy = replace(privacy, personal=REDACT)
            if privacy.admit(values["content"]).text == values["content"]:
                values |= {"content": withheld(SecurityTier(told), ()), "perceived": "{}"}
            told = None
        sealing = table == "record" and (privacy.seals(told) or privacy.secrets == VAULT)
        out = self._tiered(privacy, values, told) if sealing else {}
        left = {name: value for name, value in values.items() if isinstance(value, str) and name not in _KEYS}
        words = {name: value for name, value in left.items() if not out or name not in (*WORDED, "content")}
        for name in sorted(words, key=lambda name: name != "content"):  # the text first: it says most
            told = values.get("security", "") if self._believed and name != "content" else None
            admitted = privacy.admit_any(words[name], self._taken, told=told)
            self._take(dict(admitted.taken))
            if admitted.text != words[name]:
                out[name] = admitted.text
            if admitted.security is not None and name == "content" and "security" in values:
                out["security"] = higher(admitted.security, values["security"])
        return out

    def _tiered(self, privacy: Privacy, values: Mapping[str, Any], told: str | None) -> dict[str, Any]:
        """The columns of a record that shows less than it says; what it said goes along."""
        columns = {name: values.get(name) for name in WORDED}
        admitted = privacy.admit_record(values["content"], {**columns, "security": told})
        self._take(dict(privacy.unsealed.admit(values["content"]).taken))
        security = higher(str(admitted.columns.get("security", values["security"])), values["security"])
        found = {**admitted.columns, "content": admitted.text, "security": security}
        return {**found, ORIGINALS: admitted.originals} if admitted.originals else found

    def _take(self, taken: Mapping[str, str]) -> None:
        if len(self._taken) < _TAKEN_MAX:
            self._taken |= taken


def _unsealed(values: dict[str, Any]) -> str | None:
    """The tier of a record that was sealed where it came from, and lies open in the file. What says so is taken off."""
    if UNSEALED not in (values.get("attributes") or ""):
        return None
    attributes = from_json(values["attributes"], {})
    told = attributes.pop(UNSEALED, None)
    values["attributes"] = to_json(attributes)
    if values["attributes"] is None:
        del values["attributes"]
    return told if told in (SecurityTier.SENSITIVE, SecurityTier.CONFIDENTIAL) else None
