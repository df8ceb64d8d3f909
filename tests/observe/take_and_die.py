"""Takes the spool of a store in and kills itself at one of the moments in between: `take_and_die.py STORE MOMENT`."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import recollect
from recollect.facade.handle import engine_of
from recollect.hook import spool
from recollect.observe.intake import Intake
from recollect.store.observed import ObservedRows


def die(*_: Any, **__: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def after(call: Any) -> Any:
    def both(*given: Any, **named: Any) -> Any:
        call(*given, **named)
        return die()

    return both


MOMENTS = {
    "before it is set aside": (spool, "set_aside", die),
    "after it is set aside": (spool, "set_aside", after(spool.set_aside)),
    "before it is read": (spool, "settled", die),
    "after it is read": (spool, "settled", after(spool.settled)),
    "before the events": (Intake, "write", die),
    "after the events": (Intake, "write", after(Intake.write)),
    "after the note": (ObservedRows, "note_taken", after(ObservedRows.note_taken)),
    "before the file goes": (os, "unlink", die),
    "after the file went": (os, "unlink", after(os.unlink)),
}

if __name__ == "__main__":
    store, moment = sys.argv[1:]
    memory = recollect.open(store, embedder="fake", background=False, config={"observe.enabled": True})
    where, name, instead = MOMENTS[moment]
    with open(f"{store}.ready", "w", encoding="utf-8") as file:  # opening took in what was there before
        file.write("ready")
    sys.stdin.readline()
    setattr(where, name, instead)
    engine_of(memory).observer.spool.take()
    die()
