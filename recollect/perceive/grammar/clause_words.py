"""The English words that hold clauses together: lists, no decisions."""

from __future__ import annotations

from recollect.language import lists


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Who or what a clause is about.
FIRST_PERSON = _set("i me my mine myself we us our ours ourselves")
OWN = _set("my our")
PRONOUNS = _set("he she it they this that these those")
NOMINATIVE = _set("i we he she they you it")
ANYBODY = _set(
    "everyone everybody someone somebody nobody anyone anybody everything something nothing anything people one "
    "none most some many all others both each"
)
DETERMINERS = lists.words("en", "determiners")
ARTICLES = _set("a an the")
QUANTITIES = lists.words("en", "quantities")
PLURALS = lists.words("en", "plurals")
PEOPLE = _set(
    "sister brother mother father mom mum dad mama papa wife husband partner girlfriend boyfriend fiancé "
    "fiancée fiance fiancee son daughter kid child baby cousin aunt uncle niece nephew grandmother grandfather "
    "grandma grandpa granny friend friends buddy pal roommate roommates flatmate neighbor neighbour neighbors "
    "colleague colleagues coworker coworkers boss manager teacher coach professor mentor doctor therapist "
    "landlord teammate teammates parents kids children siblings sisters brothers grandparents family team "
    "daughters sons cousins nanny grandson granddaughter mother-in-law father-in-law sister-in-law "
    "brother-in-law stepmom stepdad bandmate classmate classmates client clients student students man woman guy "
    "girl boy lady people person"
)
PET_NOUNS = _set("dog cat puppy kitten pup hamster turtle parrot rabbit horse pet guinea-pig")
WOMEN = _set(
    "sister mother mom mum mama wife girlfriend fiancée fiancee daughter aunt niece grandmother grandma granny "
    "granddaughter mother-in-law sister-in-law stepmom woman girl lady"
)
MEN = _set(
    "brother father dad papa husband boyfriend fiancé son uncle nephew grandfather grandpa grandson father-in-law "
    "brother-in-law stepdad man guy boy"
)

# How clauses begin, end and hang together.
COORDINATORS = _set("and but so yet plus")
BREAKS = _set("; : — – - -- --- .. ... … lol lmao haha hahaha hehe xd")
SUBORDINATORS = _set(
    "when while after before since because as although though once until whenever whereas despite during ever given"
)
CONDITIONS = _set("if unless what how why whether who where which whoever whatever assuming imagine suppose wish lest")
REASONS = _set("because since although though so which whereas as")  # a tail that says why, not when or if
RELATIVES = _set("who which that whose whom where")
PREPOSITIONS = lists.words("en", "prepositions")
TIME_LEADS = _set(
    "yesterday today tomorrow tonight last this next every lately recently currently nowadays sometimes usually "
    "often now later earlier previously originally eventually finally one two three four five six several some "
    "once each most monday tuesday wednesday thursday friday saturday sunday january february march april may "
    "june july august september october november december these right back growing due given maybe perhaps "
    "probably possibly unfortunately luckily fortunately"
)
TIME_NOUNS = _set(
    "week weekend month year morning afternoon evening night summer winter spring fall autumn time term "
    "semester season quarter sprint day monday tuesday wednesday thursday friday saturday sunday days weeks "
    "months january february march april may june july august september october november december past coming "
    "last next christmas decade century"
)
ADVERBS = _set(
    "also always never often usually sometimes rarely really just still now currently recently finally actually "
    "already even only mostly mainly generally typically normally almost nearly ever once then kind of sort "
    "both all too very probably definitely certainly maybe perhaps possibly totally absolutely honestly truly "
    "literally basically simply personally seriously lately occasionally seldom hardly barely soon again "
    "instead later so quite rather kindly super pretty long not right up today yesterday tomorrow"
)
NOT_ADVERBS = _set(
    "family reply apply rely fly supply only italy july bully rally multiply comply assembly early daily lovely "
    "friendly lonely silly ugly holy likely elderly weekly monthly belly jelly emily kelly sally molly lily polly "
    "billy beverly kimberly carly"
)
VERB_ADVERBS = _set(  # what may stand between a subject and its verb
    "also always never often usually sometimes rarely really just still now currently recently finally actually "
    "already even only mostly mainly generally typically normally almost nearly ever once then both all "
    "probably definitely certainly totally absolutely honestly truly literally basically simply personally "
    "seriously lately occasionally seldom hardly barely soon quite rather not too so"
) | {"no longer"}

# What stands around a statement without being part of it.
OPENERS = _set(
    "yeah yes yep yup yea ya no nope nah oh ooh aw aww wow well so ok okay okie alright right sure hey hi hello "
    "hiya yo haha hahaha lol lmao omg ah ahh hmm hmmm um uh and but plus also anyway anyways honestly actually "
    "basically seriously btw thanks thx ty sorry great awesome cool nice sweet perfect exactly indeed "
    "absolutely definitely totally true agreed congrats congratulations woah whoa man dude bro gosh damn yay "
    "hooray cheers like or then see look listen obviously clearly apparently plus too hehe welp ugh bummer fyi "
    "tbh imo guys"
)
CLOSERS = _set(
    "lol lmao haha hahaha hehe though too tho right btw fr ngl tbh already man dude bro buddy either anyway "
    "honestly yeah huh eh indeed really xd smh hah rn obviously"
)

# A pair that is one thing; written as it is compared.
PAIRS = _set(
    "research|development rock|roll mac|cheese butter|jelly bed|breakfast black|white trial|error pros|cons ups|downs "
    "back|forth up|down now|then supply|demand terms|conditions arts|crafts fish|chips salt|pepper bread|butter "
    "health|safety husband|wife friends|family family|friends again|again more|more day|night law|order drum|bass "
    "rhythm|blues q|a r|d hide|seek track|field point|click drag|drop search|rescue wear|tear gin|tonic give|take "
    "mom|dad nice|warm meat|potatoes cup|saucer knife|fork pen|paper lights|sound profit|loss read|write copy|paste "
    "black|decker procter|gamble johnson|johnson ernst|young marks|spencer barnes|noble simon|garfunkel romeo|juliet "
    "dungeons|dragons tom|jerry ben|jerry rick|morty pride|prejudice war|peace crime|punishment trinidad|tobago "
    "antigua|barbuda bosnia|herzegovina tyne|wear guns|roses bath|beyond crate|barrel dolce|gabbana abercrombie|fitch "
    "smith|wesson dolce|gabbana lilo|stitch beauty|beast fast|furious lord|taylor starsky|hutch sense|sensibility"
)
TOGETHER = _set(  # verbs whose objects belong together
    "mix combine compare merge join balance connect link divide switch choose juggle marry match separate blend swap "
    "introduce differ decide split alternate integrate confuse"
)
OPINIONS = _set("think believe feel find consider guess suspect reckon suppose doubt")
PREFERENCES = _set(
    "avoid refuse despise cherish like love hate prefer enjoy dislike adore favor favour crave appreciate detest loathe"
)
DECISIONS = _set("decide choose pick settle agree opt select adopt commit")
PLANS = _set("plan intend hope aim want wish schedule expect dream")
HAPPENED_TO_KNOW = _set("learn realize realise discover notice find conclude")

# Common words that open sentences, and are no names although they are written like one there.
NO_NAMES = _set(
    "life nature music art food school college university dance love family hard money time change nothing "
    "everything growth success creativity passion friendship community teamwork nobody dude man good bad new big "
    "small happy sad great fun best better worse much more less same other such another only even not let here "
    "there then than very really please anything something everyone someone whatever kind type sort way place "
    "home work day night today tomorrow weekend week month year summer winter spring fall christmas vacation "
    "travel tech health fitness exercise yoga sleep stress anxiety therapy self-care kids children people pets "
    "dogs cats friends parents books movies games wedding rejection setback support communication education "
    "history science math english coffee tea pizza pasta water fresh nice beautiful pretty lovely amazing excited "
    "glad proud sounds looks seems hope hopefully luckily thankfully unfortunately fortunately sadly overall "
    "mostly speaking maybe perhaps definitely cant cannot till below above weather traffic rent housing rain snow "
    "sun mother dad mom mum grandma grandpa photo picture image"
)
