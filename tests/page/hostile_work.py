"""Hostile texts in what agents know and do: skills, gaps, the tree, rhythms, code, warnings, minds, the bus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recollect import Memory
from recollect.interfaces.issuing import issue

WHERE = (
    "/knowledge",
    "/knowledge?q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
    "/knowledge/tree",
    "/knowledge/tree/1",
    "/knowledge/tree/2",
    "/knowledge/tree/%3Cscript%3E",
    "/knowledge/gaps",
    "/knowledge/patterns",
    "/knowledge/pages",
    "/knowledge/pages/session",
    "/knowledge/pages/reflect?days=%3Cscript%3E",
    "/code",
    "/code/impact",
    "/code/impact?of=" + "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E.py",
    "/code/impact?of=safe.py&way=%3Cscript%3E",
    "/code/learned",
    "/code/learned?standing=%3Cscript%3E&category=%3Cscript%3E",
    "/code/meter?period=%3Cscript%3E",
    "/agents?days=%3Cscript%3E",
    "/agents/minds",
    "/agents/minds?agent=%3Cscript%3E",
    "/agents/bus",
    "/agents/tokens",
)


_NAMED = "<img src=x onerror=alert(1)>.py"  # a file


def fill(memory: Memory, payloads: Sequence[str], ids: Sequence[str], folder: Path) -> None:
    """Put the payloads wherever the views of knowledge, code and agents take a text from."""
    for text in payloads[:6]:
        memory.skills.teach(text[:60], [text, text[::-1]], task=text)
        memory.skills.done(text[:60], success=False, failed_at=text[:60])
    memory.relate(ids[4], ids[5], "contradicts", evidence=payloads[0])
    memory.maintain()
    _code(memory, payloads, folder / "<b>project")
    _agents(memory, payloads, ids)


def _code(memory: Memory, payloads: Sequence[str], folder: Path) -> None:
    folder.mkdir()
    (folder / _NAMED).write_text("def onerror():\n    return 1\n", encoding="utf-8")
    (folder / "safe.py").write_text("import os\n\ndef alert():\n    return os\n", encoding="utf-8")
    name = "<svg onload=alert(1)>"
    memory.code.index(folder, name=name)
    for text in payloads[:3]:
        memory.code.note("invariant", text, about=_NAMED, root=name)
    for at, text in enumerate((payloads[0], payloads[1], payloads[3])):
        told = {"session_id": text[:60], "project": name, "cwd": str(folder), "client": payloads[2][:40]}
        did = (
            {"type": "tool", "tool": "Read", "input": {"file_path": _NAMED}},
            {"type": "tool_failed", "tool": "Bash", "input": {"command": text}, "error": payloads[1]},
            {"type": "tool", "tool": "Edit", "input": {"file_path": "safe.py"}},
            {"type": "tool", "tool": "Bash", "input": {"command": text}},
            {"type": "session_end"},
        )
        memory.observe([{**told, **each, "id": f"h{at}-{n}"} for n, each in enumerate(did)], project=name)


def _agents(memory: Memory, payloads: Sequence[str], ids: Sequence[str]) -> None:
    for at, text in enumerate(payloads[:4]):
        where = {"agent_id": text[:60], "project": payloads[0][:60]}
        memory.subscribe([text[:60]], sources=[text[:60]], **where)
        memory.publish(text, topics=[payloads[1][:60]], **where)
        memory.working.note(text, session_id=text[:60], **where)
        memory.turns.begin(text, session_id=text[:60], **where)
        issue(memory, {"user_id": text[:60]}, name=text[:60], may_add={"agent_id": [text[:60]]})
        memory.working.note(text, session_id=f"s{at}", user_id=ids[at])
