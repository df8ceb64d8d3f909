"""What a step of training asks of the body: each task gives a loss over a batch that it draws itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, kl_div, log_softmax, softmax

from training.body import Body, Pieces, Words
from training.stories import LABELS, Asked, Story, framed, sentences

SCALE = 20.0  # of a cosine before the softmax over candidates
_NEVER = -1e4
_DRAWN = 8  # times the batch that is drawn, and one stretch of like lengths kept


class Task(Protocol):
    """A source of batches; `loss` draws one and must not keep state beside its generator."""

    def loss(self, body: Body) -> Tensor: ...


class Draw:
    """Places drawn at random, on the host, from a seed; `device` is where the batches go."""

    def __init__(self, seed: int, device: torch.device) -> None:
        self.device = device
        self.generator = torch.Generator().manual_seed(seed)

    def below(self, limit: int, count: int) -> Tensor:
        return torch.randint(limit, (count,), generator=self.generator)

    def weighted(self, weights: Tensor, count: int) -> Tensor:
        """Places by weight: `weights` are cumulative and end with 1."""
        return torch.searchsorted(weights, torch.rand(count, generator=self.generator))

    def alike(self, places: Tensor, lengths: Tensor, count: int) -> Tensor:
        """`count` of the places, texts of about one length: a batch of long and short ones is mostly padding."""
        order = places[torch.argsort(lengths[places])]
        return order[int(self.below(len(places) // count, 1)) * count :][:count]


class Keep:
    """English stays what it was: vectors, and likeness within the batch, as the published weights have them."""

    def __init__(self, pieces: Pieces, teacher: Tensor, draw: Draw, batch: int) -> None:
        self.pieces, self.teacher, self.draw, self.batch = pieces, teacher, draw, batch

    def loss(self, body: Body) -> Tensor:
        drawn = self.draw.below(len(self.pieces), _DRAWN * self.batch)
        places = self.draw.alike(drawn, self.pieces.lengths, self.batch)
        made, wanted = body.embed(*self.pieces.batch(places)), self.teacher[places.to(self.draw.device)].float()
        apart = (1 - (made * wanted).sum(-1)).mean()
        itself = torch.eye(len(places), device=made.device, dtype=torch.bool)
        ours = log_softmax((SCALE * made @ made.T).masked_fill(itself, _NEVER), -1)
        theirs = softmax((SCALE * wanted @ wanted.T).masked_fill(itself, _NEVER), -1)
        return 10 * apart + kl_div(ours, theirs, reduction="batchmean")


class Languages:
    """A sentence in another language has the vector of its English translation."""

    def __init__(
        self, pieces: Pieces, teacher: Tensor, english: Tensor, weights: Tensor, draw: Draw, batch: int
    ) -> None:
        self.pieces, self.teacher, self.english = pieces, teacher, english
        self.weights, self.draw, self.batch = weights, draw, batch

    def loss(self, body: Body) -> Tensor:
        drawn = self.draw.weighted(self.weights, _DRAWN * self.batch).clamp_(max=len(self.pieces) - 1)
        places = self.draw.alike(drawn, self.pieces.lengths, self.batch)
        ours = body.embed(*self.pieces.batch(places))
        english = self.english[places.to(self.draw.device)]
        wanted = self.teacher[english].float()
        apart = (1 - (ours * wanted).sum(-1)).mean()
        twin = (english[:, None] == english) & ~torch.eye(len(places), device=english.device, dtype=torch.bool)
        scores = (SCALE * ours @ wanted.T).masked_fill(twin, _NEVER)
        return 10 * apart + cross_entropy(scores, torch.arange(len(places), device=scores.device))


class Answers:
    """A question finds the turn that answers it, among the turns of its story and of the others in the batch.

    Outdated turns and those that restate evidence are left out of the candidates: which of two statements holds is
    not the encoder's to say. A turn counts by its whole and by its best sentence.
    """

    def __init__(self, stories: Sequence[Story], words: Words, draw: Draw, batch: int, season_turns: int = 16) -> None:
        self.draw, self.batch, self.season_turns = draw, batch, season_turns
        turns = [turn.text for story in stories for turn in story.turns]
        self.turns = words.texts(turns, draw.device)
        cut = [sentences(text) for text in turns]
        self.sentences = words.texts([part for parts in cut for part in parts], draw.device)
        counts = torch.tensor([len(parts) for parts in cut])
        self.sentence_starts = (torch.cumsum(counts, 0) - counts).tolist()
        self.sentence_counts = counts.tolist()
        self.asked: list[tuple[int, range, list[int], set[int]]] = []
        texts: list[str] = []
        start = 0
        for story in stories:
            span = range(start, start + len(story.turns))
            for question in story.answerable():
                right = [start + place for place in sorted(question.evidence)]
                unsure = {start + place for place in question.outdated | _restating(story, question)} - set(right)
                self.asked.append((len(texts), span, right, unsure))
                texts.append(question.text)
            start = span.stop
        self.questions = words.texts(texts, draw.device)

    def loss(self, body: Body) -> Tensor:
        device = self.draw.device
        chosen = [self.asked[place] for place in self.draw.below(len(self.asked), self.batch).tolist()]
        pool: dict[int, int] = {}
        for _, span, right, unsure in chosen:
            others = [place for place in span if place not in right and place not in unsure]
            if len(others) > self.season_turns:
                others = [others[i] for i in self.draw.below(len(others), self.season_turns).tolist()]
            for place in (*right, *others):
                pool.setdefault(place, len(pool))
        right_mask = torch.zeros(len(chosen), len(pool), dtype=torch.bool)
        unsure_mask = torch.zeros_like(right_mask)
        for row, (_, _, right, unsure) in enumerate(chosen):
            right_mask[row, [pool[place] for place in right]] = True
            unsure_mask[row, [pool[place] for place in unsure if place in pool]] = True
        right_mask, unsure_mask = right_mask.to(device), unsure_mask.to(device)
        asked = body.embed(*self.questions.batch(torch.tensor([c[0] for c in chosen])))
        places = list(pool)
        whole = asked @ body.embed(*self.turns.batch(torch.tensor(places))).T
        parts = [self.sentence_starts[p] + i for p in places for i in range(self.sentence_counts[p])]
        owner = torch.tensor([pool[p] for p in places for _ in range(self.sentence_counts[p])], device=device)
        scores = asked @ body.embed(*self.sentences.batch(torch.tensor(parts))).T
        best = torch.full_like(whole, -1.0).scatter_reduce(1, owner.expand(len(chosen), -1), scores, "amax")
        return (_likelihood(whole, right_mask, unsure_mask) + _likelihood(best, right_mask, unsure_mask)) / 2


def _restating(story: Story, question: Asked) -> set[int]:
    """Turns that say the evidence again, or that the evidence says again."""
    found = set()
    for pair in story.pairs:
        if pair.label == "restates" and (pair.older in question.evidence or pair.newer in question.evidence):
            found |= {pair.older, pair.newer}
    return found - question.evidence


def _likelihood(cosines: Tensor, right: Tensor, unsure: Tensor) -> Tensor:
    """How unlikely the right candidates are, all of them together, among those that are not unsure."""
    scores = (SCALE * cosines).masked_fill(unsure, _NEVER)
    return (scores.logsumexp(-1) - scores.masked_fill(~right, _NEVER).logsumexp(-1)).mean()


class Relations:
    """What a newer turn does to an older one.

    Of each batch, `unlisted` is the share of pairs that no writer listed: they are unrelated, and most of life.
    """

    def __init__(
        self,
        stories: Sequence[Story],
        words: Words,
        draw: Draw,
        batch: int,
        unlisted: float = 0.3,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self.draw = draw
        self.listed_count = round(batch * (1 - unlisted))
        self.unlisted_count = batch - self.listed_count
        listed = [(story, pair) for story in stories for pair in story.pairs]
        rest = [(story, pair) for story in stories for pair in story.unlisted()]
        self.labels = torch.tensor([LABELS.index(pair.label) for _, pair in listed + rest], device=draw.device)
        self.listed = len(listed)
        self.pieces = words.pairs([framed(s.turns[p.older], s.turns[p.newer]) for s, p in listed + rest], draw.device)
        self.weights = torch.tensor([(weights or {}).get(label, 1.0) for label in LABELS], device=draw.device)

    def loss(self, body: Body) -> Tensor:
        listed = self.draw.below(self.listed, self.listed_count)
        rest = self.listed + self.draw.below(len(self.pieces) - self.listed, self.unlisted_count)
        places = torch.cat([listed, rest])
        said = body.read("pair", *self.pieces.batch(places))
        return cross_entropy(said, self.labels[places.to(self.draw.device)], weight=self.weights, label_smoothing=0.05)


class Relevance:
    """Which of a story's turns answers a question, read together with it."""

    def __init__(self, stories: Sequence[Story], words: Words, draw: Draw, batch: int, others: int = 7) -> None:
        self.draw, self.batch, self.others = draw, batch, others
        self.rows: list[tuple[list[int], list[int]]] = []
        texts: list[tuple[str, str]] = []
        for story in stories:
            for question in story.answerable():
                left_out = question.outdated | _restating(story, question)
                right, wrong = [], []
                for place, turn in enumerate(story.turns):
                    if place in question.evidence:
                        right.append(len(texts))
                    elif place in left_out:
                        continue
                    else:
                        wrong.append(len(texts))
                    texts.append((question.text, turn.text))
                self.rows.append((right, wrong))
        self.pieces = words.pairs(texts, draw.device)

    def loss(self, body: Body) -> Tensor:
        places: list[int] = []
        for row in self.draw.below(len(self.rows), self.batch).tolist():
            right, wrong = self.rows[row]
            places.append(right[int(self.draw.below(len(right), 1))])
            places += [wrong[i] for i in self.draw.below(len(wrong), self.others).tolist()]
        said = body.read("relevance", *self.pieces.batch(torch.tensor(places)))
        first = torch.zeros(self.batch, dtype=torch.long, device=said.device)
        return cross_entropy(said.view(self.batch, 1 + self.others), first)


class Likeness:
    """A head says the cosine that the published weights give two texts: unlabelled practice in comparing.

    In other languages the wanted cosine is that of the English translations.
    """

    def __init__(
        self, rows: Sequence[Sequence[int]], teacher: Tensor, own: Tensor, words: Words, draw: Draw, batch: int
    ) -> None:
        self.teacher, self.own, self.draw, self.batch = teacher, own, draw, batch
        self.sep, self.cls = words.sep, words.cls
        self.pieces = Pieces([[*row, words.sep] for row in rows], draw.device)

    def loss(self, body: Body) -> Tensor:
        places = self.draw.below(len(self.pieces), 4 * self.batch)
        vectors = self.teacher[self.own[places.to(self.draw.device)]].float()
        cosines = vectors @ vectors.T
        cosines.fill_diagonal_(-1)
        best = cosines[: self.batch].topk(8, dim=-1).indices
        pick = best.gather(1, self.draw.below(8, self.batch).to(best.device)[:, None]).squeeze(1)
        ids, mask = self.pieces.batch(places)
        sides = [ids[: self.batch], ids[pick]]
        shown = [mask[: self.batch], mask[pick]]
        ids = torch.cat([torch.full_like(ids[: self.batch, :1], self.cls), *sides], 1)
        mask = torch.cat([torch.ones_like(mask[: self.batch, :1]), *shown], 1)
        dense = torch.argsort((~mask).int(), dim=1, stable=True)  # no hole between the two texts
        said = body.read("likeness", ids.gather(1, dense), mask.gather(1, dense)).squeeze(-1)
        return 10 * (said - cosines[torch.arange(self.batch, device=ids.device), pick]).square().mean()
