"""More chapters that speak to the groups themselves: code, what sessions came to, sealed boxes, the audit."""

from __future__ import annotations

from asked_directly import BEA

from recollect.clock import DAY_US, SECOND_US
from recollect.memory import Memory
from recollect.model.columns import SealedBox
from recollect.model.query import Criteria
from recollect.model.scope import Scope
from recollect.store.accounts import MeterRow
from recollect.store.anchors import AnchorRow
from recollect.store.audit import PlainSeal
from recollect.store.base import Tx
from recollect.store.bus import PartRow, PublicationRow, SubscriptionRow, VersionRow
from recollect.store.code import FileRow
from recollect.store.observed import EventRow, SignalRow

ROOT = "/src/atlas"


def _file(path: str, hash_: bytes) -> FileRow:
    return FileRow(path, "python", 3, 7, hash_, None, ("a note",), b"[]", b"\1", b"\2", b"[]", b"\4", b"\3\0\0\0")


def code_as_rows(mem: Memory, now: int) -> None:
    """A project with two files, its facts, its closure and its history."""

    def work(tx: Tx) -> None:
        code = tx.code
        project = code.save_project(ROOT, "atlas", at=now, version=1, left_out={"binary": 2})
        assert code.project(ROOT) == code.projects()[0]
        assert code.project("/nowhere") is None
        code.save_folders(project, {"src": 5})
        assert code.folders(project) == {"src": 5}
        code.save_facts({b"one": b"facts", b"two": b"more"}, at=now)
        assert code.facts([b"one", b"none"]) == {b"one": b"facts"}
        code.save_files(project, [_file("a.py", b"one"), _file("b.py", b"two")])
        standing = code.standing(project)
        assert list(standing) == ["a.py", "b.py"]
        first, second = (standing[path].pk for path in ("a.py", "b.py"))
        code.restamp([(9, 8, first)])
        assert len(code.graph(project)) == len(code.looked_at(project)) == 2
        assert [each[0] for each in code.notes(project)] == ["a.py", "b.py"]
        code.save_closures([(first, b"\0" * 12)])
        assert code.closure(first) == b"\0" * 12
        assert code.closures(project) == {first: b"\0" * 12}
        assert code.widest(project, dependents_min=2, row_bytes=6, limit=5) == {"a.py": first}
        assert code.widest(project, dependents_min=3, row_bytes=6, limit=5) == {}
        assert code.paths([first, second]) == {first: "a.py", second: "b.py"}
        assert code.state()
        assert len(code.depends_on([first, second])) == 2
        assert code.facts_of(project, "a.py") == b"facts"
        assert code.facts_of(project, "none.py") is None
        assert code.definitions(project) == [("a.py", b"one", b"[]"), ("b.py", b"two", b"[]")]
        code.save_history(
            project,
            [(10, ("a.py", "b.py")), (20, ("a.py", "old.py"))],
            commit_id="c2",
            missing=("shallow",),
            renamed=(),
            whole=True,
            changes_max=10,
        )
        assert code.history(project) == ("c2", ("shallow",))
        assert code.last_changed(project) == 20
        code.save_history(
            project, [], commit_id="c3", missing=(), renamed=[("old.py", "new.py")], whole=False, changes_max=10
        )
        assert code.changed_with(project, "a.py") == [(10, ("b.py",)), (20, ("new.py",))]
        code.drop_closures([first])
        assert code.closures(project) == {}
        code.drop_files([second])
        assert code.trim_facts(0) == 1
        assert code.drop_project(project) == 1
        assert code.last_changed(project) is None

    mem._engine.store.write(work)


def records_about_code(mem: Memory, now: int) -> None:
    """Anchors as they were found, and records whose code is gone."""
    id_ = mem.add("a.py is slow", metadata={"related_files": ["a.py"]}, project="atlas").id

    def work(tx: Tx) -> None:
        tx.records.write_columns(tx.records.find_pk(id_, now=now), {"attributes": '{"anchors": [{"path": "a.py"}]}'})
        (record,) = tx.anchors.anchored(limit=5, ids=[id_])
        assert (record.id, record.project) == (id_, "atlas")
        assert [each.id for each in tx.anchors.anchored(limit=5)] == [id_]
        project = tx.code.save_project(ROOT, "atlas", at=now, version=1, left_out={})
        gone = AnchorRow(0, project, 7, "a.py", 1, 2, "orphaned", 3, 4)
        tx.anchors.save(record.pk, [gone])
        assert tx.anchors.kept([id_]) == {id_: [gone]}
        seen, beta = (Criteria(scope=Scope(project=name)) for name in ("atlas", "beta"))
        assert tx.anchors.orphans(seen, now=now, limit=5) == [record.pk]
        (said,) = tx.anchors.said(seen, categories=["fact"], now=now, limit=5)
        assert (said.id, said.category, said.flagged) == (id_, "fact", 0)
        assert tx.anchors.said(beta, categories=["fact"], now=now, limit=5) == []
        assert tx.anchors.said(seen, categories=["gotcha"], now=now, limit=5) == []
        assert tx.anchors.about_files(["b.py", "a.py"], seen, categories=["fact"], now=now, limit=5) == [record.pk]
        assert tx.anchors.about_files(["a.py"], beta, categories=["fact"], now=now, limit=5) == []
        tx.code.drop_project(project)

    mem._engine.store.write(work)


def what_agents_tell(mem: Memory, now: int) -> None:
    """A publication, who it is for, what became of it, and what is forgotten of it."""
    own = mem.add("The kiln needs an hour", agent_id="rex", project="orchard").id
    copy = mem.add("The kiln needs two hours", agent_id="bo", project="orchard").id

    def work(tx: Tx) -> None:
        bus = tx.bus
        rex, bo = (tx.scopes.ensure(Scope(project="orchard", agent_id=name)) for name in ("rex", "bo"))
        pk, copied = (tx.records.find_pk(each, now=now) for each in (own, copy))
        wanted = SubscriptionRow(0, "", bo, "bo", ("kiln",), 0.5, ("rex",), 5, now)
        id_, queued = bus.subscribe(wanted, earlier=True)
        assert (bus.subscribe(wanted, earlier=False), queued) == ((id_, 0), 0)
        (kept,) = bus.subscriptions([bo])
        assert bus.subscriptions(None) == [kept]
        assert kept._replace(pk=0, id="") == wanted
        given = PublicationRow(0, "a" * 36, rex, "rex", ("kiln",), "project", (), 0.7, 1.0, None, now)
        assert bus.publish(given, [PartRow(pk, "thing", {"rex": 1})]) == bus.waiting() == 1
        published = bus.find_publication("a" * 36)
        assert published is not None
        assert bus.publications([published.pk]) == {published.pk: published}
        assert bus.parts([published.pk]) == {published.pk: [PartRow(pk, "thing", {"rex": 1})]}
        (told,) = bus.published([rex], limit=5)
        assert (told.publication, told.records, told.outcomes, told.waiting) == (published, (pk,), {}, 1)
        assert bus.published([bo], limit=5) == []
        assert bus.standing("rex") == (0, 0)
        assert bus.promoted(rex) == set()
        bus.hold(copied, "thing", "bo", {"rex": 1}, at=now)
        held = VersionRow(copied, "thing", {"rex": 1}, now)
        assert bus.held("bo", ["thing"]) == {"thing": held}
        assert bus.versions_of([copied]) == {copied: held}
        assert bus.version_replaced_by(copied) is None
        assert bus.due(since=now - 1, limit=5) == (kept, [published.pk])
        assert bus.take(published.pk, kept)
        assert not bus.take(published.pk, kept)
        bus.note_delivery(published.pk, "bo", bo, "delivered", [copied], at=now, subscription_pk=kept.pk)
        bus.note_delivery(published.pk, "bo", bo, "known", [], at=now)
        (arrived,) = bus.inbox("bo", [bo], after=0, limit=5)
        assert (arrived.number, arrived.outcome, arrived.records) == (bus.newest_number(), "delivered", (copied,))
        assert bus.arrived(since=now - 1, limit=5) == [copied]
        (told,) = bus.published(None, limit=5)
        assert (told.outcomes, told.waiting) == ({"delivered": 1}, 0)
        assert bus.withdraw(published.pk) == 0
        assert bus.trim(before=now) == 0
        bus.forget_records([pk])
        assert bus.inbox(None, None, after=0, limit=5) == []
        assert bus.unsubscribe(id_, [rex]) == 0
        assert bus.unsubscribe(id_, None) == 1

    mem._engine.store.write(work)


def what_sessions_came_to(mem: Memory, now: int) -> None:
    """Sessions that are over, what others showed of the same, and what was edited since."""

    def work(tx: Tx) -> None:
        seen = tx.observed
        scope_pk = tx.scopes.ensure(Scope(project="orchard"))
        sessions = []
        for number, pair in enumerate((("a", "b"), ("b", "a"))):
            session = seen.session(scope_pk, "codex", f"o{number}", root="/src/orchard", at=now + 2 * number)
            edit = EventRow("tool:1", "hook", "tool", now, tool="Edit", kind="edit", files=[("a", "edit", None)])
            failed = EventRow("tool:2", "hook", "tool_failed", now + 1, tool="Bash", error="no", error_hash="h")
            compact = EventRow("compact:1", "hook", "compact", now + 2)
            stop = EventRow("stop:1", "hook", "stop", now + 1, detail='{"cited":["0b6f2a52"]}')
            for event in (edit, failed, stop, compact):
                assert seen.add(scope_pk, session, event)
            signals = [
                SignalRow("co_access", *pair, 1, now, '{"steps":2}'),
                SignalRow("file_access", "a", "", 1, now, '{"classes":{"edit":1}}'),
            ]
            seen.replace_signals(session, scope_pk, signals, to=seen.events(session)[-1].pk)
            sessions.append(session)
        assert [each[0] for each in seen.just_compacted(limit=5)] == sessions[::-1]
        over = seen.over(idle_before=now + SECOND_US, limit=5)
        assert [each.pk for each in over] == sessions
        assert over[0].cited == {"0b6f2a52"}
        assert len(seen.over(idle_before=now + SECOND_US, limit=5, only=sessions[1])) == 1
        assert {each.session for each in seen.repeated(sessions[0], scope_pk)} == {"o0", "o1"}
        (error,) = seen.errors_of(sessions[0])
        assert (error.times, error.sessions) == (2, ("o0", "o1"))
        assert len(seen.accesses(scope_pk, sessions_max=1)) == 1
        assert seen.edited([scope_pk], after=now, limit=5) == seen.edited(None, after=now, limit=5)[:1] == ["a"]
        assert [near for _, near in seen.touched_with("/src/orchard", "a")] == [(("b", 2),), (("b", -2),)]
        tx.accounts.note_concluded(sessions[0], to=over[0].to, outcome={"added": ["0b6f2a52"]})
        assert tx.accounts.outcome(sessions[0]) == {"added": ("0b6f2a52",)}
        assert [(each.tool, each.times) for each in tx.accounts.errors_met(sessions[0])] == [("Bash", 1)]
        assert tx.accounts.edited_before(scope_pk, "Bash", "h") == {"o0": {"a"}, "o1": {"a"}}
        assert tx.accounts.worked_in([scope_pk]) == [("a", pk, True) for pk in sessions]
        assert tx.accounts.log_figures([scope_pk])[:3] == (2, 1, 8)
        assert seen.underived(limit=5, only=sessions[0]) == []
        assert seen.underived(limit=5, after=seen.newest()) == []
        _what_they_worked_at(tx, scope_pk, sessions[0], now)
        assert [each.pk for each in seen.over(idle_before=now + SECOND_US, limit=5)] == sessions[1:]
        figures = MeterRow(*range(14))
        tx.accounts.put_meter(sessions[0], MeterRow(*[0] * 14))
        tx.accounts.put_meter(sessions[0], figures)
        assert [each[:14] for each in tx.accounts.meters([scope_pk])] == [figures[:14]]
        assert [each.id for each in tx.accounts.meters(None)][-1] == "o0"
        assert [tx.accounts.errors_before(each) for each in sessions] == [[], [("Bash", "h")]]
        seen.erase([scope_pk])
        assert tx.accounts.meters([scope_pk]) == []

    mem._engine.store.write(work)


def _what_they_worked_at(tx: Tx, scope_pk: int, session: int, now: int) -> None:
    work = tx.agent_work
    assert work.words(session) == ([], "")
    work.note_words(session, [["tidy", "open"]], "tail")
    work.note_words(session, [["tidy", "done"]], "end")
    assert work.words(session) == ([["tidy", "done"]], "end")
    work.forget_words(session)
    assert work.words(session) == ([], "")
    assert scope_pk in work.scopes(limit=5)
    assert work.paths("/src/orchard") == {"a"}
    work.rename("/src/orchard", "a", "z")
    assert work.paths("/src/orchard") == {"z"}
    assert work.sessions_with(scope_pk, "z", "b") == ("o0", "o1")
    work.rename("/src/orchard", "z", "a")
    assert work.often_touched(scope_pk, sessions_min=2, limit=5) == ["a"]
    assert work.often_touched(scope_pk, sessions_min=3, limit=5) == []
    assert work.sessions_with(scope_pk, "a", "b") == ("o0", "o1")
    told = EventRow("shown:1", "hook", "shown", now, detail='{"shown":["0b6f2a52"]}')
    plan = EventRow("tool:9", "hook", "plan", now, tool="TodoWrite", detail='{"figures":{"pending":2}}')
    assert all(tx.observed.add(scope_pk, session, each) for each in (told, plan))
    assert work.shown([scope_pk], since=now) == work.shown(None, since=now) == {"0b6f2a52": {"o0"}}
    assert list(work.plans(scope_pk, sessions_max=5)) == ["o0"]
    assert work.days_worked([scope_pk], after=now - DAY_US) == work.days_worked(None, after=now - DAY_US) == 1
    assert work.days_worked([scope_pk], after=now) == 0


def boxes_and_the_account(mem: Memory, now: int) -> None:
    """What is sealed beside a row, and who did what."""
    record_id = mem.add("The safe is blue", **BEA).ids[0]
    assert len(mem.audit(event="memory_written", limit=5)) == 5
    assert mem.audit_verify().ok

    def work(tx: Tx) -> None:
        (pk,) = tx.records.pks_of([record_id])
        box = SealedBox(4711, record_id, b"closed")
        sealed = tx.sealed
        sealed.put([box, box._replace(ref=4712)])
        assert sealed.load([4711, 9])[4711].box == b"closed"
        assert sealed.with_secret("nothing") is None
        sealed.rewrite([box._replace(box=b"shut")])
        assert [each.box for each in sealed.after(4710, 5)] == [b"shut", b"closed"]
        assert sealed.current([record_id]) == sealed.by_row() == sealed.shown([4711]) == {}
        sealed.rehash([(4711, "no row has it")])
        assert sealed.scopes([record_id])[record_id].user_id == "bea"
        assert list(sealed.versions(pk)) == [pk]
        assert pk in sealed.records_after(pk - 1, 5)
        assert sealed.counts() is not None
        (space,) = tx.vectors.spaces()[:1]
        sealed.put_vectors(space, [(4711, b"\0\0")])
        assert sealed.every_vector(space) == [(4711, b"\0\0")]
        assert sealed.vectors(space) == sealed.without_vector(space, limit=5) == []
        sealed.drop_unused(record_id)
        assert sealed.after(0, 5) == []
        sealed.forget_minds()
        tx.audit.seal([PlainSeal()])
        assert tx.audit.size() > 0
        for token in tx.tokens.listed():
            tx.tokens.note_use(token.id, at=now)
        op = tx.journal.begin("seal", at=now, scope_pk=tx.records.scope_pk(pk))
        tx.erasure.forget_past(op, [pk])
        op.finish(1)

    mem._engine.store.write(work)
