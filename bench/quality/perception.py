"""What is measured of the way in: times, feelings, questions, names, repeats, and how fast it all is."""

from __future__ import annotations

from typing import NamedTuple

from bench.quality import asking, expressions, feelings, intake, naming, repeats
from bench.quality.figures import Figure, Measure
from bench.quality.sets import NoData

ALL = "perception"


class Kind(NamedTuple):
    """A measure, and what its figures stand beside."""

    measure: Measure
    baseline: str


KINDS = {
    "datetime": Kind(expressions.measure, "dateparser"),
    "affect": Kind(feelings.measure, "VADER"),
    "trec": Kind(asking.measure, "first word"),
    "entities": Kind(naming.measure, "capitals"),
    "duplicates": Kind(repeats.measure, ""),
    "ingest": Kind(intake.measure, "floor"),
}


def measured(name: str, *, baselines: bool) -> list[Figure]:
    """The figures of one kind; where its data is missing, a line that says so."""
    try:
        return list(KINDS[name].measure(baselines))
    except NoData as missing:
        return [Figure(name="not measured", value=None, note=str(missing))]
