"""What is to be stored, read and embedded: everything that is worked out before a transaction begins.

Models and tables of words may be slow, and a transaction waits for nothing; so whoever stores texts prepares them here
first and hands the result to `ingest.writer`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from recollect.config import Config
from recollect.ingest.drafts import Drafts
from recollect.ingest.embedding import Embedding, Prepared
from recollect.ingest.perceiving import NOTHING, Drawn, Understood, drawn, understand
from recollect.language.terms import terms_of
from recollect.model.anchor import speaks_of_code
from recollect.model.columns import RecordRow
from recollect.model.scope import Scope

if TYPE_CHECKING:
    from recollect.perceive.statements.propositions import Proposition


# Notes in rows of a scope which code they are about.
Anchoring = Callable[[Sequence[RecordRow], Scope], None]


class WhenRead(NamedTuple):
    """When texts are read: at once, later in the background, or not at all."""

    now: bool = True
    later: bool = False


AT_ONCE = WhenRead()


class Words(NamedTuple):
    """What rows are found by: their vectors and their terms."""

    vectors: Prepared
    terms: Sequence[Sequence[str]]

    def of(self, positions: Sequence[int]) -> Words:
        return Words(self.vectors.part(positions), [self.terms[at] for at in positions])


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Rows, what they state and name, and what all of it is found by."""

    drafts: Drafts
    understood: Understood
    words: Words
    stated_words: Words
    config: Config
    read: WhenRead = AT_ONCE

    @property
    def rows(self) -> list[RecordRow]:
        return self.drafts.rows

    @property
    def statements(self) -> list[Drawn]:
        return self.understood.statements

    @property
    def missing(self) -> tuple[str, ...]:
        """What could not be made now and comes later."""
        return self.words.vectors.missing

    def stamp(self, scope_pk: int, session_pk: int | None, *, at: int, valid_from: int | None = None) -> None:
        """Give the rows what only the transaction knows. A statement without a beginning holds from now on."""
        for row in (*self.rows, *(one.row for one in self.statements)):
            row.scope_pk, row.session_pk = scope_pk, session_pk
            row.created_at = row.updated_at = row.recorded_at = at
            if valid_from is not None:
                row.valid_from = valid_from
        for _, row in self.statements:
            row.valid_from = at if row.valid_from is None else row.valid_from


def anchored_to_code(rows: Sequence[RecordRow], scope: Scope, anchor: Anchoring) -> None:
    """Have noted which code rows are about. Files are read, so this comes before a transaction too."""
    about = [row for row in rows if speaks_of_code(row.metadata, row.attributes)]
    if about:
        anchor(about, scope)


def prepare(
    drafts: Drafts,
    embedding: Embedding,
    config: Config,
    *,
    now: int,
    read: WhenRead = AT_ONCE,
    is_recalled: Callable[[str, str | None], bool] = lambda text, role: False,
    corrects: bool = False,
) -> Material:
    """Read and embed what was given; with `corrects`, as what sets right what was stored before.

    `is_recalled` tells of a statement, and the role of who makes it, whether it only comes back from this memory.
    """
    understood = NOTHING
    if read.now:
        understood = understand(drafts.rows, drafts.turns, config=config, now=now, corrects=corrects)
        own = [one for one in understood.statements if not is_recalled(one.row.content, drafts.rows[one.turn].role)]
        understood = understood._replace(statements=own)
    elif not read.later:
        for row in drafts.rows:
            row.perceived = "{}"  # read, and nothing looked for
    texts = [row.content for row in drafts.rows]
    stated = [one.row.content for one in understood.statements]
    boxes = {at: row.box for at, row in enumerate(drafts.rows) if row.box is not None}
    every = Words(embedding.prepare([*texts, *stated], boxes), [terms_of(text) for text in (*texts, *stated)])
    return Material(
        drafts=drafts,
        understood=understood,
        config=config,
        read=read,
        words=every.of(range(len(texts))),
        stated_words=every.of(range(len(texts), len(texts) + len(stated))),
    )


def prepare_stated(turn: RecordRow, stated: Sequence[Proposition], embedding: Embedding, config: Config) -> Material:
    """What a model found that a turn, which is stored already, states."""
    understood = Understood([()], drawn(turn, stated, config.ingest))
    texts = [one.row.content for one in understood.statements]
    return Material(
        drafts=Drafts(rows=[turn], turns=[0]),
        understood=understood,
        config=config,
        words=Words(Prepared(complete=True), [()]),
        stated_words=Words(embedding.prepare(texts), [terms_of(text) for text in texts]),
    )
