"""The reference of all verbs, written from the table. `python -m recollect.verbs` prints it."""

from __future__ import annotations

from recollect.verbs.signature import Parameter, Signature, signature_of
from recollect.verbs.table import VERBS
from recollect.verbs.verb import GROUPS, Verb

INTRODUCTION = """\
# Verbs

Everything a memory can do. The names and arguments are the same in Python, in async code, in the shell and in
JSON; each of them is built from one table, and so is this page (`python -m recollect.verbs`).

```python
import recollect

mem = recollect.open()
```

**Scope.** Most verbs take `user_id`, `agent_id`, `project`, `squad` and `channel`: who the call is for. Reads also
take `reach`, to look further. Below, *scope* stands for these. A memory that was opened is its owner's and may name
anybody. `mem.scoped(user_id="ana")` is a handle that holds a scope: it may name that, and another dimension only if
`may_add=` grants it, such as `may_add={"project": "*", "agent_id": ["rex"]}` ([SECURITY.md](SECURITY.md)).

**Times** are a `datetime`, ISO 8601 text, or what people say: `"yesterday"`, `"last week"`, `"in March"`.

**In the shell** lists may be repeated or separated by commas, objects are JSON, `-` reads a text from stdin, and
`-o json` prints what `to_dict()` gives. Exit codes: 0 done, 1 failed, 2 used wrongly.
"""


def reference() -> str:
    """The whole page as Markdown."""
    parts = [INTRODUCTION, _index()]
    for group in GROUPS:
        parts.append(f"## {group}\n")
        parts.extend(_verb(verb, signature_of(verb)) for verb in VERBS if verb.group == group)
    return "\n".join(parts)


def _index() -> str:
    rows = [f"| [`{verb.name}`](#{verb.name}) | {_cell(verb.summary)} |" for verb in VERBS]
    return "\n".join(("| verb | |", "|---|---|", *rows, ""))


def _verb(verb: Verb, signature: Signature) -> str:
    lines = [f"### {verb.name}", "", signature.summary]
    if signature.details:
        lines += ["", signature.details]
    if verb.aliases:
        lines += ["", "Also called " + ", ".join(f"`{alias}`" for alias in verb.aliases) + "."]
    lines += ["", "```python", verb.example, "```", "", "```sh", _shell(verb, signature), "```", ""]
    lines += _arguments(verb, signature)
    lines += [f"Returns `{signature.returns}`.", ""]
    return "\n".join(lines)


def _shell(verb: Verb, signature: Signature) -> str:
    words = [name.upper() if signature[name].required else f"[{name.upper()}]" for name in verb.positional]
    return " ".join(("recollect", verb.in_shell, *words, "[OPTIONS]"))


def _arguments(verb: Verb, signature: Signature) -> list[str]:
    own = [each for each in signature.parameters if not each.scope and each.name not in verb.hidden]
    rows = [f"| `{p.name}` | {_cell(p.in_words)} | {_default(p)} | {_cell(p.doc)} |" for p in own]
    scope = [each.name for each in signature.parameters if each.scope]
    if scope:
        rows.append(f"| *scope* | a text | | {', '.join(f'`{name}`' for name in scope)} |")
    return ["| argument | type | default | |", "|---|---|---|---|", *rows, ""] if rows else []


def _default(parameter: Parameter) -> str:
    if parameter.required:
        return "required"
    return "" if parameter.default in (None, ()) else f"`{parameter.default!r}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
