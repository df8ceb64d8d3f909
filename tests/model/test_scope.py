"""Who sees what."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from recollect.errors import UsageError
from recollect.limits import NAME_CHARS_MAX
from recollect.model.scope import DIMENSIONS, GLOBAL, Scope


def test_the_five_dimensions_widest_first() -> None:
    assert DIMENSIONS == ("project", "squad", "agent_id", "channel", "user_id")


@pytest.mark.parametrize(
    ("reader", "record", "sees"),
    [
        (GLOBAL, GLOBAL, True),
        (GLOBAL, Scope(user_id="ana"), False),
        (Scope(user_id="ana"), GLOBAL, True),
        (Scope(user_id="ana"), Scope(user_id="ana"), True),
        (Scope(user_id="ana"), Scope(user_id="Ana"), False),
        (Scope(user_id="ana"), Scope(agent_id="ana"), False),
        (Scope(user_id="ana"), Scope(user_id="ana", project="p"), False),
        (Scope(user_id="ana", project="p"), Scope(user_id="ana"), True),
        (Scope(user_id="ana", project="p"), Scope(project="p"), True),
        (Scope(user_id="ana", project="p"), Scope(project="q"), False),
    ],
)
def test_a_record_is_seen_where_everything_it_sets_is_set_alike(reader: Scope, record: Scope, sees: bool) -> None:
    assert reader.sees(record) is sees


def test_the_keys_an_index_filters_by_are_exactly_the_scopes_seen() -> None:
    values = (None, "x", "y")
    every = [Scope(project=p, agent_id=a, user_id=u) for p, a, u in product(values, repeat=3)]
    for reader in every:
        keys = reader.visible_keys()
        assert {scope.key for scope in every if reader.sees(scope)} == set(keys)
        assert len(keys) == len(set(keys)) == 2 ** len(reader.items())


def test_keys_cannot_imitate_one_another() -> None:
    tricky = ["a", "a;user_id=1:b;", "1:a", ";", "=", "a;", "user_id=1:a;"]
    scopes = [Scope(project=p, user_id=u) for p in [None, *tricky] for u in [None, *tricky]]
    assert len({scope.key for scope in scopes}) == len(scopes)


def test_a_scope_is_narrowed_never_changed() -> None:
    ana = Scope(user_id="ana")
    assert ana.narrowed(project="p", user_id="ana", squad=None) == Scope(user_id="ana", project="p")
    assert ana.narrowed() == ana
    with pytest.raises(UsageError, match="it cannot have 'ben' too"):
        ana.narrowed(user_id="ben")


@pytest.mark.parametrize("value", ["", "  ", 5, b"ana", ["ana"], "a\x00b", "\ud800", "x" * (NAME_CHARS_MAX + 1)])
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_a_value_that_names_nobody_is_refused_by_name(dimension: str, value: Any) -> None:
    with pytest.raises(UsageError, match=dimension):
        Scope(**{dimension: value})


def test_odd_but_honest_names_are_kept_as_they_are() -> None:
    for name in ("ana@example.org", "Zoë", "名前", " ana ", "x" * NAME_CHARS_MAX, "🦊", "a/b:c"):
        assert Scope(user_id=name).user_id == name
