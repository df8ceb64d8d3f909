"""What is ready to be said to an agent: written by the engine for each project, looked up by file, error or moment.

Without a server nothing is searched: what the engine prepared is all there is. Each thing is said once in a session,
unless somebody else changed its file; a session whose context was compacted may hear it again.
"""

from __future__ import annotations

import os

from recollect.hook import failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HINT_BYTES_MAX = 256 << 10
TOLD_BYTES_MAX = 64 << 10
SAYING_CHARS_MAX = 9_000  # Claude Code cuts at 10,000
FILE_BYTES_MAX = 1 << 20  # of a file that is looked at for being still the same
ONCE = "once:"  # how marks begin of what is said to one session alone
PLANNING = ("planning", "spec")
CODING = ("coding", "debugging")
_AFTER = ("read", "edit", "write")  # touching a file so is worth its warnings; listing it is not
_BEFORE = ("edit", "write")


def hints_path(folder: str, root: str) -> str:
    """The file with what is ready for a project."""
    return os.path.join(folder, f"hints-{failure.print_of_bytes(root.encode('utf-8', 'surrogateescape'))}.json")


def told_path(folder: str, session: str) -> str:
    """The file with prints of what was said in a session."""
    return os.path.join(folder, f"told-{failure.print_of_bytes(session.encode('utf-8', 'surrogateescape'))}")


def load(folder: str, root: str, parse: Any) -> dict[str, Any]:
    """What is ready for a project; nothing if there is no file, or none that can be read."""
    try:
        with open(hints_path(folder, root), encoding="utf-8") as file:
            text = file.read(HINT_BYTES_MAX + 1)
        found = parse(text) if len(text) <= HINT_BYTES_MAX else {}
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and found.get("root") == root else {}


def chosen(hints: dict[str, Any], event: dict[str, Any], *, before: bool, top: str = "") -> list[list[str]]:
    """What is to be said about an event, the most pressing first: a text, its mark, and the file it is about or "".

    `top` is the work tree that a session begins in."""
    kind = event["type"]
    found: list[tuple[Any, str]] = []
    if kind == "session_start":
        found = [(each, "") for each in _begun(hints, event, top)]
    elif kind in ("tool", "tool_failed") or before:
        if kind == "tool_failed" and event.get("error") and hints.get("errors"):
            found = [(hints["errors"].get(f"{event['tool']} {failure.digest(event['error'])}"), "")]
        files, wanted = hints.get("files") or {}, _BEFORE if before else _AFTER
        touched = [each["path"] for each in event.get("files", ()) if each["class"] in wanted]
        found += [(files.get(path), path) for path in touched]
        if before:
            found += [((hints.get("reach") or {}).get(path), "") for path in touched]
    sound = [[*said, path] for said, path in found if isinstance(said, list) and len(said) == 2 and all(said)]
    return list({each[1]: each for each in sound}.values())


def is_same_task(spec_: str, branch_: str, *, spec: str, branch: str) -> bool:
    """Whether something is of the task that a session works for: by its name, where either has one, else by branch."""
    return spec_ == spec if spec_ or spec else branch_ == branch


def _begun(hints: dict[str, Any], event: dict[str, Any], top: str) -> list[list[str]]:
    """What a session begins with. After a compaction its agent knows the rest."""
    start = hints.get("start") or {}
    task = {"spec": event.get("spec") or "", "branch": event.get("branch") or ""}
    phase = event.get("phase") or ("planning" if event.get("mode") == "plan" else None)
    states = start.get("states") or []
    own = [each for each in states if each[2] == "*" or is_same_task(each[2], each[3], **task)]
    found = [each[:2] for each in (own or states)[:1]]
    if event.get("source") != "compact":
        stages = [
            each
            for each in start.get("stages") or []
            if is_same_task(each[2], each[3], **task) and each[4] != event["session"] and each[5] != phase
        ]
        found += [[each[0], ONCE + each[1]] for each in stages[:1]]
        found += [start[name] for name in ("rest", *(("planning",) if phase in PLANNING else ())) if start.get(name)]
        if phase is None or phase in CODING:
            found += _preloaded(hints.get("preload") or {}, top)
    introduction = hints.get("introduction") or ""
    return [[f"{introduction}\n{text}" if at == 0 else text, mark] for at, (text, mark) in enumerate(found)]


def _preloaded(preload: dict[str, Any], top: str) -> list[list[str]]:
    """The files that were prepared and are still the same."""
    files = [each for each in preload.get("files") or [] if _is_unchanged(os.path.join(top, each[2]), *each[3:])]
    heading = preload.get("heading") or ""
    return [[f"{heading}\n{each[0]}" if at == 0 else each[0], each[1]] for at, each in enumerate(files)]


def _is_unchanged(path: str, size: int, mtime_ns: int, print_: str) -> bool:
    """Whether a file is as it was: by its time, or in another work tree by what it holds."""
    try:
        now = os.stat(path, follow_symlinks=False)
        if now.st_size != size or size > FILE_BYTES_MAX:
            return False
        if now.st_mtime_ns == mtime_ns:
            return True
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return failure.print_of_bytes(os.read(handle, size + 1)) == print_
        finally:
            os.close(handle)
    except (OSError, ValueError):
        return False


def is_first(folder: str, mark: str) -> bool:
    """Whether what is said once in all sessions was not said yet; from now on it was."""
    try:
        os.close(os.open(told_path(folder, mark), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return False
    return True


def unsaid(folder: str, session: str, sayings: list[list[str]], event: dict[str, Any], top: str) -> list[str]:
    """The texts that were not said in this session yet, or whose file somebody else has changed since.

    From now on they were said. `top` is the work tree that the files are in. An edit that the event tells of is the
    agent's own: its warning is not repeated for it.
    """
    if not sayings:
        return []
    path = told_path(folder, session)
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            known = file.read(TOLD_BYTES_MAX).split()
    except OSError:
        known = []
    new: list[str] = []
    marks: list[str] = []
    own = event["type"] == "tool" and event.get("class") in _BEFORE
    for text, mark, about in sayings:
        if mark.startswith(ONCE) and not is_first(folder, mark):
            continue
        state = f"{mark}@{_changed_at(top, about)}" if about else mark
        if state not in known:
            marks.append(state)
            if not (own and any(each.startswith(f"{mark}@") for each in known)):
                new.append(text)
    if marks:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            os.write(handle, "".join(f"{mark}\n" for mark in marks).encode())
        finally:
            os.close(handle)
    return new


def _changed_at(top: str, path: str) -> int:
    try:
        return os.stat(os.path.join(top, path)).st_mtime_ns
    except OSError:
        return 0


def forget_told(folder: str, session: str) -> None:
    """What was said is out of the agent's sight: its context was compacted, or its session ended."""
    try:
        os.unlink(told_path(folder, session))
    except OSError:
        pass


def answer(client: str, name: str, sayings: list[str]) -> str:
    """What the client is answered on stdout; empty where silence is understood."""
    text = "\n".join(sayings)[:SAYING_CHARS_MAX]
    if not text:
        return "{}" if client in ("cursor", "gemini") else ""
    if client == "cursor":
        return f'{{"additional_context": {quoted(text)}}}'
    return f'{{"hookSpecificOutput": {{"hookEventName": {quoted(name)}, "additionalContext": {quoted(text)}}}}}'


def quoted(text: str) -> str:
    """A text as JSON."""
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json.encoder import py_encode_basestring_ascii as encode_basestring_ascii
    return str(encode_basestring_ascii(text))
