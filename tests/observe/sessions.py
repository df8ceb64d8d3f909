"""Small sessions of agents for tests: events as clients' hooks tell them, made up here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def repository(folder: Path, **files: str) -> Path:
    """A folder that git would take for a repository, with some files."""
    (folder / ".git").mkdir(parents=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return folder


class ClaudeCode:
    """One session of Claude Code in a folder: each method is the payload of a hook."""

    def __init__(self, folder: Path, session: str = "s1") -> None:
        self.folder, self.session, self.calls = folder, session, 0

    def _payload(self, event: str, **fields: Any) -> dict[str, Any]:
        return {
            "session_id": self.session,
            "transcript_path": f"/home/kim/.claude/projects/{self.session}.jsonl",
            "cwd": str(self.folder),
            "hook_event_name": event,
            **fields,
        }

    def start(self, source: str = "startup") -> dict[str, Any]:
        return self._payload("SessionStart", source=source)

    def prompt(self, text: str, number: int = 1) -> dict[str, Any]:
        return self._payload("UserPromptSubmit", prompt=text, prompt_id=f"p{number}", permission_mode="default")

    def before(self, tool: str, **given: Any) -> dict[str, Any]:
        return self._payload("PreToolUse", tool_name=tool, tool_input=given, tool_use_id=f"toolu_{self.calls + 1:03}")

    def tool(self, tool: str, response: Any = None, **given: Any) -> dict[str, Any]:
        self.calls += 1
        return self._payload(
            "PostToolUse",
            tool_name=tool,
            tool_input=given,
            tool_response=response if response is not None else {},
            tool_use_id=f"toolu_{self.calls:03}",
            duration_ms=7,
        )

    def read(self, name: str) -> dict[str, Any]:
        shown = {"filePath": str(self.folder / name), "content": "x", "numLines": 9, "startLine": 1, "totalLines": 9}
        return self.tool("Read", {"type": "text", "file": shown}, file_path=str(self.folder / name))

    def edit(self, name: str, line: int, old: str, new: str) -> dict[str, Any]:
        hunk = {
            "oldStart": line,
            "oldLines": 1,
            "newStart": line,
            "newLines": 1,
            "lines": [f"-{old}", f"+{new}"],
        }
        response = {"filePath": str(self.folder / name), "originalFile": "secret contents", "structuredPatch": [hunk]}
        return self.tool("Edit", response, file_path=str(self.folder / name), old_string=old, new_string=new)

    def run(self, command: str) -> dict[str, Any]:
        return self.tool("Bash", {"stdout": "fine", "stderr": ""}, command=command)

    def failed(self, tool: str, error: str, **given: Any) -> dict[str, Any]:
        self.calls += 1
        return self._payload(
            "PostToolUseFailure",
            tool_name=tool,
            tool_input=given,
            error=error,
            is_interrupt=False,
            tool_use_id=f"toolu_{self.calls:03}",
        )

    def compact(self) -> dict[str, Any]:
        return self._payload("PreCompact", trigger="auto", custom_instructions="")

    def stop(self, message: str = "All done.") -> dict[str, Any]:
        return self._payload("Stop", stop_hook_active=False, last_assistant_message=message, prompt_id="p1")

    def end(self) -> dict[str, Any]:
        return self._payload("SessionEnd", reason="other", prompt_id="p1")


def hook(payload: Any, store: Path, *words: str, client: str = "claude-code") -> str:
    """Run the hook as a client would, as its own process; what it says."""
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    done = subprocess.run(
        [sys.executable, "-m", "recollect.hook.process", client, "--db", str(store), *words],
        input=data,
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == b""
    return done.stdout.decode()


def told(answer: str) -> str:
    """What an agent of Claude Code is told by an answer; nothing if it is silent."""
    if not answer.strip() or answer.strip() == "{}":
        return ""
    text: str = json.loads(answer)["hookSpecificOutput"]["additionalContext"]
    return text
