"""What `bench.peers` hands to other libraries, what it asks of each, and how it is drawn."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from bench import data
from bench.peers.__main__ import PACKAGES, Peer, prepare
from bench.peers.plot import drawn
from bench.quantised import Corpus

TALK = ["Ana keeps a red bicycle in the cellar.", "Tom sold the piano in spring.", "Lena works at the harbour office."]
ASKED = ["Who sold the piano?", "What is in the cellar?"]


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """Three turns with two questions, and generated sentences up to sixty texts."""
    place = tmp_path / "given"
    place.mkdir()
    prepare(Corpus(TALK, [1, 1, 1], ASKED, [1, 1], [frozenset({1}), frozenset({0})]), 60, place)
    return place


def test_sizes_beyond_the_sets_are_filled_with_generated_sentences(given: Path) -> None:
    from bench.peers.runner import Given

    told = Given(given)
    assert told.texts[:3] == TALK
    assert told.texts[3:] == data.texts(0, 57)
    assert told.vectors.shape == (60, 256)
    assert told.turns == 2
    assert np.allclose(np.linalg.norm(told.vectors, axis=1), 1, atol=1e-3)


def test_ours_is_measured_in_a_process_of_its_own(given: Path, tmp_path: Path) -> None:
    figures = Peer("recollect", sys.executable, tmp_path / "store", given, 20).told("speed")
    assert figures["R@10 LoCoMo"] == 1
    assert figures["add and what follows, ms of processor"] >= figures["add, ms of processor"]
    assert figures["disk MB"] > 0
    assert "speed ended" not in figures


def test_a_step_without_time_says_how_far_it_came(given: Path, tmp_path: Path) -> None:
    peer = Peer("recollect", sys.executable, tmp_path / "store", given, 0.3)
    assert peer.told("speed")["speed ended"].startswith("stopped after")


def test_a_deleted_text_is_looked_for_in_the_files(given: Path, tmp_path: Path) -> None:
    assert Peer("recollect", sys.executable, tmp_path / "store", given, 20).told("traces") == {
        "stored": 1,
        "deleted": 0,
        "closed": 0,
    }


def test_each_library_has_a_bar_and_one_that_was_stopped_has_none() -> None:
    whole = {"R@10 LoCoMo": 0.5, "search, ms of processor": 2.0, "installed MB": 100.0}
    slow = {"added, then stopped": "70 after 160 s", "search, ms of processor": 900.0, "installed MB": 10.0}
    image = drawn({"10000": {"recollect": whole, "basic-memory": slow}})
    ElementTree.fromstring(image)  # it is well formed
    assert image.count('class="bar ours"') == 3
    assert image.count('class="bar"') == 1


def test_every_library_has_an_adapter() -> None:
    from bench.peers.adapters import PEERS

    assert list(PEERS) == list(PACKAGES)
