"""The graph of a project's code: what defines, imports, calls and extends what, and what a change reaches."""
