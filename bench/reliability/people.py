"""Writers and readers of one store, who know what they were told is kept and look for it again."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from recollect.aio import AsyncMemory
from recollect.errors import RecollectError
from recollect.memory import Memory

KEPT_MAX = 150  # records of one writer: beyond that the oldest go, so that a store of hours stays small
CORRECTED_EACH, ERASED_EACH = 7, 400
WORDS = ("ferry", "piano", "harbour", "kettle", "fence", "violin", "orchard", "lantern")
RETRIES_MAX, RETRY_S = 20, 0.05


@dataclass
class Tally:
    """What somebody did and met. `wrong` is what must not be: something lost, something unexpected."""

    times: dict[str, list[tuple[float, float]]] = field(default_factory=dict)  # by verb: (when it began, seconds)
    errors: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def timed(self, verb: str, call: Callable[[], Any]) -> Any:
        """The answer. What may be tried again is tried again; anything else is wrong, and there is no answer."""
        for _ in range(RETRIES_MAX):
            begun = time.monotonic()
            try:
                answer = call()
            except RecollectError as error:
                if not self.may_go_on(verb, error):
                    return None
                time.sleep(RETRY_S)
            else:
                self.took(verb, begun)
                return answer
        self.wrong.append(f"{verb}: refused {RETRIES_MAX} times in a row")
        return None

    async def awaited(self, verb: str, call: Callable[[], Awaitable[Any]]) -> Any:
        """The same for an awaited call."""
        for _ in range(RETRIES_MAX):
            begun = time.monotonic()
            try:
                answer = await call()
            except RecollectError as error:
                if not self.may_go_on(verb, error):
                    return None
                await asyncio.sleep(RETRY_S)
            else:
                self.took(verb, begun)
                return answer
        self.wrong.append(f"{verb}: refused {RETRIES_MAX} times in a row")
        return None

    def took(self, verb: str, begun: float) -> None:
        self.times.setdefault(verb, []).append((begun, time.monotonic() - begun))

    def may_go_on(self, verb: str, error: RecollectError) -> bool:
        self.errors[error.code] += 1
        if not error.retryable:
            self.wrong.append(f"{verb}: {error.code} {error.message}"[:300])
        return error.retryable


@dataclass
class Writer:
    """Adds, changes and deletes records of its own, and reads each back."""

    memory: Memory
    name: str
    tally: Tally
    chance: random.Random
    kept: dict[str, str] = field(default_factory=dict)
    written: int = 0

    def step(self) -> None:
        self.written += 1
        does = self.chance.random()
        if len(self.kept) > KEPT_MAX:
            self._delete(next(iter(self.kept)))
        elif not self.kept or does < 0.6:
            self._add()
        elif does < 0.85:
            self._update(self.chance.choice(list(self.kept)))
        else:
            self._delete(self.chance.choice(list(self.kept)))

    def _text(self) -> str:
        return f"{self.name} saw the {self.chance.choice(WORDS)} as number k{self.written}x{self.name}"

    def _add(self) -> None:
        text = self._text()
        receipt = self.tally.timed("add", lambda: self.memory.add(text, infer=False, user_id=self.name))
        if receipt is not None:
            self.kept[receipt.id] = text
            self._read_back(receipt.id)

    def _update(self, id_: str) -> None:
        text = self._text()
        if self.written % CORRECTED_EACH == 0:
            done = self.tally.timed("correct", lambda: self.memory.correct(id_, text))
            if done is not None:
                (new,) = set(done.ids) - {id_}
                del self.kept[id_]
                self.kept[new] = text
                self._read_back(new)
        elif self.tally.timed("update", lambda: self.memory.update(id_, content=text)) is not None:
            self.kept[id_] = text
            self._read_back(id_)

    def _delete(self, id_: str) -> None:
        hard = self.written % ERASED_EACH == 0
        if self.tally.timed("delete", lambda: self.memory.delete(id_, hard=hard)) is not None:
            del self.kept[id_]
            found = self.memory.get(id_)
            if found is not None and found.retired_at is None:
                self.tally.wrong.append(f"{self.name}: {id_} is there after it was deleted")

    def _read_back(self, id_: str) -> None:
        found = self.tally.timed("get", lambda: self.memory.get(id_))
        if found is None or found.content != self.kept[id_]:
            self.tally.wrong.append(f"{self.name}: {id_} does not say what was just written")

    def lost(self) -> list[str]:
        """What is not as it should be, looked at in the store of now."""
        wrong = []
        for id_, text in self.kept.items():
            found = self.memory.get(id_)
            if found is None or found.retired_at is not None or found.content != text:
                wrong.append(f"{self.name}: {id_} should say {text!r} and says {found and found.content!r}")
        return wrong


@dataclass
class Reader:
    """Asks whatever comes to mind. Every hit must be of the person who was asked about."""

    memory: Memory
    people: list[str]
    tally: Tally
    chance: random.Random

    def step(self) -> None:
        word, who = self.chance.choice(WORDS), self.chance.choice(self.people)
        does = self.chance.random()
        if does < 0.7:
            found = self.tally.timed("search", lambda: self.memory.search(f"the {word}", user_id=who, top_k=5))
            self.check(who, () if found is None else found.hits)
        elif does < 0.9:
            page = self.tally.timed("get_all", lambda: self.memory.get_all(user_id=who, limit=20))
            self.check(who, page or ())
        else:
            self.tally.timed("context", lambda: self.memory.context(f"the {word}", user_id=who, max_tokens=400))

    def check(self, who: str, told: Iterable[Any]) -> None:
        strangers = {each.content.split()[0] for each in told} - {who}
        if strangers & {*self.people}:
            self.tally.wrong.append(f"asked about {who}, told of {sorted(strangers)}")


def until(deadline: float, steps: Callable[[], Any], *, rest_s: float = 0.0) -> None:
    """One step after the other until then."""
    while time.monotonic() < deadline:
        steps()
        if rest_s:
            time.sleep(rest_s)


async def awaited(memory: Memory, writer: Writer, readers: list[Reader], deadline: float, rest_s: float) -> None:
    """The same in one event loop: a writer and readers who await each call, all at once."""
    waiting = AsyncMemory(memory)

    async def writes() -> None:
        while time.monotonic() < deadline:
            writer.written += 1
            text = writer._text()
            receipt = await writer.tally.awaited(
                "add", lambda text=text: waiting.add(text, infer=False, user_id=writer.name)
            )
            if receipt is not None:
                writer.kept[receipt.id] = text
            if len(writer.kept) > KEPT_MAX:
                oldest = next(iter(writer.kept))
                if await writer.tally.awaited("delete", lambda id_=oldest: waiting.delete(id_)) is not None:
                    del writer.kept[oldest]
            await asyncio.sleep(rest_s)

    async def reads(reader: Reader) -> None:
        while time.monotonic() < deadline:
            word, who = reader.chance.choice(WORDS), reader.chance.choice(reader.people)
            found = await reader.tally.awaited(
                "search", lambda word=word, who=who: waiting.search(f"the {word}", user_id=who, top_k=5)
            )
            reader.check(who, () if found is None else found.hits)
            await asyncio.sleep(rest_s)

    try:
        async with asyncio.TaskGroup() as group:
            for each in (writes(), *map(reads, readers)):
                group.create_task(each)
    finally:
        waiting._pool.shutdown(wait=True)
