"""Ordinary talk, in which hardly anything that was said becomes untrue: pairs that the reader has to leave alone.

Stories are written to hold changes, and a reader that learned from them alone finds changes everywhere. Here people who
never met chat about whatever comes up (BYU-PCCL/chitchat-dataset, MIT; `pip download chitchat_dataset` brings
`dataset.json`). A few chats in a row are a life; each turn of it stands beside the earlier ones that share most words
with it, as an open store would put them. How long ago the earlier one was said is drawn, so that nothing is learned
from it.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.clock import DAY_US
from recollect.language.terms import telling, terms_of
from recollect.model.pair import SaidText, TextPair

CHATS_IN_A_LIFE = 12
NEAREST = 5  # `reader.compared`
_WORDS_MIN = 3
_NAMES = (
    "Ana",
    "Ben",
    "Carla",
    "Dev",
    "Emil",
    "Fatma",
    "Greta",
    "Hugo",
    "Iris",
    "Jonas",
    "Kaya",
    "Luis",
    "Mina",
    "Noor",
)


class Talk(NamedTuple):
    """Pairs of ordinary talk, and the life that each is from."""

    pairs: list[TextPair]
    lives: NDArray[np.int64]


def talk(file: Path, lives: int, seed: int) -> Talk:
    chats = [_turns(chat) for chat in json.loads(file.read_text("utf-8")).values()]
    chats = [chat for chat in chats if len(chat) >= 6]
    chance = np.random.default_rng(seed)
    chance.shuffle(chats)
    pairs: list[TextPair] = []
    of: list[int] = []
    for number in range(min(lives, len(chats) // CHATS_IN_A_LIFE)):
        some = chats[number * CHATS_IN_A_LIFE : (number + 1) * CHATS_IN_A_LIFE]
        found = list(_pairs([turn for chat in some for turn in chat], chance))
        pairs += found
        of += [number] * len(found)
    return Talk(pairs, np.array(of))


def days_drawn(chance: np.random.Generator) -> float:
    """From some seconds to four months, as likely in each order of magnitude."""
    return float(10 ** chance.uniform(-4, 2.1))


def _turns(chat: dict[str, Any]) -> list[tuple[str, str]]:
    """(who, text) of each turn: what one of them says before the other one does."""
    found = []
    for messages in chat["messages"]:
        texts = [message["text"].strip() for message in messages]
        found.append((messages[0]["sender"], " ".join(filter(None, texts))))
    return found


def _pairs(turns: list[tuple[str, str]], chance: np.random.Generator) -> Any:
    terms = [Counter(telling(terms_of(text))) for _, text in turns]
    rarity = Counter(term for each in terms for term in each)
    named = chance.random() < 0.5  # whether speakers are told apart
    names = {who: str(chance.choice(_NAMES)) for who, _ in turns}
    for newer, (who, text) in enumerate(turns):
        if len(text.split()) < _WORDS_MIN:
            continue
        scores = [sum(1 / rarity[term] for term in terms[newer] if term in terms[older]) for older in range(newer)]
        for older in np.argsort(scores)[::-1][:NEAREST]:
            speaker, said = turns[older]
            if len(said.split()) >= _WORDS_MIN:
                then = 1_700_000_000_000_000
                yield TextPair(
                    older=SaidText(text=said, speaker=names[speaker] if named else None, role="user", at=then),
                    newer=SaidText(
                        text=text,
                        speaker=names[who] if named else None,
                        role="user",
                        at=then + int(days_drawn(chance) * DAY_US),
                    ),
                )
