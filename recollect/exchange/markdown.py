"""An export for people: what is known now, by scope, session and kind, the newest first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from recollect.clock import from_us
from recollect.ingest.progress import report
from recollect.model.scope import DIMENSIONS
from recollect.model.showable import in_markdown
from recollect.store.base import Row, Tx
from recollect.store.exports import ExportedPart

OPENING = "<!-- recollect export -->"
_ID_CHARS = 8
_REPORT_ROWS = 1_000
_TITLES = {
    "episodic": "What was said",
    "semantic": "Facts",
    "procedural": "How things are done",
    "opinion": "Opinions",
    "entity": "Who and what",
    "snippet": "From documents",
    "schema": "Patterns",
}


def write_document(tx: Tx, chosen: ExportedPart, file: IO[bytes]) -> dict[str, Any]:
    """Write live records as Markdown; figures about it. It cannot be imported: it leaves out what nobody reads."""
    total = tx.exports.readable_count(chosen.scope_pks)
    written = done = 0
    for text in _document(tx.exports.readable(chosen.scope_pks), total):
        data = f"{text}\n".encode()
        file.write(data)
        written += len(data)
        done += text.startswith("- ")
        if done % _REPORT_ROWS == 0:
            report(done, total)
    report(total, total)
    return {"count": total, "bytes": written}


def _document(rows: Iterator[Row], total: int) -> Iterator[str]:
    yield f"{OPENING}\n\n# Memories\n\n{total} in all, the newest first."
    place: tuple[object, ...] = ()
    session: object = ...
    kind: object = ...
    for row in rows:
        if row[:5] != place:
            place, session = row[:5], ...
            yield f"\n## {_scope(row)}"
        if row[5] != session:
            session, kind = row[5], ...
            if session is not None:
                yield f"\n### Session {_line(str(session))}"
        if row[6] != kind:
            kind = row[6]
            yield f"\n{'####' if session is not None else '###'} {_TITLES.get(str(kind), str(kind))}\n"
        yield _entry(row)


def _scope(row: Row) -> str:
    named = [f"{name} {_line(value)}" for name, value in zip(DIMENSIONS, row[:5], strict=True) if value is not None]
    return ", ".join(named) or "Everybody"


def _entry(row: Row) -> str:
    category, id_, content, speaker, role, at, until, tags, confidence, flagged = row[7:17]
    who = f"**{_line(speaker or role)}:** " if speaker or role else ""
    about = [_line(category)] if category not in ("fact", "turn") else []
    about += [f"until {from_us(until):%Y-%m-%d}"] if until is not None else []
    about += [f"tags {_line(tags)}"] if tags else []
    about += [f"{confidence:.0%} sure"] if confidence < 1 else []
    about += ["flagged"] if flagged else []
    words = in_markdown(content).replace("\n", "\n  ")
    return f"- {from_us(at):%Y-%m-%d} {who}{words} ({'; '.join([*about, f'`{id_[:_ID_CHARS]}`'])})"


def _line(text: str) -> str:
    return in_markdown(text, one_line=True)
