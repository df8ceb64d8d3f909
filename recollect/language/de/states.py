"""States that a German sentence speaks of: where somebody lives and works, what they are, have, like and use.

Clause by clause, by the verb. The subject is the speaker ("ich"), somebody of theirs ("meine Schwester") or a name.
"""

from __future__ import annotations

import re
from dataclasses import replace

from recollect.language.base import StatedState
from recollect.language.de.calendar_words import MONTH, WEEKDAY, WORDS
from recollect.language.frame.states import (
    OBJECT_WORDS_MAX,
    SPEAKER,
    WORD,
    Attribute,
    SaidOf,
    StateWords,
    StatingClause,
)

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
_BY_SPEAKER = re.compile(r"\b(?:ich|wir)\b|^\W*(?:bin|habe?)\b", re.IGNORECASE)  # "Bin umgezogen"
_OF_SPEAKER = re.compile(
    r"\b(?:mein|unser)(?:e[nrsm]?)?\s+(?:neue[nrsm]?\s+)?(?P<what>[A-ZÄÖÜ][\w-]+)(?=\s)", re.IGNORECASE
)
_NAMED = re.compile(r"(?<![\w])(?P<who>[A-ZÄÖÜ][a-zäöüß]+)(?=\s)")
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
_COMPOUND_CHARS = 5  # of the last part of a compound, at least
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
_PARTICIPLE = re.compile(r"(?:ge\w{2,40}|(?:be|ver|er|ent)\w{3,40}|\w{1,20}ge\w{2,40})(?:t|en)|\w{2,40}iert")
_IS = re.compile(r"\b(?:bin|ist|sind|lebe|lebt|leben|ernähre)\b", re.IGNORECASE)


STATES = StateWords(
    language="de",
    calendar=WORDS,
    clause_end=_CLAUSE_END,
    unreal=_UNREAL,
    beside=_BESIDE,
    ended=_ENDED,
    now=_NOW,
    past=_PAST,
    of_speaker=_OF_SPEAKER,
    named=_NAMED,
    of="{what} von {whose}",
    ended_mark="nicht mehr",
    denied_mark="nicht",
    new_mark="jetzt",
    marks_first=False,
    date=_DATE,
    weekday=_ON_WEEKDAY,
    hour=_HOUR,
    noise=_VALUE_NOISE,
)


def states_in(sentence: str) -> tuple[StatedState, ...]:
    """The states a German sentence speaks of; none for most."""
    return STATES.states_in(sentence, _read)


def _read(clause: StatingClause) -> StatedState | None:
    who = SPEAKER if _BY_SPEAKER.search(clause.text) else STATES.other_in(clause.text)
    if who is None:
        return None
    for reader in (_home, _employer, _company, _attribute, _being, _ended_by, _verb):
        found = reader(clause, who)
        if found is not None:
            return found
    return None


def _named(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return match["value"].strip(" .") if match else None


def _home(clause: StatingClause, who: SaidOf) -> StatedState | None:
    if _MOVED.search(clause.text) and (place := _named(_TO_PLACE, clause.text)):
        return _at_place(clause, who, "moves to", place, past=True)
    lives = _LIVES.search(clause.text)
    if lives and (place := _named(_IN, clause.text[lives.end() :]) or _named(_IN, clause.text)):
        return _at_place(clause, who, "lives in", place)
    return None


def _at_place(clause: StatingClause, who: SaidOf, predicate: str, place: str, *, past: bool = False) -> StatedState:
    state = STATES.state(clause, who, predicate, place, past=past)
    return replace(state, object=state.object.replace(place, STATES.in_place(place), 1))


def _employer(clause: StatingClause, who: SaidOf) -> StatedState | None:
    text = clause.text
    if (own := _OWN_EMPLOYER.search(text)) and not clause.denied:
        return STATES.state(clause, SPEAKER, "works at", own["value"].strip(" ."))
    works = _WORKS.search(text) is not None
    if works and (where := _named(_AT, text)):
        return STATES.state(clause, who, "works at", where)
    if works and (job := _named(_AS, text)) and not clause.denied:
        return _of(clause, who, "job", job, told="arbeitet als …", topic=_asked_of_work(who))
    if _LEFT.search(text) and (where := _named(_AT, text)):
        return STATES.state(clause, who, "leaves", where, past=True)
    if _JOINED.search(text) and not _FROM_TO.search(text) and (where := _named(_JOINED_AT, text)):
        return STATES.state(clause, who, "joins", where, past=True)
    return None


def _asked_of_work(who: SaidOf) -> str:
    own, _, others = STATES.pairs("topics")["works at"].partition(" / ")
    return own if who is SPEAKER else others


def _company(clause: StatingClause, who: SaidOf) -> StatedState | None:
    """With whom somebody is, and what they study: one at a time."""
    if (partner := _named(_TOGETHER, clause.text)) and not clause.denied:
        return _of(clause, who, "partner", partner, told="ist mit … zusammen", topic="zusammen partner")
    if (major := _named(_STUDIES, clause.text)) and not clause.denied and not clause.past:
        return _of(clause, who, "major", major, told="studiert …", topic="studiere studiert fach")
    return None


def _of(clause: StatingClause, who: SaidOf, what: str, value: str, *, told: str, topic: str) -> StatedState:
    """Something of the subject's: "the user's job is …"."""
    owner = "{}" if who.subject is None else who.subject
    return replace(STATES.state(clause, who, "is", value, told=told, topic=topic), subject=f"{owner}'s {what}")


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


def _attribute(clause: StatingClause, who: SaidOf) -> StatedState | None:
    """ "Meine Nummer ist …", "der Termin wurde auf Freitag verschoben"."""
    known, text = STATES.pairs("attributes"), clause.text
    thing = next((each for each in _THE_THING.finditer(text) if _known_as(each["what"], known)), None)
    changed = _SET.search(text) is not None
    if thing is None or clause.denied or not (changed or _BE.search(text)):
        return None
    to, plain = _TO_VALUE.search(text, thing.end()), _IS_VALUE.search(text, thing.end())
    found = (to if changed else None) or plain
    value = STATES.compared(found["value"]).replace(" Euro", " euros") if found else ""
    if not value:
        return None
    name = _known_as(thing["what"], known)
    if name == "appointment" and (at := _APPOINTMENT_AT.match(text, thing.end())):
        name = f"{at['where'].lower()} appointment"
    owned = thing[0].lower().startswith(("mein", "unser"))
    told = STATES.of.format(what=thing["what"], whose="{}") if owned else thing[0]
    attribute = Attribute(name=name, told=told, owned=owned, topic=(thing["what"],))
    said = to or plain
    return STATES.value_of(
        clause, attribute, value=value, said=STATES.without_noise(said["value"]) if said else "", changed=changed
    )


def _being(clause: StatingClause, who: SaidOf) -> StatedState | None:
    if not _IS.search(clause.text):
        return None
    known = STATES.pairs("is")
    word = next((each for each in WORD.findall(clause.text) if each.lower() in known), None)
    return (
        None if word is None else STATES.state(clause, who, "is", known[word.lower()], told=f"ist {word}", topic=word)
    )


def _ended_by(clause: StatingClause, who: SaidOf) -> StatedState | None:
    """ "Habe mein Auto verkauft", "bin von vim auf Helix umgestiegen", "habe mit dem Rauchen aufgehört"."""
    text, ended = clause.text, clause._replace(ended=True)
    if _SOLD.search(text) and (thing := _named(_THING, text)):
        return STATES.state(clause, who, "sells", thing, topic=thing, past=True)
    if _STOPPED.search(text) and _SMOKING.search(text):
        return STATES.state(ended, who, "smokes", "", told="raucht", topic="rauche raucht")
    if _STOPPED.search(text) and (what := _named(_GAVE_UP, text)):
        return STATES.state(ended, who, "plays", what, told="macht …", topic=f"spiele mache {what}")
    return _switched(clause._replace(new=False), who) if _SWITCHED.search(text) else None


def _switched(clause: StatingClause, who: SaidOf) -> StatedState | None:
    if both := _FROM_TO.search(clause.text):
        was, value = both["was"], both["value"].rstrip(".")
        told, topic = f"ist von {was} auf {value} umgestiegen", f"nutze nutzt {was}"
        return STATES.state(clause, who, "switches from", f"{was} to {value}", told=told, topic=topic, past=True)
    tool = _named(_TO_TOOL, clause.text)
    return STATES.state(clause, who, "switches to", tool, past=True) if tool else None


def _verb(clause: StatingClause, who: SaidOf) -> StatedState | None:
    """What lasts until somebody says that it does not; in the perfect it is a single occasion."""
    words = WORD.findall(clause.text)
    place = next((at for at, word in enumerate(words) if word.lower() in STATES.verbs()), None)
    if place is None or clause.past:
        return None
    verb = STATES.verbs()[words[place].lower()]
    if verb.predicate == "has" and _PARTICIPLE.fullmatch(words[-1]):
        return None
    older = _OLDER.search(clause.text)
    silent = STATES.listed("silent")
    kept = [
        word
        for at, word in enumerate(words)
        if at != place and word.lower() not in silent and (older is None or word != older["was"])
    ]
    if who is not SPEAKER:
        kept = [word for word in kept if word not in who.told.split()]
    value = " ".join(kept[:OBJECT_WORDS_MAX])
    if older is not None and value:
        value = f"{value} instead of {older['was']}"
    if not value and not (clause.ended or clause.denied):
        return None
    topic = f"{words[place]} {verb.third} {value}"
    new = clause._replace(new=clause.new and older is None)
    return STATES.state(new, who, verb.predicate, value, told=f"{verb.third} …", topic=topic)
