"""A file without a name for what is on its way in or out: never on a disk when the store is encrypted."""

from __future__ import annotations

import io
import os
import tempfile
from typing import IO, cast

_IN_MEMORY_BYTES = 8 << 20


def temporary_file(*, private: bool) -> IO[bytes]:
    """A binary file that is gone when it is closed. A private one is memory of the system, however large it grows."""
    if not private:
        return cast("IO[bytes]", tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES))
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("recollect", os.MFD_CLOEXEC), "w+b")
    return io.BytesIO()
