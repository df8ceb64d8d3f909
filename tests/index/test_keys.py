"""Sets of row keys do what numpy's own do, and never wake the part of numpy that a cold start should not pay for."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recollect.index.keys import among, each_once

keys = st.lists(st.integers(-5, 40)).map(lambda listed: np.array(listed, dtype=np.int64))


@given(keys)
def test_each_key_comes_once_ascending(held: np.ndarray) -> None:
    assert each_once(held).tolist() == sorted(set(held.tolist()))


@given(keys, keys)
def test_among_says_which_keys_are_in_both(held: np.ndarray, others: np.ndarray) -> None:
    assert among(held, others).tolist() == [key in others.tolist() for key in held.tolist()]


def test_the_arguments_stay_as_they_were() -> None:
    held, others = np.array([3, 1, 3]), np.array([9, 3])
    each_once(held), among(held, others)
    assert held.tolist() == [3, 1, 3]
    assert others.tolist() == [9, 3]


def test_masked_arrays_are_not_imported_for_it() -> None:
    code = (
        "import sys, numpy as np; from recollect.index.keys import among, each_once; "
        "each_once(np.arange(3)); among(np.arange(3), np.arange(2)); sys.exit('numpy.ma' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
