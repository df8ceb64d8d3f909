"""Programs that speak MCP: where each keeps its configuration, and how Recollect is written into it and taken out."""
