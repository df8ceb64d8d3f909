"""States that a Spanish sentence speaks of: where somebody lives and works, what they are, have, like and use.

Clause by clause, by the verb. Its ending says who: "vivo" is the speaker, "vive" is somebody of theirs ("mi hermana")
or a name that stands in the clause. What is doubted, wished for, to come or said to come beside the rest states nothing
about now and is left out: keeping two truths is better than retiring the right one.
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
from recollect.language.es.calendar_words import DAY, MONTH, WEEKDAY, month_of, number_of, weekday_of
from recollect.language.rules import one_of

_CLAUSE_END = re.compile(
    r"[,;:!.]\s|\s[-–]\s|\s(?:pero|sino|aunque|porque|así\s+que)\s|\sy\s+(?=(?:ahora|ya|yo|mi|me|nos|él|ella)\b)", re.I
)
_UNREAL = re.compile(
    r"\b(?:quizás?|tal\s+vez|a\s+lo\s+mejor|probablemente|seguramente|gustaría|encantaría|quiero|queremos|quisiera|pienso"
    r"|pensamos|planeo|plan|ojalá|espero|esperamos|podría|podríamos|si|iba\s+a|íbamos\s+a|(?:voy|va|vamos|van)\s+a"
    r"|próxim[oa]s?|que\s+viene|mañana|pronto|temporalmente|de\s+vacaciones|de\s+visita|casi|dicen\s+que|a\s+veces"
    r"|de\s+vez\s+en\s+cuando|sueño|imagina|\w{3,}ría[ns]?|\w{2,}(?:ar|er|ir)(?:é|á|emos|án))\b"
    r"|\bdurante\s+\w+\s+(?:días|semanas|meses)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"\b(?:también|además|otr[oa]s?|segund[oa]|tercer[oa]?|tanto|aparte)\b", re.IGNORECASE)
_ENDED = re.compile(r"\bya\s+no\b|\bno\b[^,;]{1,40}?\bmás\b(?!\s+(?:que|de)\b)", re.IGNORECASE)
_NOW = re.compile(
    r"\b(?:ahora|actualmente|hoy\s+en\s+día|desde\s+(?:hace|que|el|la)|por\s+fin|nuev[oa]s?|de\s+momento)\b",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:antes|antiguamente|de\s+niñ[oa]|entonces)\b", re.IGNORECASE)
_OF_SPEAKER = re.compile(
    r"\b(?i:mi|mis|nuestro|nuestra)\s+(?:nuev[oa]\s+)?(?P<what>[a-záéíóúñ]{3,20})"
    r"(?:\s+(?P<name>[A-ZÁÉÍÓÚÑ][a-záéíóúñ]+))?"
)
_NAMED = re.compile(r"(?<!\w)(?P<who>[A-ZÁÉÍÓÚÑ][a-záéíóúñ]+)(?=\s)")
_ARTICLE = r"(?:(?:el|la|los|las|un|una|mi|nuestro|nuestra|la\s+empresa|la\s+ciudad\s+de)\s+)?"
_NAME = (
    r"(?P<value>(?:(?:La|El|Los|Las)\s+)?[A-ZÁÉÍÓÚÑ0-9][\w&.'-]*"
    r"(?:\s+(?:(?:de|del|y)\s+)?(?:(?:la|los|las)\s+)?[A-ZÁÉÍÓÚÑ0-9][\w&'-]*){0,2})"
)
_LIVES = re.compile(
    rf"\b(?i:(?P<first>vivo|vivimos|resido|residimos)|viven?|residen?)\b[^,;]{{0,40}}?\ben\s+{_ARTICLE}{_NAME}"
)
_MOVED = re.compile(
    rf"\b(?i:(?P<first>me\s+mud[éo]|nos\s+mudamos|me\s+he\s+mudado|nos\s+hemos\s+mudado|me\s+trasladé|nos\s+trasladamos)"
    rf"|se\s+mud[aó]|se\s+ha\s+mudado|se\s+trasladó)\b[^,;]{{0,40}}?\ba\s+{_ARTICLE}{_NAME}"
)
_WORKS = re.compile(
    rf"\b(?i:(?P<first>trabajo|trabajamos|curro)|trabajan?|curran?)\b[^,;]{{0,40}}?\b(?:en|para|con)\s+{_ARTICLE}{_NAME}"
)
_JOINED = re.compile(
    rf"\b(?i:(?P<first>empecé|he\s+empezado|entré|he\s+entrado|empecé\s+a\s+trabajar|me\s+contrataron)"
    rf"|empezó|ha\s+empezado|entró|ha\s+entrado)\s+(?i:a\s+trabajar\s+)?(?:en|para)\s+{_ARTICLE}{_NAME}"
)
_LEFT = re.compile(
    rf"\b(?i:(?P<first>renuncié|he\s+renunciado|dejé|he\s+dejado|me\s+despidieron|me\s+fui)|renunció|dejó|ha\s+dejado)\b"
    rf"[^,;]{{0,40}}?\b(?:en|de)\s+{_ARTICLE}{_NAME}"
)
_LIKES = re.compile(
    r"\b(?P<who>me|nos|le|les)\s+(?P<verb>gustan?|encantan?)\s+(?:mucho\s+|más\s+)?(?P<value>[^,;.!?]{2,60})",
    re.IGNORECASE,
)
_LIKED_BY = re.compile(r"\ba\s+(?=mi\b|[A-ZÁÉÍÓÚÑ])", re.IGNORECASE)
_SMOKING = re.compile(
    r"\b(?:(?P<first>dejé|he\s+dejado|hemos\s+dejado|dejamos)|dejó|ha\s+dejado)\s+de\s+(?P<what>\w{3,20}r)\b",
    re.IGNORECASE,
)
_SOLD = re.compile(
    r"\b(?:(?P<first>vendí|he\s+vendido|vendimos|hemos\s+vendido)|vendió|ha\s+vendido)\s+(?:mi|el|la|nuestro|nuestra)\s+"
    r"(?P<value>[a-záéíóúñ]{3,20})",
    re.IGNORECASE,
)
_FROM_TO = re.compile(
    r"\b(?:(?P<first>(?:me\s+)?(?:pasé|cambié)|(?:me\s+)?he\s+(?:pasado|cambiado)|(?:nos\s+)?hemos\s+(?:pasado|cambiado)"
    r"|(?:nos\s+)?(?:pasamos|cambiamos))|(?:se\s+)?ha\s+(?:pasado|cambiado)|(?:se\s+)?(?:pasó|cambió))\s+de\s+"
    r"(?P<was>[\w.+#&-]+)\s+a\s+(?P<value>[\w.+#-]+)",
    re.IGNORECASE,
)
_TO_TOOL = re.compile(
    r"\b(?i:(?P<first>me\s+(?:pasé|cambié|he\s+pasado|he\s+cambiado))|se\s+(?:pasó|cambió))\s+a\s+"
    r"(?P<value>[A-ZÁÉÍÓÚÑ][\w.+#-]*)"
)
_BE = re.compile(r"\b(?:(?P<first>soy|estoy|somos|estamos)|es|está|son|están)\s+(?:ya\s+|ahora\s+)?", re.IGNORECASE)
_HAS_VALUE = re.compile(
    r"\s{1,3}(?:(?P<of>de(?:l|\s)[\w ]{1,30}?)\s{1,3})?(?:(?:ahora|ya)\s{1,3})?"
    r"(?:(?P<set>se\s{1,3}(?:aplaza|cambia|mueve|adelanta|retrasa)|pasa|ha\s{1,3}(?:subido|bajado|cambiado|pasado)|subió|bajó|cambió|pasó"
    r"|se\s{1,3}ha\s{1,3}(?:aplazado|cambiado|movido))\s{1,3}(?:a\s{1,3}ser\s{1,3})?(?:al?\s{1,3})?"
    r"|(?:es|son|está|se\s{1,3}llama|cuesta|será)\s{1,3})(?:ahora\s{1,3})?(?P<value>\S[^,;!?]{0,60})",
    re.IGNORECASE,
)
_NO_LONGER_NEEDED = re.compile(r"\b(?:ahora|ya|el|la|los|las|un|una|a|al|en|de\s+momento)\b|[.!]$", re.IGNORECASE)
_DATE = re.compile(rf"(?P<day>{DAY})\s+de\s+(?P<month>{MONTH})", re.IGNORECASE)
_ON_WEEKDAY = re.compile(rf"\b(?P<weekday>{WEEKDAY})\b", re.IGNORECASE)
_HOUR = re.compile(r"\blas?\s+(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\b|\b(?P<clock>\d{1,2}:\d\d)\b", re.IGNORECASE)
_ENGLISH_MONTHS, _ENGLISH_WEEKDAYS = lists.entries("en", "months"), lists.entries("en", "weekdays")
_WORD = re.compile(r"\w(?:[\w+#'-]|\.(?=\w))*")
_OBJECT_WORDS_MAX = 4
_OF_SPEAKER_ENGLISH = "{}'s"
# Words by which a question is about it: of the speaker, and of somebody else.
_HOME, _WORK = ("vivo vive ciudad", "vive ciudad"), ("trabajo trabaja empresa", "trabaja empresa")


class _SpanishClause(NamedTuple):
    text: str
    start: int
    ended: bool
    denied: bool
    new: bool
    past: bool


class _Who(NamedTuple):
    subject: str | None  # None: the speaker
    told: str  # as Spanish text has it, with `{}` for the speaker


_SPEAKER = _Who(None, "{}")
_DETERMINED = re.compile(r"\b(?:el|la|un|una|mi|tu|su|del|al|he|has|ha|hemos|han)\s+$", re.IGNORECASE)


def states_in(sentence: str) -> tuple[StatedState, ...]:
    """The states a Spanish sentence speaks of; none for most."""
    return tuple(state for clause in _clauses(sentence) if (state := _read(clause)) is not None)


def _clauses(sentence: str) -> Iterator[_SpanishClause]:
    begin = 0
    for end in [match.start() for match in _CLAUSE_END.finditer(sentence)] + [len(sentence)]:
        text = sentence[begin:end]
        if text.strip() and not _UNREAL.search(text) and not _BESIDE.search(text):
            ended = _ENDED.search(text) is not None
            yield _SpanishClause(
                text=text,
                start=begin,
                ended=ended,
                denied=denies("es", text),
                new=_NOW.search(text) is not None,
                past=_PAST.search(text) is not None,
            )
        begin = end


def _who(match: re.Match[str], text: str) -> _Who | None:
    """Who it is said of: the verb of the first person says the speaker; else what stands before the verb.

    None of a noun that looks like a verb: "el trabajo en Madrid".
    """
    before = text[: match.start()]
    if _DETERMINED.search(before):
        return None
    return _SPEAKER if match["first"] else _other_in(before)


def _other_in(text: str) -> _Who | None:
    """Somebody of the speaker's or a name; None if there is none."""
    if owned := _OF_SPEAKER.search(text):
        what = owned["what"].lower()
        return (
            _Who(owned["name"], owned["name"])
            if owned["name"]
            else _Who(f"{{}}'s {_attributes().get(what, what)}", f"{what} de {{}}")
        )
    for named in _NAMED.finditer(f"{text} "):
        if named["who"].lower() not in _words("no names"):
            return _Who(named["who"], named["who"])
    return None


def _read(clause: _SpanishClause) -> StatedState | None:
    for reader in (_home, _employer, _value_of, _left_off, _switched, _liking, _being, _verb):
        found = reader(clause)
        if found is not None:
            return found
    return None


def _state(
    clause: _SpanishClause, who: _Who | None, predicate: str, value: str, told: str, *, topic: str, past: bool = False
) -> StatedState | None:
    """`told` is the Spanish predicate with `…` where the value stands; what denies it stands before its verb."""
    if who is None:
        return None
    before = "ya no " if clause.ended else "no " if clause.denied else "ahora " if clause.new and not past else ""
    return StatedState(
        subject=who.subject,
        predicate=predicate,
        object=f"{value} now" if clause.new and not clause.ended and not past and value else value,
        content=" ".join(f"{who.told} {before}{told}".replace("…", value).split()),
        denied=clause.denied and not clause.ended,
        ended=clause.ended,
        past=past or clause.past,
        topic=tuple(topic.split()),
        span=(clause.start, clause.start + len(clause.text)),
    )


def _topic(of: tuple[str, str], who: _Who | None) -> str:
    return of[0] if who is _SPEAKER else of[1]


def _home(clause: _SpanishClause) -> StatedState | None:
    moved = _MOVED.search(clause.text)
    match = moved or _LIVES.search(clause.text)
    if match is None:
        return None
    who, place = _who(match, clause.text), match["value"].strip(" .")
    predicate, told = ("moves to", "se mudó a …") if moved else ("lives in", "vive en …")
    state = _state(clause, who, predicate, place, told, topic=_topic(_HOME, who), past=moved is not None)
    return state and _in_place(state, place)


def _in_place(state: StatedState, place: str) -> StatedState:
    """With the name that a town or a country has in English, by which places are known."""
    english = _pairs("places").get(place.lower(), place)
    return replace(state, object=state.object.replace(place, english))


def _employer(clause: _SpanishClause) -> StatedState | None:
    if match := _LEFT.search(clause.text):
        who = _who(match, clause.text)
        value = match["value"].strip(" .")
        return _state(clause._replace(ended=True), who, "works at", value, "trabaja en …", topic=_topic(_WORK, who))
    match = _JOINED.search(clause.text) or _WORKS.search(clause.text)
    if match is None:
        return None
    who = _who(match, clause.text)
    return _state(clause, who, "works at", match["value"].strip(" ."), "trabaja en …", topic=_topic(_WORK, who))


@cache
def _thing() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?P<whose>mi|nuestr[oa]|el|la)\s+(?:nuev[oa]\s+)?(?P<what>{one_of(_attributes())})\b", re.IGNORECASE
    )


def _value_of(clause: _SpanishClause) -> StatedState | None:
    """ "Mi jefe es Pablo", "la reunión pasa al jueves", "el alquiler ha subido a 900 euros"."""
    thing = _thing().search(clause.text)
    found = _HAS_VALUE.match(clause.text, thing.end()) if thing else None
    if thing is None or found is None or clause.denied:
        return None
    value = _compared(found["value"])
    if not value:
        return None
    what = thing["what"].lower()
    owned = thing["whose"].lower() not in ("el", "la")
    of = " ".join((found["of"] or "").split())  # "el cumple de la abuela"
    new = bool(found["set"]) or clause.new
    said = " ".join(_NO_LONGER_NEEDED.sub(" ", found["value"]).split())
    return StatedState(
        subject=" ".join([_OF_SPEAKER_ENGLISH if owned else "the", _attributes()[what], *of.split()]),
        predicate="moves to" if found["set"] else "is",
        object=f"{value} now" if new else value,
        content=" ".join(f"{f'{what} de {{}}' if owned else thing[0]} {of} {'ahora' if new else ''} es {said}".split()),
        past=bool(found["set"]),
        topic=(what, *of.split()[1:]),
        span=(clause.start, clause.start + len(clause.text)),
    )


def _compared(value: str) -> str:
    """The value as values of all languages are compared: days and hours in one form, anything else as it stands."""
    if date := _DATE.search(value):
        return f"{_ENGLISH_MONTHS[month_of(date['month']) - 1].capitalize()} {int(number_of(date['day']))}"
    if day := _ON_WEEKDAY.search(value):
        return _ENGLISH_WEEKDAYS[weekday_of(day["weekday"])].capitalize()
    if hour := _HOUR.search(value):
        return hour["clock"] or f"{int(hour['hour'])}:{hour['minute'] or '00'}"
    plain = " ".join(_NO_LONGER_NEEDED.sub(" ", value).split()[:_OBJECT_WORDS_MAX])
    return plain.strip(" .")


def _being(clause: _SpanishClause) -> StatedState | None:
    match = _BE.search(clause.text)
    if match is None:
        return None
    after = clause.text[match.end() :].lower().split()
    known = _pairs("is")
    for word in (" ".join(after[:2]).strip(" .!"), *(each.strip(".,!") for each in after[:2])):
        if word in known:
            return _state(clause, _who(match, clause.text), "is", known[word], f"es {word}", topic=word)
    return None


def _left_off(clause: _SpanishClause) -> StatedState | None:
    """ "He dejado de fumar", "vendí la moto"."""
    if match := _SMOKING.search(clause.text):
        what = match["what"].lower()
        forms = next((each for each in _verbs().values() if each.third[:3] == what[:3]), None)
        if forms is None:
            return None
        who = _who(match, clause.text)
        ended = clause._replace(ended=True)
        return _state(ended, who, forms.predicate, "", forms.third, topic=f"{forms.first} {forms.third} {what}")
    if match := _SOLD.search(clause.text):
        thing = match["value"].lower()
        return _state(clause, _who(match, clause.text), "sells", thing, "vendió su …", topic=thing, past=True)
    return None


def _switched(clause: _SpanishClause) -> StatedState | None:
    """ "Hemos pasado de Jira a Linear", "me cambié a Firefox"."""
    if match := _FROM_TO.search(clause.text):
        was, value = match["was"], match["value"].rstrip(".")
        told, topic = f"pasó de {was} a {value}", f"uso usa {was}"
        return _state(
            clause, _who(match, clause.text), "switches from", f"{was} to {value}", told, topic=topic, past=True
        )
    if match := _TO_TOOL.search(clause.text):
        value = match["value"].rstrip(".")
        return _state(clause, _who(match, clause.text), "switches to", value, "pasó a …", topic="uso usa", past=True)
    return None


def _liking(clause: _SpanishClause) -> StatedState | None:
    match = _LIKES.search(clause.text)
    if match is None:
        return None
    speaker = match["who"].lower() in ("me", "nos")
    by = None if speaker else _LIKED_BY.search(clause.text)
    who = _SPEAKER if speaker else _other_in(clause.text[by.end() : match.start()]) if by else None
    verb, predicate = ("encanta", "loves") if match["verb"].lower().startswith("encanta") else ("gusta", "likes")
    value = " ".join(
        [word for word in match["value"].split() if word.lower() not in _words("silent")][:_OBJECT_WORDS_MAX]
    )
    found = _state(clause, who, predicate, value, f"le {verb} …", topic=f"gusta gustan encanta {value}")
    return found and replace(found, content=f"a {found.content}")


class _Verb(NamedTuple):
    first: str
    third: str
    predicate: str


def _verb(clause: _SpanishClause) -> StatedState | None:
    """What lasts until something else is said: a form of the first person, or one of the third with its subject."""
    words = _WORD.findall(clause.text)
    at = next((place for place, word in enumerate(words) if word.lower() in _verbs()), None)
    if at is None or clause.past:
        return None
    verb, speaks = _verbs()[words[at].lower()], words[at].lower() in _first_persons()
    if speaks and not _words("before a verb").issuperset(word.lower() for word in words[:at]):
        return None
    who = _SPEAKER if speaks else _other_in(" ".join(words[:at]))
    value = " ".join(word for word in words[at + 1 :] if word.lower() not in _words("silent"))
    value = " ".join(value.split()[:_OBJECT_WORDS_MAX])
    if not value and not (clause.ended or clause.denied):
        return None
    topic = f"{words[at].lower()} {verb.third} {value}"
    return _state(clause, who, verb.predicate, value, f"{verb.third} …", topic=topic)


def _words(heading: str) -> frozenset[str]:
    return lists.sets("es", "states")[heading]


@cache
def _attributes() -> dict[str, str]:
    return _pairs("attributes")


@cache
def _pairs(heading: str) -> dict[str, str]:
    return lists.pairs(lists.sections("es", "states")[heading])


@cache
def _verbs() -> dict[str, _Verb]:
    """Each form: the Spanish first and third person and the verb that states are compared by."""
    out: dict[str, _Verb] = {}
    for entry in lists.sections("es", "states")["verbs"]:
        said, _, forms = entry.partition(": ")
        third, _, predicate = said.partition(" = ")
        firsts, _, thirds = (part.strip() for part in forms.partition("/"))
        verb = _Verb(firsts.split()[0], third, predicate)
        out |= dict.fromkeys([*firsts.split(), *thirds.split()], verb)
    return out


@cache
def _first_persons() -> frozenset[str]:
    forms = (entry.partition(": ")[2].partition("/")[0] for entry in lists.sections("es", "states")["verbs"])
    return frozenset(form for each in forms for form in each.split())
