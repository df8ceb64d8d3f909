"""Lives made from templates: facts that change, come beside others, are repeated in other words, end, or only look so.

A story is told turn by turn over many days. Each turn knows which fact it tells and what must have become of it in the
end. People, towns and firms are invented or of no consequence.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CHANGED, ADDED, REPEATED, ENDED, PASSING = "changed", "added", "repeated", "ended", "passing"

CITIES = "Lisbon Porto Oslo Turin Galway Ghent Malmo Graz Tartu Bergen Nantes Leipzig Utrecht Bilbao Krakow".split()
FIRMS = "Northwind Contoso Fabrikam Zenit Acme Globex Initech Umbrella Hooli Vandelay".split()
NAMES = "Ben Carla Dina Emil Farah Gwen Hugo Iris Jonas Kira Luca Mara".split()
STRANGERS = "Nadia Oskar Petra Quentin Rosa Sven Tilda Ugo Vera Wim Xenia Yara Zoe".split()
EDITORS = "vim Helix Emacs Sublime Zed".split()
BROWSERS = "Firefox Chrome Safari Vivaldi".split()
FOODS = "sushi ramen pizza curry lasagne tacos paella goulash".split()
LANGUAGES = "French Spanish Italian Norwegian Polish Japanese Greek".split()
DIETS = "vegetarian vegan pescatarian".split()
SPORTS = "climbing rowing fencing archery badminton judo".split()
CARS = "Toyota Honda Volvo Skoda Fiat Renault".split()
MAJORS = "biology chemistry history economics physics".split()
PRODUCTS = "Atlas Borealis Comet Delta".split()


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One turn: which fact it tells, at which step of it, and what must have become of it."""

    day: float
    text: str
    fact: str
    step: int
    sort: str
    holds: bool  # whether it is still so at the end
    question: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A fact that changes: how it is told first, how its changes are, and what one asks for it."""

    name: str
    first: Sequence[str]
    then: Sequence[str]
    question: str
    values: Sequence[str]


CHANGES = (
    Change(
        name="home",
        question="Where do I live now?",
        values=CITIES,
        first=(
            "I live in {new}.",
            "I'm based in {new}.",
            "I live in {new} with my sister.",
            "My home is in {new} and I live in {new}.",
        ),
        then=(
            "I moved from {old} to {new} last week.",
            "I've moved to {new}.",
            "I live in {new} now.",
            "I just relocated to {new} for work.",
            "I'm living in {new} now.",
            "We don't live in {old} anymore. I live in {new} now.",
        ),
    ),
    Change(
        name="employer",
        question="Where do I work now?",
        values=FIRMS,
        first=("I work at {new}.", "I work for {new} as a designer.", "I'm employed at {new}."),
        then=(
            "I left {old} and I now work for {new}.",
            "I started a new job at {new}.",
            "I work at {new} now.",
            "I quit my job at {old}. I work for {new} now.",
            "I no longer work at {old}. I work at {new}.",
        ),
    ),
    Change(
        name="editor",
        question="Which editor do I use?",
        values=EDITORS,
        first=("I use {new} for all my code.", "I use {new}.", "I write everything in {new}. I use {new} every day."),
        then=(
            "I switched from {old} to {new}.",
            "I switched to {new}.",
            "I use {new} instead of {old} now.",
            "I replaced {old} with {new}.",
            "I stopped using {old}. I use {new} now.",
        ),
    ),
    Change(
        name="browser",
        question="Which browser do I use?",
        values=BROWSERS,
        first=("My main browser is {new}.", "My default browser is {new}."),
        then=(
            "My main browser is {new} now.",
            "I switched from {old} to {new}.",
            "I changed my main browser to {new}.",
        ),
    ),
    Change(
        name="phone",
        question="What is my phone number?",
        values=("555 0101", "555 0142", "555 0177", "555 0199"),
        first=("My phone number is {new}.",),
        then=(
            "My new phone number is {new}.",
            "My phone number changed to {new}.",
            "I changed my phone number to {new}.",
            "My phone number is {new} now.",
        ),
    ),
    Change(
        name="price",
        question="What does {thing} cost?",
        values=("20 dollars", "25 dollars", "30 dollars", "35 dollars"),
        first=("{thing} costs {new} a month.",),
        then=("{thing} now costs {new} a month.", "{thing} costs {new} a month now.", "{thing} costs {new} a month."),
    ),
    Change(
        name="deadline",
        question="When is the deadline for {thing}?",
        values=("June 3", "June 10", "July 1", "July 15"),
        first=("The deadline for {thing} is {new}.", "{thing}'s deadline is {new}."),
        then=(
            "The deadline for {thing} moved to {new}.",
            "The deadline for {thing} has been pushed to {new}.",
            "{thing}'s deadline is now {new}.",
            "The deadline for {thing} is {new}.",
            "The deadline for {thing} was extended to {new}.",
        ),
    ),
    Change(
        name="budget",
        question="What is the budget for {thing}?",
        values=("5,000 euros", "6,000 euros", "7,500 euros"),
        first=("The budget for {thing} is {new}.", "{thing}'s budget is {new}."),
        then=(
            "The budget for {thing} is now {new}.",
            "The budget for {thing} was raised to {new}.",
            "The budget for {thing} went up to {new}.",
            "{thing}'s budget is {new} now.",
        ),
    ),
    Change(
        name="diet",
        question="What is my diet, am I vegetarian or vegan?",
        values=DIETS,
        first=("I'm {new}.", "I am {new}."),
        then=("I'm {new} now.", "I became {new}.", "I went {new}."),
    ),
    Change(
        name="manager",
        question="Who is my manager?",
        values=NAMES,
        first=("My manager is {new}.", "{new} is my manager."),
        then=(
            "My manager is {new} now.",
            "{new} is my new manager.",
            "My new manager is {new}.",
            "My manager is {new}.",
        ),
    ),
    Change(
        name="rent",
        question="How much is my rent?",
        values=("900 euros", "950 euros", "1,050 euros"),
        first=("My rent is {new} a month.",),
        then=(
            "My rent went up to {new} a month.",
            "My rent is now {new} a month.",
            "My rent was raised to {new} a month.",
        ),
    ),
    Change(
        name="weight",
        question="How much do I weigh?",
        values=("72 kg", "70 kg", "68 kg"),
        first=("I weigh {new}.",),
        then=("I weigh {new} now.", "I weigh {new}."),
    ),
    Change(
        name="version",
        question="Which version is {thing} on?",
        values=("2.1", "2.2", "3.0"),
        first=("{thing} is on version {new}.", "{thing} is at version {new}."),
        then=("{thing} is on version {new} now.", "{thing} is at version {new} now."),
    ),
    Change(
        name="major",
        question="What is my major?",
        values=MAJORS,
        first=("My major is {new}.",),
        then=("I changed my major to {new}.", "My major is {new} now.", "I switched my major from {old} to {new}."),
    ),
    Change(
        name="favourite",
        question="What is my favourite food?",
        values=FOODS,
        first=("My favourite food is {new}.",),
        then=("My favourite food is {new} now.", "My favourite food is {new}."),
    ),
    Change(
        name="marriage",
        question="Am I single or married?",
        values=("single", "engaged", "married", "divorced"),
        first=("I'm {new}.",),
        then=("I'm {new} now.", "I got {new}."),
    ),
    Change(
        name="car",
        question="Which car do I drive?",
        values=CARS,
        first=("I drive a {new}.",),
        then=("I sold the {old}. I drive a {new} now.", "I replaced the {old} with a {new}."),
    ),
    Change(
        name="sibling's home",
        question="Where does my brother live?",
        values=CITIES,
        first=("My brother lives in {new}.",),
        then=("My brother moved to {new}.", "My brother lives in {new} now.", "My brother moved from {old} to {new}."),
    ),
)

# The same facts in words that no rule was made for: how far the rules carry.
OTHERWISE: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "home": (
        ("Home for me is {new}.", "I've been living in {new} for years.", "I've lived in {new} since 2019."),
        (
            "We packed up and moved to {new}.",
            "I've settled in {new}.",
            "As of this month I live in {new}.",
            "I finally made the move to {new}.",
            "I'm no longer in {old}, I live in {new}.",
        ),
    ),
    "employer": (
        ("I've been working at {new} for three years.", "My employer is {new}."),
        (
            "I got a job at {new}.",
            "I'm working at {new} these days.",
            "I changed jobs, I work for {new}.",
            "My employer is {new} now.",
            "I accepted a job at {new}.",
        ),
    ),
    "editor": (
        ("I code in {new}.", "I've been using {new} for years."),
        (
            "I've switched over to {new}.",
            "I dropped {old} for {new}.",
            "I moved from {old} to {new}.",
            "I gave up {old} and I use {new}.",
            "I've been using {new} instead of {old}.",
        ),
    ),
    "phone": (
        ("You can reach me at {new}.", "My number is {new}."),
        ("I have a new number, my number is {new}.", "My number is now {new}.", "My number changed to {new}."),
    ),
    "deadline": (
        ("{thing} is due on {new}.", "The due date of {thing} is {new}."),
        (
            "{thing} is now due on {new}.",
            "They moved the deadline for {thing} to {new}.",
            "The due date of {thing} is now {new}.",
            "{thing} is due on {new}.",
        ),
    ),
    "budget": (
        ("We have a budget of {new} for {thing}.", "The {thing} budget is {new}."),
        (
            "The {thing} budget is {new} now.",
            "They increased the budget for {thing} to {new}.",
            "The {thing} budget grew to {new}.",
        ),
    ),
    "diet": (
        ("I've been {new} for years.", "I'm a {new}."),
        ("I've gone {new}.", "I'm a {new} now.", "I turned {new}."),
    ),
    "manager": (
        ("I report to {new}.", "My boss is {new}."),
        ("I report to {new} now.", "My boss is {new} now.", "{new} is my new boss."),
    ),
    "rent": (
        ("I pay {new} in rent.", "The rent for my flat is {new}."),
        ("I pay {new} in rent now.", "The rent for my flat rose to {new}.", "The rent for my flat is now {new}."),
    ),
    "version": (
        ("{thing} runs version {new}.", "We are on version {new} of {thing}."),
        (
            "{thing} runs version {new} now.",
            "We upgraded {thing} to version {new}.",
            "{thing} was upgraded to version {new}.",
        ),
    ),
    "car": (
        ("I have a {new}.", "My car is a {new}."),
        ("I traded my {old} for a {new}.", "My car is a {new} now.", "I got rid of the {old} and I drive a {new}."),
    ),
    "sibling's home": (
        ("My brother is based in {new}.", "My brother has a flat in {new}."),
        ("My brother has moved to {new}.", "My brother relocated to {new}.", "My brother is living in {new} now."),
    ),
}

# What comes beside the rest: all of it holds. Several of each list are told in one life.
ADDITIONS: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "dogs": (
        ("I have a dog named {new}.", "I got a second dog named {new}.", "I have another dog called {new}."),
        "Rex Bella Milo Luna Otto".split(),
    ),
    "foods": (("I like {new}.", "I love {new}.", "I also like {new}."), FOODS),
    "languages": (("I speak {new}.", "I'm learning {new}.", "I also speak {new}."), LANGUAGES),
    "visits": (("I visited {new}.", "I went to {new} on a trip.", "I spent a weekend in {new}."), CITIES),
    "friends": (("My friend {new} lives in town.", "{new} is my friend.", "My friend is {new}."), NAMES),
    "sports": (("I enjoy {new}.", "I do {new} on Sundays.", "I'm into {new} too."), SPORTS),
    "tools": (("I use {new} at work.", "I also use {new}."), "Slack Notion Figma Docker Terraform".split()),
    "allergies": (("I'm allergic to {new}.",), "peanuts shellfish pollen cats".split()),
    "jobs beside": (
        ("I also work at {new} on weekends.", "I volunteer at {new}."),
        "Larkspur Mossfield Quillon".split(),
    ),
    "books": (("I'm reading {new}.", "I finished {new}."), "Dune Emma Persuasion Middlemarch".split()),
    "prices of others": (
        ("The {new} costs 15 dollars.", "I paid 12 dollars for the {new}."),
        "lamp chair kettle mug".split(),
    ),
    "relatives": (("My cousin {new} lives in Graz.", "My aunt {new} works at a school."), NAMES),
    "meetings": (("I have a meeting with {new} on Monday.", "I had lunch with {new}."), NAMES),
}

# The same in other words, several times: it is one fact.
REPEATS: tuple[tuple[str, ...], ...] = (
    ("I work with a team in Ghent.", "I work with a team in Ghent now.", "Actually, I work with a team in Ghent."),
    ("I own a red bike.", "I have a red bicycle.", "I've got a red bike."),
    ("I like jazz.", "I'm a big fan of jazz.", "I enjoy jazz.", "I really like jazz."),
    ("I run every day.", "I run daily.", "I run each day."),
    ("My brother works for Acme.", "My brother is employed at Acme.", "My brother works at Acme."),
    ("I'm scared of heights.", "I am scared of heights.", "I'm really scared of heights."),
    ("I drink coffee every morning.", "Every morning I drink coffee.", "I drink coffee each morning."),
    ("My sister is called Iris.", "My sister is named Iris.", "My sister's name is Iris."),
    ("I use a Mac for work.", "I'm using a Mac for work.", "I currently use a Mac for work."),
    ("I have two children.", "I have 2 kids.", "I've got two kids."),
    ("I prefer tea over coffee.", "I prefer tea to coffee.", "I really prefer tea over coffee."),
    ("I live near the river.", "I live near the river now.", "I'm living near the river."),
    ("My favourite colour is green.", "My favorite color is green.", "Green is my favourite colour."),
)

# Something ends; what is told first no longer holds.
ENDINGS: tuple[tuple[str, str, str], ...] = (
    ("I play the cello.", "I no longer play the cello.", "Do I play the cello?"),
    ("I drink cola every day.", "I stopped drinking cola.", "Do I drink cola?"),
    ("I eat meat.", "I don't eat meat anymore.", "Do I eat meat?"),
    ("I have a gym membership.", "I cancelled my gym membership.", "Do I have a gym membership?"),
    ("I use Facebook a lot.", "I quit using Facebook.", "Do I use Facebook?"),
    ("I own a boat.", "I sold the boat.", "Do I own a boat?"),
    ("I like horror films.", "I don't like horror films any more.", "Do I like horror films?"),
    ("I'm allergic to eggs.", "I'm not allergic to eggs.", "Am I allergic to eggs?"),
    ("I take the bus to work.", "I no longer take the bus to work.", "How do I get to work, do I take the bus?"),
)

# Looks like a change of something above, and is none: doubt, wishes, others, the past, the future.
PASSINGS = (
    "I might move to {city}.",
    "I'm thinking of moving to {city}.",
    "I'd love to live in {city} one day.",
    "I lived in {city} in 2015.",
    "{name} lives in {city}.",
    "{name} works at {firm} now.",
    "{name} moved to {city}.",
    "I'm moving to {city} next year.",
    "My old phone number was 555 0000.",
    "{name} switched to Chrome.",
    "I was in {city} for a weekend.",
    "I almost joined {firm}.",
    "Maybe I'll go vegan.",
    "{name}'s rent is 700 euros.",
    "I used to weigh 90 kg.",
    "I had a job interview at {firm}.",
    "I would never work at {firm}.",
    "The old deadline was May 1.",
    "I parked the car and moved the boxes to the cellar.",
    "I don't have time today.",
    "I flew from {city} to Rome.",
    "I bought a second-hand Fiat for my mother.",
    "I tried Emacs once.",
)


def story(seed: int, days: int = 90, *, otherwise: bool = False) -> list[Told]:
    """One life in the order it is told; `otherwise`, its changes in words that no rule was made for."""
    luck = random.Random(seed)
    changes = [change for change in CHANGES if not otherwise or change.name in OTHERWISE]
    told = [
        *(each for change in changes for each in _changes(luck, change, days, otherwise=otherwise)),
        *_additions(luck, days),
        *_repeats(luck, days),
        *_endings(luck, days),
        *_passings(luck, days),
    ]
    return sorted(told, key=lambda each: (each.day, each.fact, each.step))


def _changes(luck: random.Random, change: Change, days: int, *, otherwise: bool) -> Iterator[Told]:
    first, then = OTHERWISE[change.name] if otherwise else (change.first, change.then)
    values = luck.sample(list(change.values), min(len(change.values), luck.choice((2, 2, 3))))
    if change.name == "marriage":
        values = [value for value in change.values if value in values]
    thing = f"{luck.choice(PRODUCTS)}-{change.name}".title()
    when = sorted(luck.uniform(1, days) for _ in values)
    for step, (day, new) in enumerate(zip(when, values, strict=True)):
        old = values[step - 1] if step else ""
        text = luck.choice(then if step else first).format(new=new, old=old, thing=thing)
        yield Told(
            day=day,
            text=text,
            fact=change.name,
            step=step,
            sort=CHANGED,
            holds=step == len(values) - 1,
            question=change.question.format(thing=thing),
        )


def _additions(luck: random.Random, days: int) -> Iterator[Told]:
    for name, (words, values) in ADDITIONS.items():
        for step, new in enumerate(luck.sample(list(values), min(3, len(values)))):
            text = luck.choice(words).format(new=new)
            yield Told(day=luck.uniform(1, days), text=text, fact=f"{name} {new}", step=step, sort=ADDED, holds=True)


def _repeats(luck: random.Random, days: int) -> Iterator[Told]:
    for at, words in enumerate(REPEATS):
        for step, text in enumerate(luck.sample(words, len(words))):
            yield Told(day=luck.uniform(1, days), text=text, fact=f"repeat {at}", step=step, sort=REPEATED, holds=True)


def _endings(luck: random.Random, days: int) -> Iterator[Told]:
    for at, (first, then, question) in enumerate(ENDINGS):
        begin, end = sorted(luck.uniform(1, days) for _ in range(2))
        for step, (day, text) in enumerate(((begin, first), (end, then))):
            yield Told(
                day=day, text=text, fact=f"ending {at}", step=step, sort=ENDED, holds=step == 1, question=question
            )


def _passings(luck: random.Random, days: int) -> Iterator[Told]:
    for at, words in enumerate(PASSINGS):
        text = words.format(city=luck.choice(CITIES), name=STRANGERS[at % len(STRANGERS)], firm=luck.choice(FIRMS))
        yield Told(day=luck.uniform(1, days), text=text, fact=f"passing {at}", step=0, sort=PASSING, holds=True)
