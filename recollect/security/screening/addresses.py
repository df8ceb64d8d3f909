"""Street addresses and postal codes, of many countries.

Addresses have no grammar that holds everywhere, but few parts: a number beside a name, a word for a street, a flat, a
post-office box, a postal code, a country. Words with capitals, numbers and commas in a row are taken together, and what
each part is worth is added up; no part that also stands in ordinary text is enough by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from recollect.language import lists
from recollect.security.screening.spans import PrivateSpan, SpanType

ENOUGH = 3.0  # what the parts of a run must be worth together
RUN_TOKENS_MAX = 40
_CONTEXT_CHARS = 40

# What follows the name of a street in English (the suffixes of the US Postal Service, British ones, their short forms).
_AFTER_A_NAME = frozenset(
    """
    alley aly anex annex arcade arc avenue ave av bayou beach bend bluff bluffs bottom boulevard blvd branch
    bridge brook brooks burg burgs bypass camp canyon cape causeway center centers circle circles cir cliff cliffs
    close club common commons corner corners course court courts ct cove coves creek crescent cres crest crossing
    crossroad crossroads curve dale dam divide drive drives dr estate estates expressway extension extensions fall
    falls ferry field fields flat flats ford fords forest forge forges fork forks fort freeway garden gardens
    gateway glen glens green greens grove groves harbor harbors haven heights highway hwy hill hills hollow inlet
    island islands isle junction junctions key keys knoll knolls lake lakes land landing lane ln light lights loaf
    lock locks lodge loop mall manor manors meadow meadows mews mill mills mission motorway mount mountain
    mountains neck orchard oval overpass park parks parkway pkwy parkways pass passage path pike pine pines place
    pl plain plains plaza point points port ports prairie radial ramp ranch rapid rapids rest ridge ridges river
    road rd roads route row rue run shoal shoals shore shores skyway spring springs spur spurs square sq squares
    station stravenue stream street st str streets summit terrace ter throughway trace track trafficway trail
    trailer tunnel turnpike underpass union unions valley valleys via viaduct view views village villages ville
    vista walk walks wall way ways well wells wynd yard
    """.split()
)
# What goes before it elsewhere.
_BEFORE_A_NAME = frozenset(
    """
    rue avenue av boulevard bd allée allee place quai chemin impasse cours route calle c/ avenida avda paseo plaza
    carrer camino carretera ronda travesía via viale corso piazza piazzale largo vicolo strada rua travessa praça
    estrada alameda ul ulica ulice aleja plac ulitsa prospekt strada str bulevardul calea jalan jl straat λεωφόρος
    λεωφ οδός улица ул проспект quadra rúa kaya
    """.split()
)
_ENDS_OF_STREETS = re.compile(
    r"(?i).{2,}(?:stra(?:ß|ss)e|str|gasse|weg|platz|allee|ufer|damm|gata|gatan|gatu|vägen|vagen|gränd|vej|veien"
    r"|vegen|gade|gate|allé"
    r"|alle|svingen|bakken|katu|kuja|polku|tie|laan|straat|plein|kade|gracht|dreef|steenweg|utca|braut|vegur"
    r"|götu|stræti|stien"
    r"|terrasse|torget|strand|wei|tänav|puiestee|maantee|strasse)\.?"
)
_UNITS = frozenset(
    """
    apt apartment suite ste unit flat floor room wohnung whg piso puerta bldg building appt appartement stock int lgh
    """.split()
)
_SHORT = _UNITS | frozenset(
    "st str ave av blvd rd dr ln ct pl sq hwy pkwy cir ter n s e w ne nw se sw p o no nr ul jl".split()
)
_LINKS = frozenset(
    """
    de la le les du des der dem den of the and & van von am an im zum zur do da dos das el los las di del della dell
    y e i u
    """.split()
)
_STATES = frozenset(
    """
    AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR
    PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR AA AE AP NSW VIC QLD TAS ACT ON QC BC AB MB SK NS NB
    """.split()
)
_NO_PARTS = frozenset(
    """
    january february march april may june july august september october november december jan feb mar apr jun jul
    aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday chapter section step part
    page version figure table paragraph pm am via season episode level top day week grade phase question answer
    note item number
    """.split()
)

_TOKEN = re.compile(
    r"\d+(?:\.\d+)+|\d+[A-Za-z]?(?![\w])(?:[-/]\d+[A-Za-z]?(?!\w))?|[^\W\d_]+(?:['’-][^\W\d_]+)*|\w+|\n|\S"
)
_NUMBER = re.compile(r"\d{1,6}[A-Za-z]?(?:[-/]\d{1,4}[A-Za-z]?)?")
_CONTRACTED = re.compile(r"['’](?:d|m|s|t|ll|re|ve)$")
_BOX = re.compile(
    r"(?i)\b(?:p\.? ?o\.? ?box|post ?fach|apartado(?: postal)?|box postale|bo[iî]te postale|caixa postal"
    r"|postboks|box)\s{0,4}:?\s{0,4}\d+"
    r"|\b(?:PSC|Unit|CMR) \d+,? Box \d+|\b(?:APO|FPO|DPO) A[AEP] \d{5}"
)
_NEAR_BOX = re.compile(
    r"(?i)\b(?:p\.? ?o\.? ?box|postfach|apartado|postboks|psc \d|unit \d+,? box|[afd]po a[aep]\b|postal)"
)
_CALLED_ADDRESS = re.compile(
    r"(?i)\b(?:address(?:es)?|adresse|anschrift|direcci[óo]n|indirizzo|endere[çc]o|liv(?:e|es|ed|ing) (?:at|on)"
    r"|resid(?:e|es|ing) (?:at|on)"
    r"|wohn\w*|viv[eo] en|domicil\w*|corner of|deliver(?:ed)? to|ship(?:ped)? to|located (?:at|on))\b"
)
_LEADS_TO_ADDRESS = re.compile(r"(?i)\b(?:at|to|on|with|is|in|from|it's|near)[: ]*$")
_POSTCODE_TOLD = re.compile(
    r"(?i)\b(?:zip(?: ?code)?|post(?:al)? ?code|plz|postleitzahl|c[óo]digo postal|code postal|cap"
    r"|cep)\b[\s:#]*(?:is |ist |es |est |number )?"
    r"(?P<code>\d{3} \d{2,3}(?!\d)|\d{3,6}(?:-\d{3,4})?(?!\d)|[A-Z]{1,2}\d[A-Z\d]? ?\d?[A-Z]{0,2}\d?(?!\w)"
    r"|\d{4} ?[A-Z]{2}\b)"
)
_POSTCODE = re.compile(
    r"(?<![\w-])(?:[A-PR-UWYZ][A-HK-Y]?\d[A-HJKPSTUW\d]? \d[ABD-HJLNP-UW-Z]{2}"
    r"|[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z] \d[ABCEGHJ-NPRSTV-Z]\d)(?![\w-])"
)
_CAPITAL = r"[^\W\d_a-zß-öø-ÿ]"  # or a letter of a script that is not Latin
_ANCHOR = re.compile(rf"\d[\w/-]{{0,8}}[\s,]{{1,4}}(?:{_CAPITAL}|\d)|{_CAPITAL}[\w'’-]{{0,40}}[\s,.:#]{{1,4}}\d")
_SMALL_ANCHOR = re.compile(r"\d[\w/-]{0,8}[\s,]{1,4}\w|\w[\s,.:#]{1,4}\d")
_CHARS_BEFORE, _CHARS_AFTER = 60, 160


class _Token(NamedTuple):
    text: str
    start: int
    end: int
    sort: str  # N number, C word with a capital, l linking word, "," or line break, x anything else

    @property
    def folded(self) -> str:
        return self.text.casefold()


def addresses_in(text: str) -> Iterator[PrivateSpan]:
    """Addresses, and postal codes that stand alone but for the word that says so."""
    for match in _POSTCODE_TOLD.finditer(text):
        yield PrivateSpan(*match.span("code"), SpanType.POSTCODE)
    for match in _POSTCODE.finditer(text):
        yield PrivateSpan(*match.span(), SpanType.POSTCODE)
    for match in _BOX.finditer(text):
        if _NEAR_BOX.search(match[0]):
            yield PrivateSpan(*match.span(), SpanType.ADDRESS)
    small = text.islower()
    for begin, end in _stretches(text, _SMALL_ANCHOR if small else _ANCHOR):
        for run in _runs(_tokens(text, begin, end, small)):
            span = _address(text, run)
            if span is not None:
                yield span


def _stretches(text: str, anchor: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Where a number stands beside a name or another number, with as much around it as an address takes."""
    begin = end = 0
    for match in anchor.finditer(text):
        if end and match.start() - _CHARS_BEFORE <= end:
            end = match.end() + _CHARS_AFTER
            continue
        if end:
            yield begin, end
        begin, end = max(end, match.start() - _CHARS_BEFORE), match.end() + _CHARS_AFTER
        while 0 < begin < match.start() and text[begin - 1].isalnum():
            begin += 1
    if end:
        yield begin, min(end, len(text))


def _tokens(text: str, begin: int, end: int, small: bool) -> list[_Token]:
    return [
        _Token(match[0], match.start(), match.end(), _sort_of(match[0], small))
        for match in _TOKEN.finditer(text, begin, end)
    ]


def _sort_of(word: str, small: bool) -> str:
    if word[0].isdigit():
        return "N" if _NUMBER.fullmatch(word) else "x"
    if word in ",\n":
        return word
    if not word[0].isalpha():
        return "." if word in ".#" else "x"
    folded = word.casefold()
    if word == "Via":
        return "C"
    if folded in _NO_PARTS or _CONTRACTED.search(folded):
        return "x"
    if folded in _LINKS:
        return "l"
    if folded in _stop_words():
        return "x"
    return "C" if small or word[0].isupper() or folded in _UNITS else "x"


@cache
def _stop_words() -> frozenset[str]:
    return lists.words("en", "stop_words")


@cache
def _countries() -> frozenset[str]:
    return frozenset(name.casefold() for name in lists.sets("en", "names/places")["countries"])


def _runs(tokens: list[_Token]) -> Iterator[list[_Token]]:
    """Stretches of tokens that an address may be made of, with a number in each."""
    run: list[_Token] = []
    for token in tokens:
        if token.sort == "x" or len(run) >= RUN_TOKENS_MAX or (token.sort == "." and not _goes_on(run)):
            if any(each.sort == "N" for each in run):
                yield run
            run = []
        elif run or token.sort in "NC":
            run.append(token)
    if any(each.sort == "N" for each in run):
        yield run


def _goes_on(run: list[_Token]) -> bool:
    return bool(run) and (run[-1].folded in _SHORT or _is_street_end(run[-1]))


def _is_street_end(token: _Token) -> bool:
    return token.sort == "C" and _ENDS_OF_STREETS.fullmatch(token.text) is not None


def _address(text: str, run: list[_Token]) -> PrivateSpan | None:
    """The address in a run, if its parts are worth enough: from its first part to its last word or number."""
    first = _first_part(run)
    run = run[first:]
    while run and run[-1].sort not in "NC":
        run.pop()
    parts = [token for token in run if token.sort in "NCl"]
    worth = _worth(parts) + _worth_before(text, run[0].start) if parts else 0.0
    if worth < ENOUGH:
        return None
    return PrivateSpan(run[0].start, run[-1].end, SpanType.ADDRESS, sure=worth > ENOUGH)


def _first_part(run: list[_Token]) -> int:
    """Where the address begins: at its first number, or at the words of a street right before that."""
    at = next(index for index, token in enumerate(run) if token.sort == "N")
    while at > 0 and run[at - 1].sort in "Cl.":
        at -= 1
    while run[at].sort in "l.":
        at += 1
    return at


def _worth(parts: list[_Token]) -> float:
    """What the parts speak for. Each sort of part counts once."""
    street = unit = pair = doubled = code = country = state = 0.0
    for at, token in enumerate(parts):
        before = parts[at - 1] if at else None
        after = parts[at + 1] if at + 1 < len(parts) else None
        if token.sort == "N":
            length = len(token.text)
            beside = [each for each in (before, after) if each is not None and each.sort == "C"]
            pair = max(pair, 1.0 if beside and length <= 6 else 0.0)
            doubled = max(doubled, 1.0 if after is not None and after.sort == "N" and at + 2 < len(parts) else 0.0)
            if before is not None and before.sort == "C" and token.text.isdigit() and 4 <= length <= 6 and at > 1:
                code = 1.0
                state = max(state, 1.5 if before.text in _STATES else 0.0)
        elif token.folded in _UNITS and after is not None and after.sort == "N":
            unit = 2.0
        elif token.folded in _countries() or (after is not None and f"{token.folded} {after.folded}" in _countries()):
            country = 1.0
        street = max(street, _street_worth(parts, at))
    return street + unit + pair + doubled + code + country + state


def _street_worth(parts: list[_Token], at: int) -> float:
    """3 for a word for a street with its number, where such a word stands as it should; else 0."""
    token = parts[at]
    if token.sort != "C":
        return 0.0
    if _is_street_end(token):
        return 2.0 if any(each.sort == "N" for each in parts[max(0, at - 2) : at + 3]) else 0.0
    if token.folded in _BEFORE_A_NAME and at + 1 < len(parts) and parts[at + 1].sort in "Cl":
        return 2.0 if any(each.sort == "N" for each in parts[max(0, at - 1) : at + 7]) else 0.0
    if token.folded in _AFTER_A_NAME and at > 0 and parts[at - 1].sort == "C":
        number = next((back for back in range(at - 2, max(-1, at - 6), -1) if parts[back].sort == "N"), None)
        return 2.0 if number is not None else 0.0
    return 0.0


def _worth_before(text: str, start: int) -> float:
    before = text[max(0, start - _CONTEXT_CHARS) : start]
    if _CALLED_ADDRESS.search(before):
        return 2.0
    return 1.0 if _LEADS_TO_ADDRESS.search(before) else 0.0
