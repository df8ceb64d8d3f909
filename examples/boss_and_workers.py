"""A boss with three workers: what one worker finds the next one sees, and what was strong stays with the project.

python examples/boss_and_workers.py
"""

from __future__ import annotations

from collections.abc import Callable

import recollect

Ask = Callable[[str, str], str]  # a task, and what is known about it, to an answer
TASKS = {
    "reader": "Which port does the old service listen on?",
    "planner": "How do we move the service without an outage?",
    "writer": "Write down how the service is moved.",
}


def solve(mem: recollect.Memory, ask: Ask) -> list[str]:
    """The findings that the project keeps."""
    hands = {worker: mem.scoped(project="move", agent_id=worker) for worker in TASKS}
    for hand in hands.values():
        hand.subscribe(["findings"])
    for worker, task in TASKS.items():
        hand = hands[worker]
        with hand.turn(task, caller="round", session_id="move-1") as turn:
            answer = ask(task, turn.window.text)
            turn.answer(answer)
        found = hand.add(answer, category="insight", importance=0.8 if worker != "writer" else 0.5)
        hand.publish(found.id, topics=["findings"])
        mem.settle()  # delivered before the next one begins
    boss = mem.scoped(project="move", agent_id="boss", policy="project")
    boss.promote(strength_min=1.1)  # the project keeps what matters; `undo` takes it back
    return [record.content for record in mem.get_all(project="move")]


def main() -> None:
    with recollect.open(":memory:") as mem:
        print("\n".join(solve(mem, lambda task, known: f"{task} (known before: {known.count('finding')})")))


if __name__ == "__main__":
    main()
