"""What protects single texts of one open store: the keys of the moment, what seals and opens fields, and what turns
vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from recollect.model.columns import SealedBox
from recollect.security.access import Access, SubKeys
from recollect.security.fields import FieldCipher, Turning
from recollect.security.keys import Purpose

if TYPE_CHECKING:
    from recollect.security.projection import Projections, Vectors
    from recollect.store.base import Tx

PORTION_BOXES = 500
SECRETS = "secrets"


class Protection:
    """Made once for a store; follows when the store is given another key."""

    def __init__(self, access: Callable[[], Access], *, in_memory: bool = False) -> None:
        self._keys = SubKeys(access, in_memory=in_memory)
        self.fields = FieldCipher(partial(self._keys.of, Purpose.FIELDS), lambda: access().master is not None)
        self._turning = Turning(partial(self._keys.of, Purpose.PROJECTION))

    def turning(self) -> Projections | None:
        """What turns the vectors of withheld texts; None where the store has no key."""
        return self._turning()

    def turned(self, vectors: Vectors) -> Vectors:
        """Vectors turned by the key of the moment."""
        return self._turning.turned(vectors)

    def spoken(self, boxes: Sequence[SealedBox]) -> list[SealedBox]:
        """Boxes of withheld texts with what those may be found by; those that do not open are left out."""
        from recollect.security.screening.policy import without_personal

        whole = self.fields.opened_as_far(boxes) if boxes and self.fields.available else {}
        said = {ref: without_personal(columns.get("content", "")) for ref, columns in whole.items()}
        return [box._replace(spoken=said[box.ref]) for box in boxes if box.ref in said]


def reseal(old: Protection, new: Protection, tx: Tx) -> None:
    """Bring everything that is sealed from one key to another, in one transaction. What does not open stays as it is:
    it did not open before either."""
    after = -1
    while boxes := tx.sealed.after(after, PORTION_BOXES):
        whole = old.fields.opened_as_far(boxes)
        tx.sealed.rewrite(
            new.fields.resealed(box.record_id, box.ref, whole[box.ref]) for box in boxes if box.ref in whole
        )
        shown = tx.sealed.shown(whole)
        tx.sealed.rehash(
            (ref, new.fields.hash_of(text, whole[ref])) for ref, text in shown.items() if whole[ref].keys() - {SECRETS}
        )
        after = boxes[-1].ref
    before, since = old.turning(), new.turning()
    assert before is not None
    assert since is not None
    for space in tx.vectors.spaces():
        if rows := tx.sealed.every_vector(space):
            turned = since.project(before.unproject(space.decode([data for _, data in rows])))
            tx.sealed.put_vectors(space, zip((ref for ref, _ in rows), space.encode_all(turned), strict=True))
