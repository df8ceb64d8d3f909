"""How a language model is named: `provider:model`, and `provider:model@address` for a server of one's own."""

from __future__ import annotations

from recollect.errors import UsageError


def split_address(model: str, prefix: str) -> tuple[str, str | None]:
    """The model and the address behind its last @, if there is one; names of models may hold an @ themselves."""
    name, at, address = model.strip().rpartition("@")
    if not at or "://" not in address:
        name, address = model.strip(), ""
    if not name:
        raise UsageError(f"name a model behind {prefix}: as in {prefix}:NAME or {prefix}:NAME@http://127.0.0.1:8080/v1")
    return name, address or None


def shown(spec: str) -> str:
    """A name as people may see it: without user and password in its address."""
    before, separator, rest = spec.rpartition("://")
    host, _, path = rest.partition("/")
    if not separator or "@" not in host:
        return spec
    return f"{before}{separator}{host.rpartition('@')[2]}{'/' + path if path else ''}"
