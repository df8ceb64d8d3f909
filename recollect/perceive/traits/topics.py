"""What a text is about: its most telling words, best first, without knowing any other text."""

from __future__ import annotations

import re
from functools import lru_cache

from recollect.language.terms import FILLERS, STOP_WORDS, terms_of
from recollect.limits import GIST_CHARS_MAX

TOPICS_MAX = 5
_WORD = re.compile(r"(?<![\w@/.])[^\W\d_][\w'’+#-]*(?:\.(?=\w)[\w'’+#-]*)*")
_WORD_CHARS_MIN, _WORD_CHARS_MAX = 3, 40
_LONG_WORD_CHARS = 8  # beyond this length says nothing more
_NAME_BONUS = 0.8  # a capital inside a sentence, an identifier

# Words of talking, doing and judging, which stand in texts about anything.
_COMMON = frozenset(
    """
    able about above absolutely accept according across act actual actually add after afternoon again against age ago
    agree ahead allow almost alone along already alright also although always amazing among amount and another answer
    any anybody anymore anyone anything anyway anywhere apart appear appreciate april around aside ask asked asking
    august available away awesome back bad based basically beautiful became because become been before began begin being
    believe best better between big bit both bring brought busy call called came can can't cannot cant care case certain
    certainly chance change check choose clear close come comes coming common complete completely congrats consider
    contain continue cool correct could couldn't couple course create current currently cute daily day days deal
    december decide decided definitely depend did didn't didnt differ different difficult discuss doesn't doesnt doing
    don't done dont down during each early easily easy either else end enjoy enjoyed enough especially etc even evening
    ever every everybody everyone everything exactly example excited exciting excuse expect experience explain extra
    extremely fact fair fairly fall far fast favorite february feel feeling feels felt few figure final finally find
    fine finish first follow for forget forgot form forward found free friday from full fun further future gave general
    get gets getting give given glad goes going gone gonna good got gotta great group grow guess guy guys had haha
    hahaha half hand happen happened happy hard hardly has hasn't have haven't having he'd he's hear heard heart hello
    help helped helpful helps her here hers herself hey hi high him himself his hmm hold honestly hope hopefully hoping
    hour hours how however huge i'd i'll i'm i've idea imagine immediately important include including incredible indeed
    inside instead interest interested interesting into isn't isnt issue it'd it'll it's its itself ive january july
    june just keep keeping kept kind knew know known knows lack large last lately later latest lead learn learned least
    leave left less let let's life like likely line list listen literally little live living lol long longer look looked
    looking looks lot lots love loved lovely low luck made main make makes making man many march matter may maybe mean
    means meant meet met might mind mine minute minutes miss moment monday month months more morning most mostly move
    much must myself name named near nearly need needed needs neither never new next nice night nobody none nope nor
    normal not note nothing notice november now number obviously october off offer often okay old once one ones only
    onto open option order other others otherwise our ourselves out outside over overall own part particular past pay
    people perfect perhaps person pick place plan planning plans play please plus point possible possibly pretty
    probably problem project put question quick quickly quite rather read ready real realize really reason recent
    recently remember reminds reply rest result right run said same saturday saw say saying says second see seeing seem
    seems seen self send sense sent september set several shall share shared she she's should shouldn't show showed side
    simple simply since single small some somebody somehow someone something sometimes somewhere soon sorry sort sound
    sounds special specific start started starting state stay step still stop stuff such suggest sunday super support
    sure take taken takes taking talk talking tell ten than thank thanks that that's thats the their them themselves
    then there there's these they they're thing things think thinking third this those though thought three through
    throughout thursday time times tip tips today together told tomorrow tonight too took top total totally toward tried
    true truly trust try trying tuesday turn two type under understand unfortunately unless until upon use used useful
    user uses using usual usually various very via view wait walk wanna want wanted wants was wasn't watch way ways we'd
    we'll we're we've wednesday week weekend weeks welcome well went were weren't what what's whatever when where
    whether which while who whole whose why wide will wish with within without won't wonder wonderful wont word words
    work worked working works world worry worth would wouldn't wow write wrong yea yeah year years yep yes yesterday yet
    you you'd you'll you're you've young your yours yourself
    """.split()
)


def topics_of(text: str, count: int = TOPICS_MAX) -> tuple[str, ...]:
    """At most `count` words, best first, in small letters; each stands for all forms of itself."""
    text = text[:GIST_CHARS_MAX]
    worth: dict[str, float] = {}
    first: dict[str, str] = {}
    for match in _WORD.finditer(text):
        word = match[0]
        term, length = term_and_worth(word)
        if not term:
            continue
        if term not in worth:
            worth[term], first[term] = 0.0, word
        worth[term] += length
        if word[0].isupper() and (at := match.start()) > 1 and text[at - 2] not in ".!?\n":
            worth[term] += _NAME_BONUS
    best = sorted(worth, key=worth.__getitem__, reverse=True)[:count]  # equal ones stay in the order of the text
    return tuple(_plain(first[term]) for term in best)


@lru_cache(maxsize=1 << 16)
def term_and_worth(word: str) -> tuple[str, float]:
    """The term of a word and what it is worth by itself; "" when it stands in texts about anything."""
    lowered = _plain(word)
    if not _WORD_CHARS_MIN <= len(lowered) <= _WORD_CHARS_MAX or not _is_telling(lowered):
        return "", 0.0
    identifier = any(sign in lowered for sign in "_.+#") or any(letter.isupper() for letter in word[1:])
    return terms_of(lowered)[0], min(len(lowered), _LONG_WORD_CHARS) / _LONG_WORD_CHARS + _NAME_BONUS * identifier


def _plain(word: str) -> str:
    return word.lower().replace("’", "'").removesuffix("'s")


def _is_telling(lowered: str) -> bool:
    return lowered not in _COMMON and lowered not in STOP_WORDS and lowered not in FILLERS
