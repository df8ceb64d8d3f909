"""How a simulated agent works on one task: what it searches, reads, edits and asks, and how that is counted."""

from __future__ import annotations

import json
import re
from collections import Counter, OrderedDict
from collections.abc import Sequence
from posixpath import dirname
from random import Random
from typing import Any, NamedTuple

from bench.quality.clones import Fault, Task, Tree
from bench.quality.planted import Clock
from recollect.clock import SECOND_US
from recollect.code.words import words_in
from recollect.errors import RecollectError
from recollect.facade.observing import hooked
from recollect.hook import places
from recollect.memory import Memory
from recollect.verbs.toolsets.run import run

FOUND = 0.8  # how often a search has the right file among what it finds
LISTED, READ = 4, 3  # files that a search finds, and of those how many are read before the next search
TRIES_MAX = 12  # searches for one file, before somebody tells where it is
IN_SIGHT = 4  # files that an agent still has before it
MISSES_MAX = 2  # hints in a row that led nowhere, after which the others are left alone
MAPPED = 3  # files of a map that are worth a read
ASKED_MAX = 1  # files of which an agent asks what they affect
PAIR_WEIGHT = 0.35
SCOPE = {"project": "work"}
PRELOADED = "PRE-LOADED FILES"
_SHOWN = re.compile(r"^(\S+), (?:whole|lines 1-\d+ of \d+), read in ", re.MULTILINE)
_BESIDE = re.compile(r"Files that change with it: (.+)\. ?(?:Tests to run|$)", re.MULTILINE)
_STEP_US = 20 * SECOND_US
_TESTS = "pytest -q"
_AFTER = re.compile(r"after edits of (.+?) with “")
_CURE = re.compile(r"It went away after edits of (.+?)(?:\.$|\.\s|\n|$)")


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


class Agent:
    """The policy, for one session: what it has seen, what it was told, what it did."""

    def __init__(
        self,
        store: Memory,
        clock: Clock,
        tree: Tree,
        faults: Sequence[Fault],
        name: str,
        chance: Random,
        *,
        memory: bool,
    ) -> None:
        self._store, self._clock, self._tree, self._faults, self._name = store, clock, tree, faults, name
        self._top, self._files = str(tree.top), tree.files()
        self._chance, self._memory = chance, memory
        self._calls = self._misses = self._asked = 0
        self._words: list[str] = []
        self._sight: OrderedDict[str, None] = OrderedDict()  # files whose text it still has, the oldest first
        self._read: set[str] = set()
        self._edited: list[str] = []
        self._hints: list[str] = []
        self._cures: dict[str, list[str]] = {}  # files to be edited too, by the file that a warning was about
        self._heeded: list[str] = []  # beginnings of ids
        self._counted: Counter[str] = Counter()

    def work(self, task: Task, known: set[str]) -> Tally:
        """The whole session. `known` are errors that earlier ones met."""
        self._words = words_in(task.words)
        needed = set(task.needed) & set(self._files)
        begun = self._hook("SessionStart", source="startup")
        self._hints = [path for path in _SHOWN.findall(begun.partition(PRELOADED)[2]) if path in needed]
        self._hook("UserPromptSubmit", prompt=task.words, prompt_id="p1")
        if self._memory:
            self._ask_for_a_map(task.words)
        while missing := needed - self._read:
            if not self._follow_a_hint(missing):
                self._search(missing)
        for path in sorted(needed - set(self._edited)):
            self._edit(path)
        if self._memory and self._edited:
            self._ask_what_fails()
        self._test(known)
        cited = " ".join(f"#{each}" for each in dict.fromkeys(self._heeded))
        self._hook("Stop", last_assistant_message=f"Done: {task.words}. {cited}", prompt_id="p1")
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
            if path not in self._read and path in self._files:
                self._misses = 0 if path in needed else self._misses + 1
                self._look_at(path, needed, hinted=True)
                return True
        return False

    def _search(self, needed: set[str]) -> None:
        """Search until any file that is needed was read; after too many searches somebody tells where one is."""
        path = min(needed)
        folder = [other for other in self._files if dirname(other) == dirname(path)]
        for _ in range(TRIES_MAX):
            near = [other for other in self._chance.sample(folder, min(3, len(folder))) if other != path]
            found = [*near, *self._chance.sample(self._files, LISTED)][: LISTED - 1]
            found.append(path if self._chance.random() < FOUND else self._chance.choice(self._files))
            self._chance.shuffle(found)
            self._counted["discovery"] += 1
            self._tool("Grep", {"pattern": "x"}, "\n".join(found) * 4)
            for each in [each for each in found if each not in self._read][:READ]:
                self._look_at(each, needed)
                if each in needed:
                    return
        self._look_at(path, needed)

    def _look_at(self, path: str, needed: set[str], *, hinted: bool = False) -> None:
        """A first read: free if the memory named the file and it is needed. What is needed is edited at once."""
        self._counted["discovery"] += not (hinted and path in needed)
        self._reading(path)
        if path in needed:
            if needed > {path}:
                self._ask_what_it_affects(path)
            self._edit(path)

    # --- asking the memory --------------------------------------------------------------------------------------

    def _ask_for_a_map(self, words: str) -> None:
        answer = self._ask("code_map", {"focus": words}, "code_map")
        _, _, line = str(answer.get("map", "")).partition("for these words: ")
        likely = [path.strip() for path in line.partition("\n")[0].split(",") if path.strip()]
        self._hints = [*self._hints, *likely[:MAPPED]]

    def _ask_what_it_affects(self, path: str) -> None:
        if not self._memory or self._asked >= ASKED_MAX:
            return
        self._asked += 1
        answer = self._ask("analyze_impact", {"target": path, "max_depth": 1}, "get_dependencies")
        weighed = (each.rpartition(" ") for each in answer.get("goes_with", ()))
        beside = [path for path, _, weight in weighed if float(weight) >= PAIR_WEIGHT and path not in self._read]
        self._misses = 0
        self._hints = list(dict.fromkeys((*beside, *self._hints)))

    def _ask_what_fails(self) -> None:
        """What is known to fail after edits of these files: done before the tests are run."""
        given = {"query": "fails after edits of", "files": self._edited[:5], "category": "error_pattern", "limit": 5}
        answer = self._ask("memory_search", given, "memory_search")
        for each in answer.get("results", ()):
            self._heed(str(each.get("text", "")), str(each.get("id", "")))
        for path in list(self._edited):
            self._cure(path)

    def _ask(self, tool: str, given: dict[str, Any], counted: str) -> dict[str, Any]:
        self._counted["discovery"] += 1
        self._counted[counted] += 1
        try:
            answer = run(tool, given, SCOPE, memory=self._store, tools="coding")
        except RecollectError:
            return {}
        self._tool(f"mcp__recollect__{tool}", given, answer)
        return answer

    # --- reading, editing, testing ------------------------------------------------------------------------------

    def _reading(self, path: str) -> None:
        self._counted["reads"] += 1
        self._counted["rereads"] += path in self._read
        self._read.add(path)
        lines = {"startLine": 1, "numLines": 2, "totalLines": 2}
        shown = {"filePath": f"{self._top}/{path}", "content": "x" * 1_500, **lines}
        self._see(path)
        self._tool("Read", {"file_path": f"{self._top}/{path}"}, {"type": "text", "file": shown})

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
        given = {"file_path": f"{self._top}/{path}", "old_string": "a = 1", "new_string": f"a = {self._calls}"}
        told = self._hook("PreToolUse", tool_name="Edit", tool_input=given, tool_use_id=f"b{self._calls}")
        self._heed(told)
        self._hear(told)
        self._edited.append(path)
        self._tool("Edit", given, {"filePath": given["file_path"]})
        self._see(path)
        self._cure(path)

    def _cure(self, path: str) -> None:
        """Do at once what a warning says of a file that was edited."""
        for cure in self._cures.pop(path, ()):
            if cure in self._files:
                self._edit(cure)

    def _test(self, known: set[str]) -> None:
        """Run the tests until they go well."""
        for fault in self._faults:
            if fault.trigger not in self._edited or fault.cure in self._edited or fault.cure not in self._files:
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
            self._hints, self._misses = self._named(told), 0
            while fault.cure not in self._read:
                if not self._follow_a_hint({fault.cure}):
                    self._search({fault.cure})
            self._edit(fault.cure)
            self._tool("Bash", {"command": _TESTS}, {"stdout": "fine"})

    # --- what is told ---------------------------------------------------------------------------------------------

    def _tool(self, tool: str, given: dict[str, Any], response: Any) -> None:
        told = self._hook(
            "PostToolUse", tool_name=tool, tool_input=given, tool_response=response, tool_use_id=f"t{self._count()}"
        )
        self._heed(told)

    def _heed(self, told: str, id_: str = "") -> None:
        """Note what warnings say: after edits of which file which other one has to be edited too."""
        for line in told.splitlines():
            after, cure = _AFTER.search(line), _CURE.search(line)
            if after is None or cure is None:
                continue
            triggers = self._named(after[1])
            cures = [each for each in self._named(cure[1]) if each not in triggers]
            for trigger in triggers:
                self._cures.setdefault(trigger, []).extend(cures)
            if any(each in self._edited for each in triggers):
                self._heeded.append(id_ or line.partition("#")[2][:8])

    def _named(self, text: str) -> list[str]:
        return places.named_in(text, self._top)

    def _count(self) -> int:
        self._calls += 1
        return self._calls

    def _hook(self, event: str, **fields: Any) -> str:
        """What a hook answers, as the agent reads it."""
        self._clock.now += _STEP_US
        payload = {"session_id": self._name, "cwd": self._top, "hook_event_name": event, **fields}
        answer = hooked(self._store, "claude-code", payload, at=self._clock.now)
        return json.loads(answer)["hookSpecificOutput"]["additionalContext"] if answer else ""

    def _hear(self, told: str) -> None:
        """Files that surely change with one that is about to be edited are looked at next."""
        beside = [path for line in _BESIDE.findall(told) for path in self._named(line)]
        self._hints = list(dict.fromkeys((*(path for path in beside if path not in self._read), *self._hints)))

    def _warnings(self) -> tuple[int, int]:
        """How many warnings were told, and how many of these are about a file that this session touched."""
        shown = self._store.observed(session_id=self._name, limit=1)[0].shown
        touched = self._read | set(self._edited)
        records = [record for id_ in shown if (record := self._store.get(id_)) is not None]
        about = [record for record in records if record.category in ("gotcha", "error_pattern")]
        return len(about), sum(bool(touched & set(record.metadata.get("related_files", ()))) for record in about)
