"""What has ended gives way to what is said now where there is not room for both."""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_lives import ChangedLife

from recollect.context.forms import offered
from recollect.context.pack import pack
from recollect.providers.tokens import counter_for
from recollect.recall.question.present import asks_how_it_developed

VIM, HELIX = "I use vim", "Honestly I have been on Helix"


@pytest.mark.parametrize("question", ["Which editor does Ana use?", "What is Ana's editor called?"])
def test_an_outdated_turn_takes_no_room_from_others(tmp_path: Path, question: str) -> None:
    life = ChangedLife(tmp_path / "m.db")
    life.end("Ana has been on Helix", "Ana uses vim")
    hits = [life.hit(question, text) for text in (VIM, HELIX, "I drive", "I am allergic", "I run ten")]
    now = offered(hits, {}, counter_for(None))
    then = offered(hits, {}, counter_for(None), past=True)
    alone, everything = False, {hit.id for hit in hits}
    for tokens in range(30, 250, 5):
        ids = {each.candidate.id for each in pack([each.candidate for each in now], tokens)}
        assert hits[0].id not in ids or ids == everything, "it comes when there is room to spare"
        ids = {each.candidate.id for each in pack([each.candidate for each in then], tokens)}
        alone |= hits[0].id in ids != everything
    assert ids == everything
    assert alone, "a question about the past is after it"
    life.memory.close()


def test_every_form_of_an_outdated_record_says_so(tmp_path: Path) -> None:
    life = ChangedLife(tmp_path / "m.db")
    long = (
        "I keep the invoices in the blue folder on the shelf beside the window, sorted by month and then by customer."
    )
    life.memory.add([{"role": "user", "name": "Ana", "content": long, "timestamp": "2025-01-02"}], user_id="ana")
    life.end("Green tea instead", "I keep the invoices")
    hit = life.hit("where are the invoices", "I keep the invoices")
    with life.memory._engine.store.read() as tx:
        briefs = tx.records.briefs([hit.id])
    for known in (briefs, {}):
        (offer,) = offered([hit], known, counter_for(None))
        assert len(offer.candidate.forms) > 1
        assert all(form.text.endswith(f"({hit.standing})") for form in offer.candidate.forms)
    life.memory.close()


@pytest.mark.parametrize(
    "prompt",
    [
        "How has Ana's editor changed since vim?",
        "Since when does Ana use Zed?",
        "What has changed about Helix?",
    ],
)
def test_who_asks_how_it_developed_gets_the_chain_in_order_with_its_dates(tmp_path: Path, prompt: str) -> None:
    life = ChangedLife(tmp_path / "m.db")
    life.end("Ana has been on Helix", "Ana uses vim")
    life.end("Zed opens Ana's", "Ana has been on Helix")
    for start in range(0, 160, 40):  # so much else is said that words alone find only a part of the chain
        more = [f"Plant {at} got water in pot {at % 7}, as it does." for at in range(start, start + 40)]
        life.memory.add([{"role": "user", "name": "Ben", "content": text} for text in more], user_id="ana")
    text = life.memory.context(prompt, user_id="ana", max_tokens=900).text
    places = [text.index(said) for said in ("I use vim", "Honestly I have been on Helix", "Zed opens my files")]
    assert places == sorted(places)
    zed = life.record("Zed opens my files").id[:8]
    assert f"I use vim for everything. (until 2025-05-02, now #{zed})" in text
    assert f"(until 2025-09-30, now #{zed})" in text
    assert all(f"{day} turns" in text for day in ("2025-01-14", "2025-05-02", "2025-09-30"))
    life.memory.close()


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Since when does she work there?", True),
        ("What changed in the rota?", True),
        ("How did the budget develop over time?", True),
        ("What has Ben's commute been like, has it changed?", True),
        ("Seit wann benutzt Ana Zed?", True),
        ("¿Desde cuándo vive en Lima?", True),
        ("Where does she live?", False),
        ("When did she move?", False),
        ("Can you change the tyre?", False),
    ],
)
def test_which_questions_ask_how_something_developed(text: str, asks: bool) -> None:
    assert asks_how_it_developed(text) is asks
