"""A text cut in the middle to a number of tokens, with a mark that says how much is missing."""

from __future__ import annotations

from recollect.providers.tokens import Counter

_TAIL_SHARE = 3  # a third of what is left is the end
_CHARS_PER_TOKEN_MAX = 16  # a text with more characters than that for each token is cut without being counted first
_ATTEMPTS = 6


def fits(text: str, tokens: int, counter: Counter) -> bool:
    """Whether a text has at most so many tokens; a very long one is not counted to know that it has more."""
    return len(text) <= tokens * _CHARS_PER_TOKEN_MAX and counter.count(text) <= tokens


def cut_middle(text: str, tokens: int, counter: Counter) -> str:
    """The text if it fits, else its beginning and its end, two to one; "" where there is no room for the mark."""
    if tokens <= 0:
        return ""
    if fits(text, tokens, counter):
        return text
    room = tokens - counter.count(_mark(len(text)))
    for _ in range(_ATTEMPTS):
        if room < _TAIL_SHARE:
            break
        tail = _last(text, room // _TAIL_SHARE, counter)
        head = counter.cut(text[: len(text) - len(tail)], room - room // _TAIL_SHARE)
        joined = f"{head}{_mark(len(text) - len(head) - len(tail))}{tail}"
        excess = counter.count(joined) - tokens
        if excess <= 0:
            return joined
        room -= max(1, excess)
    return ""


def _mark(chars: int) -> str:
    return f"\n[… {chars:,} characters left out …]\n"


def _last(text: str, tokens: int, counter: Counter) -> str:
    """The end of a text, of at most so many tokens."""
    chars = tokens * 4
    while chars > 0:
        end = text[-chars:]
        excess = counter.count(end) - tokens
        if excess <= 0:
            return end
        chars -= max(1, chars * excess // (tokens + excess))
    return ""
