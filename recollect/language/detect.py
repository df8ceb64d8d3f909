"""Which language a text is written in: by its script, and where several languages share one, by its smallest words.

A few tables and no model: telling languages apart for a filter needs neither the 4.5 MB nor the seconds of loading
that a trained classifier does. What cannot be told is `und`, as in ISO 639.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

UNDETERMINED = "und"
_CHARS_LOOKED_AT = 400
_EVIDENCE_MIN = 0.9  # a word that only one language has, or two that two share
_LEAD_MIN = 1.2  # how clearly the best must be ahead of the next

# The letters of a script → the language that alone uses it, or the one it is taken for.
_SCRIPTS = (
    ("ja", "\u3040-\u30ff"),
    ("ko", "\uac00-\ud7af\u1100-\u11ff"),
    ("zh", "\u3400-\u4dbf\u4e00-\u9fff"),
    ("he", "\u0590-\u05ff"),
    ("ar", "\u0600-\u06ff"),
    ("el", "\u0370-\u03ff"),
    ("ru", "\u0400-\u04ff"),
    ("hi", "\u0900-\u097f"),
    ("bn", "\u0980-\u09ff"),
    ("pa", "\u0a00-\u0a7f"),
    ("gu", "\u0a80-\u0aff"),
    ("ta", "\u0b80-\u0bff"),
    ("te", "\u0c00-\u0c7f"),
    ("kn", "\u0c80-\u0cff"),
    ("ml", "\u0d00-\u0d7f"),
    ("si", "\u0d80-\u0dff"),
    ("th", "\u0e00-\u0e7f"),
    ("lo", "\u0e80-\u0eff"),
    ("my", "\u1000-\u109f"),
    ("ka", "\u10a0-\u10ff"),
    ("am", "\u1200-\u137f"),
    ("km", "\u1780-\u17ff"),
    ("hy", "\u0530-\u058f"),
)
_OTHER_SCRIPTS = re.compile("[" + "".join(letters for _, letters in _SCRIPTS) + "]")
# Letters that only some languages of a script have.
_LETTERS = {
    "ru": (("uk", "іїєґ"), ("be", "ў"), ("sr", "ђћљњџ"), ("mk", "ѓќѕ"), ("ru", "ыэё"), ("bg", "ъ")),
    "ar": (("ur", "ٹڈڑںے"), ("fa", "پچژگ")),
}
_SMALL_WORDS = {
    "en": "the and of to is in that it you for was on are with as at be this have from or by not but what all were we "
    "when your can there an which their if will how about many then them these so some her would make like him has "
    "he she my i'm don't it's just did do i me our they had been should could who why where because a i "
    "thanks your you're i'll i've that's can't got get any up out no good great really know think want time now new "
    "one more very too also love thank yes yeah here let need going went take keep after before into over only "
    "than other day work sure sounds awesome hey hi see way always never has lol oh wow well much still",
    "de": "der die das und ist nicht ich ein eine zu den von mit auf für sich auch es dem wir sie haben bei noch nach "
    "aus wie aber wenn nur oder mir mich war sind wird kann schon sehr einen einer zum zur über hat bin habe kein",
    "fr": "le la les des et est un une dans que qui pour pas sur au avec ce il elle nous vous je ne plus par sont être "
    "mais ou où cette ces aux du en se c'est j'ai d'un qu'il très tout fait comme mon ma mes suis avons",
    "es": "el la los las de que y en un una es por con no para su lo como más pero sus le ya o este sí porque esta "
    "entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante ser yo está mi del al tengo",
    "it": "il lo la gli le di che e è un una per non con del della sono si da come anche più ma nel alla questo ho ha "
    "ieri mi ti ci perché molto quando essere dal sul mio tutto ai io delle degli abbiamo",
    "pt": "o a os as de que e do da em um uma para com não no na por mais dos das se como mas foi ao ele sua ou ser "
    "quando muito já eu também só pelo pela até isso ela entre depois sem mesmo aos seus meu minha está são você",
    "nl": "de het een en van is dat niet in op te zijn voor met die er aan ook als maar om bij nog naar dan wat wel "
    "ik je hij zij wij hebben kan geen uit deze worden door over heeft mijn was jij",
    "sv": "och att det som en på är av för med den till inte har jag ett om men var de så vi från när kan eller han "
    "hon mycket efter bara också min mig dig ska nu",
    "da": "og det at en den til er som på de med han af for ikke der var mig sig men et har om vi min havde ham hun nu "
    "over da fra du ud jeg meget skal også blev kan hvad hvor",
    "nb": "og det i er på en som å til av for med ikke den jeg har et om men var vi seg så han fra hun kan eller etter "
    "hva hvor skal dette bare også min meg deg være ble noe veldig",
    "fi": "ja on ei se että oli hän mutta ovat kun niin minä mitä myös jos tämä vain olen kuin joka sinä mikä ole nyt "
    "tai hyvin minun me he olla voi",
    "pl": "i w na nie się że z do to jest jak ale o co tak za od po czy już jestem był dla przez tylko jego są może ja "
    "mnie być bardzo mam ten gdy lub które",
    "cs": "a se v na je že to s z o do i ale jsem za jako by pro jak co tak už když jsou byl nebo jen jeho může ještě "
    "si není mi mám být velmi která",
    "sk": "a sa v na je že to s z o do aj ale som za ako by pre čo tak už keď sú bol alebo len jeho môže ešte si nie "
    "mi mám byť veľmi ktorá",
    "hu": "a az és hogy nem is egy van ez meg de csak már volt ha mint én mert azt ki kell még lesz nagyon itt vagy "
    "vagyok nekem",
    "ro": "și în de la nu cu pe este o un să mai din că pentru ce sunt fost dar se am ca lui sau foarte al ale "
    "eu ai fi după când",
    "tr": "ve bir bu için de da ne ile çok ben mi gibi daha var o ama sen değil kadar olarak sonra en her şey biz ya "
    "olan diye ki yok bana",
    "id": "yang dan di itu dengan untuk tidak ini dari dalam akan pada saya ke kita bisa ada juga karena mereka sudah "
    "adalah oleh atau kami telah anda aku kamu",
    "vi": "và của là không có được cho trong một với các người này đã những tôi khi đó đến như để cũng từ ở rất nhiều "
    "bạn thì mà",
    "ca": "el la els les de que i en un una és per amb no són com més però seva molt també aquest aquesta del dels "
    "jo meu quan fins està hi ha",
}
_LATIN_LETTERS = (
    ("de", "ß"),
    ("es", "ñ¿¡"),
    ("pt", "ãõ"),
    ("pl", "łąęśźż"),
    ("cs", "řůě"),
    ("sk", "ľĺŕ"),
    ("hu", "őű"),
    ("ro", "șțăţ"),
    ("tr", "ğış"),
    ("vi", "đơưạảấầẩậắằặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỷỹ"),
    ("fr", "œ"),
    ("da", "æ"),
    ("nb", "æ"),
    ("da", "ø"),
    ("nb", "ø"),
    ("sv", "ä"),
    ("fi", "ä"),
    ("de", "ä"),
    ("de", "ü"),
    ("tr", "ü"),
)
_LETTER_WEIGHT = 0.6
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def language_of(text: str) -> str:
    """The two-letter code of the language most of a text is in; `und` when that cannot be told."""
    text = text[:_CHARS_LOOKED_AT].lower()
    if not text.isascii():
        script = _script_of(text)
        if script:
            return next(
                (code for code, letters in _LETTERS.get(script, ()) if not set(letters).isdisjoint(text)), script
            )
    return _latin(text)


def _script_of(text: str) -> str | None:
    """The script of most letters, None for Latin; one kana among ideographs already makes it Japanese."""
    if _OTHER_SCRIPTS.search(text) is None:
        return None
    sizes = {script: count for script, letters in _scripts() if (count := len(letters.findall(text)))}
    if "ja" in sizes and "zh" in sizes:
        sizes["ja"] += sizes.pop("zh")
    best = max(sizes, key=lambda script: sizes[script])
    latin = sum(character.isascii() and character.isalpha() for character in text)
    dense = 3 if best in ("ja", "zh", "ko") else 1  # one of their signs says as much as a few letters
    return best if sizes[best] * dense >= latin else None


@cache
def _scripts() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((code, re.compile(f"[{letters}]")) for code, letters in _SCRIPTS)


def _latin(text: str) -> str:
    known = _weights_by_word()
    score: defaultdict[str, float] = defaultdict(float)
    for word in _WORD.findall(text):
        for code, weight in known.get(word, ()):
            score[code] += weight
    if not text.isascii():
        for code, letters in _LATIN_LETTERS:
            if not set(letters).isdisjoint(text):
                score[code] += _LETTER_WEIGHT
    ranked = sorted(score.items(), key=lambda each: -each[1])[:2]
    if not ranked or ranked[0][1] < _EVIDENCE_MIN:
        return UNDETERMINED
    clear = len(ranked) == 1 or ranked[0][1] >= _LEAD_MIN * ranked[1][1]
    return ranked[0][0] if clear else UNDETERMINED


@cache
def _weights_by_word() -> dict[str, tuple[tuple[str, float], ...]]:
    """What a small word says for each of the languages that have it: less where they are several."""
    languages: dict[str, tuple[str, ...]] = {}
    for code, words in _SMALL_WORDS.items():
        for word in words.split():
            languages[word] = (*languages.get(word, ()), code)
    weights = {word: (_LETTER_WEIGHT if len(word) == 1 else 1.0) / len(codes) for word, codes in languages.items()}
    return {word: tuple((code, weights[word]) for code in codes) for word, codes in languages.items()}
