"""One agent in one session: what was just said, what is in mind, where the talk is going.

A prompt is `heard` before the search for it, records that are shown are `recalled`, the model's answer is `answered`.
What leaves the mind is asked for by `to_keep`: it stores nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from heapq import nlargest
from threading import RLock
from typing import Any

import numpy as np

from recollect.clock import SECOND_US, Clock, from_us
from recollect.config.window import WorkingSettings
from recollect.errors import ProviderError, UsageError, shown
from recollect.limits import EXCHANGE_CHARS_MAX, GIST_CHARS_MAX
from recollect.model.working import Exchange, MindState, Restored, Saying, Slot, SlotSource, ToKeep, TopicChange
from recollect.perceive.traits.affect import affect_of
from recollect.providers.base import Embedder
from recollect.providers.tokens import Counter
from recollect.working.anticipate import Anticipation, Prediction, Search
from recollect.working.likeness import Likeness, Vector, likeness_of, unit
from recollect.working.momentum import Momentum, Motion
from recollect.working.sensory import SensoryBuffer, saying_of
from recollect.working.slots import HeldSlot, Slots
from recollect.working.talk_words import TalkWords, Told, telling_words
from recollect.working.topic import Signs, WorkingCues, change_of, continuity, cues_of, is_thin, takes_leave

NAMES_MAX, WORDS_MAX = 8, 12  # of the talk, told with a prompt
_DRIFT_PULL, _SWITCH_PULL = 0.5, 0.7  # share of the topic that a turn is which changes it
_ANSWER_CHARS = 2_000  # of an answer that are embedded: its beginning says what it is about
_PREDICTED_WORDS, _PREDICTED_CHARS = 6, 600  # of the talk, or of the answer, that the next question may take up


class Mind:
    """The short-term memory of one agent in one session. Safe to use from several threads, which take turns.

    `now` is a clock's microseconds; left out, the mind's own clock is asked. Vectors are made by an inline embedder; of
    a slow one they are only used where they are given.
    """

    def __init__(
        self,
        *,
        settings: Callable[[], WorkingSettings],
        clock: Clock,
        counter: Counter,
        embedder: Embedder | None = None,
        session_id: str | None = None,
        speaker: str | None = None,
        executor: Executor | None = None,
    ) -> None:
        self.session_id = session_id
        self._settings = settings
        self._clock = clock
        self._embedder = embedder
        self._lock = RLock()
        self._buffer = SensoryBuffer(speaker)
        self._slots = Slots(counter)
        self._words = TalkWords()
        self._momentum = Momentum()
        self._anticipation = Anticipation(executor)
        self._change: TopicChange | None = None
        self._mood = 0.0
        self._heard_at: int | None = None
        self._used_at = clock()
        self.restored = Restored.EMPTY

    def heard(self, prompt: str, now: int | None = None, *, vector: Vector | None = None) -> Heard:
        """Take in a prompt, before anything is searched for it: what it does to the topic, and what to search with.

        Give its `vector` where it is known, and it is not embedded again.
        """
        now, settings, prompt = self._now(now), self._settings(), prompt[:EXCHANGE_CHARS_MAX]
        vector = self._embedded(prompt) if vector is None else vector
        words, cues = telling_words(prompt), cues_of(prompt)
        thin = is_thin(prompt, len(words), cues.follows)
        felt = affect_of(prompt).valence
        with self._lock:
            before = settings.mood_kept * self._mood
            self._mood = felt if abs(felt) >= abs(before) else before
            goes_on = self._continuity(words, cues, vector, now)
            change = change_of(goes_on, settings)
            self._settle(now, settings)
            self._turn(change, words, now, settings)
            opens = change is TopicChange.SWITCH
            heard = Heard(
                change=change,
                goes_on=goes_on,
                thin=thin,
                saying=saying_of(prompt, thin=thin),
                names=() if opens else self._buffer.names(NAMES_MAX),
                words=() if opens else self._words.strongest(WORDS_MAX),
                vector=vector,
                momentum=None if opens else self._momentum.centroid(),
                share=0.0 if opens else self._share(thin, settings),
                prepared=self._anticipation.take(goes_on, now, settings),
                mood=self._mood,
            )
            self._buffer.hear(prompt, heard.saying, now, settings, opens=opens)
            self._follow(words, vector, now, settings)
            self._change, self._heard_at = change, now
        return heard

    def judged(self, prompt: str, now: int | None = None, *, vector: Vector | None = None) -> tuple[float, TopicChange]:
        """How likely the talk goes on with this prompt, and what its topic would do; nothing is taken in."""
        now, prompt = self._now(now), prompt[:EXCHANGE_CHARS_MAX]
        vector = self._embedded(prompt) if vector is None else vector
        with self._lock:
            goes_on = self._continuity(telling_words(prompt), cues_of(prompt), vector, now)
        return goes_on, change_of(goes_on, self._settings())

    def told(self, prompt: str, now: int | None = None) -> None:
        """A prompt that this mind heard elsewhere, in another process: the exchange is known here too. Only its words:
        what it did to the topic came with the saved mind."""
        now, settings, prompt = self._now(now), self._settings(), prompt[:EXCHANGE_CHARS_MAX]
        with self._lock:
            exchanges = self._buffer.exchanges()
            if exchanges and exchanges[-1].answered is None and exchanges[-1].said == prompt:
                return
            words = telling_words(prompt)
            thin = is_thin(prompt, len(words), cues_of(prompt).follows)
            self._buffer.hear(prompt, saying_of(prompt, thin=thin), now, settings)
            self._words.add(words)

    def answered(self, text: str, now: int | None = None, *, vector: Vector | None = None) -> None:
        """Take in the answer to the last prompt: it is part of the talk."""
        now, settings = self._now(now), self._settings()
        vector = self._embedded(text[:_ANSWER_CHARS]) if vector is None else vector
        words = telling_words(text)
        with self._lock:
            self._buffer.answer(text, now, settings)
            self._slots.asked(words)
            self._follow(words, vector, now, settings)

    def recalled(self, shown: Iterable[tuple[str, str, float]], now: int | None = None) -> None:
        """Records were shown, as (id, text, weight from 0 to 1): the best few of them come to mind."""
        now, settings = self._now(now), self._settings()
        best = nlargest(settings.recalled_slots, (each for each in shown if each[2] > 0.0), key=lambda each: each[2])
        with self._lock:
            for record_id, text, weight in best:
                strength = settings.slot_activation["recall"] * min(weight, 1.0)
                self._slots.put(text, SlotSource.RECALL, now, settings, activation=strength, record_id=record_id)

    def noted(
        self,
        text: str,
        source: SlotSource | str = SlotSource.USER,
        now: int | None = None,
        *,
        record_id: str | None = None,
        about: Collection[str] = (),
        activation: float | None = None,
    ) -> Slot:
        """Bear something in mind: a record, or words that may be `about` records and go when these do."""
        if not text.strip():
            raise UsageError("there is nothing to bear in mind: the text is empty")
        try:
            source = SlotSource(source)
        except ValueError:
            known = ", ".join(SlotSource)
            raise UsageError(f"a slot comes from one of {known}, not {shown(source, 20)}") from None
        now, settings = self._now(now), self._settings()
        with self._lock:
            held = self._slots.put(text, source, now, settings, activation=activation, record_id=record_id, about=about)
            return held.shown(now, settings)

    def in_mind(self, now: int | None = None, tokens: int | None = None) -> list[Slot]:
        """What is in mind, strongest first, together within a number of tokens."""
        now, settings = self._now(now), self._settings()
        with self._lock:
            self._settle(now, settings)
            return self._slots.strongest(now, settings, tokens)

    def to_keep(self) -> ToKeep:
        """What left the mind since the last call and should last; asked once, it is gone from here."""
        with self._lock:
            return self._slots.take()

    def exchanges(self) -> tuple[Exchange, ...]:
        """The last exchanges as they came, oldest first."""
        with self._lock:
            return self._buffer.exchanges()

    def anticipate(self, search: Search, now: int | None = None) -> bool:
        """Prepare the next search in the background; the next prompt finds its answer in `Heard.prepared`.

        Best asked when the answer is known, since people take up what they were told. False: nothing was said yet, or
        too much is waiting.
        """
        prediction = self.predicted()
        return prediction is not None and self._anticipation.prepare(search, prediction, self._now(now))

    def predicted(self) -> Prediction | None:
        """What will be asked next, as far as one can tell: about what was just said and answered."""
        with self._lock:
            turns = self._buffer.exchanges()
            if not turns:
                return None
            said, answered = turns[-1].said[:GIST_CHARS_MAX], turns[-1].answered
            further = [answered[:_PREDICTED_CHARS]] if answered else self._words.strongest(_PREDICTED_WORDS)
            return Prediction(
                text=" ".join([said, *further]).strip(),
                names=self._buffer.names(NAMES_MAX),
                vector=self._momentum.predicted(self._settings()),
            )

    def state(self) -> MindState:
        """The mind in figures."""
        with self._lock:
            return MindState(
                session_id=self.session_id,
                restored=self.restored,
                slots=len(self._slots),
                tokens=self._slots.tokens,
                exchanges=len(self._buffer),
                certainty=self._momentum.certainty,
                change=self._change,
                heard_at=None if self._heard_at is None else from_us(self._heard_at),
                prepared=self._anticipation.asked,
                prepared_used=self._anticipation.hits,
            )

    def clear(self) -> None:
        """Forget all of it, keeping nothing."""
        with self._lock:
            self._slots.clear()
            self.forget_talk()

    def take_over(self, slots: Iterable[HeldSlot], motion: Motion | None, heard_at: int | None) -> None:
        """Go on as another process left this mind; what was said here is still known."""
        with self._lock:
            self._slots.restore(slots, self._settings())
            for held in self._slots.saved():
                self._words.add(telling_words(held.text))
            if motion is not None:
                self._momentum.likeness = self._momentum.likeness or self._scale()
                self._momentum.restore(motion)
            self._heard_at = heard_at

    def forget_talk(self) -> None:
        """Something was erased that may have been said here: what was said is not known any more."""
        with self._lock:
            self._buffer.clear()
            self._words.clear()
            self._momentum.restart()
            self._anticipation.forget()
            self._slots.forget_said()
            self._change = self._heard_at = None
            self._mood = 0.0

    def drop(self, record_ids: Collection[str]) -> None:
        """These records are gone, or are not what they were: nothing of them is in mind."""
        with self._lock:
            self._slots.drop(record_ids)

    def records(self) -> dict[str, int]:
        """Ids of the records that are in mind, and since when."""
        with self._lock:
            return self._slots.records()

    @property
    def used_at(self) -> int:
        """When it was last of use."""
        return self._used_at

    def saved(self) -> tuple[tuple[HeldSlot, ...], Motion, int | None]:
        """For a snapshot: the slots, the momentum, and when something was last heard. Never what was said."""
        with self._lock:
            return tuple(self._slots.saved()), self._momentum.saved(), self._heard_at

    def restore(
        self, slots: Iterable[HeldSlot], motion: Motion | None, heard_at: int | None, restored: Restored
    ) -> None:
        """As a snapshot says; the words of the talk are those of its slots."""
        with self._lock:
            self._slots.restore(slots, self._settings())
            for held in self._slots.saved():
                self._words.add(telling_words(held.text))
            if motion is not None:
                self._momentum.likeness = self._scale()
                self._momentum.restore(motion)
            self._heard_at, self.restored = heard_at, restored

    def _continuity(self, words: Told, cues: WorkingCues, vector: Vector | None, now: int) -> float:
        """1 for the first prompt of a mind: there is nothing that it could turn away from."""
        if self._heard_at is None:
            return 1.0
        return continuity(
            Signs(
                like=None if vector is None else self._momentum.like(vector),
                shared=self._words.shared(words),
                own_words=len(words),
                cues=cues,
                after_farewell=takes_leave(self._buffer.last_text()),
                silence_s=max(now - self._heard_at, 0) / SECOND_US,
            )
        )

    def _share(self, thin: bool, settings: WorkingSettings) -> float:
        """How much of a query the talk should be: all that is allowed, where the prompt says little itself."""
        return settings.momentum_share_max if thin and self._momentum.turns else self._momentum.share(settings)

    def _settle(self, now: int, settings: WorkingSettings) -> None:
        """What is old enough becomes a slot, what has faded goes."""
        for text, lasting in self._buffer.due(now, settings):
            self._slots.put(text, SlotSource.SENSORY, now, settings, lasting=lasting)
        self._slots.sweep(now, settings)

    def _turn(self, change: TopicChange, words: Collection[str], now: int, settings: WorkingSettings) -> None:
        """What a change of topic does to the mind."""
        if change is TopicChange.DRIFT:
            self._slots.fade(now, settings, but=words)
            if self._momentum.certainty < settings.topic_drift_certainty:
                self._momentum.let_go(_DRIFT_PULL)  # it had not settled: there is little to drift away from
        elif change is TopicChange.SWITCH:
            self._slots.hand_over(now, settings)
            self._momentum.let_go(_SWITCH_PULL)
            self._words.fade(1.0 - _SWITCH_PULL)

    def _follow(self, words: Told, vector: Vector | None, now: int, settings: WorkingSettings) -> None:
        """The talk goes on by a text with these words."""
        self._words.add(words)
        self._slots.mention(words, now, settings)
        if vector is not None:
            if self._momentum.likeness is None:
                self._momentum.likeness = self._scale()
            self._momentum.move(vector, settings)

    def _scale(self) -> Likeness | None:
        if self._embedder is None:
            return None
        try:
            return likeness_of(self._embedder)
        except ProviderError:  # asked again with the next turn
            return None

    def _embedded(self, text: str) -> Vector | None:
        if self._embedder is None or not self._embedder.inline:
            return None
        try:
            return np.asarray(self._embedder.embed([text])[0], dtype=np.float32)
        except ProviderError:  # the words alone will do
            return None

    def _now(self, now: int | None) -> int:
        self._used_at = self._clock() if now is None else now
        return self._used_at


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Heard:
    """A prompt against the talk so far. Without an embedder there are no vectors, and `share` is 0.

    `momentum` is the unit vector of the talk before this prompt, `share` how much of a query it should be: at most
    `working.momentum_share_max`, 0 after a change of topic. `names` were mentioned lately, `words` say what the talk
    is about, both newest first; a `thin` prompt ("ok, now deploy it") has hardly words of its own and needs them.
    `prepared` is what the search answered that was run ahead, if it is of use for this prompt.
    """

    change: TopicChange
    goes_on: float  # how likely it is that the talk goes on
    thin: bool
    saying: Saying = Saying.STATEMENT
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    vector: Vector | None = field(default=None, repr=False)
    momentum: Vector | None = field(default=None, repr=False)
    share: float = 0.0
    prepared: Any | None = field(default=None, repr=False)
    mood: float = 0.0  # how what was said lately feels, the newest most

    def blended(self, query_vector: Vector) -> Vector:
        """A query moved towards what the talk is about, of length 1; the query itself when there is nothing to add."""
        if self.momentum is None or self.share <= 0.0:
            return query_vector
        return unit((1.0 - self.share) * query_vector + self.share * self.momentum)
