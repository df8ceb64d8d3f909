"""A tool called for a client, and its answer as the protocol has it: data for programs, a text for the model."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Mapping
from typing import Any

import mcp_types as types

from recollect.errors import RecollectError
from recollect.interfaces.mcp.binding import Binding
from recollect.verbs.toolsets.run import answer, text_of
from recollect.verbs.toolsets.tool import Tool

LOG = "recollect.mcp"
_log = logging.getLogger(LOG)


def answered(tool: Tool, arguments: Mapping[str, Any] | None, binding: Binding) -> types.CallToolResult:
    """Run a tool. Blocks: for a thread. Never raises; what went wrong is an answer that says so."""
    began = time.perf_counter()
    try:
        done = answer(tool, arguments, binding.memory, read_only=binding.read_only)
        result = types.CallToolResult(
            content=[types.TextContent(type="text", text=text_of(done))], structured_content=done.data
        )
        outcome = "done"
    except RecollectError as error:
        result, outcome = refused(error), error.code
    except Exception as error:
        result, outcome = refused(_fault(tool, error)), RecollectError.code
    _log.info("%s %s in %.1f ms", tool.name, outcome, (time.perf_counter() - began) * 1e3)
    return result


def refused(error: RecollectError) -> types.CallToolResult:
    """An error as a tool's answer: its code and what to do about it."""
    said = types.TextContent(type="text", text=str(error))
    return types.CallToolResult(content=[said], structured_content=error.to_dict(), is_error=True)


def _fault(tool: Tool, error: Exception) -> RecollectError:
    """A mistake of ours. Logged by its kind and place; its message may quote somebody."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    _log.error("%s failed: %s at %s:%s", tool.name, type(error).__name__, place.name, place.lineno)
    return RecollectError(f"this is a bug in Recollect ({type(error).__name__} in {tool.name}); nothing is lost by it")
