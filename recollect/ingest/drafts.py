"""From what `add` is given to rows that can be stored: texts, messages, lists of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from recollect.clock import from_us
from recollect.errors import ContentTooLarge, UsageError
from recollect.ids import new_ids
from recollect.ingest import check
from recollect.ingest.echo import ECHO, Echo
from recollect.limits import CONTENT_BYTES_CEILING, HALF_LIFE_DAYS_MIN, MESSAGES_PER_ADD_MAX
from recollect.model import messages, roles
from recollect.model.columns import RecordRow
from recollect.model.record import DEFAULT_CATEGORY, Kind
from recollect.model.result import Skipped
from recollect.security.screening.policy import Privacy, unbroken
from recollect.store.rows import content_hash

# Columns a caller may set on a record, and how each is checked. `update` takes the same ones.
FIELDS: dict[str, Callable[[Any], Any]] = {
    "kind": check.kind,
    "category": lambda v: check.name(v, "category"),
    "tier": check.tier,
    "subject": lambda v: check.name(v, "subject", chars_max=1000),
    "predicate": lambda v: check.name(v, "predicate", chars_max=1000),
    "object": lambda v: check.name(v, "object", chars_max=1000),
    "importance": lambda v: check.share(v, "importance"),
    "confidence": lambda v: check.share(v, "confidence"),
    "strength": lambda v: check.figure(v, "strength"),
    "decay_rate": lambda v: check.figure(v, "decay_rate"),
    "half_life_days": lambda v: check.figure(v, "half_life_days", least=HALF_LIFE_DAYS_MIN),
    "tags": check.tags,
    "metadata": check.mapping,
    "attributes": lambda v: check.mapping(v, "attributes"),
    "event_time": lambda v: check.moment(v, "event_time"),
    "valid_from": lambda v: check.moment(v, "valid_from"),
    "valid_until": lambda v: check.moment(v, "valid_until"),
    "source": lambda v: check.name(v, "source"),
    "role": lambda v: check.name(v, "role"),
    "speaker": lambda v: check.name(v, "speaker"),
    "needs_review": lambda v: check.flag(v, "needs_review"),
    "user_verified": lambda v: check.flag(v, "user_verified"),
    "flagged": lambda v: check.flag(v, "flagged"),
    "security": check.security,
    "place": check.place,
    "facets": check.facets,
}
_CIRCUMSTANCES = {"role", "speaker", "source"}  # of a turn: nobody says by them that it is to be kept
TIMES = ("event_time", "valid_from", "valid_until")
Heard = Callable[[str, str | None], Echo]
_MESSAGE_KEYS = {"role", "content", "name", "timestamp", "metadata"}
_PROVIDER_KEYS = messages.KEYS - {"text", "value"}  # a text without a role is given as "content"


def checked(name: str, value: Any, *, now: datetime) -> Any:
    """The stored form of one field; words for times are counted from `now`."""
    return check.moment(value, name, now=now) if name in TIMES else FIELDS[name](value)


@dataclass(slots=True, kw_only=True)
class Drafts:
    """Rows ready but for the keys of their scope and session. `turns` are the ones that follow one another."""

    rows: list[RecordRow] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)  # positions in rows
    items: list[int] = field(default_factory=list)  # of each row, the position in what was given
    skipped: list[Skipped] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)  # what a caller should know about it


def draft(
    given: Any,
    shared: Mapping[str, Any],
    *,
    timestamp: Any,
    now: int,
    bytes_max: int,
    parts_max: int,
    privacy: Privacy,
    heard: Heard | None = None,
) -> Drafts:
    """Rows for a text, a message, or a list of either. `shared` are the fields given for all of them.

    `privacy` is what becomes of personal data and secrets in what is given: they are taken out here, before anything
    else is done with a text. `heard` tells what of a text, said in a role, did not come out of this memory; None: all
    of it is taken as it is.
    """
    items = list(given) if isinstance(given, list | tuple) else [given]
    if not items:
        raise UsageError("there is nothing to remember: the list is empty")
    if len(items) > MESSAGES_PER_ADD_MAX:
        raise ContentTooLarge(f"at most {MESSAGES_PER_ADD_MAX} items a call, not {len(items)}; give them in portions")
    builder = _Builder(
        shared, timestamp=timestamp, now=now, bytes_max=bytes_max, parts_max=parts_max, privacy=privacy, heard=heard
    )
    for index, item in enumerate(items):
        try:
            builder.add(item, index)
        except UsageError as error:
            if len(items) == 1:
                raise
            raise type(error)(f"item {index}: {error.message}") from None
    if not builder.out.rows and not any(each.reason == ECHO for each in builder.out.skipped):
        raise UsageError("there is nothing to remember: every message is empty")
    return builder.finished()


class _Builder:
    def __init__(
        self,
        shared: Mapping[str, Any],
        *,
        timestamp: Any,
        now: int,
        bytes_max: int,
        parts_max: int,
        privacy: Privacy,
        heard: Heard | None,
    ) -> None:
        self.out = Drafts()
        self._privacy = privacy
        self._noted: dict[str, None] = {}  # what the policy found
        self._originals: dict[int, dict[str, Any]] = {}  # what is to be sealed, by the position of the row
        self._heard = heard
        self._now = now
        self._today: datetime = from_us(now)
        self._bytes_max = min(bytes_max, CONTENT_BYTES_CEILING)
        self._parts_max = parts_max
        self._columns = {
            name: checked(name, value, now=self._today) for name, value in shared.items() if value is not None
        }
        self._metadata = shared.get("metadata") or {}
        self._timestamp = check.moment(timestamp, "timestamp", now=self._today)
        self._index = 0

    def add(self, item: Any, index: int) -> None:
        self._index = index
        if isinstance(item, Mapping):
            self._message(item, index)
        else:
            text = self._own(check.content(item, bytes_max=None), None, index)
            if text is not None:
                said = check.content(text, bytes_max=self._bytes_max)
                text, columns, originals = self._admitted(said, self._columns)
                self._row(text, columns, self._timestamp, originals)

    def _own(self, text: str, role: Any, index: int) -> str | None:
        """What of a text did not come out of this memory; None, and a word of it, if nothing is left.

        Without a role only our own marks tell: what somebody attached something to is meant to be kept.
        """
        if self._heard is None:
            return text
        echo = self._heard(text, role if isinstance(role, str) else None)
        self.out.flags += [f"echo:{record_id}" for record_id in echo.ids]
        if echo.text is None:
            self.out.skipped.append(Skipped(index=index, reason=ECHO))
        return echo.text

    def _admitted(self, text: str, columns: dict[str, Any]) -> tuple[str, dict[str, Any], dict[str, Any]]:
        """The text and the columns without what the policy takes out, and what is to be sealed of them.

        All of it at once: in parts, a secret could be cut in two.
        """
        admitted = self._privacy.admit_record(text, columns)
        self._noted |= dict.fromkeys(admitted.flags)
        return admitted.text, columns | admitted.columns, admitted.originals

    def finished(self) -> Drafts:
        for row, record_id in zip(self.out.rows, new_ids(len(self.out.rows)), strict=True):
            row.id = record_id
        for position, originals in self._originals.items():
            self._privacy.seal(self.out.rows[position], originals)
        self.out.flags += self._noted
        return self.out

    def _message(self, message: Mapping[str, Any], index: int) -> None:
        _refuse_unknown(message)
        said = _said(message)
        if not said:
            self.out.skipped.append(Skipped(index=index, reason="empty message"))
        for each in said:
            self._say(each, index)

    def _say(self, message: Mapping[str, Any], index: int) -> None:
        text = message["content"]
        role = message.get("role")
        named = self._columns.keys() | {name for name in FIELDS if message.get(name)}
        attached = bool(named - _CIRCUMSTANCES)
        text = self._own(check.content(text, bytes_max=None), None if attached else role, index)
        if text is None:
            return
        columns = self._message_columns(message)
        given = message.get("timestamp")
        at = self._timestamp if given is None else check.moment(given, "timestamp", now=self._today)
        if "role" not in message:
            said = check.content(text, bytes_max=self._bytes_max)
            text, columns, originals = self._admitted(said, columns)
            self._row(text, columns, at, originals)
            return
        columns = {"kind": "episodic", "category": "turn", "source": "conversation"} | columns
        for part, own, originals, numbered in self._admitted_parts(text, columns):
            self.out.turns.append(len(self.out.rows))
            attributes = orjson.loads(own.get("attributes") or "{}") if numbered else {}
            numbers = {"attributes": check.mapping(attributes | numbered, "attributes")} if numbered else {}
            self._row(part, own | numbers, at, originals)

    def _admitted_parts(
        self, text: str, columns: dict[str, Any]
    ) -> Iterator[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]]:
        """The parts of a turn with what belongs to each: columns, what is to be sealed, and the number.

        Where a tier hides a text, each part is sealed for itself; none begins or ends inside of what is hidden.
        """
        if not self._privacy.seals(columns.get("security")) or self._fits(text):
            text, columns, originals = self._admitted(text, columns)
            for part, numbered in self._parts(text):
                yield part, columns, originals, numbered
            return
        whole = self._privacy.admit(text, told="cleartext").text
        masked, end = unbroken(whole), 0
        for part, numbered in self._parts(masked):
            start = masked.index(part, end)
            end = start + len(part)
            own, more, originals = self._admitted(whole[start:end], columns)
            yield own, more, originals, numbered

    def _fits(self, text: str) -> bool:
        return len(text) * 4 <= self._bytes_max or len(text.encode()) <= self._bytes_max

    def _message_columns(self, message: Mapping[str, Any]) -> dict[str, Any]:
        columns = dict(self._columns)
        for name, value in message.items():
            if name in FIELDS and name != "metadata" and value is not None:
                columns[name] = checked(name, value, now=self._today)
        if message.get("name") is not None:
            columns["speaker"] = check.name(message["name"], "name")
        if message.get("metadata") is not None:
            own = message["metadata"]
            if not isinstance(own, Mapping):
                raise UsageError("metadata must be an object with text keys")
            columns["metadata"] = check.mapping({**self._metadata, **own} if self._metadata else own)
        return columns

    def _parts(self, text: str) -> list[tuple[str, dict[str, Any]]]:
        """A turn over the limit is kept whole, as a chain of parts cut between words."""
        if self._fits(text):
            return [(text, {})]
        parts = split_text(text, self._bytes_max)
        if len(parts) > self._parts_max:
            raise ContentTooLarge(
                f"a turn of {len(text.encode())} bytes would make {len(parts)} parts, at most {self._parts_max} "
                "are kept (ingest.turn_parts_max); give longer texts to ingest()"
            )
        return [(part, {"part": i + 1, "parts": len(parts)}) for i, part in enumerate(parts)]

    def _row(self, text: str, columns: Mapping[str, Any], at: int | None, originals: dict[str, Any]) -> None:
        now = self._now
        row = RecordRow(
            id="",
            scope_pk=0,
            content=text,
            content_hash=content_hash(text),
            created_at=now,
            updated_at=now,
            recorded_at=now,
            event_time=at,
            valid_from=now if at is None else at,
        )
        for name, value in columns.items():
            setattr(row, name, value)
        if "category" not in columns:
            row.category = DEFAULT_CATEGORY[Kind(row.kind)]
        if row.valid_from is not None and row.valid_until is not None and row.valid_until < row.valid_from:
            if "valid_from" in columns or at is not None:
                raise UsageError("valid_until lies before valid_from; a record cannot end before it begins")
            row.valid_from = None  # only the end was given, and it lies in the past: true until then, since whenever
        if originals:
            self._originals[len(self.out.rows)] = originals
        self.out.rows.append(row)
        self.out.items.append(self._index)


def _refuse_unknown(message: Mapping[str, Any]) -> None:
    unknown = message.keys() - _MESSAGE_KEYS - FIELDS.keys() - (_PROVIDER_KEYS if _is_turn(message) else set())
    if unknown:
        raise UsageError(
            f"unknown key {sorted(map(str, unknown))[0]!r} in a message; known: "
            f"{', '.join(sorted(_MESSAGE_KEYS))} and the fields of a record"
        )


def _is_turn(message: Mapping[str, Any]) -> bool:
    """Whether it is somebody's turn: it has a role, or is of a type that has one."""
    return "role" in message or ("type" in message and message.keys() <= messages.KEYS)


def _said(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The message with its words for a content, as often as it holds something that was said; none if it is empty.

    Words are kept as they are. Only what is no plain text is read: blocks, calls of tools, what tools printed.
    """
    given = message.get("content")
    if isinstance(given, str | bytes | bytearray) and not _has_more(message):
        return [message] if given and not given.isspace() else []
    if not _is_turn(message):
        text = messages.text_of(given)
        return [{**message, "content": text}] if text and not text.isspace() else []
    own = {name: value for name, value in message.items() if name in FIELDS or name in _MESSAGE_KEYS}
    read = [each for each in messages.read_message(message) if each.told and not each.told.isspace()]
    return [_how_it_went({**own, "role": each.role, "content": each.told}, failed=each.failed) for each in read]


def _how_it_went(message: dict[str, Any], *, failed: bool) -> dict[str, Any]:
    """With the outcome that a provider notes of a tool's result, where the caller noted none."""
    attributes = message.get("attributes") or {}
    if not failed or not isinstance(attributes, Mapping) or "outcome" in attributes:
        return message
    return {**message, "attributes": {**attributes, "outcome": "failure"}}


def _has_more(message: Mapping[str, Any]) -> bool:
    """Whether more is to be read than a text: calls, or the result of one."""
    role = message.get("role")
    return bool(message.keys() & messages.CALL_KEYS) or (isinstance(role, str) and role.lower() in roles.TOOLS)


def split_text(text: str, bytes_max: int) -> list[str]:
    """Pieces of at most `bytes_max` UTF-8 bytes that give the text when joined, cut after a space where possible."""
    pieces: list[str] = []
    data = text.encode()
    start = 0
    while start < len(data):
        end = min(start + bytes_max, len(data))
        while end < len(data) and data[end] & 0xC0 == 0x80:  # not inside a character
            end -= 1
        if end < len(data):
            space = max(data.rfind(b"\n", start, end), data.rfind(b" ", start, end))
            if space > start + bytes_max // 2:
                end = space + 1
        pieces.append(data[start:end].decode())
        start = end
    return [piece for piece in pieces if not piece.isspace()]
