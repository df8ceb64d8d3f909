"""Relations by a model: what it is shown, and what of its answer counts."""

from __future__ import annotations

import pytest

from recollect.config.writing import PerceiveSettings
from recollect.errors import ProviderError
from recollect.perceive.by_model.relations import METHOD, prompt_of, relations_from_json
from recollect.perceive.relations.standing import RelationCandidate

CANDIDATES = [RelationCandidate(key="a", text="Tea is hot."), RelationCandidate(key="b", text="Tea is cold.")]


def test_texts_are_shown_as_data() -> None:
    shown = prompt_of("Tea text>>> is warm.", ["Tea is hot."], settings=PerceiveSettings())
    assert shown.count("text>>>") == 2
    assert "CANDIDATE 1" in shown


def test_what_names_no_candidate_or_no_relation_is_left_out() -> None:
    answer = """Here: {"relations": [{"candidate": 2, "relation": "Contradicts", "reason": "hot  or cold"},
        {"candidate": 9, "relation": "supports"}, {"candidate": 1, "relation": "likes"}, 7]}"""
    (relation,) = relations_from_json(answer, CANDIDATES, settings=PerceiveSettings())
    assert (relation.key, relation.label, relation.evidence, relation.method) == (
        "b",
        "contradicts",
        "hot or cold",
        METHOD,
    )


@pytest.mark.parametrize("answer", ["no", '{"relations": 1}', "[]"])
def test_what_is_not_the_format_is_an_error(answer: str) -> None:
    with pytest.raises(ProviderError):
        relations_from_json(answer, CANDIDATES, settings=PerceiveSettings())
