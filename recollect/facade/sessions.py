"""Sessions of coding agents: `mem.sessions`."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Unpack

from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.audited import audited
from recollect.facade.handle import Namespace

if TYPE_CHECKING:
    from recollect.model.observed import SessionBrief

_TOKENS_MAX = 100_000


@partial(audited, prefix="sessions_")
class SessionVerbs(Namespace):
    """What sessions of coding agents begin with, and what becomes of them."""

    def brief(self, *, max_tokens: int | None = None, **scope: Unpack[ScopeArgs]) -> SessionBrief:
        """What a session of a project begins with: where the work stood, what is wanted, what to watch out for.

        The text is what hooks tell an agent whose session starts. Looking at it counts as no use of what it tells.

        Args:
            max_tokens: About how long it may be; `observe.session_tokens` unless it is said.
        """
        usual = self._handle._opened.config.current.observe.session_tokens
        tokens = usual if max_tokens is None else arguments.count(max_tokens, "max_tokens", _TOKENS_MAX)
        where = self._handle._in(scope)
        here = _current_folder() if self._handle._owner and where.project is None else None
        return self._handle._engine.observer.brief(where, tokens=tokens, local=self._handle._owner, here=here)


def _current_folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return None
