"""Whether a mind notices that a talk turns to something else, on the conversations that its weights were not fitted to.

Three things are put to it. A *boundary*: the first turn of a session against the mind that the session before it left.
A turn *inside* a session against the mind so far. And a *splice*: a turn with words of its own from the middle of
another conversation, which has no greeting to give it away. Right is: switch, not a switch, switch. Each speaker is the
user once. The baseline is the design: cosines to the mean of the talk, at the threshold that is best on the
conversations the weights were fitted to. Without a clock a session follows the one before at once; with one, it is as
much later as its date says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import groupby
from random import Random

from bench.quality.figures import Figure, share
from bench.quality.sets import Conversation, Turn, load
from recollect.clock import SECOND_US, Clock, to_us
from recollect.config.window import WorkingSettings
from recollect.model.working import TopicChange
from recollect.providers.base import Embedder
from recollect.providers.registry import make_embedder
from recollect.providers.tokens import counter_for
from recollect.working.likeness import Vector, cosine
from recollect.working.mind import Mind
from recollect.working.talk_words import telling_words
from recollect.working.topic import cues_of

FITTED = {"locomo": 3, "realtalk": 3, "beam100k": 5}  # the first so many conversations; the others are judged
EMBEDDER = "wordllama"
SPLICED_WORDS_MIN = 3
TURN_S = 40.0
_WARM_TURNS = 2  # a mind that has heard less has no topic to leave
PROMPT_CHARS = 8_000


@dataclass(slots=True)
class Seen:
    """What a mind said to the turns of one kind: whether it switched, and how like the talk each was."""

    switched: list[bool] = field(default_factory=list)
    likeness: list[float] = field(default_factory=list)


Tallies = dict[str, Seen]


def measure(baselines: bool) -> list[Figure]:
    embedder = make_embedder(EMBEDDER)
    figures = []
    for name in FITTED:
        judged = _tallied(name, embedder, held_out=True)
        threshold = _best_threshold(_tallied(name, embedder, held_out=False)) if baselines else None
        if name != "beam100k":  # whose sessions go on with the same project
            figures.append(_accuracy(f"boundaries, {name}", judged, "boundary", threshold))
        figures.append(_accuracy(f"splices, {name}", judged, "splice", threshold))
    figures.append(_accuracy("boundaries, locomo, no embedder", _tallied("locomo", None, held_out=True), "boundary"))
    figures.append(
        _accuracy("boundaries, locomo, with clock", _tallied("locomo", embedder, held_out=True, clock=True), "boundary")
    )
    return figures


def _accuracy(name: str, seen: Tallies, kind: str, threshold: float | None = None) -> Figure:
    """The mean of both shares, so that equal numbers of either kind count."""
    changed, inside = seen[kind], seen["inside"]
    hit, kept = (
        share(sum(changed.switched), len(changed.switched)),
        share(sum(not each for each in inside.switched), len(inside.switched)),
    )
    baseline = None
    if threshold is not None:
        lower = sum(each < threshold for each in changed.likeness) / len(changed.likeness)
        baseline = (lower + sum(each >= threshold for each in inside.likeness) / len(inside.likeness)) / 2
    if hit is None or kept is None:
        return Figure(name=name, value=None, note="no such turns")
    note = f"{hit:.3f} of {len(changed.switched)} {kind}, {kept:.3f} of {len(inside.switched)} inside"
    return Figure(name=name, value=(hit + kept) / 2, baseline=baseline, note=note)


def _best_threshold(seen: Tallies) -> float:
    """The cosine that tells both kinds of changes best from inside turns, in hundredths."""
    changed = [*seen["boundary"].likeness, *seen["splice"].likeness]
    inside = seen["inside"].likeness
    return max(
        (at / 100 for at in range(100)),
        key=lambda t: sum(x < t for x in changed) / len(changed) + sum(x >= t for x in inside) / len(inside),
    )


def _tallied(name: str, embedder: Embedder | None, *, held_out: bool, clock: bool = False) -> Tallies:
    seen: Tallies = {"boundary": Seen(), "inside": Seen(), "splice": Seen()}
    every = load(name)
    chosen = every[FITTED[name] :] if held_out else every[: FITTED[name]]
    for at, conversation in enumerate(chosen):
        other = chosen[(at + 1) % len(chosen)]
        for user in users_of(conversation):
            _tally(conversation, other, user, embedder, seen, clock)
    return seen


def _tally(
    conversation: Conversation, other: Conversation, user: str, embedder: Embedder | None, seen: Tallies, clock: bool
) -> None:
    random = Random(conversation.id)
    sessions = sessions_of(conversation)
    strangers = [turn.text for session in sessions_of(other) for turn in session[3:] if _stands_alone(turn.text)]
    for before, after in zip(sessions, [*sessions[1:], []], strict=True):
        talk = Talk(embedder, before)
        for at, turn in enumerate(before):
            if turn.speaker == user and at > _WARM_TURNS:
                talk.judge(turn.text, seen["inside"])
            talk.go_on(turn, user)
            if at == len(before) // 2:
                talk.judge(random.choice(strangers), seen["splice"])
        first = next((turn for turn in after if turn.speaker == user), None)
        if first is not None:
            talk.judge(first.text, seen["boundary"], at=first if clock else None)


class Talk:
    """A mind that follows a session, and is asked what it would make of a turn without taking it in."""

    def __init__(self, embedder: Embedder | None, turns: Sequence[Turn]) -> None:
        self._embedder = embedder
        started = turns[0].date if turns else None
        self.now = to_us(started) if started is not None else 0
        self._vectors = _embedded(embedder, [turn.text for turn in turns])
        self._mind = new_mind(embedder, lambda: self.now)

    def go_on(self, turn: Turn, user: str) -> None:
        self.now += round(TURN_S * SECOND_US)
        vector = self._vectors.get(turn.text)
        if turn.speaker == user:
            self._mind.heard(turn.text[:PROMPT_CHARS], vector=vector)
        else:
            self._mind.answered(turn.text, vector=vector)

    def judge(self, text: str, into: Seen, at: Turn | None = None) -> None:
        vector = self._vectors.get(text)
        if vector is None:
            vector = _embedded(self._embedder, [text]).get(text)
        later = self.now if at is None or at.date is None else to_us(at.date + timedelta(hours=1))
        _, motion, heard_at = self._mind.saved()
        if heard_at is None:
            return
        into.switched.append(self._mind.judged(text[:PROMPT_CHARS], later, vector=vector)[1] is TopicChange.SWITCH)
        if vector is not None and motion.centroid is not None:
            into.likeness.append(cosine(vector, motion.centroid))


def new_mind(embedder: Embedder | None, clock: Clock) -> Mind:
    settings = WorkingSettings()
    return Mind(settings=lambda: settings, clock=clock, counter=counter_for(None), embedder=embedder)


def _embedded(embedder: Embedder | None, texts: Sequence[str]) -> dict[str, Vector]:
    if embedder is None or not texts:
        return {}
    return dict(zip(texts, embedder.embed([text[:PROMPT_CHARS] for text in texts]), strict=True))


def sessions_of(conversation: Conversation) -> list[list[Turn]]:
    return [list(turns) for _, turns in groupby(conversation.turns, key=lambda turn: turn.session)]


def users_of(conversation: Conversation) -> Iterator[str]:
    """The user of a talk with an assistant; either of two people."""
    speakers = dict.fromkeys(turn.speaker for turn in conversation.turns)
    yield from ["user"] if "user" in speakers else speakers


def _stands_alone(text: str) -> bool:
    return not cues_of(text).follows and len(telling_words(text)) >= SPLICED_WORDS_MIN
