"""Read by mypy, not run: what a user of AsyncMemory writes, with the types they rely on."""

from __future__ import annotations

from typing import assert_type

from recollect import AsyncMemory
from recollect.config import Config
from recollect.model.record import Record
from recollect.model.result import Page, Receipt, Recollection


async def talk() -> None:
    async with await AsyncMemory.open(":memory:", embedder=None) as memory:
        assert_type(await memory.add("x", user_id="ana", tags=["a"]), Receipt)
        assert_type(await memory.remember("x"), Receipt)
        assert_type(await memory.search("x", top_k=3, reach="project"), Recollection)
        assert_type(await memory.get("x"), Record | None)
        assert_type(await memory.get_all(limit=5), Page)
        assert_type(memory.scoped(user_id="ana"), AsyncMemory)
        assert_type(memory.config, Config)
        await memory.search("x", topk=3)  # type: ignore[call-arg]
        await memory.search(1)  # type: ignore[arg-type]
