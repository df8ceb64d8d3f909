"""Table rows as the derived indexes take them, read in portions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from recollect.index.base import TermsRow
from recollect.index.columns import ColumnRow
from recollect.index.forward import ForwardRow, asks
from recollect.index.graph import EdgeRow
from recollect.language.passages import passages_of
from recollect.language.terms import telling, terms_of
from recollect.model.edge import rule_of
from recollect.model.labels import label_terms
from recollect.store.base import Tx

CHUNK_ROWS = 2_000
_STARTS, _ENDS = ("subject", "cause"), ("object", "effect")  # roles of members


class IndexPortion(NamedTuple):
    """The live rows of a span of keys, and the keys of the span that are not live."""

    columns: list[ColumnRow]
    texts: list[TermsRow]
    forward: list[ForwardRow]
    gone: list[int]


def portion(tx: Tx, first_pk: int, last_pk: int) -> IndexPortion:
    """What the indexes should hold for these keys."""
    part = IndexPortion([], [], [], [])
    for row in tx.indexed.records(first_pk, last_pk):
        pk, scope_pk, kind, category, session_pk, *_, drawn, content, speaker, tags, metadata = row
        passages = [terms_of(passage) for passage in passages_of(content)]
        passages[-1].extend(label_terms(category, tags, metadata))
        part.columns.append(ColumnRow(*row[:10]))
        part.texts.append(TermsRow(pk, scope_pk, passages[0] if len(passages) == 1 else list(chain(*passages))))
        part.forward.append(
            ForwardRow(
                pk,
                [telling(terms) for terms in passages],
                None if drawn else speaker,
                session_pk if kind == "episodic" else None,
                asks(content),
                bool(drawn),
            )
        )
    live = {row.pk for row in part.columns}
    part.gone.extend(pk for pk in range(first_pk, last_pk + 1) if pk not in live)
    return part


def edge_portion(tx: Tx, first_pk: int, last_pk: int) -> tuple[list[EdgeRow], list[int]]:
    """The live edges of a span of keys, and the keys of the span that are not live."""
    rows: list[EdgeRow] = []
    for pk, label, strength, valid_from, valid_until, joined in tx.indexed.edges(first_pk, last_pk):
        members = [(record_pk, role in _STARTS, role in _ENDS) for record_pk, role in joined]
        rows.append(EdgeRow(pk, label, strength, rule_of(label).symmetric, valid_from, valid_until, members))
    live = {row.pk for row in rows}
    return rows, [pk for pk in range(first_pk, last_pk + 1) if pk not in live]


def chunks(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The same keys in spans of at most `CHUNK_ROWS`."""
    for first, last in spans:
        for low in range(first, last + 1, CHUNK_ROWS):
            yield low, min(low + CHUNK_ROWS - 1, last)


def merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same keys in as few spans as possible, ascending."""
    out: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if out and first <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(out[-1][1], last))
        else:
            out.append((first, last))
    return out
