"""What changed together in the history of a repository, read from git.

Names of files only: no content, no author, no message. A repository is a stranger's, so nothing that its configuration
names is run: no hook, no file monitor, no signature program. What a shallow or partial clone cannot say is named in
`missing`, and what it can say is still read.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from recollect.limits import CODE_COMMITS_MAX

FILES_MAX = 30  # a commit of more files is a rename of everything, a release or a licence header
TIMEOUT_S = 60.0
LOOK_TIMEOUT_S = 2.0  # for a look at the work tree, which somebody waits for

_COMMIT = "\x01"
_SAFE = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "log.showSignature=false", "core.quotePath=false")
_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}

NO_GIT = "git is not installed: nothing was learned from the history"
NO_REPOSITORY = "no git repository, or one that git does not trust: nothing was learned from the history"
NO_HISTORY = "the repository has no commits yet"
TOO_SLOW = "git did not answer in time: nothing was learned from the history"
SHALLOW = "the clone is shallow: older commits are not here"
PARTIAL = "the clone is partial: renames are not followed, because the contents they are told by are not here"
FORGOTTEN = "the commit that was read last is gone from the history: it was read anew"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommittedChange:
    """Files that one commit changed, under the names they have now."""

    commit: str
    at_s: int
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitHistory:
    """Changes, the oldest first; files that moved since, old name to new; the newest commit; what could not be read."""

    changes: tuple[CommittedChange, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    head: str = ""
    whole: bool = True  # not only what came after the commit that was read last
    missing: tuple[str, ...] = ()


def read_history(
    root: Path,
    *,
    after: str = "",
    commits_max: int = CODE_COMMITS_MAX,
    files_max: int = FILES_MAX,
    timeout_s: float = TIMEOUT_S,
) -> CommitHistory:
    """The newest commits that are no merges; with `after` only those that came since that one.

    Never raises for what a repository is or is not: the answer says in `missing` what could not be read.
    """
    git = _Git(root, timeout_s)
    try:
        if git.line("rev-parse", "--is-inside-work-tree") != "true":
            return CommitHistory(missing=(NO_REPOSITORY,))
        head = git.line("rev-parse", "--verify", "--quiet", "HEAD")
        if not head:
            return CommitHistory(missing=(NO_HISTORY,))
        missing = [SHALLOW] if git.line("rev-parse", "--is-shallow-repository") == "true" else []
        partial = bool(git.line("config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$"))
        missing += [PARTIAL] if partial else []
        known = bool(after) and git.succeeds("merge-base", "--is-ancestor", after, "HEAD")
        missing += [FORGOTTEN] if after and not known else []
        listed = git.bytes(
            "log",
            "--no-merges",
            f"--max-count={commits_max}",
            "--no-renames" if partial else "--find-renames",
            "--name-status",
            "-z",
            "--relative",
            f"--format={_COMMIT}%H %ct",
            f"{after}..HEAD" if known else "HEAD",
            "--",
            ".",
        )
    except FileNotFoundError:
        return CommitHistory(missing=(NO_GIT,))
    except subprocess.TimeoutExpired:
        return CommitHistory(missing=(TOO_SLOW,))
    changes, renamed = _changes(listed, files_max)
    return CommitHistory(changes=changes, renamed=renamed, head=head, whole=not known, missing=tuple(missing))


def _changes(listed: bytes, files_max: int) -> tuple[tuple[CommittedChange, ...], tuple[tuple[str, str], ...]]:
    """What `git log` printed, newest first, as changes with the oldest first and files under today's names."""
    found: list[CommittedChange] = []
    today: dict[str, str] = {}  # the name that a file of the past has now, as far as the past was walked
    moved: dict[str, str] = {}
    for commit, at_s, entries in _commits(listed):
        files: set[str] = set()
        for status, path, new in entries:
            if status == "R":
                files.add(today.get(new, new))
                today[path] = today.get(new, new)
                moved.setdefault(path, today[path])
            elif status == "A":  # an older file of that name was another one
                files.add(today.pop(path, path))
            else:
                files.add(today.get(path, path))
        if 0 < len(files) <= files_max:
            found.append(CommittedChange(commit=commit, at_s=at_s, files=tuple(sorted(files))))
    return tuple(reversed(found)), tuple((old, new) for old, new in moved.items() if old != new)


def _commits(listed: bytes) -> Iterator[tuple[str, int, list[tuple[str, str, str]]]]:
    """Commit, time, and `(status, path, new path)` of each of its files."""
    for block in listed.decode("utf-8", "replace").split(_COMMIT)[1:]:
        head, *rest = block.split("\0")
        commit, _, at_s = head.strip().partition(" ")
        if at_s.isdigit():
            yield commit, int(at_s), list(_entries(iter(rest)))


def _entries(words: Iterator[str]) -> Iterable[tuple[str, str, str]]:
    for word in words:
        status = word.strip()[:1]
        if not status:
            continue
        path = next(words, "")
        new = next(words, "") if status in "RC" else ""
        if path:
            yield (status, path, new) if status != "C" else ("M", new, "")


def uncommitted(root: Path, *, timeout_s: float = LOOK_TIMEOUT_S) -> list[str]:
    """Files of a work tree that differ from what was committed, or are in no commit and not ignored, by name.

    Where contents are compared, programs that the repository's configuration names for that are not run. Nothing where
    git is missing, refuses or is slow.
    """
    git = _Git(root, timeout_s)
    try:
        if git.line("rev-parse", "--is-inside-work-tree") != "true":
            return []
        git.run_no_filter()
        listed = git.bytes("diff-files", "--name-only", "-z", "--relative", "--ignore-submodules", "--", ".")
        if git.succeeds("rev-parse", "--verify", "--quiet", "HEAD"):
            listed += git.bytes("diff-index", "--cached", "--name-only", "-z", "--relative", "HEAD", "--", ".")
        listed += git.bytes("ls-files", "--others", "--exclude-standard", "-z", "--", ".")
    except (OSError, subprocess.TimeoutExpired):
        return []
    return sorted({path for path in listed.decode("utf-8", "replace").split("\0") if path})


class _Git:
    """Commands of git in one folder, with nothing of its configuration run and nothing written."""

    def __init__(self, root: Path, timeout_s: float) -> None:
        self._start = ["git", "-C", os.fspath(root), *(word for each in _SAFE for word in ("-c", each))]
        self._timeout_s = timeout_s

    def _run(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*self._start, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=self._timeout_s,
            env={**os.environ, **_QUIET},
            check=False,
        )

    def run_no_filter(self) -> None:
        """Have git compare contents as they are: a filter is a program that the repository's configuration names."""
        listed = self.bytes("config", "-z", "--name-only", "--get-regexp", r"^filter\.").decode("utf-8", "replace")
        names = dict.fromkeys(name.rpartition(".")[0] for name in listed.split("\0") if name)
        for name in names:
            for setting in ("clean=", "smudge=", "process=", "required=false"):
                self._start += ["-c", f"{name}.{setting}"]

    def bytes(self, *words: str) -> bytes:
        return self._run(*words).stdout

    def line(self, *words: str) -> str:
        return self.bytes(*words).decode("utf-8", "replace").strip()

    def succeeds(self, *words: str) -> bool:
        return self._run(*words).returncode == 0
