"""States that a German sentence speaks of: where somebody lives and works, what they are, have, like and use.

Clause by clause, by the verb. The subject is the speaker ("ich"), somebody of theirs ("meine Schwester") or a name.
What is doubted, wished for, to come or said to come beside the rest states nothing about now and is left out: keeping
two truths is better than retiring the right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from recollect.language import lists
from recollect.language.base import StatedState
from recollect.language.changes import denies
from recollect.language.de.calendar_words import MONTH, WEEKDAY, month_of, weekday_of

_CLAUSE_END = re.compile(r"[,;:!]\s|\s[-–]\s|\s(?:aber|sondern|denn|doch|und\s+(?=(?:ich|wir|er|sie|jetzt)\b))")
_UNREAL = re.compile(
    r"\b(?:vielleicht|wahrscheinlich|vermutlich|überleg\w*|würden?|möchten?|wollen|will|wollte|plan\w*"
    r"|hoffentlich|hoffe|falls|wenn"
    r"|ob|könnten?|soll(?:en|te)?|werde|wird|werden|bald|demnächst|nächste[nrsm]?|kommende[nrsm]?|morgen"
    r"|übermorgen|vorübergehend"
    r"|besuch|urlaub|eventuell|evtl|träume|stell dir|fast|beinahe|angeblich|wäre|hätte|manchmal|ab und zu)\b"
    r"|\bfür\s+\w+\s+(?:tage|wochen|monate)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:auch|außerdem|zusätzlich|ebenfalls|nebenbei|noch\s+ein\w*|ein\w*\s+weitere\w*|weitere\w*|zweit\w+"
    r"|dritte\w*|sowohl)\b",
    re.IGNORECASE,
)
_ENDED = re.compile(r"\b(?:nicht|kein(?:e[nrsm]?)?|nie|nichts)\b[^,;]{0,60}?\bmehr\b", re.IGNORECASE)
_NOW = re.compile(
    r"\b(?:jetzt|inzwischen|mittlerweile|neuerdings|nun|seitdem|ab sofort|neue[nrsm]?|seit)\b",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"\b(?:ich|wir)\b|^\W*(?:bin|habe?)\b", re.IGNORECASE)  # "Bin umgezogen"
_OF_SPEAKER = re.compile(
    r"\b(?:mein|unser)(?:e[nrsm]?)?\s+(?:neue[nrsm]?\s+)?(?P<what>[A-ZÄÖÜ][\w-]+)(?=\s)", re.IGNORECASE
)
_NAMED = re.compile(r"(?<![\w])(?P<who>[A-ZÄÖÜ][a-zäöüß]+)(?=\s)")
_NO_NAMES = frozenset(
    "heute gestern jetzt seit früher damals inzwischen mittlerweile dann danach der die das den dem ein eine es "
    "er sie in im "
    "am bei nach mit von für als wenn weil dass und aber oder seitdem nun leider zum vor ab auf an aus wie was "
    "wer wo zurzeit".split()
)
_ARTICLE = (
    r"(?:(?:der|die|das|dem|den|einer|einem|einen|eine|ein|meinem|meiner|unserer|unserem|der\s+firma"
    r"|der\s+stadt)\s+)?"
)
_NAME = r"(?P<value>[A-ZÄÖÜ0-9][\w&.'-]*(?:\s+(?:am|an\s+der|im|[A-ZÄÖÜ0-9][\w&'-]*)\s*[A-ZÄÖÜ0-9]?[\w&'-]*){0,2})"
_AS = re.compile(r"\bals\s+(?P<value>[A-ZÄÖÜ][\w-]+(?:in)?)")
_LIVES = re.compile(r"\b(?:wohn(?:e|en|t)?|leb(?:e|en|t)?)\b", re.IGNORECASE)
_WORKS = re.compile(r"\b(?:arbeit(?:e|en|et)?|verdien(?:e|t)|jobb(?:e|t)|angestellt|beschäftigt)\b", re.IGNORECASE)
_IN = re.compile(rf"\bin\s+{_ARTICLE}{_NAME}")
_AT = re.compile(rf"\b(?:bei|beim|für)\s+{_ARTICLE}{_NAME}")
_MOVED = re.compile(r"\b(?:um|weg|hin|rüber)?gezogen\b", re.IGNORECASE)
_TO_PLACE = re.compile(rf"\b(?:nach|in)\s+{_ARTICLE}{_NAME}")
_JOINED = re.compile(r"\b(?:angefangen|gewechselt|begonnen|eingestiegen)\b", re.IGNORECASE)
_JOINED_AT = re.compile(rf"\b(?:bei|beim|zu|zur|zum)\s+{_ARTICLE}{_NAME}")
_OWN_EMPLOYER = re.compile(
    rf"\b(?i:mein|unser)\s+(?:neuer\s+)?Arbeitgeber\s+(?:ist|heißt)\s+(?:jetzt\s+)?{_ARTICLE}{_NAME}"
)
_TOGETHER = re.compile(r"\bmit\s+(?P<value>[A-ZÄÖÜ]\w+)\s+(?:zusammen|verheiratet|verlobt)\b")
_STUDIES = re.compile(r"\bstudier(?:e|t|en)\s+(?:jetzt\s+|nun\s+|inzwischen\s+)?(?P<value>[A-ZÄÖÜ][\w-]+)")
_GAVE_UP = re.compile(r"\b(?i:mit)\s+(?:dem\s+|der\s+)?(?P<value>[A-ZÄÖÜ][\w-]+)")
_APPOINTMENT_AT = re.compile(r"\s+(?:beim|bei\s+der|bei\s+dem|bei|mit\s+der|mit\s+dem|mit)\s+(?P<where>[A-ZÄÖÜ][\w-]+)")
_LEFT = re.compile(r"\b(?:gekündigt|aufgehört|ausgeschieden)\b", re.IGNORECASE)
_SOLD = re.compile(r"\b(?:verkauft|verschenkt|weggegeben|abgegeben|verschrottet)\b", re.IGNORECASE)
_THING = re.compile(r"\b(?i:mein|unser|das|den|die|der)(?:e[nrsm]?)?\s+(?:alte[nrsm]?\s+)?(?P<value>[A-ZÄÖÜ][\w-]+)")
_SWITCHED = re.compile(r"\b(?:umgestiegen|gewechselt|umgestellt|gewechselt)\b", re.IGNORECASE)
_FROM_TO = re.compile(
    r"\bvon\s+(?:der\s+|dem\s+)?(?P<was>[\w.+#&-]+)\s+(?:auf|zu|zum|zur|nach)\s+(?:die\s+|den\s+"
    r"|das\s+)?(?P<value>[\w.+#-]+)"
)
_TO_TOOL = re.compile(r"\b(?:auf|zu|zum|zur)\s+(?:die\s+|den\s+|das\s+)?(?P<value>[A-ZÄÖÜ][\w.+#-]*)")
_STOPPED = re.compile(r"\b(?:aufgehört|abgewöhnt|aufgegeben)\b", re.IGNORECASE)
_SMOKING = re.compile(r"\brauchen\b", re.IGNORECASE)
_BE = re.compile(
    r"\b(?:bin|ist|sind|wurde|lautet|heißt|beträgt|liegt\s+bei|kostet|findet|steht)\b",
    re.IGNORECASE,
)
_SET = re.compile(
    r"\b(?:verschoben|verlegt|vorverlegt|geändert|erhöht|gesenkt|gestiegen|gesunken|angehoben)\b",
    re.IGNORECASE,
)
_THE_THING = re.compile(
    r"(?:\b(?i:der|die|das|mein|meine|unser|unsere)\s+(?:neue[rs]?\s+)?|^\W*)(?P<what>[A-ZÄÖÜ][\w-]+)"
)
_OLDER = re.compile(r"\bstatt\s+(?:de[rsmn]\s+)?(?P<was>[\w.+-]+)", re.IGNORECASE)
_PAST = re.compile(
    r"\b(?:war|hatte|wohnte|lebte|arbeitete|früher|damals|gewesen|gewohnt|gelebt|gearbeitet)\b", re.IGNORECASE
)
_SILENT = frozenset(
    "ich wir jetzt nicht mehr kein keine keinen keiner keinem nie gern gerne sehr immer noch nur wieder "
    "inzwischen mittlerweile "
    "neuerdings nun seitdem seit am liebsten auch der die das den dem des ein eine einen einem einer mein "
    "meine meinen "
    "meinem meiner ja leider eigentlich schon ganz total so viel ungern lieber besonders heute statt überhaupt "
    "mir mich als".split()
)
_WORD = re.compile(r"\w(?:[\w+#'-]|\.(?=\w))*")
_OBJECT_WORDS_MAX = 4
_COMPOUND_CHARS = 5  # of the last part of a compound, at least


# Words by which a question is about it: of the speaker, and of somebody else.
_HOME, _WORK = "wohne lebe stadt", "arbeite arbeitgeber beruf"
_OTHERS = {_HOME: "wohnt lebt stadt", _WORK: "arbeitet arbeitgeber beruf"}


class _Clause(NamedTuple):
    text: str
    start: int
    subject: str | None  # None: the speaker
    who: str  # as German text has it, with `{}` for the speaker
    ended: bool
    denied: bool
    new: bool
    past: bool


def states_in(sentence: str) -> tuple[StatedState, ...]:
    """The states a German sentence speaks of; none for most."""
    return tuple(state for clause in _clauses(sentence) for state in _read(clause))


def _clauses(sentence: str) -> Iterator[_Clause]:
    begin = 0
    for end in [match.start() for match in _CLAUSE_END.finditer(sentence)] + [len(sentence)]:
        text = sentence[begin:end]
        if text.strip() and not _UNREAL.search(text) and not _BESIDE.search(text):
            subject = _subject_of(text)
            if subject is not None:
                who, told = subject
                yield _Clause(
                    text=text,
                    start=begin,
                    subject=who,
                    who=told,
                    ended=_ENDED.search(text) is not None,
                    denied=denies("de", text),
                    new=_NOW.search(text) is not None,
                    past=_PAST.search(text) is not None,
                )
        begin = end


def _subject_of(text: str) -> tuple[str | None, str] | None:
    """Who it is said of, None if that cannot be told: (None, "{}") is the speaker."""
    if _SPEAKER.search(text):
        return None, "{}"
    if owned := _OF_SPEAKER.search(text):
        what = owned["what"]
        return f"{{}}'s {_attributes().get(what.lower(), what)}", f"{what} von {{}}"
    for named in _NAMED.finditer(text):
        if named["who"].lower() not in _NO_NAMES:
            return named["who"], named["who"]
    return None


def _read(clause: _Clause) -> Iterator[StatedState]:
    found = (
        _home(clause)
        or _employer(clause)
        or _company(clause)
        or _attribute(clause)
        or _being(clause)
        or _ended_by(clause)
    )
    if found is not None:
        yield found
        return
    verb = _verb(clause)
    if verb is not None:
        yield verb


def _state(clause: _Clause, predicate: str, value: str, told: str, *, topic: str, past: bool = False) -> StatedState:
    """`told` is the German predicate with `…` where the value stands; how it is so comes behind its first word."""
    denial = " nicht mehr" if clause.ended else " nicht" if clause.denied else ""
    now = " jetzt" if clause.new and not clause.ended else ""
    verb, space, rest = told.partition(" ")
    content = f"{clause.who} {verb}{now}{denial}{space}{rest}".replace("…", value)
    return StatedState(
        subject=clause.subject,
        predicate=predicate,
        object=f"{value} now" if clause.new and not clause.ended and value else value,
        content=" ".join(content.split()),
        denied=clause.denied and not clause.ended,
        ended=clause.ended,
        past=past or clause.past,
        topic=tuple((topic if clause.subject is None else _OTHERS.get(topic, topic)).split()),
        span=(clause.start, clause.start + len(clause.text)),
    )


def _named(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return match["value"].strip(" .") if match else None


def _home(clause: _Clause) -> StatedState | None:
    if _MOVED.search(clause.text) and (place := _named(_TO_PLACE, clause.text)):
        return _in_place(_state(clause, "moves to", place, "ist nach … umgezogen", topic=_HOME, past=True))
    lives = _LIVES.search(clause.text)
    if lives and (place := _named(_IN, clause.text[lives.end() :]) or _named(_IN, clause.text)):
        return _in_place(_state(clause, "lives in", place, "wohnt in …", topic=_HOME))
    return None


def _in_place(state: StatedState) -> StatedState:
    """With the name that a town or a country has in English, by which places are known."""
    name, space, rest = state.object.partition(" ")
    return replace(state, object=f"{_places().get(name.lower(), name)}{space}{rest}")


def _employer(clause: _Clause) -> StatedState | None:
    if (own := _OWN_EMPLOYER.search(clause.text)) and not clause.denied:
        own_clause = clause._replace(subject=None, who="{}")
        return _state(own_clause, "works at", own["value"].strip(" ."), "arbeitet bei …", topic=_WORK)
    if _WORKS.search(clause.text) and (where := _named(_AT, clause.text)):
        return _state(clause, "works at", where, "arbeitet bei …", topic=_WORK)
    if _WORKS.search(clause.text) and (job := _named(_AS, clause.text)) and not clause.denied:
        return _of(clause, "job", job, "arbeitet als …")
    if _LEFT.search(clause.text) and (where := _named(_AT, clause.text)):
        return _state(clause, "leaves", where, "hat bei … gekündigt", topic=_WORK, past=True)
    if _JOINED.search(clause.text) and not _FROM_TO.search(clause.text) and (where := _named(_JOINED_AT, clause.text)):
        return _state(clause, "joins", where, "hat bei … angefangen", topic=_WORK, past=True)
    return None


def _company(clause: _Clause) -> StatedState | None:
    """With whom somebody is, and what they study: one at a time."""
    if (partner := _named(_TOGETHER, clause.text)) and not clause.denied:
        return _of(clause, "partner", partner, "ist mit … zusammen", topic="zusammen partner")
    if (major := _named(_STUDIES, clause.text)) and not clause.denied and not clause.past:
        return _of(clause, "major", major, "studiert …", topic="studiere studiert fach")
    return None


def _of(clause: _Clause, what: str, value: str, verb: str, *, topic: str = _WORK) -> StatedState:
    """Something of the subject's: "the user's job is …"."""
    owner = "{}" if clause.subject is None else clause.subject
    return replace(_state(clause, "is", value, verb, topic=topic), subject=f"{owner}'s {what}")


def _known_as(noun: str, known: dict[str, str]) -> str:
    """What a noun is called where states are compared; of a compound its last part says what it is. "" if unknown."""
    lowered = noun.lower()
    if lowered in known:
        return known[lowered]
    first, _, last = lowered.rpartition("-")
    if first and last in known:
        return f"{first} {known[last]}"
    end = next((word for word in known if len(word) >= _COMPOUND_CHARS and lowered.endswith(word)), "")
    return f"{lowered.removesuffix(end)} {known[end]}" if end else ""


def _attribute(clause: _Clause) -> StatedState | None:
    """ "Meine Nummer ist …", "der Termin wurde auf Freitag verschoben"."""
    known = _attributes()
    thing = next((each for each in _THE_THING.finditer(clause.text) if _known_as(each["what"], known)), None)
    if thing is None or clause.denied or not (_BE.search(clause.text) or _SET.search(clause.text)):
        return None
    changed = _SET.search(clause.text) is not None
    value = _value_after(clause.text, thing.end(), changed=changed)
    if not value:
        return None
    name = _known_as(thing["what"], known)
    if name == "appointment" and (at := _APPOINTMENT_AT.match(clause.text, thing.end())):
        name = f"{at['where'].lower()} appointment"
    owned = thing[0].lower().startswith(("mein", "unser"))
    told = f"{thing['what']} von {{}}" if owned else thing[0]
    return StatedState(
        subject=f"{{}}'s {name}" if owned else f"the {name}",
        predicate="moves to" if changed else "is",
        object=f"{value} now" if clause.new or changed else value,
        content=f"{told} ist{' jetzt' if clause.new or changed else ''} {_plain_value(clause.text, thing.end())}",
        past=changed,
        topic=(thing["what"],),
        span=(clause.start, clause.start + len(clause.text)),
    )


_TO_VALUE = re.compile(
    r"\b(?:auf|zu|um)\s+(?:de[nm]\s+)?(?P<value>\S.{0,60}?)"
    r"(?:\s(?:verschoben|verlegt|vorverlegt|geändert|erhöht|gesenkt|gestiegen|gesunken|angehoben)\b|$)"
)
_IS_VALUE = re.compile(
    r"\b(?:ist|lautet|heißt|beträgt|liegt\s+bei|kostet|findet|steht)\s+(?:jetzt\s+|nun\s+|inzwischen\s+"
    r"|mittlerweile\s+)?(?P<value>.+)$"
)
_VALUE_NOISE = re.compile(
    r"\b(?:jetzt|nun|inzwischen|mittlerweile|doch|erst|schon|am|um|der|die|das|dem|den|statt|bereits|auf)\b"
    r"|[.!]$",
    re.I,
)
_DATE = re.compile(rf"(?P<day>\d{{1,2}})\.\s?(?P<month>{MONTH})", re.IGNORECASE)
_HOUR = re.compile(
    r"\b(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?\s*uhr\b|\b(?P<clock>\d{1,2}:\d\d)\b",
    re.IGNORECASE,
)
_ON_WEEKDAY = re.compile(rf"\b(?P<weekday>{WEEKDAY})\b", re.IGNORECASE)
_ENGLISH_MONTHS, _ENGLISH_WEEKDAYS = lists.entries("en", "months"), lists.entries("en", "weekdays")


def _plain_value(text: str, start: int) -> str:
    found = _TO_VALUE.search(text, start) or _IS_VALUE.search(text, start)
    return _VALUE_NOISE.sub(" ", found["value"]).strip() if found else ""


def _value_after(text: str, start: int, *, changed: bool) -> str:
    """The value as values of all languages are compared: days and hours in one form, anything else as it stands."""
    found = (_TO_VALUE.search(text, start) if changed else None) or _IS_VALUE.search(text, start)
    if found is None:
        return ""
    value = found["value"]
    if date := _DATE.search(value):
        return f"{_ENGLISH_MONTHS[month_of(date['month']) - 1].capitalize()} {int(date['day'])}"
    if day := _ON_WEEKDAY.search(value):
        return _ENGLISH_WEEKDAYS[weekday_of(day["weekday"])].capitalize()
    if hour := _HOUR.search(value):
        return hour["clock"] or f"{int(hour['hour'])}:{hour['minute'] or '00'}"
    plain = " ".join(_VALUE_NOISE.sub(" ", value).split()[:_OBJECT_WORDS_MAX])
    return plain.replace(" Euro", " euros").strip(" .")


def _being(clause: _Clause) -> StatedState | None:
    if not re.search(r"\b(?:bin|ist|sind|lebe|lebt|leben|ernähre)\b", clause.text, re.IGNORECASE):
        return None
    known = _beings()
    word = next((each for each in _WORD.findall(clause.text) if each.lower() in known), None)
    return None if word is None else _state(clause, "is", known[word.lower()], f"ist {word}", topic=word)


def _ended_by(clause: _Clause) -> StatedState | None:
    """ "Habe mein Auto verkauft", "bin von vim auf Helix umgestiegen", "habe mit dem Rauchen aufgehört"."""
    text = clause.text
    if _SOLD.search(text) and (thing := _named(_THING, text)):
        return _state(clause, "sells", thing, "hat … verkauft", topic=thing, past=True)
    if _STOPPED.search(text) and _SMOKING.search(text):
        return _state(clause._replace(ended=True), "smokes", "", "raucht", topic="rauche raucht")
    if _STOPPED.search(text) and (what := _named(_GAVE_UP, text)):
        return _state(clause._replace(ended=True), "plays", what, "macht …", topic=f"spiele mache {what}")
    if _SWITCHED.search(text):
        if both := _FROM_TO.search(text):
            was, value = both["was"], both["value"].rstrip(".")
            told = f"ist von {was} auf {value} umgestiegen"
            return _state(
                clause._replace(new=False),
                "switches from",
                f"{was} to {value}",
                told,
                topic=f"nutze nutzt {was}",
                past=True,
            )
        if tool := _named(_TO_TOOL, text):
            told = "ist auf … umgestiegen"
            return _state(clause._replace(new=False), "switches to", tool, told, topic="nutze nutzt", past=True)
    return None


def _verb(clause: _Clause) -> StatedState | None:
    """What lasts until somebody says that it does not; in the perfect it is a single occasion."""
    forms = _verbs()
    words = _WORD.findall(clause.text)
    place = next((at for at, word in enumerate(words) if word.lower() in forms), None)
    if place is None or clause.past:
        return None
    verb, predicate = forms[words[place].lower()]
    if predicate == "has" and _PARTICIPLE.fullmatch(words[-1]):
        return None
    older = _OLDER.search(clause.text)
    kept = [
        word
        for at, word in enumerate(words)
        if at != place and word.lower() not in _SILENT and (older is None or word != older["was"])
    ]
    if clause.subject is not None:
        kept = [word for word in kept if word not in clause.who.split()]
    value = " ".join(kept[:_OBJECT_WORDS_MAX])
    if older is not None and value:
        value = f"{value} instead of {older['was']}"
    if not value and not (clause.ended or clause.denied):
        return None
    return _state(
        clause._replace(new=clause.new and older is None),
        predicate,
        value,
        f"{verb} …",
        topic=f"{words[place]} {verb} {value}",
    )


_PARTICIPLE = re.compile(r"(?:ge\w{2,40}|(?:be|ver|er|ent)\w{3,40}|\w{1,20}ge\w{2,40})(?:t|en)|\w{2,40}iert")


@cache
def _attributes() -> dict[str, str]:
    return _pairs("attributes")


@cache
def _beings() -> dict[str, str]:
    return _pairs("is")


@cache
def _places() -> dict[str, str]:
    return _pairs("places")


def _pairs(heading: str) -> dict[str, str]:
    return lists.pairs(lists.sections("de", "states")[heading])


@cache
def _verbs() -> dict[str, tuple[str, str]]:
    """Each form: the German third person and the verb that states are compared by."""
    out: dict[str, tuple[str, str]] = {}
    third, predicate = "", ""
    for entry in lists.sections("de", "states")["verbs"]:
        verb, _, form = entry.rpartition(": ")  # the first form of a verb stands with it
        if verb:
            third, predicate = verb.split(" = ")
        out[form] = third, predicate
    return out
