"""A bar for long work, on stderr, while somebody watches."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recollect.errors import RecollectError
from recollect.facade.handle import engine_of
from recollect.interfaces.cli.answer import CommandAnswer, emit

if TYPE_CHECKING:
    from recollect.memory import Memory


@contextmanager
def progress_bar(verb: str, *, wanted: bool = True) -> Iterator[None]:
    """Show how far a long verb inside is. Nothing is drawn where nobody looks, nor for work that is done at once."""
    if not wanted or not sys.stderr.isatty():
        yield
        return
    from recollect.ingest.progress import watched

    with ExitStack() as stack:
        bar: list[Any] = []

        def show(done: int, total: int) -> None:
            if not bar and done < total:
                bar.append(stack.enter_context(_progress(sized=verb == "ingest")))
                bar.append(bar[0].add_task("reading" if verb == "ingest" else verb, total=total))
            if bar:
                bar[0].update(bar[1], completed=done)

        stack.enter_context(watched(show))
        yield


def _progress(*, sized: bool) -> Any:
    """`sized`: what is counted are bytes."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from recollect.interfaces.cli.answer import console

    much = DownloadColumn() if sized else TaskProgressColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), much, TimeRemainingColumn())
    return Progress(*columns, console=console(stderr=True), transient=True)


def after(memory: Memory, answer: CommandAnswer, *, watched: bool) -> CommandAnswer:
    """Read what was stored, which takes longer than storing it. Who watches has the answer first, and a bar then.

    Stopped with Ctrl-C, what is stored stays, and what was not read yet is read by the next `settle`.
    """
    if not (watched and sys.stderr.isatty()):
        memory.settle()
        return answer
    emit(answer, as_json=False)
    try:
        with _settling(memory):
            memory.settle()
    except KeyboardInterrupt:
        print("stopped: all of it is stored; `recollect settle` goes on with reading it", file=sys.stderr)
        return replace(answer, shown=True, code=INTERRUPTED)
    return replace(answer, shown=True)


@contextmanager
def _settling(memory: Memory) -> Iterator[None]:
    """A bar for background work, whichever thread does it: the jobs in the store say how far they are."""

    done = threading.Event()
    with _progress(sized=False) as bar:
        task = bar.add_task(_READING, total=1.0)

        def follow() -> None:
            while not done.wait(_LOOK_S):
                with suppress(RecollectError), engine_of(memory).store.read() as tx:
                    running = tx.jobs.running()
                    if running is not None:
                        bar.update(task, completed=running[1], description=_DOING.get(running[0], _READING))

        follower = threading.Thread(target=follow, name="recollect-bar", daemon=True)
        follower.start()
        try:
            yield
        finally:
            done.set()
            follower.join()


INTERRUPTED = 130
_LOOK_S = 0.25
_READING = "reading what was stored"
_DOING = {
    "perceive": "reading names and statements",
    "relations": "finding relations",
    "updates": "comparing with the rest",
    "embed": "embedding",
    "consolidate": "consolidating",
}
