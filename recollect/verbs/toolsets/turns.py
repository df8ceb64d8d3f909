"""Tools for agents that run by turns: begin one, recall, tell what was said, end it or stop it; put a mind aside."""

from __future__ import annotations

from recollect.verbs.toolsets.default import tools_in

TOOLSET = tools_in("turns")
