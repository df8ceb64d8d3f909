"""Spanish phrases that name a piece of the calendar: "3 de mayo de 2021", "la semana pasada", "hace dos días".

Which one is meant stands before the noun or behind it: "el próximo lunes", "el lunes que viene".
"""

from __future__ import annotations

import re
from datetime import timedelta

from recollect.language import numeric_dates
from recollect.language.calendar import Stretch
from recollect.language.es.calendar_words import (
    AMOUNT,
    COUNT,
    DAY,
    DAY_PARTS,
    MONTH,
    MONTH_ANY,
    MONTH_WORDS,
    NUMBERS,
    ORDINAL,
    SEASONS,
    UNIT,
    UNIT_WORDS,
    WEEKDAY,
    WEEKDAY_WORDS,
    WORDS,
)
from recollect.language.frame.phrases import PhraseReader, Phrases
from recollect.language.holidays import holidays_of
from recollect.language.numeric_dates import DIGITS, NUMBER_DAY, NUMBER_MONTH, YEAR
from recollect.language.resolving import CalendarReading, Part
from recollect.language.rules import Match, PhraseRule, one_of

_BEFORE = {"este": 0, "esta": 0, "próxim": 1, "proxim": 1, "últim": -1, "ultim": -1, "pasad": -1, "penúltim": -2}
_BEHIND = {
    "pasad": -1,
    "anterior": -1,
    "antepasad": -2,
    "que viene": 1,
    "que entra": 1,
    "entrante": 1,
    "próxim": 1,
    "proxim": 1,
    "siguiente": 1,
    "en curso": 0,
    "actual": 0,
}
WHICH = rf"(?:(?:{one_of(_BEFORE)})[oa]?)"
_SHIFT_FORMS = {stem + end: shift for stem, shift in (_BEFORE | _BEHIND).items() for end in ("", "o", "a", "os", "as")}
BEHIND = rf"(?:(?:{one_of(_BEHIND)})[oa]?)"
_ARTICLE = r"(?:(?:el|la|los|las) )?"
_PARTS: dict[str, Part] = {
    "principio": "early",
    "principios": "early",
    "comienzos": "early",
    "comienzo": "early",
    "inicio": "early",
    "inicios": "early",
    "mediados": "mid",
    "finales": "late",
    "final": "late",
    "fines": "late",
}
PART = rf"(?:(?:(?:a|en) )?(?:el )?(?P<part>{one_of(_PARTS)}) de(?:l)? )"
_NAMED_DAYS = {
    "antes de ayer": -2,
    "anteayer": -2,
    "antier": -2,
    "ayer": -1,
    "hoy": 0,
    "mañana": 1,
    "manana": 1,
    "pasado mañana": 2,
    "pasado manana": 2,
}
_NIGHTS = {"anoche": -1, "anteanoche": -2, "antenoche": -2}
_COUNTED = re.compile(r"\s+(?:[a-záéíóúñ]+s\b|euros?\b|por\s+ciento\b|km\b|kg\b)|[%€$-]\w", re.IGNORECASE)
_NOT_TOMORROW = re.compile(r"\b(?:la|esta|una|cada|aquella|otra|ayer|hoy|media|buena|toda)\s+$", re.IGNORECASE)
_CUE = one_of(
    "en desde hasta de del para por antes después tras entre y o a el los las este durante todo sobre hacia año".split()
)
_WORD = re.compile(r"[a-záéíóúüñ]+|\d")
_PLAIN = frozenset("en el la los las de del a al por día dia año durante".split())
_DECADES = {word: number for word, number in NUMBERS.items() if number in range(20, 100, 10)}
READ = PhraseReader(
    language="es",
    words=WORDS,
    shifts=_SHIFT_FORMS,
    parts=_PARTS,
    named_days=_NAMED_DAYS,
    parts_of_year={"trimestre": 3, "cuatrimestre": 4, "semestre": 6},
    decades=_DECADES,
    counted=_COUNTED,
    year_cues=frozenset(["año", "años", "desde"]),
)
_HOLIDAYS = holidays_of("es")
_HOLIDAY_WORDS = frozenset(name.split()[-1] for name in _HOLIDAYS)


def _month(match: Match, reading: CalendarReading) -> Stretch | None:
    groups = match.groupdict()
    told = any(groups.get(name) for name in ("cue", "part", "which", "behind", "year", "of"))
    if reading.strict and not told and match["month"][0].isupper():
        return None  # months are written small; "Julio" and "Abril" are names
    return READ.month(match, reading)


def _named_day(match: Match, reading: CalendarReading) -> Stretch | None:
    word = " ".join(match["day"].lower().split())
    alone = reading.strict and word in ("mañana", "manana")
    if alone and _NOT_TOMORROW.search(match.string, max(0, match.start() - 12), match.start()):
        return None  # the morning
    return READ.named_day(match, reading)


def _night(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Anoche" began yesterday."""
    return READ.part_of_day(reading.now + timedelta(days=_NIGHTS[match["night"].lower()]), "noche")


def _part_of_today(match: Match, reading: CalendarReading) -> Stretch | None:
    """ "Esta mañana", "esta noche"."""
    return READ.part_of_day(reading.now, match["daypart"])


_WEEKDAY_BEFORE = rf"(?:(?P<weekday>{WEEKDAY}),? )?(?:día )?"
_YEAR_BEFORE = rf"(?:(?:el )?año (?P<in_year>{BEHIND}),? (?:(?:en|por) )?(?:el |la )?)?"  # el año pasado en …
_OF_YEAR = rf"(?:,? (?:del? )?(?:año )?(?P<year>{YEAR})| del año (?P<of>{BEHIND})| de (?:este|esto) año)?"
_DATES = (
    numeric_dates.ISO_MOMENT,
    numeric_dates.ISO_DATE,
    numeric_dates.ISO_MONTH,
    PhraseRule(  # 28/10/2025, lunes 3-11-25
        words=DIGITS,
        read=READ.date,
        pattern=rf"{_WEEKDAY_BEFORE}(?P<day>{NUMBER_DAY})(?P<dot>[-/.])(?P<month>{NUMBER_MONTH})(?P=dot)(?P<year>{YEAR}|\d\d)",
    ),
    PhraseRule(  # el 28/10
        words=DIGITS,
        floats=True,
        read=READ.date,
        pattern=rf"(?:el|del|al|día|este|{WEEKDAY}) (?P<it>(?P<day>{NUMBER_DAY})/(?P<month>{NUMBER_MONTH}))",
    ),
    PhraseRule(  # del 10 al 21 de noviembre, entre el 3 y el 5 de mayo de 2021
        words=MONTH_WORDS,
        floats=True,
        read=READ.days_of_month,
        pattern=rf"(?:(?:del?|desde el|entre el) )?(?:día )?(?P<day>{DAY})"
        rf"(?:\s?[-–]\s?| al? | hasta el | y el )(?:día )?(?P<last>{DAY}) de (?P<month>{MONTH}){_OF_YEAR}",
    ),
    PhraseRule(  # 3 de mayo de 2021, lunes tres de mayo
        words=MONTH_WORDS,
        floats=True,
        read=READ.date,
        pattern=rf"(?:(?:pasado|próximo) )?{_WEEKDAY_BEFORE}(?P<day>{DAY}) (?:de )?(?P<month>{MONTH_ANY}){_OF_YEAR}",
    ),
    PhraseRule(  # el día 20
        words=frozenset(["día", "dia"]),
        floats=True,
        read=READ.day_of_month,
        pattern=rf"(?:el|del|al) d[ií]a (?P<it>(?P<day>{DAY}))(?! de {MONTH})",
    ),
    PhraseRule(  # el 20, where nothing follows that it counts
        words=DIGITS,
        floats=True,
        read=READ.day_of_month,
        pattern=r"(?:el|del|al) (?P<it>(?P<day>[12]\d|3[01]|[1-9]))"
        r"(?=\s*(?:$|[.,;!?)](?!\d)|(?:a|por|y|me|nos|te|se|hay|es)\b))",
    ),
    PhraseRule(  # viernes 13
        words=WEEKDAY_WORDS,
        beside=DIGITS,
        read=READ.day_of_month,
        pattern=rf"(?P<weekday>{WEEKDAY}),? (?:día )?(?P<day>[12]\d|3[01]|[1-9])(?! de {MONTH})(?![\d:/])",
    ),
)
_MONTHS_AND_LONGER = (
    PhraseRule(  # en mayo, a principios de mayo de 2021, mayo pasado, marzo del año pasado
        words=MONTH_WORDS,
        floats=True,
        read=_month,
        pattern=rf"(?:(?P<cue>{_CUE}) )?(?P<it>{_YEAR_BEFORE}{PART}?(?:(?P<which>{WHICH}) )?(?P<month>{MONTH})"
        rf"(?: (?P<behind>{BEHIND})\b)?{_OF_YEAR})",
    ),
    PhraseRule(  # 2021, en el año 2021, a principios de 2021
        words=DIGITS,
        read=READ.year,
        pattern=rf"(?:(?P<cue>(?:(?:{_CUE}) )?(?:(?:el|del) )?año|{_CUE}) )?(?P<it>{PART}?(?P<year>{YEAR}))(?![-–]\d)",
    ),
    PhraseRule(  # los años 90, los noventa, la década de los 80
        words=DIGITS | frozenset(NUMBERS),
        beside=frozenset(["los", "años", "década"]),
        read=READ.decade,
        pattern=rf"{PART}?(?:la década de )?(?:los (?:años )?|años )(?P<decade>(?:1[89]|20)?\d0|"
        rf"{one_of(_DECADES)})"
        rf"(?!\s+(?!(?:y|del|nos|los|las|es|más)\b)[a-zñ]+[aeo]s\b)",
    ),
    PhraseRule(  # el verano pasado, en el verano de 2019
        words=frozenset(SEASONS),
        floats=True,
        read=READ.season,
        pattern=rf"(?:(?P<cue>en|desde|hasta|para|durante|tras|antes de|después de|de|el|la|del) )?(?:el |la )?"
        rf"(?P<it>{_YEAR_BEFORE}{PART}?(?:(?P<which>{WHICH}) )?(?P<season>{one_of(SEASONS)})"
        rf"(?: (?P<behind>{BEHIND})\b)?{_OF_YEAR})",
    ),
    PhraseRule(  # el primer trimestre de 2025, el segundo semestre del año pasado
        words=frozenset(["trimestre", "cuatrimestre", "semestre"]),
        floats=True,
        read=READ.quarter,
        pattern=rf"(?P<number>{ORDINAL}) (?P<unit>trimestre|cuatrimestre|semestre){_OF_YEAR}",
    ),
    PhraseRule(  # T1 de 2025, 3T
        words=frozenset("t"),
        beside=DIGITS,
        floats=True,
        read=READ.quarter,
        pattern=rf"t(?P<number>[1-4])(?:[ /-](?:de(?:l)? )?(?P<year>{YEAR}|['’]?\d\d))",
    ),
    PhraseRule(
        words=frozenset(["semana"]),
        beside=DIGITS,
        read=READ.week_number,
        pattern=rf"semana (?P<number>[1-4]\d|5[0-3]|0?[1-9])(?: del? (?P<year>{YEAR}))?",
    ),
    PhraseRule(  # la primera semana de diciembre
        words=frozenset(["semana"]),
        beside=MONTH_WORDS,
        floats=True,
        read=READ.week_of_month,
        pattern=rf"(?:la )?(?P<nth>{ORDINAL}) semana de (?P<month>{MONTH}){_OF_YEAR}",
    ),
    PhraseRule(  # la Navidad pasada, Semana Santa de 2025
        words=_HOLIDAY_WORDS,
        floats=True,
        read=READ.holiday,
        pattern=rf"{_YEAR_BEFORE}(?:(?P<which>{WHICH})s? )?(?P<holiday>{one_of(_HOLIDAYS)})"
        rf"(?: (?P<behind>{BEHIND})s?\b)?{_OF_YEAR}",
    ),
)
_RELATIVE = (
    PhraseRule(
        words=frozenset(["ayer", "anteayer", "antier", "hoy", "mañana", "manana"]),
        read=_named_day,
        pattern=rf"(?P<day>{one_of(_NAMED_DAYS)})",
    ),
    PhraseRule(words=frozenset(_NIGHTS), read=_night, pattern=rf"(?P<night>{one_of(_NIGHTS)})"),
    PhraseRule(
        words=frozenset(DAY_PARTS),
        beside=frozenset(["esta"]),
        read=_part_of_today,
        pattern=rf"esta (?P<daypart>{one_of(DAY_PARTS)})",
    ),
    PhraseRule(  # la próxima semana, este mes, a finales del próximo año
        words=UNIT_WORDS,
        read=READ.span,
        pattern=rf"{PART}?{_ARTICLE}(?P<which>{WHICH}) (?P<unit>{UNIT})",
    ),
    PhraseRule(  # la semana pasada, el mes que viene, a principios del año que viene
        words=UNIT_WORDS,
        read=READ.span,
        pattern=rf"{PART}?{_ARTICLE}(?P<unit>{UNIT}) (?P<behind>{BEHIND})",
    ),
    PhraseRule(  # a principios de año, a finales de mes
        words=frozenset(_PARTS),
        beside=UNIT_WORDS,
        read=READ.this_unit,
        pattern=rf"{PART}(?P<unit>semana|mes|trimestre|año|ano|década)",
    ),
    PhraseRule(  # el fin de semana
        words=frozenset(["semana", "finde"]),
        floats=True,
        read=READ.weekend,
        pattern=r"(?:el|del|al|durante el|para el|en) (?P<it>fin de semana|finde)",
    ),
    PhraseRule(  # en los últimos tres meses, los próximos dos días
        words=UNIT_WORDS,
        read=READ.counted_span,
        pattern=rf"(?:(?:los|las|estos|estas) )?(?P<which>últim[oa]s|ultim[oa]s|próxim[oa]s|proxim[oa]s|pasad[oa]s) "
        rf"(?P<count>{COUNT}) (?P<unit>{UNIT})",
    ),
    PhraseRule(  # los tres últimos meses
        words=UNIT_WORDS,
        read=READ.counted_span,
        pattern=rf"(?:los|las) (?P<count>{COUNT}) (?P<which>últim[oa]s|ultim[oa]s|próxim[oa]s|proxim[oa]s) "
        rf"(?P<unit>{UNIT})",
    ),
    PhraseRule(  # hace dos semanas, hace como un año
        words=UNIT_WORDS,
        beside=frozenset(["hace"]),
        read=READ.ago,
        pattern=rf"(?:hoy )?hace (?:(?:ya|casi|unos|unas|como|más de|aproximadamente) )?(?P<amount>{AMOUNT})",
    ),
    PhraseRule(  # dos semanas atrás
        words=UNIT_WORDS,
        beside=frozenset(["atrás", "atras"]),
        read=READ.ago,
        pattern=rf"(?P<amount>{AMOUNT}) atr[aá]s",
    ),
    PhraseRule(  # desde hace tres años, llevo dos meses: from then on
        words=UNIT_WORDS,
        beside=frozenset(["desde", "llevo", "llevas", "lleva", "llevamos", "llevan"]),
        read=READ.ago,
        pattern=rf"(?:desde hace|llev(?:o|as?|amos|an))(?: ya| casi| más de)? (?P<it>(?P<amount>{AMOUNT}))",
    ),
    PhraseRule(  # dentro de diez días, en dos semanas
        words=UNIT_WORDS,
        beside=frozenset(["dentro", "en"]),
        read=READ.from_now,
        pattern=rf"(?:(?P<sure>dentro de)|en) (?:(?:unos|unas|como) )?(?P<amount>{AMOUNT})",
    ),
    PhraseRule(  # el viernes que viene, este lunes, el lunes de la semana pasada
        words=WEEKDAY_WORDS,
        floats=True,
        read=READ.weekday,
        pattern=rf"(?:(?P<which>{WHICH}) )?(?P<weekday>{WEEKDAY})(?: (?P<behind>{BEHIND})\b)?"
        rf"(?:,? de (?:la )?(?:semana (?P<week>{BEHIND})\b))?",
    ),
    PhraseRule(  # el martes de la próxima semana, de esta semana
        words=WEEKDAY_WORDS,
        beside=frozenset(["semana"]),
        read=READ.weekday,
        pattern=rf"(?P<weekday>{WEEKDAY}),? de (?:la )?(?P<week>{WHICH}) semana",
    ),
    PhraseRule(  # la semana que viene, el martes
        words=WEEKDAY_WORDS,
        beside=frozenset(["semana"]),
        read=READ.weekday,
        pattern=rf"(?:la )?semana (?P<week>{BEHIND}),? el (?P<weekday>{WEEKDAY})",
    ),
)
PHRASES = Phrases((*_DATES, *_MONTHS_AND_LONGER, *_RELATIVE), word=_WORD, plain=_PLAIN)
