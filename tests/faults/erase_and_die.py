"""A process that erases a person and kills itself at a given step, or inside a transaction of one."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import recollect
from recollect.store.erase import Erasure, Whom
from recollect.store.sqlite import log


def die(*_: Any, **__: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def main(path: str, where: str) -> None:
    with recollect.open(path, embedder="fake", config={"store.durable": False}) as memory:
        erasing = memory._opened.erasure
        if where == "inside the first transaction":
            Erasure._quote_nothing = die  # type: ignore[method-assign]
        elif where == "inside the second transaction":
            Erasure._unname = die  # type: ignore[method-assign]
        elif where == "while the file is rewritten":
            log._vacuum = die
        else:
            erasing.step = lambda name: die() if name == where else None
        erasing.erase(Whom(user_id="zperson"), dry_run=False, actor=None)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
