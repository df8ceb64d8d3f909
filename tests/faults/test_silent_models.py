"""A model elsewhere takes the connection and never answers: nobody waits for it longer than was promised."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from properties.tables import wait_until

import recollect
from faults.part_servers import ModelServer, SilentServer
from recollect.config import load_config
from recollect.errors import ProviderUnavailable
from recollect.memory import Memory
from recollect.providers.overview import configured
from recollect.providers.registry import make_embedder

SOON = {"embedding.static_beside": False, "index.poll_interval_s": 0.02, "store.durable": False}
SOON |= {"store.close_timeout_s": 0.1, "recall.timeout_s": 2, "context.timeout_s": 2}


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[SilentServer]:
    with SilentServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
        yield server


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A store that was filled while all was well."""
    with recollect.open(tmp_path / "m.db", embedder="fake", config=SOON) as mem:
        for number in range(5):
            mem.add(f"Ana drinks tea number {number} in Rome")
    return tmp_path / "m.db"


def opened(place: Path, **more: Any) -> Memory:
    return recollect.open(place, **{"embedder": "openai:small", **more, "config": {**SOON, **more.get("config", {})}})


def seconds(began: float) -> float:
    return time.monotonic() - began


def test_writes_do_not_wait_while_a_job_asks_an_embedder_that_hangs(silent: SilentServer, place: Path) -> None:
    with opened(place) as mem:
        mem.add("Ben likes coffee")
        wait_until(lambda: silent.calls > 0, "the job to ask for vectors")
        began = time.monotonic()
        with recollect.open(place, embedder="fake", config={**SOON, "store.busy_timeout_s": 3}) as other:
            other.add("Carl likes water")  # E1009 if the first one held the file
        mem.add("Dora likes milk")
        assert seconds(began) < 5
        assert mem.search("milk", top_k=1)[0].content == "Dora likes milk"


def test_a_search_waits_no_longer_than_promised_for_an_embedder_that_hangs(silent: SilentServer, place: Path) -> None:
    with opened(place) as mem:
        known = mem.get_all()[0].id
        mem.feedback(known, helpful=True, query="Who drinks tea in Rome?")
        began = time.monotonic()
        for rerank in ("mmr", "none"):
            assert len(mem.search("Who drinks tea in Rome?", rerank=rerank, top_k=3)) == 3
        mem.context("Who drinks tea in Rome?")
        assert seconds(began) < 8


def test_feedback_and_an_assessment_wait_no_longer_than_a_search(silent: SilentServer, place: Path) -> None:
    with opened(place) as mem:
        began = time.monotonic()
        known = mem.get_all()[0].id
        said = mem.feedback(known, helpful=False, query="Who drinks tea in Rome?").missing
        mem.assess("Who drinks tea in Rome?")
        assert seconds(began) < 10
        assert any("E3001" in each for each in said)
        assert known not in [hit.id for hit in mem.search("Who drinks tea in Rome?")], "known by its words"


def test_an_embedder_that_hangs_is_missing_until_it_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
        with opened(tmp_path / "n.db", config={"embedding.probe_ttl_s": 0}) as mem:
            mem.add("Ana drinks tea in Rome")
            mem.settle()
            with server.hanging():
                found = mem.search("Who drinks tea?")
                assert any("did not answer (E3001)" in each for each in found.missing)
                health = mem.health()
                assert [each["part"] for each in health["degraded"]] == ["embedder"]
                assert "did not answer within" in health["degraded"][0]["why"]
                assert (health["status"], health["level"]) == ("attention", "words")
            wait_until(lambda: not mem.health()["degraded"], "the embedder to be back")
            assert mem.health()["level"] == "full"


def test_a_reranker_that_hangs_is_missing(silent: SilentServer, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_RERANK_URL", f"{silent.address}/v1")
    with opened(place, embedder="fake", reranker="endpoint:r") as mem:
        assert len(mem.search("Who drinks tea?", rerank="cross_encoder"))
        assert [each["part"] for each in mem.health()["degraded"]] == ["reranker"]


def test_the_doctor_takes_seconds_whatever_models_do(silent: SilentServer, place: Path) -> None:
    with opened(place, llm="openai:small") as mem:
        began = time.monotonic()
        found = {each.check: each for each in mem.doctor()}
        assert seconds(began) < 10
        assert "did not answer within 2" in found["embedder"].detail
        assert "did not answer within 2" in found["language model"].detail


def test_the_list_of_models_takes_seconds_whatever_they_do(
    silent: SilentServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_RERANK_URL", f"{silent.address}/v1")
    config = load_config({"llm": "openai:small", "embedder": "openai:small", "recall.reranker": "endpoint:r"})
    began = time.monotonic()
    assert {row["state"] for row in configured(config)} == {"down"}
    assert seconds(began) < 12


def test_a_call_with_all_its_attempts_keeps_to_its_time(silent: SilentServer) -> None:
    embedder = make_embedder("openai:small", timeout_s=0.5, retries=5)
    assert embedder is not None
    began = time.monotonic()
    with pytest.raises(ProviderUnavailable):
        embedder.embed(["tea"])
    assert seconds(began) < 2


def test_an_answer_takes_no_longer_than_was_promised(silent: SilentServer, place: Path) -> None:
    with opened(place, embedder="fake", llm="openai:small", config={"reason.timeout_s": 3}) as mem:
        began = time.monotonic()
        found = mem.reason("Who drinks tea in Rome?")
        assert seconds(began) < 6
        assert found.evidence
        assert any("openai:small did not answer (E3001)" in each for each in found.missing)
        began = time.monotonic()
        again = mem.reason("Who drinks tea in Rome?")
        assert again.evidence
        assert seconds(began) < 2, "nobody waits for another call as long as one is overdue"
