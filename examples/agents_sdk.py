"""An agent of OpenAI's Agents SDK that remembers its sessions, and looks up what it knows with a tool.

pip install 'recollect[openai-agents]'
python examples/agents_sdk.py            # needs OPENAI_API_KEY
"""

from __future__ import annotations

import asyncio
from typing import Any

from agents import Agent, Runner, function_tool

import recollect
from recollect.compat.openai_agents import RecollectSession


def guide(mem: recollect.Memory, *, user_id: str, **settings: Any) -> Agent[Any]:
    """A travel guide with a memory. `settings` are those of the SDK, such as a model."""

    @function_tool
    def recall(question: str) -> str:
        """Look up what is known about this person."""
        return mem.context(question, user_id=user_id, max_tokens=800).text or "nothing"

    return Agent(name="guide", instructions="You are a travel guide. Look people up.", tools=[recall], **settings)


async def talk(mem: recollect.Memory, agent: Agent[Any], lines: list[str], *, user_id: str, trip: str) -> list[str]:
    """One answer for each line that is said on a trip."""
    session = RecollectSession(trip, mem, user_id=user_id)
    return [str((await Runner.run(agent, line, session=session)).final_output) for line in lines]


def main() -> None:
    with recollect.open() as mem:
        lines = ["I am vegetarian and I love trains.", "What should I do in Lisbon?"]
        agent = guide(mem, user_id="me")
        print("\n".join(asyncio.run(talk(mem, agent, lines, user_id="me", trip="lisbon"))))


if __name__ == "__main__":
    main()
