"""A string names a provider; its library is imported when it is asked for, never before."""

from __future__ import annotations

import inspect
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple, cast

from recollect.config import Config
from recollect.errors import MissingExtra, UsageError
from recollect.providers.base import Embedder, Llm, Reranker
from recollect.providers.health import DEFAULTS, Watched
from recollect.providers.llms.naming import HOSTS, shown

NONE = "none"
DEFAULT, STATIC = "minilm", "static"
OPTIONS = frozenset(
    {"api_key", "base_url", "batch", "dimensions", "probe_timeout_s", "probe_ttl_s", "retries", "timeout_s"}
)


class Provider(NamedTuple):
    """Where an implementation lives and what it needs. No `extra`: it comes with Recollect itself."""

    module: str
    class_name: str
    libraries: tuple[str, ...] = ()
    extra: str = ""
    dimensions: int | None = None  # of a model that ships with Recollect
    size_mb: int | None = None  # of its weights


_PACKAGE = "recollect.providers.embedders"
EMBEDDERS = {
    # Without onnxruntime it cannot be loaded, and says so with every search; the static model beside it carries on.
    "minilm": Provider(f"{_PACKAGE}.minilm", "MiniLmEmbedder", ("tokenizers",), dimensions=384, size_mb=23),
    "multilingual": Provider(f"{_PACKAGE}.minilm", "MultilingualEmbedder", ("tokenizers",), dimensions=384, size_mb=24),
    "wordllama": Provider(
        f"{_PACKAGE}.wordllama", "WordLlamaEmbedder", ("tokenizers", "wordllama"), dimensions=256, size_mb=16
    ),
    "fake": Provider(f"{_PACKAGE}.fake", "FakeEmbedder"),
    "openai": Provider(f"{_PACKAGE}.openai", "OpenAIEmbedder", ("httpx",), "openai"),
    "ollama": Provider(f"{_PACKAGE}.ollama", "OllamaEmbedder", ("httpx",), "ollama"),
    "sentence-transformers": Provider(
        f"{_PACKAGE}.sentence_transformers",
        "SentenceTransformersEmbedder",
        ("sentence_transformers",),
        "sentence-transformers",
    ),
    "fastembed": Provider(f"{_PACKAGE}.fastembed", "FastembedEmbedder", ("fastembed",), "fastembed"),
}
_ALIASES = {STATIC: "wordllama"}  # the quick model without an encoder, whichever that is
ALIAS_OF = {name: alias for alias, name in _ALIASES.items()}
RERANKERS = {
    "sentence-transformers": Provider(
        "recollect.providers.rerankers.sentence_transformers",
        "CrossEncoderReranker",
        ("sentence_transformers",),
        "sentence-transformers",
    ),
    "endpoint": Provider("recollect.providers.rerankers.endpoint", "EndpointReranker", ("httpx",), "openai"),
}
_LLMS = "recollect.providers.llms"
LLMS = {
    **{name: Provider(f"{_LLMS}.chat", "ChatLlm", ("httpx",), "llm") for name in HOSTS},
    "ollama": Provider(f"{_LLMS}.chat", "OllamaLlm", ("httpx",), "llm"),
    "anthropic": Provider(f"{_LLMS}.anthropic", "AnthropicLlm", ("httpx",), "llm"),
}


def known() -> list[str]:
    """The prefixes `make_embedder` understands; `none` stands for no embedder at all."""
    return [*EMBEDDERS, *_ALIASES]


def make_embedder(spec: str | Embedder | None, **options: object) -> Embedder | None:
    """The embedder that `prefix` or `prefix:model` names; None for None and `none`, a store without vectors.

    An object that is an embedder already is returned as it is, and takes no options. Options are those in
    `OPTIONS`, and one that is None counts as not given. A provider without a network ignores those about the
    network, so a configuration survives a change of provider; none ignores `dimensions`.
    Nothing is loaded or asked yet: that happens at the first `embed`.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if spec is None:
        return None
    if not isinstance(spec, str):
        return _passed_through(spec, given)
    provider = embedder_named(spec)
    if provider is None:
        return None
    unknown = sorted(given.keys() - OPTIONS)
    if unknown:
        raise UsageError(f"no embedder takes {', '.join(unknown)}; options are {', '.join(sorted(OPTIONS))}")
    return cast(Embedder, _build(provider, spec.strip().partition(":")[2].strip(), given))


def embedder_named(spec: str) -> Provider | None:
    """Where the embedder of that name is, None for `none`; one that is unknown, or not installed, is refused."""
    prefix, _, model = spec.strip().partition(":")
    if prefix == NONE and not model:
        return None
    provider = EMBEDDERS.get(_ALIASES.get(prefix, prefix))
    if provider is None:
        raise UsageError(f"unknown embedder {prefix!r}; known: {', '.join(known())}, or {NONE!r} for no vectors")
    _check_installed(f"the embedder {prefix!r}", provider)
    return provider


def make_llm(spec: str | Llm | None, *, probe_ttl_s: float = DEFAULTS.probe_ttl_s, **options: object) -> Llm | None:
    """The language model that `provider:model` or `provider:model@address` names.

    One that cannot be had is left alone for `probe_ttl_s` (`providers.health`). An object that can `complete` is
    returned as it is. Options are `base_url`, `api_key`, `timeout_s` and `probe_timeout_s`; one that is None counts as
    not given. Nobody is asked yet.
    """
    if spec is None or spec == NONE:
        return None
    if not isinstance(spec, str):
        return cast(Llm, _able(spec, "language model", ("name", "complete")))
    given = {name: value for name, value in options.items() if value is not None}
    prefix, colon, model = spec.strip().partition(":")
    provider = LLMS.get(prefix)
    if provider is None or not colon:
        raise UsageError(
            f"name a language model as provider:model, not {shown(spec)!r:.60}; providers are {', '.join(LLMS)}, and "
            "any server that speaks OpenAI's protocol is openai:NAME@http://127.0.0.1:8080/v1"
        )
    _check_installed(f"the language model {shown(spec)!r:.60}", provider)
    return Watched(cast(Llm, _build(provider, model.strip(), {**given, "prefix": prefix})), kept_s=probe_ttl_s)


def configured_llm(config: Config, given: str | Llm | None = None) -> Llm | None:
    """The language model of a configuration, or the one that is given instead, with the settings for it."""
    return make_llm(
        config.llm if given is None else given,
        base_url=config.llm_url,
        api_key=config.llm_key,
        timeout_s=config.llm_timeout_s,
        probe_ttl_s=config.embedding.probe_ttl_s,
        probe_timeout_s=config.embedding.probe_timeout_s,
    )


def make_reranker(spec: str | Reranker | None, **options: object) -> Reranker | None:
    """The reranker that `prefix:model` names; an object that has `scores` is returned as it is."""
    if spec is None or spec == NONE:
        return None
    if not isinstance(spec, str):
        return cast(Reranker, _able(spec, "reranker", ("name", "scores")))
    prefix, _, model = spec.strip().partition(":")
    provider = RERANKERS.get(prefix)
    if provider is None:
        raise UsageError(f"unknown reranker {prefix!r:.40}; known: {', '.join(RERANKERS)}, or {NONE!r}")
    _check_installed(f"the reranker {prefix!r}", provider)
    return cast(Reranker, _build(provider, model.strip(), options))


def _build(provider: Provider, model: str, options: dict[str, object]) -> object:
    make = getattr(import_module(provider.module), provider.class_name)
    accepted = inspect.signature(make).parameters
    return make(model, **{name: options[name] for name in options if name in accepted})


def _check_installed(what: str, provider: Provider) -> None:
    """Refuse now, without importing: torch takes seconds, and a job that fails later tells nobody."""
    missing = [library for library in provider.libraries if find_spec(library) is None]
    if not missing:
        return
    wanted = f"recollect[{provider.extra}]" if provider.extra else " ".join(missing)
    raise MissingExtra(f"{what} needs: pip install '{wanted}'")


def _passed_through(candidate: object, options: dict[str, object]) -> Embedder:
    embedder = _able(candidate, "embedder", ("name", "dimensions", "inline", "embed"))
    if options:
        raise UsageError(f"{', '.join(sorted(options))}: set these on the embedder itself, it is built already")
    return cast(Embedder, embedder)


def _able(candidate: object, what: str, needs: tuple[str, ...]) -> object:
    lacking = [name for name in needs if not _has(candidate, name)]
    if lacking:
        raise UsageError(f"a {type(candidate).__name__} is no {what}: it has no {', '.join(lacking)}")
    return candidate


def _has(candidate: object, name: str) -> bool:
    # Looking statically first keeps `dimensions` from asking a model over the network.
    return inspect.getattr_static(candidate, name, None) is not None or hasattr(candidate, name)
