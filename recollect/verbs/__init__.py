"""One table of verbs, and what is derived from it: schemas, a way to run them by name, the docs, the async stub.

For models that call functions there are sets of tools: `schemas` describes them, `run` runs one (docs/tools.md).
"""

from typing import TYPE_CHECKING, Any

from recollect.verbs.table import VERBS, find
from recollect.verbs.verb import Verb

if TYPE_CHECKING:
    from recollect.verbs.toolsets.run import run as run
    from recollect.verbs.toolsets.sets import schemas as schemas

__all__ = ["VERBS", "Verb", "find", "run", "schemas"]
_ON_USE = {"schemas": "recollect.verbs.toolsets.sets", "run": "recollect.verbs.toolsets.run"}


def __getattr__(name: str) -> Any:
    if name not in _ON_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_ON_USE[name]), name)
