"""One table of verbs, and what is derived from it: schemas, a way to run them by name, the docs, the async stub."""

from recollect.verbs.table import VERBS, Verb, find

__all__ = ["VERBS", "Verb", "find"]
