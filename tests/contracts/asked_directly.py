"""Chapters of a life that speak to the groups of a transaction themselves: what no verb leads to, or few do.

Each says what the answer has to be; that all databases give it is what `test_every_group` compares.
"""

from __future__ import annotations

import numpy as np

from recollect.clock import SECOND_US, from_us
from recollect.memory import Memory
from recollect.model.ending import Decider, EndCause, PairJudgement
from recollect.model.entity import EntityType
from recollect.model.pair import PairLabel
from recollect.model.query import Criteria
from recollect.model.scope import Scope
from recollect.store.base import Store, Tx
from recollect.store.doubts import DoubtMark
from recollect.store.observed import EventRow, SignalRow
from recollect.store.questions import Gap
from recollect.store.tuning import FloorMove

BEA = {"user_id": "bea"}
SEEN_BY_BEA = Criteria(scope=Scope(user_id="bea"))


def _store(mem: Memory) -> Store:
    return mem._engine.store


def _pk(tx: Tx, record_id: str) -> int:
    return tx.records.keys_by_id([record_id])[record_id]


def records_by_key(mem: Memory, now: int) -> None:
    """What a record says, whether it is live, and where it comes from."""
    first, second = (mem.add(text, **BEA).ids[0] for text in ("The shed is red", "The shed door sticks"))
    gone = mem.add("The shed leaks", **BEA).ids[0]
    mem.delete(gone, **BEA)
    with _store(mem).read() as tx:
        pks = [_pk(tx, each) for each in (first, second)]
        dead = _pk(tx, gone)
        assert tx.records.any_live()
        assert tx.records.live_count() >= 2
        assert tx.figures.format() > 0
        assert tx.records.are_live(pks)
        assert tx.records.live_contents(pks) == {pks[0]: "The shed is red", pks[1]: "The shed door sticks"}
        assert list(tx.records.by_scope(pks).values()) == [pks]
        assert tx.records.contents_by_id([first, gone]) == {first: "The shed is red", gone: "The shed leaks"}
        assert tx.records.keys_by_id([first, gone], live=True) == {first: pks[0]}
        assert tx.records.keys_by_id([first, gone]).keys() == {first, gone}
        assert tx.records.version_and_end(pks[0]) == (1, None)
        told = tx.records.live_hash(pks[0])
        assert told is not None
        assert tx.arrivals.says(told, tx.records.columns_of(pks[0])["scope_pk"])  # type: ignore[index]
        assert not tx.arrivals.says("no such hash", 1)
        assert tx.records.origins(pks).keys() == set(pks)
        assert tx.records.live_objects(pks).keys() == {first, second}
        assert set(pks) <= set(tx.records.latest(SEEN_BY_BEA, now=now, limit=500))
        assert tx.records.containing("SHED IS", SEEN_BY_BEA, now=now, among=None, limit=5) == [pks[0]]
        assert tx.candidates.event_times(pks).keys() == set(pks)
        assert not tx.records.are_live([*pks, dead])
        assert tx.records.version_and_end(dead) is None


def relations_between_two(mem: Memory, now: int) -> None:
    """Which of two came first, which caused which, and what was taken back."""
    older, newer = (mem.add(text, **BEA).ids[0] for text in ("The gate is open", "The gate is shut"))
    caused = mem.relate(older, newer, "causes", **BEA)
    replaced = mem.relate(newer, older, "supersedes", **BEA)
    taken_back = mem.relate(newer, older, "supports", **BEA)
    mem.unrelate(taken_back, **BEA)
    with _store(mem).read() as tx:
        a, b = _pk(tx, older), _pk(tx, newer)
        edge = tx.edges.find_pk(caused)
        assert edge is not None
        assert tx.relations.has_cause(a, b)
        assert tx.relations.is_replaced(b, a)
        assert tx.relations.is_ordered(b, a)
        assert not tx.relations.is_ordered(a, edge + 10**6)
        assert tx.relations.topics_of_order(b, a) == tx.relations.topics_of_order(b, a)
        assert tx.relations.topic_of_change(a) is None
        assert tx.relations.withdrawn(b, a, "supports")
        assert not tx.relations.withdrawn(a, b, "causes")
        assert not tx.relations.is_told(1, "no such hash")
        assert [each for _, each in tx.edges.beginning(caused[:8])] == [caused]
        assert tx.edges.strengths([edge]) == {edge: 1.0}
        assert tx.edges.told_by([edge]) in ({}, {edge: {}})
        assert tx.edges.live_members(edge) == {a: older, b: newer}
        assert len(tx.edges.told(("causes",), now=now, among=[a, b])) == 1
        assert tx.before.of_edges([edge], now) == {}
        assert tx.indexed.last_edge() >= edge
        assert tx.statements.sources([a, b]) == {b}, "it took the place of the other"
        assert tx.statements.sources([a, b], besides=[a, b]) == set()
        assert not tx.arrivals.edge_is_hidden(caused, tx.scopes.visible(Scope(**BEA)))
        assert tx.arrivals.edge_is_hidden(caused, [0])
        assert replaced != caused


def ends_and_doubts(mem: Memory, now: int) -> None:
    """One record ends another, may end it, gives the end on, and is found not to have ended anything."""
    texts = ("The pump is blue", "The pump is green", "The pump is grey", "The pump is black")
    blue, green, grey, black = (mem.add(text, infer=False, **BEA).ids[0] for text in texts)
    sure = EndCause(by=Decider.RULE, probability=0.9, reason="colour: blue → green")

    def work(tx: Tx) -> None:
        op = tx.journal.begin("consolidate", at=now)
        a, b, c, d = (_pk(tx, each) for each in (blue, green, grey, black))
        assert not tx.endings.is_decided(b, a)
        assert tx.endings.doubt(op, older=a, newer=b, cause=sure)
        assert len(tx.endings.doubted(older=a, newer=b)) == 1
        assert tx.endings.end(op, older=a, newer=b, cause=sure)
        assert tx.endings.doubted(older=a, newer=b) == []
        assert tx.endings.is_decided(b, a)
        assert tx.endings.holding_an_end([b, c], besides=[]) == {b}
        assert tx.endings.successors(a, None, now=now) == [green]
        assert tx.validity.onward([a], None) == {a: [(a, b)]}
        standing = tx.validity.of(tx.shown.load([a, b]), SEEN_BY_BEA, now=now + SECOND_US)[a]
        assert (standing.current, standing.replaced_by) == (False, (green,))
        (change,) = tx.validity.changes_around([b])
        assert (change.newer_id, change.older_id) == (green, blue)
        assert tx.questions.find("no such question", None) is None
        tx.endings.pass_on(op, source=b, to=c)
        assert tx.endings.lift(op, [b]) == 0
        assert tx.endings.lift(op, [b, c]) == 1
        assert tx.endings.doubt(op, older=c, newer=d, cause=sure)
        tx.endings.reject(op, tx.endings.doubted(older=c, newer=d))
        assert not tx.endings.end(op, older=c, newer=d, cause=sure)
        assert tx.endings.end(op, older=b, newer=d, cause=sure)
        assert tx.endings.reconsider(op, d, "it says something else") == 1
        assert len(tx.endings.doubted(older=b, newer=d)) == 1
        op.finish(1)

    _store(mem).write(work)


def doubts_before_a_model(mem: Memory, now: int) -> None:
    """A doubt waits for a model, is asked about once, and its judgement is kept with it."""
    texts = ("The boat is moored at the pier", "The boat is on the trailer")
    pier, trailer = (mem.add(text, infer=False, **BEA).ids[0] for text in texts)
    unsure = EndCause(by=Decider.MODEL, probability=0.5, reason="it may have moved")
    said = PairJudgement(model="a:b", label=PairLabel.ADDS, probability=0.9, reason="A boat has two places.")

    def work(tx: Tx) -> None:
        op = tx.journal.begin("consolidate", at=now)
        older, newer = _pk(tx, pier), _pk(tx, trailer)
        scope_pk = tx.records.scope_pk(older)
        before = tx.doubts.waiting_count(now=now)
        assert [pk for pk, _, _ in tx.records.live_after(older, 1)] == [newer]
        assert tx.endings.doubt(op, older=older, newer=newer, cause=unsure)
        assert tx.doubts.waiting_count(now=now) == before + 1
        pair = tx.doubts.waiting([scope_pk], now=now, limit=100)[-1]
        assert (pair.older.id, pair.newer.id, pair.texts.newer.text) == (pier, trailer, texts[1])
        assert tx.doubts.is_as_asked(pair)
        mark = tx.doubts.mark(scope_pk)
        assert tx.doubts.move_on(scope_pk, mark, DoubtMark(pair.edge_pk))
        assert not tx.doubts.move_on(scope_pk, mark, DoubtMark(0))
        assert tx.doubts.waiting([scope_pk], now=now, limit=100) == []
        tx.doubts.note_judgement(op, pair.edge_pk, said)
        gap = Gap(scope_pk, "contradiction", 2.5, record_pk=older, other_pk=newer, field="change")
        ((question, _),) = tx.questions.raise_all(op, [gap])
        tx.endings.reject(op, [pair.edge_pk])
        tx.questions.settle_change(op, older=older, newer=newer)
        assert tx.questions.find(question, None) is None
        assert not tx.doubts.is_as_asked(pair)
        assert tx.doubts.judged([older]) == [(older, newer, said)]
        op.finish(1)

    _store(mem).write(work)


def names_of_things(mem: Memory, now: int) -> None:
    """Entities are made, named, told apart, taken for one, and given up."""
    record = mem.add("Something about the garden", infer=False, **BEA).ids[0]
    store = _store(mem)

    def work(tx: Tx) -> tuple[int, int, int]:
        scope_pk = tx.scopes.ensure(Scope(**BEA))
        op = tx.journal.begin("add", at=now, scope_pk=scope_pk)
        assert tx.journal.scope_pk(op.pk) == scope_pk
        pk = _pk(tx, record)
        dora = tx.entities.ensure(op, "Dora Lind", EntityType.PERSON, scope_pk, ["Dorchen"])
        dorothea = tx.entities.ensure(op, "Dorothea Lind", EntityType.PERSON, scope_pk)
        mistake = tx.entities.ensure(op, "Gardenia", EntityType.PERSON, scope_pk)
        tx.entities.add_aliases(op, dora, ["D. Lind"])
        tx.arrivals.alias(dora, "dodo", pk)
        tx.entities.mention(op, pk, dora, "Dora")
        tx.entities.mention(op, pk, dorothea, "Dorothea")
        assert tx.entities.mentioning([dora]) == [pk]
        assert tx.entities.record_ids(tx.entities.id_of(dora), limit=5) == [record]
        assert tx.entities.scope_pk(dora) == scope_pk
        assert tx.arrivals.scope_of_id("entity", tx.entities.id_of(dora)) == scope_pk
        assert tx.mentions.move(op, dorothea, mistake) == 1
        assert tx.mentions.move(op, mistake, dorothea, [pk]) == 1
        assert tx.entities.merge(op, dora, dorothea) >= 0
        apart, _ = tx.entities.split(op, dora, ["Dorothea Lind"])
        assert tx.arrivals.split_from(apart) == dora
        tx.arrivals.set_split_from(apart, dorothea)
        assert tx.arrivals.split_from(apart) == dorothea
        tx.entities.retire(op, [mistake])
        op.finish(1)
        return dora, apart, mistake

    dora, apart, mistake = store.write(work)

    def put_back(tx: Tx) -> None:
        op = tx.journal.begin("undo", at=now, scope_pk=tx.entities.scope_pk(dora))
        pk = _pk(tx, record)
        tx.mentions.restore(op, pk, dora, {"noted": False, "surface": None})
        assert tx.entities.mentioning([dora]) == []
        tx.mentions.restore(op, pk, dora, {"noted": True, "surface": "Dora"})
        assert tx.entities.mentioning([dora]) == [pk]
        op.finish(1)

    store.write(put_back)
    with store.read() as tx:
        assert tx.entities.is_live(dora)
        assert tx.entities.is_live(apart)
        assert not tx.entities.is_live(mistake)
        assert tx.profiles.nearest(_pk(tx, record), [dora, apart], above=2.0) is None

    def give_up(tx: Tx) -> None:
        op = tx.journal.begin("add", at=now, scope_pk=tx.entities.scope_pk(apart))
        tx.entities.withdraw(op, [apart])
        op.finish(1)

    store.write(give_up)
    with store.read() as tx:
        assert not tx.entities.is_live(apart)


def work_that_fails(mem: Memory, now: int) -> None:
    """Jobs are taken, given back, and given up."""
    store = _store(mem)

    def take(tx: Tx) -> int:
        tx.jobs.enqueue("contract", {"n": 1}, now=now)
        job = tx.jobs.lease(["contract"], owner="kit", now=now, lease_s=60)
        assert job is not None
        running = tx.jobs.running()
        assert running is not None
        assert running[0] == "contract"
        tx.jobs.release(job.pk, owner="kit", now=now)
        again = tx.jobs.lease(["contract"], owner="kit", now=now, lease_s=60)
        assert again is not None
        assert again.attempts == 1, "what was given back costs no attempt"
        assert not tx.jobs.any_failed("contract")
        tx.jobs.fail(again.pk, owner="kit", now=now, code="E9999", retry_in_s=5.0)
        assert not tx.jobs.any_failed("contract")
        later = now + 6 * SECOND_US
        last = tx.jobs.lease(["contract"], owner="kit", now=later, lease_s=60)
        assert last is not None
        tx.jobs.fail(last.pk, owner="kit", now=later, code="E9999", retry_in_s=None)
        assert tx.jobs.any_failed("contract")
        return last.pk

    store.write(take)


def sessions_and_sayings(mem: Memory, now: int) -> None:
    """What a session holds, who has gone over it, and what is said in it already."""
    said = [{"role": "user", "content": "The bees are back."}, {"role": "user", "content": "The hive is heavy."}]
    turns = mem.add(said, session_id="garden", infer=False, **BEA).ids
    with _store(mem).read() as tx:
        visible = tx.scopes.visible(Scope(**BEA))
        (waiting,) = tx.sessions.named("garden", visible)
        pks = [_pk(tx, each) for each in turns]
        row = tx.records.columns_of(pks[0])
        assert row is not None
        session_pk = row["session_pk"]
        session = tx.sessions.load(session_pk)
        assert session is not None
        assert session.id == "garden"
        assert tx.sessions.newest_record(session_pk) == pks[-1]
        assert "garden" in tx.sessions.unconsolidated(visible)
        assert not tx.sessions.consolidated("garden", visible)
        assert tx.sessions.unasked() >= 0
        assert [pk for pk, _ in tx.sessions.unasked_turns(waiting, 10)] == pks
        assert [pk for pk, _ in tx.sayings.in_session([row["content_hash"]], session_pk)] == [pks[0]]
        assert [turn.pk for turn in tx.stretches.turns(pks, ("episodic",))] == pks
        assert tx.stretches.left("contract", ("episodic",)) > 0
        assert tx.arrivals.any_record_before("session", session_pk, pks[-1])
        assert not tx.arrivals.any_record_before("session", session_pk, pks[0])
        assert tx.marks.holding(["no such mark"], pks) == []
        assert tx.names.beginning("session_id", "gard", limit=5) == ["garden"]
        assert tx.scopes.inhabited()
    assert _store(mem).write(lambda tx: tx.sessions.asked(waiting, to=pks[-1]))


def what_happened(mem: Memory, now: int) -> None:
    """The journal and the feed, as people and listeners read them."""
    receipt = mem.add("The ladder is in the attic", **BEA)
    mem.update(receipt.ids[0], tier="archive", **BEA)
    assert receipt.operation is not None
    store = _store(mem)
    with store.read() as tx:
        visible = tx.scopes.visible(Scope(**BEA))
        assert tx.journal.ids_beginning(receipt.operation[:8]) == [receipt.operation]
        assert tx.journal.first_contents([receipt.operation]) == {receipt.operation: "The ladder is in the attic"}
        assert len(tx.journal.moves(receipt.ids[0], limit=5)) == 1
        assert (tx.journal.oldest_at() or 0) < (tx.journal.newest_at() or 0)
        assert tx.journal.newest_erasure() >= 0
        assert [(each.verb, each.holds) for each in tx.journal.later_than(0, receipt.operation)] == [("update", True)]
        newest = tx.changes.newest()
        assert tx.changes.after(newest - 5, limit=10, visible=visible)
        assert tx.changes.after(0, limit=3, visible=None)
        assert tx.meta.count("store_") >= 1
        assert tx.figures.graph(SEEN_BY_BEA, now=now)
        assert tx.summaries.global_summary(None) == tx.summaries.global_summary(None)
        assert tx.enriched.unwritten() >= 0
        (space, *_) = tx.vectors.spaces()
        assert all(isinstance(each, np.ndarray) for each in tx.enriched.centroids(visible[0], space).values())
        assert tx.vectors.given() == []
        pk = _pk(tx, receipt.ids[0])

    def change(tx: Tx) -> None:
        op = tx.journal.begin("reembed", at=now, scope_pk=visible[0])
        data = space.encode(np.ones(space.dimensions, dtype=np.float32))
        assert tx.vectors.exchange(op, space, pk, data)
        assert tx.vectors.sentences(space, [pk]).pks.tolist() == []
        tx.vectors.restore(op, space.pk, pk, {"data": data.hex()})
        assert tx.jobs.enqueue_from("embed", pk, now=op.at)
        tx.vectors.promote(space.pk)
        tx.text.rebuild()
        tx.records.note_gap(pk, retired_at=now - 10, until=now)
        op.finish(1)

    store.write(change)
    assert store.write(lambda tx: tx.changes.trim(10**9)) == 0
    assert [hit.id for hit in mem.search("ladder", tiers=["archive"], **BEA)][:1] == [receipt.ids[0]]
    assert mem.get_all(known_at=from_us(now), **BEA)


def documents_and_summaries(mem: Memory, now: int) -> None:
    """The pieces of a document in their order, statements that answer through turns, and the nodes of the tree."""
    guide = "# Hedge\n\nCut the hedge in June, never in May.\n\n## Tools\n\nThe shears hang in the shed.\n"
    receipt = mem.ingest(guide, **BEA)
    (document,) = mem.get_all(categories=["document"], tiers=["archive"], **BEA)
    turn, statement = (mem.add(text, infer=False, **BEA).ids[0] for text in ("I cut the hedge.", "Bea cut the hedge"))
    store = _store(mem)

    def work(tx: Tx) -> None:
        scope_pk = tx.scopes.ensure(Scope(**BEA))
        assert tx.documents.piece_named(document.id, scope_pk) is None
        pieces = [tx.documents.piece_named(each, scope_pk) for each in receipt.ids]
        assert [pk for pk, _ in tx.documents.placed_pieces(document.id, scope_pk, limit=10)] == pieces
        op = tx.journal.begin("add", at=now, scope_pk=scope_pk)
        tx.statements.answer_through(op, _pk(tx, statement), _pk(tx, turn))
        assert tx.records.columns_of(_pk(tx, statement))["turn_pk"] == _pk(tx, turn)  # type: ignore[index]
        op.finish(1)
        assert not tx.arrivals.judged(_pk(tx, turn), op, now, b"")
        assert tx.arrivals.taken_over("origin", scope_pk, "no such source") == set()
        for node in tx.summaries.global_summary(None):
            assert node.text is not None
        domains = [node for _, node in tx.summaries.of_level(None, "domain", space=None)]
        for node in domains:
            tx.summaries.mark_finer(node.pk)
            tx.summaries.take_members(node.pk, [])
        assert all(node.finer for _, node in tx.summaries.of_level(None, "domain", space=None))

    store.write(work)


def what_moved_windows(mem: Memory, now: int) -> None:
    """Judgements of what windows showed, until a move took them in."""
    ids = [mem.add(text, **BEA).ids[0] for text in ("The hose leaks at the tap", "The tap drips in winter")]

    def work(tx: Tx) -> None:
        tx.tuning.judge(dict(zip(ids, (0.4, 0.6), strict=True)), helpful=True, at=now, operation=None)
        assert sorted(each.level for each in tx.tuning.fresh()) == [0.4, 0.6]
        tx.tuning.move(FloorMove(by=-0.05, at=now, helpful=2, unhelpful=0, operation=None))
        assert tx.tuning.fresh() == []
        assert [each.by for each in tx.tuning.moves()] == [-0.05]

    _store(mem).write(work)


def what_agents_did(mem: Memory, now: int) -> None:
    """Sessions of coding agents: events once each, what was told from them, known errors, folders and spools."""

    def work(tx: Tx) -> None:
        seen, scope_pk = tx.observed, tx.scopes.ensure(Scope(project="shop"))
        seen.name_project("/src/old", "shop", at=now)
        seen.forget_project("/src/old")
        seen.name_project("/src/shop", "shop", at=now)
        assert (seen.project_at("/src/shop"), seen.root_of("shop")) == ("shop", "/src/shop")
        assert seen.projects(since=now, limit=5) == [("/src/shop", "shop")]
        session = seen.session(scope_pk, "claude-code", "a1", root="/src/shop", at=now)
        detail = '{"text":"0f","chars":2}'
        prompt = EventRow("prompt:1", "hook", "prompt", now, detail=detail)
        failed = EventRow("tool:1", "hook", "tool_failed", now + 1, tool="Bash", kind="run", error="no", error_hash="e")
        read = EventRow(
            "tool:2", "hook", "tool", now + 2, 2, tool="Read", kind="read", outside=1, files=[("a", "read", None)]
        )
        assert [seen.add(scope_pk, session, each) for each in (prompt, failed, read, read)] == [True, True, True, False]
        assert seen.has_hooks(session)
        assert (seen.prompted(session, "0f"), seen.prompted(session, "f0")) == (1, 0)
        assert [each.type for each in seen.events(session)] == ["prompt", "tool_failed", "tool"]
        assert [each.type for each in seen.events(session, last=1)] == ["tool"]
        assert seen.session_at(scope_pk, "claude-code", "a1") == session
        assert seen.session_at(scope_pk, "codex", "a1") is None
        assert seen.underived(limit=5) == [(session, scope_pk)]
        last = seen.events(session)[-1].pk
        seen.replace_signals(session, scope_pk, [SignalRow("sequence", "read run edit", "", 2, now, None)], to=last)
        assert seen.underived(limit=5) == []
        assert [each.subject for each in seen.signals(session)] == ["read run edit"]
        assert seen.sessions_showing("sequence", ["read run edit"], scope_pk) == {"read run edit": 1}
        (told,) = seen.sessions([scope_pk], session_id="a1", limit=5)
        assert (told.steps, told.files, told.errors, told.outside) == (2, 1, 1, 1)
        seen.cure(scope_pk, "Bash", "e", '{"edited":["a"]}', at=now)
        (known,) = seen.known_errors([scope_pk], least=1, limit=5)
        assert (known.times, known.cure) == (1, '{"edited":["a"]}')
        before = seen.state()
        assert not seen.was_taken("spool-1")
        seen.note_taken("spool-1", at=now, events=3, cut=1, forget_before=now - 1)
        assert seen.was_taken("spool-1")
        assert seen.taken_figures() == (1, 3, 1, now)
        assert seen.trim(rows_max=2, before=now - 1) == 1
        assert seen.erase([scope_pk], session_id="a1") == 2
        seen.erase([scope_pk])
        seen.forget_empty_projects()
        assert seen.project_at("/src/shop") is None
        assert seen.state() != before

    _store(mem).write(work)


def what_the_database_finds(mem: Memory, now: int) -> None:
    """Searches without indexes in memory: words counted in a scope, rows by their time, neighbours, nearest vectors."""
    cal = {"user_id": "cal"}
    texts = ["The boat is in Bergen", "The boat was sold", "Rain in Bergen again"]
    added = [
        mem.add([{"role": "user", "content": text, "timestamp": from_us(now + at * SECOND_US)}], session_id="db", **cal)
        for at, text in enumerate(texts)
    ]
    seen = Criteria(scope=Scope(user_id="cal"), session_id="db", drawn=False)
    with _store(mem).read() as tx:
        pks = [_pk(tx, receipt.ids[0]) for receipt in added]
        counted = tx.text.holders_within(["boat", "bergen", "opera"], seen, now=now, rows_max=5)
        assert counted is not None
        assert (counted.rows, counted.holders["boat"], counted.holders["opera"]) == (3, 2, 0)
        assert tx.text.holders_within(["boat"], seen, now=now, rows_max=2) is None
        assert tx.candidates.newest_told(seen, now=now, limit=2) == [pks[2], pks[1]]
        edges = (now + SECOND_US, now + 2 * SECOND_US)
        for middle, order in ((None, [1, 2, 0]), (now + SECOND_US, [1, 2, 0]), (now, [1, 2, 0])):
            found = tx.candidates.in_window(seen, now=now, edges=edges, reach=SECOND_US, middle=middle, limit=9)
            assert list(found) == [pks[at] for at in order]
        assert set(tx.candidates.beside([pks[1]])) == {pks[0], pks[2]}
        assert tx.indexed.scopes(pks[0], pks[-1]).keys() >= set(pks)  # and statements that were drawn from them
        (space, *_) = tx.vectors.spaces()
        _, (direction,) = tx.vectors.load(space, [pks[0]])
        near = tx.near.nearest(space, direction, seen, now=now, limit=2)
        assert near is not None
        assert near.pks[0] == pks[0]
        assert round(float(near.cosines[0]), 3) == 1.0
