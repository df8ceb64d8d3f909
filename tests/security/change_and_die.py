"""A process that changes the key of a store and kills itself on reaching a step: PATH VERB STEP KEY.

With the step `list` it goes through all of them and prints their names.
"""

from __future__ import annotations

import os
import signal
import sys

import recollect
from recollect.security import passphrase
from recollect.security.keeping import wished
from recollect.security.passphrase import Cost

passphrase.COST = Cost(memory_kib=8 * 1024, iterations=1, lanes=1)


def main(path: str, verb: str, last: str, keep: str) -> None:
    def step(name: str) -> None:
        if last == "list":
            print(name, flush=True)
        elif name == last:
            os.kill(os.getpid(), signal.SIGKILL)

    key = None if verb == "encrypt" else "correct horse" if keep == "passphrase" else None
    memory = recollect.open(path, key=key, embedder="fake")
    vault = memory._opened.vault
    wish = wished("correct horse" if keep == "passphrase" else None, None if keep == "passphrase" else keep)
    if verb == "encrypt":
        vault.encrypt(wish, step=step)
    elif verb == "rotate":
        vault.rotate(wish, step=step)
    else:
        vault.decrypt(step=step)
    memory.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
