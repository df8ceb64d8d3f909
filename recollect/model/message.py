"""One message of a conversation, whichever provider wrote it, and the calls of tools in it.

What a machine did with a tool is told in few words: `ran pytest -q`, `edited src/auth.ts`, `called weather(city=Oslo)`.
Tools are named by whoever wrote them. What a call did is told from the words in its name and from the arguments that
say what it was about: a command, a path, a query. What fits nowhere is told as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from recollect.model import roles

ARGUMENTS_CHARS_MAX = 64_000  # of what a call was given
_SHORT_CHARS = 160
_VALUE_CHARS = 60
_ARGUMENTS_SHOWN = 4

_COMMANDS = ("command", "cmd", "script", "shell_command", "code")
_PATHS = ("file_path", "path", "filepath", "filename", "file", "target_file", "notebook_path", "uri")
_QUERIES = ("query", "pattern", "q", "search", "url", "question", "prompt", "description")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_DONE = {  # a word in the name of a tool → what it did to a file
    "edit": "edited",
    "replace": "edited",
    "patch": "edited",
    "update": "edited",
    "insert": "edited",
    "modify": "edited",
    "write": "wrote",
    "create": "wrote",
    "save": "wrote",
    "append": "wrote",
    "delete": "deleted",
    "remove": "deleted",
    "move": "moved",
    "rename": "moved",
    "read": "read",
    "view": "read",
    "open": "read",
    "cat": "read",
    "get": "read",
    "load": "read",
    "list": "listed",
    "ls": "listed",
    "glob": "listed",
}
_CHANGES = frozenset(("edited", "wrote", "deleted", "moved"))
_ARGUMENT_DOES = {  # … or the value of such an argument, where one tool does several things
    "str_replace": "edited",
    "insert": "edited",
    "create": "wrote",
    "view": "read",
    "write": "wrote",
    "delete": "deleted",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message. `role` is the one it was given; `text` its words; `attachments` stand for what is no text.

    `result_of` is the id of the call whose result this is, "" where a result has none.
    """

    role: str
    text: str = ""
    name: str | None = None
    calls: tuple[Call, ...] = ()
    result_of: str | None = None
    failed: bool = False  # a result that is an error
    at: datetime | None = None
    attachments: tuple[str, ...] = ()

    @property
    def is_person(self) -> bool:
        """Whether a person said it; who has a role that nobody knows is one."""
        return self.result_of is None and not roles.is_machine(self.role)

    @property
    def is_system(self) -> bool:
        """Whether it instructs the model rather than being said in the conversation."""
        return self.role.lower() in roles.INSTRUCTING

    @property
    def is_result(self) -> bool:
        """Whether it is what a tool answered."""
        return self.result_of is not None or self.role.lower() in roles.TOOLS

    @property
    def said(self) -> str:
        """Its words, and a word for each thing that is no text."""
        return "\n".join(part for part in (self.text, " ".join(self.attachments)) if part)

    @property
    def told(self) -> str:
        """The same with what it called, in short: `[ran pytest -q]`."""
        return "\n".join(part for part in (self.text, *(f"[{call.told}]" for call in self.calls)) if part)

    def to_dict(self) -> dict[str, str]:
        """A plain message that every provider takes."""
        return {"role": self.role, "content": self.said}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool that a machine called. `arguments` is what it was given, as JSON or as the text it was."""

    name: str
    arguments: str = ""
    id: str | None = None

    @property
    def told(self) -> str:
        """What was done, in one line."""
        given = self._given()
        path, command = _first(given, _PATHS), _first(given, _COMMANDS)
        deed = _ARGUMENT_DOES.get(command) or self._deed()
        if path and (deed or not command):
            return _line(f"{deed or self.name} {path}")
        if command:
            return _line(f"ran {command}")
        query = _first(given, _QUERIES)
        if query and len(given) <= _ARGUMENTS_SHOWN:
            return _line(f"{self.name} {query}")
        shown = ", ".join(f"{name}={_value(value)}" for name, value in list(given.items())[:_ARGUMENTS_SHOWN])
        return _line(f"called {self.name}({shown or _line(self.arguments, _VALUE_CHARS)})")

    @property
    def changed(self) -> str | None:
        """The file that it changed, None if it changed none."""
        given = self._given()
        deed = _ARGUMENT_DOES.get(_first(given, _COMMANDS)) or self._deed()
        return (_first(given, _PATHS) or None) if deed in _CHANGES else None

    def _deed(self) -> str:
        words = (word.lower() for word in _WORDS.findall(self.name))
        return next((_DONE[word] for word in words if word in _DONE), "")

    def _given(self) -> Mapping[str, Any]:
        if not self.arguments.startswith("{"):
            return {}
        try:
            return dict(orjson.loads(self.arguments))
        except (orjson.JSONDecodeError, ValueError):
            return {}


def _first(given: Mapping[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        value = given.get(name)
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            value = " ".join(value)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _value(value: object) -> str:
    shown = value if isinstance(value, str) else orjson.dumps(value).decode()
    return _line(shown, _VALUE_CHARS)


def _line(text: str, chars: int = _SHORT_CHARS) -> str:
    """The text on one line, no longer than that."""
    line = " ".join(text[: 4 * chars].split())
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"
