"""How a language model is named: `provider:model`, and `provider:model@address` for a server of one's own."""

from __future__ import annotations

from typing import NamedTuple

from recollect.errors import UsageError


class Host(NamedTuple):
    """Who serves models over OpenAI's protocol, and the variable that holds the key to them."""

    address: str
    key_variable: str


# All speak `/chat/completions`; where several names are known for a key, the one their own documentation uses.
HOSTS = {
    "openai": Host("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "deepseek": Host("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "gemini": Host("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
    "groq": Host("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "mistral": Host("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "openrouter": Host("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "xai": Host("https://api.x.ai/v1", "XAI_API_KEY"),
}


def split_address(model: str, prefix: str) -> tuple[str, str | None]:
    """The model and the address behind its last @, if there is one; names of models may hold an @ themselves."""
    name, at, address = model.strip().partition("@http")
    address = f"http{address}" if at and address.startswith(("://", "s://")) else ""
    if not address:
        name = model.strip()
    if not name:
        raise UsageError(f"name a model behind {prefix}: as in {prefix}:NAME or {prefix}:NAME@http://127.0.0.1:8080/v1")
    return name, address or None


def shown(spec: str) -> str:
    """A name or an address as people may see it: without user and password."""
    before, separator, rest = spec.rpartition("://")
    host, slash, path = rest.partition("/")
    if not separator or "@" not in host:
        return spec
    return f"{before}{separator}{host.rpartition('@')[2]}{slash}{path}"
