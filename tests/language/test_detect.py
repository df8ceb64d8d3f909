"""Which language a text is in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.language.detect import UNDETERMINED, language_of

SENTENCES = {
    "en": "Yesterday I bought a new bicycle and it is very fast.",
    "uk": "Вчора я купив новий велосипед, і він є.",
    "de": "Ich habe gestern ein neues Fahrrad gekauft.",
    "fr": "Je suis allé au marché hier avec ma sœur.",
    "es": "Ayer compré una bicicleta nueva y me gusta mucho.",
    "it": "Ieri ho comprato una bicicletta molto bella.",
    "pt": "Ontem comprei uma bicicleta nova e gosto muito dela.",
    "nl": "Gisteren heb ik een nieuwe fiets gekocht.",
    "sv": "Igår köpte jag en ny cykel och den är mycket snabb.",
    "da": "I går købte jeg en cykel, og den er meget god.",
    "nb": "I går kjøpte jeg en ny sykkel, og den er veldig rask.",
    "fi": "Ostin eilen uuden pyörän ja se on nopea.",
    "pl": "Wczoraj kupiłem nowy rower i jest bardzo szybki.",
    "cs": "Včera jsem si koupil nové kolo a je velmi rychlé.",
    "hu": "Tegnap vettem egy új biciklit, és nagyon gyors.",
    "ro": "Ieri am cumpărat o bicicletă nouă și este rapidă.",
    "tr": "Dün yeni bir bisiklet aldım ve çok hızlı.",
    "id": "Kemarin saya membeli sepeda baru dan sangat cepat.",
    "vi": "Hôm qua tôi đã mua một chiếc xe đạp mới.",
    "ru": "Вчера я купил новый велосипед, и он очень быстрый.",
    "bg": "Вчера си купих нов велосипед и той е много бърз.",
    "el": "Χθες αγόρασα ένα καινούργιο ποδήλατο.",
    "ja": "昨日、新しい自転車を買いました。",
    "zh": "我昨天买了一辆新自行车。",
    "ko": "어제 새 자전거를 샀어요.",
    "ar": "اشتريت دراجة جديدة أمس.",
    "fa": "دیروز یک دوچرخه خریدم که گران بود.",
    "he": "אתמול קניתי אופניים חדשים.",
    "hi": "मैंने कल एक नई साइकिल खरीदी।",
    "th": "เมื่อวานฉันซื้อจักรยานใหม่",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_is_told_by_its_script_or_small_words(code: str) -> None:
    assert language_of(SENTENCES[code]) == code


@pytest.mark.parametrize("text", ["", "12:30", "git rebase", "🎉🎉", "x = f(y)"])
def test_what_cannot_be_told_is_undetermined(text: str) -> None:
    assert language_of(text) == UNDETERMINED


def test_a_foreign_word_does_not_change_the_language() -> None:
    assert language_of("Ana said that 自転車 is the word for a bicycle in Japan") == "en"
    assert language_of("今日は Python を使いました。") == "ja"


@given(st.text(max_size=200))
def test_it_always_answers_with_a_code(text: str) -> None:
    assert 2 <= len(language_of(text)) <= 3
