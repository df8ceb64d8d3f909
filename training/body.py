"""The transformer that is trained: one body, with an embedding and heads that read two texts at once.

The embedding is the mean over word pieces, of length 1, as in the published weights. A head reads `[CLS] a [SEP] b
[SEP]`: the mean of either side after the last layer, their product and their distance.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import BertConfig, BertModel

PIECES_MAX = 192  # word pieces of a text that is embedded while training
SIDE_MAX = 100  # word pieces of either side of a pair
HEADS = {"pair": 6, "relevance": 1, "likeness": 1}
_HEADS_FILE = "heads.safetensors"


class Pieces:
    """Texts as word pieces, kept flat on the device, so that a batch is a gather and not a loop.

    Lengths stay on the host: asking the device for the longest of a batch would wait for all that it has to do.
    """

    def __init__(self, rows: Sequence[Sequence[int]], device: torch.device) -> None:
        self.device = device
        self.lengths = torch.tensor([len(row) for row in rows])
        starts = torch.cumsum(self.lengths, 0) - self.lengths
        self._spans = torch.stack([starts, self.lengths], 1).to(device)
        self._flat = torch.tensor([piece for row in rows for piece in row], dtype=torch.int32, device=device)

    def __len__(self) -> int:
        return len(self.lengths)

    def batch(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """Ids and mask of the texts at `places` (on the host), padded to the longest of them."""
        steps = torch.arange(int(self.lengths[places].max()), device=self.device)
        starts, lengths = self._spans[places.to(self.device)].split(1, 1)
        mask = steps < lengths
        ids = self._flat[(starts + steps).clamp_(max=len(self._flat) - 1)]
        return torch.where(mask, ids, 0).long(), mask


class Words:
    """Texts to word pieces."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.cls = self._mark("[CLS]")
        self.sep = self._mark("[SEP]")

    def _mark(self, name: str) -> int:
        found = self.tokenizer.token_to_id(name)
        if found is None:
            raise ValueError(f"the tokenizer has no {name}; take that of a BERT")
        return int(found)

    def add(self, words: Sequence[str]) -> None:
        """Words that shall be pieces of their own, behind the known ones."""
        held = json.loads(self.tokenizer.to_str())
        known = held["model"]["vocab"]
        held["model"]["vocab"] = known | {word: len(known) + place for place, word in enumerate(words)}
        self.tokenizer = Tokenizer.from_str(json.dumps(held))

    def save(self, folder: Path) -> None:
        self.tokenizer.save(str(folder / "tokenizer.json"))
        vocabulary = sorted(self.tokenizer.get_vocab().items(), key=lambda item: item[1])
        (folder / "vocab.txt").write_text("".join(f"{word}\n" for word, _ in vocabulary), "utf-8")

    def bare(self, texts: Sequence[str]) -> list[list[int]]:
        return [found.ids for found in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)]

    def texts(self, texts: Sequence[str], device: torch.device, pieces_max: int = PIECES_MAX) -> Pieces:
        rows = [[self.cls, *row[: pieces_max - 2], self.sep] for row in self.bare(texts)]
        return Pieces(rows, device)

    def pairs(self, pairs: Sequence[tuple[str, str]], device: torch.device) -> Pieces:
        """`[CLS] a [SEP] b [SEP]`; `Body.read` finds the sides by the separators."""
        left, right = self.bare([a for a, _ in pairs]), self.bare([b for _, b in pairs])
        rows = [[self.cls, *a[:SIDE_MAX], self.sep, *b[:SIDE_MAX], self.sep] for a, b in zip(left, right, strict=True)]
        return Pieces(rows, device)


def quick(device: torch.device) -> torch.autocast:
    """Products of matrices in 16 bits, where the device multiplies them faster than those in 32."""
    able = device.type == "cuda" or torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=able)


def _seen(mask: Tensor) -> Tensor:
    """Which piece sees which, in four dimensions: of two, transformers would ask the device whether it pads."""
    return mask[:, None, None, :].expand(-1, 1, mask.shape[1], -1)


class Body(nn.Module):
    """A BERT with an embedding and heads over pairs of texts."""

    def __init__(self, bert: BertModel, separator: int) -> None:
        super().__init__()
        self.bert = bert
        self.separator = separator
        width = bert.config.hidden_size
        self.heads = nn.ModuleDict(
            {
                name: nn.Sequential(nn.Linear(4 * width, width), nn.Tanh(), nn.Dropout(0.1), nn.Linear(width, outputs))
                for name, outputs in HEADS.items()
            }
        )

    @classmethod
    def load(cls, folder: Path, separator: int) -> Body:
        """A folder in the form of sentence-transformers; heads that it does not hold start afresh."""
        config = BertConfig(**json.loads((folder / "config.json").read_text("utf-8")))
        bert = BertModel(config, add_pooling_layer=False)
        weights = {name.removeprefix("bert."): value for name, value in load_file(folder / "model.safetensors").items()}
        wanted = bert.state_dict()
        bert.load_state_dict({n: v.float() for n, v in weights.items() if n in wanted}, strict=False)
        missing = [name for name in wanted if name not in weights and "position_ids" not in name]
        if missing:
            raise ValueError(f"{folder} lacks weights of a BERT: {missing[:3]}")
        body = cls(bert, separator)
        if (folder / _HEADS_FILE).exists():
            body.heads.load_state_dict(load_file(folder / _HEADS_FILE), strict=False)
        return body

    def save(self, folder: Path, source: Path) -> None:
        """Writes the weights beside what `source` says about pooling and words."""
        shutil.copytree(source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.safetensors"))
        save_file({n: v.half().contiguous() for n, v in self.bert.state_dict().items()}, folder / "model.safetensors")
        save_file({n: v.contiguous() for n, v in self.heads.state_dict().items()}, folder / _HEADS_FILE)
        config = json.loads((folder / "config.json").read_text("utf-8"))
        config["vocab_size"] = self.bert.config.vocab_size
        (folder / "config.json").write_text(json.dumps(config, indent=2), "utf-8")

    def embed(self, ids: Tensor, mask: Tensor) -> Tensor:
        hidden = self.bert(input_ids=ids, attention_mask=_seen(mask)).last_hidden_state
        weight = mask.unsqueeze(-1).to(hidden.dtype)
        return nn.functional.normalize(((hidden * weight).sum(1) / weight.sum(1)).float(), dim=-1)

    def read(self, head: str, ids: Tensor, mask: Tensor) -> Tensor:
        """What a head says of each pair."""
        ends = (ids == self.separator).long()
        second = ((torch.cumsum(ends, 1) - ends) > 0) & mask  # after the first separator
        hidden = self.bert(input_ids=ids, attention_mask=_seen(mask), token_type_ids=second.long()).last_hidden_state
        sides = []
        for side in (mask & ~second, second):
            weight = side.unsqueeze(-1).to(hidden.dtype)
            sides.append((hidden * weight).sum(1) / weight.sum(1))
        a, b = sides
        found: Tensor = self.heads[head](torch.cat([a, b, a * b, (a - b).abs()], -1))
        return found.float()
