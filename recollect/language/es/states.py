"""States that a Spanish sentence speaks of: where somebody lives and works, what they are, have, like and use.

Clause by clause, by the verb. Its ending says who: "vivo" is the speaker, "vive" is somebody of theirs ("mi hermana")
or a name that stands in the clause.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from recollect.language.base import StatedState
from recollect.language.es.calendar_words import DAY, MONTH, WEEKDAY, WORDS
from recollect.language.frame.states import (
    OBJECT_WORDS_MAX,
    SPEAKER,
    WORD,
    Attribute,
    SaidOf,
    StateWords,
    StatingClause,
)
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
_DETERMINED = re.compile(r"\b(?:el|la|un|una|mi|tu|su|del|al|he|has|ha|hemos|han)\s+$", re.IGNORECASE)


STATES = StateWords(
    language="es",
    calendar=WORDS,
    clause_end=_CLAUSE_END,
    unreal=_UNREAL,
    beside=_BESIDE,
    ended=_ENDED,
    now=_NOW,
    past=_PAST,
    of_speaker=_OF_SPEAKER,
    named=_NAMED,
    of="{what} de {whose}",
    ended_mark="ya no",
    denied_mark="no",
    new_mark="ahora",
    marks_first=True,
    date=_DATE,
    weekday=_ON_WEEKDAY,
    hour=_HOUR,
    noise=_NO_LONGER_NEEDED,
)


def states_in(sentence: str) -> tuple[StatedState, ...]:
    """The states a Spanish sentence speaks of; none for most."""
    return STATES.states_in(sentence, _read)


def _read(clause: StatingClause) -> StatedState | None:
    for reader in (_home, _employer, _value_of, _left_off, _switched, _liking, _being, _verb):
        found = reader(clause)
        if found is not None:
            return found
    return None


def _who(match: re.Match[str], text: str) -> SaidOf | None:
    """Who it is said of: the verb of the first person says the speaker; else what stands before the verb.

    None of a noun that looks like a verb: "el trabajo en Madrid".
    """
    before = text[: match.start()]
    if _DETERMINED.search(before):
        return None
    return SPEAKER if match["first"] else _other_in(before)


def _other_in(before: str) -> SaidOf | None:
    return STATES.other_in(f"{before} ")


def _home(clause: StatingClause) -> StatedState | None:
    moved = _MOVED.search(clause.text)
    match = moved or _LIVES.search(clause.text)
    who = _who(match, clause.text) if match else None
    if match is None or who is None:
        return None
    place = match["value"].strip(" .")
    if moved:
        state = STATES.state(clause._replace(new=False), who, "moves to", place, past=True)
    else:
        state = STATES.state(clause, who, "lives in", place)
    return replace(state, object=state.object.replace(place, STATES.in_place(place)))


def _employer(clause: StatingClause) -> StatedState | None:
    left = _LEFT.search(clause.text)
    match = left or _JOINED.search(clause.text) or _WORKS.search(clause.text)
    who = _who(match, clause.text) if match else None
    if match is None or who is None:
        return None
    said = clause._replace(ended=True) if left else clause
    return STATES.state(said, who, "works at", match["value"].strip(" ."))


@cache
def _thing() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?P<whose>mi|nuestr[oa]|el|la)\s+(?:nuev[oa]\s+)?(?P<what>{one_of(STATES.pairs('attributes'))})\b",
        re.IGNORECASE,
    )


def _value_of(clause: StatingClause) -> StatedState | None:
    """ "Mi jefe es Pablo", "la reunión pasa al jueves", "el alquiler ha subido a 900 euros"."""
    thing = _thing().search(clause.text)
    found = _HAS_VALUE.match(clause.text, thing.end()) if thing else None
    if thing is None or found is None or clause.denied:
        return None
    value = STATES.compared(found["value"])
    if not value:
        return None
    what, of = thing["what"].lower(), (found["of"] or "").split()  # "el cumple de la abuela"
    owned = thing["whose"].lower() not in ("el", "la")
    told = STATES.of.format(what=what, whose="{}") if owned else thing[0]
    attribute = Attribute(
        name=" ".join([STATES.pairs("attributes")[what], *of]),
        told=" ".join([told, *of]),
        owned=owned,
        topic=(what, *of[1:]),
    )
    said = STATES.without_noise(found["value"])
    return STATES.value_of(clause, attribute, value=value, said=said, changed=bool(found["set"]))


def _being(clause: StatingClause) -> StatedState | None:
    match = _BE.search(clause.text)
    who = _who(match, clause.text) if match else None
    if match is None or who is None:
        return None
    after = clause.text[match.end() :].lower().split()
    known = STATES.pairs("is")
    for word in (" ".join(after[:2]).strip(" .!"), *(each.strip(".,!") for each in after[:2])):
        if word in known:
            return STATES.state(clause, who, "is", known[word], told=f"es {word}", topic=word)
    return None


def _left_off(clause: StatingClause) -> StatedState | None:
    """ "He dejado de fumar", "vendí la moto"."""
    stopped = _SMOKING.search(clause.text)
    match = stopped or _SOLD.search(clause.text)
    who = _who(match, clause.text) if match else None
    if match is None or who is None:
        return None
    if stopped is None:
        thing = match["value"].lower()
        return STATES.state(clause._replace(new=False), who, "sells", thing, topic=thing, past=True)
    what = match["what"].lower()
    verb = next((each for each in STATES.verbs().values() if each.third[:3] == what[:3]), None)
    if verb is None:
        return None
    topic = f"{verb.first} {verb.third} {what}"
    return STATES.state(clause._replace(ended=True), who, verb.predicate, "", told=verb.third, topic=topic)


def _switched(clause: StatingClause) -> StatedState | None:
    """ "Hemos pasado de Jira a Linear", "me cambié a Firefox"."""
    both = _FROM_TO.search(clause.text)
    match = both or _TO_TOOL.search(clause.text)
    who = _who(match, clause.text) if match else None
    if match is None or who is None:
        return None
    value, clause = match["value"].rstrip("."), clause._replace(new=False)
    if both is None:
        return STATES.state(clause, who, "switches to", value, past=True)
    was = both["was"]
    told, topic = f"pasó de {was} a {value}", f"uso usa {was}"
    return STATES.state(clause, who, "switches from", f"{was} to {value}", told=told, topic=topic, past=True)


def _liking(clause: StatingClause) -> StatedState | None:
    match = _LIKES.search(clause.text)
    if match is None:
        return None
    speaker = match["who"].lower() in ("me", "nos")
    by = None if speaker else _LIKED_BY.search(clause.text)
    who = SPEAKER if speaker else _other_in(clause.text[by.end() : match.start()]) if by else None
    if who is None:
        return None
    verb, predicate = ("encanta", "loves") if match["verb"].lower().startswith("encanta") else ("gusta", "likes")
    value = _kept(match["value"].split())
    topic = f"gusta gustan encanta {value}"
    found = STATES.state(clause, who, predicate, value, told=f"le {verb} …", topic=topic)
    return replace(found, content=f"a {found.content}")


def _kept(words: list[str]) -> str:
    silent = STATES.listed("silent")
    return " ".join([word for word in words if word.lower() not in silent][:OBJECT_WORDS_MAX])


def _verb(clause: StatingClause) -> StatedState | None:
    """What lasts until something else is said: a form of the first person, or one of the third with its subject."""
    words = WORD.findall(clause.text)
    at = next((place for place, word in enumerate(words) if word.lower() in STATES.verbs()), None)
    if at is None or clause.past:
        return None
    verb, speaks = STATES.verbs()[words[at].lower()], words[at].lower() in STATES.first_persons()
    if speaks and not STATES.listed("before a verb").issuperset(word.lower() for word in words[:at]):
        return None
    who = SPEAKER if speaks else _other_in(" ".join(words[:at]))
    value = _kept(words[at + 1 :])
    if who is None or not (value or clause.ended or clause.denied):
        return None
    topic = f"{words[at].lower()} {verb.third} {value}"
    return STATES.state(clause, who, verb.predicate, value, told=f"{verb.third} …", topic=topic)
