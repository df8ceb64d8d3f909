"""The assistant's memory: its eight tools, in its own words, over the one store.

tools = AssistantTools(recollect.open(), session_id="monday")
tools.run("remember_fact", {"content": "Ana is allergic to peanuts"})
tools.run("search_memory", {"query": "what can Ana not eat?"})

`TOOLS` are their schemas, ready for a model's list of functions. docs/upkeep.md shows them at work.
"""

from recollect.compat.assistant.schemas import ASSISTANT_TOOLS, TOOLS
from recollect.compat.assistant.tools import AssistantTools

__all__ = ["ASSISTANT_TOOLS", "TOOLS", "AssistantTools"]
