"""Looking only at the words that may match finds what looking everywhere does."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from recollect.perceive.unspaced import unspaced_in

PATH = re.compile(r"(?<![\w/.])[\w.]+/[\w.]*\w\b(?![(])")


@given(st.text(alphabet="ab./( \n\t", max_size=60))
@example("a/b a/b( b.a/b\na/b")
def test_the_same_is_found_as_in_the_whole(text: str) -> None:
    found = unspaced_in(text, PATH, around=re.compile("/"))
    assert [match.span() for match in found] == [match.span() for match in PATH.finditer(text)]
