"""`summaries`: the tree of what is known, a branch at a time: all of it, domains, clusters, records of a cluster.

Or what of it is about something, at every level: those summaries come first that point where the question points and
have its words.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.clock import from_us
from recollect.errors import NotFound
from recollect.language.terms import query_terms, terms_of
from recollect.model.knowledge import SummaryBranch, SummaryLevel, TreeNode
from recollect.model.query import Criteria
from recollect.model.scope import GLOBAL
from recollect.providers.base import Vectors
from recollect.store.base import Store, Tx
from recollect.store.summaries import SummaryNode, TreeRow
from recollect.upkeep.knowledge.stored_tree import space_of_tree

LEVELS_MAX = 4  # from a cluster up, and one more
NEAR_MIN = 0.3  # of 2: a summary that is less near is about something else


def branch(store: Store, criteria: Criteria, *, under: int | None, start: int, limit: int, now: int) -> SummaryBranch:
    """What is right below a node, as far as a reader may see it; `under` None: what is at the top."""
    with store.read() as tx:
        visible = tx.scopes.visible(criteria.scope, criteria.reach)
        if under is None:
            return SummaryBranch(below=_nodes(tx, tx.summaries.tops(visible, start=start, limit=limit)))
        row = tx.summaries.in_use(under)
        if row is None or (visible is not None and row.scope_pk not in visible):
            raise NotFound(f"the tree of summaries has no {under} here; it may have been drawn up again since")
        (node,) = _nodes(tx, [row])
        above = _nodes(tx, _way_up(tx, row))
        if row.summary.level is not SummaryLevel.CLUSTER:
            below = tx.summaries.right_below(under, start=start, limit=limit)
            return SummaryBranch(node=node, above=above, below=_nodes(tx, below))
        members = tx.summaries.member_pks([under]).get(under, [])
        seen = tx.records.matching(criteria, now=now, among=members)
        loaded = tx.records.load(seen[start : start + limit])
        return SummaryBranch(node=node, above=above, records=tuple(loaded.values()))


def nearest(
    store: Store, criteria: Criteria, about: str, towards: tuple[str, Vectors] | None, *, start: int, limit: int
) -> SummaryBranch:
    """The summaries of all levels that are about something, the nearest first; `towards` is where `about` points."""
    wanted = frozenset(query_terms(about))
    with store.read() as tx:
        visible = tx.scopes.visible(criteria.scope, criteria.reach)
        space = space_of_tree(tx)
        direction = towards[1] if towards is not None and space is not None and space.name == towards[0] else None
        scored = [
            (score, node.pk)
            for level in SummaryLevel
            for _, node in tx.summaries.of_level(visible, level.value, space=space)
            if node.text and (score := _nearness(node, wanted, direction)) >= NEAR_MIN
        ]
        best = sorted(scored, key=lambda each: (-each[0], each[1]))[start : start + limit]
        rows = [row for _, pk in best if (row := tx.summaries.in_use(pk)) is not None]
        return SummaryBranch(below=_nodes(tx, rows))


def _nearness(node: SummaryNode, wanted: frozenset[str], direction: Vectors | None) -> float:
    """The cosine, and the share of the words that are wanted."""
    words = len(wanted.intersection(terms_of(f"{node.label} {node.text}"))) / max(1, len(wanted))
    alike = 0.0 if direction is None or node.centroid is None else float(node.centroid @ direction)
    return words + max(0.0, alike)


def _way_up(tx: Tx, row: TreeRow) -> list[TreeRow]:
    """The nodes above one, the top first."""
    found: list[TreeRow] = []
    at: TreeRow | None = row
    while at is not None and at.parent_pk is not None and len(found) < LEVELS_MAX:
        at = tx.summaries.in_use(at.parent_pk)
        if at is not None:
            found.append(at)
    return found[::-1]


def _nodes(tx: Tx, rows: Iterable[TreeRow]) -> tuple[TreeNode, ...]:
    told = list(rows)
    scopes = tx.scopes.load_all({row.scope_pk for row in told})
    return tuple(
        TreeNode(
            number=row.pk,
            summary=row.summary,
            newest=from_us(row.newest_at),
            parts=row.parts,
            scope=scopes.get(row.scope_pk, GLOBAL),
        )
        for row in told
    )
