"""Public text that the encoder is held to: English for what it knows, translations for what it shall know.

Neither is part of the repository; the README says where each comes from and under which licence. English is a file of
one text a line, translations are `{language: [[english, other], …]}`; both may be gzipped.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from training.body import Body, Pieces, Words, quick

HELD_PAIRS = 1000  # of each language that is measured
MEASURED = ("deu", "spa", "fra")
_FAVOURED = 1.5  # how much more often a measured language is drawn
_TEXT_MIN, _TEXT_MAX = 2, 1400  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Translations:
    """Sentences in other languages, each with the place of its English one; `held` is for measuring alone."""

    others: list[str]
    english: list[int]
    languages: list[str]
    held: dict[str, list[tuple[str, str]]]


def lines(path: Path) -> list[str]:
    """One text a line, plain or gzipped."""
    return [text for line in _text(path).splitlines() if _TEXT_MIN <= len(text := line.strip()) <= _TEXT_MAX]


def _text(path: Path) -> str:
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")


def translations(
    path: Path, texts: list[str], seed: int, wanted: Sequence[str] = (), most: int = 10**9
) -> Translations:
    """Reads translations; English sentences that `texts` lacks are added to it, except those held back.

    Of the languages that are `wanted` (all without it) at most so many each; what is held back depends on neither.
    """
    by_language: dict[str, list[tuple[str, str]]] = {
        language: [(a.strip(), b.strip()) for a, b in pairs if a.strip() and b.strip()]
        for language, pairs in json.loads(_text(path)).items()
    }
    rng = random.Random(seed)
    held: dict[str, list[tuple[str, str]]] = {}
    for language in MEASURED:
        once = list({english: (english, other) for english, other in by_language.get(language, [])}.values())
        held[language] = rng.sample(once, min(HELD_PAIRS, len(once) // 10))
    unseen = {english for pairs in held.values() for english, _ in pairs}
    places = {text: place for place, text in enumerate(texts)}
    others: list[str] = []
    english_places: list[int] = []
    languages: list[str] = []
    for language, pairs in by_language.items():
        if wanted and language not in wanted:
            continue
        learned = [pair for pair in pairs if pair[0] not in unseen]
        for english, other in rng.sample(learned, most) if len(learned) > most else learned:
            if english not in places:
                places[english] = len(texts)
                texts.append(english)
            others.append(other)
            english_places.append(places[english])
            languages.append(language)
    return Translations(others=others, english=english_places, languages=languages, held=held)


def chances(languages: Sequence[str]) -> Tensor:
    """Cumulative chances of sentences: a language's share grows with the root of its size."""
    counts = Counter(languages)
    each = {name: count**0.5 / count * (_FAVOURED if name in MEASURED else 1.0) for name, count in counts.items()}
    weights = torch.tensor([each[name] for name in languages], dtype=torch.float64)
    return (torch.cumsum(weights, 0) / weights.sum()).float()


def vectors(body: Body, pieces: Pieces, batch: int = 2048) -> Tensor:
    """What the body makes of every text, in half precision; long and short ones in batches of their own."""
    device = pieces.device
    order = torch.argsort(pieces.lengths)
    found = torch.empty(len(pieces), body.bert.config.hidden_size, dtype=torch.float16, device=device)
    was_training = body.training
    body.eval()
    with torch.inference_mode(), quick(device):
        for start in range(0, len(order), batch):
            places = order[start : start + batch]
            found[places.to(device)] = body.embed(*pieces.batch(places)).half()
    body.train(was_training)
    return found


def new_words(words: Words, texts: Sequence[str], count: int) -> list[str]:
    """The words of other languages that would save most word pieces if the vocabulary held them."""
    known = words.tokenizer.get_vocab()
    normal = words.tokenizer.normalizer
    splits = words.tokenizer.pre_tokenizer
    seen: Counter[str] = Counter()
    for text in texts:
        seen.update(word for word, _ in splits.pre_tokenize_str(normal.normalize_str(text)))
    rare = [(word, times) for word, times in seen.items() if times > 20 and word not in known and word.isalpha()]
    saved = Counter({w: n * (len(row) - 1) for (w, n), row in zip(rare, words.bare([w for w, _ in rare]), strict=True)})
    return [word for word, _ in saved.most_common(count)]
