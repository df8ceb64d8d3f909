"""A conversation as exchanges: what a person said, and everything the machine did until the person spoke again.

What tools were asked and what they answered is folded into the machine's words, so that an exchange is two plain
messages that every provider takes, and no answer of a tool is left without its call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from recollect.model.messages import Message
from recollect.model.plain import middle_cut

OPENING = "[the assistant speaks first]"  # stands for the person where nobody had said anything
RESULT_CHARS_MAX = 1_500  # of what a tool printed, in an exchange that is kept word for word
STEPS_MAX = 400  # messages of one exchange whose deeds are told
_ENDS_CHARS = 8_000  # of a longer result the beginning and the end are looked at
_LINE_CHARS_MAX = 140

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_ERROR = re.compile(
    r"(?:(?<!\w)(?<!\w\.)(?:[A-Za-z_]\w*+\.)*[A-Z]\w*(?:Error|Exception|Failure|Timeout)\b(?:: [^\n]*)?"
    r"|\b(?:fatal|panic|error|ERROR|FATAL)(?:\[\w+\])?: [^\n]+|command not found[^\n]*|[Nn]o such file[^\n]*"
    r"|[Pp]ermission denied[^\n]*|[Ss]egmentation fault[^\n]*)"
)
_NOTHING_TOLD = frozenset(("ok", "okay", "done", "success", "true", "null", "none", "{}", "[]"))
_ERROR_SIGNS = ("rror", "xception", "ailure", "atal:", "anic:", "not found", "o such file", "enied", "fault", "imeout")
_OUTCOME = re.compile(
    r"^.*(?:\b\d+ (?:passed|failed|errors?|warnings?|tests?|files? changed|skipped)\b|\bexit(?:ed)?(?: with)? "
    r"(?:code|status)\b|\b(?:BUILD|Build) \w+|\bsuccessfully\b|\bup to date\b|\bCompiled\b).*$",
    re.MULTILINE | re.IGNORECASE,
)


class Deed(NamedTuple):
    """Something done with a tool: in words, what came of it, and the file that it changed."""

    told: str
    outcome: str = ""
    changed: str | None = None
    error: str | None = None

    @property
    def short(self) -> str:
        return f"{self.told}: {self.outcome}" if self.outcome else self.told


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkExchange:
    """A person's turn and what followed it."""

    asked: tuple[Message, ...]
    done: tuple[Message, ...]

    @property
    def at(self) -> datetime | None:
        return next((message.at for message in (*self.asked, *self.done) if message.at is not None), None)

    @property
    def chars(self) -> int:
        return sum(len(message.text) for message in (*self.asked, *self.done))

    @property
    def number(self) -> int:
        """What it is known by while this process runs: the same messages have the same number."""
        return hash((self.asked, self.done))

    @property
    def question(self) -> str:
        """What the person said; where several spoke, each behind their name."""
        if not self.asked:
            return OPENING
        several = len({message.name for message in self.asked}) > 1
        said = [(message.name, message.said or message.told) for message in self.asked]
        return "\n\n".join(f"{name}: {text}" if several and name else text for name, text in said)

    def answer(self, *, short: bool = False) -> str:
        """What the machine said and did. `short`: of what tools printed, only what came of it."""
        parts = []
        for message, deeds in _with_results(self.done):
            parts.append(message.said if message is not None else "")
            for deed, printed in deeds:
                parts.append(f"[{deed.short}]" if short or not printed else f"[{deed.told}]\n{printed}")
        return "\n\n".join(part for part in parts if part)

    @property
    def deeds(self) -> list[Deed]:
        """What was done with tools; of very many steps the last ones."""
        return [deed for _, deeds in _with_results(self.done[-STEPS_MAX:]) for deed, _ in deeds]

    def parted(self, chars: int) -> tuple[TalkExchange, TalkExchange]:
        """The same in two: its early steps, and the last ones of about so many characters, told shortly."""
        at = len(self.done)
        while at > 0 and (chars > 0 or self.done[at - 1].is_result or at == len(self.done)):
            at -= 1
            message = self.done[at]
            chars -= min(len(message.text), _LINE_CHARS_MAX) if message.is_result else len(message.told)
        while at < len(self.done) and self.done[at].is_result:  # its call is among the early ones
            at += 1
        return TalkExchange(asked=(), done=self.done[:at]), TalkExchange(asked=self.asked, done=self.done[at:])


def exchanges_of(messages: Iterable[Message]) -> list[TalkExchange]:
    """The exchanges of a conversation without its instructions, oldest first."""
    out: list[TalkExchange] = []
    asked: list[Message] = []
    done: list[Message] = []
    for message in messages:
        if not message.is_person:
            done.append(message)
            continue
        if done:
            out.append(TalkExchange(asked=tuple(asked), done=tuple(done)))
            asked, done = [], []
        asked.append(message)
    if asked or done:
        out.append(TalkExchange(asked=tuple(asked), done=tuple(done)))
    return out


def _with_results(done: Sequence[Message]) -> Iterator[tuple[Message | None, list[tuple[Deed, str]]]]:
    """Each message of the machine with what it did, every result beside its call, or alone if it has none."""
    results = {message.result_of: message for message in done if message.result_of}
    called = {call.id for message in done for call in message.calls}
    for message in done:
        if not message.is_result:
            calls = [(call, results.get(call.id) if call.id else None) for call in message.calls]
            yield message, [_deed(call.told, call.changed, result) for call, result in calls]
        elif not message.result_of or message.result_of not in called:
            yield None, [_deed(message.name or "a tool", None, message)]


def _deed(told: str, changed: str | None, result: Message | None) -> tuple[Deed, str]:
    if result is None:
        return Deed(told, changed=changed), ""
    printed = _ESCAPE.sub("", middle_cut(result.said, 4 * _ENDS_CHARS))
    outcome, error = outcome_of(printed, failed=result.failed)
    return Deed(told, outcome, changed, error), middle_cut(printed.strip(), RESULT_CHARS_MAX)


def outcome_of(printed: str, *, failed: bool = False) -> tuple[str, str | None]:
    """What came of it, in a line, and the error in it if there is one."""
    if len(printed) > 2 * _ENDS_CHARS:
        printed = f"{printed[:_ENDS_CHARS]}\n{printed[-_ENDS_CHARS:]}"
    errors = errors_in(printed)
    error = max(errors[-3:], key=len) if errors else None
    outcomes = _OUTCOME.findall(printed)
    lines = [line for line in printed.splitlines() if line.strip()]
    if outcomes:
        outcome = _line(outcomes[-1].strip(" =-"))
        return (f"{outcome}; {error}" if error and error not in outcome else outcome), error
    if error:
        return error, error
    if failed:
        return _line(f"failed: {lines[-1]}" if lines else "failed"), _line(lines[-1]) if lines else None
    if len(lines) == 1 and len(lines[0]) <= _LINE_CHARS_MAX:
        return ("" if lines[0].strip().lower() in _NOTHING_TOLD else lines[0].strip()), None
    return (f"{len(lines)} lines" if lines else ""), None


def errors_in(text: str) -> list[str]:
    """The errors that a text reports, each in a line, in their order."""
    if not any(sign in text for sign in _ERROR_SIGNS):
        return []
    return [_line(found) for found in _ERROR.findall(text)]


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LINE_CHARS_MAX else line[: _LINE_CHARS_MAX - 1].rstrip() + "…"
