"""Reading files safely: what a path or text means, and the bytes of a file that stood still while it was read."""

from __future__ import annotations

import os
import re
import stat
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.errors import UsageError
from recollect.limits import DOCUMENT_BYTES_MAX
from recollect.structure.formats import BY_SUFFIX

READING_THREADS = 4  # files are read ahead of the one that is being parsed
_AHEAD = 8
_ATTEMPTS = 2
_PATH_CHARS_MAX = 4096
_ALSO_WORDS = {".org", ".rest"}  # suffixes in which addresses and sentences end as well
_SUFFIXES = {*BY_SUFFIX, *".py .js .ts .tsx .go .rs .java .c .h .cc .cpp .hpp".split()} - _ALSO_WORDS
_PATH_LIKE = re.compile(rf"\S*/\S*|~\S*|\S+(?:{'|'.join(map(re.escape, sorted(_SUFFIXES)))})")  # a word, no sentence


@dataclass(frozen=True, slots=True)
class FileContents:
    """The bytes of a file, or why there are none."""

    path: Path
    data: bytes = b""
    skipped: str | None = None


def located(given: Any) -> Path | None:
    """The file or folder a caller means; None if it is a text. A path that does not exist is refused."""
    if isinstance(given, os.PathLike):
        path = Path(given)
        if not os.path.exists(path):
            raise UsageError(f"{path} does not exist")
        return path
    if not isinstance(given, str) or not given.strip():
        raise UsageError("give a path or a text")
    if len(given) > _PATH_CHARS_MAX or "\n" in given or "\x00" in given:
        return None
    path = Path(os.path.expanduser(given))  # Path's own refuses "~ 20 people"
    if os.path.exists(path):  # Path's own refuses a name too long to be one
        return path
    if _PATH_LIKE.fullmatch(given.strip()):
        raise UsageError(f"{given} does not exist; to remember a text, give a text")
    return None


def read_file(path: Path, *, bytes_max: int = DOCUMENT_BYTES_MAX) -> FileContents:
    """A file as it was at one moment. Never waits for a pipe or a device, never reads more than allowed."""
    try:
        for _ in range(_ATTEMPTS):
            source = _read_once(path, bytes_max)
            if source is not None:
                return source
    except OSError as error:
        return FileContents(path, skipped=f"cannot be read: {error.strerror or type(error).__name__}")
    return FileContents(path, skipped="changed while it was read; try again when it is at rest")


def read_files(paths: Iterable[Path], *, bytes_max: int = DOCUMENT_BYTES_MAX) -> Iterator[FileContents]:
    """Files in the order given, read ahead by a few threads."""
    with ThreadPoolExecutor(READING_THREADS, thread_name_prefix="recollect-read") as pool:
        waiting: deque[Future[FileContents]] = deque()
        try:
            for path in paths:
                waiting.append(pool.submit(read_file, path, bytes_max=bytes_max))
                if len(waiting) >= _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _read_once(path: Path, bytes_max: int) -> FileContents | None:
    """None if the file changed meanwhile."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            return FileContents(path, skipped="is not a file")
        if before.st_size > bytes_max:
            return FileContents(path, skipped=f"has {before.st_size} bytes, at most {bytes_max} are read; split it")
        data = file.read(bytes_max + 1)
        after = os.fstat(descriptor)
    if len(data) != before.st_size or _state(before) != _state(after) or _state(os.stat(path)) != _state(after):
        return None
    return FileContents(path, data)


def _state(file: os.stat_result) -> tuple[int, int, int, int]:
    return file.st_ino, file.st_dev, file.st_size, file.st_mtime_ns
