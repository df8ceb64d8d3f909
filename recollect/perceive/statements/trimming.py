"""What stands around a statement without being part of it, taken off: "Yeah, …", "…, Ben", "… lol"."""

from __future__ import annotations

import re
from functools import lru_cache

from recollect.language.en.verbs import AUXILIARIES, lemma_of
from recollect.perceive.grammar import clause_words as wording
from recollect.perceive.grammar.clauses import is_name
from recollect.perceive.grammar.words import Words, is_word
from recollect.perceive.names.known import GIVEN_NAMES
from recollect.perceive.statements import idle

_LEFT_OPEN = frozenset(
    "to of for with from at by as than like about into and or but because so the a an my our not if that any some many "
    "both few several others another either neither".split()
) | (AUXILIARIES - {"have", "do", "can"})
_STRETCHED = re.compile(
    r"oh{2,}|so{2,}|ye+s{2,}|ya{2,}\w?|aw{2,}|wo+w{2,}|no{2,}|haha\w*|u+gh+|omg+|lo+l+|o+k+|mm+|hm+|ah+|ooh+"
)
_COUNTS = frozenset("two three four five six seven eight nine ten".split())
_SHORT_TAIL = 3
_WORD_CHARS_MAX = 40
_ADDED = frozenset("think believe guess suppose hope".split())
_FOR_SOMETHING = frozenset("thanks thank congrats congratulations sorry props kudos".split())


def trim(words: Words) -> Words:
    """The words without fillers, greetings, names that are called and marks at both ends."""
    begin, end = 0, len(words)
    while begin < end:
        after = _after_opener(words, begin, end)
        if after == begin:
            break
        begin = after
    while end > begin:
        if not is_word(words[end - 1]) or (_closes(words, end - 1) and end - begin > _SHORT_TAIL):
            end -= 1
        elif end - 2 > begin and words[end - 2].text == "," and is_name(words, end - 1):
            end -= 2
        elif _is_called(words, begin, end):
            end -= 1
        elif words[end - 1].low == "worry" and [word.low for word in words[begin:end][-3:]] == ["do", "not", "worry"]:
            end -= 3
        else:
            break
    for at in range(begin + _SHORT_TAIL, end):
        if words[at].low in ("thanks", "thank"):
            return _said_first(words[begin:at])
    return _said_first(words[begin:end])


def _closes(words: Words, at: int) -> bool:
    """Whether the word only closes what is said; "it does not feel right" needs its last word."""
    return words[at].text in wording.CLOSERS and (words[at].low != "right" or not is_word(words[at - 1]))


def _is_called(words: Words, begin: int, end: int) -> bool:
    """ "I love the thought Ben!": a name right after a common noun, at the very end."""
    return (
        end - begin > _SHORT_TAIL + 1
        and words[end - 1].text in GIVEN_NAMES
        and words[end - 2].text.islower()
        and words[end - 3].low in wording.ARTICLES | wording.OWN
        and words[end - 2].low not in wording.PEOPLE | wording.PET_NOUNS
    )


def _said_first(words: Words) -> Words:
    """ "Ben moved, I think" → "I think Ben moved"."""
    if len(words) > _SHORT_TAIL + 1 and words[-2].low == "i" and words[-1].low in _ADDED:
        rest = words[:-2]
        return [*words[-2:], *(rest[:-1] if rest[-1].text == "," else rest)]
    return words


def _after_opener(words: Words, at: int, end: int) -> int:
    """Past the one opener that stands here; the same place if none does."""
    word = words[at]
    if not is_word(word) and word.low != "'s":
        return at + 1
    if word.low in _FOR_SOMETHING and at + 1 < end and words[at + 1].low in ("for", "on", "about", "to", "you"):
        comma = next((place for place in range(at, end) if words[place].text in (",", "!", "-")), end - 1)
        return comma + 1
    if at + 1 < end and words[at + 1].text in (",", "!") and (is_name(words, at) or word.low in wording.OPENERS):
        return at + 2
    if _opens(word.low) and not (word.low == "right" and at + 1 < end and words[at + 1].low == "now"):
        return at + 1
    if word.low not in idle.PHRASES_BEGIN:
        return at
    lowered = " ".join(each.low for each in words[at : min(end, at + 8)])
    phrase = idle.OPENING_PHRASES.match(lowered + " ")
    return at + len(phrase[0].split()) if phrase else at


@lru_cache(maxsize=1 << 12)
def _opens(low: str) -> bool:
    """Whether the lower-case word only opens what is said: "well", "yesss"."""
    return low in wording.OPENERS or _STRETCHED.fullmatch(low) is not None


def is_complete(words: Words) -> bool:
    """Whether the words end where a statement can end."""
    last = words[-1].low
    if last in _COUNTS and words[-2:-1] and lemma_of(words[-2].low) != "be":
        return False  # "I have three": of what?
    if last in _LEFT_OPEN or (len(last) == 1 and last.isalpha()):
        return False
    texts = [word.text for word in words]
    return texts.count("(") == texts.count(")") and max(map(len, texts)) <= _WORD_CHARS_MAX


def _is_degree(words: Words, at: int) -> bool:
    """ "so fascinated by them", not "so I left"."""
    following = words[at + 1].low if at + 1 < len(words) else ""
    return words[at].low == "so" and following not in wording.NOMINATIVE | wording.DETERMINERS


def without_tail(words: Words) -> Words | None:
    """What stands before "because …", "which …", ", and …": still true without it. None if nothing does."""
    for at in range(3, len(words)):
        low = words[at].low
        if (low in wording.REASONS and not _is_degree(words, at)) or (low == "," and at > 3):
            head = words[:at]
            while head and not is_word(head[-1]):
                head = head[:-1]
            return head if len(head) >= _SHORT_TAIL and is_complete(head) else None
    return None
