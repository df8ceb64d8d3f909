"""Candidates by meaning: nearest vectors in every space the store holds."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

import numpy as np

from recollect.config import LiveConfig
from recollect.deadline import TimedCalls, current
from recollect.errors import ProviderError, RecollectError
from recollect.index.base import Mask, Pks, Scored
from recollect.index.follow import Indexes
from recollect.index.keys import each_once
from recollect.language.packed import packed_sentences
from recollect.model.result import Hit
from recollect.providers.base import Embedder, Vectors
from recollect.providers.health import embed_in_time
from recollect.recall.ranking.asked import direction_of
from recollect.recall.ranking.channels import ModelView
from recollect.recall.ranking.ground import Ground
from recollect.recall.ranking.lexical import WeighedQuestion
from recollect.recall.sources.base import Ahead, Look, SourceRanking
from recollect.recall.sources.withheld import WithheldVectors
from recollect.store.base import Tx
from recollect.store.vectors import Space

_log = logging.getLogger(__name__)
_DISK_OVERFETCH = 4
_NOWHERE: Mapping[str, Vectors] = {}


class Everything:
    """A selection that filters nothing: the disk is asked afterwards."""

    scope_pks = None

    def __init__(self, total: int) -> None:
        self.count = self.total = total

    def allows(self, pks: Pks) -> Mask:
        return np.ones(len(pks), dtype=np.bool_)

    def pks(self) -> Pks:
        raise AssertionError("an unfiltered search never lists its rows")


def _seen_by(direction: Vectors, rows: Vectors, alone: Vectors | None) -> ModelView:
    """Candidates as a model sees them: the rows scaled to length 1, in place; zero rows stay, and are not held."""
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    held = length > 0
    if held.all():
        rows /= length[:, None]
        return ModelView(direction, rows, None, alone)
    rows /= np.where(held, length, np.float32(1.0))[:, None]
    return ModelView(direction, rows, held, alone)


def blended(query: Vectors, towards: Vectors, query_share: float) -> Vectors:
    """Both directions in one, of unit length."""
    mixed = query_share * query + (1.0 - query_share) * towards
    length = float(np.linalg.norm(mixed))
    return np.asarray(mixed / length if length else mixed, dtype=np.float32)


class VectorSource:
    """Embeds the question once for each space and searches it there.

    A store keeps the spaces of its own models: the configured one and, if that is slow, a static one `beside` it. It
    may hold others' while one replaces another; each is asked with its own model. A model that cannot be had is named
    in `missing`, and its records are found by what is left.
    """

    def __init__(
        self,
        embedder: Embedder | None,
        make: Callable[[str], Embedder | None],
        indexes: Indexes,
        config: LiveConfig,
        beside: Embedder | None = None,
        withheld: WithheldVectors | None = None,
    ) -> None:
        self._withheld = withheld
        self._calls = TimedCalls()
        self._embedder = embedder
        self._beside = beside
        self._make = make
        self._indexes = indexes
        self._config = config
        self._others: dict[str, Embedder | None] = {}
        self._last: tuple[str, Ahead] = ("", Ahead())  # a window asks the same again, for the sentences it shows

    @property
    def embedder(self) -> Embedder | None:
        return self._embedder

    @property
    def encoder(self) -> Embedder | None:
        """The configured model, where it reads whole sentences: what is quick enough for `add` only adds up words."""
        return None if self._embedder is None or self._embedder.inline else self._embedder

    @property
    def quickest(self) -> Embedder | None:
        """Of the store's own models the one that has read every record: the static one, where it is kept beside."""
        return self._beside if self._beside is not None else self._embedder

    def nearest_parts(self, tx: Tx, text: str, hits: Sequence[Hit]) -> dict[str, str]:
        """What each hit says that is nearest to a text, by id: one of its sentences, or a few that belong together.

        Of hits that are one sentence, or whose sentences the encoder has not read yet, nothing is said.
        """
        encoder = self.encoder
        if not getattr(encoder, "local", False):  # one elsewhere reads no sentences, and is not asked during a read
            return {}
        space = tx.vectors.find_space(encoder.name) if encoder is not None else None
        ahead = self.ahead(text) if space is not None and text.strip() else Ahead()
        if space is None or ahead.vector is None or len(ahead.vector) != space.dimensions:
            return {}
        by_pk = dict(zip(tx.records.pks_of([hit.id for hit in hits]), hits, strict=True))
        sentences = tx.vectors.sentences(space, sorted(by_pk))
        near = sentences.rows @ ahead.vector
        told: dict[str, str] = {}
        for pk in each_once(sentences.pks).tolist():
            own = near[sentences.pks == pk]
            parts = packed_sentences(by_pk[pk].content)
            if len(parts) == len(own):  # or the text has changed since
                told[by_pk[pk].id] = parts[int(own.argmax())]
        return told

    def rarity(self, words: Sequence[str]) -> Vectors | None:
        """How rare words are in the language at large, by the store's static model; None without one."""
        for model in (self._embedder, self._beside):
            rarity: Callable[[Sequence[str]], Vectors] | None = getattr(model, "rarity", None)
            if rarity is not None:
                with suppress(ProviderError):
                    return rarity(words)
        return None

    def ahead(self, text: str) -> Ahead:
        """The question's vector by the configured model, where it does not depend on what is stored."""
        if self._embedder is None or hasattr(self._embedder, "word_vectors"):
            return Ahead()
        last, ahead = self._last
        if last == text and ahead.vector is not None:
            return ahead
        try:
            ahead = Ahead(vector=self._embedded(self._embedder, text))
        except ProviderError as error:
            return Ahead(error=error)
        self._last = (text, ahead)
        return ahead

    def directions(
        self, look: Look, question: WeighedQuestion, turns: Iterable[tuple[Vectors, float]] = ()
    ) -> dict[str, Vectors]:
        """Where the question points, by the name of each of the store's own models; the configured one comes first.

        `turns` are directions that turn the configured model's, an imagined answer or the talk so far, each with the
        share that is left of the question's own. A model that fails is left out here, and `by_meaning` says that it is
        missing.
        """
        text = question.text
        found: dict[str, Vectors] = {}
        if self._embedder is not None and look.ahead.error is None:
            made = look.ahead.vector
            found[self._embedder.name] = direction_of(text, question, self._embedder) if made is None else made
        if self._beside is not None:
            with suppress(ProviderError):
                found[self._beside.name] = direction_of(text, question, self._beside)
        if self._embedder is not None and self._embedder.name in found:
            for towards, share in turns:
                found[self._embedder.name] = blended(found[self._embedder.name], towards, share)
        return found

    def channels(self, look: Look, ground: Ground, directions: Mapping[str, Vectors]) -> dict[str, ModelView]:
        """How each of the store's own models sees the candidates."""
        spaces = {space.name: space for space in look.spaces()}
        views = {
            name: _seen_by(direction, *self._mixed(look, ground, spaces.get(name), len(direction)))
            for name, direction in directions.items()
        }
        encoder = self.encoder
        if encoder is not None and encoder.name in views and encoder.name in spaces:
            views[encoder.name] = self._by_sentence(look, ground, spaces[encoder.name], views[encoder.name])
        return views

    def _by_sentence(self, look: Look, ground: Ground, space: Space, view: ModelView) -> ModelView:
        """With how near the best sentence is: a turn that tells several things is about each of them."""
        share = self._config.current.ranking.sentence_vector
        rows = ground.pks
        if not share or space.dimensions != len(view.direction):
            return view
        sentences = look.tx.vectors.sentences(space, rows.tolist())
        near = view.by_themselves @ view.direction
        if len(sentences.pks):
            order = np.argsort(rows, kind="stable")
            said_in = order[np.searchsorted(rows, sentences.pks, sorter=order)]
            np.maximum.at(near, said_in, sentences.rows @ view.direction)
        return view._replace(by_sentence=near, sentence_share=share)

    def _mixed(
        self, look: Look, ground: Ground, space: Space | None, dimensions: int
    ) -> tuple[Vectors, Vectors | None]:
        """Vectors of the candidates by one model, each with some of the turns around it, and without, if there are any.

        Zero rows where a candidate has no vector.
        """
        if ground.alone:
            return self._plain(look, ground.pks, space, dimensions), None
        every = ground.rows(np.concatenate([ground.keys, ground.before, ground.after]))
        rows = each_once(every)
        found = self._plain(look, rows, space, dimensions)
        here, last, following = rows.searchsorted(every).reshape(3, -1)
        alone = found[here]
        mixed = alone.copy()
        without = np.flatnonzero(mixed[:, 0] == 0.0)
        without = without[~mixed[without].any(axis=1)]
        shares = self._config.current.ranking  # how much of its neighbours a turn takes on
        mixed += np.float32(shares.previous_vector) * found[last]
        mixed += np.float32(shares.next_vector) * found[following]
        mixed[without] = 0.0
        return mixed, alone

    def plain(self, look: Look, pks: Pks) -> Vectors:
        """Vectors of rows by the quickest of the store's own models, in the order asked; a zero row for one without."""
        model = self.quickest
        space = None if model is None else next((each for each in look.spaces() if each.name == model.name), None)
        return self._plain(look, pks, space, 0 if space is None else space.dimensions)

    def _plain(self, look: Look, pks: Pks, space: Space | None, dimensions: int) -> Vectors:
        nothing = np.zeros((len(pks), dimensions), dtype=np.float32)
        if space is None or space.dimensions != dimensions:
            return nothing  # `by_meaning` names the mismatch
        found = self._stored(look, pks, space, nothing)
        return found if self._withheld is None else self._withheld.filled(look, pks, space, found)

    def _stored(self, look: Look, pks: Pks, space: Space, nothing: Vectors) -> Vectors:
        index = self._indexes.vectors.get(space.pk)
        if look.selection is not None and index is not None:
            with suppress(ProviderError):  # of a server; `by_meaning` says that it does not answer
                found = index.vectors(pks)
                found[pks == 0] = 0.0
                return found
        rows, data = look.tx.vectors.load(space, pks.tolist())
        order = np.argsort(pks, kind="stable")
        nothing[order[np.searchsorted(pks, rows, sorter=order)]] = data
        return nothing

    def by_meaning(self, look: Look, text: str, directions: Mapping[str, Vectors] = _NOWHERE) -> list[SourceRanking]:
        """The nearest rows of each space. `directions` are the question's vectors by the store's own models."""
        if look.criteria.known_at is not None:
            look.missing.append("vectors: earlier versions are found by their words only")
            return []
        if self._embedder is None:
            look.missing.append("vectors: no embedder is configured, so only words are compared")
            return []
        rankings: list[SourceRanking] = []
        for space in self._asked(look.spaces()):
            embedder = self._embedder_of(space)
            if embedder is None:
                look.missing.append(
                    f"vectors: {space.name} is not available; its records are found by words until reembed"
                )
                continue
            try:
                query = self._query(look, text, directions.get(space.name), embedder)
            except ProviderError as error:
                look.missing.append(f"vectors: {space.name} did not answer ({error.code}); {self._left(embedder)}")
                continue
            if query.shape != (space.dimensions,):
                look.missing.append(
                    f"vectors: {space.name} gives {len(query)} numbers, the store has {space.dimensions} from it; "
                    "give the changed model another name"
                )
                continue
            found = self._search(look, space, query)
            if self._withheld is not None:
                found = self._withheld.found(look, space, query, found)
            if found is not None:
                first = space.state == "active" and not rankings
                rankings.append(SourceRanking("vector" if first else f"vector:{space.name}", found))
        return rankings

    def _asked(self, held: list[Space]) -> list[Space]:
        """Spaces of models that are no longer used count as long as the configured one's is not whole."""
        assert self._embedder is not None
        mine = {model.name for model in (self._beside, self._embedder) if model is not None}
        whole = any(space.name == self._embedder.name and space.state == "active" for space in held)
        return [space for space in held if space.name in mine or not whole]

    def _left(self, embedder: Embedder) -> str:
        """What is compared when a model does not answer."""
        others = [model.name for model in (self._beside, self._embedder) if model not in (None, embedder)]
        return f"words and {others[0]} are compared" if others else "only words are compared"

    def _query(self, look: Look, text: str, direction: Vectors | None, embedder: Embedder) -> Vectors:
        if direction is not None:
            return direction
        if embedder is self._embedder:
            if look.ahead.error is not None:
                raise look.ahead.error
            if look.ahead.vector is not None:
                return look.ahead.vector
        return np.asarray(self._embedded(embedder, text))

    def _embedded(self, embedder: Embedder, text: str) -> Vectors:
        """The vector of a text. A model elsewhere is waited for as long as there is time; one that is read into this
        process takes what it takes, once, and that does not count.
        """
        if not embedder.inline and not getattr(embedder, "local", False):
            return np.asarray(embed_in_time(self._calls, embedder, [text])[0])
        began = time.monotonic()
        try:
            vector: Vectors = embedder.embed([text])[0]
            return vector
        finally:
            if not embedder.inline and (limit := current()) is not None:
                limit.allow(time.monotonic() - began)

    def _embedder_of(self, space: Space) -> Embedder | None:
        for model in (self._embedder, self._beside):
            if model is not None and model.name == space.name:
                return model
        if space.name not in self._others:
            try:
                self._others[space.name] = self._make(space.name)
            except RecollectError as error:
                _log.info("no embedder for an older space: %s", error.code)
                self._others[space.name] = None
        return self._others[space.name]

    def _search(self, look: Look, space: Space, query: Vectors) -> Scored | None:
        index, among = self._indexes.vectors.get(space.pk), look.selection
        if among is not None and index is not None:
            try:
                return look.best(
                    lambda count: index.search(query, limit=count, among=among), max(look.limit // 2, look.top_k)
                )
            except ProviderError as error:  # they are on a server, which does not answer
                self._indexes.doubted(error)
                look.missing.append(f"vectors: {index.choice.backend} did not answer ({error.code})")
        return self._from_view(look, space, query) or self._from_rows(look, space, query)

    def _from_view(self, look: Look, space: Space, query: Vectors) -> Scored | None:
        """Before the index is warm: the file of the last run, checked against the tables."""
        view = self._indexes.view(space)
        if view is None:
            return None
        wide = look.limit * _DISK_OVERFETCH
        found = view.search(query, limit=wide, among=Everything(view.count()))
        keep = look.meets(found.pks)
        if keep.sum() < min(look.limit, view.count()) and view.count() > wide:
            return None  # the filter is narrow: read the few rows it allows instead
        look.notes.append("vectors: from the file of the last run; the newest records are not in it yet")
        return Scored(found.pks[keep][: look.limit], found.scores[keep][: look.limit])

    def _from_rows(self, look: Look, space: Space, query: Vectors) -> Scored | None:
        """No index in memory: the database looks for them, by an index of its own or one by one, if they are few."""
        count = max(look.limit // 2, look.top_k) if look.inside else look.limit
        found = look.tx.near.nearest(space, query, look.criteria, now=look.now, limit=count)
        if found is None:
            look.missing.append("vectors: the index is still being built; only words are compared")
            return None
        if found.left_out:
            look.missing.append(f"vectors: {found.left_out} new records are compared by their words only")
        look.notes.append(f"vectors: {'in the database' if look.inside else 'compared row by row from the disk'}")
        return Scored(found.pks, found.cosines)
