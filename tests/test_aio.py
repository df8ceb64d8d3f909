"""The verbs, awaited. That they are typed as in `Memory` is checked by mypy over `tests/typing/`."""

from __future__ import annotations

import asyncio

import pytest

from recollect.aio import AsyncMemory
from recollect.errors import NotFound, UsageError


def test_remember_and_recall() -> None:
    async def talk() -> None:
        async with await AsyncMemory.open(":memory:", embedder="fake") as memory:
            receipt = await memory.add("Ana lives in Rome", user_id="ana")
            found = await memory.search("where does Ana live", user_id="ana")
            assert [hit.id for hit in found] == list(receipt.ids)
            assert await memory.get(receipt.id) is not None
            await memory.undo(receipt.operation or "")
            assert await memory.get(receipt.id) is None

    asyncio.run(talk())


def test_many_at_once_do_not_block_the_loop() -> None:
    async def talk() -> int:
        async with await AsyncMemory.open(":memory:", embedder="fake") as memory:
            await asyncio.gather(*(memory.add(f"note number {n}") for n in range(40)))
            return len(await memory.get_all(limit=100))

    assert asyncio.run(talk()) == 40


def test_scoped_handle_shares_the_store() -> None:
    async def talk() -> None:
        async with await AsyncMemory.open(":memory:", embedder="fake") as memory:
            ana, ben = memory.scoped(user_id="ana"), memory.scoped(user_id="ben")
            receipt = await ana.add("a secret")
            assert len(await ana.search("secret")) == 1
            assert len(await ben.search("secret")) == 0
            with pytest.raises(NotFound):
                await ben.update(receipt.id, content="mine now")
            await ana.close()  # a handle's close leaves the store open
            assert (await memory.stats())["records"] == 1

    asyncio.run(talk())


def test_errors_arrive() -> None:
    async def talk() -> None:
        async with await AsyncMemory.open(":memory:", embedder="fake") as memory:
            with pytest.raises(UsageError):
                await memory.search("x", top_k=0)
            with pytest.raises(AttributeError):
                memory.no_such_verb  # type: ignore[attr-defined]  # noqa: B018
            assert memory.config.embedder

    asyncio.run(talk())


def test_events_are_told_while_others_go_on() -> None:
    async def talk() -> set[str]:
        async with await AsyncMemory.open(":memory:", embedder="fake") as memory:
            return {event["topic"] async for event in memory.events(wait_s=0.0)}

    assert "health" in asyncio.run(talk())
