"""What a memory promises, held against what a team noted: looked at each night, whatever was done by day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from joint.team import BO, CY, LIN, REX, SCRAPER, WORDS, Sent, Team
from properties.tables import assert_indexes_agree, assert_sound, looking_at, rows

import recollect
from recollect.facade.handle import engine_of
from recollect.model.scope import Scope

ASKED = ("What about saffron, cobalt, quartz, velvet, falcon, glacier and the turnstile?", "What is new?")
READERS: tuple[dict[str, str], ...] = (
    {},
    REX,
    BO,
    CY,
    LIN,
    {"project": "shop"},
    {"user_id": "ana"},
    {"user_id": "ben"},
    {"agent_id": "bot", "user_id": "ana"},
    {"agent_id": "bot", "user_id": "ben", "channel": "dm"},
    {"agent_id": "intake"},
)
SUBSCRIBED: tuple[tuple[dict[str, str], frozenset[str] | None, frozenset[str] | None], ...] = (
    (BO, None, None),
    (CY, frozenset({"findings"}), None),
    (REX, frozenset({"findings"}), frozenset({"bo"})),
    (LIN, None, None),
)
BELIEVED_AGAIN = 5  # nights that are asked about again
EVENTS = 100


def the_tables_are_sound(team: Team) -> None:
    assert_sound(team.store)


def the_indexes_hold_what_the_tables_hold(team: Team) -> None:
    engine_of(team.mem).indexes.read_up()  # no thread does
    assert_indexes_agree(team.mem)


def the_doctor_finds_nothing(team: Team) -> None:
    looked_at = {"file", "integrity", "references", "text index", "erasures", "vectors", "jobs", "settings"}
    assert [each for each in team.mem.doctor() if each.check in looked_at and not each.ok] == []
    assert team.mem.audit_verify().ok


def nobodys_words_are_elsewhere(team: Team) -> None:
    """A word that belongs to somebody stands in records of theirs alone, whoever made the record."""
    with looking_at(team.store) as db:
        keys = dict(db.execute("SELECT pk, key FROM scope"))
        for row in rows(db, "SELECT * FROM record"):
            text = " ".join(str(value) for value in row.values()).lower()
            for word, needed in WORDS.items():
                if word in text:
                    for name, value in needed.items():
                        assert f"{name}={len(value)}:{value};" in keys[row["scope_pk"]], (
                            word,
                            keys[row["scope_pk"]],
                            row,
                        )


def nobody_is_told_what_they_may_not_see(team: Team) -> None:
    for reader in READERS:
        may = Scope(**reader)
        handle = team.mem.scoped(**reader) if reader else team.mem
        told = "\n".join(
            [
                *(hit.content for asked in ASKED for hit in handle.search(asked)),
                *(handle.context(asked, max_tokens=3000).text for asked in ASKED),
                handle.reflect(days=7).text,
            ]
        ).lower()
        for word, needed in WORDS.items():
            if not may.sees(Scope(**needed)):
                assert word not in told, (reader, word)


def what_changed_is_answered_as_it_is_now(team: Team) -> None:
    for this in team.tracked.values():
        best = team.mem.search(this.question, **this.scope)[0]
        assert best.content == this.said.format(this.now), (this.question, best.content)
        assert this.said.format(this.now) in team.mem.context(this.question, max_tokens=3000, **this.scope).text


def what_was_true_is_still_known_to_have_been(team: Team) -> None:
    for this in team.tracked.values():
        for since, value in this.values[-3:]:
            best = team.mem.search(this.question, as_of=since, **this.scope)[0]
            assert best.content == this.said.format(value), (since, best.content)


def what_was_believed_stays_known(team: Team) -> None:
    """What was known on an earlier night is told today as it was told then."""
    for moment, then in team.believed[-BELIEVED_AGAIN:]:
        now: dict[str, str] = {}
        cursor = None
        while True:
            page = team.mem.get_all(reach="all", known_at=moment, limit=1000, cursor=cursor)
            now |= {record.id: record.content for record in page.records}
            if (cursor := page.cursor) is None:
                break
        expected = {id_: text for id_, text in then.items() if id_ not in team.gone}
        assert now == expected, moment
    team.believed.append((team.moment(), team.known()))


def what_was_to_be_kept_is_there(team: Team) -> None:
    for id_, text in team.kept.items():
        record = team.mem.get(id_)
        assert (record.content, record.tier != "archive", record.retired_at) == (text, True, None)


def each_was_told_once_what_it_asked_for(team: Team) -> None:
    for agent, topics, sources in SUBSCRIBED:
        inbox = team.mem.bus.inbox(limit=1000, **agent)
        own = {each.id for each in team.sent if each.by is agent}
        told = Counter(each.publication for each in inbox if each.publication not in own)
        wanted = [each for each in team.sent if _is_for(each, agent, topics, sources)]
        assert told == Counter(each.id for each in wanted), agent
        numbers = [each.number for each in inbox]
        assert numbers == sorted(set(numbers))
        for each in inbox:
            for id_ in each.records:
                assert dict(team.mem.get(id_).scope.items()) == agent or each.outcome == "known", each


def _is_for(sent: Sent, agent: dict[str, str], topics: frozenset[str] | None, sources: frozenset[str] | None) -> bool:
    if sent.by is agent or (topics is not None and topics.isdisjoint(sent.topics)):
        return False
    if sources is not None and sent.by["agent_id"] not in sources:
        return False
    if sent.visibility == "global":
        return True
    if sent.by.get("project") != agent.get("project"):
        return False
    if sent.visibility == "targets":
        return agent["agent_id"] in sent.targets
    return sent.visibility == "project" or sent.by.get("squad") == agent.get("squad")


def nothing_waits_that_should_not(team: Team) -> None:
    assert team.mem.bus.deliver().waiting == 0
    assert team.mem.turns.status(state="open", limit=100) == []
    assert team.mem.health(full=True)["pending_embeddings"] == 0


def turns_that_were_stopped_or_left_kept_what_they_had(team: Team) -> None:
    states = {each.id: each.state for each in team.mem.turns.status(limit=1000)}
    texts = "\n".join(record.content for record in team.mem.get_all(limit=1000, tiers=None, **REX))
    for turns, state in ((team.stopped, "aborted"), (team.left, "orphaned")):
        for id_, said in turns.items():
            assert states.get(id_, state) == state
            assert said in texts or team.mem.search(said, **REX)[0].content.count(said), said


def strangers_are_not_heard_before_somebody_lets_them_in(team: Team) -> None:
    asked = "Which falcon lamps are for free, says the bramble page?"
    for reader in (CY, SCRAPER, {"project": "shop"}):
        found = {hit.id for hit in team.mem.search(asked, **reader)}
        assert found.isdisjoint(team.waiting)
        assert found.isdisjoint(team.refused)
    assert set(team.waiting) <= {each.id for each in team.mem.review(limit=1000) if each.why == "approval"}


def the_erased_are_nowhere(team: Team) -> None:
    for id_ in team.gone:
        assert team.mem.get(id_) is None
    for path in _files(team.folder):
        held = path.read_bytes().lower()
        for word in team.erased:
            assert word.encode() not in held, (path.name, word)


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".jsonl"]


def an_export_is_the_whole_memory(team: Team) -> None:
    """Every few nights the store is exported, and read into a new one: the same records with the same texts."""
    if team.day % 10 not in (2, 9):
        return
    path = team.folder / f"export-{team.day}.jsonl"
    team.mem.export(path, overwrite=True)
    with recollect.open(":memory:", embedder="fake", background=False, clock=team.clock) as other:
        other.import_(path)
        found: dict[str, str] = {}
        cursor = None
        while True:
            page = other.get_all(reach="all", limit=1000, cursor=cursor)
            found |= {record.id: record.content for record in page.records}
            if (cursor := page.cursor) is None:
                break
    assert found == team.known()
    path.unlink()


PROMISES: tuple[Callable[[Team], None], ...] = (
    the_tables_are_sound,
    the_indexes_hold_what_the_tables_hold,
    the_doctor_finds_nothing,
    nobodys_words_are_elsewhere,
    nobody_is_told_what_they_may_not_see,
    what_changed_is_answered_as_it_is_now,
    what_was_true_is_still_known_to_have_been,
    what_was_believed_stays_known,
    what_was_to_be_kept_is_there,
    each_was_told_once_what_it_asked_for,
    nothing_waits_that_should_not,
    turns_that_were_stopped_or_left_kept_what_they_had,
    strangers_are_not_heard_before_somebody_lets_them_in,
    the_erased_are_nowhere,
    an_export_is_the_whole_memory,
)


def assert_kept(team: Team) -> None:
    for promise in PROMISES:
        promise(team)
