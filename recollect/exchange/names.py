"""Ids for what comes in under one that is taken: the same again each time it comes in."""

from __future__ import annotations

import hashlib
import uuid


def derived_id(*parts: str) -> str:
    """A UUID made of texts, so that an import that is run again finds what it stored."""
    data = hashlib.blake2b("\0".join(parts).encode(), digest_size=16).digest()
    return str(uuid.UUID(bytes=data, version=4))
