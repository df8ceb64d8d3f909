"""What takes the place of what, and what merely comes beside it."""

from __future__ import annotations

import pytest

from recollect.perceive.statements.propositions import propositions_of
from recollect.perceive.states.conflicts import ConflictVerdict, StatementReading, conflict_between, traces_of
from recollect.perceive.states.values import Stated


def readings(text: str, speaker: str | None = "Ana") -> list[StatementReading]:
    return [
        StatementReading.of(
            Stated(
                content=each.content,
                subject=each.subject,
                predicate=each.predicate,
                object=each.object,
                polarity=each.polarity,
                tense=each.tense,
                ended=each.ended,
            )
        )
        for each in propositions_of(text, speaker=speaker, role="user")
    ]


def verdicts(older: str, newer: str, speaker: str | None = "Ana") -> list[ConflictVerdict]:
    return [
        verdict
        for new in readings(newer, speaker)
        for old in readings(older, speaker)
        if (verdict := conflict_between(new, old)) is not None
    ]


REPLACED = """
    I live in Lisbon. > I moved from Lisbon to Porto last month.
    I live in Lisbon. > I've moved to Porto.
    I live in Lisbon with my sister. > I live in Porto now.
    I live in Lisbon. > I just relocated to Berlin for work.
    My brother lives in Oslo. > My brother moved to Rome.
    I work at Northwind as a designer. > I left Northwind and joined Contoso.
    I work at Northwind. > I now work for Contoso.
    I work at Northwind. > I started a new job at Contoso.
    I work at Northwind. > I quit my job at Northwind.
    I work at Northwind. > I am not working at Northwind anymore.
    I use vim. > I switched from vim to Helix.
    I use vim. > I switched to Helix.
    I use vim. > I don't use vim anymore.
    I use vim. > I stopped using vim.
    I use vim for everything. > I replaced vim with Helix.
    I use vim. > I use Helix instead of vim now.
    The budget is 5,000 euros. > The budget is 6,000 euros.
    The budget is 5,000 euros. > The budget was raised to 6,000 euros.
    The deadline is June 3. > The deadline moved to June 10.
    The deadline is June 3. > The deadline has been pushed to June 10.
    The deadline for Atlas is June 3. > Atlas's deadline is now June 10.
    My phone number is 555 0101. > My new phone number is 555 0199.
    My phone number is 555 0101. > I changed my phone number to 555 0199.
    My main browser is Firefox. > I switched from Firefox to Chrome.
    I'm vegetarian. > I'm vegan now.
    I'm vegetarian. > I went back to eating meat.
    I'm vegetarian. > I'm not vegetarian anymore.
    My rent is 900 euros a month. > My rent went up to 950 euros a month.
    I'm single. > I am married to Ben.
    I am married to Ben. > I got divorced.
    Ben is my boyfriend. > I broke up with Ben.
    Atlas is on version 2.1. > Atlas is on version 2.2 now.
    Atlas costs 20 dollars a month. > Atlas costs 25 dollars a month.
    My favourite food is pizza. > My favourite food is ramen.
    My flight is on Thursday. > Actually, my flight is on Friday, not Thursday.
    My meeting is on Thursday at 3 PM. > My meeting has been moved to Friday at 4 PM.
    I drink coffee every morning. > I stopped drinking coffee.
    I weigh 72 kg. > I weigh 70 kg now.
    I'm 34 years old. > I turned 35.
    My manager is Carla. > Dina is my new manager.
    I prefer tea over coffee. > I prefer coffee over tea now.
    I like tea more than coffee. > I like coffee more than tea.
    I prefer tea over coffee. > I like coffee better than tea.
    My favourite editor is vim. > My favourite editor is Helix.
    My editor is vim. > My editor is Helix.
    My favourite dish is pizza. > My favourite dish is Pad Thai.
    I drive a Toyota. > I sold the Toyota and bought a Honda.
    I have a gym membership. > I cancelled my gym membership.
    I'm allergic to peanuts. > I'm not allergic to peanuts.
    I don't drink coffee. > I drink coffee now.
    I have two kids. > I have three kids now.
    My major is biology. > I changed my major to chemistry.
    Ben lives in Oslo. > Ben doesn't live in Oslo any more.
    Our API runs on port 8080. > Our API now runs on port 9090.
    I take 50 mg of iron. > I take 100 mg of iron now.
    Always use tabs. > Never use tabs.
"""
BESIDE = """
    I have a dog named Rex. > I got a second dog, Bella.
    I have a dog named Rex. > I have a dog named Bella.
    I like sushi. > I like ramen.
    I visited Rome. > I visited Paris.
    I speak French. > I speak Spanish.
    I live in Portugal. > I live in Lisbon.
    I live in Lisbon. > I live in an old house.
    I live in Lisbon. > I might move to Porto.
    I live in Lisbon. > I'm moving to Porto next year.
    I live in Lisbon. > I lived in Porto in 2019.
    I live in Lisbon. > Ben lives in Porto.
    I live in Lisbon. > I would love to live in Porto.
    My brother lives in Oslo. > My sister lives in Rome.
    My sister is a doctor. > My sister is pregnant now.
    My friend is Ben. > My friend is Carla.
    My dog is called Rex. > My dog is called Bella.
    My goal is to read more. > My goal is to sleep well.
    My boyfriend is kind. > My boyfriend is a dog person.
    I work at Northwind. > I also work at Contoso on weekends.
    I joined a gym. > I joined a book club.
    I use vim. > I use Helix.
    I use vim. > I switched to Slack.
    I use React for the frontend. > I upgraded to Flask 2.3.
    My favourite part is the ending. > My favourite part is the beginning.
    I am a nurse. > I am a mother.
    I have time today. > I don't have time.
    The meeting is at 3 PM. > The meeting is on Friday.
    The sum is 242. > The sum should be 190, not 220.
    I drink coffee every morning. > I don't drink coffee after 6 pm.
    I have damaged lungs. > I do not have damaged lungs from smoking.
    I ran 5 km. > I ran 7 km.
    I paid 20 dollars for the book. > I paid 30 dollars for the lamp.
    Atlas costs 20 dollars. > Borealis costs 30 dollars.
    I like tea. > I prefer coffee over tea.
    I like tea more than coffee. > I like ramen more than pizza.
    I play the piano. > I play the guitar.
    I'm allergic to peanuts. > I'm allergic to shellfish.
    My birthday is June 3. > My party is June 10.
    I have two kids. > I have three cats now.
    I have a meeting on Monday. > I have a meeting on Friday.
    My favourite film is Alien. > My favourite book is Dune.
    I moved the couch to the corner. > I moved the table to the hall.
    Always use tabs. > Always run the tests.
"""
LIMITED = """
    I live in Porto. > I was going to move to Berlin but I did not.
    I live in Porto. > We were supposed to move to Berlin.
    I live in Porto. > I was about to move to Berlin.
    I live in Porto. > I wanted to move to Berlin.
    I live in Porto. > I am moving to Berlin in 2031.
    I live in Porto. > I moved to Berlin once, long ago.
    I live in Porto. > I moved to Berlin as a child.
    I live in Porto. > I moved to Berlin when I was six.
    I live in Porto. > In my dream I moved to Berlin.
    I live in Porto. > In my new novel I live in Berlin.
    I live in Porto. > In the game I live in Berlin.
    I live in Porto. > In summer I live in Berlin.
    I live in Porto. > I live in Berlin in the summer.
    I live in Porto. > At weekends I live in Berlin.
    I live in Porto. > In winter I move to Berlin.
    I live in Porto. > I live in Berlin when I teach.
    I live in Porto. > I live in Berlin for now.
    I live in Porto. > I live in Berlin until June.
    I live in Porto. > I live in Ribeira.
    I live in Porto. > For work I live in Berlin.
    I live in Porto. > On paper I live in Berlin.
    I live in Porto. > I live in Berlin part of the year.
    My car is a Skoda. > My car is in the yard.
    My car is a Skoda. > My car is in Berlin.
    My car is blue. > My car is loud.
    My phone is a Nokia. > My phone is lost.
    My laptop is a Dell. > My laptop is noisy.
    My manager is Carla. > My manager is Portuguese.
    My job is demanding. > My job is fun.
    The venue is lovely. > The venue is small.
    I have a bike. > I don't have the bike today.
    I have a cat. > I don't have the cat with me.
    I like swimming. > I don't like swimming today.
    I like swimming. > I don't like swimming very much.
    I eat fish. > I don't eat much fish.
    I eat fish. > I don't always eat fish.
    I drink coffee. > I don't drink coffee after lunch.
    I work at Northwind. > I don't work at Northwind on Fridays.
    I am married. > I am not married to my work.
    I am single. > I am married to my work.
"""
STILL_REPLACED = """
    I live in Porto. > I live in Berlin.
    I live in Porto. > I live in Ribeira now.
    I live in Ribeira. > I moved to Berlin.
    I live in Porto. > In May I moved to Berlin.
    My car is a Skoda. > My car is a Volvo.
    My laptop is a Dell. > My new laptop is a ThinkPad.
    My editor is vim. > My editor is emacs.
    My email is ana@old.example. > My email is ana@new.example.
    I have a bike. > I don't have a bike.
    I eat fish. > I don't eat fish any more.
    I use vim when I travel. > I stopped using vim.
    I am married to Ben. > I am not married to Ben.
    I am married to Ben. > I am not married any more.
"""


def pairs(listed: str) -> list[tuple[str, str]]:
    return [tuple(line.strip().split(" > ")) for line in listed.strip().splitlines()]  # type: ignore[misc]


@pytest.mark.parametrize(("older", "newer"), pairs(REPLACED))
def test_what_takes_the_place_of_another(older: str, newer: str) -> None:
    assert verdicts(older, newer)


@pytest.mark.parametrize(("older", "newer"), pairs(BESIDE))
def test_what_comes_beside_the_rest(older: str, newer: str) -> None:
    assert verdicts(older, newer) == []


@pytest.mark.parametrize(("older", "newer"), pairs(LIMITED))
def test_what_is_limited_imagined_or_said_of_something_else_ends_nothing(older: str, newer: str) -> None:
    assert verdicts(older, newer) == []


@pytest.mark.parametrize(("older", "newer"), pairs(STILL_REPLACED))
def test_what_is_said_without_a_limit_still_takes_the_place_of_the_rest(older: str, newer: str) -> None:
    assert verdicts(older, newer)


@pytest.mark.parametrize(("older", "newer"), pairs(REPLACED))
def test_what_conflicts_is_found(older: str, newer: str) -> None:
    conflicting = [
        (new, old) for new in readings(newer) for old in readings(older) if conflict_between(new, old) is not None
    ]
    assert all(traces_of(new) & traces_of(old) for new, old in conflicting)


def test_nothing_conflicts_with_itself() -> None:
    for older, newer in (*pairs(REPLACED), *pairs(BESIDE)):
        assert verdicts(older, older) == []
        assert verdicts(newer, newer) == []


def test_who_has_no_name_is_one_person_all_the_same() -> None:
    assert verdicts("I live in Lisbon.", "I live in Porto now.", None)


def test_an_event_stays_true_when_its_state_has_passed() -> None:
    (verdict,) = verdicts("I moved to Porto.", "I live in Berlin now.")
    assert verdict.past_event
    (verdict,) = verdicts("I live in Porto.", "I moved to Berlin.")
    assert not verdict.past_event


def test_a_verdict_says_why_and_what_about() -> None:
    (verdict,) = verdicts("I live in Lisbon.", "I moved to Porto.")
    assert verdict.reason == "home: Lisbon → Porto"
    assert verdict.stated
    assert "live" in verdict.about
    (tacit,) = verdicts("My rent is 900 euros a month.", "My rent is 950 euros a month.")
    assert not tacit.stated
