"""Spanish: sentences, times, states, negation, and the question words that give a question its intent."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import recollect
from recollect.config.reading import IntentSettings
from recollect.language import changes
from recollect.language.es import states
from recollect.language.es.clocks import CLOCKS as CLOCK_RULES
from recollect.language.es.phrases import PHRASES
from recollect.language.es.times import REPEATING
from recollect.language.frame.clocks import compiled
from recollect.language.sentences import SENTENCE_CHARS_MAX
from recollect.language.spoken import language_for, language_named, sentences_of
from recollect.language.times import parse_window
from recollect.recall.question.cues import Cues, cues_of
from recollect.recall.question.intent import IntentReader
from recollect.recall.question.when import when_of
from tests.properties.test_patterns import BOUNDED, Compiled, slowest

THURSDAY = datetime(2024, 5, 16, 10, tzinfo=UTC)
SPANISH = language_named("es")

TIMES = {
    "El martes pasado fui al dentista.": ("martes pasado", "2024-05-14", "2024-05-15", "in"),
    "Vivo aquí desde 2019.": ("desde 2019", "2019-01-01", "2020-01-01", "since"),
    "Llevo dos años en Madrid.": ("Llevo dos años", "2022-05-16", "2022-05-17", "since"),
    "Dos semanas antes de Navidad estuve enfermo.": (
        "Dos semanas antes de Navidad",
        "2023-12-11",
        "2023-12-12",
        "in",
    ),
    "Entre 2015 y 2018 viví en Vigo.": ("Entre 2015 y 2018", "2015-01-01", "2019-01-01", "between"),
    "En los años noventa vivía en Bonn.": ("los años noventa", "1990-01-01", "2000-01-01", "in"),
}
CLOCKS = {
    "El viernes a las siete y media cenamos juntos.": "2024-05-17T07:30",
    "Mañana a las 18:30 tengo clase.": "2024-05-17T18:30",
    "El sábado a las doce de la noche cierran.": "2024-05-19T00:00",
    "Pasado mañana nos vemos a la una menos cuarto.": "2024-05-18T12:45",
}
NO_TIMES = (
    "Llamé a las tres amigas.",
    "Había 2000 personas.",
    "Julio es mi primo.",
    "Llegué tarde.",
    "La versión 3.5 funciona.",
)


@pytest.mark.parametrize("text", TIMES)
def test_a_spanish_time_is_found_where_it_lies(text: str) -> None:
    surface, start, end, relation = TIMES[text]
    (found,) = SPANISH.times(text, THURSDAY)
    assert (found.surface, found.relation) == (surface, relation)
    assert (found.start.strftime("%Y-%m-%d"), found.end.strftime("%Y-%m-%d")) == (start, end)


@pytest.mark.parametrize("text", CLOCKS)
def test_a_spanish_time_of_day_joins_its_day(text: str) -> None:
    (found,) = SPANISH.times(text, THURSDAY)
    assert found.start.strftime("%Y-%m-%dT%H:%M") == CLOCKS[text]


@pytest.mark.parametrize("text", NO_TIMES)
def test_what_looks_like_a_spanish_time_and_is_none(text: str) -> None:
    assert SPANISH.times(text, THURSDAY) == ()


def test_an_abbreviation_ends_no_spanish_sentence() -> None:
    text = "La Sra. Ruiz vive en la Av. Libertad. ¿Y tú dónde vives?"
    assert language_for(text).code == "es"
    first, second = sentences_of(text)
    assert (first.text, second.text) == ("La Sra. Ruiz vive en la Av. Libertad.", "¿Y tú dónde vives?")
    assert (first.is_question, second.is_question) == (False, True)


def test_a_spanish_phrase_may_be_given_where_a_time_is_asked_for() -> None:
    start, end = parse_window("la semana pasada", now=THURSDAY)
    assert (start.date().isoformat(), end.date().isoformat()) == ("2024-05-06", "2024-05-13")


STATES = {
    "Ahora trabajo en Siemens.": (None, "works at", "Siemens now"),
    "El mes pasado nos mudamos a Londres.": (None, "moves to", "London"),
    "Mi hermana vive en Sevilla.": ("{}'s hermana", "lives in", "Seville"),
    "La cita pasa al 12 de mayo.": ("the appointment", "moves to", "May 12 now"),
    "El cumple de la abuela es el 21 de mayo.": ("the birthday de la abuela", "is", "May 21"),
    "Hemos pasado de Jira a Linear.": (None, "switches from", "Jira to Linear"),
    "A mi madre le encanta la ópera.": ("{}'s madre", "loves", "ópera"),
    "Soy vegetariana.": (None, "is", "a vegetarian"),
}


@pytest.mark.parametrize("text", STATES)
def test_a_spanish_state_is_told_by_the_verb_states_are_compared_by(text: str) -> None:
    (state,) = SPANISH.states(text)
    assert (state.subject, state.predicate, state.object) == STATES[text]


@pytest.mark.parametrize(
    "text", ["Ya no bebo café.", "Ya no trabajo en Repsol.", "He dejado de fumar.", "Renuncié a mi puesto en Seat."]
)
def test_what_is_no_more_has_ended(text: str) -> None:
    (state,) = SPANISH.states(text)
    assert state.ended
    assert not state.denied


@pytest.mark.parametrize(
    "text",
    [
        "Quizás trabaje en Google.",
        "También hablo francés.",
        "El año que viene vivo en Roma.",
        "Ayer comimos paella en casa de Rosa.",
        "Trabajo como enfermera.",
        "El trabajo en Madrid fue duro.",
    ],
)
def test_what_is_wished_for_comes_beside_or_is_over_states_nothing(text: str) -> None:
    assert SPANISH.states(text) == ()


def test_what_took_the_place_of_what_is_known_in_spanish() -> None:
    with recollect.open(":memory:") as memory:
        memory.add([{"role": "user", "content": "Trabajo en Telefónica.", "timestamp": "2023-01-10"}])
        memory.add([{"role": "user", "content": "Ahora trabajo en Siemens.", "timestamp": "2024-03-02"}])
        assert memory.consolidate().counts == {"retired": 1}
        assert memory.search("¿Dónde trabajo?").hits[0].content == "Ahora trabajo en Siemens."


QUESTIONS = {
    "¿Desde cuándo vivo en Granada?": ("temporal", "when"),
    "¿Quién es mi dentista?": ("lookup", "who"),
    "¿Qué amigo me ayudó?": ("lookup", "who"),
    "¿Por qué dejé el trabajo?": ("causal", "why"),
    "¿Dónde vivo ahora?": ("lookup", "what"),
    "¿Cómo configuro el servidor?": ("procedural", "general"),
    "¿Qué es mejor, el tren o el coche?": ("comparative", "what"),
    "¿Tengo alergias?": ("lookup", "what"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_spanish_question_says_what_it_is_after(question: str) -> None:
    intent = IntentReader(None, IntentSettings()).read(question)
    assert (intent.kind, intent.asks) == QUESTIONS[question]


@pytest.mark.parametrize(
    ("question", "relation", "event"),
    [("¿Qué ha cambiado desde la boda?", "since", "la boda"), ("¿Qué pasó después del viaje?", "after", "viaje")],
)
def test_a_spanish_question_may_count_from_an_event(question: str, relation: str, event: str) -> None:
    when = when_of(question, THURSDAY, recent_days=14)
    assert when is not None
    assert (when.relation, when.anchor) == (relation, event)


def test_months_of_a_spanish_question_are_cues_and_the_sea_is_none() -> None:
    assert cues_of("¿Qué dije el 3 de mayo de 2021?") == Cues(days=((5, 3),), months=(5,), years=(2021,))
    assert cues_of("¿Qué vimos en el mar?") == Cues()


def test_every_spanish_rule_reads_a_long_sentence_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules are compiled when they are needed, and the test of all patterns does not see them. They see a sentence."""
    monkeypatch.setitem(BOUNDED, "rule", SENTENCE_CHARS_MAX)
    every = [rule.compiled for rule in PHRASES.rules]
    every += [compiled(clock.pattern) for clock in CLOCK_RULES.patterns]
    every += [*REPEATING.compiled, states._thing()]
    every += [changes._pattern(code, heading) for code in ("de", "es") for heading in ("changes", "denies")]
    slow = [told for each in every if (told := slowest(Compiled("rule", each, frozenset(["finditer"]))))]
    assert not slow, "\n".join(slow)
