"""Every example is run, with a scripted model, and does what it says."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from starlette.testclient import TestClient

import recollect
from recollect.memory import Memory

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LINES_MAX = 80


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def mem(tmp_path: Path) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db") as memory:
        yield memory


def test_every_example_is_short_and_has_a_test() -> None:
    tests = Path(__file__).read_text(encoding="utf-8")
    for path in EXAMPLES.glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= LINES_MAX, path.name
        assert f'example("{path.stem}")' in tests, path.name


def test_a_plain_loop_recalls_what_was_said_in_another_session(mem: Memory) -> None:
    seen: list[str] = []

    def ask(messages: list[dict[str, str]]) -> str:
        seen.append(json.dumps(messages))
        return "Noted."

    loop = example("plain_loop")
    loop.talk(mem, ["I moved to Porto in May."], ask, user_id="me", session_id="one")
    mem.settle()
    assert loop.talk(mem, ["Where do I live?"], ask, user_id="me", session_id="two") == ["Noted."]
    assert "Porto" in seen[1]
    assert "Porto" in loop.talk(mem, ["Where do I live?"], loop.without_model, user_id="me", session_id="three")[0]


def test_two_agents_tell_each_other(mem: Memory) -> None:
    told = example("two_agents_one_project").work(mem)
    assert told == ["Close the queue, or tests hang", "Close the queue and its pool, or tests hang"]


def test_workers_see_what_others_found_and_the_project_keeps_what_was_strong(mem: Memory) -> None:
    seen: list[str] = []

    def ask(task: str, known: str) -> str:
        seen.append(known)
        return {0: "The old service listens on port 8421", 1: "Both ports are served for an hour"}.get(
            len(seen) - 1, "A page was written"
        )

    kept = example("boss_and_workers").solve(mem, ask)
    assert "8421" in seen[1]
    assert any("8421" in each for each in kept)
    assert not any("page" in each for each in kept)


def test_nobody_reads_what_was_said_in_another_channel(mem: Memory) -> None:
    bot = example("channel_bot")
    seen: list[str] = []

    def ask(text: str, known: str) -> str:
        seen.append(known)
        return "ok"

    assert bot.run(mem, bot.EXAMPLE, ask) == ["ok"] * 4
    assert "Friday" in seen[2]
    assert "another job" not in seen[3]


def test_a_graph_recalls_and_remembers(mem: Memory) -> None:
    seen: list[str] = []

    def ask(question: str, known: str) -> str:
        seen.append(known)
        return "Noted."

    agent = example("langgraph_agent").graph(mem, ask, user_id="ana")
    agent.invoke({"question": "I moved to Porto in May."})
    mem.settle()
    assert agent.invoke({"question": "Where do I live?"})["answer"] == "Noted."
    assert "Porto" in seen[1]


def test_an_agent_of_the_sdk_looks_people_up(mem: Memory) -> None:
    from agents import set_tracing_disabled
    from agents.testing import ScriptedModel, assistant_message, function_call

    set_tracing_disabled(True)
    mem.add("Mia is vegetarian", user_id="mia")
    asked = function_call("recall", {"question": "what does she eat?"}, call_id="c1")
    model = ScriptedModel([[asked], [assistant_message("Try the market hall.")]])
    sdk = example("agents_sdk")
    agent = sdk.guide(mem, user_id="mia", model=model)
    answers = asyncio.run(sdk.talk(mem, agent, ["Where should I eat?"], user_id="mia", trip="lisbon"))
    assert answers == ["Try the market hall."]
    mem.settle()
    said = [record.content for record in mem.get_all(user_id="mia")]
    assert any("Where should I eat?" in each for each in said)
    assert any("vegetarian" in each for each in said)


def test_a_webhook_starts_a_flow_that_knows_its_earlier_runs(mem: Memory) -> None:
    seen: list[str] = []

    def ask(prompt: str, known: str) -> str:
        seen.append(known)
        return "swap the roller" if prompt.startswith("choose") else "the roller is worn"

    with TestClient(example("flow_with_webhooks").app(mem, ask)) as client:
        assert client.post("/ticket", json={"ticket": "printer jams"}).json() == {"answer": "the roller is worn"}
        mem.settle()
        client.post("/ticket", json={"ticket": "the printer jams again"})
        assert client.post("/ticket", json=["x"]).status_code == 422
    assert "the roller is worn" in seen[1], "a node is told what the one before it came to"
    assert "swap the roller" in seen[3], "a run is told what the one before it came to"
