"""Measure every form of the encoder: `python -m training.encoder.compare FOLDER TEXTS [--weeks FOLDER]`.

FOLDER is a sentence-transformers model, TEXTS a file with a text on each line. Prints for each form the size of its
file, the time to load it, to encode a question of 13 word pieces and a turn of 38 on one thread, and the cosines to the
original vectors. With --weeks, files of turns and questions, also how often the nearest turn of the user, or one of the
three nearest, holds the answer.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from training.encoder import export

QUESTION = "What did I say about the kitchen renovation last month?"
TURN = (
    "I've moved the boxes into the spare room for now, since the new shelves only arrive on Thursday and the old "
    "ones went to my neighbour last weekend, so the hallway is finally free again."
)
REPEATS = 100
BATCH = 16

Floats = NDArray[np.float32]


class Encoder:
    """One form, loaded on one thread."""

    def __init__(self, path: Path, tokenizer: Tokenizer) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._tokenizer = tokenizer

    def vectors(self, texts: Sequence[str]) -> Floats:
        ids = [found.ids for found in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
        parts = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        rows = np.concatenate([self._run([ids[at] for at in part]) for part in parts])
        return rows[np.argsort(order)]

    def _run(self, ids: list[list[int]]) -> Floats:
        width = max(map(len, ids))
        padded = np.array([row + [0] * (width - len(row)) for row in ids], dtype=np.int64)
        mask = np.array([[1] * len(row) + [0] * (width - len(row)) for row in ids], dtype=np.int64)
        found: Floats = self._session.run(None, {"input_ids": padded, "attention_mask": mask})[0]
        return found

    def milliseconds(self, text: str) -> float:
        took = []
        for _ in range(REPEATS):
            began = time.process_time()  # of the processor: what else runs on the machine does not count
            self.vectors([text])
            took.append(time.process_time() - began)
        return float(np.median(took)) * 1e3


def answered(encoder: Encoder, week: dict[str, Any]) -> tuple[float, float]:
    """How often the nearest of the user's turns, and one of the three nearest, is evidence."""
    mine = [at for at, turn in enumerate(week["turns"]) if turn["role"] == "user"]
    rows = encoder.vectors([week["turns"][at]["text"] for at in mine])
    asked = [question for question in week["questions"] if question["answerable"]]
    likeness = encoder.vectors([question["q"] for question in asked]) @ rows.T
    best = [[mine[at] for at in row] for row in np.argsort(-likeness, axis=1)[:, :3]]
    pairs = list(zip(best, (set(question["evidence"]) for question in asked), strict=True))
    first = sum(found[0] in evidence for found, evidence in pairs)
    return first / len(asked), sum(not evidence.isdisjoint(found) for found, evidence in pairs) / len(asked)


def main() -> None:
    """Print a line for each form."""
    from sentence_transformers import SentenceTransformer

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--weeks", type=Path)
    parser.add_argument("--form", choices=export.FORMS, action="append")
    arguments = parser.parse_args()
    weights, config = export.read(arguments.folder)
    tokenizer = Tokenizer.from_str(export.tokenizer(arguments.folder))
    tokenizer.enable_truncation(export.PIECES_MAX)
    texts = arguments.texts.read_text().splitlines()
    original = SentenceTransformer(str(arguments.folder)).encode(texts, normalize_embeddings=True)
    weeks = sorted(arguments.weeks.glob("week_*.json")) if arguments.weeks else []
    for name in arguments.form or export.FORMS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "encoder.onnx"
            path.write_bytes(export.written(weights, config, export.FORMS[name]).SerializeToString())
            began = time.perf_counter()
            encoder = Encoder(path, tokenizer)
            loaded = (time.perf_counter() - began) * 1e3
            size = path.stat().st_size / 1e6
        cosines = np.einsum("ij,ij->i", encoder.vectors(texts), original)
        found = [answered(encoder, json.loads(week.read_text())) for week in weeks]
        print(
            f"{name:15} {size:5.1f} MB  load {loaded:3.0f} ms  question {encoder.milliseconds(QUESTION):.2f} ms  "
            f"turn {encoder.milliseconds(TURN):.2f} ms  cosine {cosines.mean():.4f}, worst {cosines.min():.4f}  "
            + "  ".join(f"first {first:.2f} top 3 {three:.2f}" for first, three in found),
            flush=True,
        )


if __name__ == "__main__":
    main()
