"""What is measured besides retrieval: what is found in texts, and what upkeep makes of them."""

from __future__ import annotations

from typing import NamedTuple

from bench.quality import (
    agents,
    anticipation,
    asking,
    code_calls,
    code_compiled,
    code_native,
    code_typescript,
    everyday,
    expressions,
    fading,
    feelings,
    gist,
    histories,
    instructing,
    intake,
    knowing,
    languages,
    naming,
    pairs,
    planted,
    private,
    reasoning,
    refusals,
    repeats,
    routes,
    topics,
    truth,
    windows,
)
from bench.quality.figures import Figure, Measure
from bench.quality.sets import NoData


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
    "weeks": Kind(everyday.measure_weeks, ""),
    "stories": Kind(everyday.measure_stories, ""),
    "refusals": Kind(refusals.measure, ""),
    "languages": Kind(languages.measure, "multilingual"),
    "personal": Kind(private.measure, "names of the engine"),
    "pairs": Kind(pairs.measure, "plain share"),
    "planted": Kind(planted.measure, ""),
    "agents": Kind(agents.measure, "without memory"),
    "injection": Kind(instructing.measure, "patterns"),
    "code": Kind(code_calls.measure, "by name alone"),
    "code_go": Kind(code_compiled.measure_go, "by name alone"),
    "code_java": Kind(code_compiled.measure_java, "by name alone"),
    "code_rust": Kind(code_native.measure_rust, "by name alone"),
    "code_c": Kind(code_native.measure_c, "by name alone"),
    "code_cpp": Kind(code_native.measure_cpp, "by name alone"),
    "code_typescript": Kind(code_typescript.measure, "by name alone"),
    "truth": Kind(truth.measure, ""),
    "fading": Kind(fading.measure, ""),
    "knowing": Kind(knowing.measure, "the search's score"),
    "reasoning": Kind(reasoning.measure, "search"),
    "routes": Kind(routes.measure, "without it"),
    "history": Kind(histories.measure, "the newest"),
    "gist": Kind(gist.measure, "best turns by words"),
    "context": Kind(windows.measure, "best naive"),
    "topic": Kind(topics.measure, "cosine"),
    "anticipation": Kind(anticipation.measure, "cosine"),
}
GROUPS = {
    "perception": ("datetime", "affect", "trec", "entities", "duplicates", "ingest"),
    "everyday": ("weeks", "stories", "refusals"),
    "work": ("planted", "agents"),
    "upkeep": ("truth", "fading", "knowing", "gist"),
}


def measured(name: str, *, baselines: bool) -> list[Figure]:
    """The figures of one kind; where its data is missing, a line that says so."""
    try:
        return list(KINDS[name].measure(baselines))
    except NoData as missing:
        return [Figure(name="not measured", value=None, note=str(missing))]
