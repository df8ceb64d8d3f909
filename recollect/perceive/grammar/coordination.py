"""Taking apart what "and" joins, where each part is true on its own.

Sentences fall into clauses with a subject of their own; a clause with two verbs, or with a list of objects, into one
statement for each. Names and fixed pairs ("Black and Decker", "research and development"), "between A and B" and lists
whose parts are not alike stay whole: a statement that says two things is better than one that says something false.
"""

from __future__ import annotations

from recollect.language.en.verbs import AUXILIARIES, BE, MODALS, NOUNS_FIRST, forms, is_finite, lemma_of
from recollect.perceive.grammar import clause_words as wording
from recollect.perceive.grammar.clauses import Clause, Who, is_name, subject_at
from recollect.perceive.grammar.groups import is_adverb, skip_adverbs
from recollect.perceive.grammar.words import Words, is_word

_PART_WORDS_MAX = 6
_PARTS_MAX = 8
_LEADS_IN = wording.SUBORDINATORS | wording.TIME_LEADS | wording.PREPOSITIONS
_MAY_BREAK = wording.BREAKS | wording.COORDINATORS | {",", "i"}
_OPENS_CLAUSE = wording.SUBORDINATORS - {"as"} | {"if", "even", "please"}
_QUESTION_WORDS = frozenset("what how which who why where when".split())
_ASKING = frozenset("can could would will do did have is are".split())
_RUN_ON = frozenset("me it them him too far today again yet now lately yesterday tonight here there".split())
_BEFORE_A_SUBJECT = frozenset("then also so yeah honestly".split())
_LEADS_A_SUBJECT = frozenset("maybe perhaps now today yesterday tomorrow tonight lately sometimes usually".split())
_WHOM = frozenset("him her them me us".split())
_ASKED_IF = frozenset("see know ask wonder check tell decide".split())
_AS = frozenset("as even sure matter".split())
_PLAIN_VERBS = frozenset("live work want need use have go eat make get take write speak teach own know".split())
_SAYING = wording.OPINIONS | frozenset("know say hope hear mean bet".split())
_OPENS_ANOTHER = frozenset("who which that when where if because while how what".split())
_AFTER_A_VERB = wording.DETERMINERS | wording.PREPOSITIONS | frozenset("me us them him her it not to that".split())


def clauses_in(words: Words) -> list[Words]:
    """The pieces of a sentence that have a subject and a verb of their own."""
    pieces: list[Words] = []
    if words and words[0].low in wording.CONDITIONS:
        return pieces  # "if it works and it is quick, …": nothing of it is said to be so
    begin, purpose = 0, False
    unsure = _first_condition(words)
    breaks = [at for at, word in enumerate(words) if word.low in _MAY_BREAK]
    for at in [*breaks, len(words)]:
        after = _break_at(words, begin, at) if begin < at < len(words) else None
        if after is not None or at == len(words):
            if not purpose and at > begin and begin <= unsure:
                pieces.append(_without_beginning_of_next(words[begin:at]))
            if after is not None:
                purpose = _is_purpose(words, at, after)
                begin = after
    return pieces


def _without_beginning_of_next(words: Words) -> Words:
    """ "I played it and so far" (I like it): what follows the last "and" and is no verb belongs to what comes."""
    for at in range(len(words) - 1, max(2, len(words) - 4), -1):
        if words[at].low in ("and", "but") and all(
            is_adverb(word.low) or word.low in _RUN_ON for word in words[at + 1 :]
        ):
            return words[:at]
    return words


def _first_condition(words: Words) -> int:
    """Where "if" stands; what follows it in the sentence may only be so on that condition."""
    for at in [at for at, word in enumerate(words) if word.low == "if"]:
        if at and lemma_of(words[at - 1].low) not in _ASKED_IF and words[at - 1].low not in _AS:
            return at
    return len(words)


def _is_purpose(words: Words, at: int, after: int) -> bool:
    """ "… so I can write", "… so I don't have to": what something is for, not what is so."""
    so = any(word.low == "so" for word in words[at:after])
    return so and after + 1 < len(words) and words[after + 1].low in ("can", "could", "do", "will", "would", "might")


def _break_at(words: Words, begin: int, at: int) -> int | None:
    """Where the next clause begins if one ends before this place."""
    word = words[at]
    low = word.low
    if low == "i" and words[at - 1].low in _RUN_ON and words[at - 2].low != "how" and _has_verb(words, begin, at):
        return at if subject_at(words, at) else None  # people leave out the full stop
    if low == ":":
        return at + 1 if subject_at(words, _after_opener(words, at + 1)) else None
    if low in wording.BREAKS:
        return at + 1 if word.gap or low != "-" else None
    if low == "," and _asks(words, at + 1):
        return at + 1
    if low != "," and low not in wording.COORDINATORS:
        return None
    if not _has_verb(words, begin, at) or (low == "," and _leads_in(words, begin, at)):
        return None
    after = at + 1
    if low != "," and after < len(words) and _opens_other(words, after):
        return after
    while after < len(words) and words[after].low in wording.COORDINATORS | {","}:
        after += 1
    begins = subject = _after_opener(words, after)
    while subject + 1 < len(words) and words[subject].low in _LEADS_A_SUBJECT:
        subject += 1  # part of what is said: "but maybe I'll go"
    found = subject_at(words, subject)
    if found is None or _is_listed(words, begin, at, subject, found):
        return None
    return begins


def _is_listed(words: Words, begin: int, at: int, subject: int, found: tuple[int, Who, bool]) -> bool:
    """Whether what looks like the subject of a clause is one more of a list: "the talk of Ana and Ben was short"."""
    low, (verb, who, _) = words[at].low, found
    if low in ("and", ",") and who is Who.NAMED and (not _is_clause(words, begin, at) or _is_paired(words, at)):
        return True
    if low == "and" and who is Who.GENERIC and words[verb].low not in AUXILIARIES:
        return True  # "I use tips and tricks for blonde hair and bought …"
    # "I like tea, my sister likes coffee" is seldom, "cats, dogs and …" is not.
    beside = low == "," and subject == at + 1
    return beside and words[subject].low not in wording.NOMINATIVE and words[verb].low not in BE


def _is_clause(words: Words, begin: int, end: int) -> bool:
    """Whether a subject and its verb stand before this place; leads and openers may come first."""
    found = next((found for at in range(begin, end - 1) if (found := subject_at(words, at))), None)
    return found is not None and found[0] < end


def _is_paired(words: Words, at: int) -> bool:
    """Whether a name or "him" behind a preposition stands before the "and": "cheese like Parmesan and Pecorino"."""
    if words[at - 1].low not in _WHOM and not is_name(words, at - 1):
        return False
    return any(word.low in wording.PREPOSITIONS for word in words[max(0, at - 4) : at - 1])


def _asks(words: Words, at: int) -> bool:
    """ "…, what are the pros and cons"."""
    if at + 1 >= len(words) or words[at].low not in _ASKING | _QUESTION_WORDS:
        return False
    following = words[at + 1].low
    return following == "you" or (words[at].low in _QUESTION_WORDS and following in AUXILIARIES)


def _leads_in(words: Words, begin: int, comma: int) -> bool:
    """Whether what stands before the comma only leads in: "When I was twelve,", not "Last week I was ill,"."""
    first = words[begin].low
    if first in wording.SUBORDINATORS:
        return all(words[at].text != "," for at in range(begin, comma))
    return first in _LEADS_IN and not any(words[at].low in ("i", "we") for at in range(begin, comma))


def _opens_other(words: Words, at: int) -> bool:
    """ "… but if", "… and now that", "… so can you": something else begins, whatever it is."""
    low, following = words[at].low, words[at + 1].low if at + 1 < len(words) else ""
    return low in _OPENS_CLAUSE or (low == "now" and following == "that") or (low in _ASKING and following == "you")


def _after_opener(words: Words, at: int) -> int:
    """Past "then", "now", "also" before the subject."""
    while at + 1 < len(words) and words[at].low in _BEFORE_A_SUBJECT:
        at += 1
    return at


def _has_verb(words: Words, begin: int, end: int) -> bool:
    """Whether something has been said of something by here; of "I think pretzels" nothing has."""
    verbs = [at for at in range(begin, end) if is_finite(words[at].low) or words[at].low in ("'s", "'d")]
    if verbs and lemma_of(words[verbs[0]].low) in _SAYING and verbs[0] + 1 < end:
        said = verbs[0] + (2 if words[verbs[0] + 1].low == "that" else 1)
        found = subject_at(words, skip_adverbs(words, said))
        return found is not None and found[0] < end
    return bool(verbs)


def further_verbs(clause: Clause) -> list[tuple[int, int]]:
    """Where "and" and a further verb of the same subject stand: "I cook and bake"; with commas in a list of several."""
    words, group = clause.words, clause.group
    found: list[tuple[int, int]] = []
    for at in range(group.end, len(words) - 1):
        low = words[at].low
        if (
            low in _OPENS_ANOTHER
            or low in wording.NOMINATIVE
            or low in MODALS
            or (low == "to" and words[at + 1].low in forms().base)
        ):
            break  # from here on, verbs may belong to something else
        if low in ("and", "but", ",") or (low == "or" and group.negated):
            verb = skip_adverbs(words, at + 1)
            if verb < len(words) and _is_alike(clause, verb, at):
                found.append((at, verb))
    return found if found and words[found[-1][0]].low != "," else []


def finite_verbs(clause: Clause) -> list[int]:
    """Where the further verbs stand that agree with the speaker as the first one does."""
    if clause.who is not Who.SPEAKER:
        return []
    return [verb for at, verb in further_verbs(clause) if not _reaches(clause, at, verb)]


def share_what_follows(clause: Clause, further: list[tuple[int, int]]) -> bool:
    """ "We learn and grow from it": a verb right before "and" may share what follows the second."""
    return bool(further) and further[0][0] == clause.group.end


def _is_alike(clause: Clause, verb: int, coordinator: int) -> bool:
    """Whether the word at `verb` goes on where the first verb began."""
    words, group, known = clause.words, clause.group, forms()
    word = words[verb]
    low = word.low
    if not word.text.islower():
        return False
    following = words[verb + 1].low if verb + 1 < len(words) else ""
    beside = coordinator == group.end  # "smoke or drink"
    goes_on = beside or following in _AFTER_A_VERB or following.endswith("ly")
    last = group.helpers[-1] if group.helpers else ""
    if group.going or last in MODALS or (last in ("do", "did", "does") and words[coordinator].low == "or"):
        return low in known.base and (goes_on or low not in NOUNS_FIRST)
    if last in ("have", "has", "had"):
        return low in known.participle and low not in known.base
    if last in ("am", "is", "are", "was", "were", "be", "been"):
        return low in known.ing and goes_on
    if group.past:
        return low in known.past and (low not in known.base or goes_on) and group.lemma != "use"
    if clause.who in (Who.SPEAKER, Who.GROUP) or clause.plural:
        plain = low in _PLAIN_VERBS or low in wording.PREFERENCES
        noun = following == "of" or (low in NOUNS_FIRST and not beside)  # "the look and feel of it", "… and practice"
        return low in known.base and low != "be" and (plain or (goes_on and not noun))
    return low in known.third and goes_on


def verb_parts(clause: Clause, further: list[tuple[int, int]]) -> list[Words]:
    """The clause once for each of its verbs, each with the subject and the helping verbs."""
    words = clause.words
    ends = [at for at, _ in further[1:]] + [len(words)]
    parts = [words[: further[0][0]]]
    for (at, verb), end in zip(further, ends, strict=True):
        parts.append([*_shared(clause, at, verb), *words[at + 1 : end]])
    return [part[:-1] if part[-1].text == "," else part for part in parts]


def _shared(clause: Clause, coordinator: int, verb: int) -> Words:
    """What goes before a further verb: the subject, and "is", "have", "will", "does not" where they reach that far."""
    words = clause.words
    if _reaches(clause, coordinator, verb) and words[verb].low not in AUXILIARIES:
        return words[clause.subject : clause.group.main]
    return words[clause.subject : clause.verb]


def _reaches(clause: Clause, coordinator: int, verb: int) -> bool:
    """Whether the helping verbs of the first verb are also those of the one after the coordinator."""
    if clause.group.negated and clause.words[verb].low in wording.PREFERENCES:
        return clause.words[coordinator].low == "or"  # "I cannot stand jazz and avoid concerts": they are avoided
    low, group = clause.words[coordinator].low, clause.group
    if group.helpers[-1:] in (("do",), ("does",), ("did",)):
        return low == "or"
    return bool(group.helpers) and not (low == "but" and group.negated)


def object_parts(clause: Clause) -> list[Words]:
    """The clause once for each of its objects; just itself when they are not plainly several."""
    words, group = clause.words, clause.group
    whole = [words]
    first = group.end
    while first + 1 < len(words) and words[first].low == "to" and words[first + 1].low in forms().base:
        first += 2  # wants to learn Rust and Go
    if first < len(words) and is_adverb(words[first].low):
        return whole
    rest = words[first:]
    joiner = "or" if group.negated else "and"
    if not any(word.low == joiner for word in rest) or clause.group.lemma in wording.TOGETHER:
        return whole
    if any(word.low in ("between", "both", "&", "either", "that", "because", "when", "if", "while") for word in rest):
        return whole
    head, rest = _shared_preposition(rest)
    parts = _list_of(rest, joiner)
    if parts is None or not _are_alike(parts):
        return whole
    return [[*words[:first], *head, *part] for part in parts]


def _shared_preposition(rest: Words) -> tuple[Words, Words]:
    """ "works with Go and Rust": what stands before the list belongs to each of its parts."""
    if rest and rest[0].low in ("with", "in", "at", "on", "for", "to", "from", "about", "of"):
        return rest[:1], rest[1:]
    return [], rest


def _list_of(rest: Words, joiner: str) -> list[Words] | None:
    """The parts of "A, B and C"; None when it is no list or one pair that belongs together."""
    parts: list[Words] = [[]]
    joined = False
    for at, word in enumerate(rest):
        if word.low == joiner:
            if joined or _is_pair(rest, at):
                return None
            joined = True
            if parts[-1]:
                parts.append([])
        elif word.text == ",":
            if joined or not parts[-1]:
                return None
            parts.append([])
        else:
            parts[-1].append(word)
    return parts if joined and all(parts) and len(parts) <= _PARTS_MAX else None


def _is_pair(rest: Words, at: int) -> bool:
    if at == 0 or at + 1 >= len(rest):
        return True
    return f"{rest[at - 1].low}|{rest[at + 1].low}" in wording.PAIRS


def _are_alike(parts: list[Words]) -> bool:
    """Whether the parts are of one shape, so that each can stand where the list stood."""
    shapes = {_shape(part) for part in parts}
    return len(shapes) == 1 and None not in shapes


def _shape(part: Words) -> str | None:
    if len(part) > _PART_WORDS_MAX or not all(is_word(word) for word in part):
        return None
    lows = [word.low for word in part]
    prepositions = [low for low in lows if low in wording.PREPOSITIONS]
    if any(low in AUXILIARIES or low in wording.NOMINATIVE for low in lows) or len(prepositions) > 1:
        return None
    place = f" {prepositions[0]}" if prepositions else ""
    if lows[0] in wording.PREPOSITIONS or lows[-1] in wording.PREPOSITIONS:
        return None
    if lows[0] in wording.DETERMINERS or lows[0] in wording.QUANTITIES or lows[0][0].isdigit():
        return "counted" + place if len(part) > 1 else None
    if part[0].text[0].isupper() and part[0].text[0].isalpha():
        return "named" + place
    if place:
        return None
    return "bare" if len(part) == 1 and lemma_of(lows[0]) in (None, lows[0], *_gerunds(lows[0])) else None


def _gerunds(low: str) -> tuple[str, ...]:
    base = forms().ing.get(low)
    return (base,) if base else ()
