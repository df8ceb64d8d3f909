"""The English wording of feelings: how good or bad a word sounds, on a scale from -4 to 4. Tables, no decisions.

The lexicon inside the vaderSentiment wheel, rated by people, is the ground. On top of it stand words it does not know
(what people say of films, tools and their work), and words it knows in another sense than a conversation with an
assistant: "kill" and "fatal" are everyday words there. Kept apart from `affect` so that another language is
another table.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from recollect.perceive.traits.signs import sign, words_of

# Points → words the wheel's lexicon lacks, or means otherwise.
_OURS: dict[float, str] = {
    3.2: "masterpiece phenomenal superb superbly unforgettable flawless flawlessly breathtaking mesmerizing",
    2.6: """
        astonishing astounding captivates captivating dazzling dazzlingly ecstatic elated enchanting engrossing
        exhilarating exquisite extraordinary first-class first-rate gorgeous heartwarming incredible incredibly
        irresistible life-changing marvel masterful masterfully masterly must-see outdoes overjoyed riveting spectacular
        spellbinding stellar stoked stunning stunningly sublime terrific thrilled top-notch tour-de-force transcendent
        triumphant unbeatable unmatched unparalleled unrivaled uplifting wondrous
    """,
    2.1: """
        absorbing acclaimed accomplished adorable affecting arresting bravo breakthrough compelling compellingly crisp
        cutest deft deftly delectable delivers dynamite elegant elegantly enthralling evocative eye-opening finest
        funniest gem gems grateful gratefully gripping hooked hooray hypnotic imaginative impeccable impeccably
        infectious ingenious ingeniously insightful inventive invigorating jaw-dropping kudos laugh-out-loud likeable
        lovingly luminous luscious lyrical magnetic magnificently memorable memorably moving nailed nuanced poetic
        poignant poignantly polished powerful powerfully proudly pumped recommend recommended recommends refreshing
        refreshingly relieved remarkable remarkably resonant richly rocks satisfyingly seamless seamlessly shines
        showcase skillful skillfully slick smartest sparkles sparkling spot-on standout stirring stylish sumptuous
        tastiest tasty thought-provoking thoughtful thoughtfully timeless touching uncanny unsentimental vibrant vivid
        vividly well-acted well-crafted well-done well-made well-written wittiest witty woohoo wry yay yummy
    """,
    1.5: """
        accessible adept adroit afford affordable ample appealing apt authentic balanced believable breezy brisk
        bug-free bullish capable captured captures charismatic cheaper cleaner clearer cohesive colorful comfortably
        complex congrats consistently convenient convincing convincingly cozy craft crafted credible cured decent deeply
        deserves detailed distinctive durable easygoing economical effortless effortlessly endearing enduring engages
        enlightening ergonomic exceeds excels eye-catching fascinates faster fastest finely fixed fluid fluidly fresh
        freshness generously glad handy hassle-free healed heartening hopeful hopefully ideal ideally illuminating
        immersive impactful innovative instructive intelligently intelligible intense intensely intimate intrigue
        intriguing intuitive invaluable legendary lifelike lighter lightweight lucid manages mature melodic modern
        neatly nifty nimble painless painlessly palpable passed passes perceptive personable playful pleasingly
        plentiful practical precise precisely profound profoundly promoted quick quickly quietly quirky rare rarity
        realistic reasonable reasonably recovered refined relevant reliable reliably resolved responsive restored
        restrained reunited rich robust satisfies savvy sensitive sensitively shipped simplest sleek smooth smoothly
        snappy solved soothing sophisticated spacious speedy splashy spry stable straightforward streamlined sturdy
        subtle subtly succeeded suspenseful sweetness tactful tasteful tender tidy tightly timely triumphs unexpected
        unexpectedly unforced unique unpretentious unusually upgrade upgraded user-friendly versatile viable visceral
        watchable well-known workable worked works world-class zippy
    """,
    0.9: """
        able achieved agreed always anytime approve approved classic clean comfort deserved deserving earned exactly
        fast feature-rich fits genuine gives gladly highly improves indeed knows lasting lively magic maturity plus
        potential quality reflective rewards robustness saves seasoned steady suits supports understands upbeat updated
        well-rounded yep yup
    """,
    -0.9: """
        abrupt absent artificial attempt attempts average awkwardly backlog barely busy chaotic cheesy choppy cliche
        cliches cliché clichés cloying cold complaint complicated conventional corny costly crude dated delayed
        deprecated derivative despite dim downtime dry dubious eerie excessive excessively expense expensive
        exploitative faint flawed forced formula formulaic fuzzy gimmick gimmicky goofy hardly harsh hokey incoherence
        indifferent instead issue issues kitschy lag laggy late leftover loud low-budget manipulative mannered melodrama
        melodramatic merely mild mildly minor missed misses missing mistaken mundane narrow neither noise noisy none
        nonetheless nothing obvious obviously oddly outdated over-the-top overdue overlong overly overwrought plain
        preachy predictable pretend pretends quibble rarely recycled redundant refund rehash repeatedly repetition
        repetitive returned rote rough routine scarcely schmaltzy seemed seems self-conscious shaky simplistic skip
        slight slightest slower slowly sluggish somehow spotty sprawling stale static stereotype stereotypes
        stereotypical strained stretched supposed supposedly thin throttled tired trite uneven unfinished unlikely
        unresolved vague vaguely wannabe watered-down whatever wooden workmanlike
    """,
    -1.5: """
        aimless aimlessly amateurish anxious bland blandness bloated blocker blurry bogus bothersome bottleneck brittle
        broken-down bug buggy bugs bumpy burned-out burnout clueless clumsily clumsy clunky cluttered contrived
        convoluted crash crashed crashes cringe cumbersome defective deficient denied derailed dingy disconnected
        disjointed disposable dodgy drab dragged drags drowning dumbed-down dysfunctional erratic error errors
        excruciatingly exhausted exhausting far-fetched faulty feeble flaky flat flimsy flop flops flounders forgettable
        frustratingly fumbles garish generic glitch glitches glitchy grating grind half-baked half-hearted ham-fisted
        heartsick heavy-handed hollow homesick humorless impersonal implausible inaccurate inadequate inane incoherent
        incomplete incomprehensible inconsistent inconvenient ineffective inert inferior insipid insufferable
        insufficient interminable irritatingly jarring jumbled juvenile lacking lackluster lacks laughable laughably
        lazily leaden leaked leaks lifeless limp listless lumbering mangled maudlin meandering meanders meaningless
        mediocre mediocrity meh messy mindless misfire misfires misguided mishandled mishmash misleading mistake
        mistakes monotonous muddle muddled murky mushy nonsensical numbing off-key off-putting oops outage overblown
        overcooked overheats overloaded overpriced overrated overstuffed overwhelmed overworked paper-thin pedestrian
        plodding plods pointless pompous ponderous poorly pretentious pseudo-intellectual rambling ramshackle regression
        regressions rejected retread rickety rushed scattershot schlock shallow shapeless shoddy sigh sketchy skimpy
        slapdash sleepless sloppily sloppy slow sluggishly smh smug soggy soulless squandered squanders stalled stilted
        stuck stupidly sub-par subpar suffocating superficial surly suspect tacky tawdry tedious tediously tedium tepid
        thankless throwaway timeout timeouts tiresome toothless torpid turgid twee ugh unappealing unavailable unclear
        uncomfortable unconvincing undercooked underdeveloped underwhelming undone uneasy unengaging unfocused
        unfulfilling unimaginative uninspired uninspiring uninteresting uninvolving unnecessarily unnecessary unoriginal
        unpleasantly unreadable unrealistic unreliable unremarkable unresponsive unsatisfied unsatisfying unstable
        unsupported unusable unwieldy useless vapid wasteful watery wobbly workaround worn wrongly yawn yikes
    """,
    -2.2: """
        appallingly atrociously awfulness bereaved brain-dead braindead bricked cheated corrupted crap crapfest crappy
        depressed despicable detestable devastated devoid dire disgraceful divorced dreadful dreadfully drivel dud
        dumpster exasperating execrable fiasco garbage godawful grieving heartbroken hideous hideously hogwash inept
        ineptly inexcusable infuriating inhuman insufferably joyless junk lousier mind-numbing nauseating ordeal
        painfully pathetically preposterous rancid repellent repugnant repulsive ridiculously rip-off ripoff rotten
        rubbish ruined scam self-indulgent shameless shamelessly shitty stinker stinkers stinks suck sucked sucks
        terribly torturous trash trashy tripe unacceptable unbearable unbearably unforgivable unfunny unintelligible
        unprofessional unwatchable vile vulgar wretched wretchedly
    """,
    # What is told about rather than felt, and everyday words of work: far weaker than they are rated alone.
    -1.8: "dead death die died dies grief suffering tragedy tragic",
    -1.0: """
        accident anger battle bomb brutal chaos crime crimes criminal dark disaster disturbing drug enemy fight fighting
        fights fraud ghost gun guns haunting horror illegal killer killers lies lose loses loss murder murders prison
        problem problems revenge struggle struggles terror terrorism terrorist victim victims violence violent war wars
        weapon weapons
    """,
    -0.4: """
        abort aborted alarm attack ban block blocked crazy critical cut cuts defect demand demands drop dropped drops
        emergency exclude excluded fatal fire firing ignore ignored insane kill killed killing kills limitation limited
        low mad odd pay risk risks shake shot sick strange tears weird wicked
    """,
    0.3: """
        care certain certainly challenge challenges clear clearly comedic comedies comedy dear definitely ease easy
        energy entertainment excuse fit free god grant hand harmless hope hoped hopes hoping increase increased
        intellectual intelligence interest interests joke jokes justice laugh laughs matter number opportunity original
        party passion play played playing plays please popular promise promises promising ready safe safety save saved
        security sentimental sentimentality share shared significant silly solution special support supporting talent
        talented trust united value values wish wishes wishing
    """,
}
_EMOJI: dict[float, str] = {
    3.0: "😍🥰❤💕💖💗💘💜💙💚💛🧡🖤🤍💞💓😻🎉🥳🤩🏆",
    2.0: "😀😃😄😁😆😂🤣😊😇🙂😎🤗😋😘😚😙😹😺😸👍👏🙌💪✨🌟⭐🙏🤝🎊🚀🔥💯✅🥂🍾🎂🌈☺♥🫶🤞",
    1.0: "😉😌😏🤠🤓😝😜🤪😛👌✌🤙☀🌞🌻🌹💐🎁🎈👋😅",
    -1.0: "😐😑😶🙄😬🤔😕🙁☹😯😮😴🥱😳🤨🥺😒🫤⚠🙃",
    -2.0: "😔😞😟😣😖😫😩😢😥😰😨😧😦😓🤒🤕🤢😷👎💔🥀❌🤦🤷😿🙀☠💀🐛",
    -3.0: "😭😡😠🤬😤👿😱🤮💩🖕",
}

# Points  to the next word's, in its own direction (the constants of VADER).
BOOST = 0.293
BOOSTERS: dict[str, float] = {
    **dict.fromkeys(
        """absolutely amazingly awfully completely considerably damn decidedly deeply enormously entirely
        especially exceptionally extra extremely fabulously flipping freaking frickin frigging fuckin fucking
        fully genuinely greatly hella highly hugely incredibly insanely intensely majorly more most particularly
        pretty purely quite really remarkably seriously so substantially such super surprisingly thoroughly
        totally tremendously truly uber unbelievably unusually utterly very way""".split(),
        BOOST,
    ),
    **dict.fromkeys(
        """almost barely bit faintly fairly hardly kind-of kinda kindof less little marginally mildly moderately
        occasionally partly relatively scarcely slightly somewhat sort-of sorta sortof vaguely""".split(),
        -BOOST,
    ),
}
NEGATIONS = frozenset(
    """ain't aint aren't arent barely can't cannot cant couldn't couldnt despite devoid didn't didnt doesn't
    doesnt don't dont failed fails far-from hadn't hardly hasn't haven't havent isn't isnt lack lacking lacks
    least less mightn't mustn't needn't neither never no nobody none nope nor not nothing nowhere rarely seldom
    shouldn't shouldnt stop stopped wasn't wasnt weren't without won't wont wouldn't wouldnt""".split()
)
# A praise that did not come true: "it wants to be funny", "should have been great".
UNREAL = frozenset("would could should might may if supposed tries trying attempts wants unless wish hoped".split())
TURNS = frozenset(("but", "however"))  # after these comes what is
AFFIRMING = frozenset("only doubt wonder question problem problems less".split())  # "not only", "no doubt"
LIKING = frozenset("i you we they he she also do did to who you'd i'd always still people will just would".split())

# Phrases that mean something else than their words, by their last word.
IDIOMS: dict[str, tuple[tuple[str, float], ...]] = {
    "wait": (("can't wait", 2.0), ("cannot wait", 2.0), ("cant wait", 2.0)),
    "away": (("blown away", 2.5),),
    "up": (("fed up", -2.0), ("cheer up", 1.0)),
    "down": (("let down", -1.8), ("broke down", -1.5), ("is down", -1.2)),
    "short": (("falls short", -1.6), ("fell short", -1.6)),
    "forward": (("looking forward", 1.5),),
    "point": (("no point", -1.5),),
    "goes": (("here goes", 0.5),),
    "chance": (("no chance", -1.0),),
    "nowhere": (("going nowhere", -1.5),),
    "charm": (("like a charm", 2.0),),
    "again": (("never again", -1.8),),
}

URGENT = sign(
    """asap blocker critical critically deadline deadlines emergency hurry immediately outage overdue
    time-sensitive urgent urgently""",
    "right now, right away, at once, by tonight, by eod, end of day, end of the day, production is down",
)
SURPRISED = sign(
    """amazed astonished astonishing astounded astounding mind-blowing mind-blown omg shock shocked shocking
    speechless stunned suddenly surprise surprised surprises surprising surprisingly unbelievable unbelievably
    unexpected unexpectedly whoa woah wow wtf""",
    """no way, turns out, turned out, out of nowhere, can't believe, cannot believe, couldn't believe, cant believe,
    never expected, never thought, never imagined, never knew, never seen, had no idea, who knew, what the hell,
    what the heck, what the fuck, holy shit, holy cow, holy crap, didn't expect, didn't realize, didn't know,
    my mind""",
)
IN_CONTROL = sign(
    "i'll we'll must always definitely confident proud decided insist managed fixed solved finished shipped won ready",
    "i will, we will, i know, make sure, made sure, never again, in charge, under control, all done, i chose, i built",
)
HELPLESS = sign(
    """afraid anxious can't cannot cant confused confusing couldn't failed forced helpless hopeless lost nervous
    overwhelmed overwhelming scared sorry struggle struggling stuck unsure worried worry""",
    "don't know, dont know, no idea, help me, please help, gave up, giving up, have to, i need, i wish",
)
# Every word that one of the above, or the last of an idiom, asks for.
TELLING = words_of(URGENT, SURPRISED, IN_CONTROL, HELPLESS) | IDIOMS.keys()


@cache
def points() -> dict[str, float]:
    """Every word, emoticon and emoji with a rating, in small letters where it has letters."""
    rated: dict[str, float] = {}
    for line in files("vaderSentiment").joinpath("vader_lexicon.txt").read_text(encoding="utf-8").splitlines():
        word, mean = line.split("\t", 2)[:2]
        rated[word] = float(mean)
    for rating, words in _OURS.items():
        rated.update(dict.fromkeys(words.split(), rating))
    for rating, signs in _EMOJI.items():
        rated.update(dict.fromkeys(signs, rating))
    return rated
