"""The words of a pattern: "Ana likes tea, coffee and cocoa" where its instances are built alike, the most typical of
them and what they share where they are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from recollect.language.terms import telling, terms_of
from recollect.model.entity import fold
from recollect.perceive.traits.topics import topics_of
from recollect.store.patterns import Instance

LISTED_MAX = 6  # objects named in a pattern
TOPICS_MAX = 4
LOOKED_AT = 12  # telling words of a statement
OBJECT_WORDS_MAX = 8  # a longer object is no item of a list
_ALIKE_SHARE = 0.6  # of the instances that have the predicate which all are told by
_COMMON_SHARE = 0.5  # of the instances that hold a word which they share


def sharing_a_word(instances: Sequence[Instance]) -> list[Instance]:
    """Those that hold a word which most of them share, besides whom they are about.

    Vectors alone take any two statements about one person for alike when they name that person often enough.
    """
    besides = set(terms_of(instances[0].subject or ""))
    words = [{term for topic in topics_of(one.content, LOOKED_AT) for term in terms_of(topic)} for one in instances]
    held = Counter(term for own in words for term in own - besides)
    common = {term for term, count in held.items() if count >= _COMMON_SHARE * len(instances)}
    return [one for one, own in zip(instances, words, strict=True) if own & common]


def wording_of(instances: Sequence[Instance]) -> str:
    """One sentence for instances that are given with the most typical first."""
    predicates = Counter(fold(one.predicate) for one in instances if one.predicate and one.object)
    predicate, count = predicates.most_common(1)[0] if predicates else ("", 0)
    subject = instances[0].subject
    if subject and instances[0].polarity == "+" and count >= max(2, _ALIKE_SHARE * len(instances)):
        alike = [one.object for one in instances if one.object and fold(one.predicate or "") == predicate]
        if max(len(each.split()) for each in alike) <= OBJECT_WORDS_MAX:
            return f"{subject} {predicate} {_listed(alike)}"
    return _typical(instances)


def _listed(objects: Sequence[str]) -> str:
    """ "green, black and white tea": each once, and what all of them end in said once."""
    distinct = list({fold(each): each.split() for each in reversed(objects)}.values())[::-1]
    named, rest = distinct[:LISTED_MAX], len(distinct[LISTED_MAX:])
    shared = 0
    while all(len(words) > shared + 1 for words in named) and len({words[-shared - 1] for words in named}) == 1:
        shared += 1
    ending = named[0][len(named[0]) - shared :] if len(named) > 1 else []
    items = [" ".join(words[: len(words) - len(ending)]) for words in named]
    items += [f"{rest} more"] if rest else []
    listed = f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else items[0]
    return " ".join([listed, *ending])


def _typical(instances: Sequence[Instance]) -> str:
    """The first of them, and how many there are; with the words that most of them share and it leaves out."""
    first = instances[0].content.rstrip(" .")
    held = Counter(term for one in instances for term in set(telling(terms_of(one.content))))
    said = set(terms_of(first))
    shared = [
        topic
        for one in instances[1:]
        for topic in topics_of(one.content)
        if not set(terms_of(topic)) & said and held[next(iter(terms_of(topic)), "")] >= _COMMON_SHARE * len(instances)
    ]
    topics = list(dict.fromkeys(shared))[:TOPICS_MAX]
    about = f": {', '.join(topics)}" if topics else ""
    return f"{first} (and {len(instances) - 1} more like it{about})"
