"""Everything a text says, perceived in one step: how it feels, what it names, when, what it states, and how to show it.

Each part has a module of its own and can be asked for alone. Here they share their work: times, sentences, topics and
technologies are found once and handed on. Turns are what most texts are, but a note or a piece of a document is
perceived the same way; without a speaker, no name is put first and "I" is the user.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.config import writing
from recollect.language.base import SKILLS
from recollect.language.detect import UNDETERMINED, detected
from recollect.language.finding import TimeMention
from recollect.language.sentences import Sentence
from recollect.language.spoken import reader_of
from recollect.model.facets import Facets
from recollect.model.place import Place
from recollect.model.record import Affect
from recollect.model.vocabulary import vocabulary_of
from recollect.perceive.names.mentions import Mention, mentions_in
from recollect.perceive.statements.propositions import Proposition, propositions_of
from recollect.perceive.traits.affect import affect_of
from recollect.perceive.traits.facets import facets_of
from recollect.perceive.traits.fidelity import Fidelity, fidelity_of
from recollect.perceive.traits.metadata import Metadata, metadata_of
from recollect.perceive.traits.situation import PLAIN, Situation

ASIDE_WORDS_MAX = 3  # beside the one statement that a text is: "Yes, …", "…, Ben"


@dataclass(frozen=True, slots=True, kw_only=True)
class Perceived:
    """What one text says. What was not asked for is empty.

    Some of the `mentions` are unsure: they are names only where a person or thing is known by them. `statement` is the
    one proposition that the whole text comes to, None of a text that says more than that, or less. `unread` is the code
    of a language without rules of its own: no statements were drawn from the text, and of times only dates in digits.
    """

    affect: Affect
    metadata: Metadata
    fidelity: Fidelity
    facets: Facets
    times: tuple[TimeMention, ...] = ()
    mentions: tuple[Mention, ...] = ()
    propositions: tuple[Proposition, ...] = ()
    statement: Proposition | None = None
    unread: str | None = None


def perceive_text(
    text: str,
    *,
    speaker: str | None = None,
    role: str | None = None,
    said_at: datetime | None = None,
    place: Place | None = None,
    source_type: str | None = None,
    situation: Situation = PLAIN,
    propositions: bool = True,
    mentions: bool = True,
    ingest: writing.IngestSettings = writing.IngestSettings(),
    perceive: writing.PerceiveSettings = writing.PerceiveSettings(),
    structure: writing.StructureSettings = writing.StructureSettings(),
    affect: writing.AffectSettings = writing.AffectSettings(),
) -> Perceived:
    """All that a text says. Without `said_at` no times are resolved, and only dates like 2026-05-13 are found;
    `situation` is felt beside the words; `propositions` and `mentions` can be left out, and settings given."""
    found = detected(text)
    language = reader_of(found)
    times = () if said_at is None else language.times(text, said_at)
    felt = affect_of(text, **situation._asdict(), english=language.code == "en", settings=affect)
    metadata = metadata_of(
        text,
        times=None if said_at is None else times,
        affect=felt,
        language=found.code,
        vocabulary=vocabulary_of(perceive.vocabulary),
    )
    sentences = tuple(language.sentences(text)) if propositions else None
    stated: tuple[Proposition, ...] = ()
    if sentences is not None:
        stated = propositions_of(
            text,
            speaker=speaker,
            role=role,
            words_min=perceive.statement_words_min,
            same_words=ingest.fact_similarity,
            sentences=sentences,
            times=times,
            language=language,
        )
    return Perceived(
        affect=felt,
        metadata=metadata,
        fidelity=fidelity_of(
            text, summary_bytes_max=ingest.summary_bytes_max, sentences=sentences, topics=metadata.topics
        ),
        facets=facets_of(text, place=place, source_type=source_type, perceive=perceive, structure=structure),
        times=times,
        mentions=_named(text, speaker, metadata) if mentions else (),
        propositions=stated,
        statement=_whole(text, sentences or (), stated),
        unread=None if language.skills.issuperset(SKILLS) else language.code,
    )


def _named(text: str, speaker: str | None, metadata: Metadata) -> tuple[Mention, ...]:
    return mentions_in(
        text,
        speaker=speaker,
        technologies=metadata.technologies,
        language=metadata.language or UNDETERMINED,
        unsure=True,
    )


def _whole(text: str, sentences: Sequence[Sentence], stated: Sequence[Proposition]) -> Proposition | None:
    """The statement that is all a text says: one sentence, and hardly a word beside the statement."""
    if len(sentences) != 1 or len(stated) != 1:
        return None
    begin, end = stated[0].span
    aside = f"{text[:begin]} {text[end:]}".split()
    return stated[0] if len(aside) <= ASIDE_WORDS_MAX else None
