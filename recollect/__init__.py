"""Long-term memory for AI agents.

import recollect

with recollect.open() as mem:
    mem.add("Ana switched her editor from vim to Helix", user_id="ana")
    for hit in mem.search("which editor does Ana use?", user_id="ana"):
        print(hit.score, hit.content)
"""

from __future__ import annotations

from recollect._version import __version__

TYPE_CHECKING = False  # `typing` and the errors take longer to load than all else that a hook of a coding client does
if TYPE_CHECKING:
    from typing import Any

    from recollect import errors
    from recollect.aio import AsyncMemory
    from recollect.config import Config, load_config
    from recollect.errors import RecollectError
    from recollect.exchange.moving import move
    from recollect.exchange.rescuing import rescue
    from recollect.exchange.restoring import restore
    from recollect.memory import Memory
    from recollect.model.edge import Edge
    from recollect.model.record import Kind, Record, Tier
    from recollect.model.result import Hit, Page, Receipt, Recollection
    from recollect.model.scope import Scope
    from recollect.wiring import open_memory as open

__all__ = [
    "open",
    "move",
    "restore",
    "rescue",
    "Memory",
    "AsyncMemory",
    "Record",
    "Kind",
    "Tier",
    "Edge",
    "Scope",
    "Hit",
    "Recollection",
    "Receipt",
    "Page",
    "Config",
    "load_config",
    "RecollectError",
    "errors",
    "__version__",
]

# Names that need the engine load on first use: `import recollect` costs a few milliseconds.
_LAZY = {
    "open": ("recollect.wiring", "open_memory"),
    "move": ("recollect.exchange.moving", "move"),
    "restore": ("recollect.exchange.restoring", "restore"),
    "rescue": ("recollect.exchange.rescuing", "rescue"),
    "Memory": ("recollect.memory", "Memory"),
    "AsyncMemory": ("recollect.aio", "AsyncMemory"),
    "Record": ("recollect.model.record", "Record"),
    "Kind": ("recollect.model.record", "Kind"),
    "Tier": ("recollect.model.record", "Tier"),
    "Edge": ("recollect.model.edge", "Edge"),
    "Scope": ("recollect.model.scope", "Scope"),
    "Hit": ("recollect.model.result", "Hit"),
    "Recollection": ("recollect.model.result", "Recollection"),
    "Receipt": ("recollect.model.result", "Receipt"),
    "Page": ("recollect.model.result", "Page"),
    "Config": ("recollect.config", "Config"),
    "load_config": ("recollect.config", "load_config"),
    "RecollectError": ("recollect.errors", "RecollectError"),
    "errors": ("recollect", "errors"),
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _LAZY[name]
    value = import_module(f"{module}.{attribute}") if name == "errors" else getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
