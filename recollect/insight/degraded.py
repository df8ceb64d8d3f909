"""Which parts of an open store are missing: since when, what still works, and what to do. The one list of it.

Each part keeps its own `Outage`; here it is put into words. What is missing without a call that fails is looked for: a
disk that is nearly full, a file that cannot be written, a server. A part that nobody asks anything is asked again now
and then, beside the caller, so that nothing stays in the list after it came back. `health` tells the list, and warns of
what needs a hand.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.clock import from_us, now_us
from recollect.errors import (
    DiskFull,
    ProviderUnavailable,
    RecollectError,
    StoreDamaged,
    StoreReadOnly,
    StoreReplaced,
    StoreUnavailable,
)
from recollect.index.base import Pressure
from recollect.outage import Outage
from recollect.store.base import ROWS, SERVER, TEXT_INDEX, WRITES
from recollect.store.textual import TextIndexDamaged
from recollect.upkeep.language_model.awaited import Awaited

if TYPE_CHECKING:
    from recollect.config import LiveConfig
    from recollect.index.follow import Indexes
    from recollect.ingest.embedding import Embedding
    from recollect.providers.base import Llm, Reranker
    from recollect.security.vault import Vault
    from recollect.store.base import Store
    from recollect.upkeep.ram import RamWatch

FREE_BYTES_MIN = 200 * 1024 * 1024
FULL, PARTIAL, WORDS, WARMING, NOTHING = "full", "partial", "words", "warming", "none"
_WRITABLE = "writable_at"  # a key of meta: written to see whether writes are taken again
LOST = "the file was removed or replaced while it was open: nothing more is written"
START = "start it, or name another"
_DAMAGED = f"[{StoreDamaged.code}] pages that hold records were found damaged"
_ANYBODY = "is anybody there?"
_EFFECTIVE = os.access in os.supports_effective_ids
_DOCTOR = "`recollect doctor --fix` makes it anew"


class PartLoss(NamedTuple):
    """What goes on without a part, and what brings it back; '' where it comes back by itself."""

    still: str
    cure: str = ""


LOSSES = {
    "server": PartLoss(
        "nothing is read or written; what was acknowledged is safe",
        "start the database server, or see to the way to it: calls work again then",
    ),
    "disk": PartLoss(
        "searches and reads go on, and writes as long as they find room",
        "free some space before writes are refused: the next write shows that there is some",
    ),
    "file": PartLoss(
        "searches and reads go on, and writes as far as the file that is open takes them",
        "make the file and its folder writable: without that it cannot be opened again",
    ),
    "replaced": PartLoss(
        "what was stored is read; nothing more is written",
        "close this memory, put the right file in place, open it again",
    ),
    "writes": PartLoss("searches and reads go on", "`recollect doctor` looks for a cure; the next write tries again"),
    "rows": PartLoss(
        "what can be read is read",
        "`recollect doctor` says which, `recollect restore` brings back the newest sound backup and says what is lost",
    ),
    "text index": PartLoss("searches look in memory, or for meaning alone; writes wait until it is made anew"),
    "vector index": PartLoss(
        "vectors are compared in memory, or from the disk", "start what holds the vectors, or set index.backend=auto"
    ),
    "embedder": PartLoss("everything is stored and gets its vectors later; searches compare {left}", START),
    "language model": PartLoss("rules do its work"),
    "reranker": PartLoss("searches are ordered by their scores", START),
    "memory": PartLoss("everything works; without {without} some of it takes longer"),
    "key": PartLoss(
        "everything but a change of the key: what is open stays open",
        "unlock or mount what keeps the key before this process ends: the store does not open without it",
    ),
}
PARTS = tuple(name for name in LOSSES if name != "replaced")  # that is the file
_NO_MEMORY = "raise ram.budget_mb, or hold fewer records in one store"


@dataclass(frozen=True, slots=True, kw_only=True)
class DegradedPart:
    """A part that is missing. `cure` is empty where nothing needs to be done."""

    part: str
    since: str
    why: str
    still: str
    cure: str

    def to_dict(self) -> dict[str, str]:
        return asdict(self)

    @property
    def warning(self) -> str:
        return f"{self.why}; meanwhile {self.still}; {self.cure}"


class NotedLosses(NamedTuple):
    """What the tables tell of missing parts: what waits for the language model, and when rows were found damaged."""

    waits: Awaited = Awaited()
    damaged_at: int | None = None


class Degraded:
    """Knows the parts that may be missing."""

    def __init__(
        self,
        store: Store,
        indexes: Indexes,
        embedding: Embedding,
        config: LiveConfig,
        *,
        llm: Llm | None = None,
        reranker: Reranker | None = None,
        ram: RamWatch | None = None,
        vault: Callable[[], Vault | None] = lambda: None,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._indexes = indexes
        self._embedding = embedding
        self._config = config
        self._llm = llm
        self._reranker = reranker
        self._ram = ram
        self._vault = vault
        self._seconds = seconds
        self._looked: dict[str, Outage[str]] = {"disk": Outage(), "file": Outage()}  # what is found by looking
        self._again: dict[str, tuple[float, threading.Thread]] = {}

    @property
    def level(self) -> str:
        """How searches answer now: with all there is, without a model, from the tables, by words alone, or not."""
        if SERVER in self._missing_of_store():
            return NOTHING
        if not self._indexes.warm:
            return WARMING
        if _outage_of(self._embedding.embedder) is not None:
            return WORDS if self._embedding.beside is None else PARTIAL
        return FULL if self._embedding.embedder is not None else WORDS

    def parts(self, noted: NotedLosses) -> list[DegradedPart]:
        """What is missing now."""
        met = self._missing_of_store().get(ROWS)
        since = noted.damaged_at if met is None else met.since
        rows = [] if since is None else [_part("rows", since, _DAMAGED)]
        return [*rows, *self._of_store(), *self._of_indexes(), *self._of_models(noted.waits), *self._of_process()]

    # --- the store ---------------------------------------------------------------------------------------------------

    def _missing_of_store(self) -> dict[str, Outage[RecollectError]]:
        return {name: outage for name, outage in self._store.outages.items() if outage.why is not None}

    def _of_store(self) -> Iterator[DegradedPart]:
        missing = self._missing_of_store()
        for name, loss in ((SERVER, "server"), (TEXT_INDEX, "text index")):
            if (outage := missing.get(name)) is not None:
                mended = name != TEXT_INDEX or isinstance(outage.why, TextIndexDamaged)
                yield _part(loss, outage.since, _told(outage.why), cure=None if mended else _DOCTOR)
        if SERVER in missing:
            self._ask_again(SERVER, self._store.change_seq)
        refused = missing.get(WRITES)
        error = None if refused is None else refused.why
        if error is not None and not self._store.lost and not (isinstance(error, DiskFull) and self._nearly_full()):
            self._ask_again(WRITES, self._try_to_write)  # on a full disk a few bytes may fit, and nothing else
        kind = next((name for kind, name in _REFUSALS if isinstance(error, kind)), "writes")
        if refused is not None and kind not in self._looked and not (kind == SERVER and SERVER in missing):
            yield _part(kind, refused.since, _told(error, "the newest write failed: "))
        for name, found in self._look(error, kind).items():
            loss = "replaced" if name == "file" and self._store.lost else name
            since = refused.since if refused is not None and kind == name else found.since
            yield _part(loss, since, found.why or "", part=name)

    def _look(self, error: RecollectError | None, kind: str) -> dict[str, Outage[str]]:
        """What is wrong with the disk and the file, as the newest write and a look at them tell."""
        refused = _told(error, "the newest write failed: ")
        self._looked["disk"].is_now(refused if kind == "disk" else self._nearly_full())
        if self._store.lost:
            self._looked["file"].begins(f"[{StoreReplaced.code}] {LOST}")
        else:
            self._looked["file"].is_now(refused if kind == "file" else self._closed_to_writers())
        return {name: found for name, found in self._looked.items() if found.why is not None}

    def _nearly_full(self) -> str | None:
        free = self._store.free_bytes()
        return None if free is None or free >= FREE_BYTES_MIN else f"{free // 2**20} MiB are free on the disk"

    def _closed_to_writers(self) -> str | None:
        path = self._store.path
        places = () if path is None else (("the file", path), ("its folder", path.parent))
        closed = [name for name, place in places if not os.access(place, os.W_OK, effective_ids=_EFFECTIVE)]
        return f"[{StoreReadOnly.code}] {' and '.join(closed)} cannot be written" if closed else None

    def _try_to_write(self) -> None:
        self._store.write(lambda tx: tx.meta.note(_WRITABLE, now_us()))

    # --- indexes and models ------------------------------------------------------------------------------------------

    def _of_indexes(self) -> Iterator[DegradedPart]:
        outage = self._indexes.outage
        if outage.why is not None:
            yield _part("vector index", outage.since, outage.why)

    def _of_models(self, waits: Awaited) -> Iterator[DegradedPart]:
        embedder, beside, reranker = self._embedding.embedder, self._embedding.beside, self._reranker
        if embedder is not None and (away := _outage_of(embedder)) is not None:
            self._ask_again("embedder", lambda: embedder.embed([_ANYBODY]))
            left = "words" if beside is None else f"words and {beside.name}"
            yield _part("embedder", away.since, f"{embedder.name}: {_told(away.why)}", left=left)
        if reranker is not None and (away := _outage_of(reranker)) is not None:
            self._ask_again("reranker", lambda: reranker.scores(_ANYBODY, ["nobody"]))
            yield _part("reranker", away.since, f"{reranker.name}: {_told(away.why)}")
        probe = getattr(self._llm, "probe", None)
        if self._llm is not None and probe is not None and (found := probe.outage.why) is not None:
            still = LOSSES["language model"].still + (f"; {waits} for it" if waits.total else "")
            why = f"[{ProviderUnavailable.code}] {self._llm.name}: {found.detail}"
            yield _part("language model", probe.outage.since, why, still=still, cure=found.cure or START)

    # --- the process -------------------------------------------------------------------------------------------------

    def _of_process(self) -> Iterator[DegradedPart]:
        ram = self._ram
        if ram is not None and (level := ram.outage.why) is not None:
            why = f"memory is short: ram.budget_mb allows {self._config.current.ram.budget_mb} MB"
            without = ", ".join(ram.shed) or "anything given up"
            cure = _NO_MEMORY if level is Pressure.CRITICAL else ""
            yield _part("memory", ram.outage.since, why, cure=cure, without=without)
        vault = self._vault()
        if vault is not None and vault.outage.why is not None:
            self._ask_again("key", vault.look_for_key)
            yield _part("key", vault.outage.since, _told(vault.outage.why))

    def _ask_again(self, name: str, ask: Callable[[], Any]) -> None:
        """Ask a part that is away whether it is back, on a thread of its own, as often as models are looked at."""
        at, thread = self._again.get(name, (float("-inf"), None))
        now = self._seconds()
        if (thread is not None and thread.is_alive()) or now - at < self._config.current.embedding.probe_ttl_s:
            return
        asking = threading.Thread(target=_quietly, args=(ask,), name="recollect-ask-again", daemon=True)
        self._again[name] = (now, asking)
        asking.start()


# Which part is missing, by why a write was refused; any other fault is one of writes.
_REFUSALS: tuple[tuple[type[RecollectError], str], ...] = (
    (DiskFull, "disk"),
    (StoreReadOnly, "file"),
    (StoreReplaced, "file"),
    (StoreUnavailable, "server"),
)


def _outage_of(model: object) -> Outage[RecollectError] | None:
    """That a model cannot be had, as the last who asked it found; None where it answered, or nobody asked."""
    outage: Outage[RecollectError] | None = getattr(model, "outage", None)
    return None if outage is None or outage.why is None else outage


def _told(error: RecollectError | None, what: str = "") -> str:
    return "" if error is None else f"[{error.code}] {what}{error.message}"


def _part(
    loss: str, since: int | None, why: str, *, part: str = "", still: str = "", cure: str | None = None, **words: str
) -> DegradedPart:
    """A part that is missing, by its row; `still` and `cure` say it better where the row cannot."""
    row = LOSSES[loss]
    return DegradedPart(
        part=part or loss,
        since="" if since is None else from_us(since).isoformat(),
        why=why,
        still=still or row.still.format(**words),
        cure=row.cure if cure is None else cure,
    )


def _quietly(ask: Callable[[], Any]) -> None:
    with suppress(Exception):  # the part keeps a note of it; a model that somebody handed in may raise anything
        ask()
