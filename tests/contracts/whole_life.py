"""Everything that can happen to a store, by the verbs of a memory: what a contract between databases is held against.

Chapters build on each other. Each is told in fixed words, at fixed times and with fixed ids, so that two databases are
asked the same in the same order.
"""

from __future__ import annotations

import base64
import os
import random
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asked_directly
import asked_of_code_and_vault
import pytest
from exchange.used_stores import use_at_random
from ticking import Ticking

from recollect.errors import CycleRefused
from recollect.memory import Memory
from recollect.model.grant import Grant
from recollect.model.scope import Scope
from recollect.store.tokens import Right
from recollect.upkeep.jobs.worker import JobWorker
from recollect.wiring import open_memory
from recollect.working.background import Background

ANA = {"user_id": "ana"}
GUIDE = (
    "# Kettle\n\nBoil the water first. See docs/tea.md.\n\n## Cleaning\n\nUse vinegar once a month, then rinse it.\n"
)
TEA = "# Tea\n\nGreen tea wants water of 80 degrees.\n\n## Black\n\nBlack tea wants boiling water, and four minutes.\n"


class Life:
    """A memory on one kind of database, its clock, and a folder whose path is the same for all."""

    def __init__(self, url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = Ticking(1_000)
        self.folder = folder
        self.url = url
        chance = random.Random(5)
        monkeypatch.setattr("uuid.uuid4", lambda: uuid.UUID(int=chance.getrandbits(128), version=4))
        monkeypatch.setattr("os.urandom", chance.randbytes)
        monkeypatch.setattr("secrets.token_hex", lambda size: chance.randbytes(size).hex())
        secret = base64.urlsafe_b64encode
        monkeypatch.setattr("secrets.token_urlsafe", lambda size: secret(chance.randbytes(size)).rstrip(b"=").decode())
        monkeypatch.setattr(JobWorker, "poke", lambda worker: None)  # jobs are done where the story says `settle`
        monkeypatch.setattr(Background, "submit", lambda background, work: [work()] != [])
        self.mem = self.opened(url)

    def opened(self, url: str, **more: Any) -> Memory:
        config = {
            "reader.model": "none",  # a doubt more or less would change which questions there are
            "backups.before_changes": False,  # looks into the journal where there is a file
            "backups.interval_hours": 0,
        }
        return open_memory(url, embedder="fake", clock=self.clock, background=False, config=config, **more)

    def close(self) -> None:
        self.mem.close()


def whole_life(life: Life) -> None:
    for chapter in CHAPTERS:
        chapter(life)
        life.clock.skip(0.5)


def people_talk(life: Life) -> None:
    for seed in (1, 2, 3):
        use_at_random(life.mem, seed, 60)
        life.clock.skip(3)


def documents_are_read(life: Life) -> None:
    docs = life.folder / "docs"
    docs.mkdir(exist_ok=True)

    def write(name: str, text: str, at: int = 1_700_000_000) -> None:
        (docs / name).write_text(text)
        os.utime(docs / name, (at, at))

    write("kettle.md", GUIDE)
    write("tea.md", TEA)
    write("chat.json", '[{"role": "user", "content": "Mara visits on Sunday", "session_id": "mail", "id": "m1"}]')
    mem = life.mem
    mem.ingest(docs, **ANA)
    mem.settle()
    write("kettle.md", GUIDE.replace("vinegar", "lemon juice"))
    (docs / "tea.md").unlink()
    mem.ingest(docs, **ANA)
    write("kettle.md", GUIDE.replace("vinegar", "lemon juice"), at=1_700_000_100)  # touched, not changed
    mem.ingest(docs, **ANA)
    mem.ingest(GUIDE, project="atlas")
    mem.search("lemon juice", place="docs/*.md", **ANA)
    mem.search("rinse", place={"section_path": ["Kettle"]}, facets={"diataxis_type": "howto"}, **ANA)
    (docs / "kettle.md").unlink()
    (docs / "chat.json").unlink()


def things_are_asked(life: Life) -> None:
    mem = life.mem
    now = life.clock()
    for asked in (
        {},
        {"explain": True},
        {"known_at": now - 86_400_000_000},
        {"as_of": now},
        {"categories": ["fact", "turn"], "after": "2026-01-01"},
        {"session_id": "s1"},
        {"filters": {"tags": {"contains": "a"}}},
        {"mode": "recent_sessions"},
        {"mode": {"mode": "around_event", "event": mem.get_all(limit=1, **ANA)[0].id}},
        {"mode": "trend"},
        {"rerank": "mmr"},
        {"phase": "planning"},
    ):
        told = {**asked, **({"known_at": _moment(asked["known_at"])} if "known_at" in asked else {})}
        told = {**told, **({"as_of": _moment(told["as_of"])} if "as_of" in told else {})}
        mem.search("Where does Ana live, and what does she drink?", user_id="ana", **told)
    for words in ("When did Ben move?", "Why is the gateway slow?", "Who is Eva?", "unheard-of zeppelins"):
        mem.search(words, **ANA)
        mem.assess(words, **ANA)
    mem.get_all(limit=5, reach="all")
    mem.get_all(limit=5, known_at=_moment(now - 86_400_000_000), reach="all")
    mem.timeline("Ben", user_id="ben")
    mem.reason("What does Ana drink at work, and why?", **ANA)
    mem.context("What shall I cook for Ana?", session_id="s1", **ANA)
    mem.context([{"role": "user", "content": "Where do I live?"}], max_tokens=800, **ANA)


def _moment(us: int) -> Any:
    from recollect.clock import from_us

    return from_us(us)


def records_are_judged(life: Life) -> None:
    mem = life.mem
    first, second, third, fourth = (
        mem.add(text, **ANA).ids[0]
        for text in (
            "The lamp in the hall is broken",
            "The electrician comes on Tuesday",
            "The fuse box is in the cellar",
            "The hall is dark at night",
        )
    )
    mem.update(first, content="The lamp in the hall flickers", tags=["house"], **ANA)
    mem.update(first, tier="archive", **ANA)
    mem.update(first, tier="longterm", clear=["tags"], **ANA)
    mem.confirm(second, **ANA)
    mem.flag(third, reason="not sure", **ANA)
    mem.feedback(first, helpful=True, query="Which lamp is broken?", **ANA)
    mem.feedback(third, helpful=False, query="Which lamp is broken?", **ANA)
    mem.search("Which lamp is broken?", **ANA)
    edge = mem.relate(fourth, first, "depends_on", weight=0.8, evidence=second, **ANA)
    mem.relate(first, second, "causes", **ANA)
    mem.relate(first, third, "contradicts", **ANA)
    mem.relate(members=[(first, "subject"), (second, "object"), (third, "context")], label="relates_to", **ANA)
    with pytest.raises(CycleRefused):
        mem.relate(first, fourth, "depends_on", **ANA)
    mem.confirm(edge)
    mem.feedback(edge, helpful=True)
    for asked in ({}, {"known_at": _moment(life.clock.now - 10)}, {"as_of": _moment(life.clock.now)}):
        mem.related(first, depth=2, **ANA, **asked)
    mem.path(fourth, second, **ANA)
    mem.dependencies(fourth, **ANA)
    mem.contradictions(first, **ANA)
    mem.contradictions("the fuse box", **ANA)
    mem.relations(limit=20, **ANA)
    mem.network(**ANA)
    mem.topology(**ANA)
    for each in (first, second, third):
        mem.history(each, **ANA)
        mem.explain(each, **ANA)
        mem.get(each, **ANA)
    mem.correct(second, "The electrician comes on Friday", query="When does the electrician come?", **ANA)
    mem.unrelate(edge, **ANA)
    undone = mem.operations(limit=50, **ANA)
    mem.undo(undone[0].id)
    mem.delete(third, reason="nonsense", **ANA)
    mem.delete(fourth, hard=True, **ANA)
    mem.weak(**ANA)
    mem.review(reach="all")
    mem.research(
        [
            {"content": "Lamps flicker when the contact is loose", "urls": ["https://example.com/lamps"]},
            {"content": "Loose contacts are a risk of fire", "urls": ["https://example.com/fire"]},
        ],
        query="flickering lamps",
        cross_references=[(0, 1)],
        **ANA,
    )


def names_are_sorted_out(life: Life) -> None:
    mem = life.mem
    mem.add("Robert Miller runs the workshop with Ana Ruiz", **ANA)
    mem.add("Bob Miller called about the workshop", **ANA)
    mem.add("Bob paints, and so does Roberta Long", **ANA)
    mem.settle()
    mem.entities(limit=20, reach="all")
    mem.entities(type="person", **ANA)
    mem.entity("Ana Ruiz", reach="all")
    known = [entity.name for entity in mem.entities(limit=50, **ANA)]
    if {"Robert Miller", "Bob Miller"} <= set(known):
        merged = mem.merge_entities("Robert Miller", "Bob Miller", **ANA)
        mem.entity("Bob Miller", **ANA)
        mem.split_entity("Robert Miller", ["Bob Miller"], **ANA)
        mem.undo(mem.operations(limit=1)[0].id)
        mem.undo(merged.operation)
    mem.search("What does Robert Miller do?", **ANA)


def nights_pass(life: Life) -> None:
    mem = life.mem
    for _ in range(2):
        life.clock.skip(20)
        mem.maintain()
        mem.maintain(status=True)
    mem.consolidate(dry_run=True)
    life.clock.skip(200)
    mem.decay()
    mem.replay()
    mem.prune(min_confidence=0.4, max_edges=3)
    mem.knowledge(reach="all")
    for question in mem.questions(session_id="s1", limit=3, **ANA):
        mem.dismiss(question.id, **ANA)
    mem.stats()
    mem.stats(**ANA)
    mem.health()
    mem.doctor()
    mem.doctor(fix=True)


def minds_are_kept(life: Life) -> None:
    mem = life.mem
    with mem.turn("Where do I keep the tea?", session_id="desk", **ANA) as turn:
        turn.answer("In the cupboard.")
    mem.working.note("The cupboard is empty", session_id="desk", **ANA)
    mem.working.suspend(session_id="desk", **ANA)
    mem.working.minds()
    mem.working.minds(**ANA)
    mem.working.resume(session_id="desk", **ANA)
    mem.compact("Ana keeps tea in the cupboard. Ana will buy more tea.", session_id="desk", **ANA)
    mem.context("What about the tea?", session_id="desk", **ANA)
    mem.working.clear(session_id="desk", **ANA)


def turns_are_taken(life: Life) -> None:
    mem = life.mem
    turn = mem.turns.begin("Where is the tea now?", session_id="desk", **ANA)
    mem.turns.recall(turn.id, "tea")
    mem.turns.say(turn.id, tool="look", result="in the tin")
    mem.turns.end(turn.id, "In the tin.")
    mem.turns.begin("Who drank the tea?", session_id="desk", **ANA)
    stopped = mem.turns.begin("Buy tea", caller="task", name="tea", **ANA)
    mem.turns.abort(stopped.id, reason="the shop is closed")
    mem.turns.status(state="open", **ANA)
    life.clock.now += 3 * 3600 * 1_000_000
    mem.consolidate()
    mem.turns.status()
    mem.turns.begin("Boil water", session_id="stove", **ANA)
    with life.mem._engine.store.read() as tx:
        assert [each.state for each in tx.turns.listed(None, limit=2)] == ["open", "aborted"]
    life.mem._engine.store.write(lambda tx: tx.turns.forget_words())
    mem.turns.begin("Warm the pot", session_id="stove", **ANA)
    mem.turns.begin("Boil water", session_id="gone", **ANA)
    mem.erase(session_id="gone")


def tokens_are_given(life: Life) -> None:
    store = life.mem._engine.store
    now = life.clock()
    grant = Grant(held=Scope(user_id="ana"))

    def give(name: str) -> str:
        rights = frozenset({Right.READ})
        return store.write(
            lambda tx: tx.tokens.create(name=name, grant=grant, rights=rights, at=now, expires_at=now + 10)
        ).text

    phone, tablet = give("phone"), give("tablet")
    store.write(lambda tx: tx.tokens.revoke("tablet", at=now))
    with store.read() as tx:
        assert tx.tokens.verified(phone, now=now) is not None
        assert tx.tokens.verified(phone, now=now + 11) is None
        assert tx.tokens.verified(tablet, now=now) is None
        assert [token.name for token in tx.tokens.listed()] == ["phone", "tablet"]
        assert (tx.tokens.usable(now=now), tx.tokens.usable(now=now + 11)) == (True, False)
        ids = [token.id for token in tx.tokens.listed()]
        assert tx.tokens.over(ids, now=now) == {ids[1]}


def all_is_handed_on(life: Life) -> None:
    mem = life.mem
    place = life.folder / "export.jsonl"
    mem.export(place, vectors=True, overwrite=True)
    mem.export(life.folder / "part.jsonl", overwrite=True, **ANA)
    mem.export(life.folder / "read.md", format="markdown", overwrite=True)
    with life.opened(life.url if life.url == ":memory:" else f"{life.url}_second") as second:
        second.import_(place, dry_run=True)
        second.import_(place)
        second.add("Ana sold the cat", **ANA)
        second.import_(life.folder / "part.jsonl")
        second.import_(place, project="imported")
        second.settle()
    mem.import_(life.folder / "part.jsonl", project="again")
    mem.undo(mem.operations(limit=1)[0].id)


def models_change(life: Life) -> None:
    mem = life.mem
    mem.reembed(wait=True)
    mem.retain("age>9y,user=ana", keep="ana's")
    mem.retain("kind=episodic,age>9y", keep="talk", hard=True)
    mem.retain("kind=episodic,age>1h", hard=True)
    mem.maintain()
    mem.retain(drop="talk")
    mem.add([{"role": "user", "content": "I sold the cat to Ben."}], session_id="sale", channel="mail")
    mem.erase(session_id="sale")
    mem.erase(channel="mail")
    mem.erase_user("ana", dry_run=True)
    mem.erase_user("ana")
    mem._opened.erasure.resume()
    mem.delete_all(user_id="ben", dry_run=True)
    mem.delete_all(user_id="ben", hard=True)
    mem.stats()


def pages_are_read(life: Life) -> None:
    """What was done and asked by day, what there is of what, and the pages that look back and ahead."""
    mem = life.mem
    for scope in ({}, ANA):
        mem.activity(**scope)
        mem.counts(**scope)
        mem.reflect(days=7, **scope)
        mem.brief("morning", **scope)
        mem.brief("session", session_id="s2", **scope)
    top = mem.summaries(reach="all").below[0]
    mem.summaries(top.number, reach="all")
    mem.network(around=[each.id for each in mem.get_all(limit=3, reach="all")], reach="all")
    mem.health(full=True)


def groups_are_asked(life: Life) -> None:
    for ask in (
        asked_directly.records_by_key,
        asked_directly.relations_between_two,
        asked_directly.ends_and_doubts,
        asked_directly.doubts_before_a_model,
        asked_directly.names_of_things,
        asked_directly.work_that_fails,
        asked_directly.sessions_and_sayings,
        asked_directly.what_happened,
        asked_directly.documents_and_summaries,
        asked_directly.what_moved_windows,
        asked_directly.what_agents_did,
        asked_directly.what_the_database_finds,
        asked_of_code_and_vault.code_as_rows,
        asked_of_code_and_vault.records_about_code,
        asked_of_code_and_vault.what_agents_tell,
        asked_of_code_and_vault.what_sessions_came_to,
        asked_of_code_and_vault.boxes_and_the_account,
    ):
        ask(life.mem, life.clock())


CHAPTERS: tuple[Callable[[Life], None], ...] = (
    people_talk,
    documents_are_read,
    things_are_asked,
    records_are_judged,
    names_are_sorted_out,
    nights_pass,
    things_are_asked,
    minds_are_kept,
    turns_are_taken,
    tokens_are_given,
    pages_are_read,
    groups_are_asked,
    all_is_handed_on,
    models_change,
)
