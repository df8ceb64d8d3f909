"""Texts made of the parts in `data/injection/parts.json`: what no list of examples holds often enough.

Attacks in many words (orders to forget, characters without rules, requests for what is kept), the same attacks inside
mails, pages and answers of tools, and harmless texts in the words that attacks use.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PARTS: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parent.parent / "data" / "injection" / "parts.json").read_text("utf-8")
)


def attacks(rng: random.Random, count: int, seeds: Sequence[str]) -> list[str]:
    """That many, of every sort about as often."""
    makers = 2 * (_override, _character, _request, _statement, _more_tasks, _shout)
    made = [rng.choice((*makers, *_SELDOM))(rng) for _ in range(count * 2 // 3)]
    return made + [_inside(rng, rng.choice((*seeds, *made))) for _ in range(count - len(made))]


def harmless(rng: random.Random, count: int, texts: Sequence[str]) -> list[str]:
    """Plain sentences with words that attacks like, and harmless texts put together as attacks are."""
    out = []
    for _ in range(count):
        if rng.random() < 0.6:
            a, b, c = rng.sample(PARTS["triggers"], 3)
            if rng.random() < 0.3:
                a = a.upper()
            out.append(rng.choice(PARTS["plain"]).format(a=a, b=b, c=c))
        else:
            out.append(f"{rng.choice(PARTS['hosts'])} {rng.choice(texts)}")
    return out


def _override(rng: random.Random) -> str:
    what = " ".join(
        part
        for part in (rng.choice(PARTS["measures"]), rng.choice(PARTS["before"]), rng.choice(PARTS["rules"]))
        if part
    )
    text = f"{rng.choice(PARTS['verbs'])} {what}{rng.choice((' you were given', ' so far', ' above', '', '', ''))}"
    text += rng.choice(PARTS["joins"]) + rng.choice(PARTS["then"]) + rng.choice((".", "!", "", ".", " please"))
    text = rng.choice(("", "", "Please ", "You must ", "I order you to ", "Now ", "Stop! ")) + text
    return _cased(rng, text)


def _german(rng: random.Random) -> str:
    verb, all_, before, rules, joins, then = (rng.choice(part) for part in PARTS["german"])
    return _cased(rng, f"{verb} {all_} {before} {rules}{joins}{then}.")


def _spanish(rng: random.Random) -> str:
    verb, all_, rules, before, joins, then = (rng.choice(part) for part in PARTS["spanish"])
    return _cased(rng, f"{verb} {all_} {rules} {before}{joins}{then}.")


def _character(rng: random.Random) -> str:
    slots = {"name": rng.choice(PARTS["names"]), "figure": rng.choice(PARTS["figures"])}
    said = rng.sample(PARTS["sayings"], rng.randint(1, 9))
    return " ".join(part.format(**slots) for part in (rng.choice(PARTS["openings"]), *said))


def _opinion(rng: random.Random) -> str:
    text = rng.choice(PARTS["as_people"]).format(who=rng.choice(PARTS["people"])) + rng.choice(
        PARTS["opinions"]
    ).format(topic=rng.choice(PARTS["topics"]))
    return _cased(rng, text)


def _request(rng: random.Random) -> str:
    kept = rng.choice(PARTS["kept"]).format(person=rng.choice(PARTS["persons"]))
    person, fact = rng.choice(PARTS["persons"]), rng.choice(PARTS["facts"])
    asked = rng.choice(PARTS["asking"]).format(kept=kept, person=person, fact=fact)
    return rng.choice((f"{rng.choice(PARTS['pretexts'])} {asked}", f"{rng.choice(PARTS['pretexts'])} {asked}", asked))


def _split(rng: random.Random) -> str:
    whole = _request(rng) if rng.random() < 0.6 else _override(rng)
    cut = rng.randint(len(whole) // 4, 3 * len(whole) // 4)
    return rng.choice(PARTS["split"]).format(one=whole[:cut], two=whole[cut:])


def _statement(rng: random.Random) -> str:
    """An order to say something that is not so, after the text that says what is."""
    order = rng.choice(PARTS["stating"]).format(claim=rng.choice(PARTS["claims"]))
    return f"{rng.choice(PARTS['hosts'])} {order}"


def _snippet(rng: random.Random) -> str:
    return f"{rng.choice(PARTS['including'])}\n```\n{rng.choice(PARTS['snippets'])}\n```"


def _more_tasks(rng: random.Random) -> str:
    """Praise for what was done, and a task of the writer's own."""
    said = [rng.choice(PARTS[name]) for name in ("praise", "more", "wanted")]
    return " ".join(said[rng.choice((0, 0, 1)) :])


def _shout(rng: random.Random) -> str:
    """An order in the midst of a question."""
    words = rng.choice(PARTS["hosts"]).split()
    cut = rng.choice((0, len(words) // 2, len(words)))
    order = rng.choice(PARTS["shouts"]).format(word=rng.choice(PARTS["words"]))
    return " ".join([*words[:cut], order, *words[cut:]]) if rng.random() < 0.7 else order


def _terminal(rng: random.Random) -> str:
    return str(rng.choice(PARTS["terminals"]).format(what=rng.choice(PARTS["what"])))


def _inside(rng: random.Random, payload: str) -> str:
    before = " ".join(rng.sample(PARTS["hosts"], rng.randint(0, 2)))
    after = rng.choice(("", "", rng.choice(PARTS["hosts"])))
    return f"{before} {rng.choice(PARTS['leads'])}{payload} {after}".strip()


def _cased(rng: random.Random, text: str) -> str:
    chance = rng.random()
    return text.upper() if chance < 0.06 else text.lower() if chance < 0.25 else text


_SELDOM = (_opinion, _request, _split, _german, _spanish, _snippet, _terminal)
