"""Tools for agents that work together: publish, choose what to be told, and read what came."""

from __future__ import annotations

from recollect.verbs.toolsets.default import tools_in

TOOLSET = tools_in("agents")
