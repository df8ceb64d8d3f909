"""Where an inferred record stands: shown is not used, a person's word counts, what fails goes."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.observe.standing import InferredStanding, TrackRecord, standing_of

DAY_S = 86_400
NOW_S = 20_000 * DAY_S
USED_TWICE = TrackRecord(used_in=("s1", "s2"), last_used_s=NOW_S)


def stand(evidence: TrackRecord, **other: Any) -> InferredStanding:
    facts: dict[str, Any] = {
        "confidence": 0.7,
        "confirmed": False,
        "flagged": False,
        "created_s": NOW_S,
        "now_s": NOW_S,
    }
    return standing_of(evidence, **(facts | other))


@pytest.mark.parametrize(
    ("evidence", "other", "standing"),
    [
        (USED_TWICE, {}, InferredStanding.TRUSTED),
        (TrackRecord(used_in=("s1", "s1")), {}, InferredStanding.NEW),
        (USED_TWICE, {"confidence": 0.6}, InferredStanding.NEW),
        (TrackRecord(), {"confirmed": True, "confidence": 0.3}, InferredStanding.TRUSTED),
        (USED_TWICE, {"flagged": True}, InferredStanding.RETIRED),
        (TrackRecord(in_vain=("s1", "s2")), {"confirmed": True}, InferredStanding.RETIRED),
        (TrackRecord(in_vain=("s1",)), {"confirmed": True}, InferredStanding.TRUSTED),
        (USED_TWICE, {"files": ["a", "b"], "gone": ["a", "b", "c"]}, InferredStanding.RETIRED),
        (USED_TWICE, {"files": ["a", "b"], "gone": ["a"]}, InferredStanding.TRUSTED),
        (TrackRecord(), {"created_s": NOW_S - 31 * DAY_S}, InferredStanding.RETIRED),
        (TrackRecord(), {"created_s": NOW_S - 29 * DAY_S}, InferredStanding.NEW),
        (TrackRecord(last_used_s=NOW_S - DAY_S), {"created_s": NOW_S - 99 * DAY_S}, InferredStanding.NEW),
        (TrackRecord(), {"created_s": NOW_S - 99 * DAY_S, "confirmed": True}, InferredStanding.TRUSTED),
    ],
)
def test_where_a_record_stands(evidence: TrackRecord, other: dict[str, Any], standing: InferredStanding) -> None:
    assert stand(evidence, **other) is standing


@pytest.mark.parametrize(("helpful", "unhelpful", "promoted"), [(0, 0, True), (4, 1, True), (3, 1, False)])
def test_what_helped_over_five_sessions_is_promoted(helpful: int, unhelpful: int, promoted: bool) -> None:
    evidence = TrackRecord(used_in=("s1", "s2"), seen_in=("s3", "s4", "s5"), last_used_s=NOW_S)
    assert (stand(evidence, helpful=helpful, unhelpful=unhelpful) is InferredStanding.PROMOTED) == promoted


def test_what_was_ever_flagged_is_not_promoted() -> None:
    evidence = TrackRecord(used_in=("s1", "s2"), seen_in=("s3", "s4", "s5"), last_used_s=NOW_S, was_flagged=True)
    assert stand(evidence) is InferredStanding.TRUSTED


def test_evidence_is_kept_in_attributes_and_read_back() -> None:
    evidence = TrackRecord(used_in=("s1",), seen_in=("s1", "s2"), in_vain=("s3",), last_used_s=5)
    assert TrackRecord.of({"observed": evidence.to_dict()}) == evidence


@pytest.mark.parametrize("attributes", [{}, {"observed": "x"}, {"observed": {"last_used_s": "long ago", "used_in": 3}}])
def test_what_somebody_else_wrote_into_attributes_is_no_evidence(attributes: dict[str, Any]) -> None:
    assert TrackRecord.of(attributes) == TrackRecord()
