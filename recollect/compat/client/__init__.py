"""A client of OpenAI's or Anthropic's that remembers: two lines, and every call recalls before and remembers after.

from recollect.compat.client import remembering

client = remembering(OpenAI(), recollect.open(), user_id="ana")

Sync and async clients, whole answers and streams. docs/bridges.md says which calls, and what is sent and kept.
"""

from recollect.compat.client.wrapping import remembering

__all__ = ["remembering"]
