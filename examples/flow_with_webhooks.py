"""A flow that a webhook starts: each node sees what earlier runs came to, and the whole run becomes memory.

pip install 'recollect[server]'
python examples/flow_with_webhooks.py    # then: curl -d '{"ticket": "printer jams"}' 127.0.0.1:8099/ticket
"""

from __future__ import annotations

from collections.abc import Callable

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

import recollect

Ask = Callable[[str, str], str]
NODES = ("find the cause", "choose a cure", "write the answer")


def run_flow(mem: recollect.Memory, ticket: str, ask: Ask) -> str:
    """The last node's answer. Every node is told what the nodes before it came to."""
    flow = mem.scoped(project="helpdesk", agent_id="flow")
    done: list[str] = []
    for node in NODES:
        prompt = f"{node}: {ticket}"
        with flow.turn(prompt, caller="flow", name="tickets", flow=done or None) as turn:
            answer = ask(prompt, turn.window.text)
            turn.answer(answer)
        done.append(f"{node}: {answer}")
    flow.add(f"Ticket '{ticket}' was solved: {done[1]}", category="workflow", importance=0.7)
    return answer


def app(mem: recollect.Memory, ask: Ask) -> Starlette:
    """The webhook's server."""

    async def ticket(request: Request) -> JSONResponse:
        given = await request.json()
        text = given.get("ticket") if isinstance(given, dict) else None
        if not isinstance(text, str) or not text.strip():
            return JSONResponse({"error": 'send {"ticket": "…"}'}, status_code=422)
        return JSONResponse({"answer": await run_in_threadpool(run_flow, mem, text, ask)})

    return Starlette(routes=[Route("/ticket", ticket, methods=["POST"])])


def main() -> None:
    import uvicorn

    with recollect.open() as mem:
        uvicorn.run(app(mem, lambda prompt, known: known or "nothing known yet"), host="127.0.0.1", port=8099)


if __name__ == "__main__":
    main()
