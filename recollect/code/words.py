"""Which files a few words are about: by what files and their symbols are called, then by what goes with those.

A word that few files are called by says more than one that many are. What a file is called counts twice as much as what
is in it. A file that goes with a likely one, in the history or by an import, is likely too, but less.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from recollect.code.answers import item_of, page
from recollect.code.questions import CodeQuestions, Wanted
from recollect.errors import NotFound, shown
from recollect.language.terms import STOP_WORDS, stem_of
from recollect.model.code import CodeAnswer, CodeItem, PairedFile

Beside = Callable[[str], Sequence[PairedFile]]  # the files that go with one

INSIDE = 0.5  # what a word counts that a symbol of the file is called by, to one of the file's own name
LENGTH = 0.1  # how far files with many names are held back
NEAR_FILES, NEAR_SHARE = 4, 0.25  # likely files whose imports count, and how much
BESIDE_FILES = 8  # likely files that are asked what goes with them
NAMED_SYMBOLS = 3
WORD_CHARS_MIN = 3
WORDS_MAX = 60
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")  # of `parseHTTPHeader` parse, HTTP and Header


class _FileNames(NamedTuple):
    """The words of a file's path, and of the names of its symbols."""

    own: frozenset[str]
    inside: frozenset[str]

    def worth(self, word: str) -> float:
        return 1.0 if word in self.own else INSIDE if word in self.inside else 0.0


class NamesOfFiles:
    """What the files of one graph are called, and what is in them."""

    def __init__(self, questions: CodeQuestions) -> None:
        graph = questions.graph
        self._questions = questions
        self._files = [
            _FileNames(
                frozenset(words_in(path)),
                frozenset(word for symbol, *_ in graph.symbols_of(at) for word in words_in(symbol)),
            )
            for at, path in enumerate(graph.paths[: graph.files_read])
        ]
        self._in_files = Counter(word for each in self._files for word in each.own | each.inside)

    def likely(self, text: str, beside: Beside) -> dict[str, float]:
        """Files by how well some words fit them, the best first."""
        words = [word for word in words_in(text)[:WORDS_MAX] if word in self._in_files]
        weights = {word: math.log(1 + len(self._files) / self._in_files[word]) for word in words}
        paths = self._questions.graph.paths
        named: dict[str, float] = {}
        for path, names in zip(paths, self._files, strict=False):
            if (score := sum(weight * names.worth(word) for word, weight in weights.items())) > 0:
                named[path] = score / (1 + LENGTH * math.log1p(len(names.own) + len(names.inside)))
        best = sorted(named, key=lambda path: (-named[path], path))
        found = dict(named)
        for path in best[:BESIDE_FILES]:
            for other in beside(path):
                found[other.path] = found.get(other.path, 0.0) + other.weight * named[path]
        for path in best[:NEAR_FILES]:
            for other_path, worth in self._near(path):
                found[other_path] = found.get(other_path, 0.0) + NEAR_SHARE * worth * named[path]
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))

    def symbols(self, path: str, text: str) -> list[str]:
        """The symbols of a file whose names have most of some words, the best first."""
        graph, wanted = self._questions.graph, set(words_in(text))
        place = graph.places.get(path)
        if place is None:
            return []
        fits = {symbol: len(wanted.intersection(words_in(symbol))) for symbol, *_ in graph.symbols_of(place)}
        return sorted((each for each in fits if fits[each]), key=lambda each: (-fits[each], len(each), each))

    def _near(self, path: str) -> list[tuple[str, float]]:
        """Files that import this one, and that it imports, each by what passes between them."""
        files, graph = self._questions.files, self._questions.graph
        place = graph.places[path]
        edges = [(int(files.source[edge]), edge) for edge in files.incoming.of(place).tolist()]
        edges += [(int(files.target[edge]), edge) for edge in files.outgoing.of(place).tolist()]
        return [(graph.paths[other], float(files.worth[edge])) for other, edge in edges]


def words_in(text: str) -> list[str]:
    """The words of a text, a path or a name, each once: without those that say nothing, forms of a word as one."""
    found = (word.lower() for word in _WORD.findall(text))
    return list(
        dict.fromkeys(stem_of(word) for word in found if len(word) >= WORD_CHARS_MIN and word not in STOP_WORDS)
    )


def find_by_words(questions: CodeQuestions, text: str, wanted: Wanted, beside: Beside) -> CodeAnswer:
    """The files that a few words are about, each with the symbols that are called by them."""
    names = NamesOfFiles(questions)
    likely = names.likely(text, beside)
    top = next(iter(likely.values()), 1.0)
    chosen = [
        _item(questions, path, score / top, names.symbols(path, text)[:NAMED_SYMBOLS])
        for path, score in list(likely.items())[wanted.start :][: wanted.limit]
    ]
    items, _ = page(chosen, start=0, limit=wanted.limit, max_tokens=wanted.max_tokens)
    end = wanted.start + len(items)
    return CodeAnswer(
        asked=text,
        summary=f"{len(likely)} {'file' if len(likely) == 1 else 'files'} by these words",
        items=items,
        counts={"total": len(likely)},
        next=end if end < len(likely) else None,
    )


def likely_files(questions: CodeQuestions, text: str, beside: Beside, *, most: int) -> list[str]:
    """The files that a few words are about; `NotFound` where no file is called by any of them."""
    found = NamesOfFiles(questions).likely(text, beside)
    if not found:
        raise NotFound(f"no file or symbol is called by a word of {shown(text, 80)}")
    return list(found)[:most]


def _item(questions: CodeQuestions, path: str, score: float, symbols: Sequence[str]) -> CodeItem:
    graph = questions.graph
    place = graph.places.get(path)
    note = ", ".join(symbols)
    if place is None:  # no code: it goes with a file that is
        return CodeItem(path=path, symbol="", kind="file", line=0, score=score, note=note)
    return item_of(graph, graph.nodes_in(place)[0], score=score, note=note)
