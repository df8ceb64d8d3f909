"""The reference of all settings, written from their declarations. `python -m recollect.config` prints it."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.config.root import GROUP_TOTALS, Config, declared, sections
from recollect.config.section import settings_of
from recollect.config.setting import RESET, FrozenTable, Setting, plain

INTRODUCTION = """\
# Configuration

Everything that can be tuned has a name, a default, a range and a unit:

```python
import recollect

with recollect.open(":memory:", config={"recall.top_k": 5}) as mem:
    print(mem.config.recall.top_k, mem.config.origin("recall.top_k"), mem.config.warnings)
#> 5 argument ()
```

On the command line `recollect config` lists every setting with its value, where the value comes from and what it does.
`recollect config recall` lists one section and `recollect config recall.top_k` shows one setting. `recollect config set
recall.top_k 5` writes it into the file and leaves the rest of the file as it is.

**Sources.** Later ones win: the defaults below, a TOML file, environment variables, arguments. The file is the one that
`$RECOLLECT_CONFIG` names, otherwise `~/.recollect/config.toml` if it exists.

| source | a value | a row of a table |
|---|---|---|
| file | `[recall]`, `top_k = 5` | `[decay.half_life_days]`, `work_state = 3` |
| environment | `RECOLLECT_RECALL__TOP_K=5` | `RECOLLECT_DECAY__HALF_LIFE_DAYS__WORK_STATE=3` |
| argument | `{"recall.top_k": 5}` or nested | `{"decay.half_life_days": {"work_state": 3}}` or nested |

A whole table fits into one variable: `work_state=3,gotcha=60`. A setting outside any section has no double underscore:
`RECOLLECT_DB`.

**Values that do not fit.** A wrong type, an unknown name or an unreadable file raises `ConfigInvalid` (E5003). Its
message names the source, what is allowed and what was probably meant. A number outside its range is *clamped* to the
nearest allowed one, *reset* to its default, or *refused*, as the table says. `config.warnings`, `recollect health` and
`recollect doctor` list what was clamped or reset. They also list settings that an earlier release had and that do
nothing now.

**While running.** `mem.reload()` reads the sources again and swaps all values at once. Settings marked *reopen* keep
their value until the memory is opened again, and the report of the reload names them.
"""
HEAD = "| setting | default | range | unit | outside | change | meaning |\n|---|---|---|---|---|---|---|"


def reference() -> str:
    """The whole page as Markdown."""
    parts = [INTRODUCTION, f"## Settings\n\n{len(declared())} settings in {len(sections())} sections.\n"]
    parts.append("\n".join(("### Top level\n", HEAD, *_rows(settings_of(Config)), "")))
    for name, section in sections().items():
        title = f"### {name}\n\n{(section.__doc__ or '').strip()}\n"
        parts.append("\n".join((title, HEAD, *_rows(settings_of(section)), "")))
    return "\n".join(parts)


def _rows(settings: dict[str, Setting]) -> Iterator[str]:
    for name, setting in settings.items():
        cells = (
            f"`{name}`",
            _default(setting),
            setting.limits() + _relations(setting),
            setting.unit,
            _outside(setting),
            "live" if setting.live else "reopen",
            setting.doc,
        )
        yield "| " + " | ".join(cells) + " |"


def _default(setting: Setting) -> str:
    if isinstance(setting.default, FrozenTable):
        return ", ".join(f"{name} {plain(value)}" for name, value in setting.default.items())
    if setting.default is None:
        return "none"
    return f"`{plain(setting.default)}`"


def _relations(setting: Setting) -> str:
    if setting.above:
        return f"; at least `{setting.above}`"
    if setting.group:
        return f"; sum of `{setting.group}` up to {plain(GROUP_TOTALS[setting.group])}"
    if setting.kind is FrozenTable and setting.total < float("inf"):
        return f"; sum up to {plain(setting.total)}"
    return f"; any {setting.keys}" if setting.keys else ""


def _outside(setting: Setting) -> str:
    return RESET.value if setting.group else setting.policy.value
