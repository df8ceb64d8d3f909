"""The outside of a model's answer: JSON with one list in it, perhaps with words or a fence around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from recollect.errors import ProviderError


def listed_in(answer: str, name: str, *, instead: str) -> list[Any]:
    """The list of that name in an answer, unchecked. A `ProviderError` if there is none, with what to do `instead`."""
    begin, end = answer.find("{"), answer.rfind("}")  # models like to put JSON into a fence, even if told not to
    try:
        given = orjson.loads(answer[begin : end + 1] if 0 <= begin < end else answer)
    except orjson.JSONDecodeError as error:
        raise ProviderError(
            f"the model's answer is not JSON; take a model that follows formats, or {instead}"
        ) from error
    listed = given.get(name) if isinstance(given, Mapping) else None
    if not isinstance(listed, list):
        raise ProviderError(f'the model\'s answer has no list "{name}"; take a model that follows formats')
    return listed
