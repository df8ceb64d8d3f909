"""What a store tells upkeep and insight: how far jobs have come, what fades, what contradicts, what is worth asking."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from contracts.store_backends import BACKENDS

from recollect.clock import DAY_US
from recollect.ids import new_id
from recollect.model.columns import RecordRow
from recollect.model.entity import EntityType
from recollect.model.query import Criteria
from recollect.model.scope import Reach, Scope
from recollect.store.base import Store, Tx
from recollect.store.edges import pair
from recollect.store.entities import NewEntity
from recollect.store.rows import content_hash, to_json
from recollect.store.sessions import WaitingSession
from recollect.store.summaries import CLUSTER, DOMAIN, SummaryNode

NOW = 1_000 * DAY_US
ALL = Criteria(reach=Reach.ALL)


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    bench = BACKENDS[request.param](tmp_path)
    yield bench.open()
    bench.close()


class Filling:
    """Puts rows into a transaction as plainly as can be."""

    def __init__(self, tx: Tx) -> None:
        self.tx = tx
        self.op = tx.journal.begin("add", at=NOW)
        self.scope = tx.scopes.ensure(Scope(user_id="ana"))

    def record(self, content: str = "Ana likes tea", **columns: Any) -> int:
        given = {"scope_pk": self.scope, "created_at": NOW, "updated_at": NOW, "perceived": "{}", **columns}
        row = RecordRow(id=new_id(), content=content, content_hash=content_hash(content), recorded_at=NOW, **given)
        return self.tx.records.insert(self.op, [row], [content.split()])[0]

    def turn(self, content: str = "I like tea", **columns: Any) -> int:
        return self.record(content, **{"kind": "episodic", "category": "turn", **columns})

    def edge(self, start: int, end: int, label: str, **values: Any) -> int:
        (edge_id,) = self.tx.edges.insert(self.op, [pair(start, end, label, **values)])
        return self.tx.edges.find_pk(edge_id)

    def entity(self, name: str, *record_pks: int) -> int:
        (pk,) = self.tx.entities.insert([NewEntity(name, EntityType.PERSON, self.scope, NOW)])
        for record_pk in record_pks:
            self.tx.entities.mention(self.op, record_pk, pk)
        return pk


@pytest.fixture
def filled(store: Store) -> Callable[[Callable[[Filling], None]], None]:
    """Runs a function in one write transaction of the store."""
    return lambda work: store.write(lambda tx: work(Filling(tx)))


Filled = Callable[[Callable[[Filling], None]], None]


# --- how far jobs have come -----------------------------------------------------------------------------------------


def test_what_is_noted_by_name(filled: Filled) -> None:
    def work(here: Filling) -> None:
        meta = here.tx.meta
        assert (meta.text("job"), meta.number("job")) == (None, 0)
        meta.note("job", 7)
        meta.note("job", 9)
        assert (meta.text("job"), meta.number("job")) == ("9", 9)
        assert meta.note_once("job", "1") == "9"
        assert meta.note_once("name", "n") == "n"
        meta.note("wait:1", "x")
        meta.note("waits", "x")
        assert meta.count("wait:") == 1
        meta.forget("job")
        assert meta.text("job") is None

    filled(work)


def test_a_job_goes_through_everything_once_and_sees_changes_again(filled: Filled) -> None:
    def work(here: Filling) -> None:
        stretches = here.tx.stretches
        first, second = here.record("one"), here.record("two")
        seen = stretches.next("job", 1)
        assert seen is not None
        assert (list(seen.records), seen.reached, seen.last) == ([first], first, stretches.newest_row())
        assert stretches.move_on("job", seen)
        assert not stretches.move_on("job", seen), "another process has done it"
        here.tx.records.revise(here.op, first, {"content": "else", "content_hash": content_hash("else")})
        rest = stretches.next("job", 10)
        assert rest is not None
        assert list(rest.records) == [second, first]
        assert stretches.left("job", ["semantic"]) == 2
        assert stretches.move_on("job", rest)
        assert stretches.next("job", 10) is None
        assert stretches.left("job", ["semantic"]) == 0

    filled(work)


def test_what_jobs_read_of_records(filled: Filled) -> None:
    def work(here: Filling) -> None:
        stretches = here.tx.stretches
        text = here.record("a text", metadata=to_json({"title": "T"}), attributes=to_json({"document": "d"}))
        document = here.record("whole", kind="snippet", category="document")
        turn = here.turn("I moved", role="user", speaker="Ana", event_time=NOW - 5)
        machine = here.turn("You moved", role="assistant")
        drawn = here.record("Ana moved", turn_pk=turn)
        gone = here.record("gone")
        here.tx.records.retire(here.op, [gone])
        everything = [text, document, turn, machine, drawn, gone]
        found = stretches.texts(everything, ["semantic", "snippet"])
        assert list(found) == [text, drawn]
        assert (found[text].title, found[text].document, found[text].version) == ("T", "d", 1)
        assert [(each.pk, each.at, each.is_machines) for each in stretches.turns(everything, ["episodic"])] == [
            (turn, NOW - 5, False),
            (machine, NOW, True),
        ]
        assert list(stretches.told(everything)) == [text, turn, machine]
        assert [each.pk for each in stretches.told_after(text, 1)] == [turn]
        assert stretches.left("job", ["episodic"], of_machines=False) == 1
        assert stretches.left("job", ["snippet"], of_documents=False) == 0
        assert stretches.left("job", ["snippet"]) == 1
        assert stretches.left("job", []) == 0

    filled(work)


def test_what_was_not_read_yet(filled: Filled) -> None:
    def work(here: Filling) -> None:
        stretches = here.tx.stretches
        first, second = here.record("one", perceived=None), here.record("two", perceived=None)
        here.record("read")
        assert stretches.unread_count() == 2
        ((pk, row),) = stretches.unread_after(0, 1)
        assert (pk, row.content) == (first, "one")
        assert [pk for pk, _ in stretches.unread_after(first, 9)] == [second]
        before = here.tx.changes.newest()
        stretches.note_read(first, {"perceived": "{}", "valence": 0.5})
        assert here.tx.changes.newest() == before, "no index looks at that"
        stretches.note_read(second, {"perceived": "{}", "event_time": NOW})
        assert here.tx.changes.newest() > before
        assert (stretches.unread_count(), stretches.still_unread([first, second])) == (0, set())

    filled(work)


def test_the_operation_of_a_row(filled: Filled) -> None:
    def work(here: Filling) -> None:
        journal = here.tx.journal
        pk = here.record()
        assert journal.stored_by(pk) == here.op.pk
        assert journal.of_row(pk, now=NOW + 1, verb="relate").id == here.op.id
        assert journal.stored_by(pk + 99) == 0
        other = journal.of_row(pk + 99, now=NOW, verb="relate")
        assert other.id != here.op.id
        assert journal.ids_beginning(other.id) == [other.id]
        journal.drop(other)
        assert journal.ids_beginning(other.id) == []

    filled(work)


def test_jobs_that_were_given_up(filled: Filled) -> None:
    def work(here: Filling) -> None:
        jobs = here.tx.jobs
        for kind in ("a", "a", "b"):
            jobs.enqueue(kind, {}, now=NOW)
            job = jobs.lease([kind], owner="me", now=NOW, lease_s=1)
            assert job is not None
            jobs.fail(job.pk, owner="me", now=NOW, code="E1", retry_in_s=None)
        assert sorted(jobs.failures()) == [("a", "E1", 2), ("b", "E1", 1)]
        assert (jobs.any_failed("a"), jobs.any_failed("c")) == (True, False)
        assert jobs.clear_away(before=NOW) == 0
        assert jobs.clear_away(before=NOW + 1) == 3
        assert jobs.failures() == []

    filled(work)


# --- records and statements -----------------------------------------------------------------------------------------


def test_whether_records_are_as_they_were(filled: Filled) -> None:
    def work(here: Filling) -> None:
        records = here.tx.records
        assert not records.any_live()
        one, other = here.record("one", object="tea", valid_until=NOW + 9), here.record("two")
        assert (records.any_live(), records.live_count()) == (True, 2)
        assert (records.is_at_version(one, 1), records.is_at_version(one, 2)) == (True, False)
        assert records.version_and_end(one) == (1, NOW + 9)
        assert records.live_contents([other, one]) == {one: "one", other: "two"}
        assert records.live_objects([one]) == {records.ids([one])[0]: "tea"}
        assert records.untouched_contents([one], before=NOW) == {one: (content_hash("one"), "one")}
        assert records.untouched_contents([one], before=NOW - 1) == {}
        assert records.live_hash(one) == content_hash("one")
        assert records.are_live([one, other])
        assert records.by_scope([other, one]) == {here.scope: [one, other]}
        records.retire(here.op, [one])
        assert not records.are_live([one, other])
        assert not records.is_at_version(one, 1)
        assert (records.version_and_end(one), records.live_hash(one)) == (None, None)
        assert records.live_contents([one]) == {}

    filled(work)


def test_what_may_be_linked(filled: Filled) -> None:
    def work(here: Filling) -> None:
        turn = here.turn()
        plain = here.record("plain")
        for columns in ({"turn_pk": turn}, {"tier": "archive"}, {"kind": "entity"}, {"valid_until": NOW}):
            here.record("not", **columns)
        everything = range(plain + 9)
        assert here.tx.records.linkable(everything, now=NOW) == {
            turn: (here.scope, "I like tea"),
            plain: (here.scope, "plain"),
        }

    filled(work)


def test_what_waits_for_a_person(filled: Filled) -> None:
    def work(here: Filling) -> None:
        unsure = here.record("unsure", source="inferred", confidence=0.2)
        premise = here.record("premise")
        concluded = here.record("concluded", confidence=0.1)
        here.edge(concluded, premise, "inferred_from")
        review, flagged = here.record("review", needs_review=1), here.record("flagged", flagged=1)
        here.record("confirmed", flagged=1, user_verified=1)
        found = here.tx.records.to_review(ALL, below=0.5, now=NOW, limit=9)
        assert [(each.pk, each.flagged, each.needs_review) for each in found] == [
            (flagged, True, False),
            (review, False, True),
            (concluded, False, False),
            (unsure, False, False),
        ]
        assert here.tx.records.to_review(Criteria(scope=Scope(user_id="ben")), below=0.5, now=NOW, limit=9) == []

    filled(work)


def test_statements_and_the_turns_that_say_them(filled: Filled) -> None:
    def work(here: Filling) -> None:
        statements = here.tx.statements
        turn, later = here.turn(), here.turn("Tea again", event_time=NOW + 7)
        said, archived = here.record(turn_pk=turn), here.record("old", tier="archive")
        here.edge(said, later, "derived_from")
        here.edge(said, turn, "derived_from")
        assert [(pk, row.turn_pk) for pk, row in statements.live_rows([turn, said, archived])] == [(said, turn)]
        assert statements.turns_saying([said]) == [(said, turn, NOW), (said, later, NOW + 7)]
        assert statements.said_in([turn]) == {said}
        statements.note_senses([(5, said), (5, said), (6, archived)])
        assert statements.found_by([5, 6]) == [(6, archived), (5, said)]

    filled(work)


def test_sessions_as_they_are_gone_over(filled: Filled) -> None:
    def work(here: Filling) -> None:
        sessions = here.tx.sessions
        key = sessions.ensure("s", here.scope, at=NOW)
        first = here.turn("one", session_pk=key, metadata=to_json({"tool": "git"}))
        second = here.turn("two", session_pk=key, perceived=None)
        said = here.record("said", session_pk=key)
        here.turn("secret", session_pk=key, security="confidential")
        apart = here.turn("apart")
        (waiting,) = sessions.named("s", None)
        assert sessions.rows_after(waiting, ["episodic", "semantic"], 3) == [
            (first, "episodic", False),
            (second, "episodic", True),
            (said, "semantic", False),
        ]
        outside = WaitingSession(here.scope, None, 0)
        assert [pk for pk, _, _ in sessions.rows_after(outside, ["episodic"], 9)] == [apart]
        assert [pk for pk, _ in sessions.unasked_turns(waiting, 2)] == [first, second]
        assert sessions.unasked() == 0
        assert sessions.move_on(waiting, to=second, at=None)
        assert sessions.unasked() == 1
        assert next(sessions.open_turns(here.scope)).metadata == '{"tool":"git"}'
        assert [turn.pk for turn in sessions.turns_after(here.scope, 0, 9)] == [first, second]
        assert sessions.turn_before(here.scope, second, 1) == first
        assert sessions.turn_before(here.scope, second, 9) == 0

    filled(work)


# --- relations ------------------------------------------------------------------------------------------------------


def test_what_was_decided_between_records(filled: Filled) -> None:
    def work(here: Filling) -> None:
        relations = here.tx.relations
        old, new, other = here.record("old"), here.record("new"), here.record("other")
        assert relations.topic_of_change(new) is None
        edge = here.edge(new, old, "supersedes", auto_extracted=True, attributes={"about": ["tea"]})
        assert [(each.label, each.edge_pk, each.found) for each in relations.decided_between([old, new])] == [
            ("supersedes", edge, True)
        ] * 2
        assert relations.topic_of_change(new) == ["tea"]
        assert relations.topics_of_order(new, old) == [["tea"]]
        assert relations.is_replaced(old, new)
        assert relations.is_ordered(new, old)
        assert not relations.is_ordered(new, other)
        assert here.tx.edges.live_ids([edge, 99]).keys() == {edge}
        here.tx.edges.retire(here.op, [edge])
        assert [each.found for each in relations.decided_between([old, new])] == [False, False]
        assert relations.is_replaced(old, new), "somebody withdrew it, and that is an answer"
        assert relations.topic_of_change(new) is None
        assert here.tx.edges.live_ids([edge]) == {}

    filled(work)


def test_whether_records_are_joined(filled: Filled) -> None:
    def work(here: Filling) -> None:
        relations = here.tx.relations
        one, two, three = here.record("one"), here.record("two"), here.record("three")
        alike = here.edge(one, two, "similar_to", evidence=["cosine 1"])
        here.edge(two, three, "causes")
        assert relations.is_joined(two, one, even_withdrawn="similar_to")
        assert not relations.is_joined(one, three, even_withdrawn="similar_to")
        assert relations.has_cause(two, three)
        assert not relations.has_cause(one, two)
        here.tx.edges.retire(here.op, [alike])
        assert relations.is_joined(one, two, even_withdrawn="similar_to")
        assert not relations.is_joined(one, two, even_withdrawn="relates_to")
        (between,) = relations.between(one, two)
        assert (between.label, between.live, between.evidence, between.onward) == (
            "similar_to",
            False,
            ["cosine 1"],
            True,
        )
        assert [each.onward for each in relations.between(two, one)] == [False]

    filled(work)


def test_edges_found_in_a_text_and_conclusions_without_premises(filled: Filled) -> None:
    def work(here: Filling) -> None:
        relations = here.tx.relations
        text, other, premise = here.record("text"), here.record("other"), here.record("premise")
        (text_id,) = here.tx.records.ids([text])
        found = {"auto_extracted": True, "attributes": {"method": "pattern", "read_in": text_id}}
        edge = here.edge(text, other, "relates_to", **found)
        assert [tuple(each) for each in relations.found_in(text_id, text)] == [
            (edge, "relates_to", "pattern", 0, other)
        ]
        concluded = here.record("concluded", attributes=to_json({"method": "transitive"}))
        here.edge(concluded, premise, "inferred_from")
        assert relations.lapsed(here.scope, now=NOW) == []
        here.tx.records.retire(here.op, [premise])
        (lapsed,) = relations.lapsed(here.scope, now=NOW)
        assert (lapsed.pk, lapsed.attributes) == (concluded, {"method": "transitive"})

    filled(work)


# --- what fades -----------------------------------------------------------------------------------------------------


def test_what_fades_and_what_is_remembered(filled: Filled) -> None:
    def work(here: Filling) -> None:
        imprints = here.tx.imprints
        used, plain = here.record("used", access_count=3, arousal=0.5), here.record("plain")
        piece = here.record("piece", kind="snippet", attributes=to_json({"document": "d"}))
        for columns in ({"tier": "archive"}, {"kind": "entity"}, {"valid_until": NOW}):
            here.record("not", **columns)
        assert imprints.fading(now=NOW).pks.tolist() == [used, plain]
        assert imprints.fading(now=NOW, after_pk=used, limit=1).pks.tolist() == [plain]
        assert imprints.fading(now=NOW, scope_pks=[here.scope + 1]).pks.tolist() == []
        assert imprints.fading(now=NOW, among=[plain, piece]).pks.tolist() == [plain]
        assert imprints.fading_seen(ALL, now=NOW).pks.tolist() == [used, plain]
        assert imprints.fading_seen(Criteria(scope=Scope(user_id="ben")), now=NOW).pks.tolist() == []
        assert imprints.remembered(now=NOW).pks.tolist() == [used, plain, piece]
        assert imprints.remembered(now=NOW, uses_min=2).pks.tolist() == [used]
        assert imprints.remembered(now=NOW, among=[plain]).pks.tolist() == [plain]
        assert imprints.arousals(now=NOW).tolist() == [[used, 0.5], [plain, 0.0], [piece, 0.0]]
        assert imprints.of([plain, 99]).pks.tolist() == [plain]

    filled(work)


def test_what_faded_long_ago(filled: Filled) -> None:
    def work(here: Filling) -> None:
        imprints = here.tx.imprints
        first, second = (here.record(text, tier="archive") for text in ("one", "two"))
        here.record("put there", tier="archive")
        for pk in (first, second):
            imprints.note_faded(here.op, pk)
        assert imprints.forgotten(before=NOW - 1) == []
        assert imprints.forgotten(before=NOW) == [second, first]
        assert imprints.forgotten(before=NOW, among=[first]) == [first]
        assert imprints.forgotten(before=NOW, scope_pks=[here.scope + 1]) == []

    filled(work)


def test_a_vector_is_exchanged(filled: Filled) -> None:
    def work(here: Filling) -> None:
        vectors = here.tx.vectors
        space = vectors.ensure_space("model", 2, at=NOW)
        one, other = here.record("one"), here.record("two")
        vectors.put(space, [(one, space.encode(np.array([1, 0], dtype=np.float32)))])
        turned = np.array([0, 1], dtype=np.float32)
        assert vectors.exchange(here.op, space, one, space.encode(turned))
        assert not vectors.exchange(here.op, space, other, space.encode(turned))
        assert vectors.load(space, [one])[1].tolist() == [[0.0, 1.0]]

    filled(work)


# --- the map of what is known ---------------------------------------------------------------------------------------


def test_what_the_tree_stands_on(filled: Filled) -> None:
    def work(here: Filling) -> None:
        leaves = here.tx.summaries
        turn = here.turn(perceived=to_json({"key_fact": "tea", "topics": ["tea"], "tokens": [3]}))
        sure = here.record("sure", turn_pk=turn, confidence=0.9)
        here.record("unsure", turn_pk=turn, confidence=0.1)
        plain = here.record("plain", confidence=0.5)
        for columns in ({"flagged": 1}, {"security": "sensitive"}, {"kind": "schema"}, {"category": "document"}):
            here.record("not", **columns)
        rows = leaves.of_scope(here.scope, now=NOW)
        assert [(row.pk, row.key_fact, row.topics, row.tokens, row.mass) for row in rows] == [
            (turn, "tea", '["tea"]', 3, 1.0),
            (plain, None, None, None, 0.5),
        ]
        assert [row.pk for row in leaves.of_scope(here.scope, now=NOW, among=[plain])] == [plain]
        assert leaves.stated_in([turn], now=NOW)[-1] == (sure, turn, "sure")
        assert leaves.unplaced(here.scope, now=NOW, limit=1) == [turn]
        node = SummaryNode(level=CLUSTER)
        (cluster,) = here.tx.summaries.insert(here.scope, [node], space=None, at=NOW, live=True)
        here.tx.summaries.put_members([(turn, cluster)])
        assert leaves.unplaced(here.scope, now=NOW, limit=9) == [plain]
        assert (leaves.unplaced_count(None, now=NOW), leaves.unplaced_count([], now=NOW)) == (1, 0)

    filled(work)


def test_trees_of_another_model(filled: Filled) -> None:
    def work(here: Filling) -> None:
        summaries = here.tx.summaries
        mine, other = (here.tx.vectors.ensure_space(name, 2, at=NOW) for name in ("mine", "other"))
        (pk,) = summaries.insert(here.scope, [SummaryNode(level=DOMAIN)], space=other, at=NOW, live=True)
        assert summaries.any_of_another(here.scope, mine)
        assert not summaries.any_of_another(here.scope, other)
        summaries.mark_finer(pk)
        assert [node.finer for node in summaries.load([pk], space=None)] == [True]

    filled(work)


def test_what_is_worth_asking(filled: Filled) -> None:
    def work(here: Filling) -> None:
        gaps = here.tx.questions
        one, other = here.record("one", confidence=0.5), here.record("other")
        right, wrong = here.record("right", user_verified=1), here.record("wrong")
        here.edge(one, other, "contradicts", confidence=0.8)
        here.edge(right, wrong, "contradicts")
        labels = ["contradicts", "conflicts_with"]
        assert gaps.contradictions(None, labels, now=NOW, limit=9) == [(here.scope, one, other, 0.4)]
        assert gaps.contradictions([], labels, now=NOW, limit=9) == []
        stale = here.record("stale", access_count=4, updated_at=NOW - DAY_US)
        given = {"before": NOW - 1, "uses_min": 3, "now": NOW, "limit": 9}
        assert gaps.stale(None, **given) == [(here.scope, stale, 4)]
        assert gaps.stale(None, **{**given, "uses_min": 5}) == []
        ana = here.entity("Ana", one, other)
        here.entity("Ben", one)
        assert gaps.often_named(None, ["person"], mentions_min=2, limit=9) == [(here.scope, ana, "person", "ana", 2)]
        here.record("job", subject="Ana's job", predicate="is", object="baker")
        here.record("Annabel", subject="Annabel", predicate="is", object="tall")
        assert gaps.said_of(here.scope, "ana", now=NOW) == [("Ana's job", "is", "baker")]

    filled(work)


def test_entities_as_their_records_show_them(filled: Filled) -> None:
    def work(here: Filling) -> None:
        entities = here.tx.entities
        record = here.record("Ana is here")
        ana = here.entity("Ana", record)
        assert entities.names([ana]) == {ana: "Ana"}
        assert entities.as_named_in([ana], record)[ana].name == "Ana"
        assert entities.as_named_within([ana], here.scope)[ana].mention_count == 1
        assert entities.as_seen([ana], ALL, now=NOW)[ana].mention_count == 1
        assert here.tx.enriched.unwritten() == 0

    filled(work)


def test_places_that_texts_point_at(filled: Filled) -> None:
    def work(here: Filling) -> None:
        documents = here.tx.documents
        place = to_json({"file_path": "a.md"})
        whole = here.record("whole", kind="snippet", category="document", place=place)
        second = here.record("two", kind="snippet", place=place, attributes=to_json({"order": 2}))
        first = here.record("one", kind="snippet", place=place, attributes=to_json({"order": 1}))
        for piece in (second, first):
            here.edge(piece, whole, "part_of")
        whole_id, first_id = here.tx.records.ids([whole, first])
        assert [pk for pk, _ in documents.placed_pieces(whole_id, here.scope, limit=9)] == [first, second]
        assert [pk for pk, _ in documents.marked("file_path=a.md", here.scope, limit=9)] == [second, first]
        assert documents.wholes_among([whole, first]) == [(whole, here.scope, place)]
        assert documents.piece_named(first_id, here.scope) == first
        assert documents.piece_named(whole_id, here.scope) is None
        assert documents.piece_named(first_id, here.scope + 1) is None

    filled(work)


# --- figures and soundness ------------------------------------------------------------------------------------------


def test_figures(filled: Filled) -> None:
    def work(here: Filling) -> None:
        figures, scopes = here.tx.figures, here.tx.scopes
        one, other, gone = here.record("one"), here.record("other"), here.record("gone")
        here.turn("alone")
        here.edge(one, other, "relates_to")
        here.tx.records.retire(here.op, [gone])
        here.tx.records.revise(here.op, one, {"importance": 1.0})
        here.entity("Ana", one)
        here.tx.sessions.ensure("s", here.scope, at=NOW)
        counted = {(each.kind, each.live, each.past): each.records for each in figures.records(None)}
        assert counted == {
            ("semantic", 1, 0): 2,
            ("semantic", 0, 0): 1,
            ("semantic", 0, 1): 1,
            ("episodic", 1, 0): 1,
        }
        assert figures.records([]) == []
        assert figures.edges_by_label() == {"relates_to": 1}
        assert figures.orphans() == 1
        assert (figures.entities(), figures.sessions(), figures.operations()) == (1, 1, 1)
        assert scopes.with_records() == scopes.with_records([here.scope]) == [here.scope]
        assert scopes.with_records([]) == []
        assert scopes.load_all([here.scope]) == {here.scope: Scope(user_id="ana")}
        assert figures.scopes() >= 1

    filled(work)


def test_a_sound_store_says_so(store: Store) -> None:
    store.write(lambda tx: [Filling(tx).record(text) for text in ("one", "two")])
    assert store.faults() == []
    assert store.rows_are_sound()
    assert store.dangling_rows() == 0
    assert not store.scrub_due
    assert (store.lost, store.trouble) == (False, None)
    with store.read() as tx:
        assert tx.text.in_step() == (2, 0, 0)


def test_the_text_index_is_built_anew_from_the_rows(store: Store) -> None:
    pks = store.write(lambda tx: [Filling(tx).record(text) for text in ("one", "two")])
    store.write(lambda tx: tx.text.drop(pks[:1]))
    with store.read() as tx:
        assert tx.text.in_step() == (2, 1, 0)
    store.write(lambda tx: tx.text.rebuild())
    with store.read() as tx:
        assert tx.text.in_step() == (2, 0, 0)
        assert [pk for pk, _ in tx.text.search(["two"], ALL, now=NOW, limit=9)] == [pks[1]]
