"""Whose word a file is, and what its lines therefore pass before they are stored.

A file that this owner's key signed, or that the owner vouches for, comes in as it is, under the policy and the screen
of the store. Every other file passes the quarantine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import Any

from recollect.config import Config
from recollect.errors import UsageError
from recollect.exchange.checked import ExportLine
from recollect.exchange.export import SIGNED_BY
from recollect.exchange.lines import ExportEnd
from recollect.exchange.private_lines import PrivateLines
from recollect.exchange.quarantine import Quarantine, Tally
from recollect.ingest.screening import ScreeningGate
from recollect.model.scope import Scope
from recollect.model.screening import ScreeningAction, action_on, waits_for_approval
from recollect.security.signing import Paper, SigningKey
from recollect.store.rows import from_json

_SCREENED_AT_ONCE = 1_000


class WhoseWord(StrEnum):
    """Whose word a file is."""

    SIGNED = "signed"  # this owner's own: the signature says so
    TRUSTED = "trusted"  # the owner vouches for it
    ANYBODY = "nobody"  # nobody vouches for it


def whose_word(header: Mapping[str, Any], end: ExportEnd, key: SigningKey | None, *, trusted: bool) -> WhoseWord:
    """Whose word a file is that was read to its end. A signature under this owner's key that is none is an error."""
    if key is not None and header.get(SIGNED_BY) == key.id:
        if not key.made(end.signature, Paper.EXPORT, end.digest.encode()):
            raise UsageError("the file was changed since it was signed: its signature is another; nothing was imported")
        return WhoseWord.SIGNED
    return WhoseWord.TRUSTED if trusted else WhoseWord.ANYBODY


class Admitting:
    """What the lines of one file pass."""

    def __init__(
        self,
        word: WhoseWord,
        gate: ScreeningGate,
        config: Config,
        *,
        inside: Scope,
        bound: bool,
        now: int,
        source: str,
    ) -> None:
        self.word = word
        self._gate = gate
        policy = partial(gate.privacy, config.security)
        self._private = PrivateLines(policy, inside=inside, bound=bound, believed=self.believed)
        self.sealed = self._private.sealed
        self._apart = Quarantine(screen=gate.screen, config=config, now=now, source=f"import:{source}")

    @property
    def believed(self) -> bool:
        """Whether the file is taken at its word."""
        return self.word is not WhoseWord.ANYBODY

    @property
    def tally(self) -> Tally:
        """What became of the lines so far."""
        return self._apart.tally

    @property
    def bereft(self) -> set[int]:
        """Relations of the file that lost a member, by their keys there."""
        return self._apart.bereft

    def of(self, lines: Iterable[ExportLine]) -> Iterator[ExportLine]:
        """Each line as it may be stored."""
        private = self._private.of(lines)
        return self._screened(private) if self.believed else self._apart.of(private)

    def _screened(self, lines: Iterator[ExportLine]) -> Iterator[ExportLine]:
        """Nothing but the screen: texts that were stored elsewhere before there was one are kept apart here."""
        while portion := list(islice(lines, _SCREENED_AT_ONCE)):
            records = (line.values for line in portion if line.table.name == "record" and not _decided(line.values))
            self.tally.quarantined += self._gate.admit_columns(records)
            yield from portion

    def told(self) -> tuple[str, ...]:
        """What a person should know about it."""
        unsigned = (
            "nobody vouches for this file: its records are believed less, and what it says about trust, use and "
            "vectors was left out. If it is your own backup, undo this and import it with trusted=True"
        )
        return (*((unsigned,) if not self.believed else ()), *self.tally.warnings())


def _decided(values: Mapping[str, Any]) -> bool:
    """Whether a record waits for approval, or a person let it out of quarantine: it stays as it was."""
    attributes = from_json(values.get("attributes"), {})
    return waits_for_approval(attributes) or action_on(attributes) is ScreeningAction.RELEASED
