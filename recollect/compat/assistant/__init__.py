"""The assistant's memory in its own words, over the one store: eight tools, and the classes of its extension.

tools = AssistantTools(recollect.open(), session_id="monday")
tools.run("remember_fact", {"content": "Ana is allergic to peanuts"})
tools.run("search_memory", {"query": "what can Ana not eat?"})

`TOOLS` are their schemas, ready for a model's list of functions. docs/profiles/assistant.md shows them at work, and
what is built of the same parts: `MemoryExtension` with its storage, retrieval, agent and decay.
"""

from recollect.compat.assistant.agent import WRITE_PATH_TOOLS, DecayService, MemoryAgent, WritePathTools
from recollect.compat.assistant.extension import (
    MANIFEST,
    ContextProvider,
    MemoryExtension,
    Schedule,
    SchedulerProvider,
    ToolProvider,
)
from recollect.compat.assistant.retrieval import (
    EmbeddingIntentClassifier,
    IntentClassifier,
    KeywordIntentClassifier,
    MemoryRetrieval,
    classify_query_complexity,
)
from recollect.compat.assistant.schemas import ASSISTANT_TOOLS, TOOLS
from recollect.compat.assistant.storage import MemoryStorage
from recollect.compat.assistant.tools import AssistantTools

__all__ = [
    "ASSISTANT_TOOLS",
    "MANIFEST",
    "TOOLS",
    "WRITE_PATH_TOOLS",
    "AssistantTools",
    "ContextProvider",
    "DecayService",
    "EmbeddingIntentClassifier",
    "IntentClassifier",
    "KeywordIntentClassifier",
    "MemoryAgent",
    "MemoryExtension",
    "MemoryRetrieval",
    "MemoryStorage",
    "Schedule",
    "SchedulerProvider",
    "ToolProvider",
    "WritePathTools",
    "classify_query_complexity",
]
