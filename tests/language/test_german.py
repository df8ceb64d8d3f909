"""German: sentences, times, states, negation, and the question words that give a question its intent."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recollect.language.de import tense
from recollect.language.de.clocks import CLOCKS as CLOCK_RULES
from recollect.language.de.phrases import PHRASES
from recollect.language.de.times import REPEATING
from recollect.language.frame.clocks import compiled
from recollect.language.sentences import SENTENCE_CHARS_MAX
from recollect.language.spoken import language_for, language_named, sentences_of
from tests.properties.test_patterns import BOUNDED, Compiled, slowest

THURSDAY = datetime(2024, 5, 16, 10, tzinfo=UTC)
GERMAN = language_named("de")

TIMES = {
    "Letzten Dienstag war ich beim Zahnarzt.": ("Letzten Dienstag", "2024-05-14", "2024-05-15", "in"),
    "Vor drei Wochen habe ich ein Rad gekauft.": ("Vor drei Wochen", "2024-04-25", "2024-04-26", "in"),
    "Am 3. Mai fahre ich nach Wien.": ("3. Mai", "2025-05-03", "2025-05-04", "in"),
    "Am 3. Mai bin ich nach Wien gefahren.": ("3. Mai", "2024-05-03", "2024-05-04", "in"),
    "Ich arbeite seit 2019 dort.": ("seit 2019", "2019-01-01", "2020-01-01", "since"),
    "Nächsten Monat ziehen wir um.": ("Nächsten Monat", "2024-06-01", "2024-07-01", "in"),
    "Seit drei Jahren spiele ich Gitarre.": ("Seit drei Jahren", "2021-05-16", "2021-05-17", "since"),
    "Bis zum 15. Juni muss der Bericht fertig sein.": ("Bis zum 15. Juni", "2024-06-15", "2024-06-16", "until"),
    "Zwischen 2015 und 2018 habe ich in Köln gewohnt.": (
        "Zwischen 2015 und 2018",
        "2015-01-01",
        "2019-01-01",
        "between",
    ),
    "In zwei Wochen fliegen wir nach Rom.": ("In zwei Wochen", "2024-05-30", "2024-05-31", "in"),
    "Im Sommer 2022 waren wir am Meer.": ("Sommer 2022", "2022-06-01", "2022-09-01", "in"),
    "Anfang nächster Woche bekomme ich Bescheid.": ("Anfang nächster Woche", "2024-05-20", "2024-05-23", "in"),
    "Zwei Tage vor Weihnachten war ich krank.": ("Zwei Tage vor Weihnachten", "2023-12-22", "2023-12-23", "in"),
    "Von Montag bis Mittwoch bin ich weg.": ("Von Montag bis Mittwoch", "2024-05-20", "2024-05-23", "between"),
    "In den 90ern habe ich in Bonn gewohnt.": ("den 90ern", "1990-01-01", "2000-01-01", "in"),
    "Am Tag der Arbeit waren wir wandern.": ("Tag der Arbeit", "2024-05-01", "2024-05-02", "in"),
    "Zwischen den Jahren fahren wir weg.": ("Zwischen den Jahren", "2024-12-27", "2025-01-01", "in"),
    "Letztes Jahr im Mai haben wir geheiratet.": ("Letztes Jahr im Mai", "2023-05-01", "2023-06-01", "in"),
    "Heute vor zehn Jahren haben wir uns kennengelernt.": ("Heute vor zehn Jahren", "2014-05-16", "2014-05-17", "in"),
    "Ich bin am 12. August 1990 geboren.": ("12. August 1990", "1990-08-12", "1990-08-13", "in"),
}
CLOCKS = {
    "Die Prüfung ist am 03.06.2024 um 10:30 Uhr.": ("2024-06-03T10:30", "2024-06-03T10:30"),
    "Wir treffen uns am Freitag um halb acht.": ("2024-05-17T07:30", "2024-05-17T07:30"),
    "Übermorgen um Viertel nach drei habe ich Zeit.": ("2024-05-18T15:15", "2024-05-18T15:15"),
    "Gestern Abend haben wir gekocht.": ("2024-05-15T18:00", "2024-05-15T22:00"),
    "Freitagabend gehen wir ins Kino.": ("2024-05-17T18:00", "2024-05-17T22:00"),
    "Am Freitag um 12 Uhr nachts kommt der Zug an.": ("2024-05-18T00:00", "2024-05-18T00:00"),
}
NO_TIMES = (
    "2000 Leute waren da.",
    "Mai ist meine Katze.",
    "Guten Morgen zusammen!",
    "Das ist meine zweite Chance.",
    "Version 3.5 läuft.",
)


@pytest.mark.parametrize("text", TIMES)
def test_a_german_time_is_found_where_it_lies(text: str) -> None:
    surface, start, end, relation = TIMES[text]
    (found,) = GERMAN.times(text, THURSDAY)
    assert (found.surface, found.relation) == (surface, relation)
    assert (found.start.strftime("%Y-%m-%d"), found.end.strftime("%Y-%m-%d")) == (start, end)


@pytest.mark.parametrize("text", CLOCKS)
def test_a_german_time_of_day_joins_its_day(text: str) -> None:
    (found,) = GERMAN.times(text, THURSDAY)
    assert (found.start.strftime("%Y-%m-%dT%H:%M"), found.end.strftime("%Y-%m-%dT%H:%M")) == CLOCKS[text]


@pytest.mark.parametrize("text", NO_TIMES)
def test_what_looks_like_a_german_time_and_is_none(text: str) -> None:
    assert GERMAN.times(text, THURSDAY) == ()


def test_what_repeats_is_no_date() -> None:
    (found,) = GERMAN.times("Jeden Montag gehe ich schwimmen.", THURSDAY)
    assert found.kind == "repeating"


def test_an_ordinal_ends_no_german_sentence() -> None:
    text = "Wir sehen uns am 3. Mai bei Dr. Maier. Ich bringe z. B. Kuchen mit."
    assert language_for(text).code == "de"
    assert [each.text for each in sentences_of(text)] == [
        "Wir sehen uns am 3. Mai bei Dr. Maier.",
        "Ich bringe z. B. Kuchen mit.",
    ]


def test_a_german_phrase_may_be_given_where_a_time_is_asked_for() -> None:
    from recollect.language.times import parse_window

    start, end = parse_window("letzte Woche", now=THURSDAY)
    assert (start.date().isoformat(), end.date().isoformat()) == ("2024-05-06", "2024-05-13")


STATES = {
    "Ich arbeite jetzt bei Siemens.": (None, "works at", "Siemens now"),
    "Wir sind letzten Monat nach Hamburg gezogen.": (None, "moves to", "Hamburg"),
    "Meine Schwester wohnt in Köln.": ("{}'s Schwester", "lives in", "Cologne"),
    "Der Zahnarzttermin wurde auf den 12. Mai verschoben.": ("the dentist appointment", "moves to", "May 12 now"),
    "Ich bin von Windows auf Linux umgestiegen.": (None, "switches from", "Windows to Linux"),
}


@pytest.mark.parametrize("text", STATES)
def test_a_german_state_is_told_by_the_verb_states_are_compared_by(text: str) -> None:
    (state,) = GERMAN.states(text)
    assert (state.subject, state.predicate, state.object) == STATES[text]


@pytest.mark.parametrize("text", ["Ich trinke keinen Kaffee mehr.", "Ich arbeite nicht mehr bei Bosch."])
def test_what_is_no_more_has_ended(text: str) -> None:
    (state,) = GERMAN.states(text)
    assert state.ended
    assert not state.denied


@pytest.mark.parametrize(
    "text",
    [
        "Vielleicht ziehe ich nach Wien.",
        "Ich spiele auch Klavier.",
        "Nächstes Jahr wohne ich in Rom.",
        "Ich habe gestern Pizza gegessen.",
    ],
)
def test_what_is_wished_for_comes_beside_or_is_over_states_nothing(text: str) -> None:
    assert GERMAN.states(text) == ()


@pytest.mark.parametrize("text", ["Ich trinke keinen Kaffee.", "Das habe ich nie gesagt.", "Niemand war da."])
def test_a_german_negation(text: str) -> None:
    assert GERMAN.denies(text)


@pytest.mark.parametrize("text", ["Nicht nur Tom, sondern auch Ana kam.", "Kein Problem!", "Meine Nichte ist da."])
def test_what_only_looks_like_a_german_negation(text: str) -> None:
    assert not GERMAN.denies(text)


def test_every_german_rule_reads_a_long_sentence_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules are compiled when they are needed, and the test of all patterns does not see them. They see a sentence."""
    monkeypatch.setitem(BOUNDED, "rule", SENTENCE_CHARS_MAX)
    every = [rule.compiled for rule in PHRASES.rules]
    every += [compiled(clock.pattern) for clock in CLOCK_RULES.patterns]
    every += [*REPEATING.compiled, tense._preterite(), tense._present()]
    slow = [told for each in every if (told := slowest(Compiled("rule", each, frozenset(["finditer"]))))]
    assert not slow, "\n".join(slow)
