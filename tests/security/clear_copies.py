"""Values that must not be found in the clear, and the search for them: in every table, and in every file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import recollect

MAIL, NEW_MAIL, CARD, IBAN = "zyxana@qwvmail.pt", "zyxbo@qwvmail.pt", "4111 1111 1111 1111", "DE89370400440532013000"
STREET, WORD = "17 Quetzal Street", "Xylothorax"  # a word that stands beside a card
CLEAR = (MAIL, NEW_MAIL, "zyxana", "zyxbo", "qwvmail", CARD, CARD.replace(" ", ""), IBAN, "Quetzal", "quetzal")
CLEAR += (WORD, WORD.lower(), "xylothorac")


def in_the_clear(mem: recollect.Memory) -> list[str]:
    """Which of the clear values the decrypted database holds, anywhere in its bytes."""
    mem._engine.access.flush()
    mem._engine.audit.flush()
    image: bytes = mem._engine.store.write(lambda tx: _image(mem._engine.store))
    return sorted({value for value in CLEAR if value.lower().encode() in image.lower()})


def _image(store: Any) -> bytes:
    """Every cell of every table, those of the text index too; of a database in memory also bytes that were deleted."""
    database = store._write_db
    tables = [row[0] for row in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    assert {"record", "record_text", "journal", "mention", "audit", "operation"} <= set(tables)
    cells: list[bytes] = []
    for table in tables:
        for row in database.execute(f'SELECT * FROM "{table}"'):
            cells += [each if isinstance(each, bytes) else str(each).encode() for each in row]
    image = b"\n".join(cells)
    return image + (database.serialize("main") if store.path is None else b"")


def in_files(folder: Path) -> list[str]:
    found = [(path, value) for path in folder.rglob("*") if path.is_file() for value in CLEAR if _holds(path, value)]
    return [f"{path.name}: {value}" for path, value in found]


def _holds(path: Path, value: str) -> bool:
    return value.lower().encode() in path.read_bytes().lower()
