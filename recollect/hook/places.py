"""Where a hook finds things: the store it belongs to, the project that an agent works in, a path within that.

git is never run: it may hang, be missing, or ask for a password. What it would say stands in a few small files.
"""

from __future__ import annotations

import os

STORE = "~/.recollect/memory.db"
STORE_VARIABLE = "RECOLLECT_DB"
PATH_CHARS_MAX = 1_024
WORDS_MAX = 300  # of a text that are looked up as files
_APART = {ord(mark): " " for mark in "\"'`()[]{}<>,;:|=*“”„’\\\x00"}  # what may stand around a path
_UP_MAX = 64  # folders above the one that is worked in
_LINK_BYTES_MAX = 4_096
_HEAD_CHARS = 300
SHAPE_ONLY = "shape-only"  # a file beside the store: of what agents plan and say last, nothing is to be kept


def store_of(given: str | None) -> str:
    """The file of the store: what the command names, the variable, or the usual place."""
    path = given or os.environ.get(STORE_VARIABLE) or STORE
    return os.path.abspath(os.path.expanduser(path.removeprefix("sqlite:///")))


def folder_of(store: str) -> str:
    """The folder beside a store in which hooks and the engine leave things for each other."""
    return f"{store}.hooks"


def workplace(folder: str) -> tuple[str, str]:
    """(top, project) of a folder that is worked in: the work tree that paths count from, and what all its work trees
    share, by which the project is known. Without git both are the folder itself."""
    here = os.path.realpath(folder)
    at = here
    for _ in range(_UP_MAX):
        mark = os.path.join(at, ".git")
        if os.path.isdir(mark):
            return at, at
        if os.path.isfile(mark):
            return at, _shared_by_work_trees(mark) or at
        above = os.path.dirname(at)
        if above == at:
            break
        at = above
    return here, here


def branch_of(top: str) -> str:
    """The branch of a work tree as its own file says; "" where nobody can tell. Nothing is run."""
    git = os.path.join(top, ".git")
    try:
        if os.path.isfile(git):
            with open(git, encoding="utf-8") as file:
                git = os.path.join(top, file.read(_LINK_BYTES_MAX).strip().removeprefix("gitdir:").strip())
        head = os.path.join(git, "HEAD")
        if not os.path.isfile(head):  # a pipe would be waited for
            return ""
        with open(head, encoding="utf-8") as file:
            told = file.read(_HEAD_CHARS).strip()
    except (OSError, ValueError):
        return ""
    return told.removeprefix("ref: refs/heads/") if told.startswith("ref:") else ""


def _shared_by_work_trees(mark: str) -> str | None:
    """The folder of the repository that a linked work tree belongs to; None for a submodule, which is its own."""
    try:
        with open(mark, encoding="utf-8") as file:
            link = file.read(_LINK_BYTES_MAX)
        if not link.startswith("gitdir:"):
            return None
        inside = os.path.join(os.path.dirname(mark), link[len("gitdir:") :].strip())
        shared = os.path.join(inside, "commondir")
        if not os.path.isfile(shared):  # a pipe would be waited for
            return None
        with open(shared, encoding="utf-8") as file:
            shared = os.path.realpath(os.path.join(inside, file.read(_LINK_BYTES_MAX).strip()))
    except (OSError, ValueError):
        return None
    return os.path.dirname(shared) if os.path.basename(shared) == ".git" else shared


def within(path: str, top: str, folder: str) -> str | None:
    """A path relative to the work tree, with slashes; None for what lies outside of it, or is no path.

    Links are followed, so that nothing outside is taken for something inside.
    """
    if not path or len(path) > PATH_CHARS_MAX or "\x00" in path or "\n" in path:
        return None
    try:
        whole = os.path.realpath(os.path.join(folder, os.path.expanduser(path)))
    except (OSError, ValueError):
        return None
    if whole == top:
        return "."
    inside = top if top.endswith(os.sep) else top + os.sep
    return whole[len(inside) :].replace(os.sep, "/") if whole.startswith(inside) else None


def named_in(text: str, top: str) -> list[str]:
    """The files of a work tree that a text names by their paths from its top. Other words of it are not kept."""
    found: dict[str, None] = {}
    words = dict.fromkeys(word.rstrip(".") for word in text.translate(_APART).split())
    likely = [word for word in words if ("/" in word or "." in word) and len(word) <= PATH_CHARS_MAX]
    for word in likely[:WORDS_MAX] if top else ():
        path = word.removeprefix("./").removeprefix("#")
        if not path.startswith(("/", "~")) and ".." not in path and os.path.isfile(os.path.join(top, path)):
            found[path] = None
    return list(found)
