"""How probable it is that a text instructs the model that reads it, instead of telling it something.

Three looks, each only where the one before leaves a doubt. Words: every word and pair of words has a weight, which
costs microseconds. Signs: a few patterns that name what is tried, such as an order to forget. Meaning: a small network
over the vector of the shipped encoder, the words and the signs. Passages and sentences are judged one by one, what was
decoded too; of a long text some are odd by chance, so it takes worse ones, or several. The weights are in
`injection.npz`, fitted by `training/injection/fit.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.language.expression import expression
from recollect.language.passages import passages_of
from recollect.language.sentences import ROUGH_END
from recollect.security.screening.normalise import Normalised

Floats = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Floats]  # texts to unit vectors of the shipped encoder

WEIGHTS = Path(__file__).resolve().parent / "injection.npz"
LENGTH_COSTS = 0.8  # of the log odds of a text, by the logarithm of its passages; 1 is the mean of their odds
DOUBT_GROWS = 0.5  # at once, with the logarithm of a text's passages
PASSAGES_MAX = 24  # of a text that are judged by their meaning, those first whose words are the most suspicious

SENTENCE_WORDS_MIN = 6  # fewer say nothing by themselves, such as a line of code; they go with what follows
GRAMS_MORE = 12  # as if each passage had so many more words that say nothing: "I will" alone accuses nobody
_SENTENCE_END = expression(rf"{ROUGH_END}|\n+")
_WORD = expression(r"[^\W\d_]+")
_RULES = (
    r"(?:instruct\w*|prompts?|rules?|guidelines?|directives?|directions?|commands?|orders?|context|everything"
    r"|programming|anweisung\w*|instruktionen|regeln|vorgaben|befehle|alles|instrucciones|reglas|órdenes|todo|consignes"
    r"|règles|istruzioni|regole|instruções|regras|instructies|regels|upute|pravila|instruk\w*|aturan|talimatlar\w*"
    r"|kuralları|инструкци\w*|правила?|указани\w*|команды|οδηγίες|κανόνες|التعليمات|القواعد|निर्देशों|नियमों?|नियम)"
)
_FORGET = (
    r"(?:ignor\w*|disregard\w*|forget|override|overrule|bypass|discard|dismiss|neglect|abandon|vergiss|vergesst"
    r"|missachte\w*|verwirf|olvida\w*|descarta\w*|oublie\w*|dimentica\w*|esque[cç]a\w*|vergeet|negeer|zaboravi\w*"
    r"|zanemari\w*|zapomnij|zignoruj|abaikan|lupakan|игнориру\w*|забудь\w*|отбрось\w*|αγνόησε|ξέχνα|تجاهل|انس)"
)
# Scripts without blanks between words, and languages in which the order comes last.
_FORGET_AFTER = (
    r"(?:忽略|无视|無視|忘记|忘掉)[^。\n]{0,16}(?:指令|指示|规则|規則|提示|要求)"
    r"|(?:指示|命令|ルール|プロンプト|지시|규칙|명령)[^。\n]{0,12}(?:無視|忘れ|従わ|무시|잊)"
    r"|(?:talimat|kural|komut)[^.\n]{0,24}(?:yok say|unut|görmezden)"
    r"|(?:निर्देश|नियम)[^।\n]{0,20}(?:अनदेखा|अनदेखी|भूल)"
)
_SHOW = (
    r"(?:reveal|print|show|repeat|output|display|tell me|give me|dump|leak|list|translate|encode|zeig\w*|wiederhole"
    r"|muestra\w*|muéstra\w*|repite)"
)
_KEPT = (
    r"(?:system prompt|initial prompt|hidden (?:text|prompt|instructions)|your (?:\w+ )?(?:instructions|prompt|rules)"
    r"|text above|passwor[dt]\w*|secret|access code|contraseña|api key|credentials)"
)
_MODEL = r"(?:ais?|assistants?|models?|agents?|llms?|chatbots?|bots?|copilot)"
SIGNS: dict[str, re.Pattern[str]] = {
    "override": expression(rf"\b{_FORGET}\b(?:\W+\w+){{0,6}}?\W+{_RULES}\b|{_FORGET_AFTER}"),
    "role": expression(
        r"\b(?:you are (?:now|going to)|now you are|act as|acting as|pretend (?:to be|you|that you)|from now on,? you"
        r"|you will (?:act|play|be)|role ?-?play|play the role|in character|imagine (?:you are|you were|that you)"
        r"|du bist (?:jetzt|nun)|tu so,? als|actúa como|ahora eres|finge)\b"
    ),
    "leak": expression(rf"\b{_SHOW}\b(?:\W+\w+){{0,5}}?\W+{_KEPT}"),
    "turn": expression(
        r"<\|?/?(?:im_start|im_end|system|inst)\b|\[/?inst\]"
        r"|(?:^|\n)\W{0,4}(?:system|assistant|developer|admin)\b ?(?:prompt|message|note|update|override)?:"
    ),
    "addressed": expression(
        rf"\b(?:(?:note|message|attention|instructions?) (?:to|for)(?: \w+){{0,2}} {_MODEL}|as an ai\b"
        r"|if you are an? (?:ai|llm|language model)|hey (?:ai|chatgpt|assistant)|dear (?:ai|assistant)"
        r"|(?:ai|chatgpt|language model)s?\b[^.\n]{0,40}\b(?:must|should|have to|will)"
        rf"|{_MODEL} (?:that|which|who) (?:reads?|process\w*|summari[sz]es?|translates?)\b)"
    ),
    "unbound": expression(
        r"\b(?:no (?:restrictions|rules|limits|limitations|filters?|ethic\w*|moral\w*)|unrestricted|unfiltered"
        r"|without (?:any )?(?:restrictions|rules|limits|filters?)|uncensored|jailbr\w*|do anything now|never refuse\w*"
        r"|(?:developer|debug|god|sudo|privileged|dan) mode|must (?:obey|comply)|ohne (?:einschränkung\w*|regeln)"
        r"|sin (?:filtros|reglas))\b"
    ),
    "silent": expression(
        r"\b(?:(?:do not|don't|never|without) (?:tell|telling|mention|mentioning|inform\w*|ask\w*)(?: \w+){0,3} "
        r"(?:user|anyone|confirmation|this|it|line)|silently|secretly)\b"
    ),
}


class InjectionJudgement(NamedTuple):
    """The probability, the signs that were found, and what hid something; `sure` unless meaning was not asked."""

    probability: float
    signs: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    sure: bool = True


class Unit(NamedTuple):
    """A passage that is judged by itself: its text in small letters, and whether it was hidden."""

    text: str
    decoded: bool = False


@lru_cache(maxsize=1)
def version() -> str:
    """Of the shipped weights, without reading them all."""
    with np.load(WEIGHTS) as file:
        return str(file["version"])


@lru_cache(maxsize=1)
def weights() -> InjectionWeights:
    """The shipped weights; read when the first text is judged."""
    with np.load(WEIGHTS) as file:
        return InjectionWeights(
            words=dict(
                zip(bytes(file["words"]).decode().split("\n"), file["word_weights"].astype(float).tolist(), strict=True)
            ),
            bias=float(file["bias"]),
            doubt=float(file["doubt"]),
            doubt_later=float(file["doubt_later"]),
            hidden=(file["hidden_weights"].astype(np.float32), file["hidden_bias"].astype(np.float32)),
            last=(file["last_weights"].astype(np.float32), float(file["last_bias"])),
        )


class InjectionWeights(NamedTuple):
    """What was fitted: a weight for each word, and two layers over meaning, words and signs."""

    words: dict[str, float]
    bias: float
    doubt: float  # of the words alone, from which meaning is asked
    doubt_later: float  # … where there is time
    hidden: tuple[Floats, Floats]
    last: tuple[Floats, float]

    def by_words(self, text: str) -> float:
        """How suspicious the words of a passage are; beyond zero they are more like an instruction."""
        found = grams(text)
        return self.bias + sum(map(self._weight, found)) / math.sqrt(len(found) + GRAMS_MORE)

    def _weight(self, gram: str) -> float:
        return self.words.get(gram, 0.0)

    def by_meaning(self, features: Floats) -> Floats:
        """Log odds of passages, by what `features` gives of each."""
        inner = np.maximum(features @ self.hidden[0] + self.hidden[1], 0.0)
        return np.asarray(inner @ self.last[0] + self.last[1], dtype=np.float32)


def grams(text: str) -> set[str]:
    """The words of a text in small letters, and each two that follow each other."""
    words = _WORD.findall(text)
    return {*words, *map(" ".join, pairwise(words))}


def units(text: Normalised) -> list[Unit]:
    """The passages and sentences of a text, and of what was decoded from it."""
    return [*_units(text.text, False), *(unit for decoded in text.decoded for unit in _units(decoded, True))]


def _units(text: str, decoded: bool) -> list[Unit]:
    lowered = text.lower()
    return [Unit(part, decoded) for part in dict.fromkeys((*passages_of(lowered), *sentences_of(lowered)))]


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, those of a few words together with the next; none if it is one."""
    out: list[str] = []
    words = SENTENCE_WORDS_MIN
    for sentence in _SENTENCE_END.split(text):
        count = len(sentence.split())
        if not count:
            continue
        if words < SENTENCE_WORDS_MIN:
            out[-1] = f"{out[-1]} {sentence}"
            words += count
        else:
            out.append(sentence)
            words = count
    if len(out) > 1 and words < SENTENCE_WORDS_MIN:
        last = out.pop()
        out[-1] = f"{out[-1]} {last}"
    return out if len(out) > 1 else []


def signs_in(text: str) -> tuple[str, ...]:
    """Names of the signs in a passage of small letters."""
    return tuple(name for name, pattern in SIGNS.items() if pattern.search(text))


def features(vectors: Floats, by_words: Sequence[float], found: Sequence[Unit]) -> Floats:
    """What the network sees of each passage: its vector, its words, its signs, and whether it was hidden."""
    rest = np.zeros((len(found), 2 + len(SIGNS)), dtype=np.float32)
    for row, (words, unit) in enumerate(zip(by_words, found, strict=True)):
        signs = signs_in(unit.text)
        rest[row] = (words / 4.0, float(unit.decoded), *(float(name in signs) for name in SIGNS))
    return np.concatenate([vectors, rest], axis=1)


def together(log_odds: Floats, passages: int) -> float:
    """The log odds of a text by those of its passages that were judged, of so many in all."""
    return float(np.logaddexp.reduce(log_odds)) - LENGTH_COSTS * math.log(passages)


def judge(text: Normalised, encode: Encode | None, *, closely: bool = False) -> InjectionJudgement:
    """By all three looks where the words leave a doubt, `closely` a small one; without an encoder by two."""
    known = weights()
    found = units(text)
    words = [known.by_words(unit.text) for unit in found]
    worst = sorted(range(len(found)), key=words.__getitem__, reverse=True)[:PASSAGES_MAX]
    doubt = known.doubt_later if closely else known.doubt + DOUBT_GROWS * math.log(len(found) or 1)
    doubtful = [at for at in worst if words[at] >= known.doubt_later or found[at].decoded]
    if not any(words[at] >= doubt or found[at].decoded for at in doubtful):
        by_words = max(words, default=known.bias) - LENGTH_COSTS * math.log(len(found) or 1)
        return InjectionJudgement(_share(by_words), hidden=text.hidden, sure=False)
    signs = tuple(name for name in SIGNS if any(name in signs_in(found[at].text) for at in doubtful))
    if encode is None:
        return InjectionJudgement(_share(words[doubtful[0]]), signs, text.hidden, sure=False)
    chosen = [found[at] for at in doubtful]
    seen = features(encode([unit.text for unit in chosen]), [words[at] for at in doubtful], chosen)
    return InjectionJudgement(_share(together(known.by_meaning(seen), len(found))), signs, text.hidden)


def _share(logit: float) -> float:
    return float(1.0 / (1.0 + np.exp(-logit)))
