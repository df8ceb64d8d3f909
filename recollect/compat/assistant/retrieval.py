"""MemoryRetrieval: what a question is after, what answers it, and the block of memories that goes before a prompt.

The two classifiers are the core's reading of a question, with and without an embedder; the search is the core's, with
words, vectors, relations and entities. docs/recall.md tells how it ranks.
"""

from __future__ import annotations

from typing import Any, Protocol

from recollect.compat.assistant.tools import AssistantTools
from recollect.config.reading import IntentSettings
from recollect.facade.handle import engine_in_use
from recollect.memory import Memory
from recollect.providers.base import Embedder
from recollect.providers.tokens import counter_for
from recollect.recall.question.intent import IntentReader


class IntentClassifier(Protocol):
    """Says what a question asks for: why, when, who, what or general."""

    def classify(self, query: str) -> str: ...


class KeywordIntentClassifier:
    """By the words of the question alone."""

    def __init__(self, settings: IntentSettings = IntentSettings()) -> None:
        self._reader = IntentReader(None, settings)

    def classify(self, query: str) -> str:
        return self._reader.read(query).asks


class EmbeddingIntentClassifier:
    """By the words of the question, and where they are silent by examples that are like it.

    An embedder that is asked over a network is not asked for this: the words decide then.
    """

    def __init__(self, embedder: Embedder, settings: IntentSettings = IntentSettings()) -> None:
        self._reader = IntentReader(embedder, settings)

    def classify(self, query: str) -> str:
        return self._reader.read(query).asks


def classify_query_complexity(query: str, settings: IntentSettings = IntentSettings()) -> str:
    """`simple` or `complex`: how many results, how much context and how many steps a question is worth."""
    return "complex" if IntentReader(None, settings).read(query).complex else "simple"


class MemoryRetrieval:
    """Searches one memory and puts together what a model should know before it answers."""

    def __init__(self, memory: Memory, classifier: IntentClassifier | None = None) -> None:
        self.memory = memory
        embedder, settings = engine_in_use(memory).embedder, memory.config.intent
        usual: IntentClassifier = KeywordIntentClassifier(settings)
        if embedder is not None and embedder.inline:
            usual = EmbeddingIntentClassifier(embedder, settings)
        self.classifier = classifier or usual
        self._tools = AssistantTools(memory)

    def search(self, query: str, **filters: Any) -> list[dict[str, Any]]:
        """Nodes that answer a question, best first: 5 for a simple one, 20 for a complex one.

        `filters` are those of the tool: type, entity_name, after, before, limit.
        """
        results: list[dict[str, Any]] = self._tools.search_memory(query, **filters)["results"]
        return results

    def assemble_context(self, prompt: str, token_budget: int | None = None) -> str | None:
        """A block of memories for a prompt: facts, entity profiles, what happened, evidence; None if nothing answers.

        A simple prompt gets `context.simple_tokens`, a complex one `context.complex_tokens`; what one of the four parts
        does not need goes to the others.
        """
        settings = self.memory.config.context
        complex_ = classify_query_complexity(prompt, self.memory.config.intent) == "complex"
        budget = token_budget or (settings.complex_tokens if complex_ else settings.simple_tokens)
        mode = "deep" if complex_ else "auto"
        own = counter_for(None).count(prompt)  # the budget is for what is remembered, the prompt comes on top
        window = self.memory.context(prompt, layout="assistant", max_tokens=budget + own, mode=mode)
        return None if window.abstained or not window.hits else window.text
