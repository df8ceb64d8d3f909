"""A session of OpenAI's Agents SDK that remembers: the history of a conversation, kept as turns of a memory.

from recollect.compat.openai_agents import RecollectSession

session = RecollectSession("trip", recollect.open(), user_id="ana")
await Runner.run(agent, "I live in Lisbon", session=session)

What is said in it is learned from and found like anything else. The SDK itself is not imported: it asks for four
methods, and these are they. docs/bridges.md says what is kept.
"""

from recollect.compat.openai_agents.session import RecollectSession

__all__ = ["RecollectSession"]
