"""mem0's `MemoryClient`, without the service behind it: what its platform adds to `Memory`, over the same store.

Keys, hosts and organizations are taken and mean nothing: no call leaves the machine. Exports, webhooks, profiles and
projects of the platform are not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from recollect import memory as ours
from recollect.compat.mem0.awaited import Awaiting, awaited
from recollect.compat.mem0.memory import Memory
from recollect.errors import NotFound, UsageError, shown
from recollect.facade import arguments
from recollect.limits import PAGE_RECORDS_MAX

PAGE_SIZE = 100
BATCH_MAX = 1_000


class MemoryClient(Memory):
    """mem0's `MemoryClient`. `memory` is an open memory of ours, or one is opened as `recollect.open` does."""

    def __init__(
        self,
        api_key: str | None = None,
        host: str | None = None,
        client: Any = None,
        *,
        memory: ours.Memory | None = None,
        org_id: str | None = None,
        project_id: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(memory=memory, **options)

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any], **options: Any) -> Self:
        raise NotImplementedError("MemoryClient has no configuration; Memory.from_config does")

    def add(self, /, messages: Any, options: Any = None, **given: Any) -> dict[str, Any]:
        return super().add(messages, **_known(options, given))

    def search(self, /, query: str, options: Any = None, **given: Any) -> dict[str, Any]:
        return super().search(query, **_known(options, given))

    def get_all(
        self, /, options: Any = None, *, page: int = 1, page_size: int = PAGE_SIZE, **given: Any
    ) -> dict[str, Any]:
        """A page of memories, and how many there are."""
        size = arguments.count(page_size, "page_size", PAGE_RECORDS_MAX)
        first = (arguments.count(page, "page", PAGE_RECORDS_MAX) - 1) * size
        found = super().get_all(top_k=PAGE_RECORDS_MAX, **_known(options, given))["results"]
        following = f"page={page + 1}" if first + size < len(found) else None
        return {
            "count": len(found),
            "next": following,
            "previous": f"page={page - 1}" if page > 1 else None,
            "results": found[first : first + size],
        }

    def update(self, /, memory_id: str, options: Any = None, **given: Any) -> dict[str, str]:  # type: ignore[override]
        return super().update(memory_id, **_known(options, given))

    def delete_all(self, /, options: Any = None, **given: Any) -> dict[str, str]:  # type: ignore[override]
        return super().delete_all(**_known(options, given))

    def delete_users(self, /, **whose: Any) -> dict[str, str]:
        """Forget everything of a user, an agent or a run; of nobody in particular, of everybody."""
        if any(whose.values()):
            super().delete_all(**whose)
            return {"message": "Entity deleted successfully."}
        self.recollect.delete_all(reach="all")
        return {"message": "All users, agents, apps and runs deleted."}

    def reset(self) -> dict[str, str]:  # type: ignore[override]
        super().reset()
        return {"message": "Client reset successful. All users and memories deleted."}

    def batch_update(self, memories: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """Change several memories. If one of them is not there, none is changed."""
        for each in self._there(memories):
            super().update(each["memory_id"], each.get("text"), each.get("metadata"))
        return {"message": f"Successfully updated {len(memories)} memories"}

    def batch_delete(self, memories: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """Forget several memories. If one of them is not there, none is forgotten."""
        for each in self._there(memories):
            self.delete(each["memory_id"])
        return {"message": f"Successfully deleted {len(memories)} memories"}

    def _there(self, memories: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """The memories of a batch, each of which names one that is there, and each another."""
        arguments.count(len(memories), "memories", BATCH_MAX)
        named = [each.get("memory_id") for each in memories]
        for name in named:
            if self._record(name) is None:
                raise NotFound(f"Memory with id {shown(name, 40)} not found; nothing was changed")
        if len(set(named)) < len(named):
            raise UsageError("a batch names a memory twice; nothing was changed")
        return memories


class AsyncMemoryClient(Awaiting):
    """mem0's `AsyncMemoryClient`."""

    def __init__(self, api_key: str | None = None, host: str | None = None, client: Any = None, **options: Any) -> None:
        self.sync = MemoryClient(api_key, host, client, **options)

    add = awaited(MemoryClient.add)
    get_all = awaited(MemoryClient.get_all)
    search = awaited(MemoryClient.search)
    update = awaited(MemoryClient.update)
    delete_all = awaited(MemoryClient.delete_all)
    delete_users = awaited(MemoryClient.delete_users)
    reset = awaited(MemoryClient.reset)
    batch_update = awaited(MemoryClient.batch_update)
    batch_delete = awaited(MemoryClient.batch_delete)


_OF_THE_PLATFORM = {
    "app_id",
    "version",
    "output_format",
    "async_mode",
    "org_id",
    "project_id",
    "includes",
    "excludes",
    "fields",
    "custom_categories",
    "custom_instructions",
    "enable_graph",
    "immutable",
    "keyword_search",
    "filter_memories",
}


def _known(options: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a call says, by options or by name, without what only the platform understands."""
    dumped = options if isinstance(options, Mapping) else options.model_dump(exclude_unset=True) if options else {}
    return {name: value for name, value in {**dumped, **given}.items() if name not in _OF_THE_PLATFORM}
