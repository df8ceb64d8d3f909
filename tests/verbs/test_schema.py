"""JSON schemas say what the verbs take."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from recollect.verbs.checking import fits
from recollect.verbs.schema import json_type
from recollect.verbs.signature import schema
from recollect.verbs.table import VERBS
from recollect.verbs.verb import Verb


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_schema_is_json_and_complete(verb: Verb) -> None:
    made = schema(verb)
    assert json.loads(json.dumps(made)) == made
    assert made["type"] == "object"
    assert made["additionalProperties"] is False
    assert set(made.get("required", ())) <= set(made["properties"])
    assert all(each["description"] for each in made["properties"].values())
    assert "run_id" not in made["properties"]


def test_search() -> None:
    made = schema("search")
    properties = made["properties"]
    assert made["required"] == ["query"]
    assert properties["top_k"] == {
        "type": "integer",
        "minimum": 1,
        "description": "How many records at most.",
        "default": 10,
    }
    assert (properties["threshold"]["minimum"], properties["threshold"]["maximum"]) == (0, 1)
    assert properties["kinds"]["items"] == {"type": "string"}
    assert properties["as_of"]["type"] == "string"
    assert properties["filters"]["type"] == "object"


def test_alternatives() -> None:
    assert [each["type"] for each in schema("add")["properties"]["content"]["anyOf"]] == ["string", "object", "array"]
    assert json_type(str | os.PathLike[str]) == {"type": "string"}


def test_unknown_annotations_are_noticed() -> None:
    with pytest.raises(TypeError, match="no JSON schema"):
        json_type(complex)


@pytest.mark.parametrize(
    ("kind", "value", "fitting"),
    [
        (str, "x", True),
        (str, 1, False),
        (bool, "false", False),
        (int, True, False),
        (int, 1.5, False),
        (float, 1, True),
        (float, "1", False),
        (Sequence[str], ["a", "b"], True),
        (Sequence[str], "a", True),
        (Sequence[str], ["a", 1], False),
        (Sequence[Sequence[Any]], "ab", False),
        (Sequence[Sequence[Any]], [["a", "subject"]], True),
        (Mapping[str, Any], {"a": 1}, True),
        (Mapping[str, Any], [], False),
        (str | Mapping[str, Any], {}, True),
        (str | Mapping[str, Any], 1, False),
        (Any, object(), True),
    ],
)
def test_fits(kind: Any, value: Any, fitting: bool) -> None:
    assert fits(value, json_type(kind)) is fitting
