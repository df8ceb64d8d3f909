"""The reader of questions that ships: what it tells apart, long passages, and files that cannot be loaded."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from recollect.errors import ProviderUnavailable
from recollect.providers.embedders.minilm import WEIGHTS
from recollect.providers.rerankers import everyday
from recollect.providers.rerankers.everyday import FOLDER, EverydayReader

FILE_BYTES_MAX = 25_000_000
ASKED = "How much did we pay for the Yaris?"
TOLD = "Ana: The Yaris cost us 7,400 in the end, cheaper than the dealer."
BESIDE = "Ana: We bought a Yaris last week, it is red and runs well."
PADDING = "Ana: The weather was fine all day and we sat in the garden until the evening. " * 3


@pytest.fixture(scope="module")
def reader() -> EverydayReader:
    return EverydayReader()


def test_the_file_is_the_one_its_card_describes() -> None:
    data = (WEIGHTS / FOLDER / "reader.onnx").read_bytes()
    assert len(data) <= FILE_BYTES_MAX
    assert json.loads((WEIGHTS / FOLDER / "reader.json").read_bytes())["sha256"] == hashlib.sha256(data).hexdigest()


def test_a_passage_that_answers_is_told_from_one_about_the_same_thing(reader: EverydayReader) -> None:
    told, beside = reader.scores(ASKED, [TOLD, BESIDE])
    assert told > 0.0 > beside


def test_a_passage_is_judged_the_same_whatever_is_read_beside_it(reader: EverydayReader) -> None:
    alone = np.concatenate([reader.scores(ASKED, [text]) for text in (TOLD, BESIDE, PADDING)])
    np.testing.assert_allclose(reader.scores(ASKED, [TOLD, BESIDE, PADDING]), alone, atol=0.05)


def test_the_best_window_of_a_long_passage_counts(reader: EverydayReader) -> None:
    long, without = reader.scores(ASKED, [PADDING + TOLD, PADDING])
    assert long > without + 1.0


def test_nothing_and_odd_text_can_be_read(reader: EverydayReader) -> None:
    assert reader.scores(ASKED, []).shape == (0,)
    assert np.isfinite(reader.scores("lone \ud800", ["", "lone surrogate \ud800"])).all()


def test_files_that_are_not_there_are_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(everyday, "WEIGHTS", tmp_path)
    with pytest.raises(ProviderUnavailable, match="reinstall recollect"):
        EverydayReader().scores(ASKED, [TOLD])
