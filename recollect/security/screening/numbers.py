"""Numbers that name a person or an account: cards, IBANs, national ids, bank accounts, addresses of wallets.

Each is a pattern and a check of `python-stdnum` (Luhn, mod 97, the check digits of a country). A number whose check
lets one in ten or eleven random numbers pass counts only where a word beside it says what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import NamedTuple, Protocol

from recollect.security.screening.spans import PrivateSpan, SpanType

CONTEXT_CHARS = 48  # how far before a number the word that says what it is may stand
_CONTEXT_AFTER_CHARS = 24

_CARD = re.compile(r"(?<![\w.,+/-])\d(?:[ -]?\d){11,18}(?![\w-]|[.,/]\d)")
# The ranges that issuers of cards have: Visa, Mastercard, American Express, Discover, JCB, Diners, UnionPay, Maestro.
_ISSUER = re.compile(
    r"4|5[0-8]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[47]|6(?:011|22|4[4-9]|5)|35(?:2[89]|[3-8])|2131|1800"
    r"|3(?:0[0-59]|[689])|6[0-9]"
)
_CARD_WORD = re.compile(r"(?i)\b(?:cards?|credit|debit|visa|mastercard|amex|maestro|kreditkarte|karte|tarjeta|carte)\b")

_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?!\w)", re.IGNORECASE)
_ETHEREUM = re.compile(r"(?<!\w)0x[0-9a-fA-F]{40}(?!\w)")
_BITCOIN = re.compile(r"(?<!\w)(?:[13][1-9A-HJ-NP-Za-km-z]{25,34}|(?:bc1|BC1)[0-9a-zA-Z]{25,87})(?!\w)")


class _Check(Protocol):
    def is_valid(self, number: str) -> bool: ...


class _Rule(NamedTuple):
    """A national id: its pattern, the module of stdnum that checks it, and the words without which none counts."""

    pattern: re.Pattern[str]
    check: str | None
    words: re.Pattern[str] | None = None


def _rule(pattern: str, check: str | None, words: str | None = None) -> _Rule:
    return _Rule(
        re.compile(rf"(?<![\w.-])(?:{pattern})(?![\w-]|\.\d)", re.IGNORECASE),
        check,
        re.compile(rf"(?i)(?<!\w)(?:{words})(?!\w)") if words else None,
    )


_ID_WORDS = (
    r"(?:tax|national|personal|social|insurance|identity|identification|citizen|ident\w*)[ -]?(?:payer )?(?:security )?"
    r"(?:id|number|no\.?|card|code)|id (?:number|card|no\.?)|social security|steuer\w*|sozialversicherung\w*"
    r"|personal\w*nummer"
    r"|identifikationsnummer|fiscal|identidad|identificaci[oó]n|seguridad social"
)
NATIONAL_IDS: tuple[_Rule, ...] = (
    _rule(r"\d{3}-\d{2}-\d{4}", "us.ssn"),
    _rule(r"\d{3} \d{2} \d{4}|\d{9}", "us.ssn", r"ssn|social security\w*"),
    _rule(r"9\d{2}-(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])-\d{4}", "us.itin"),
    _rule(r"\d{9}", "us.itin", r"itin|(?:individual )?tax ?payer\w*"),
    _rule(r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]", None),
    _rule(r"\d{3}[ -]?\d{3}[ -]?\d{4}", "gb.nhs", r"nhs"),
    _rule(r"\d{2} ?\d{3} ?\d{3} ?\d{3}", "de.idnr", rf"idnr|steuer-?id\w*|{_ID_WORDS}"),
    _rule(r"\d{2} ?\d{6} ?[A-Z] ?\d{3}", None, r"sozialversicherung\w*|rentenversicherung\w*|sv-?nummer"),
    _rule(r"\d{8}-?[A-Z]", "es.dni"),
    _rule(r"[XYZ]-?\d{7}-?[A-Z]", "es.nie"),
    _rule(r"[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}", "fr.nir"),
    _rule(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", "it.codicefiscale"),
    _rule(r"\d{9}", "nl.bsn", rf"bsn|burgerservicenummer|sofi\w*|{_ID_WORDS}"),
    _rule(r"\d{2}\.?\d{2}\.?\d{2}[- ]?\d{3}[. ]?\d{2}", "be.nn", rf"rijksregister\w*|registre national|{_ID_WORDS}"),
    _rule(r"756\.?\d{4}\.?\d{4}\.?\d{2}", "ch.ssn"),
    _rule(r"\d{4} ?\d{6}", "at.vnr", rf"svnr|{_ID_WORDS}"),
    _rule(r"\d{11}", "pl.pesel", rf"pesel|{_ID_WORDS}"),
    _rule(r"\d{9}", "pt.nif", rf"nif|contribuinte|{_ID_WORDS}"),
    _rule(r"(?:19|20)?\d{6}[-+]\d{4}", "se.personnummer"),
    _rule(r"\d{6}-\d{4}", "dk.cpr", rf"cpr\w*|{_ID_WORDS}"),
    _rule(r"\d{6}[-+A]\d{3}[0-9A-Z]", "fi.hetu"),
    _rule(r"\d{6} ?\d{5}", "no.fodselsnummer", rf"f[øo]dselsnummer|personnummer|{_ID_WORDS}"),
    _rule(r"\d{6}/\d{3,4}", "cz.rc"),
    _rule(r"[1-9]\d{12}", "ro.cnp", rf"cnp|{_ID_WORDS}"),
    _rule(r"\d{11}", "tr.tckimlik", rf"t\.?c\.? ?kimlik\w*|{_ID_WORDS}"),
    _rule(r"\d{9}", "il.idnr", rf"teudat zehut|{_ID_WORDS}"),
    _rule(r"\d{13}", "za.idnr", _ID_WORDS),
    _rule(r"\d{3}[ -]?\d{3}[ -]?\d{3}", "ca.sin", r"sin|social insurance\w*(?: number)?"),
    _rule(r"\d{3} ?\d{3} ?\d{3}", "au.tfn", r"tfn|tax file number"),
    _rule(r"\d{4} \d{4} \d{4}", "in_.aadhaar"),
    _rule(r"\d{12}", "in_.aadhaar", r"aadhaa?r"),
    _rule(r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]", "in_.pan", r"pan(?: card| number)?"),
    _rule(r"\d{3}\.\d{3}\.\d{3}-\d{2}", "br.cpf"),
    _rule(r"\d{11}", "br.cpf", r"cpf"),
    _rule(r"[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d", "mx.curp"),
    _rule(r"\d{1,2}\.\d{3}\.\d{3}-[0-9K]", "cl.rut"),
    _rule(r"[1-9]\d{16}[0-9X]", "cn.ric"),
    _rule(r"\d{6}-[1-4]\d{6}", "kr.rrn"),
    _rule(
        r"(?=\w*\d{4})[A-Z0-9]{6,10}",
        None,
        r"passports?|reisepass\w*|pass-?nummer|personalausweis\w*|pasaporte|passeport|passaporto|paspoort",
    ),
    _rule(
        r"(?=[\w-]*\d{4})[A-Z0-9](?:-?[A-Z0-9]){4,15}",
        None,
        r"driver'?s?’?s? licen[cs]e\w*|driving licen[cs]e\w*|licencia de conducir|permiso de conducir"
        r"|f[üu]hrerschein\w*|permis de conduire|patente",
    ),
)
_ACCOUNT = _rule(
    r"\d{6,17}|\d{2,5}(?:[ -]\d{2,6}){1,4}",
    None,
    r"(?:bank|checking|savings|giro|current)[ -]?(?:account|konto)(?: number| no\.?)?|account (?:number|no\.?)"
    r"|acct\.?(?: no\.?| number)?"
    r"|routing(?: number)?|sort code|kontonummer|bankleitzahl|blz|n[úu]mero de cuenta|cuenta bancaria",
)
_CUES = re.compile(
    r"(?i)ssn|social|itin|tax|nhs|idnr|steuer|versicher|bsn|sofi|regist|svnr|pesel|nif|contribuinte|cpr|nummer"
    r"|cnp|kimlik"
    r"|teudat|sin\b|tfn|aadha|pan\b|cpf|passp|pass\b|pasap|passa|paspoort|ausweis|licen|permis|schein|patente"
    r"|iden|insurance|personal|national|fiscal|citizen"
)

_ACCOUNT_CUES = re.compile(r"(?i)acc(?:oun)?t|konto|cuenta|routing|sort code|leitzahl|blz")
_DIGITS = re.compile(r"\d(?:[ ./+-]?[A-Za-z]?\d){3,}")
_AROUND_DIGITS = 8  # letters that ids begin and end with


def numbers_in(text: str) -> Iterator[PrivateSpan]:
    """Cards, IBANs, ids, accounts and wallets; the same digits may come as two of them."""
    yield from _cards(text)
    for match in _IBAN.finditer(text):
        if _is_valid("iban", match[0]):
            yield PrivateSpan(*match.span(), SpanType.IBAN)
        elif (end := match[0].rfind(" ")) > 0 and _is_valid("iban", match[0][:end]):  # a word of four letters follows
            yield PrivateSpan(match.start(), match.start() + end, SpanType.IBAN)
    for match in _ETHEREUM.finditer(text):
        yield PrivateSpan(*match.span(), SpanType.CRYPTO)
    for match in _BITCOIN.finditer(text):
        if _is_valid("bitcoin", match[0]):
            yield PrivateSpan(*match.span(), SpanType.CRYPTO)
    for begin, end in _stretches(text):
        told = _CUES.search(text, max(0, begin - CONTEXT_CHARS), end) is not None
        for rule in NATIONAL_IDS:
            if told or rule.words is None:
                yield from _ids(text, begin, end, rule, SpanType.NATIONAL_ID)
        if _ACCOUNT_CUES.search(text, max(0, begin - CONTEXT_CHARS), end):
            yield from _ids(text, begin, end, _ACCOUNT, SpanType.BANK_ACCOUNT)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where digits stand that may be an id, with the letters around them: patterns look there alone."""
    begin = end = 0
    for match in _DIGITS.finditer(text):
        if end and match.start() - _AROUND_DIGITS <= end:
            end = match.end() + _AROUND_DIGITS
            continue
        if end:
            yield begin, min(end, len(text))
        begin, end = max(0, match.start() - _AROUND_DIGITS), match.end() + _AROUND_DIGITS
    if end:
        yield begin, min(end, len(text))


def _cards(text: str) -> Iterator[PrivateSpan]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if len(set(digits)) < 2 or not _is_valid("luhn", digits):
            continue
        # One in ten numbers passes Luhn's check: without the word, length, issuer and grouping must be usual.
        usual = len(digits) in (14, 15, 16) and _ISSUER.match(digits) and _grouped(match[0])
        told = bool(_CARD_WORD.search(text, max(0, match.start() - CONTEXT_CHARS), match.end() + _CONTEXT_AFTER_CHARS))
        if usual or told:
            yield PrivateSpan(*match.span(), SpanType.CARD, told or len(digits) == 16)


def _grouped(number: str) -> bool:
    groups = [len(group) for group in re.split("[ -]", number)]
    return len(groups) == 1 or groups[0] == 4


def _ids(text: str, begin: int, end: int, rule: _Rule, type: SpanType) -> Iterator[PrivateSpan]:
    for match in rule.pattern.finditer(text, begin, end):
        beside = max(0, match.start() - CONTEXT_CHARS), match.start()
        if rule.words is not None and rule.words.search(text, *beside) is None:
            continue
        if rule.check is None or _is_valid(rule.check, match[0]):
            yield PrivateSpan(*match.span(), type)


@cache
def _check(name: str) -> _Check:
    module: _Check = import_module(f"stdnum.{name}")
    return module


def _is_valid(name: str, number: str) -> bool:
    return bool(_check(name).is_valid(number))
