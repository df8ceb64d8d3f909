"""How much memory spares a simulated agent: a policy over real histories, with and without memory.

    python -m bench.quality --set agents

A session is a commit, in the order of the history: the agent needs the files that the commit changed. It does not know
which these are; it knows a needed file when it has read it. It searches (five files are found, the right one often
among them), reads some of what was found, edits what it needs and runs the tests. Some files break a test until another
file is edited too. What an agent read long ago it has lost and reads again before it edits.

With memory, what hooks say reaches the agent as text (`POST /v1/hooks`), and files that the text names are read before
anything is searched. Where a file was found the agent asks which ones go with it, where a test fails it asks the memory
about the error; each such question counts as a call. Without memory the same agent has neither. Neither knows anything
but what it was told, and whether a file that it reads is one that it needs.
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path
from posixpath import dirname
from statistics import mean, pstdev
from typing import Any, NamedTuple

import recollect
from bench.quality.figures import Figure
from bench.quality.planted import EMBEDDER, Clock
from bench.quality.repositories import Commit, Repository, repositories
from recollect.clock import SECOND_US
from recollect.errors import RecollectError
from recollect.facade.observing import hooked
from recollect.hook import places
from recollect.memory import Memory

SEEDS = range(200, 203)  # none of which was looked at while anything was tuned
SESSIONS = 36
LATER = 15  # sessions, after which memory is held to know something
FOUND = 0.8  # how often a search has the right file among what it finds
FOUND_FILES, READ_FILES = 4, 3
IN_SIGHT = 4  # files that an agent still has before it
TRIES_MAX = 12  # searches for one file, before somebody tells where it is
MISSES_MAX = 3  # hints in a row that led nowhere, after which the others are left alone
PAIR_WEIGHT, PAIRS = 0.35, 4
NEEDED_MAX = 6
AREAS = 6  # of a repository, the narrowest in which there is enough to do
EARLIER_WORK = "Where the work stood:"
HISTORY_MAX = 2_000  # commits before the first task
ERRORS = 5
_STEP_US, _BETWEEN_US = 20 * SECOND_US, 6 * 3600 * SECOND_US
_TESTS = "pytest -q"


class Fault(NamedTuple):
    """A test that fails where one file was edited and another was not."""

    words: str
    trigger: str
    cure: str


class Task(NamedTuple):
    """A commit to be made, and all that was committed since the task before it."""

    needed: tuple[str, ...]  # files that were there already: a new one need not be found
    before: list[Commit]
    commit: Commit


class Work(NamedTuple):
    """A row of tasks in one repository."""

    history: list[Commit]  # before the first task
    files: list[str]
    tasks: list[Task]
    faults: list[Fault]


class Tally(NamedTuple):
    """One session in figures."""

    discovery: int
    reads: int
    rereads: int
    recurrences: int
    warned: int  # warnings that were told
    apt: int  # … of which the session touched a file
    looked: int  # tokens, as the meter has them
    injected: int


def measure(baselines: bool) -> list[Figure]:
    figures: list[Figure] = []
    for repository in repositories():
        runs = [(simulate(repository, seed, memory=True), simulate(repository, seed, memory=False)) for seed in SEEDS]
        figures += figures_of(repository.name, [run for run, _ in runs], [run for _, run in runs])
    return figures


def figures_of(name: str, with_memory: Sequence[list[Tally]], without: Sequence[list[Tally]]) -> Iterator[Figure]:
    for after, sessions in (("at first", (0, 5)), ("after 15", (LATER, 25)), ("after 30", (30, SESSIONS))):
        yield _beside(f"discovery calls {after}, {name}", with_memory, without, sessions, _discovery)
    yield _beside(f"rereads, {name}", with_memory, without, (LATER, SESSIONS), _rereads)
    for by, sessions in ((20, (LATER, 25)), (30, (25, SESSIONS))):
        yield _beside(f"known errors again by {by}, {name}", with_memory, without, sessions, _recurrences)
    told = [(sum(each.apt for each in run), sum(each.warned for each in run)) for run in with_memory]
    shares = [apt / warned for apt, warned in told if warned]
    note = f"{sum(warned for _, warned in told)} warnings; {_spread(shares)}" if shares else "none was told"
    yield Figure(name=f"warnings that are apt, {name}", value=mean(shares) if shares else None, note=note)
    spared = [_looked(other) - _looked(run) for run, other in zip(with_memory, without, strict=True)]
    injected = [mean(each.injected for each in run[LATER:]) for run in with_memory]
    net = [less - said for less, said in zip(spared, injected, strict=True)]
    note = f"{_spread(net)}; {mean(spared):+.0f} looked at less, {mean(injected):.0f} said"
    yield Figure(name=f"net tokens saved a session, {name}", value=mean(net), note=note)


def _beside(name: str, ours: Any, theirs: Any, sessions: tuple[int, int], figure: Any) -> Figure:
    values = [figure(run[slice(*sessions)]) for run in ours]
    others = [figure(run[slice(*sessions)]) for run in theirs]
    return Figure(name=name, value=mean(values), baseline=mean(others), note=_spread(values))


def _discovery(run: Sequence[Tally]) -> float:
    return mean(each.discovery for each in run)


def _rereads(run: Sequence[Tally]) -> float:
    return sum(each.rereads for each in run) / max(1, sum(each.reads for each in run))


def _looked(run: Sequence[Tally]) -> float:
    return mean(each.looked for each in run[LATER:])


def _recurrences(run: Sequence[Tally]) -> float:
    return mean(each.recurrences for each in run)


def _spread(values: Sequence[float]) -> str:
    return f"{min(values):.2f} … {max(values):.2f}, s {pstdev(values):.2f} over {len(values)} seeds" if values else ""


def simulate(repository: Repository, seed: int, *, memory: bool, sessions: int = SESSIONS) -> list[Tally]:
    """One row of tasks, worked through with or without memory."""
    work = work_of(repository, random.Random(f"{repository.name} {seed}"), sessions)
    chance = random.Random(f"{repository.name} {seed} agent")
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder, "work")
        top.mkdir()
        subprocess.run(("git", "init", "-q", "-b", "main", str(top)), check=True)
        committed(top, work.history)
        settings = {"observe.inject": memory}
        with recollect.open(
            Path(folder, "m.db"), embedder=EMBEDDER, clock=clock, background=False, config=settings
        ) as store:
            if memory:
                store.code.index(str(top), name="work")
            known: set[str] = set()
            tallies = []
            for number, task in enumerate(work.tasks):
                clock.now += _BETWEEN_US
                committed(top, task.before)
                agent = Agent(store, clock, top, work, f"s{number}", chance, memory=memory)
                tallies.append(agent.work(task.needed, known))
                committed(top, [task.commit])
        return tallies


def work_of(repository: Repository, chance: random.Random, sessions: int) -> Work:
    """What one agent did in one area: commits there in a row, and faults at files that these change often."""
    start, there, possible = len(repository.commits) // 3, set[str](), []
    for number, commit in enumerate(repository.commits):
        needed = tuple(path for path in commit.files if path in there)
        if number >= start and 2 <= len(needed) <= NEEDED_MAX:
            possible.append((number, needed))
        there.update(commit.files)
    times = Counter(area for _, needed in possible for area in {each for path in needed for each in _areas(path)})
    busy = sorted(area for area, count in times.items() if count >= sessions)
    narrow = sorted(busy, key=lambda area: (times[area], area))[:AREAS]
    area = chance.choice(narrow)
    chosen = [each for each in possible if any(area in _areas(path) for path in each[1])]
    chosen = chosen[(first := chance.randint(0, len(chosen) - sessions)) : first + sessions]
    ends = [number for number, _ in chosen]
    tasks = [
        Task(needed, repository.commits[before + 1 : number], repository.commits[number])
        for before, (number, needed) in zip([ends[0] - 1, *ends], chosen, strict=False)
    ]
    history = repository.commits[: ends[0]]
    files = sorted({path for commit in history for path in commit.files} | {p for task in tasks for p in task.needed})
    often = Counter(path for task in tasks for path in task.needed).most_common(ERRORS)
    faults = [
        Fault(f"CheckError: table {'abcdefgh'[number]} of the build is out of date", path, chance.choice(files))
        for number, (path, count) in enumerate(often)
        if count > 2
    ]
    return Work(history[-HISTORY_MAX:], files, tasks, faults)


def _areas(path: str) -> list[str]:
    """The folders that a file is in, the nearest first."""
    found = []
    while path := dirname(path):
        found.append(path)
    return found


def committed(top: Path, commits: Sequence[Commit]) -> None:
    """Make these commits in the repository there, every file with a text of its own, and check the last one out."""
    with subprocess.Popen(("git", "-C", str(top), "fast-import", "--quiet"), stdin=subprocess.PIPE) as git:
        assert git.stdin is not None
        begun = (top / ".git" / "refs" / "heads" / "main").exists()
        for number, commit in enumerate(commits):
            lines = [f"commit refs/heads/main\ncommitter Kim <kim@example.org> {commit.at_s} +0000\ndata 1\nx\n"]
            if begun and number == 0:
                lines.append("from refs/heads/main^0\n")
            for path in commit.files:
                text = f"# {path}\nvalue = {commit.at_s + number}\n"
                lines.append(f"M 644 inline {path}\ndata {len(text.encode())}\n{text}\n")
            git.stdin.write("".join(lines).encode())
    subprocess.run(("git", "-C", str(top), "reset", "-q", "--hard", "main"), check=True)


class Agent:
    """The policy, for one session: what it has seen, what it was told, what it did."""

    def __init__(
        self, store: Memory, clock: Clock, top: Path, work: Work, name: str, chance: random.Random, *, memory: bool
    ) -> None:
        self._store, self._clock, self._top, self._work, self._name = store, clock, top, work, name
        self._chance, self._memory = chance, memory
        self._calls = 0
        self._sight: OrderedDict[str, None] = OrderedDict()  # files whose text it still has, the oldest first
        self._read: set[str] = set()
        self._edited: list[str] = []
        self._hints: list[str] = []
        self._cures: dict[str, list[str]] = {}  # files to be edited too, by the file that a warning was about
        self._misses = 0
        self._counted: Counter[str] = Counter()

    def work(self, task: Sequence[str], known: set[str]) -> Tally:
        """The whole session. `known` are errors that earlier ones met."""
        self._hook("SessionStart", source="startup")
        self._hook("UserPromptSubmit", prompt="Go on with the next change, please.", prompt_id="p1")
        needed = list(task)
        while missing := [path for path in needed if path not in self._read]:
            if not self._follow_a_hint(set(missing)):
                self._search_for(missing[0], set(missing))
        for path in needed:
            self._edit(path)
        self._test(known)
        self._hook("Stop", last_assistant_message="Done.", prompt_id="p1")
        self._hook("SessionEnd", reason="other")
        warned, apt = self._warnings()
        figures = self._store.sessions.end(self._name).figures
        return Tally(
            self._counted["discovery"],
            self._counted["reads"],
            self._counted["rereads"],
            self._counted["recurrences"],
            warned,
            apt,
            figures.tokens_looked,
            figures.tokens_injected,
        )

    # --- looking for files --------------------------------------------------------------------------------------

    def _follow_a_hint(self, needed: set[str]) -> bool:
        """Read a file that the memory named; False if there is none that is worth it."""
        while self._hints and self._misses < MISSES_MAX:
            path = self._hints.pop(0)
            if path in self._read:
                continue
            right = path in needed
            self._misses = 0 if right else self._misses + 1
            self._look_at(path, needed, hinted=True)
            return True
        return False

    def _search_for(self, path: str, needed: set[str]) -> None:
        """Search until any file that is needed was read."""
        folder = [other for other in self._work.files if dirname(other) == dirname(path)]
        for _ in range(TRIES_MAX):
            near = [other for other in self._chance.sample(folder, min(3, len(folder))) if other != path]
            found = [*near, *self._chance.sample(self._work.files, FOUND_FILES)][: FOUND_FILES - 1]
            found.append(path if self._chance.random() < FOUND else self._chance.choice(self._work.files))
            self._chance.shuffle(found)
            self._counted["discovery"] += 1
            self._tool("Grep", {"pattern": "x"}, "\n".join(found) * 4)
            unread = [each for each in found if each not in self._read]
            for each in unread[:READ_FILES]:
                self._look_at(each, needed)
                if each in needed:
                    return
        self._look_at(path, needed)

    def _look_at(self, path: str, needed: set[str], *, hinted: bool = False) -> None:
        """A first read: free if the memory named the file and it is needed."""
        self._counted["discovery"] += not (hinted and path in needed)
        self._reading(path)
        if path in needed and needed > {path}:
            self._ask_what_goes_with(path)

    def _ask_what_goes_with(self, path: str) -> None:
        if not self._memory:
            return
        try:
            found = self._store.code.paired(path, root=str(self._top), limit=PAIRS).files
        except RecollectError:
            found = ()
        likely = [each.path for each in found if each.weight >= PAIR_WEIGHT and each.path not in self._read]
        if likely:
            self._misses = 0
        self._hints = [*likely, *self._hints]
        self._asked("get_dependencies", likely)

    # --- reading, editing, testing ------------------------------------------------------------------------------

    def _reading(self, path: str) -> None:
        self._counted["reads"] += 1
        self._counted["rereads"] += path in self._read
        self._read.add(path)
        lines = {"startLine": 1, "numLines": 2, "totalLines": 2}
        shown = {"filePath": str(self._top / path), "content": "x" * 1_500, **lines}
        self._see(path)
        self._tool("Read", {"file_path": str(self._top / path)}, {"type": "text", "file": shown})

    def _see(self, path: str) -> None:
        self._sight[path] = None
        self._sight.move_to_end(path)
        while len(self._sight) > IN_SIGHT:
            self._sight.popitem(last=False)

    def _edit(self, path: str) -> None:
        if path in self._edited:
            return
        if path not in self._sight:
            self._reading(path)
        given = {"file_path": str(self._top / path), "old_string": "value = 1", "new_string": f"value = {self._calls}"}
        self._heed(self._hook("PreToolUse", tool_name="Edit", tool_input=given, tool_use_id=f"b{self._calls}"))
        self._edited.append(path)
        self._tool("Edit", given, {"filePath": given["file_path"]})
        self._see(path)
        for cure in self._cures.pop(path, ()):  # what a warning says of this file is done at once
            self._edit(cure)

    def _test(self, known: set[str]) -> None:
        """Run the tests until they go well."""
        for fault in self._work.faults:
            if fault.trigger not in self._edited or fault.cure in self._edited:
                continue
            self._counted["recurrences"] += fault.words in known
            known.add(fault.words)
            told = self._hook(
                "PostToolUseFailure",
                tool_name="Bash",
                tool_input={"command": _TESTS},
                error=fault.words,
                tool_use_id=f"t{self._count()}",
            )
            self._hints = [*places.named_in(told, str(self._top))] or self._asked_about(fault.words)
            self._misses = 0
            while fault.cure not in self._read:
                if not self._follow_a_hint({fault.cure}):
                    self._search_for(fault.cure, {fault.cure})
            self._edit(fault.cure)
            self._tool("Bash", {"command": _TESTS}, {"stdout": "fine"})

    def _asked_about(self, error: str) -> list[str]:
        """Files that the memory names when it is asked about an error."""
        if not self._memory:
            return []
        hits = self._store.search(error, project="work", top_k=3, categories=["error_pattern"])
        files = [path for hit in hits for path in places.named_in(hit.content, str(self._top))]
        self._asked("memory_search", [{"id": hit.id[:8], "text": hit.content} for hit in hits])
        return list(dict.fromkeys(files))

    def _asked(self, tool: str, answer: Any) -> None:
        self._counted["discovery"] += 1
        self._tool(f"mcp__recollect__{tool}", {"query": "x"}, {"results": answer})

    # --- what is told ---------------------------------------------------------------------------------------------

    def _tool(self, tool: str, given: dict[str, Any], response: Any) -> None:
        told = self._hook(
            "PostToolUse", tool_name=tool, tool_input=given, tool_response=response, tool_use_id=f"t{self._count()}"
        )
        self._hear(told)
        self._heed(told)

    def _heed(self, told: str) -> None:
        """Note what warnings about a file say: which other file has to be edited with it."""
        for about in told.split("About ")[1:]:
            path = about.partition(":\n")[0]
            _, _, cure = about.partition("It went away after edits of ")
            self._cures.setdefault(path, []).extend(places.named_in(cure.partition("\n")[0], str(self._top)))

    def _count(self) -> int:
        self._calls += 1
        return self._calls

    def _hook(self, event: str, **fields: Any) -> str:
        """What a hook answers, as the agent reads it."""
        self._clock.now += _STEP_US
        payload = {"session_id": self._name, "cwd": str(self._top), "hook_event_name": event, **fields}
        answer = hooked(self._store, "claude-code", payload, at=self._clock.now)
        told = json.loads(answer)["hookSpecificOutput"]["additionalContext"] if answer else ""
        if event in ("SessionStart", "UserPromptSubmit"):
            self._hear(told)
        return told

    def _hear(self, told: str) -> None:
        """Files that are named are read before anything is searched, in the order in which they were named. Those of
        earlier work are not: they say where that was."""
        _, earlier, told = told.rpartition(EARLIER_WORK)
        named = places.named_in(told.partition("\n[/recollect")[2] if earlier else told, str(self._top)) if told else []
        self._hints += [path for path in named if path not in self._hints and path not in self._read]

    def _warnings(self) -> tuple[int, int]:
        """How many warnings were told, and how many of these are about a file that this session touched."""
        shown = self._store.observed(session_id=self._name, limit=1)[0].shown
        touched = self._read | set(self._edited)
        records = [record for id_ in shown if (record := self._store.get(id_)) is not None]
        about = [record for record in records if record.category in ("gotcha", "error_pattern")]
        return len(about), sum(bool(touched & set(record.metadata.get("related_files", ()))) for record in about)
