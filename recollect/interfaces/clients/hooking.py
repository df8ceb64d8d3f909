"""Hooks of coding clients: which of its files names them, for which events, and how ours are put in and taken out.

Other hooks, comments and spacing of a file stay. Where a file was not changed since, taking ours out gives back the
bytes that were there before; otherwise they are cut out and all else stays.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recollect.errors import UsageError
from recollect.hook.places import folder_of
from recollect.interfaces.clients import catalog, jsonc, setup
from recollect.interfaces.clients.catalog import Client, Machine
from recollect.interfaces.clients.setup import ABSENT, ADD, CHANGE, REMOVE, SAME, FileChange

WITHIN = "hooks"
HOOK_ENDS_S = 5
NOTED = "installed.json"  # beside the store: which file was changed, and where the one before is kept


@dataclass(frozen=True, slots=True, kw_only=True)
class HookClient:
    """Where a client's hooks stand, and which of its events are worth one. `events` are (name, matcher)."""

    name: str
    file: Callable[[Machine], Path]
    in_folder: str
    events: tuple[tuple[str, str | None], ...]
    flat: bool = False  # an event lists commands, not groups of them
    timeout: int = HOOK_ENDS_S
    beside: tuple[tuple[str, Any], ...] = ()  # further members that the file needs
    managed: Callable[[Machine], Path] | None = None  # the file by which an administrator may forbid hooks

    @property
    def client(self) -> Client:
        return catalog.find(self.name)

    def entry(self, matcher: str | None, command: str) -> dict[str, Any]:
        """What an event lists for us."""
        if self.flat:
            return {"command": command, "timeout": self.timeout}
        hook = {"type": "command", "command": command, "timeout": self.timeout}
        return {**({} if matcher is None else {"matcher": matcher}), "hooks": [hook]}


_EDITING = "Edit|Write|MultiEdit|NotebookEdit"


def _claude_home(at: Machine) -> Path:
    return Path(at.environ.get("CLAUDE_CONFIG_DIR") or at.home / ".claude")


def _claude_managed(at: Machine) -> Path:
    folder = {"darwin": "/Library/Application Support/ClaudeCode", "win32": "C:/Program Files/ClaudeCode"}
    return Path(folder.get(at.platform, "/etc/claude-code")) / "managed-settings.json"


HOOK_CLIENTS: tuple[HookClient, ...] = (
    HookClient(
        name="claude-code",
        file=lambda at: _claude_home(at) / "settings.json",
        in_folder=".claude/settings.local.json",
        events=(
            ("SessionStart", None),
            ("UserPromptSubmit", None),
            ("PreToolUse", _EDITING),
            ("PostToolUse", "*"),
            ("PostToolUseFailure", "*"),
            ("PreCompact", None),
            ("Stop", None),
            ("SessionEnd", None),
        ),
        managed=_claude_managed,
    ),
    HookClient(
        name="codex",
        file=lambda at: Path(at.environ.get("CODEX_HOME") or at.home / ".codex") / "hooks.json",
        in_folder=".codex/hooks.json",
        events=(
            ("SessionStart", None),
            ("UserPromptSubmit", None),
            ("PostToolUse", None),
            ("PreCompact", None),
            ("Stop", None),
        ),
    ),
    HookClient(
        name="cursor",
        file=lambda at: at.home / ".cursor" / "hooks.json",
        in_folder=".cursor/hooks.json",
        events=tuple(
            (name, None)
            for name in (
                "sessionStart",
                "beforeSubmitPrompt",
                "postToolUse",
                "postToolUseFailure",
                "preCompact",
                "stop",
                "sessionEnd",
            )
        ),
        flat=True,
        beside=(("version", 1),),
    ),
    HookClient(
        name="gemini",
        file=lambda at: at.home / ".gemini" / "settings.json",
        in_folder=".gemini/settings.json",
        events=(
            ("SessionStart", None),
            ("BeforeAgent", None),
            ("AfterTool", "*"),
            ("PreCompress", None),
            ("AfterAgent", None),
            ("SessionEnd", None),
        ),
        timeout=1_000 * HOOK_ENDS_S,  # in milliseconds there
    ),
)


def find(name: str) -> HookClient:
    """The client of that name, if it has hooks."""
    wanted = catalog.find(name).name
    for each in HOOK_CLIENTS:
        if each.name == wanted:
            return each
    raise UsageError(f"{name} has no hooks; clients with hooks are {', '.join(each.name for each in HOOK_CLIENTS)}")


def forbidden(client: HookClient, at: Machine) -> str | None:
    """Why no hook of a person's own runs, if an administrator's settings say so."""
    path = client.managed(at) if client.managed is not None else None
    try:
        value = jsonc.read(setup.text_of(path) or "").value if path is not None else {}
    except (OSError, ValueError):  # not ours to read: the client itself decides
        return None
    for name in ("disableAllHooks", "allowManagedHooksOnly"):
        if isinstance(value, Mapping) and value.get(name) is True:
            return f"{name} in {path} lets no hooks of yours run; ask whoever manages it"
    return None


def command_line(client: HookClient, program: Sequence[str], options: Sequence[str]) -> str:
    """What the client runs at an event."""
    return shlex.join([*program, "hook", client.name, *options])


def adding(client: HookClient, path: Path, command: str) -> FileChange:
    """Put our hooks in, or bring those that are there up to date."""
    try:
        if why := forbidden(client, Machine.here()):
            raise UsageError(why)
        before = setup.text_of(path)
        value = _value(before)
        if _ours_as_wanted(client, value, command):
            return FileChange(client=client.client, path=path, did=SAME, before=before, after=before, what=WITHIN)
        text = _without(client, before or "")
        if not text.strip():
            text = _made(client, command)
        else:
            for name, member in client.beside:
                text = jsonc.put_member(text, name, member, overwrite=False)
            for event, matcher in client.events:
                text = jsonc.append(text, (WITHIN, event), client.entry(matcher, command))
    except (OSError, ValueError) as error:
        return setup.refused(client.client, path, error, what=WITHIN)
    did = CHANGE if any(_ours_in(client, value)) else ADD
    return FileChange(client=client.client, path=path, did=did, before=before, after=text, what=WITHIN)


def removing(client: HookClient, path: Path, noted: Mapping[str, Any]) -> FileChange:
    """Take our hooks out. `noted` is what was noted when they were put in."""
    try:
        before = setup.text_of(path)
        if before is None or not any(_ours_in(client, _value(before))):
            return FileChange(client=client.client, path=path, did=ABSENT, before=before, after=before, what=WITHIN)
        note = noted.get(str(path))
        if isinstance(note, Mapping) and note.get("after") == _print(before):
            kept = note.get("backup")
            after = "" if kept is None else (setup.text_of(Path(kept)) if isinstance(kept, str) else None)
            if after is not None:
                return FileChange(client=client.client, path=path, did=REMOVE, before=before, after=after, what=WITHIN)
        after = _without(client, before)
    except (OSError, ValueError) as error:
        return setup.refused(client.client, path, error, what=WITHIN)
    empty = {} if not client.beside else dict(client.beside)
    after = "" if _value(after) in ({}, empty) and "//" not in after and "/*" not in after else after
    return FileChange(client=client.client, path=path, did=REMOVE, before=before, after=after, what=WITHIN)


def standing(client: HookClient, path: Path, command: str) -> str:
    """installed, outdated, partial, absent, or unreadable; off where the file says that no hook is run."""
    try:
        value = _value(setup.text_of(path))
    except (OSError, ValueError):
        return "unreadable"
    if value.get("disableAllHooks") is True and any(_ours_in(client, value)):
        return "off"
    if _ours_as_wanted(client, value, command):
        return "installed"
    found = list(_ours_in(client, value))
    if not found:
        return "absent"
    return "outdated" if len(found) == len(client.events) else "partial"


# --- what was changed, noted beside the store ------------------------------------------------------------------------


def noted(store: str) -> dict[str, Any]:
    """Which files were changed, by their paths."""
    try:
        found = json.loads((Path(folder_of(store)) / NOTED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def note(store: str, changes: Sequence[FileChange]) -> None:
    """Note what was written. The first file before ours stays the one that is given back."""
    known = noted(store)
    for change in changes:
        if not change.written:
            continue
        key = str(change.path)
        if change.did == REMOVE:
            known.pop(key, None)
        else:
            first = known.get(key, {}) if change.did == CHANGE else {}
            backup = first["backup"] if "backup" in first else None if change.backup is None else str(change.backup)
            known[key] = {"client": change.client.name, "backup": backup, "after": _print(change.after or "")}
    folder = Path(folder_of(store))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    setup.replace_file(folder / NOTED, json.dumps(known, indent=1).encode())
    os.chmod(folder / NOTED, 0o600)


def write(change: FileChange) -> FileChange:
    """Carry a change out, as for servers; a file that would be empty is removed."""
    done = setup.write(change)
    return replace(done, backup=None) if done.did == REMOVE and not done.written else done


def _print(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _value(text: str | None) -> Any:
    value = jsonc.read(text or "").value
    if not isinstance(value, Mapping) or not isinstance(value.get(WITHIN, {}), Mapping):
        raise ValueError(f"{WITHIN} is no table of events in it")
    for name, listed in value.get(WITHIN, {}).items():
        if not isinstance(listed, list) and any(name == event for each in HOOK_CLIENTS for event, _ in each.events):
            raise ValueError(f"{WITHIN}.{name} is no list in it")
    return value


def _ours_in(client: HookClient, value: Any) -> list[tuple[str, Any]]:
    """(event, entry) of what is ours."""
    hooks = value.get(WITHIN, {})
    return [
        (event, each)
        for event, listed in hooks.items()
        if isinstance(listed, list)
        for each in listed
        if _is_ours(client, each)
    ]


def _is_ours(client: HookClient, entry: Any) -> bool:
    if not isinstance(entry, Mapping):
        return False
    inside = entry.get("hooks") if isinstance(entry.get("hooks"), list) else [entry]
    commands = [each.get("command") for each in inside or () if isinstance(each, Mapping)]
    return len(commands) == 1 and isinstance(commands[0], str) and _calls_us(commands[0], client.name)


def _calls_us(command: str, name: str) -> bool:
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return any(words[at : at + 2] == ["hook", name] and "recollect" in words[at - 1] for at in range(1, len(words)))


def _ours_as_wanted(client: HookClient, value: Any, command: str) -> bool:
    wanted = [(event, client.entry(matcher, command)) for event, matcher in client.events]
    found = _ours_in(client, value)
    return sorted(map(repr, found)) == sorted(map(repr, wanted))


def _without(client: HookClient, text: str) -> str:
    for event in dict.fromkeys(event for event, _ in _ours_in(client, _value(text))):
        text = jsonc.remove(text, (WITHIN, event), lambda entry: _is_ours(client, entry))
    return text


def _made(client: HookClient, command: str) -> str:
    hooks = {event: [client.entry(matcher, command)] for event, matcher in client.events}
    return json.dumps({**dict(client.beside), WITHIN: hooks}, indent=2, ensure_ascii=False) + "\n"
