"""What a language model can take in, give back and do, as far as it is known."""

from __future__ import annotations

from dataclasses import dataclass

ESTIMATED = "estimated"  # the tokenizer of models whose vocabulary nobody has published


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """One model, by the name somebody used for it.

    `known` is False when the figures are a careful guess: nothing is known by that name, or only its family is.
    `source` says where the figures come from, `matched` the name they stand under there.
    """

    model: str
    matched: str
    known: bool
    provider: str
    window_tokens: int  # all that one call may hold, the answer included
    output_tokens: int  # the longest answer
    tools: bool
    vision: bool
    thinking: bool
    tokenizer: str
    source: str
    input_price: float | None = None  # dollars for a million tokens
    output_price: float | None = None
