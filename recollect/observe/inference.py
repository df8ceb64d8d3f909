"""From signals to records: what is worth remembering of what agents did, and in which words.

A rule looks at one sort of signal and says how often it has to be seen. What was seen often enough is scored by
frequency, recency and novelty; what passes is worded by a template that names files, counts and nothing else. So
everything a record says can be counted again in the log, and the same signals always give the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from recollect.config.observing import ObserveSettings
from recollect.model.plain import plain

FREQUENCY, RECENCY, NOVELTY = 0.4, 0.3, 0.3
RECENCY_HALF_DAYS = 14.0
WORTH_MIN = 0.6
KNOWN_COSINE = 0.88  # to a record of the same files, from which on it is that record that was seen again
SESSIONS_MIN = 2  # that show the same: nothing follows from one session alone, however often it happened there
BY_CHANCE_MAX = 0.02
PER_SESSION_MAX = 10
FILES_NAMED_MAX = 5

KEY_PARTS = "\x1f"  # between the parts of a key
# How the keys of errors, of backtracks and of files that are usually read begin.
ERROR_KEY, BACKTRACK_KEY, USUAL_KEY = "error", "backtrack", "usual"

_DAY_S = 86_400
_ERROR_CHARS = 160


class BacktrackCause(StrEnum):
    """Why a file was edited again so soon."""

    CASCADING = "cascading_change"  # another file was edited between
    MISSING_CONTEXT = "missing_context"  # others were read between
    WRONG_ASSUMPTION = "wrong_assumption"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What all signals have in common: how often, when last, in which sessions."""

    times: int
    last_at_s: int
    sessions: tuple[str, ...]
    surety: float = 1.0  # at least how probable it is to be seen where a session comes to these files at all


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesTogether(Seen):
    """Two files within a few steps of each other; `times` counts sessions."""

    first: str
    second: str
    steps: float
    by_chance: float = 0.0  # how probable so many sessions are for two files that have nothing to do with each other
    follows: bool = False  # the second nearly always comes after the first


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAgain(Seen):
    """A file that a session read again and again and never edited; `times` counts the reads."""

    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedError(Seen):
    """The same error of a tool, with paths, numbers and names taken out of it; and what made it go away."""

    tool: str
    error: str
    files: tuple[str, ...] = ()
    after: tuple[str, ...] = ()  # files that sessions edited before it came up, and seldom edit otherwise
    cured_by: tuple[str, ...] = ()  # files that were edited before the first success


@dataclass(frozen=True, slots=True, kw_only=True)
class Backtrack(Seen):
    """An edit that had to be taken back or done again at once."""

    file: str
    cause: BacktrackCause
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UsualFile(Seen):
    """A file that nearly every session of a module reads; `times` counts these sessions, `of` all of the module's."""

    module: str
    file: str
    of: int


Signal = FilesTogether | ReadAgain | RepeatedError | Backtrack | UsualFile


@dataclass(frozen=True, slots=True, kw_only=True)
class FromWatching:
    """Something that may be remembered. `key` is the same whenever the same thing is seen again."""

    key: str
    category: str
    content: str
    files: tuple[str, ...]
    times: int
    least: int
    last_at_s: int
    sessions: tuple[str, ...]
    required_with: tuple[str, str] | None = None

    def worth(self, now_s: int, similarity: float) -> float:
        """How much there is to it, from 0 to 1; `similarity` is the cosine to the nearest record of these files."""
        frequency = min(1.0, self.times / (2 * self.least))
        recency: float = 0.5 ** (max(0.0, (now_s - self.last_at_s) / _DAY_S) / RECENCY_HALF_DAYS)
        return FREQUENCY * frequency + RECENCY * recency + NOVELTY * (1.0 - min(1.0, max(0.0, similarity)))


def inferred(signals: Iterable[Signal], settings: ObserveSettings) -> list[FromWatching]:
    """What follows from signals that were seen often enough, in the order of the signals, each once."""
    sure = (signal for signal in signals if len(signal.sessions) >= SESSIONS_MIN and signal.surety > settings.surety)
    found = (_of(signal, settings) for signal in sure)
    return list({each.key: each for each in found if each is not None and each.times >= each.least}.values())


def _of(signal: Signal, settings: ObserveSettings) -> FromWatching | None:
    match signal:
        case FilesTogether():
            return _together(signal, settings.together_sessions) if signal.by_chance < BY_CHANCE_MAX else None
        case ReadAgain():
            return _read_again(signal, settings.rereads_min)
        case RepeatedError():
            return _error(signal, settings.errors_min)
        case Backtrack():
            return _backtrack(signal, settings.backtracks_min)
        case UsualFile():
            return (
                _usual(signal, settings.module_sessions) if signal.times > settings.module_share * signal.of else None
            )


def _together(seen: FilesTogether, least: int) -> FromWatching:
    first, second = seen.first, seen.second
    how = f"{second} comes after {first}" if seen.follows else f"{first} and {second} are worked on together"
    return _inferred(
        seen,
        least,
        key=("together", *sorted((first, second))),
        category="causal_dependency",
        content=f"{how}: seen in {_sessions(seen)}, {_steps(seen.steps)} apart.",
        files=(first, second),
        required_with=(first, second) if seen.follows else None,
    )


def _read_again(seen: ReadAgain, least: int) -> FromWatching:
    return _inferred(
        seen,
        least,
        key=("read", seen.file),
        category="module_insight",
        content=f"{seen.file} is read again and again and never edited ({_times(seen.times)} in a session).",
        files=(seen.file,),
    )


def _error(seen: RepeatedError, least: int) -> FromWatching:
    error = " ".join(plain(seen.error).split())[:_ERROR_CHARS]
    cure = f" It went away after edits of {_named(seen.cured_by)}." if seen.cured_by else ""
    where = f" in {_named(seen.files)}" if seen.files else ""
    where += f" after edits of {_named(seen.after)}" if seen.after else ""
    return _inferred(
        seen,
        least,
        key=(ERROR_KEY, seen.tool, seen.error),
        category="error_pattern",
        content=f"{seen.tool} fails{where} with “{error}” ({_times(seen.times)}).{cure}",
        files=tuple(dict.fromkeys((*seen.files, *seen.after, *seen.cured_by))),
    )


def _backtrack(seen: Backtrack, least: int) -> FromWatching:
    others = _named(seen.others)
    why = {
        BacktrackCause.CASCADING: f" because {others} had to change with it" if others else "",
        BacktrackCause.MISSING_CONTEXT: f" after {others} had been read: read that first" if others else "",
        BacktrackCause.WRONG_ASSUMPTION: ": the first edit rested on a wrong assumption",
    }[seen.cause]
    return _inferred(
        seen,
        least,
        key=(BACKTRACK_KEY, seen.file, seen.cause.value, *sorted(seen.others)),
        category="gotcha",
        content=f"An edit of {seen.file} had to be done again{why} ({_times(seen.times)}).",
        files=(seen.file, *seen.others),
    )


def _usual(seen: UsualFile, least: int) -> FromWatching:
    return _inferred(
        seen,
        least,
        key=(USUAL_KEY, seen.module, seen.file),
        category="prefetch_pattern",
        content=f"Work on {seen.module} reads {seen.file} in {seen.times} of {seen.of} sessions.",
        files=(seen.file,),
    )


def _inferred(
    seen: Seen,
    least: int,
    *,
    key: Sequence[str],
    category: str,
    content: str,
    files: tuple[str, ...],
    required_with: tuple[str, str] | None = None,
) -> FromWatching:
    return FromWatching(
        key=KEY_PARTS.join(key),
        category=category,
        content=content,
        files=files,
        times=seen.times,
        least=least,
        last_at_s=seen.last_at_s,
        sessions=seen.sessions,
        required_with=required_with,
    )


def _named(files: Sequence[str]) -> str:
    shown = list(files[:FILES_NAMED_MAX])
    more = len(files) - len(shown)
    if more:
        return f"{', '.join(shown)} and {more} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _sessions(seen: Seen) -> str:
    return f"{seen.times} session{'s' * (seen.times != 1)}"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _steps(steps: float) -> str:
    return f"{steps:.0f} step{'s' * (round(steps) != 1)}"
