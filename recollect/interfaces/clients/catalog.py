"""The clients that can be set up: how to tell that one is there, and which of its files names the servers."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The part of a machine that clients are looked for in; tests make their own."""

    home: Path
    platform: str  # as `sys.platform` has it
    environ: Mapping[str, str]

    @classmethod
    def here(cls) -> Machine:
        """This machine, for the person who runs the process."""
        return cls(home=Path.home(), platform=sys.platform, environ=os.environ)

    @property
    def applications(self) -> Path:
        """The folder where programs with a window keep their data."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return Path(self.environ.get("APPDATA") or self.home / "AppData" / "Roaming")
        return Path(self.environ.get("XDG_CONFIG_HOME") or self.home / ".config")


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One program. `within` is the table of its file that holds the servers by name."""

    name: str
    title: str
    file: Callable[[Machine], Path]  # of the person
    signs: Callable[[Machine], tuple[Path, ...]]  # one of them exists: the program is installed
    in_folder: str  # its file in the folder of a project; "" when it has none
    rules: Callable[[Machine], Path] | None = None  # what it reads at the start of a session, of the person
    rules_in_folder: str = ""  # and in the folder of a project
    within: str = "mcpServers"
    names_transport: bool = True  # an entry says that it is started and spoken to over stdio
    after: str = "restart it"  # what a person does next

    def is_there(self, place: Machine) -> bool:
        """Whether it was ever used here, as far as this user may look."""
        return any(os.path.exists(sign) for sign in self.signs(place))

    @property
    def is_toml(self) -> bool:
        return self.in_folder.endswith(".toml")


def _codex_home(place: Machine) -> Path:
    return Path(place.environ.get("CODEX_HOME") or place.home / ".codex")


def _claude_settings(place: Machine) -> Path:
    folder = place.environ.get("CLAUDE_CONFIG_DIR")
    return (Path(folder) if folder else place.home) / ".claude.json"


def _claude_folder(place: Machine) -> Path:
    return Path(place.environ.get("CLAUDE_CONFIG_DIR") or place.home / ".claude")


CLIENTS: tuple[Client, ...] = (
    Client(
        name="claude-code",
        title="Claude Code",
        file=_claude_settings,
        in_folder=".mcp.json",
        signs=lambda at: (_claude_settings(at), at.home / ".claude"),
        after="start a new session; /mcp lists it",
        rules=lambda at: _claude_folder(at) / "CLAUDE.md",
        rules_in_folder="CLAUDE.md",
    ),
    Client(
        name="claude-desktop",
        title="Claude Desktop",
        in_folder="",
        names_transport=False,
        file=lambda at: at.applications / "Claude" / "claude_desktop_config.json",
        signs=lambda at: (at.applications / "Claude",),
    ),
    Client(
        name="cursor",
        title="Cursor",
        in_folder=".cursor/mcp.json",
        file=lambda at: at.home / ".cursor" / "mcp.json",
        signs=lambda at: (at.home / ".cursor",),
        after="switch it on under Settings, MCP",
        rules_in_folder=".cursor/rules/recollect.mdc",
    ),
    Client(
        name="vscode",
        title="VS Code",
        in_folder=".vscode/mcp.json",
        within="servers",
        file=lambda at: at.applications / "Code" / "User" / "mcp.json",
        signs=lambda at: (at.applications / "Code" / "User",),
        after="run “MCP: List Servers” and start it",
        rules_in_folder="AGENTS.md",
    ),
    Client(
        name="codex",
        title="Codex",
        in_folder=".codex/config.toml",
        within="mcp_servers",
        names_transport=False,
        file=lambda at: _codex_home(at) / "config.toml",
        signs=lambda at: (_codex_home(at),),
        after="start a new session; /mcp lists it",
        rules=lambda at: _codex_home(at) / "AGENTS.md",
        rules_in_folder="AGENTS.md",
    ),
    Client(
        name="gemini",
        title="Gemini CLI",
        in_folder=".gemini/settings.json",
        names_transport=False,
        file=lambda at: at.home / ".gemini" / "settings.json",
        signs=lambda at: (at.home / ".gemini",),
        after="start it again; /mcp lists it",
        rules=lambda at: at.home / ".gemini" / "GEMINI.md",
        rules_in_folder="GEMINI.md",
    ),
)


_ALSO = {"claude": "claude-code", "code": "vscode", "vs-code": "vscode", "openai-codex": "codex"}  # as people say it


def find(name: str) -> Client:
    """The client of that name; a `UsageError` lists the names otherwise."""
    word = name.strip().lower().replace(" ", "-").replace("_", "-").removesuffix("-cli")
    for client in CLIENTS:
        if _ALSO.get(word, word) == client.name:
            return client
    raise UsageError(f"clients are {', '.join(client.name for client in CLIENTS)}, not {name[:40]!r}")
