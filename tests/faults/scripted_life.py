"""A short life of a store with everything that writes in it, step by step, and what the store must hold after each.

The model is a count of texts for each person, and knows nothing of the code: what a step does to it is said beside the
step. A step that ends in an error may have happened or not, nothing between; a step of several transactions (an import,
an erasure) may have happened for some of its texts.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from recollect.errors import RecollectError
from recollect.memory import Memory

ANA = {"user_id": "ana"}
BEN = {"user_id": "ben"}
GONE = "xylophone lessons of Ben on Thursdays"  # erased: no byte of it may be left
IMPORTED = [f"imported note number {number} about ferries" for number in range(4)]


@dataclass
class Model:
    """Which of our texts live, and which may or may not."""

    live: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)
    erased: set[str] = field(default_factory=set)  # for good, and said so
    together: list[tuple[frozenset[str], frozenset[str]]] = field(default_factory=list)  # all of it or nothing

    def fits(self, found: set[str]) -> list[str]:
        """What is wrong with a store that holds these texts."""
        wrong = [f"lost: {text}" for text in sorted(self.live - self.unsure - found)]
        wrong += [f"back: {text}" for text in sorted(found - self.live - self.unsure)]
        for came, went in self.together:
            settled = (came <= found and not went & found) or (went <= found and not came & found)
            if not settled:
                wrong.append(f"by half: {sorted(came)} for {sorted(went)}")
        return wrong


@dataclass
class Life:
    """The steps, taken one after the other; what failed is in `errors`."""

    memory: Memory
    model: Model = field(default_factory=Model)
    errors: list[RecollectError] = field(default_factory=list)
    moments: list[frozenset[str]] = field(default_factory=lambda: [frozenset()])  # what it held after each step
    done: int = 0
    ids: dict[str, str] = field(default_factory=dict)  # of our texts
    operations: dict[str, str] = field(default_factory=dict)  # of steps by name

    def step(
        self,
        name: str,
        call: Callable[[], Any],
        *,
        comes: AbstractSet[str] = frozenset(),
        goes: AbstractSet[str] = frozenset(),
        whole: bool = True,
    ) -> Any:
        """Do it, and have the model say what must be there now. None if it failed."""
        model = self.model
        try:
            answer = call()
        except RecollectError as error:
            self.errors.append(error)
            model.unsure |= comes | goes
            if whole and (comes or goes):
                model.together.append((frozenset(comes), frozenset(goes)))
            return None
        model.live = (model.live | comes) - goes
        self.moments.append(frozenset(model.live))
        self.done += 1
        self.operations[name] = getattr(answer, "operation", None) or ""
        return answer

    def settled(self, *texts: str) -> bool:
        """Whether the model knows about all of them."""
        return not set(texts) & self.model.unsure

    def was_once(self, found: set[str]) -> bool:
        """Whether it held just these texts at some time: after a step, or within one that is no single transaction."""
        between = [{*IMPORTED}, {GONE, TEXTS[2]}]
        return any(found == was or any(found ^ was <= some for some in between) for was in self.moments)

    def holding(self) -> set[str]:
        return {record.content for record in self.memory.get_all(reach="all", limit=1_000)} & EVERY


TEXTS = (
    "Ana keeps the red kettle in the kitchen",
    "Ana sold the blue bicycle",
    "Ben waters the ferns on Monday",
    "Ana painted the fence green",
)
LATER = "Ana painted the fence white"
CORRECTED = "Ana sold the blue bicycle to Eva"
TURNS = ("I moved the piano to the attic", "The attic is dry enough for a piano")
EVERY = {*TEXTS, LATER, CORRECTED, *TURNS, GONE, *IMPORTED}


def chapters(life: Life) -> Iterator[None]:
    """One step after the other."""
    yield from _writing(life)
    yield from _changing(life)
    yield from _keeping(life)
    yield from _leaving(life)


def _writing(life: Life) -> Iterator[None]:
    mem = life.memory
    for text in TEXTS:
        who = BEN if text.startswith("Ben") else ANA
        if added := life.step(text, lambda text=text, who=who: mem.add(text, infer=False, **who), comes={text}):
            life.ids[text] = added.id
        yield
    said = [{"role": "user", "content": text} for text in TURNS]
    life.step("turns", lambda: mem.add(said, session_id="talk", **ANA), comes=set(TURNS))
    yield
    life.step("erase later", lambda: mem.add(GONE, infer=False, **BEN), comes={GONE})
    yield


def _changing(life: Life) -> Iterator[None]:
    mem, ids = life.memory, life.ids
    kettle, bicycle, ferns, fence = TEXTS
    if fence in ids:
        life.step("update", lambda: mem.update(ids[fence], content=LATER), comes={LATER}, goes={fence})
        yield
    if bicycle in ids:
        correct = partial(mem.correct, ids[bicycle], CORRECTED, reason="so it was")
        done = life.step("correct", correct, comes={CORRECTED}, goes={bicycle})
        yield
        if done:
            life.step("undo", lambda: mem.undo(done.operation), comes={bicycle}, goes={CORRECTED})
            yield
    if ferns in ids and kettle in ids:
        life.step("relate", lambda: mem.relate(ids[kettle], ids[ferns], "relates_to"))
        yield
        if life.settled(ferns) and life.step("delete", lambda: mem.delete(ids[ferns]), goes={ferns}):
            yield
            life.step("undelete", lambda: mem.undo(life.operations["delete"]), comes={ferns})
            yield


def _keeping(life: Life) -> Iterator[None]:
    mem = life.memory
    life.step("settle", mem.settle)
    yield
    life.step("search", lambda: mem.search("Where is the piano?", **ANA))
    yield
    life.step("consolidate", mem.consolidate)
    yield
    life.step("reembed", lambda: mem.reembed(wait=True))
    yield
    sent = json.dumps([{"memory": text} for text in IMPORTED]).encode()
    life.step("import", lambda: mem.import_(io.BytesIO(sent), user_id="eva"), comes=set(IMPORTED), whole=False)
    yield
    life.step("export", lambda: mem.export(io.BytesIO()))
    yield


def _leaving(life: Life) -> Iterator[None]:
    mem = life.memory
    going = {GONE, TEXTS[2]}
    if life.step("erase", lambda: mem.erase_user("ben"), goes=going, whole=False):
        life.model.erased |= going
        life.model.live -= going
        life.model.unsure -= going
    yield
    life.step("doctor", mem.doctor)
    yield


def lived(memory: Memory) -> Life:
    """All of it."""
    life = Life(memory)
    for _ in chapters(life):
        """Each step speaks for itself."""
    return life


def bytes_left(folder: Path, text: str) -> list[str]:
    """The files in which a text can still be read."""
    return [path.name for path in sorted(folder.iterdir()) if path.is_file() and text.encode() in path.read_bytes()]
