"""Near-duplicates, by `bench.quality.duplicates`: what differs in something that matters must stay apart."""

from __future__ import annotations

from bench.quality import sets
from bench.quality.figures import Figure
from bench.quality.sets import NoData


def measure(baselines: bool) -> list[Figure]:
    from bench.quality.duplicates import measure as measured

    folder = sets.place()
    if not (folder / "sick").is_dir():
        raise NoData(f"no sick in {folder}")
    found = measured(folder)
    called = f"{found['called_same']} of {found['pairs']} pairs called the same"
    figures = [Figure(name="precision", value=found["precision"], note=called)]
    for what, kept in (("kept apart", "kept_apart"), ("found", "found")):
        figures += [
            Figure(name=f"{what}: {name}", value=value, note=f"{count}") for name, (value, count) in found[kept].items()
        ]
    return figures
