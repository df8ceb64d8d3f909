"""Code that an agent wrote, run against a memory and nothing else.

`Sandbox(memory).run(code)` gives what the code left in `result`; `run_shell(memory)` is the same for people.
How the walls stand is told in docs/adr/0006.

The child process imports `worker`, `policy` and `channel` from this folder under another package name, so
that it never loads the engine: those three import each other relatively, and otherwise only the standard
library and RestrictedPython.
"""

from recollect.interfaces.repl.sandbox import Outcome, Sandbox
from recollect.interfaces.repl.shell import run_shell

__all__ = ["Outcome", "Sandbox", "run_shell"]
