"""What people say without stating anything: greetings, agreement, sympathy, how they feel just now. No decisions.

Patterns are matched against the lower-case words of a clause, contractions written out, one space between them.
"""

from __future__ import annotations

import re

from recollect.perceive.grammar.words import any_of

# Before a statement, and no part of it.
OPENING_PHRASES = re.compile(
    "(?:"
    + any_of(
        "by the way",
        "fingers crossed",
        "to be honest",
        "to be fair",
        "of course",
        "as always",
        "no worries",
        "not going to lie",
        "you know(?: what)?",
        "i mean",
        "for sure",
        "fun fact",
        "guess what",
        "in fact",
        "that said",
        "after all",
        "good (?:morning|evening|afternoon|night|luck|idea|point|question|thing)",
        "thank you(?: so much| very much)?",
        "thanks (?:so much|a lot|again|a bunch|a ton)",
        "on (?:a different|another) note",
        "on the other hand",
        "nice to (?:meet|see|hear from) you",
        "good to (?:see|hear from) you",
        "long time no (?:see|talk|chat)",
        "at the end of the day",
        "first of all",
        "as you know",
        "(?:as|like) i said",
        "i must say",
        "i have to say",
        "quick update",
        "please note(?: that)?",
        "note that",
        "(?:please )?remember that",
        "keep in mind(?: that)?",
        "just so you know",
        "for (?:the record|context|reference|your information|example|instance)",
        "no problem",
        "my bad",
        "that being said",
        "funny enough",
        "to answer your question",
        "speaking of which",
        "as for me",
        "in general",
        "since (?:we|i) (?:last )?(?:spoke|talked|chatted|met|saw you)(?: last)?",
        "same here",
        "me too",
        "one thing is",
        "the thing is",
        "turns out(?: that)?",
        "(?:the )?funny thing is(?: that)?",
    )
    + r"[\s,!:.-]*)+"
)
PHRASES_BEGIN = frozenset(
    "by fingers to of as no not you i for fun guess good in thank thanks on that after nice long at first like quick "
    "please note remember keep just my funny speaking since same me one the turns".split()
)

# A clause about the speaker that says nothing of them.
_ON_THE_WAY = (
    "(?:(?:do not|did not|not|too|very|exactly|quite|already|actually|have|really|totally|completely|can|could|just"
    "|am|was|will|would|'d|definitely|so|also|still|even|truly) )*"
)
IDLE = re.compile(
    "i "
    + _ON_THE_WAY
    + any_of(
        r"see(?: (?:what|why|how|that)\b.*)?$",
        "agree",
        "understand",
        "hear (?:you|ya)",
        "bet",
        "guess",
        "know",
        "feel (?:you|ya|that way|the same|like that|it|so|bad for)",
        "mean",
        "meant",
        "wish",
        "wonder(?:ing|ed)?",
        "hope (?:so|you|it|that|this|your|not|everything|all|things|we)",
        "sorry",
        "kidding",
        "joking",
        "imagine",
        "mind",
        "promise",
        "swear",
        "suppose",
        "appreciate (?:it|you|your|that|the)",
        "sure",
        "curious",
        "admit",
        "thank",
        "glad(?! my| i (?:got|have|found|joined|moved|quit|did))",
        "happy (?:for|to hear|to help|you|that you)",
        "proud of you",
        "here (?:for|if)",
        "excited for you",
        "good",
        "fine",
        "ok",
        "okay",
        "great",
        "ready",
        "done$",
        "doing (?:ok|well|good|great|fine|okay|alright)",
        "back$",
        "in$",
        "down$",
        "let you",
        "tell you",
        "say",
        "saying",
        "said",
        "talk to you",
        "see you",
        "catch you",
        "check it out",
        "try (?:it|that)",
        "ha(?:ve|d) no (?:idea|clue)",
        "no (?:idea|clue)",
        "have to (?:say|admit|agree|go|run)",
        "love (?:to hear|that|it|your|you|how you)",
        "remember(?: right now| exactly| now)?$",
        "remember (?:you|when you|that|it)",
        "get (?:it|that|you|what)",
        "got (?:it|you|this)",
        "wait",
        "think (?:so|that|it|you|this|we|about (?:it|that)|they|he|she)",
        "believe (?:it|you|in you|so|that)",
        "thinking (?:the same|of you|we|you|maybe)",
        "need (?:help|some help|your|advice|some advice|a favor|to go)",
        "looking for (?:help|advice|suggestions|recommendations|tips|some)",
        "have a question",
        "a question",
        "like (?:that|it|your|this|how you)",
        "recommend (?:it|that|you|this)",
        "look(?:ing)? forward to (?:it|hearing|that|seeing (?:you|it|what|how))",
        "like to (?:know|hear|see|ask|thank)",
        "forgot$",
        "forget$",
        "do$",
        "did$",
        "have$",
        "am$",
        "was$",
        "will$",
        "would$",
        "can$",
        "could$",
        "not$",
        "too$",
        "so$",
    )
)

# From the verb on: how somebody is or fares at the moment, with nothing that it is about.
_FEELINGS = (
    "accepted alone amazed angry anxious appreciated awake away back bad better blessed bored bummed busy calm "
    "cold confident confused curious determined done down elated excited exhausted fine focused free full glad "
    "good grateful great happy home honored hopeful hot hungry impressed inspired interested jealous kidding late lazy "
    "lost lucky mad motivated moved nervous nostalgic off ok okay out overwhelmed positive proud pumped ready "
    "relaxed relieved resting sad scared shocked sick sleepy sorry speechless stoked stressed stuck supported sure "
    "surprised thankful thrilled tired touched up upset well worried chilling"
).split()
_DEGREES = (
    "so very really super pretty just also too definitely totally feeling bit little always still all more "
    "quite truly not and but now right today staying being at here in bed a kind of"
).split()
_PRAISED = "such|a|an|so|much|lots|of|some|the|my|our|really|good|great|nice|lovely|amazing|wonderful|fun|best|pretty"
PASSING = re.compile(
    r"(?:am|was|are|were|been|be|feel|felt|feeling|get|got|getting|stay|staying|stayed) "
    rf"(?:(?:{'|'.join(_DEGREES)}|\w+ly) )*(?:{'|'.join(_FEELINGS)})"
    r"(?: (?:today|now|right now|tonight|lately|again|at all|and \w+))*$"
    rf"|ha(?:ve|d|ving) (?:(?:{_PRAISED}|long|rough|tough|awesome|special|productive) )*"
    r"(?:time|day|night|fun|blast|experience|moment|week|weekend)(?: today)?$"
    r"|did (?:alright|well|great|good|okay|fine)$|made it$|(?:try|trying|doing) (?:my|our) best$|will see$"
    r"|keep(?: on)? (?:going|pushing|trying|at it)\b"
)

# Imperatives: those people cheer each other with, and those that may be meant to last.
ENCOURAGED = re.compile(
    "(?:please )?(?:do not|never|always) "
    + any_of(
        "give up",
        "worry",
        "forget",
        "be",
        "hesitate",
        "let",
        "lose",
        "miss",
        "stop",
        "mention",
        "get",
        "sweat",
        "feel",
        "stress",
        "beat",
        "overthink",
        "even",
        "know",
        "think",
        "want",
        "tell",
        "doubt",
        "underestimate",
        "quit",
        "say",
        "have",
        "need",
        "really",
        "remember",
        "here",
        "care",
        "like",
        "mind",
        "thank",
        "apologize",
    )
)
INSTRUCTED = re.compile(
    "(?:please )?"
    + any_of(
        "always",
        "never",
        "do not",
        "avoid",
        "from now on",
        "make sure(?: to| that)?",
        "be sure to",
        "remember to",
        "stick to",
        "prefer",
        "only use",
        "use",
        "keep",
    )
)
