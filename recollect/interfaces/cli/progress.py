"""A bar for long work, on stderr, while somebody watches."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any


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
