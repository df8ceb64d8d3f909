"""Whatever database is behind a store, each method of each group answers the same to the same.

A whole life of a memory is told to every database (`whole_life`), and every call that passes between engine and store
is kept with its answer (`recorded_calls`). A new database is one more entry of `DATABASES`, and has to give all these
answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import zip_longest
from pathlib import Path

import pytest
from recorded_calls import Call, Method, Recorder, groups, methods_of
from whole_life import Life, whole_life

# How each kind of database is opened, in a folder of its own; the first is what the others are compared with.
DATABASES: Mapping[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: str(folder / "m.db"),
    "sqlite-memory": lambda folder: ":memory:",
}
REFERENCE, *OTHERS = DATABASES

# Methods that no chapter leads to yet: the list only gets shorter.
NOT_YET: frozenset[Method] = frozenset(
    """
    announced.after arrivals.alias arrivals.any_record_before arrivals.edge_is_hidden arrivals.judged
    arrivals.says arrivals.scope_of_id arrivals.set_split_from arrivals.split_from arrivals.taken_over
    before.of_edges candidates.event_times changes.trim documents.piece_named documents.placed_pieces
    documents.remember_state edges.beginning edges.live_members edges.strengths edges.told edges.told_by
    enriched.centroids enriched.unwritten entities.add_aliases entities.any_mention entities.any_named
    entities.ensure entities.id_of entities.mention entities.mentioning entities.merge entities.record_ids
    entities.retire entities.scope_pk entities.split entities.withdraw feedback.any_given figures.graph
    indexed.last_edge jobs.any_failed jobs.fail jobs.release jobs.running journal.first_contents
    journal.ids_beginning journal.moves journal.scope_pk marks.holding mentions.move mentions.restore meta.count
    names.beginning profiles.nearest records.any_live records.are_live records.by_scope records.containing
    records.contents_by_id records.keys_by_id records.latest records.live_contents records.live_count
    records.live_hash records.live_objects records.note_gap records.origins records.version_and_end
    relations.has_cause relations.is_ordered relations.is_replaced relations.is_told relations.topic_of_change
    relations.topics_of_order relations.withdrawn resting.sources sayings.in_session scopes.inhabited
    sessions.asked sessions.consolidated sessions.load sessions.named sessions.newest_record sessions.unasked
    sessions.unasked_turns sessions.unconsolidated statements.answer_through stretches.left stretches.turns
    summaries.global_summary summaries.mark_finer summaries.take_members text.configure text.rebuild
    vectors.exchange vectors.given vectors.promote
    """.split()
)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Call]]:
    """The calls that a whole life makes, by database."""
    shared = tmp_path_factory.mktemp("life")
    return {name: _lived(place(tmp_path_factory.mktemp(name)), shared) for name, place in DATABASES.items()}


def _lived(url: str, folder: Path) -> list[Call]:
    recorder = Recorder()
    with pytest.MonkeyPatch.context() as monkeypatch:
        life = Life(url, folder, monkeypatch)
        try:
            recorder.install(monkeypatch, groups(life.mem._engine.store))
            whole_life(life)
        finally:
            life.close()
    return recorder.calls


@pytest.mark.parametrize("database", OTHERS)
def test_every_database_gives_the_same_answers(told: dict[str, list[Call]], database: str) -> None:
    assert len(told[REFERENCE]) > 10_000
    for number, (wanted, given) in enumerate(zip_longest(told[REFERENCE], told[database])):
        assert repr(given) == repr(wanted), f"call {number}"  # as text: what is no number is not equal to itself


def test_every_method_of_every_group_is_called(told: dict[str, list[Call]], tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        life = Life(str(tmp_path / "m.db"), tmp_path, monkeypatch)
        offered = {
            f"{group}.{name}" for group, kind in groups(life.mem._engine.store).items() for name in methods_of(kind)
        }
        life.close()
    missing = offered - {call.method for call in told[REFERENCE]}
    unknown = sorted(missing - NOT_YET)
    assert not unknown, f"tests/contracts/whole_life.py never leads to these: {', '.join(unknown)}"
    needless = sorted(NOT_YET - missing)
    assert not needless, f"called by now, or gone: take them off NOT_YET: {', '.join(needless)}"
