"""A handful of things in mind: each fades, a mention brings it back, and of too many the weakest goes."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from recollect.clock import SECOND_US, from_us
from recollect.config.window import WorkingSettings
from recollect.ids import new_id
from recollect.limits import HANDED_OVER_MAX
from recollect.model.working import Slot, SlotSource, ToKeep
from recollect.perceive.sameness.sense import Sense, sense_of, senses_agree
from recollect.perceive.traits.affect import affect_of
from recollect.perceive.traits.fidelity import fidelity_of
from recollect.providers.tokens import Counter
from recollect.working.talk_words import telling_words

_MINUTE_US = 60 * SECOND_US
_SAID = frozenset({SlotSource.SENSORY, SlotSource.USER, SlotSource.INFERENCE})
ASKED_SHARE = 0.7  # of the words of a question in what was said, with which it has been put
_MEANT = frozenset({SlotSource.USER, SlotSource.INFERENCE})  # somebody asked for it: it never just fades away


@dataclass(slots=True, kw_only=True, eq=False)
class HeldSlot:
    """A slot as it is kept: how strong it was, and when. What is left of that is asked for, never stored."""

    id: str
    text: str
    source: SlotSource
    record_id: str | None
    level: float
    at: int  # of the last access
    tokens: int
    since: int
    uses: int = 0  # mentions after it came to mind
    lasting: bool = True  # whether it is worth keeping when it leaves the mind
    words: frozenset[str] = field(default=frozenset(), repr=False)
    about: frozenset[str] = frozenset()  # records whose words it has, without being one of them
    sense: Sense | None = field(default=None, repr=False)
    felt: float | None = None  # how strongly, once that was asked

    def activation(self, now: int, settings: WorkingSettings) -> float:
        age_minutes = max(now - self.at, 0) / _MINUTE_US
        return float(self.level * 0.5 ** (age_minutes / settings.slot_half_life_minutes))

    def attention(self, now: int, settings: WorkingSettings) -> float:
        """How strongly it holds its place among others: what is felt strongly counts for more."""
        if not settings.attention_gain:
            return self.activation(now, settings)
        if self.felt is None:
            self.felt = affect_of(self.text).intensity
        return self.activation(now, settings) * (1.0 + settings.attention_gain * self.felt)

    def lift(self, share: float, now: int, settings: WorkingSettings) -> None:
        """It was mentioned, or shown again."""
        left = self.activation(now, settings)
        self.level, self.at, self.uses = left + (1.0 - left) * settings.slot_boost * share, now, self.uses + 1

    def shown(self, now: int, settings: WorkingSettings) -> Slot:
        return Slot(
            id=self.id,
            text=self.text,
            source=self.source,
            activation=self.activation(now, settings),
            accessed_at=from_us(self.at),
            tokens=self.tokens,
            record_id=self.record_id,
        )


class Slots:
    """All that is in one mind. Not safe to share between threads: its mind takes turns."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._held: list[HeldSlot] = []
        self._left: deque[tuple[Slot, bool]] = deque(maxlen=HANDED_OVER_MAX)  # with: whether its record was of use

    def __len__(self) -> int:
        return len(self._held)

    @property
    def tokens(self) -> int:
        return sum(held.tokens for held in self._held)

    def put(
        self,
        text: str,
        source: SlotSource,
        now: int,
        settings: WorkingSettings,
        *,
        activation: float | None = None,
        record_id: str | None = None,
        about: Collection[str] = (),
        lasting: bool = True,
    ) -> HeldSlot:
        """Bring something to mind. What says the same, or shows the same record, becomes one slot with it. `about`:
        records whose words it has, so that it goes when they do."""
        text = self._fitting(text, settings)
        level = settings.slot_activation.get(source, settings.question_activation) if activation is None else activation
        level = min(max(level, 0.0), 1.0)
        found = self._same(text, record_id)
        if found is None:
            found = HeldSlot(
                id=new_id(),
                text=text,
                source=source,
                record_id=record_id,
                level=level,
                at=now,
                since=now,
                tokens=self._counter.count(text),
                words=frozenset(telling_words(text)),
                about=frozenset(about),
                lasting=lasting,
            )
            self._held.append(found)
        else:
            _join(found, text, source, record_id, self._counter)
            found.about |= frozenset(about)
            found.level = max(level, found.activation(now, settings))
            found.at, found.uses = now, found.uses + 1
        self._make_room(now, settings, keep=found)
        return found

    def mention(self, words: Collection[str], now: int, settings: WorkingSettings) -> None:
        """Something was said; slots that share words with it come forward, the more the larger the share."""
        for held in self._held:
            shared = sum(word in held.words for word in words)
            if shared:
                held.lift(min(1.0, 2.0 * shared / (1 + min(len(held.words), len(words)))), now, settings)

    def fade(self, now: int, settings: WorkingSettings, *, but: Collection[str] = ()) -> None:
        """The topic drifts: what shares no word with it weakens, and what is weak goes."""
        for held in self._held:
            if held.words.isdisjoint(but):
                held.level *= settings.drift_factor
        self._let_go(now, settings, settings.drift_evict_below)

    def sweep(self, now: int, settings: WorkingSettings) -> None:
        """Let go of what has faded, and of questions that were not put in time."""
        question_us = settings.question_minutes * _MINUTE_US
        for held in self._held:
            if held.source is SlotSource.QUESTION and now - held.since > question_us:
                held.level = 0.0
        self._let_go(now, settings, settings.slot_evict_below)
        self._make_room(now, settings)

    def hand_over(self, now: int, settings: WorkingSettings) -> None:
        """The topic is another: what was strong is to be kept, and the mind is free."""
        for held in self._held:
            if held.activation(now, settings) > settings.change_keep_above or held.source in _MEANT:
                self._leave(held, now, settings, of_use=True)
        self._held = []

    def strongest(self, now: int, settings: WorkingSettings, tokens: int | None = None) -> list[Slot]:
        """What is in mind, strongest first; those that fit into so many tokens together."""
        left = settings.tokens if tokens is None else tokens
        chosen = []
        for held in sorted(self._held, key=lambda held: -held.attention(now, settings)):
            if held.tokens <= left:
                chosen.append(held.shown(now, settings))
                left -= held.tokens
        return chosen

    def take(self) -> ToKeep:
        """What left since the last call; asked once, it is gone from here."""
        left = list(self._left)
        self._left.clear()
        said = tuple(slot for slot, _ in left if slot.record_id is None and slot.source in _SAID)
        used = dict.fromkeys(slot.record_id for slot, of_use in left if slot.record_id is not None and of_use)
        return ToKeep(said=said, reinforced=tuple(used))

    def records(self) -> dict[str, int]:
        """The records that are in mind, themselves or by their words, and since when."""
        return {id_: held.since for held in self._held for id_ in (held.record_id, *held.about) if id_ is not None}

    def drop(self, record_ids: Collection[str]) -> None:
        """These records are gone or have changed; what was in mind of them is not theirs any more."""
        self._held = [
            held for held in self._held if held.record_id not in record_ids and held.about.isdisjoint(record_ids)
        ]

    def asked(self, words: Collection[str]) -> None:
        """Something was said to the person; questions that were put with it need not be put again."""
        said = frozenset(words)
        self._held = [
            held
            for held in self._held
            if held.source is not SlotSource.QUESTION or len(held.words & said) < ASKED_SHARE * len(held.words)
        ]

    def saved(self) -> Sequence[HeldSlot]:
        """What is kept of a mind: not questions, which have words of records, and leave before long."""
        return tuple(held for held in self._held if held.source is not SlotSource.QUESTION)

    def restore(self, slots: Iterable[HeldSlot], settings: WorkingSettings) -> None:
        """Bring back what was saved; texts may have changed, and are measured again."""
        self._held = list(slots)[: settings.slots]
        for held in self._held:
            held.text = self._fitting(held.text, settings)
            held.tokens, held.words = self._counter.count(held.text), frozenset(telling_words(held.text))

    def forget_said(self) -> None:
        """Only records are left in mind."""
        self._held = [held for held in self._held if held.record_id is not None]
        self._left.clear()

    def clear(self) -> None:
        """Nothing is in mind, and nothing of it is kept."""
        self._held = []
        self._left.clear()

    def _same(self, text: str, record_id: str | None) -> HeldSlot | None:
        sense = sense_of(text)
        for held in self._held:
            if record_id is not None and held.record_id is not None:
                if held.record_id == record_id:
                    return held
                continue  # two records stay two
            if held.sense is None:
                held.sense = sense_of(held.text)
            if senses_agree(sense, held.sense):
                return held
        return None

    def _fitting(self, text: str, settings: WorkingSettings) -> str:
        """A text that leaves room for the others: of a long one its summary, cut if need be."""
        most = max(1, settings.tokens // settings.slots)
        text = " ".join(text.split())
        if self._counter.count(text) > most:
            text = fidelity_of(text).summary
        return self._counter.cut(text, most)

    def _make_room(self, now: int, settings: WorkingSettings, keep: HeldSlot | None = None) -> None:
        while len(self._held) > settings.slots or (len(self._held) > 1 and self.tokens > settings.tokens):
            weakest = min((held for held in self._held if held is not keep), key=lambda h: h.attention(now, settings))
            self._held.remove(weakest)
            self._leave(weakest, now, settings, of_use=weakest.uses > 0)

    def _let_go(self, now: int, settings: WorkingSettings, below: float) -> None:
        stay = []
        for held in self._held:
            if held.activation(now, settings) >= below:
                stay.append(held)
            elif held.uses or held.source in _MEANT:
                self._leave(held, now, settings, of_use=held.uses > 0)
        self._held = stay

    def _leave(self, held: HeldSlot, now: int, settings: WorkingSettings, *, of_use: bool) -> None:
        if held.record_id is not None or (held.lasting and held.source in _SAID):
            self._left.append((held.shown(now, settings), of_use))


def _join(found: HeldSlot, text: str, source: SlotSource, record_id: str | None, counter: Counter) -> None:
    """One slot for both: in the words of the record if there is one."""
    if record_id is not None:
        found.record_id, found.text, found.tokens = record_id, text, counter.count(text)
        found.words, found.sense, found.felt = frozenset(telling_words(text)), None, None
    if source is SlotSource.USER:
        found.source = source
