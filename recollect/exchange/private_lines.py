"""Lines of an export without the personal data and the secrets that the policy takes out, before they are stored.

The words of a record stand in many of its columns, in statements drawn from it and in images of the journal. What was
taken out of one line is therefore taken out of every later one as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from recollect.exchange.checked import ExportLine
from recollect.security.screening.policy import Privacy, higher

_TAKEN_MAX = 10_000  # what is looked for in later lines
_KEYS = frozenset({"id", "content_hash", "security", "kind", "category", "tier", "label", "family", "verb", "role"})


class PrivateLines:
    """The lines of one file on their way into a store."""

    def __init__(self, privacy: Privacy, *, believed: bool) -> None:
        self._privacy = privacy
        self._believed = believed  # what the file says about the tier of a record
        self._taken: dict[str, str] = {}

    def of(self, lines: Iterable[ExportLine]) -> Iterator[ExportLine]:
        """Each line as it may be stored; `ContentRefused` where the policy refuses what one holds."""
        for line in lines:
            changed = self._admitted(line.values)
            yield line._replace(values=line.values | changed) if changed else line

    def _admitted(self, values: dict[str, Any]) -> dict[str, Any]:
        words = {name: value for name, value in values.items() if isinstance(value, str) and name not in _KEYS}
        out: dict[str, Any] = {}
        for name in sorted(words, key=lambda name: name != "content"):  # the text first: it says most
            told = values.get("security", "") if self._believed and name != "content" else None
            admitted = self._privacy.admit_any(words[name], self._taken, told=told)
            if len(self._taken) < _TAKEN_MAX:
                self._taken |= dict(admitted.taken)
            if admitted.text != words[name]:
                out[name] = admitted.text
            if admitted.security is not None and name == "content" and "security" in values:
                out["security"] = higher(admitted.security, values["security"])
        return out
