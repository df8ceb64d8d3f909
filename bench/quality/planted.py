"""What is remembered of agents at work, held against patterns that were planted in what they did.

    python -m bench.quality --set planted

Sessions of an agent over the files of a real repository, through `mem.observe`, a few a day. Some folders have
patterns: files that belong together, errors with a cure, edits that another file's change forces again, files that work
there begins with, one that is looked up again and again. All sessions have noise: other files read and edited in
between, errors that come once, lines changed twice for no reason, files read too often once. The truth is what was
planted; sessions of the same generator without patterns say how much is made of noise alone.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from posixpath import dirname
from statistics import mean, pstdev
from typing import Any, NamedTuple

import recollect
from bench.quality.figures import Figure
from bench.quality.repositories import Repository, repositories
from recollect.clock import SECOND_US
from recollect.memory import Memory

SEEDS = range(200, 205)  # none of which was looked at while anything was tuned
SESSIONS = 24
FROM_SESSION = 5
FOLDERS = 4
OWN = 0.8  # share of edits without a pattern that are in the folder of the work
LARGEST = 12  # folders of a repository of which some have patterns
EMBEDDER = "wordllama"
_START = 1_780_000_000 * SECOND_US
_STEP_US = 20 * SECOND_US
_BETWEEN_US = 5 * 3600 * SECOND_US
_WHAT_FAILS = ("KeyError", "TypeError", "ImportError", "AssertionError", "ValueError", "OSError", "TimeoutError")
_SUBJECTS = (
    "queue",
    "token",
    "schema",
    "cache",
    "socket",
    "fixture",
    "parser",
    "loader",
    "session",
    "handler",
    "index",
)


class Clock:
    """Time that the simulation moves."""

    def __init__(self) -> None:
        self.now = _START

    def __call__(self) -> int:
        return self.now


class PlantedError(NamedTuple):
    """An error of a command, and the file whose edit cures it."""

    words: str
    command: str
    cure: str


class Folder(NamedTuple):
    """What was planted in a folder."""

    path: str
    first: tuple[str, ...]  # files that work here begins with
    pairs: tuple[tuple[str, str], ...]
    errors: tuple[PlantedError, ...]
    cascades: tuple[tuple[str, str], ...]  # the first has to be edited again because the second changed
    looked_up: str
    rest: tuple[str, ...]  # files of no pattern

    @property
    def own(self) -> list[str]:
        """Of these the folder's own: most of what is edited is where the work is."""
        return [path for path in self.rest if dirname(path) == dirname(self.rest[0])]

    def some(self, chance: random.Random) -> str:
        """A file that is edited for no reason of any pattern."""
        return chance.choice(self.own if chance.random() < OWN else self.rest)


class Session:
    """The events of one session, as a client tells them."""

    def __init__(self, memory: Memory, clock: Clock, name: str, chance: random.Random) -> None:
        self.events: list[dict[str, Any]] = []
        self._memory, self._clock, self._name, self._chance = memory, clock, name, chance

    def read(self, path: str) -> None:
        self._add("tool", "Read", {"file_path": path}, output={"file": {"content": "x" * 900}})

    def search(self) -> None:
        self._add("tool", "Grep", {"pattern": "x"}, output="y" * 600)

    def edit(self, path: str, line: int | None = None) -> None:
        at = self._chance.randint(1, 4_000) if line is None else line
        lines = [f"-was {self._chance.random()}", f"+is {self._chance.random()}"]
        hunk = {"oldStart": at, "oldLines": 1, "newStart": at, "newLines": 1, "lines": lines}
        self._add("tool", "Edit", {"file_path": path}, output={"structuredPatch": [hunk]})

    def run(self, command: str, error: str | None = None) -> None:
        if error is None:
            self._add("tool", "Bash", {"command": command}, output="fine")
        else:
            self._add("tool_failed", "Bash", {"command": command}, error=error)

    def end(self) -> None:
        self._add("session_end")
        self._memory.observe(self.events, client="simulated")

    def _add(self, type_: str, tool: str | None = None, given: Any = None, **more: Any) -> None:
        self._clock.now += _STEP_US
        event = {"session_id": self._name, "id": f"{len(self.events)}", "project": "planted", "type": type_, **more}
        self.events.append({**event, "at": self._clock.now, **({"tool": tool, "input": given} if tool else {})})


class Outcome(NamedTuple):
    """What became of one run of sessions: of each session the number of records kept, and of right ones."""

    kept: list[int]
    right: list[int]
    by_category: dict[str, tuple[int, int]]
    planted: int  # patterns that were shown in three sessions or more
    found: int


def measure(baselines: bool) -> list[Figure]:
    figures: list[Figure] = []
    for repository in repositories():
        runs = [simulate(repository, seed) for seed in SEEDS]
        noise = [simulate(repository, seed, patterns=False) for seed in SEEDS]
        figures += figures_of(repository.name, runs, noise)
    return figures


def figures_of(name: str, runs: Sequence[Outcome], noise: Sequence[Outcome]) -> Iterator[Figure]:
    later = FROM_SESSION - 1
    right = [mean(run.right[later:]) for run in runs]
    shares = [sum(run.right) / max(1, sum(run.kept)) for run in runs]
    quiet = [mean(run.kept) for run in noise]
    found = [run.found / max(1, run.planted) for run in runs]
    by: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for run in runs:
        for category, (kept, good) in run.by_category.items():
            by[category][0] += kept
            by[category][1] += good
    told = ", ".join(f"{category} {good}/{kept}" for category, (kept, good) in sorted(by.items()))
    yield Figure(name=f"right records a session, {name}", value=mean(right), note=_spread(right))
    yield Figure(name=f"right, {name}", value=mean(shares), note=f"{_spread(shares)}; {told}")
    yield Figure(name=f"planted found, {name}", value=mean(found), note=_spread(found))
    clear = [1.0 - each for each in quiet]
    yield Figure(
        name=f"sessions without made-up records, {name}",
        value=mean(clear),
        note=f"{mean(quiet):.2f} records a session are made of noise where nothing is planted; {_spread(quiet)}",
    )


def _spread(values: Sequence[float]) -> str:
    return f"{min(values):.2f} … {max(values):.2f}, s {pstdev(values):.2f} over {len(values)} seeds"


def simulate(repository: Repository, seed: int, *, patterns: bool = True, sessions: int = SESSIONS) -> Outcome:
    """A run of sessions of one seed; what was concluded from each."""
    chance = random.Random(f"{repository.name} {seed}")
    folders = planted(repository, chance)
    popular = chance.sample(repository.files, min(12, len(repository.files)))
    clock = Clock()
    kept: list[int] = []
    right: list[int] = []
    by: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    shown: dict[tuple[str, ...], int] = defaultdict(int)
    found: set[tuple[str, ...]] = set()
    with recollect.open(":memory:", embedder=EMBEDDER, clock=clock, background=False) as memory:
        known: set[str] = set()
        for number in range(sessions):
            clock.now += _BETWEEN_US
            session = Session(memory, clock, f"s{number}", chance)
            _work(session, chance.choice(folders), popular, chance, shown, patterns=patterns)
            session.end()
            new = [each for each in memory.get_all(project="planted", limit=1_000) if _is_new(each, known)]
            good = [each for each in new if patterns and (what := _planted_in(each, folders)) and not found.add(what)]
            kept.append(len(new))
            right.append(len(good))
            for each in new:
                by[each.category][0] += 1
                by[each.category][1] += each in good
    often = {what for what, times in shown.items() if times >= 3}
    categories = {name: (both[0], both[1]) for name, both in by.items()}
    return Outcome(kept, right, categories, len(often), len(often & found))


def _is_new(record: Any, known: set[str]) -> bool:
    if record.source != "observer_inferred" or record.id in known:
        return False
    known.add(record.id)
    return True


def planted(repository: Repository, chance: random.Random) -> list[Folder]:
    """Folders with what is planted there: files of the folder first, then any others."""
    by_folder: dict[str, list[str]] = defaultdict(list)
    for path in repository.files:
        by_folder[dirname(path)].append(path)
    large = sorted(by_folder, key=lambda folder: (-len(by_folder[folder]), folder))[:LARGEST]
    out = []
    for number, folder in enumerate(chance.sample(large, min(FOLDERS, len(large)))):
        own = chance.sample(by_folder[folder], len(by_folder[folder]))
        others = [path for path in chance.sample(repository.files, min(60, len(repository.files))) if path not in own]
        of = own[: len(own) - 4] + others[2:]  # small folders borrow
        first = (*own[-2:], *others[:2])
        pairs = tuple((of[2 * at], of[2 * at + 1]) for at in range(5))
        cascades = tuple((of[10 + 2 * at], of[11 + 2 * at]) for at in range(2))
        errors = tuple(_error(number, at, of[14 + at], chance) for at in range(3))
        rest = (*own[-4:-2], *[path for path in of[17:] if path in own], *others[-8:])
        out.append(Folder(folder or ".", first, pairs, errors, cascades, others[2 + 17], rest))
    return out


def _error(folder: int, at: int, cure: str, chance: random.Random) -> PlantedError:
    kind, subject = chance.choice(_WHAT_FAILS), chance.choice(_SUBJECTS)
    return PlantedError(
        f"{kind}: the {subject} of part {'abcdefgh'[folder]}{'uvwxyz'[at]} is not ready", f"make {folder} {at}", cure
    )


def _work(
    session: Session,
    folder: Folder,
    popular: Sequence[str],
    chance: random.Random,
    shown: dict[tuple[str, ...], int],
    *,
    patterns: bool,
) -> None:
    """One session in a folder: how it begins, then what happens in any order, with noise in between."""
    if patterns:
        for path in chance.sample(folder.first, len(folder.first)):
            if chance.random() < 0.95:
                session.read(path)
                shown["first", folder.path, path] += 1
            _noise_step(session, folder, popular, chance, 0.3)
    episodes = [*_episodes(folder, chance, shown)] if patterns else []
    episodes += [_NOISE[chance.randrange(len(_NOISE))] for _ in range(8 if patterns else 14)]
    chance.shuffle(episodes)
    for episode in episodes:
        episode(session, folder, popular, chance)
    session.edit(chance.choice(folder.own))


def _episodes(folder: Folder, chance: random.Random, shown: dict[tuple[str, ...], int]) -> Iterator[Any]:
    for one, other in folder.pairs:
        if chance.random() < 0.7:
            shown["pair", *sorted((one, other))] += 1
            yield lambda session, *rest, both=(one, other): _together(session, *rest, *both)
    for error in folder.errors:
        if chance.random() < 0.6:
            shown["error", error.words] += 1
            yield lambda session, *rest, error=error: _failing(session, *rest, error)
    for first, second in folder.cascades:
        if chance.random() < 0.6:
            shown["cascade", first, second] += 1
            yield lambda session, *rest, both=(first, second): _cascading(session, *rest, *both)
    if chance.random() < 0.6:
        shown["looked up", folder.looked_up] += 1
        yield lambda session, folder, popular, chance: _looked_up(session, folder, popular, chance, folder.looked_up)


def _noise_step(session: Session, folder: Folder, popular: Sequence[str], chance: random.Random, share: float) -> None:
    if chance.random() < share:
        chance.choice((session.search, lambda: session.read(chance.choice(popular)), lambda: session.run("ls -l")))()


def _together(
    session: Session, folder: Folder, popular: Sequence[str], chance: random.Random, one: str, other: str
) -> None:
    session.read(one)
    _noise_step(session, folder, popular, chance, 0.3)
    chance.choice((session.read, session.edit))(other)
    if chance.random() < 0.5:
        session.edit(one)


def _failing(
    session: Session, folder: Folder, popular: Sequence[str], chance: random.Random, error: PlantedError
) -> None:
    where = f"/home/kim/shop-{chance.randint(1, 99)}/x.py:{chance.randint(1, 999)}: {error.words}"
    session.run(error.command, where)
    _noise_step(session, folder, popular, chance, 0.4)
    session.edit(error.cure)
    session.run(error.command)


def _cascading(
    session: Session, folder: Folder, popular: Sequence[str], chance: random.Random, one: str, other: str
) -> None:
    line = chance.randint(1, 4_000)
    session.edit(one, line)
    session.edit(other)
    _noise_step(session, folder, popular, chance, 0.3)
    session.edit(one, line)


def _looked_up(session: Session, folder: Folder, popular: Sequence[str], chance: random.Random, path: str) -> None:
    for _ in range(chance.randint(4, 6)):
        session.read(path)
        session.edit(folder.some(chance))


def _reads(session: Session, folder: Folder, popular: Sequence[str], chance: random.Random) -> None:
    session.search()
    for _ in range(chance.randint(1, 3)):
        session.read(chance.choice((*folder.rest, *popular)))


def _edits(session: Session, folder: Folder, popular: Sequence[str], chance: random.Random) -> None:
    path = folder.some(chance)
    session.read(path)
    for _ in range(chance.randint(1, 3)):
        session.edit(path)


def _second_thoughts(session: Session, folder: Folder, popular: Sequence[str], chance: random.Random) -> None:
    """Lines that are changed again after a run of tests: every session has some, and they teach nothing."""
    path, line = folder.some(chance), chance.randint(1, 4_000)
    session.edit(path, line)
    session.run("pytest -q")
    if chance.random() < 0.3:
        session.edit(folder.some(chance))
    session.edit(path, line)


def _once(session: Session, folder: Folder, popular: Sequence[str], chance: random.Random) -> None:
    """An error that comes in this session alone, perhaps several times."""
    words = f"{chance.choice(_WHAT_FAILS)}: {chance.getrandbits(60):x} {''.join(chance.choices('abcdefghij', k=8))}"
    for _ in range(chance.randint(1, 3)):
        session.run("pytest -q", words)
        session.edit(folder.some(chance))
    session.run("pytest -q")


def _stuck(session: Session, folder: Folder, popular: Sequence[str], chance: random.Random) -> None:
    """A file that is read too often once in a while."""
    if chance.random() < 0.15:
        path = chance.choice(popular)
        for _ in range(chance.randint(4, 5)):
            session.read(path)
            session.search()


_NOISE = (_reads, _reads, _edits, _edits, _second_thoughts, _once, _stuck)


def _planted_in(record: Any, folders: Sequence[Folder]) -> tuple[str, ...] | None:
    """The pattern that a record is about; None if it is about none."""
    files = record.metadata.get("related_files", [])
    for folder in folders:
        match record.category:
            case "causal_dependency":
                groups = [folder.first, *folder.pairs, *folder.cascades]
                if any(set(files) <= set(group) for group in groups):
                    return ("pair", *sorted(files))
            case "prefetch_pattern" if (
                record.content.startswith(f"Work on {folder.path} ") and files[0] in folder.first
            ):
                return "first", folder.path, files[0]
            case "gotcha":
                for one, other in folder.cascades:
                    if files and files[0] == one and other in files[1:] and len(files) <= 3:
                        return "cascade", one, other
            case "error_pattern":
                for error in folder.errors:
                    if error.words.split(": ")[1] in record.content and error.cure in files:
                        return "error", error.words
            case "module_insight" if files == [folder.looked_up]:
                return "looked up", folder.looked_up
    return None
