"""When stored text answers poorly, a model imagines an answer, and its vector leads the second look.

A question and its answer use different words; an imagined answer, right or wrong, uses those of a real one.
"""

from __future__ import annotations

import numpy as np

from recollect.config.reading import Expand
from recollect.errors import ProviderError
from recollect.model.result import Recollection
from recollect.providers.base import Embedder, Llm, Vectors

INSTRUCTIONS = (
    "You complete an agent's memory. Write the short, concrete note that would answer the question, as if it had been "
    "written down earlier. One to three sentences, nothing else."
)


def wants_hyde(found: Recollection, settings: Expand, wanted: int) -> bool:
    """Whether too few of the `wanted` results are good: who asks for one and gets a good one has enough."""
    good = sum(hit.score >= settings.hyde_confidence for hit in found)
    return settings.hyde and good < min(settings.hyde_results_min, wanted)


def imagined(llm: Llm, embedder: Embedder, question: str, settings: Expand) -> Vectors | ProviderError:
    """The vector of an imagined answer, or why there is none."""
    try:
        answer = llm.complete(question, instructions=INSTRUCTIONS, max_tokens=settings.hyde_output_tokens)
        return np.asarray(embedder.embed([answer])[0])
    except ProviderError as error:
        return error


def blended(query: Vectors, imagined: Vectors, query_share: float) -> Vectors:
    """Both directions in one, of unit length."""
    mixed = query_share * query + (1.0 - query_share) * imagined
    length = float(np.linalg.norm(mixed))
    return np.asarray(mixed / length if length else mixed, dtype=np.float32)
