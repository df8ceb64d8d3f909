"""The models that one store works with: which are made of its settings, and which it does without."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.errors import MissingExtra
from recollect.providers.health import NotedEmbedder, NotedReranker
from recollect.providers.registry import DEFAULT as SHIPPED
from recollect.providers.registry import STATIC, configured_llm, make_embedder, make_reranker

if TYPE_CHECKING:
    from recollect.config import LiveConfig
    from recollect.engine import Engine
    from recollect.providers.base import Embedder, Llm, Reranker


OPENAI_OWN = "openai:text-embedding-"  # what the embedders of OpenAI itself are called


class Advisers(NamedTuple):
    """Models that a search may ask, and does without."""

    llm: Llm | None = None
    reranker: Reranker | None = None
    owned: bool = False  # the language model was made here from its name; one that was handed in is its owner's


def configured_advisers(live: LiveConfig, llm: str | Llm | None, reranker: str | Reranker | None) -> Advisers:
    """The models that are given, or that are set."""
    order = make_reranker(live.current.recall.reranker if reranker is None else reranker)
    return Advisers(
        configured_llm(live.current, llm),
        None if order is None else NotedReranker(order),
        owned=llm is None or isinstance(llm, str),
    )


def configured_embedder(spec: str | Embedder | None, live: LiveConfig) -> Embedder | None:
    if not isinstance(spec, str):
        return make_embedder(spec)
    chosen = live.current.embedding
    return make_embedder(
        spec,
        dimensions=chosen.dimensions or None,
        timeout_s=chosen.timeout_s,
        retries=chosen.retries,
        probe_timeout_s=chosen.probe_timeout_s,
        probe_ttl_s=chosen.probe_ttl_s,
    )


def embedder_of_space(name: str, live: LiveConfig) -> Embedder | None:
    """The model that made an older space, by the name of that space.

    A space does not say where its model was: one of a server of one's own is not looked for at OpenAI, which would be
    sent every question.
    """
    elsewhere = name.startswith("openai:") and not name.startswith(OPENAI_OWN)
    return None if elsewhere and not os.environ.get("OPENAI_BASE_URL") else configured_embedder(name, live)


def embedder_beside(model: Embedder | None, live: LiveConfig) -> Embedder | None:
    """The static model, for a store whose own embedder is too slow to be one (docs/adr/0010)."""
    if model is None or model.inline or not live.current.embedding.static_beside:
        return None
    try:
        return make_embedder(STATIC)
    except MissingExtra:  # a slim installation: the slow model alone will do
        return None


def noted(model: Embedder | None, *, ahead: bool) -> Embedder | None:
    """The embedder with a note of whether it answers, which one that only adds up words always does.

    `ahead`: it is loaded now, on a thread of its own.
    """
    if model is None or model.inline:
        return model
    from recollect.providers.prefetched import Prefetched

    return NotedEmbedder(Prefetched(model) if ahead else model)


def answer_reader(model: Embedder | None) -> Reranker | None:
    """The reader of questions, where a sentence model of this process reads anyway; it loads when it is asked."""
    if model is None or model.inline or not getattr(model, "local", False):
        return None
    from recollect.providers.rerankers.everyday import EverydayReader

    return EverydayReader()


class ShippedEncoder:
    """The encoder that ships, for those who judge texts by it: the store's own where it is that, else one more."""

    def __init__(self, of: Engine) -> None:
        self._of = of
        self._encoder: Embedder | None = None

    def __call__(self, texts: Sequence[str]) -> Any:
        if self._encoder is None:
            own, shipped = self._of.embedder, make_embedder(SHIPPED)
            self._encoder = own if own is not None and shipped is not None and own.name == shipped.name else shipped
        assert self._encoder is not None
        return self._encoder.embed(texts)
