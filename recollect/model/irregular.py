"""Irregular forms of English words: the closed class that a stemmer, which cuts endings, cannot bring together.

A form that is a common word of its own ("rose", "ground", "leaves", "bit") is left out: to bring it home would cost
more than it finds.
"""

from __future__ import annotations

from functools import lru_cache

# A word and its forms, one word to a line.
_FORMS = """
arise arose arisen
awake awoke awoken
beat beaten
become became
begin began begun
bend bent
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
cling clung
come came
creep crept
deal dealt
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown
forbid forbade forbidden
foresee foresaw foreseen
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known
lead led
leap leapt
learn learnt
leave left
lend lent
light lit
lose lost
make made
mean meant
meet met
mislead misled
mistake mistook mistaken
misunderstand misunderstood
outgrow outgrew outgrown
overcome overcame
overhear overheard
oversee oversaw overseen
oversleep overslept
overtake overtook overtaken
pay paid
prove proven
rebuild rebuilt
repay repaid
rewrite rewrote rewritten
ride rode ridden
ring rang rung
rise risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
sew sewn
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
smell smelt
speak spoke spoken
speed sped
spell spelt
spend spent
spill spilt
spin spun
spit spat
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
stink stank stunk
strike struck stricken
strive strove striven
swear swore sworn
sweep swept
swell swollen
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
tread trod trodden
undergo underwent undergone
understand understood
undertake undertook undertaken
undo undid undone
unwind unwound
wake woke woken
wear wore worn
weave wove woven
weep wept
win won
withdraw withdrew withdrawn
withhold withheld
withstand withstood
write wrote written
analysis analyses
cactus cacti
calf calves
child children
crisis crises
criterion criteria
diagnosis diagnoses
foot feet
fungus fungi
goose geese
half halves
hypothesis hypotheses
index indices
knife knives
loaf loaves
man men
matrix matrices
mouse mice
ox oxen
person people
phenomenon phenomena
scarf scarves
shelf shelves
thesis theses
thief thieves
tooth teeth
vertex vertices
wife wives
wolf wolves
woman women
"""


@lru_cache(maxsize=1)
def plain_forms() -> dict[str, str]:
    """The word that each irregular form is a form of."""
    lines = (line.split() for line in _FORMS.splitlines() if line)
    return {form: word for word, *forms in lines for form in forms}
