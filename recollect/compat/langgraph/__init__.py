"""LangGraph's store over ours: what graphs keep between threads, with search, history and undo.

from recollect.compat.langgraph import RecollectStore

graph = builder.compile(store=RecollectStore(recollect.open()))

docs/bridges.md says what an item is here, and who sees it.
"""

from recollect.errors import MissingExtra

try:
    from recollect.compat.langgraph.store import RecollectStore
except ModuleNotFoundError as error:
    if not (error.name or "").startswith(("langgraph", "langchain")):
        raise
    raise MissingExtra("the store for LangGraph needs: pip install 'recollect[langgraph]'") from None

__all__ = ["RecollectStore"]
