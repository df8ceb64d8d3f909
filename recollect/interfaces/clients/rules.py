"""A few lines in the file of rules that an agent reads at the start: when to ask the memory, and when to tell it.

They stand between two marks. What else is in the file stays; a second time changes nothing; taking them out leaves
the rest, or no file where they were all it held.
"""

from __future__ import annotations

import re
from pathlib import Path

from recollect.interfaces.clients import setup
from recollect.interfaces.clients.catalog import Client
from recollect.interfaces.clients.setup import ABSENT, ADD, CHANGE, REMOVE, SAME, FileChange

BEGIN, END = "<!-- recollect:begin -->", "<!-- recollect:end -->"
TEXT = f"""{BEGIN}
## Memory

The MCP server `recollect` is your memory across sessions.

- Before you answer or plan something that may rest on earlier talks, decisions or preferences, ask it: `get_context`
  for what bears on the task, `search_memories` for one question. If it knows nothing, say so instead of guessing.
- When you learn something that will matter later (a preference, a decision and its reason, a fact about people or the
  project, a trap and how it was solved), store it with `add_memory`: one thing at a time, in a sentence that makes
  sense alone, with names instead of "he" or "it". No passwords or keys, nothing that the code says itself.
- When something it told you turns out wrong or outdated, correct that record with `update_memory` instead of adding the
  opposite.
{END}
"""
_BLOCK = re.compile(
    rf"(?:\r?\n)?{re.escape(BEGIN)}(?:(?!{re.escape(BEGIN)}).)*?{re.escape(END)}[ \t]*(?:\r?\n)?", re.DOTALL
)
_CURSOR = "---\ndescription: When to use the memory\nalwaysApply: true\n---\n"  # without it a rule is never read


def adding(client: Client, path: Path) -> FileChange:
    """Write the lines, or bring those that are there up to date."""
    try:
        before = setup.text_of(path)
    except (OSError, ValueError) as error:
        return setup.refused(client, path, error, what="rules")
    old = before or ""
    found = _BLOCK.search(old)
    if found is not None:
        after = old[: found.start()] + _lead(old[: found.start()]) + TEXT + old[found.end() :]
    else:
        after = (old or _head(path)) + _lead(old or _head(path)) + TEXT
    did = SAME if after == before else CHANGE if found else ADD
    return FileChange(client=client, path=path, did=did, before=before, after=after, what="rules")


def removing(client: Client, path: Path) -> FileChange:
    """Take the lines out."""
    try:
        before = setup.text_of(path)
    except (OSError, ValueError) as error:
        return setup.refused(client, path, error, what="rules")
    if before is None or _BLOCK.search(before) is None:
        return FileChange(client=client, path=path, did=ABSENT, before=before, after=before, what="rules")
    after = _BLOCK.sub("", before, count=1)
    after = "" if after.strip() in ("", _CURSOR.strip()) else after
    return FileChange(client=client, path=path, did=REMOVE, before=before, after=after, what="rules")


def _head(path: Path) -> str:
    return _CURSOR if path.suffix == ".mdc" else ""


def _lead(before: str) -> str:
    """A line between what stands before and the block."""
    if not before:
        return ""
    return "\n" if before.endswith("\n") else "\n\n"
