"""What is told of a store to somebody who helps: figures, codes and words of ours, nothing that anybody stored.

It is told by what may be told, never by what may not: a text that is not one of our own words is told by its length,
a key that is none is counted among the others. So a figure that somebody adds later tells too little, not too much.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.clock import DAY_US
from recollect.errors import RecollectError
from recollect.hook import spool
from recollect.hook.places import folder_of
from recollect.index.base import Pressure
from recollect.insight.cures import CURES
from recollect.model.audit import REFUSALS
from recollect.model.edge import LABELS
from recollect.model.record import Kind, SecurityTier, Tier
from recollect.providers.registry import EMBEDDERS, LLMS

if TYPE_CHECKING:
    from recollect.engine import Engine
    from recollect.model.result import Finding

DAYS = 30
_ENTRIES_MAX = 10_000
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(\+00:00|Z)?")
_CODE = re.compile(r"[DE]\d{2,4}")
_INDEX = re.compile(r"(flat|usearch|mapped|sqlite-vec|faiss|qdrant)(/[a-z0-9]{1,10}){0,3}")
_WORDS = frozenset(
    """ok attention none full partial words warming memory database active building retired ready waiting running done
    failed down refused unknown others""".split()
).union(Kind, Tier, SecurityTier, LABELS, (level.name.lower() for level in Pressure))
# Checks of the doctor whose findings have figures in them, and no name that somebody gave.
_FIGURES_ONLY = ("references", "text index", "erasures", "disk", "jobs")


def without_words(value: Any) -> Any:
    """A value with nothing in it that somebody may have written: figures, times, codes and words of ours stay."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return _word(value)
    if isinstance(value, Mapping):
        return _table(value)
    if isinstance(value, Sequence | set | frozenset):
        return [without_words(each) for each in value]
    return f"a {type(value).__name__}"


def model_named(spec: str | None) -> str | None:
    """Which sort of model a name stands for: its provider. Models and addresses may be somebody's own."""
    provider, colon, _ = (spec or "").partition(":")
    if not spec or (provider not in EMBEDDERS and provider not in LLMS):
        return without_words(spec or None)  # type: ignore[no-any-return]
    return f"{provider}{':…' if colon else ''}"


def finding_told(finding: Finding) -> dict[str, Any]:
    """A finding of the doctor; its detail only where that has figures alone."""
    plain = finding.ok is False and finding.check in _FIGURES_ONLY and finding.code in {c.code for c in CURES.values()}
    return {
        "check": finding.check,
        "ok": finding.ok,
        "code": finding.code,
        "detail": finding.detail if plain else without_words(finding.detail),
    }


def about_store(engine: Engine) -> dict[str, dict[str, Any]]:
    """How a store is, by section. A section that cannot be had has the code of what kept it away."""
    sections: dict[str, Callable[[], dict[str, Any]]] = {
        "health": lambda: _health(engine),
        "doctor": lambda: {"findings": [finding_told(each) for each in engine.doctor.examine()]},
        "sizes": lambda: _sizes(engine),
        "errors": lambda: _errors(engine),
    }
    return {name: _had(section) for name, section in sections.items()}


def _had(section: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return section()
    except RecollectError as error:
        return {"code": error.code}


def _health(engine: Engine) -> dict[str, Any]:
    report = engine.figures.health(full=True)
    told = _figures(report.figures)
    models = {name: model_named(report.figures.get(name)) for name in ("embedder", "model", "model_changed")}
    codes = Counter(code for each in report.warnings for code in re.findall(r"\[(E\d{4})\]", each))
    told["degraded"] = [{"part": each["part"], "since": each["since"]} for each in report.figures["degraded"]]
    return {**told, **models, "warnings": len(report.warnings), "warnings_by_code": dict(codes)}


def _sizes(engine: Engine) -> dict[str, Any]:
    """The format of the store, how many rows of what it holds, and how large its files are."""
    with engine.store.read() as tx:
        version = tx.figures.format()
    figures = engine.figures.stats(None).figures
    path = engine.store.path
    return {
        "format": version,
        "database": "sqlite" if path is not None or engine.store.in_memory else "postgresql",
        "rows": _figures(figures),
        "files": {} if path is None else _files(path),
        "free_bytes": engine.store.free_bytes(),
    }


def _errors(engine: Engine) -> dict[str, Any]:
    """What went wrong lately: jobs that were given up, calls that were refused, hooks that failed."""
    now = engine.clock()
    with engine.store.read() as tx:
        jobs = [{"kind": kind, "code": _word(code), "count": count} for kind, code, count in tx.jobs.failures()]
    entries = engine.audit.entries(limit=_ENTRIES_MAX, since=now - DAYS * DAY_US)
    refused = Counter(str(entry.event) for entry in entries if entry.event in REFUSALS)
    path = engine.store.path
    hooks = 0 if path is None else len(spool.failures(folder_of(str(path))))
    return {"days": DAYS, "jobs": jobs, "refused": dict(refused), "hooks_failed": hooks}


def _files(path: Path) -> dict[str, int]:
    """The bytes of the file and of what lies beside it under its name, by what each is."""
    known = ("", "-wal", "-shm", ".vault", ".hooks", ".backups")
    sizes: Counter[str] = Counter()
    for beside in path.parent.glob(f"{path.name}*"):
        ending = beside.name[len(path.name) :]
        sort = "vectors" if ending.startswith(".vectors-") else ending if ending in known else "others"
        sizes[sort or "store"] += _bytes(beside)
    return dict(sizes)


def _bytes(path: Path) -> int:
    try:
        return sum(_bytes(each) for each in path.iterdir()) if path.is_dir() else path.lstat().st_size
    except OSError:  # gone meanwhile, or not ours to look at
        return 0


def _figures(figures: Mapping[str, Any]) -> dict[str, Any]:
    """A report of ours: its own names stay, what stands below them is held against our words."""
    return {name: without_words(value) for name, value in figures.items()}


def _word(text: str) -> str:
    known = text in _WORDS or any(form.fullmatch(text) for form in (_TIME, _CODE, _INDEX))
    return text if known else f"a text of {len(text)} characters"


def _table(rows: Mapping[Any, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for key, value in rows.items():
        name = key if isinstance(key, str) and (key in _WORDS or key in _ROWS) else "others"
        plain = without_words(value)
        if name != "others":
            told[name] = plain
        elif isinstance(plain, int | float) and not isinstance(plain, bool):
            told[name] = told.get(name, 0) + plain
        else:
            told.setdefault("kinds_of_others", []).append(plain)
    return told


_ROWS = frozenset(("name", "dimensions", "state", "vectors"))  # of a space, in `stats`
