"""Secrets in a text: keys and tokens by their published formats, private keys, passwords that are told or assigned.

A token with a prefix of its own is one wherever it stands. A password has no format, so the words around it must say
that it is one, and what they name must look like a value: code that reads a password from a form tells none.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from recollect.security.screening.spans import PrivateSpan, SpanType, free_of, joined

TEXT_CHARS_MAX = 1 << 20  # no stored text is longer
_ENTROPY_MIN = 3.0  # bits a character, of a value that an assignment calls a secret
_SPOKEN_CHARS_MAX = 64

# Kind and published format. Group 1, where there is one, is the secret itself.
FORMATS: tuple[tuple[str, str], ...] = (
    ("aws-access-key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}"),
    ("github-token", r"gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    ("gitlab-token", r"gl(?:pat|oas|dt|rt|cbt|ptt|ft|soat|agent|imt)-[A-Za-z0-9_-]{20,}"),
    ("slack-token", r"xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Z0-9]+-\d+-[a-f0-9]+"),
    ("slack-webhook", r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/]{40,})"),
    ("stripe-key", r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,}={0,2}"),
    ("anthropic-key", r"sk-ant-[a-z0-9]+-[A-Za-z0-9_-]{32,}"),
    ("openai-key", r"sk-(?:proj-|svcacct-|admin-|None-)?(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{32,}"),
    ("google-key", r"AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{28}|ya29\.[A-Za-z0-9_-]{30,}"),
    ("sendgrid-key", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    ("twilio-key", r"SK[0-9a-f]{32}"),
    ("mailchimp-key", r"[0-9a-f]{32}-us\d{1,2}"),
    ("mailgun-key", r"key-[0-9a-z]{32}"),
    ("npm-token", r"npm_[A-Za-z0-9]{36}"),
    ("pypi-token", r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    ("huggingface-token", r"hf_[A-Za-z0-9]{34,}"),
    ("digitalocean-token", r"do[opr]_v1_[a-f0-9]{64}"),
    ("telegram-token", r"\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    ("discord-token", r"[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}"),
    ("shopify-token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("square-token", r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,43}|EAAA[A-Za-z0-9_-]{60}"),
    ("databricks-token", r"dapi[a-f0-9]{32}(?:-\d)?"),
    ("vault-token", r"hv[sb]\.[A-Za-z0-9_-]{24,}"),
    ("notion-token", r"ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}"),
    ("linear-key", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ("grafana-token", r"glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}|glc_[A-Za-z0-9+/]{32,}={0,2}"),
    ("supabase-key", r"sb(?:p|_secret)_[A-Za-z0-9_-]{30,}"),
    ("postman-key", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("newrelic-key", r"NRAK-[A-Z0-9]{27}"),
    ("sentry-token", r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    ("groq-key", r"gsk_[A-Za-z0-9]{48,}"),
    ("replicate-token", r"r8_[A-Za-z0-9]{37}"),
    ("xai-key", r"xai-[A-Za-z0-9]{60,}"),
    ("perplexity-key", r"pplx-[A-Za-z0-9]{40,}"),
    ("planetscale-token", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,}"),
    ("docker-token", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}"),
    ("atlassian-token", r"ATATT3[A-Za-z0-9_=-]{100,}"),
    ("azure-storage-key", r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    ("age-key", r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    ("jwt", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}"),
)
_FORMATS = re.compile(
    "(?<![A-Za-z0-9_])(?:"
    + "|".join(f"(?P<k{at}>{pattern})" for at, (_, pattern) in enumerate(FORMATS))
    + ")(?![A-Za-z0-9])"
)
_INNER = {f"k{at}": re.compile(pattern) for at, (_, pattern) in enumerate(FORMATS) if re.compile(pattern).groups}
_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY"
    r"(?: BLOCK)?-----|\Z)"
    r"|PuTTY-User-Key-File-\d:(?:(?!PuTTY-User-Key-File).)*?Private-MAC: [0-9a-f]+",
    re.DOTALL,
)
_CONNECTION = re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,24}://[^\s:/@\"'`<>]{0,128}:([^\s/@\"'`<>]{1,256})@[\w.\[-]")
# What a command is given: `mysql -pSECRET`, `curl -u name:SECRET`; and "login ana, password ana-1984".
_GIVEN = re.compile(
    r"\b(?:mysql|mysqldump|mysqladmin|mariadb|sshpass)\b[^\n|;&]{0,80}? -p ?([^\s\"'$-][^\s\"']{3,})"
    r"|\bcurl\b[^\n|;&]{0,200}? (?:-u|--user) [\"']?[^\s:\"']+:([^\s\"'$]{4,})"
    r"|(?i:\b(?:password|passwort|kennwort"
    r"|contraseña) )(?=[^\s\d]*\d)(?=[^\sA-Za-z]*[A-Za-z])([^\s\"'`<>()\[\]{}.,:;/=]{6,40})(?![(\[.=:/])"
)
_BEARER = re.compile(r"(?i)\b(?:bearer|basic|authorization:? (?:token|apikey))\s+([A-Za-z0-9._~+/-]{20,}={0,2})")

_SECRET_NAME = (
    r"(?:api|access|secret|private|auth|encryption|signing|master|session|client|account|consumer|deploy|service"
    r"|app)[_ -]?(?:key|token|secret)"
    r"|(?:[a-z]{1,24}[_-]){0,4}(?:[a-z]{0,24}password|passwd|passphrase|pwd|pw|secret|token|apikey|credentials?)"
    r"|passwor[td]|kennwort|zugangscode|contrase(?:ñ|n)a|clave(?: secreta)?|mot de passe|senha"
)
_ASSIGNED = re.compile(
    rf"(?i)(?<![a-z0-9])[\"'`]?(?P<name>{_SECRET_NAME})(?:_\w{{1,40}})?[\"'`*]{{0,3}}"
    rf"[ \t]{{0,8}}(?::=|=>|[:=])[ \t]{{0,8}}"
    rf"(?P<quote>[\"'`]?)(?P<value>(?:[^\s\"'`,;<>]|,(?=[^\s\"'`])){{4,256}})(?P=quote)"
)
# What a person says: "my password is …", "the wifi password: …", „mein Passwort lautet …“, "mi contraseña es …".
_SPOKEN = re.compile(
    r"(?i)\b(?P<whose>(?:my|our|the|his|her|their|your|mein|meine|unser|unsere|das|die|sein|ihr|mi|nuestra"
    r"|nuestro|la|el|su|tu)\b(?: [\w'’.-]+){0,4}? )?"
    r"(?P<name>pass ?words?|pass ?phrase|pass ?code|pass|pwd|pw|pin(?: ?code| number)?|passwort|kennwort"
    r"|wlan-?schl[üu]ssel|zugangscode|geheimzahl"
    r"|contraseña|contrasena|clave|secret key|api[- ]?key|token|secret|access key)(?: (?:for|to|of|on|für"
    r"|f[üu]rs|para|de|del|vom|zum|von)(?: [\w'’.-]+){1,4}?)?"
    r"[ \t]*(?P<link>:|=|\bis\b(?: now| still)?:?|\bwas\b|\bare\b|\bist\b(?: jetzt)?:?|\blautet\b:?|\bheißt\b"
    r"|\bes\b:?|\bto\b|->|→)[ \t]*"
    r"(?:(?P<quote>[\"'`“„»])(?P<quoted>[^\n\"`“”„»«]{3,64}?)[\"'`“”«]|(?P<value>[^\s\"'`“„»<>][^\s\"“„»<>]{2,63}))"
)
# What is no long word needs one of these beside it. Most texts hold neither, and are done with.
_PHRASE = re.compile(
    r"(?i)\b(?:seed|recovery|mnemonic|secret recovery)[ -](?:phrase|words?)\b[^\w\n]{0,4}(?:is|are"
    r"|:)?[^\w\n]{0,4}(?P<seed>(?:[a-z]+[ ,]{1,2}){11,23}[a-z]+)"
    r"|\bpass ?phrase\b[^\w\n]{0,3}(?:is|:|=|lautet"
    r"|ist)[^\w\n]{0,3}(?P<phrase>(?:[\w']+[ -]){2,9}[\w']+)(?=[.,!?\n\"'”]|$)"
)
_CUE = re.compile(
    r"pass|pwd|pw[ :=]|pin[ :=]|kennwort|contrase|clave|secret|token|api[-_ ]?key|schlüssel|zugangscode"
    r"|geheimzahl|credential"
    r"|access[-_ ]key|senha|mot de|bearer|basic |://|-----begin|putty-|[_-]key|phrase|mysql|mariadb|curl "
)
_LONG = re.compile(r"[A-Za-z0-9_./+=:-]{20}")

# What stands where a value would, and is none: the names of variables, calls, words of instruction.
_NO_VALUE = re.compile(
    r"(?i)[(){}\[\]$]|^[<*•.…_-]+$|\.\.\.|…|x{3,}|\*{3,}|your|example|sample|placeholder|dummy|change[-_]?(?:me"
    r"|this)|insert|redacted|secret:"
    r"|process\.env|environ|getenv|config|settings|request|^self\.|^this\.|^(?:none|null|true|false|undefined"
    r"|nil|str|string|text|int|bool|bytes|required|optional)\b"
)
_EXAMPLE = re.compile(
    r"(?i)pass(?:word|wd|phrase|wort)?|secret|token|api|key|user|admin|test|secure|strong|hashed|provided"
    r"|refresh|access|private|public|redis|mongo|new|old|demo|foo|bar|hunter2|hello|my|default|root|postgres"
    r"|mysql|guest|hash|1234|qwerty|abc"
)
_IDENTIFIER = re.compile(r"[A-Za-z_]++(?:[.:-]++[A-Za-z_]++)*[.:]?")
_NO_SPOKEN = frozenset(
    """
    required incorrect wrong invalid correct safe secure weak strong too not the a an that this it long short
    hidden hashed encrypted stored saved needed missing empty expired changed reset ready here there what where
    how which my your our for on in at with and or but so very really still always never only also just being
    going sent set used valid unique easy hard good bad fine ok okay important possible same different up out of
    to be by from as if when who called based generated verified checked something anything nothing everything one
    key case sensitive compromised leaked protected manager managers protection reset field fields access falsch
    richtig sicher nicht zu ein eine der die das den dem sehr noch nur auch hier da weg abgelaufen geändert
    vergessen unbekannt incorrecta correcta segura débil muy no una un la el demasiado larga corta obligatoria
    necesaria importante fuerte
    """.split()
)
_INSIDE_WORDS = re.compile(r"\d|[^\w\s]|_|[a-z][A-Z]")


_MARK = re.compile(r"\[secret:[a-z0-9-]{1,40}(?:#[0-9a-f]{1,32})?\]")


def find(text: str) -> tuple[PrivateSpan, ...]:
    """The secrets of a text, in order and without overlaps; each span is the secret alone, not the words around it."""
    text = text[:TEXT_CHARS_MAX]
    told = _CUE.search(text.casefold()) is not None
    long = _LONG.search(text) is not None
    if not told and not long:
        return ()
    found = list(_formatted(text)) if long else []
    if told:
        found += [*_keys(text), *_connections(text), *_assigned(text), *_spoken(text)]
    if found and "[secret:" in text:  # what stands for a secret is none
        marks = [_secret(match.start(), match.end(), "") for match in _MARK.finditer(text)]
        found = free_of(found, marks)
    return tuple(joined(found))


def _secret(start: int, end: int, kind: str) -> PrivateSpan:
    return PrivateSpan(start, end, SpanType.SECRET, True, kind)


def _formatted(text: str) -> Iterator[PrivateSpan]:
    for match in _FORMATS.finditer(text):
        group = next(name for name, value in match.groupdict().items() if value is not None)
        kind = FORMATS[int(group[1:])][0]
        inner = _INNER[group].search(match[0]) if group in _INNER else None
        start = match.start() + (inner.start(1) if inner else 0)
        secret = inner[1] if inner else match[0]
        if not _is_filler(secret):
            yield _secret(start, start + len(secret), kind)


def _keys(text: str) -> Iterator[PrivateSpan]:
    if "-----BEGIN" in text or "PuTTY" in text:
        for match in _PRIVATE_KEY.finditer(text):
            if len(match[0]) > 100 and "..." not in match[0]:
                yield _secret(*match.span(), "private-key")


def _connections(text: str) -> Iterator[PrivateSpan]:
    if "://" in text:
        for match in _CONNECTION.finditer(text):
            if not _NO_VALUE.search(match[1]) and not _is_example(match[1]):
                yield _secret(*match.span(1), "connection-password")
    for match in _GIVEN.finditer(text):
        assert match.lastindex is not None
        value = match[match.lastindex]
        if not _NO_VALUE.search(value) and not _is_example(value) and not _IDENTIFIER.fullmatch(value):
            yield _secret(*match.span(match.lastindex), "password")
    for match in _BEARER.finditer(text):
        if _is_random(match[1]):
            yield _secret(*match.span(1), "bearer-token")


def _assigned(text: str) -> Iterator[PrivateSpan]:
    """Values that code or a list gives to a name of a secret."""
    for match in _ASSIGNED.finditer(text):
        value = match["value"].rstrip(".)]}") if not match["quote"] else match["value"]
        if "://" in value or _NO_VALUE.search(value) or _is_example(value) or _IDENTIFIER.fullmatch(value):
            continue
        name = match["name"].casefold()
        password = name.endswith(("word", "wd", "pw", "phrase", "passwort", "kennwort", "ña", "na", "clave"))
        if _is_random(value) if not password else _INSIDE_WORDS.search(value) and len(value) >= 5:
            start = match.start("value")
            yield _secret(start, start + len(value), "password" if password else "api-key")


def _spoken(text: str) -> Iterator[PrivateSpan]:
    for match in _PHRASE.finditer(text):
        yield _secret(*match.span(match.lastgroup or 0), "seed-phrase" if match["seed"] else "password")
    for match in _SPOKEN.finditer(text):
        group = "quoted" if match["quote"] else "value"
        value = match[group] if match["quote"] else match[group].rstrip(".,;:!?)'`”«")
        if sum(map(str.isalnum, value)) < 3 or _NO_VALUE.search(value) or value.casefold() in _NO_SPOKEN:
            continue
        if not match["whose"] and match["link"] in ":=" and (_is_example(value) or _IDENTIFIER.fullmatch(value)):
            continue  # code, or a list of fields
        if _is_told(text, match, value):
            start = match.start(group)
            yield _secret(
                start, start + len(value), "pin" if match["name"].casefold().startswith("pin") else "password"
            )


def _is_told(text: str, match: re.Match[str], value: str) -> bool:
    """Whether what follows the words is a value, and not the rest of a sentence."""
    name, link = match["name"].casefold(), match["link"].casefold()
    if name.startswith("pin") or name == "geheimzahl":
        return value.isdigit() and 4 <= len(value) <= 8
    if name in ("token", "secret", "secret key", "api key", "api-key", "apikey", "access key"):
        return _is_random(value)
    if match["quote"] and match["whose"]:
        return True
    if (link in ("to", "was") or name == "pass") and not _INSIDE_WORDS.search(value):
        return False
    if _INSIDE_WORDS.search(value.strip("'’-")) and not re.fullmatch(r"[a-zA-Z]+[-'’][a-zA-Z]+", value):
        return not re.fullmatch(r"[\d.,]+%?", value) or bool(match["whose"])
    if not match["whose"] or not value.isalpha() or value.casefold().endswith(("ed", "ing")):
        return False
    after = text[match.start("value") + len(value) : match.end() + 2]
    return re.match(r"\s*(?:[.,!?;\n)]|$)", after) is not None


def _is_example(value: str) -> bool:
    """Whether a value of code is one that manuals use: nothing is left of it without the words of examples."""
    rest = re.sub(r"[\W\d_]", "", _EXAMPLE.sub("", value))
    return len(rest) < 3 and _EXAMPLE.search(value) is not None


def _is_filler(value: str) -> bool:
    return _entropy(value[-16:]) < 2.2 or re.search(r"(?i)x{4,}|example|your|1234567890|\*{3}", value) is not None


def _is_random(value: str) -> bool:
    """Whether it looks drawn by a machine: long, digits and letters mixed, few repeats."""
    bare = value.strip("=")
    return (
        len(bare) >= 16
        and any(char.isdigit() for char in bare)
        and any(char.isalpha() for char in bare)
        and _entropy(bare) >= _ENTROPY_MIN
        and not _is_filler(bare)
        and not re.fullmatch(r"[a-z]+(?:[-_.][a-z]+)+\d{0,4}", bare)
    )


def _entropy(text: str) -> float:
    counts = Counter(text)
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())
