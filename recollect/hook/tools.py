"""Tools of any client as what they do: read, edit, write, search, list, run, other; and the files a call touched."""

from __future__ import annotations

import zlib

from recollect.hook import shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeGuard

CLASSES = ("read", "edit", "write", "search", "list", "run", "other")
FILES_MAX = 50  # of one call
HASHES_MAX = 200  # of the lines that an edit took out, and of those it put in
HUNKS_MAX = 50
_LINE_CHARS_MIN = 3  # a shorter line, such as a bracket, says nothing about what was taken back
_NAMES = {
    "read": "read read_file view view_file cat open open_file notebookread read_many_files read_text_file readfile",
    "edit": "edit multiedit str_replace str_replace_editor str_replace_based_edit_tool apply_patch replace edit_file "
    "notebookedit search_replace apply_diff strreplace edit_notebook tabwrite",
    "write": "write write_file create create_file write_to_file writefile",
    "search": "grep search ripgrep search_file_content codebase_search grep_search rg semsearch grep_files",
    "list": "glob ls list_dir list_directory find list_files file_search glob_file_search",
    "run": "bash shell run_shell_command exec_command local_shell run_terminal_cmd execute_command terminal exec "
    "shell_command powershell container.exec unified_exec",
}
_CLASS_OF = {name: kind for kind, names in _NAMES.items() for name in names.split()}
PLANNING = frozenset("todowrite update_plan write_todos todo_write taskcreate taskupdate exitplanmode".split())
_PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file", "filename", "file")
_LISTS = ("paths", "files", "file_paths")
_PATCH = "*** Begin Patch"


def class_of(tool: str) -> str:
    """What a tool does, by its name; a tool of a server is known by the last part of its name."""
    name = tool.lower()
    return _CLASS_OF.get(name) or _CLASS_OF.get(name.rpartition("__")[2]) or "other"


def touched(tool: str, given: Any, answer: Any) -> tuple[str, list[dict[str, Any]]]:
    """(class, files) of a call: each file with what was done to it, and the lines as far as they are known."""
    kind = class_of(tool)
    if isinstance(given, str):
        given = {"command": given} if kind == "run" else {"input": given}
    if not isinstance(given, dict):
        return kind, []
    patch = next((value for value in given.values() if isinstance(value, str) and _PATCH in value), None)
    if patch is None and kind == "run":
        kind, files = shell.read(command_of(given))
        return kind, files[:FILES_MAX]
    if patch is not None:
        return "edit", _patched(patch)[:FILES_MAX]
    if kind == "edit" and given.get("command") in ("view", "create"):
        kind = "read" if given["command"] == "view" else "write"
    return kind, [_touch(path, kind, given, answer) for path in _paths(given)][:FILES_MAX]


def command_of(given: Any) -> str:
    """The line of the shell that a call runs; a list of words is one line."""
    value = given.get("command", given.get("cmd", given.get("script", ""))) if isinstance(given, dict) else given
    if isinstance(value, list):
        words = [str(each) for each in value]
        if len(words) == 3 and words[1] in ("-c", "-lc"):
            return words[2]
        return " ".join(words)
    return value if isinstance(value, str) else ""


def print_of(line: str) -> str:
    """A short print of a line, by which it is known again and not read."""
    return f"{zlib.crc32(line.strip().encode('utf-8', 'replace')):08x}"


def _paths(given: dict[str, Any]) -> list[str]:
    for name in _PATHS:
        if isinstance(given.get(name), str) and given[name]:
            return [given[name]]
    for name in _LISTS:
        if isinstance(given.get(name), list):
            return [each for each in given[name] if isinstance(each, str)]
    return []


def _touch(path: str, kind: str, given: dict[str, Any], answer: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"path": path, "class": kind}
    if kind == "read":
        if lines := _lines_read(given, answer):
            found["lines"] = lines
    elif kind in ("edit", "write"):
        patch = answer.get("structuredPatch") if isinstance(answer, dict) else None
        if isinstance(patch, list) and patch:
            found |= _of_hunks(patch)
        else:
            found |= _of_texts(given)
    return found


def _lines_read(given: dict[str, Any], answer: Any) -> list[list[int]]:
    shown = answer.get("file") if isinstance(answer, dict) else None
    if isinstance(shown, dict) and _whole(shown.get("startLine")) and _whole(shown.get("numLines")):
        first, count = shown["startLine"], shown["numLines"]
        if first == 1 and count == shown.get("totalLines"):
            return []
        return [[first, first + max(count, 1) - 1]]
    asked = given.get("view_range")
    if isinstance(asked, list) and len(asked) == 2 and all(map(_whole, asked)):
        return [[asked[0], asked[1]]]
    first = next((given[name] for name in ("offset", "start_line", "startLine") if _whole(given.get(name))), None)
    last = next((given[name] for name in ("end_line", "endLine") if _whole(given.get(name))), None)
    count = given.get("limit")
    if first is None and last is None and not _whole(count):
        return []
    first = first or 1
    return [[first, last if last is not None else first + count - 1 if _whole(count) else first]]


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and -1 <= value < 10**9


def _of_hunks(patch: list[Any]) -> dict[str, Any]:
    """Changed lines by their numbers before and after, without the lines around them."""
    hunks: list[list[int]] = []
    gone: list[str] = []
    came: list[str] = []
    for hunk in patch[:HUNKS_MAX]:
        if not isinstance(hunk, dict) or not isinstance(hunk.get("lines"), list):
            continue
        old, new = hunk.get("oldStart"), hunk.get("newStart")
        if not (_whole(old) and _whole(new)):
            continue
        run = [old, 0, new, 0]
        for line in hunk["lines"]:
            mark = line[:1] if isinstance(line, str) else " "
            if mark == "-":
                run[1] += 1
                old += 1
                gone.append(line[1:])
            elif mark == "+":
                run[3] += 1
                new += 1
                came.append(line[1:])
            else:
                old, new = old + 1, new + 1
                if run[1] or run[3]:
                    hunks.append(run)
                run = [old, 0, new, 0]
        if run[1] or run[3]:
            hunks.append(run)
    return {"hunks": hunks[:HUNKS_MAX], **_prints(gone, came)}


def _of_texts(given: dict[str, Any]) -> dict[str, Any]:
    """An edit of which only the texts are known: what was taken out, what came in."""
    several = given.get("edits")
    edits = several if isinstance(several, list) else [given]
    gone: list[str] = []
    came: list[str] = []
    for edit in edits:
        if isinstance(edit, dict):
            gone += _text(edit, "old_string", "old_str", "oldString", "old_text").splitlines()
            came += _text(edit, "new_string", "new_str", "newString", "new_text", "content", "file_text").splitlines()
    return _prints(gone, came)


def _text(given: dict[str, Any], *names: str) -> str:
    return next((given[name] for name in names if isinstance(given.get(name), str)), "")


def _prints(gone: list[str], came: list[str]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, lines in (("gone", gone), ("came", came)):
        telling = [print_of(line) for line in lines if len(line.strip()) >= _LINE_CHARS_MIN]
        if telling:
            out[name] = list(dict.fromkeys(telling))[:HASHES_MAX]
    return out


def _patched(text: str) -> list[dict[str, Any]]:
    """The files of a patch in the form of `apply_patch`, with the lines that went and came."""
    files: list[dict[str, Any]] = []
    gone: list[str] = []
    came: list[str] = []

    def finish() -> None:
        if files:
            files[-1] |= _prints(gone, came)
        gone.clear()
        came.clear()

    for line in text[: 1 << 20].splitlines():
        for head, kind in (("*** Update File: ", "edit"), ("*** Add File: ", "write"), ("*** Delete File: ", "edit")):
            if line.startswith(head):
                finish()
                files.append({"path": line[len(head) :].strip(), "class": kind})
        if line.startswith("-"):
            gone.append(line[1:])
        elif line.startswith("+"):
            came.append(line[1:])
    finish()
    return files
