"""What `ingest` is given: a text, a file or a folder, and which of its files are as they were when they were read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recollect.store.documents import KnownDocument
from recollect.structure.parse import documents_of
from recollect.structure.piece import Parsed, PieceSizes
from recollect.structure.read import located
from recollect.structure.walk import WalkedFile, walk

READER = 1  # raised when the same file would be cut otherwise than before, so that it is read again


@dataclass(frozen=True, slots=True)
class FileState:
    """What a file looked like before it was opened. If it changes afterwards, the next look will see that."""

    path: str
    url: str
    size: int
    mtime_ns: int


@dataclass(kw_only=True)
class Survey:
    """The files behind one call, and how they are to be read."""

    given: Any
    root: Path | None  # None: a text
    files: dict[str, FileState] = field(default_factory=dict)  # by path
    format: str | None = None
    recursive: bool = True
    sizes: PieceSizes = field(default_factory=PieceSizes)
    fields_digest: str | None = None  # of what the caller wants on every piece

    @property
    def is_folder(self) -> bool:
        return self.root is not None and os.path.isdir(self.root)

    @property
    def url(self) -> str | None:
        return None if self.root is None else url_of(self.root)

    @property
    def reader(self) -> str:
        """How pieces are made of a file; another way would make others."""
        return ":".join(map(str, (READER, *self.sizes, self.format or "")))

    def state_of(self, parsed: Parsed, digest: str) -> dict[str, Any]:
        """What is kept of a document to know it again."""
        state: dict[str, Any] = {"digest": digest, "reader": self.reader}
        if self.fields_digest is not None:
            state["fields"] = self.fields_digest
        file = self.files.get(parsed.path or "")
        return state if file is None else state | {"size": file.size, "mtime_ns": file.mtime_ns}

    def unchanged(self, known: Mapping[str, KnownDocument]) -> dict[str, KnownDocument]:
        """Files that need not be opened, by path: same size and time, read the same way before."""
        found = ((file, known.get(file.url)) for file in self.files.values())
        return {file.path: document for file, document in found if document and self._is_as_it_was(file, document)}

    def _is_as_it_was(self, file: FileState, document: KnownDocument) -> bool:
        state = document.state
        wanted = self.fields_digest is None or state.get("fields") == self.fields_digest
        read = [state.get(name) for name in ("size", "mtime_ns", "reader")]
        return wanted and document.has_pieces and read == [file.size, file.mtime_ns, self.reader]

    def gone(self, known: Mapping[str, KnownDocument]) -> list[KnownDocument]:
        """Documents of this folder whose files no longer exist. One that cannot be read now is not gone."""
        if not self.is_folder:
            return []
        present = {file.url for file in self.files.values()}
        missing = [document for url, document in known.items() if url not in present]
        return [document for document in missing if self._covers(document.url) and not _exists(document.url)]

    def _covers(self, url: str) -> bool:
        return self.recursive or "/" not in url.removeprefix(f"{self.url}/")

    def documents(self, unchanged: Mapping[str, KnownDocument]) -> Iterator[Parsed]:
        """What the files that changed hold, and those that could not be read with the reason."""
        return documents_of(
            self.given, self.format, recursive=self.recursive, sizes=self.sizes, unless=unchanged.keys()
        )


def survey(given: Any, *, format: str | None, recursive: bool, sizes: PieceSizes, fields_digest: str | None) -> Survey:
    """Look at what there is without opening it. `UsageError` for a path that leads nowhere."""
    root = located(given)
    out = Survey(given=given, root=root, format=format, recursive=recursive, sizes=sizes, fields_digest=fields_digest)
    found = [] if root is None else walk(root, recursive=recursive) if out.is_folder else [WalkedFile(root)]
    states = (_state(each.path) for each in found if each.skipped is None)
    out.files = {state.path: state for state in states if state is not None}
    return out


def url_of(path: Path) -> str:
    """The same for one file however its path is written, links on the way followed."""
    return Path(os.path.realpath(path)).as_uri()


def url_of_text(digest: str) -> str:
    """A text that is no file is known by what it says."""
    return f"urn:text:{digest}"


def digest_of(parsed: Parsed) -> str:
    """The same for documents that hold the same pieces in the same places."""
    hashed = hashlib.blake2b(digest_size=16)
    for piece in parsed.pieces:
        hashed.update(f"{piece.key}\0{piece.place.line_range}\0{piece.text}\0".encode())
    for turn in parsed.turns:
        hashed.update(f"{turn.session}\0{turn.role}\0{turn.text}\0".encode())
    return hashed.hexdigest()


def _state(path: Path) -> FileState | None:
    try:
        found = os.stat(path)
        return FileState(str(path), url_of(path), found.st_size, found.st_mtime_ns)
    except (OSError, ValueError):  # reading it will say what is wrong
        return None


def _exists(url: str) -> bool:
    from urllib.parse import unquote

    return os.path.lexists(unquote(url.removeprefix("file://")))
