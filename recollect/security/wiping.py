"""Files overwritten before their names go.

One pass of random bytes, flushed to the disk: more passes are of no use on any disk of the last decades (NIST SP
800-88). What no program reaches stays: blocks that an SSD has set aside, file-system snapshots, copies.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

from recollect.errors import StoreError

_PORTION_BYTES = 1 << 20


def overwrite(file: IO[bytes]) -> None:
    """Fill a file with random bytes, as far as it goes."""
    left = os.fstat(file.fileno()).st_size
    file.seek(0)
    while left > 0:
        left -= file.write(os.urandom(min(left, _PORTION_BYTES)))
    file.flush()
    os.fsync(file.fileno())


def wipe_file(path: Path) -> bool:
    """Overwrite a file, then remove it. False if the bytes have another name (a hard link, as some backups make):
    then only this name goes, since the other one is not ours."""
    try:
        with path.open("r+b") as file:
            alone = os.fstat(file.fileno()).st_nlink == 1
            if alone:
                overwrite(file)
        path.unlink()
    except FileNotFoundError:
        return True
    except OSError as error:
        raise StoreError(f"cannot wipe {path}: {error.strerror}; wipe and remove it yourself") from None
    return alone
