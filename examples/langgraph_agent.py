"""A LangGraph agent whose graph recalls before its model answers and remembers afterwards.

pip install 'recollect[langgraph]'
python examples/langgraph_agent.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

import recollect

Ask = Callable[[str, str], str]


class State(TypedDict, total=False):
    """What the nodes hand on."""

    question: str
    known: str
    answer: str


def graph(mem: recollect.Memory, ask: Ask, *, user_id: str) -> Any:
    """recall → answer → remember."""

    def recall(state: State) -> State:
        return {"known": mem.context(state["question"], user_id=user_id, max_tokens=1_000).text}

    def answer(state: State) -> State:
        return {"answer": ask(state["question"], state["known"])}

    def remember(state: State) -> State:
        said = [("user", state["question"]), ("assistant", state["answer"])]
        mem.add([{"role": role, "content": text} for role, text in said], user_id=user_id, session_id="graph")
        return {}

    builder = StateGraph(State)
    for node in (recall, answer, remember):
        builder.add_node(node.__name__, node)
    builder.add_edge(START, "recall")
    builder.add_edge("recall", "answer")
    builder.add_edge("answer", "remember")
    builder.add_edge("remember", END)
    return builder.compile()


def main() -> None:
    with recollect.open(":memory:") as mem:
        agent = graph(mem, lambda question, known: known or "Noted.", user_id="ana")
        for line in ("I moved to Porto in May.", "Where do I live?"):
            print(agent.invoke({"question": line})["answer"])


if __name__ == "__main__":
    main()
