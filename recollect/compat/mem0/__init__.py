"""mem0's memory over ours: the same calls, the same shapes of answers, no language model needed.

from recollect.compat.mem0 import Memory  # instead of: from mem0 import Memory

memory = Memory()
memory.add([{"role": "user", "content": "I moved to Lisbon last year"}], user_id="ana")
memory.search("Where does she live?", filters={"user_id": "ana"})

What differs is said in docs/bridges.md. `memory.recollect` is the whole of Recollect over the same store.
"""

from recollect.compat.mem0.awaited import AsyncMemory
from recollect.compat.mem0.client import AsyncMemoryClient, MemoryClient
from recollect.compat.mem0.identity import ValidationError
from recollect.compat.mem0.memory import Memory

__all__ = ["AsyncMemory", "AsyncMemoryClient", "Memory", "MemoryClient", "ValidationError"]
