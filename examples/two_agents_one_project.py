"""Two agents in one project: each has a memory of its own, and tells the other what it should know.

python examples/two_agents_one_project.py
"""

from __future__ import annotations

import recollect


def work(mem: recollect.Memory) -> list[str]:
    """What the tester is told by the builder, and what the builder is told back."""
    builder = mem.scoped(project="shop", agent_id="builder")
    tester = mem.scoped(project="shop", agent_id="tester")
    for_tester = tester.subscribe(["tests"])
    for_builder = builder.subscribe(["tests"])

    builder.add("The queue lives in src/queue.py")  # its own: nobody else finds it
    builder.publish("Close the queue, or tests hang", topics=["tests"])
    told = [message.contents[0] for message in for_tester.wait(10)]

    hit = tester.search("why do tests hang?")[0]
    better = tester.correct(hit.id, "Close the queue and its pool, or tests hang", reason="saw it in CI")
    tester.publish(better.id, topics=["tests"])
    told += [message.contents[0] for message in for_builder.wait(10)]
    return told


def main() -> None:
    with recollect.open(":memory:") as mem:
        print("\n".join(work(mem)))


if __name__ == "__main__":
    main()
