"""What came out of this memory is not taken in again.

Two ways lead back. A client hands over the context it was given, inside a message: our own marks tell, and the block is
left out (`model.fence`). Or a model says, word for word, what it was shown: what searches have returned lately is
remembered here by its sense, and a machine's turn that hardly says anything else is an echo. A person's turn never is:
people repeat themselves, and mean it.

Searches only leave their answers here; they are read in the background or by the next machine's turn, so that no search
waits for it.
All of it is in memory, bounded and short-lived: forgetting it costs a repeat, which `ingest.dedupe` finds.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from recollect.clock import SECOND_US, Clock
from recollect.config import LiveConfig
from recollect.language.words import RUN
from recollect.model.fence import known_keys, unfenced
from recollect.model.roles import is_machine
from recollect.model.scope import DIMENSIONS, Scope

ECHO = "echo of recalled memory"  # why a turn was skipped
ANSWERS_MAX = 64  # searches whose hits wait to be read
HELD_SHARE = 0.5  # of its words that the records still hold; the rest may be other wording
SENTENCES_MAX = 20_000  # that are remembered
RECORDS_READ_MAX = 4_000  # whose sentences need not be read again
SENTENCE_WORDS_MIN = 8  # shorter ones are said by chance, unless they are all that a record says
WHOLE_WORDS_MIN = 3


# The texts of those of these records that are live and can be seen in a scope.
Contents = Callable[[Sequence[str], Scope], list[str]]


class Echo(NamedTuple):
    """What is left of a text, and the records that came back with it. Nothing left: it is not to be stored."""

    text: str | None
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Answer:
    scope: Scope
    until: int
    said: Sequence[tuple[str, str]]  # (id, text)


class _Recalled(NamedTuple):
    record_id: str
    scope: Scope
    until: int


class Echoes:
    """What was recalled lately, and what of it comes back. From any thread."""

    def __init__(self, key: bytes, config: LiveConfig, clock: Clock, contents: Contents) -> None:
        self._key = key
        self._contents = contents
        self._config = config
        self._clock = clock
        self._unread: deque[_Answer] = deque(maxlen=ANSWERS_MAX)
        self._sentences: OrderedDict[int, _Recalled] = OrderedDict()  # by the number of their sense, newest last
        self._read: OrderedDict[tuple[str, int], list[int]] = OrderedDict()  # numbers by record and text, newest last
        self._reading = threading.Lock()

    def recalled(self, scope: Scope, said: Iterable[tuple[str, str]]) -> None:
        """A search or a context in this scope has returned these records: (id, text) of each."""
        window_us = int(self._config.current.ingest.echo_window_s * SECOND_US)
        answer = tuple(said)
        if answer and window_us:
            self._unread.append(_Answer(scope, self._clock() + window_us, answer))

    def forget(self) -> None:
        """After an erasure: nothing that was recalled is known any more."""
        with self._reading:
            self._unread.clear()
            self._sentences.clear()
            self._read.clear()

    def heard(self, text: str, *, role: str | None, scope: Scope) -> Echo:
        """What of an incoming text is to be stored in this scope."""
        bare = unfenced(text, known_keys(self._key, scope))
        if not bare.text:
            return Echo(None, bare.ids)
        if not self._may_echo(role):
            return Echo(bare.text, bare.ids)
        share, ids = self._echoed(bare.text, scope)
        every = tuple(dict.fromkeys((*bare.ids, *ids)))
        least = self._config.current.ingest.echo_share
        return Echo(None if share >= least and self._is_held(bare.text, ids, scope) else bare.text, every)

    def _is_held(self, text: str, ids: Sequence[str], scope: Scope) -> bool:
        """Whether what came back still is in the memory, for whoever says it: if not, it must not be lost twice."""
        held = {word for content in self._contents(ids, scope) for word in _words(content.lower())}
        said = _words(text.lower())
        return bool(said) and sum(word in held for word in said) >= HELD_SHARE * len(said)

    def is_recalled(self, text: str, *, role: str | None, scope: Scope) -> bool:
        """Whether a statement drawn from a machine's turn only says what was recalled: it is no second source."""
        return self._may_echo(role) and self._source_of(text, scope) is not None

    def _echoed(self, text: str, scope: Scope) -> tuple[float, list[str]]:
        """The share of its words that were recalled, and from which records."""
        whole = self._source_of(text, scope)
        if whole is not None:
            return 1.0, [whole]
        words, echoed, ids = 0, 0, []
        for sentence in _sentences(text):
            count = len(sentence.split())
            words += count
            source = self._source_of(sentence, scope)
            if source is not None:
                echoed += count
                ids.append(source)
        return (echoed / words if words else 0.0), ids

    def _may_echo(self, role: str | None) -> bool:
        return is_machine(role) and bool(self._unread or self._sentences)

    def _source_of(self, sentence: str, scope: Scope) -> str | None:
        """The id of the recalled record that says this."""
        self.catch_up()
        found = self._sentences.get(_number(sentence))
        if found is None or found.until < self._clock() or not _nested(found.scope, scope):
            return None
        return found.record_id

    def catch_up(self) -> None:
        """Read what searches have left since the last time, or wait until another thread has. Now and then in the
        background, so that no turn finds much to read."""
        with self._reading:
            while self._unread:
                answer = self._unread.popleft()
                for record_id, text in answer.said:
                    for number in self._numbers(record_id, text):
                        self._sentences[number] = _Recalled(record_id, answer.scope, answer.until)
                        self._sentences.move_to_end(number)
            while len(self._sentences) > SENTENCES_MAX:
                self._sentences.popitem(last=False)

    def _numbers(self, record_id: str, text: str) -> list[int]:
        """What a record's sentences are known by. The same records come up again and again: each is read once."""
        known = self._read.pop((record_id, hash(text)), None)
        if known is None:
            known = [_number(sentence) for sentence in _worth_knowing(text)]
            if len(self._read) >= RECORDS_READ_MAX:
                self._read.popitem(last=False)
        self._read[record_id, hash(text)] = known
        return known


def _words(lowered: str) -> list[str]:
    return RUN.findall(lowered)


def _worth_knowing(text: str) -> list[str]:
    """The whole text and its longer sentences."""
    found = [text] if len(text.split()) >= WHOLE_WORDS_MIN else []
    return found + [sentence for sentence in _sentences(text) if len(sentence.split()) >= SENTENCE_WORDS_MIN]


def _number(text: str) -> int:
    """What a text is known by. Tables of words are read when the first machine speaks, not when a store is opened."""
    from recollect.perceive.sameness.sense import sense_of

    return sense_of(text).number()


def _sentences(text: str) -> list[str]:
    from recollect.language.spoken import each_sentence

    return [sentence.text for sentence in each_sentence(text)]


def _nested(one: Scope, other: Scope) -> bool:
    """Whether one scope lies within the other: what is recalled in a conversation comes back in the same one."""
    pairs = [(getattr(one, name), getattr(other, name)) for name in DIMENSIONS]
    return all(mine in (None, yours) for mine, yours in pairs) or all(yours in (None, mine) for mine, yours in pairs)
