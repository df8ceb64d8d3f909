"""Figures of searches, and what a row of them teaches."""

from __future__ import annotations

import pytest

from recollect.config.reading import RecallSettings
from recollect.recall.quality import GAIN_MIN, JUDGED_MIN, Measured, QualityWindow, ndcg, relevancy

POOR = Measured(latency_ms=2.0, relevancy=0.1, ndcg=1.0, hits=3)
GOOD = Measured(latency_ms=4.0, relevancy=0.7, ndcg=0.9, hits=3)
EMPTY = Measured(latency_ms=1.0, relevancy=0.0, ndcg=0.0, hits=0)


def test_the_best_first_is_perfect() -> None:
    assert ndcg([0.9, 0.5, 0.1]) == pytest.approx(1.0)
    assert ndcg([0.5, 0.9, 0.1]) == pytest.approx(0.8833, abs=1e-4)
    assert ndcg([]) == ndcg([0.0, 0.0]) == 0.0


def test_a_single_hit_is_in_perfect_order_whatever_its_score() -> None:
    assert ndcg([0.01]) == pytest.approx(1.0)
    assert relevancy([0.01]) == pytest.approx(0.01)


def test_relevancy_is_the_mean() -> None:
    assert relevancy([0.2, 0.4]) == pytest.approx(0.3)
    assert relevancy([]) == 0.0


def window(*searches: Measured) -> QualityWindow:
    out = QualityWindow()
    for one in searches:
        out.note(one, RecallSettings())
    return out


def test_poor_answers_in_a_row_question_the_embedder() -> None:
    settings = RecallSettings()
    assert not window(*[POOR] * (settings.low_recalls - 1)).embedder_doubtful(settings)
    doubtful = window(*[POOR] * settings.low_recalls)
    assert doubtful.embedder_doubtful(settings)
    assert any("reembed" in warning for warning in doubtful.warnings(settings))


def test_one_good_answer_ends_the_row() -> None:
    settings = RecallSettings()
    assert not window(*[POOR] * 9, GOOD, POOR).embedder_doubtful(settings)


def test_searches_without_hits_neither_end_nor_make_a_row() -> None:
    settings = RecallSettings()
    assert not window(*[EMPTY] * 50).embedder_doubtful(settings)
    assert window(*[POOR] * 5, EMPTY, *[POOR] * 5).embedder_doubtful(settings)


def test_figures_average_what_was_found() -> None:
    figures = window(GOOD, POOR, EMPTY).figures()
    assert figures == {"relevancy_avg": 0.4, "ndcg_avg": 0.95, "searches_without_hits": 1}
    assert window().figures()["relevancy_avg"] is None
    assert window(GOOD, POOR).latencies_ms() == [4.0, 2.0]


def test_a_low_average_warns_only_after_some_searches() -> None:
    settings = RecallSettings()
    assert window(GOOD, *[POOR] * 3).warnings(settings) == []
    assert any("averages" in warning for warning in window(GOOD, *[POOR] * 9).warnings(settings))


def test_reranking_is_tried_and_kept_where_it_wins() -> None:
    seen = window()
    assert seen.reranking_pays("lookup")
    for _ in range(JUDGED_MIN):
        seen.note_rerank("lookup", 0.0)
        seen.note_rerank("causal", 2 * GAIN_MIN)
    assert not seen.reranking_pays("lookup")
    assert seen.reranking_pays("causal")
