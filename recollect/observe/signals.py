"""What a session shows, told from its events by rules: the same events always give the same signals.

A step is a call of a tool. Only reads, edits and writes touch a file; a call that failed changed nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import orjson

from recollect.config.observing import ObserveSettings
from recollect.model.observed import SignalKind
from recollect.store.observed import SignalRow, StoredEvent, TouchedFile

SEQUENCES_MAX = 200  # of one session
PAIRS_MAX = 2_000  # of one session
_TOUCHING = ("read", "edit", "write")
_CHANGING = ("edit", "write")


class AgentStep(NamedTuple):
    """One call of a tool: its number in the session, its event, and how often the context was compacted before."""

    number: int
    event: StoredEvent
    epoch: int
    turn: int  # how many prompts came before

    @property
    def done(self) -> bool:
        return self.event.type == "tool"

    def touched(self, classes: Sequence[str] = _TOUCHING) -> list[TouchedFile]:
        return [file for file in self.event.files if file.kind in classes]


class Cure(NamedTuple):
    """How an error of a tool went away."""

    tool: str
    hash: str
    at: int
    how: dict[str, Any]


class Derived(NamedTuple):
    """Everything that a session shows."""

    signals: list[SignalRow]
    cures: list[Cure]


def derive(events: Sequence[StoredEvent], settings: ObserveSettings) -> Derived:
    """The signals of a session, and cures of its errors."""
    steps = steps_of(events)
    retries, cures = _retries(steps, settings)
    signals = [
        *_accesses(steps),
        *_pairs(steps, settings),
        *retries,
        *_backtracks(steps, settings),
        *_sequences(steps, settings),
        *_rereads(steps, settings),
    ]
    return Derived(signals, cures)


def steps_of(events: Iterable[StoredEvent]) -> list[AgentStep]:
    """The calls among the events of a session, numbered from 1."""
    steps: list[AgentStep] = []
    epoch = turn = 0
    for event in events:
        if event.type == "compact":
            epoch += 1
        elif event.type == "prompt":
            turn += 1
        elif event.type in ("tool", "tool_failed"):
            steps.append(AgentStep(len(steps) + 1, event, epoch, turn))
    return steps


def _row(kind: SignalKind, subject: str, at: int, *, other: str = "", count: int = 1, **detail: Any) -> SignalRow:
    return SignalRow(kind.value, subject, other, count, at, orjson.dumps(detail).decode() if detail else None)


def _accesses(steps: Sequence[AgentStep]) -> list[SignalRow]:
    """Each file that was touched: how, how often, first and last at which step."""
    found: dict[str, list[tuple[AgentStep, str]]] = {}
    for step in steps:
        if step.done:
            for file in step.touched():
                found.setdefault(file.path, []).append((step, file.kind))
    return [
        _row(
            SignalKind.FILE_ACCESS,
            path,
            touches[-1][0].event.at,
            count=len(touches),
            classes=dict(sorted(Counter(kind for _, kind in touches).items())),
            steps=[touches[0][0].number, touches[-1][0].number],
        )
        for path, touches in found.items()
    ]


def _pairs(steps: Sequence[AgentStep], settings: ObserveSettings) -> list[SignalRow]:
    """Two files within a few steps, at their nearest; the one that came first in the session stands first."""
    touches = [(step, file.path) for step in steps if step.done for file in step.touched()]
    first = {path: at for at, (_, path) in reversed(list(enumerate(touches)))}
    nearest: dict[tuple[str, str], tuple[int, int, int]] = {}
    for at, (step, path) in enumerate(touches):
        before = at - 1
        while before >= 0 and step.number - touches[before][0].number <= settings.coaccess_steps:
            earlier, other = touches[before]
            before -= 1
            if other == path:
                continue
            pair = (path, other) if first[path] < first[other] else (other, path)
            distance = (step.number - earlier.number, abs(step.event.at - earlier.event.at) // 1000, step.event.at)
            if pair not in nearest or distance[:2] < nearest[pair][:2]:
                nearest[pair] = distance
            if len(nearest) >= PAIRS_MAX:
                break
    return [
        _row(SignalKind.CO_ACCESS, one, at, other=other, steps=steps_apart, ms=apart_ms)
        for (one, other), (steps_apart, apart_ms, at) in nearest.items()
    ]


def _retries(steps: Sequence[AgentStep], settings: ObserveSettings) -> tuple[list[SignalRow], list[Cure]]:
    """The same error of a tool again, and how it went away."""
    failed: dict[tuple[str, str], list[AgentStep]] = {}
    for step in steps:
        if not step.done and step.event.error_hash is not None:
            failed.setdefault((step.event.tool or "", step.event.error_hash), []).append(step)
    signals: list[SignalRow] = []
    cures: list[Cure] = []
    for (tool, hash_), tries in failed.items():
        how = _resolved(steps, tool, tries)
        if how is not None:
            cures.append(Cure(tool, hash_, how.pop("at"), how))
        if len(tries) >= settings.retries_min:
            detail: dict[str, Any] = {"tool": tool, "error": tries[-1].event.error, "resolved_how": how}
            signals.append(
                _row(SignalKind.ERROR_RETRY, f"{tool} {hash_}", tries[-1].event.at, count=len(tries), **detail)
            )
    return signals, cures


def _resolved(steps: Sequence[AgentStep], tool: str, tries: Sequence[AgentStep]) -> dict[str, Any] | None:
    """The first success on what failed, after the last failure, and the edits between the two."""
    targets = {_target(step) for step in tries} - {""}
    last = tries[-1].number
    edited: dict[str, None] = {}
    for step in steps[last:]:
        if not step.done:
            continue
        if step.event.tool == tool and _target(step) in targets:
            return {"edited": list(edited), "steps": step.number - last, "at": step.event.at}
        edited |= dict.fromkeys(file.path for file in step.touched(_CHANGING))
    return None


def _target(step: AgentStep) -> str:
    """What a call was about: the command, or the file."""
    return step.event.target or next((file.path for file in step.event.files), "")


class _Edit(NamedTuple):
    step: AgentStep
    file: TouchedFile
    spans: list[list[int]]  # lines that it changed, as they are numbered now


def _backtracks(steps: Sequence[AgentStep], settings: ObserveSettings) -> list[SignalRow]:
    """Edits of a file that take an earlier one back, or change the same lines again, soon after it."""
    earlier: dict[str, list[_Edit]] = {}
    found: dict[tuple[str, str], list[tuple[int, AgentStep, list[str]]]] = {}
    for step in steps:
        if not step.done:
            continue
        for file in step.touched(_CHANGING):
            past = earlier.setdefault(file.path, [])
            taken_back = [
                edit
                for edit in past
                if step.number - edit.step.number <= settings.backtrack_steps and _undoes(file, edit)
            ]
            if taken_back:
                cause, paired = _cause(steps, taken_back[-1].step, step, file.path)
                within = step.number - taken_back[-1].step.number
                found.setdefault((file.path, cause), []).append((within, step, paired))
            _renumber(past, file)
            past.append(_Edit(step, file, [[new, new + max(count, 1) - 1] for _, _, new, count in _hunks(file)]))
    return [
        _row(
            SignalKind.BACKTRACK,
            path,
            times[-1][1].event.at,
            other=cause,
            count=len(times),
            cause=cause,
            within_steps=min(within for within, _, _ in times),
            **(
                {"paired": sorted({each for _, _, paired in times for each in paired})}
                if any(t[2] for t in times)
                else {}
            ),
        )
        for (path, cause), times in found.items()
    ]


def _undoes(file: TouchedFile, edit: _Edit) -> bool:
    """Whether an edit takes out what an earlier one put in, puts back what it took out, or changes its lines again."""
    gone, came = set(file.detail.get("gone", ())), set(file.detail.get("came", ()))
    if gone & set(edit.file.detail.get("came", ())) or came & set(edit.file.detail.get("gone", ())):
        return True
    changed = [[old, old + max(count, 1) - 1] for old, count, _, _ in _hunks(file)]
    return any(first <= end and start <= last for first, last in changed for start, end in edit.spans)


def _hunks(file: TouchedFile) -> list[list[int]]:
    given = file.detail.get("hunks", ())
    return [
        hunk for hunk in given if isinstance(hunk, list) and len(hunk) == 4 and all(isinstance(n, int) for n in hunk)
    ]


def _renumber(past: Iterable[_Edit], file: TouchedFile) -> None:
    """Lines below an edit move by what it added or took out."""
    for old, gone, _, came in sorted(_hunks(file), reverse=True):
        if (moved := came - gone) == 0:
            continue
        for edit in past:
            for span in edit.spans:
                if span[0] >= old + gone:
                    span[0] += moved
                    span[1] += moved


def _cause(steps: Sequence[AgentStep], first: AgentStep, second: AgentStep, path: str) -> tuple[str, list[str]]:
    """Why a file was edited again: another one had to change, something had not been read, or it was a mistake."""
    between = [step for step in steps[first.number : second.number - 1] if step.done]
    edited = {file.path for step in between for file in step.touched(_CHANGING)} - {path}
    if edited:
        return "cascading_change", sorted(edited)
    read = {file.path for step in between for file in step.touched(("read",))} - {path}
    return ("missing_context" if read else "wrong_assumption"), []


def _sequences(steps: Sequence[AgentStep], settings: ObserveSettings) -> list[SignalRow]:
    """Classes of tools in a row within one turn, how often, and how it ended."""
    turns: dict[tuple[int, int], list[AgentStep]] = {}
    for step in steps:
        turns.setdefault((step.turn, step.epoch), []).append(step)
    seen: dict[tuple[str, ...], list[AgentStep]] = {}
    for run in turns.values():
        classes = [step.event.kind or "other" for step in run]
        for length in range(settings.sequence_min, settings.sequence_max + 1):
            for start in range(len(run) - length + 1):
                row = tuple(classes[start : start + length])
                if len(set(row)) > 1:
                    seen.setdefault(row, []).append(run[start + length - 1])
    best = sorted(seen.items(), key=lambda item: (-len(item[1]), -len(item[0]), item[0]))[:SEQUENCES_MAX]
    return [
        _row(
            SignalKind.SEQUENCE,
            " ".join(row),
            ends[-1].event.at,
            count=len(ends),
            succeeded=sum(end.done for end in ends),
            failed=sum(not end.done for end in ends),
        )
        for row, ends in best
    ]


def _rereads(steps: Sequence[AgentStep], settings: ObserveSettings) -> list[SignalRow]:
    """A file read again and again and never edited. Other lines of it, another agent's reads, and what was read before
    the context was compacted do not count."""
    edited = {file.path for step in steps if step.done for file in step.touched(_CHANGING)}
    reads: dict[tuple[str, str], list[AgentStep]] = {}
    for step in steps:
        for file in step.touched(("read",)) if step.done else ():
            if file.path not in edited:
                same = orjson.dumps([step.epoch, step.event.agent, file.detail.get("lines")]).decode()
                reads.setdefault((file.path, same), []).append(step)
    most: dict[str, list[AgentStep]] = {}
    for (path, _), times in reads.items():
        if len(times) >= settings.rereads_min and len(times) > len(most.get(path, ())):
            most[path] = times
    return [
        _row(
            SignalKind.TIME_ANOMALY,
            path,
            times[-1].event.at,
            count=len(times),
            ms=(times[-1].event.at - times[0].event.at) // 1000,
        )
        for path, times in most.items()
    ]
