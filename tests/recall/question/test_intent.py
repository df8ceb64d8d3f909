"""What a question is after, in ten languages, with and without an embedder, and whatever the text."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.config.reading import IntentSettings
from recollect.errors import ProviderError
from recollect.language.spoken import question_phrases
from recollect.providers.base import Embedder, Vectors
from recollect.providers.embedders.fake import FakeEmbedder
from recollect.providers.embedders.wordllama import WordLlamaEmbedder
from recollect.recall.question import exemplars
from recollect.recall.question.exemplars import EXEMPLARS
from recollect.recall.question.intent import ASKS, KINDS, NO_INTENT, Intent, IntentReader
from recollect.recall.question.signs import SIGNS
from recollect.recall.question.wording import fold, found_in, length_of, words_of

# None of these is an example.
QUESTIONS = {
    "How come nobody told Ben about the party?": ("causal", "why"),
    "Do you remember why Ben sold his bike?": ("causal", "why"),
    "When does the gym open on Sundays?": ("temporal", "when"),
    "How long has Ana been learning Dutch?": ("temporal", "when"),
    "What did we decide two weeks ago?": ("temporal", "what"),
    "Whose umbrella is in the hall?": ("lookup", "who"),
    "Which colleague speaks Polish?": ("lookup", "who"),
    "what is the license plate of my car": ("lookup", "what"),
    "How many cats does Ana have?": ("lookup", "what"),
    "How do I restart the ingest worker?": ("procedural", "general"),
    "I need instructions for descaling the kettle": ("procedural", "general"),
    "Tell me about the kitchen renovation": ("exploratory", "what"),
    "I'm bored tonight. Any ideas?": ("exploratory", "general"),
    "How does the blue tent compare with the green one?": ("comparative", "what"),
    "Aus welchem Grund hat Ben abgesagt?": ("causal", "why"),
    "Seit wann wohnt Ben in Bonn?": ("temporal", "when"),
    "Wem habe ich das Buch geliehen?": ("lookup", "who"),
    "Wie heißt die Ärztin von Ben?": ("lookup", "what"),
    "Wie erstelle ich ein neues Projekt?": ("procedural", "general"),
    "Was weißt du über die Küche?": ("exploratory", "what"),
    "Worin unterscheiden sich die beiden Zelte?": ("comparative", "what"),
    "¿A qué se debe el retraso?": ("causal", "why"),
    "¿Cuándo es mi próxima cita?": ("temporal", "when"),
    "¿A quién le presté el libro?": ("lookup", "who"),
    "¿Dónde aparcó Ben la furgoneta?": ("lookup", "what"),
    "¿Cómo puedo reiniciar el servicio?": ("procedural", "general"),
    "Háblame de la reforma de la cocina": ("exploratory", "what"),
    "Compara el contrato viejo con el nuevo": ("comparative", "what"),
    "Pour quelle raison Ana a changé de médecin ?": ("causal", "why"),
    "C'est quand mon prochain rendez-vous ?": ("temporal", "when"),
    "À qui ai-je prêté le livre ?": ("lookup", "who"),
    "Combien de chats Ana a-t-elle ?": ("lookup", "what"),
    "Comment créer un nouveau projet ?": ("procedural", "general"),
    "Parle-moi de la rénovation de la cuisine": ("exploratory", "what"),
    "Qual foi o motivo da demissão?": ("causal", "why"),
    "Há quanto tempo a Ana estuda holandês?": ("temporal", "when"),
    "Quem me recomendou esse restaurante?": ("lookup", "who"),
    "Como posso reiniciar o serviço?": ("procedural", "general"),
    "Qual é a diferença entre as duas tendas?": ("comparative", "what"),
    "Come mai Ana ha cambiato medico?": ("causal", "why"),
    "In che anno mi sono laureato?": ("temporal", "when"),
    "Con chi sono andato al cinema?": ("lookup", "who"),
    "Come si crea un nuovo progetto?": ("procedural", "general"),
    "Parlami dei lavori in cucina": ("exploratory", "what"),
    "Почему отменили встречу?": ("causal", "why"),
    "В каком году я окончил университет?": ("temporal", "when"),
    "Кому я одолжил книгу?": ("lookup", "who"),
    "Как создать новый проект?": ("procedural", "general"),
    "会议为什么取消了？": ("causal", "why"),
    "我的下次预约是什么时候？": ("temporal", "when"),
    "我把书借给谁了？": ("lookup", "who"),
    "如何重启服务？": ("procedural", "general"),
    "なぜ会議は中止になったのですか": ("causal", "why"),
    "次の予約はいつですか": ("temporal", "when"),
    "本を誰に貸しましたか": ("lookup", "who"),
    "왜 회의가 취소되었나요?": ("causal", "why"),
    "회의는 언제 시작해요?": ("temporal", "when"),
}

# Words that ask elsewhere, and do not here.
NOT_ASKED = {
    "What did I eat when I was in Rome?": "what",
    "When I was in Rome, what did I eat?": "what",
    "What is the name of the man who fixed the roof?": "what",
    "Cuando Ana llegó, ¿quién estaba en casa?": "who",
    "Why does Mount St. Helens smoke?": "why",
    "I was tired yesterday. Why was that?": "why",
    "Which friend's car did we take?": "what",
}

COMPLEX = {
    "Where is Ben?": False,
    "When did Ana move?": False,
    "what is the wifi password": False,
    "会议什么时候开始": False,
    "How does the train differ from the car?": True,
    "List all the restaurants we liked": True,
    "How many times did I run last month?": True,
    "Where did Ana and Ben meet before they moved?": True,
    "Who wrote the parser, and why was it replaced?": True,
    "Wie oft war ich dieses Jahr krank?": True,
    "Compara los dos planes": True,
}

# Nothing in their words says what they are after.
SILENT = {
    "setting up the vpn on a new laptop": "procedural",
    "installing the backup client": "procedural",
    "the factor that broke our build": "causal",
}


class FailingEmbedder(FakeEmbedder):
    """Its vectors cannot be had."""

    name = "fake:failing"

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise ProviderError("no vectors today")


class FarEmbedder(FailingEmbedder):
    """Asking it costs a journey: being asked at all is a mistake."""

    inline = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise AssertionError("a far model was asked what a question is after")


@pytest.fixture(scope="module")
def by_rules() -> IntentReader:
    return IntentReader(None, IntentSettings())


@pytest.fixture(scope="module")
def with_examples() -> IntentReader:
    return IntentReader(WordLlamaEmbedder(), IntentSettings())


@pytest.mark.parametrize("text", QUESTIONS)
def test_words_say_what_a_question_is_after(text: str, by_rules: IntentReader) -> None:
    intent = by_rules.read(text)
    assert (intent.kind, intent.asks) == QUESTIONS[text]
    assert intent.certainty > 0.25


@pytest.mark.parametrize("text", QUESTIONS)
def test_examples_do_not_overrule_words(text: str, by_rules: IntentReader, with_examples: IntentReader) -> None:
    assert with_examples.read(text) == by_rules.read(text)


@pytest.mark.parametrize("text", NOT_ASKED)
def test_the_word_that_asks_is_told_from_others(text: str, by_rules: IntentReader) -> None:
    assert by_rules.read(text).asks == NOT_ASKED[text]


@pytest.mark.parametrize("text", SILENT)
def test_examples_speak_where_words_are_silent(text: str, by_rules: IntentReader, with_examples: IntentReader) -> None:
    assert with_examples.read(text).kind == SILENT[text]
    assert by_rules.read(text).kind != SILENT[text]
    assert by_rules.read(text).certainty <= 0.4, "form alone is a guess"


@pytest.mark.parametrize("text", COMPLEX)
def test_simple_and_complex(text: str, by_rules: IntentReader) -> None:
    assert by_rules.read(text).complex is COMPLEX[text]


def test_a_question_about_something_named_is_read_with_certainty(by_rules: IntentReader) -> None:
    assert by_rules.read("Tell me about Project Alpha").certainty > 0.7 > by_rules.read("Tell me about it").certainty


def test_two_kinds_share_a_question(by_rules: IntentReader) -> None:
    intent = by_rules.read("Why did the server fail last week?")
    assert intent.kind == "causal"
    assert intent.shares["causal"] > intent.shares["temporal"] > 0 == intent.shares["procedural"]
    assert intent.certainty < by_rules.read("Why did the server fail?").certainty


def test_a_month_is_about_time(by_rules: IntentReader) -> None:
    assert by_rules.read("the garden in March 2023").kind == "temporal"


@pytest.mark.parametrize("text", ["", "   ", "?!… —", "\n\t", "¿?", "🙂", "___"])
def test_a_text_without_words_has_no_intent(text: str, by_rules: IntentReader, with_examples: IntentReader) -> None:
    assert by_rules.read(text) == with_examples.read(text) == NO_INTENT


def test_a_long_text_is_read_at_its_head(by_rules: IntentReader) -> None:
    text = "Why did the login break? " + "when " * 20_000
    assert by_rules.read(text).asks == "why"
    assert by_rules.read(text) == by_rules.read(text[:1_000])


def test_reading_takes_well_under_two_milliseconds(with_examples: IntentReader) -> None:
    texts = [*QUESTIONS, *SILENT, "x" * 100_000, "why when who " * 8_000]
    for text in texts:
        with_examples.read(text)
    start = time.process_time()
    for text in texts:
        with_examples.read(text)
    assert (time.process_time() - start) / len(texts) < 0.002


def test_an_embedder_that_fails_leaves_the_rules(by_rules: IntentReader) -> None:
    failing = IntentReader(FailingEmbedder(), IntentSettings())
    for text in (*QUESTIONS, *SILENT):
        assert failing.read(text) == by_rules.read(text)


def test_a_far_embedder_is_not_asked(by_rules: IntentReader) -> None:
    far = IntentReader(FarEmbedder(), IntentSettings())
    assert far.read("installing the backup client") == by_rules.read("installing the backup client")


def test_examples_are_embedded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Counting(FakeEmbedder):
        name = "fake:counting"

        def embed(self, texts: Sequence[str]) -> Vectors:
            asked.append(len(texts))
            return super().embed(texts)

    monkeypatch.setattr(exemplars, "_embedded", {})
    embedder: Embedder = Counting()
    for text in ("installing it", "garage door"):
        IntentReader(embedder, IntentSettings()).read(text)
    assert sorted(asked)[:2] == [1, 1]
    assert sum(asked) == sum(map(len, EXEMPLARS.values())) + 2


def test_settings_weigh_the_cues() -> None:
    deaf = IntentSettings(cues={"why": 0.0, "short": 0.3})
    assert IntentReader(None, IntentSettings()).read("Why?").kind == "causal"
    assert IntentReader(None, deaf).read("Why?").certainty == 0.0
    near = IntentReader(WordLlamaEmbedder(), IntentSettings(similarity_min=0.0))
    assert near.read("installing the backup client").kind == "procedural"
    strict = IntentReader(WordLlamaEmbedder(), IntentSettings(similarity_min=1.0))
    assert strict.read("installing the backup client").kind == "lookup"


@given(st.text(max_size=300))
def test_every_text_has_a_sound_intent(text: str) -> None:
    for embedder in (None, WordLlamaEmbedder()):
        assert_sound(IntentReader(embedder, IntentSettings()).read(text))


@given(st.lists(st.sampled_from(sorted(p for by in question_phrases().values() for t in by for p in t.split()))))
def test_every_heap_of_question_words_has_a_sound_intent(words: list[str]) -> None:
    assert_sound(IntentReader(None, IntentSettings()).read(" ".join(words)))


def assert_sound(intent: Intent) -> None:
    assert intent.kind in KINDS
    assert intent.asks in ASKS
    assert 0.0 <= intent.certainty <= 1.0
    assert set(intent.shares) == set(KINDS)
    assert sum(intent.shares.values()) == pytest.approx(1.0)
    assert intent.shares[intent.kind] == max(intent.shares.values())


def test_the_tables_fit_together() -> None:
    assert {sign.name for sign in SIGNS} == set(question_phrases())
    assert {sign.kind for sign in SIGNS} - {""} == set(KINDS) == set(EXEMPLARS)
    assert {sign.asks for sign in SIGNS} - {""} == set(ASKS)
    assert {sign.cue for sign in SIGNS} - {""} <= set(IntentSettings().cues)
    texts = [text for examples in EXEMPLARS.values() for text in examples]
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize("name", question_phrases())
def test_every_phrase_is_found_as_it_is_written(name: str) -> None:
    for text in question_phrases()[name]:
        for phrase in (each.strip() for each in text.split("|")):
            assert name in {each.sign.name for each in found_in(words_of(phrase))}, phrase


def test_words_are_folded_alike_in_every_script() -> None:
    assert fold("Où Straße ÀÉ") == "ou strasse ae"
    assert words_of("What's Ana_B's e-mail?") == ["what", "s", "ana", "b", "s", "e", "mail"]
    assert words_of("会议为什么取消了") == ["会议", "为什么", "取消了"]
    assert (length_of("会议为什么取消了"), length_of("what's Ana's e-mail")) == (5, 3)
    assert fold("カ\u3099") == fold("ガ") == "ガ"
