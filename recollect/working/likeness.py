"""How like each other two texts are, on one scale for every embedder.

Cosines mean nothing across models: turns of one talk are at 0.4 with static vectors and at 0.7 with others, and
unrelated texts at 0.1 or 0.5. So each embedder is shown a few short talks of ours once: what their turns have in common
with their own talk is 1, with other talks 0. The talks are chatty on purpose: what unrelated texts have in common are
the words that everybody uses.
"""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.providers.base import Embedder
from recollect.working.background import background

Vector = NDArray[np.float32]

_ALPHA = 0.3
_LEAST_SPREADS = 2.0  # between unrelated and related: the default embedder has 4.3, hashed words have 0.6
_LEAST_DISTANCE = 0.02
_WRITTEN = """
- I just looked after the tomato seedlings on the balcony, and I think they are pale this year. It has been a cold
  spring, so maybe they need something from me.
- They may want more light and a feed every two weeks. I had the same with my peppers, and it really helped to move
  the pots to a warm window.
- Thanks, I will try the south window then! I was also not sure how often to water the plants, because the soil was
  still wet when I had a look.

- I want to set up a small database for our shop and I do not know where to begin. Could you help me with the tables
  that I need?
- Sure, I think you should start with customers, orders and products. Each order has a foreign key to the customer,
  and a table between orders and products.
- That makes sense. I have written the first migration now, but the query that joins the orders takes two seconds,
  do I need an index on that key?

- We have finally booked the flights to Portugal for June, and I am so happy about it! We want to spend a week by
  the sea and then see the capital.
- That sounds lovely, you are going to love the beach there. Are you going to rent a car, or will you take the train
  to the city?
- I think we will take the train, since the hotel is near the station. It would be great to know which places we
  should visit on the way.

- My knee has been hurting since the race last week, and I had to stop on the way home today. I do not know if I
  should go to the doctor.
- I am sorry to hear that, it does not sound good. How far do you run in a week, and are your shoes still fine?
- About thirty kilometres, and the shoes are almost new. I guess some weeks of rest and swimming would do the leg
  good, but I would miss running.

- The tests of our project fail on the build server, but all of them are fine on my own machine. I have no idea what
  is different there.
- It could be the version of Python or a variable that is not set. Could you look at what the server has installed
  before it runs the tests?
- You were right, it has an older version, so the import fails. I will pin the version in the build file and see if
  the tests are green after that.

- I have started a novel about a lighthouse keeper and I could not put it down last night. Have you heard of the
  author?
- No, I have not, but it sounds like the sort of story that I like. Is it a sad book, or does it get better in the
  last chapters?
- It is slow and a little sad, but so well written. I can lend it to you when I have finished, I only have a few
  chapters to go.

- Our landlord wants ten percent more rent from next year on, and we are not sure that we can pay it. Is he allowed
  to do that?
- I think it depends on the contract and on when it was last raised. Have you looked at what other flats in your
  street cost?
- They are all about as much, so we would not win anything by moving. I will read the contract again and then ask
  him to meet us halfway.

- We have eight guests on Saturday and I still do not know what to cook for all of them. Two of them do not eat
  meat, so it has to be something for everybody.
- I would make a big pot of curry with vegetables and lentils, it is easy and most people like it. You could bake
  some bread to go with it.
- Good idea, I can prepare the curry the day before, and somebody can bring a salad. I only need to find out how
  much rice I have to cook for ten.
"""

TALKS = tuple(tuple(" ".join(turn.split()) for turn in talk.split("- ")[1:]) for talk in _WRITTEN.strip().split("\n\n"))


class Likeness(NamedTuple):
    """The scale of one embedder."""

    unrelated: float  # cosine of a turn and a talk it is not of, on average
    related: float  # … and of its own
    spread: float = 0.0  # how far the unrelated ones are from their mean

    @property
    def tells(self) -> bool:
        """Whether the embedder tells our talks apart; of one that does not, cosines say nothing about a topic."""
        return self.related - self.unrelated >= max(_LEAST_SPREADS * self.spread, _LEAST_DISTANCE)

    def scaled(self, similarity: float) -> float:
        """0 is unrelated, 1 is a turn of the same talk, on average; a text may be below or above."""
        return (similarity - self.unrelated) / max(self.related - self.unrelated, _LEAST_DISTANCE)


_scales: dict[str, Likeness] = {}  # by the name of the embedder, of which a process has a few
_asked: set[str] = set()
_measuring = Lock()


def likeness_of(embedder: Embedder) -> Likeness | None:
    """The scale of an embedder, measured when it is first asked for; None while a slow one is being asked."""
    name = embedder.name
    found = _scales.get(name)
    if found is not None:
        return found
    if embedder.inline:
        with _measuring:
            return _scales.get(name) or _measure(embedder)
    with _measuring:
        if name in _asked:
            return None
        _asked.add(name)
    background.submit(lambda: _measure(embedder))
    return None


def _measure(embedder: Embedder) -> Likeness:
    found = _scales[embedder.name] = measured(embedder)
    return found


def measured(embedder: Embedder) -> Likeness:
    """Embed the talks, and compare the last turn of each with the beginnings of all."""
    rows = embedder.embed([turn for talk in TALKS for turn in talk])
    talks = np.asarray(rows, dtype=np.float32).reshape(len(TALKS), len(TALKS[0]), -1)
    beginnings = np.stack([_mean(talk[:-1]) for talk in talks])
    own: list[float] = []
    other: list[float] = []
    for at, talk in enumerate(talks):
        for index, beginning in enumerate(beginnings):
            (own if index == at else other).append(cosine(talk[-1], beginning))
    return Likeness(unrelated=float(np.mean(other)), related=float(np.mean(own)), spread=float(np.std(other)))


def _mean(turns: NDArray[np.float32]) -> Vector:
    mean: Vector = turns[0]
    for turn in turns[1:]:
        mean = mean + np.float32(_ALPHA) * (turn - mean)
    return mean


def cosine(one: Vector, other: Vector) -> float:
    """From -1 to 1; 0 when one of them is nothing."""
    lengths = float(np.sqrt(one @ one) * np.sqrt(other @ other))
    return float(one @ other) / lengths if lengths else 0.0


def unit(vector: Vector) -> Vector:
    """The same direction with length 1; nothing stays nothing."""
    length = float(np.sqrt(vector @ vector))
    return (vector / length).astype(np.float32) if length else vector.astype(np.float32)
