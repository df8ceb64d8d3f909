"""Where a person is reached: e-mail, phone numbers, web addresses and addresses of machines."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from recollect.language.detect import language_of
from recollect.security.screening.spans import PrivateSpan, SpanType

CONTEXT_CHARS = 40  # how far before a number the word that says what it is may stand

_EMAIL = re.compile(r"(?<![\w.+-])\w[\w.+%'-]{0,63}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}\b")
_RESERVED = re.compile(
    r"(?i)(?:^|[@.])(?:example\.(?:com|org|net)|[\w-]+\.(?:example|test|invalid|localhost))$"
)  # RFC 2606
_URL = re.compile(r"(?i)\b(?:https?|ftp)://[^\s<>\"'\])}]+|\bwww\.[^\s<>\"'\])}]+")
_DOMAIN_END = re.compile(r"(?<=[A-Za-z0-9])\.([a-z]{2,6})(?![\w@(-]|\.\w)")
_DOMAIN_BEFORE = re.compile(r"(?<![\w@./\\-])[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$")
_LABEL_CHARS_MAX = 253  # of a domain in all
# The endings that most names have; those that are also words or endings of files count only where a word says so.
_ENDINGS = frozenset(
    "com org net edu gov mil int info biz io ai app dev co eu uk de fr es nl ch dk fi cz hu gr pt ro bg hr sk jp kr cn "
    "tw hk sg nz au ca mx br ar cl ru ua za ie lu lt lv ee online store shop blog xyz tech site cloud".split()
)
_DOUBTFUL_ENDINGS = frozenset("at be by id in is it la me my no pl se so si to tv us ws at md py rs sh cc name".split())
_DOMAIN_WORD = re.compile(r"(?i)\b(?:web ?site|site|domain|web ?page|homepage|blog|visit|webseite|p[áa]gina|sitio)\b")
_IP4 = re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w.-])")
_IP6 = re.compile(r"(?<![\w:.])(?:[0-9a-fA-F]{1,4}:){2,7}(?::?[0-9a-fA-F]{1,4}){1,6}(?![\w:])")
_VERSION = re.compile(r"(?i)\b(?:v|version|release)\.? ?$")

_PHONE = re.compile(
    r"(?<![\w.,:/#$€£=-])(?:\+ ?|00)?\(?\d{1,5}\)?(?:[ .\-/]{0,2}\(?\d{1,8}\)?){1,6}"
    r"(?: ?(?:x|ext\.?|extension) ?\d{1,6})?(?![\w/:%€$]|[.,]\d|-\w)"
)
_PHONE_WORD = re.compile(
    r"(?i)\b(?:phone|telephone|tel|mobile|cell|call(?:ed|s|ing)?|text(?:ed)? (?:me|him|her|us|them)|fax"
    r"|whats ?app|reach(?:ed)?"
    r"|ring|dial(?:led|ed)?|sms|contact|number|numbers|hotline|registered|telefon\w*|handy\w*|mobil\w*|anruf\w*"
    r"|ruf\w*|nummer"
    r"|tel[ée]fono|m[óo]vil|celular|ll[áa]m\w*|n[úu]mero|t[ée]l[ée]phone|t[ée]l|portable|appel\w*|telefone|cellulare)\b"
)
_CALLED = re.compile(r"\w(?:\s*[:#]|(?: me)? (?:is|at|on|under|ist|es|al|unter))\s*$")
# What digits in groups are besides: a date, a year and another, a time, an amount of money, a measure.
_DATE = re.compile(
    r"(?:19|20)\d\d([-/. ])\d{1,2}\1\d{1,2}|\d{1,2}([-/. ])\d{1,2}\2(?:19|20)?\d\d|(?:1[5-9]"
    r"|20)\d\d ?[-–/] ?(?:(?:1[5-9]|20)\d\d|\d\d)"
)
_NO_PHONE = re.compile(
    rf"(?:{_DATE.pattern})(?![\d./-])|\d+\.\d+$|\d{{1,3}}(?:\.\d{{1,3}}){{3}}\b"
    rf"|\d{{1,2}}(?: \d{{1,2}}){{3,}}$(?<!\d\d \d\d \d\d \d\d)"
)
_THOUSANDS = re.compile(r"\d{1,3}(?:[ .]\d{3})+")
# "555-1234", "0490 75 40 81", "(99) 645-791": what is hardly anything else.
_SHAPED = re.compile(
    r"\d{3}[ -]\d{4}|\(\d{2,5}\) ?\d{2,4}(?:[ -]?\d{2,4}){1,3}|0\d{1,4}[ /-]\d{2,8}(?:[ -]\d{2,4}){0,4}"
    r"|\d{3}([-.])\d{3}\1\d{4}"
)
# Where a text's own language is not spoken: people write numbers of other countries, too.
_ELSEWHERE = tuple("US GB DE FR ES IT NL BE CH AT SE NO DK FI PL CZ HU PT GR RU BR MX AU JP".split())
_REGIONS = {
    "en": ("US", "GB", "AU", "NZ", "IE", "ZA", "IN"),
    "de": ("DE", "AT", "CH"),
    "es": ("ES", "MX", "AR", "CO", "CL"),
    "fr": ("FR", "BE", "CH", "CA"),
    "it": ("IT",),
    "pt": ("BR", "PT"),
    "ru": ("RU",),
    "ja": ("JP",),
    "ko": ("KR",),
    "zh": ("CN", "TW"),
}


def contacts_in(text: str, language: str | None) -> Iterator[PrivateSpan]:
    """E-mail first, then web addresses, machines and phones; a later one may lie inside an earlier one."""
    if "@" in text:
        for match in _EMAIL.finditer(text):
            if _RESERVED.search(match[0]) is None:
                yield PrivateSpan(*match.span(), SpanType.EMAIL)
    yield from _domains(text)
    yield from _machines(text)
    yield from _phones(text, language)


def _domains(text: str) -> Iterator[PrivateSpan]:
    if "://" in text or "www." in text.casefold():
        for match in _URL.finditer(text):
            yield PrivateSpan(match.start(), match.start() + len(match[0].rstrip(".,;:!?")), SpanType.DOMAIN)
    for match in _DOMAIN_END.finditer(text):
        ending = match[1]
        if ending not in _ENDINGS and ending not in _DOUBTFUL_ENDINGS:
            continue
        begin = max(0, match.start() - _LABEL_CHARS_MAX, text.rfind(" ", 0, match.start()))
        name = _DOMAIN_BEFORE.search(text, begin, match.start())
        if name is None:
            continue
        told = _DOMAIN_WORD.search(text, max(0, name.start() - CONTEXT_CHARS), name.start()) is not None
        if (ending in _ENDINGS or told) and not _RESERVED.search(text, name.start(), match.end()):
            yield PrivateSpan(name.start(), match.end(), SpanType.DOMAIN, sure=told)


def _machines(text: str) -> Iterator[PrivateSpan]:
    for pattern in (_IP4, _IP6) if text.count(":") > 2 else (_IP4,):
        for match in pattern.finditer(text):
            if _VERSION.search(text, max(0, match.start() - 12), match.start()):
                continue
            try:
                address = ipaddress.ip_address(match[0])
            except ValueError:
                continue
            if address.is_global:  # the others are the same on everyone's desk
                yield PrivateSpan(*match.span(), SpanType.IP)


def _phones(text: str, language: str | None) -> Iterator[PrivateSpan]:
    for match in _PHONE.finditer(text):
        number = match[0].strip(" .-/")
        digits = sum(char.isdigit() for char in number)
        if not 7 <= digits <= 16 or _NO_PHONE.match(number):
            continue
        before = text[max(0, match.start() - CONTEXT_CHARS) : match.start()]
        told = _PHONE_WORD.search(before) is not None
        called = told and _CALLED.search(before) is not None  # "Phone: 72 128 827" is no amount
        if told and (digits > 7 or not number.isdigit()) and (called or not _THOUSANDS.fullmatch(number)):
            yield PrivateSpan(match.start(), match.start() + len(number), SpanType.PHONE)
        elif _is_possible(number, language or language_of(text)):
            yield PrivateSpan(match.start(), match.start() + len(number), SpanType.PHONE, sure=number.startswith("+"))


def _is_possible(number: str, language: str) -> bool:
    """Whether a number without a word beside it is one: written like one, or valid in a country."""
    if _THOUSANDS.fullmatch(number):
        return False
    if _SHAPED.fullmatch(number):
        return True
    if not (number.startswith(("+", "00", "(", "0")) or len(re.split(r"[ .\-/()]+", number)) > 2):
        return False
    import phonenumbers  # heavy, and most texts hold no such digits

    for region in (None,) if number.startswith("+") else (*_REGIONS.get(language, ()), *_ELSEWHERE):
        try:
            parsed = phonenumbers.parse(number.replace("00", "+", 1) if number.startswith("00") else number, region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_valid_number(parsed):
            return True
    return False
