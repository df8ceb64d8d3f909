"""What would change in a client's file, and changing it: whole or not at all, with the old file kept beside it."""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recollect.clock import from_us, now_us
from recollect.config import toml_file
from recollect.errors import UsageError
from recollect.interfaces.clients import jsonc
from recollect.interfaces.clients.catalog import Client

SERVER = "recollect"  # the name of the entry
FILE_BYTES_MAX = 1 << 26  # a client that keeps its talks in the same file reaches megabytes
ADD, CHANGE, REMOVE, SAME, ABSENT, REFUSED = "add", "change", "remove", "same", "absent", "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file before and after. `did` says what the difference is; `problem`, why there can be none."""

    client: Client
    path: Path
    did: str
    before: str | None = None  # None: there is no file
    after: str | None = None
    problem: str | None = None
    backup: Path | None = None
    written: bool = False
    what: str = "server"  # or the rules that tell an agent when to use it

    @property
    def diff(self) -> list[str]:
        """The lines that differ, with a few around them."""
        if self.after is None or self.before == self.after:
            return []
        old, new = (self.before or "").splitlines(), self.after.splitlines()
        return list(difflib.unified_diff(old, new, str(self.path), str(self.path), n=2, lineterm=""))

    @property
    def next(self) -> str | None:
        """What a person does in the client once the file is written."""
        if self.what in ("rules", "hooks"):
            return None if self.did in (SAME, ABSENT) else "start a new session"
        if self.did in (ADD, CHANGE):
            return self.client.after
        return "restart it" if self.did == REMOVE else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "client": self.client.name,
            "title": self.client.title,
            "what": self.what,
            "path": str(self.path),
            "did": self.did,
            "written": self.written,
            "diff": self.diff,
            "problem": self.problem,
            "backup": None if self.backup is None else str(self.backup),
            "next": self.next,
        }


def entry(client: Client, command: Sequence[str]) -> dict[str, Any]:
    """The entry that starts `recollect mcp`, in the client's own form."""
    said = {"type": "stdio"} if client.names_transport else {}
    return {**said, "command": command[0], "args": list(command[1:])}


def starting(client: Client, path: Path) -> str | None:
    """The program that an entry which is there starts; None where there is no entry, or nobody can tell."""
    try:
        found = _found(client, text_of(path) or "")
    except (OSError, ValueError):
        return None
    started = found.get("command") if isinstance(found, Mapping) else None
    return started if isinstance(started, str) else None


def adding(client: Client, path: Path, command: Sequence[str]) -> FileChange:
    """Write the entry, or bring one that is there up to date. What else people put into it stays."""
    try:
        before = text_of(path)
        old = _found(client, before or "")
        new = {**_kept(old), **entry(client, command)}
        if old == new:
            return FileChange(client=client, path=path, did=SAME, before=before, after=before)
        after = _editor(client).put(before or "", (client.within, SERVER), new)
    except (OSError, ValueError) as error:
        return refused(client, path, error)
    return FileChange(client=client, path=path, did=ADD if old is None else CHANGE, before=before, after=after)


def renamed(client: Client, path: Path, program: Sequence[str]) -> FileChange:
    """Have the entry that is there start another program; what it is told stays."""
    try:
        told = list((_found(client, text_of(path) or "") or {}).get("args", []))
    except (OSError, ValueError, AttributeError) as error:
        return refused(client, path, error)
    told = told[told.index("mcp") :] if "mcp" in told else ["mcp"]
    return adding(client, path, [*program, *told])


def removing(client: Client, path: Path) -> FileChange:
    """Take the entry out."""
    try:
        before = text_of(path)
        if before is None or _found(client, before) is None:
            return FileChange(client=client, path=path, did=ABSENT, before=before, after=before)
        after = _editor(client).drop(before, (client.within, SERVER))
    except (OSError, ValueError) as error:
        return refused(client, path, error)
    return FileChange(client=client, path=path, did=REMOVE, before=before, after=after)


def write(change: FileChange) -> FileChange:
    """Carry a change out. The file is replaced in one step; the old one stays beside it."""
    if change.did not in (ADD, CHANGE, REMOVE):
        return change
    assert change.after is not None
    target = change.path.resolve()  # what a link points at is what people keep
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if text_of(target) != change.before:
            raise UsageError("it was changed meanwhile; run this again")
        backup = _back_up(target) if change.before is not None else None
        if change.after or change.did != REMOVE:
            replace_file(target, change.after.encode("utf-8"))
        else:
            target.unlink()
    except (OSError, ValueError) as error:
        return refused(change.client, change.path, error, what=change.what)
    return replace(change, written=True, backup=backup)


def text_of(path: Path) -> str | None:
    """The file as it is, line ends included; None if there is none."""
    try:
        with open(path, "rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except FileNotFoundError:
        return None
    if len(content) > FILE_BYTES_MAX:
        raise ValueError(f"it is larger than {FILE_BYTES_MAX} bytes")
    return content.decode("utf-8")


def _found(client: Client, text: str) -> Any:
    """The entry that is there now; None if there is none."""
    tables: Any = toml_file.read(text) if client.is_toml else jsonc.read(text).value
    if not isinstance(tables, Mapping) or not isinstance(tables.get(client.within, {}), Mapping):
        raise ValueError(f"{client.within} is no table of servers in it")
    return tables.get(client.within, {}).get(SERVER)


def _editor(client: Client) -> Any:
    return toml_file if client.is_toml else jsonc


def _kept(old: Any) -> dict[str, Any]:
    """What people added to the entry themselves; the address of a server is another way to reach us, and goes."""
    ours = ("type", "command", "args", "url", "httpUrl", "headers")
    return {key: value for key, value in old.items() if key not in ours} if isinstance(old, Mapping) else {}


def refused(client: Client, path: Path, error: Exception, *, what: str = "server") -> FileChange:
    """The change that cannot be: why the file is left alone."""
    if isinstance(error, OSError):
        why = error.strerror or str(error)
    elif isinstance(error, UnicodeDecodeError):
        why = "it is not UTF-8 text"
    else:
        why = error.message if isinstance(error, UsageError) else str(error)
    return FileChange(client=client, path=path, did=REFUSED, problem=why, what=what)


def _back_up(path: Path) -> Path:
    stamp = f"{from_us(now_us()):%Y%m%dT%H%M%S}"
    for again in range(100):
        beside = path.with_name(f"{path.name}.{stamp}{f'-{again}' if again else ''}.bak")
        if not beside.exists():
            shutil.copy2(path, beside)
            return beside
    raise UsageError(f"there are too many backups beside {path}")


def replace_file(path: Path, content: bytes) -> None:
    """The new file under its name at once, with the rights of the old one."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, name)
        else:
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
