"""What has ended gives way to what is said now where there is not room for both."""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_lives import ChangedLife

from recollect.context.forms import offered
from recollect.context.pack import pack
from recollect.providers.tokens import counter_for

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
