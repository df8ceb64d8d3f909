"""The reference of all settings, written from their declarations. `python -m recollect.config` prints it."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.config.root import GROUP_TOTALS, Config, declared, sections
from recollect.config.section import settings_of
from recollect.config.setting import RESET, FrozenTable, Setting, plain

INTRODUCTION = """\
# Configuration

Every tunable of Recollect has a name, a default, a range and a unit, and lives in one checked value:

```python
from recollect.config import load_config

config = load_config({"recall.rrf_k": 30})
config.recall.rrf_k, config.origin("recall.rrf_k"), config.warnings
```

**Sources.** Later ones win: the defaults below, a TOML file, environment variables, arguments. The file is
the one `$RECOLLECT_CONFIG` names, else `~/.recollect/config.toml` if it exists.

| source | a value | a row of a table |
|---|---|---|
| file | `[recall]`, `rrf_k = 30` | `[decay.half_life_days]`, `work_state = 3` |
| environment | `RECOLLECT_RECALL__RRF_K=30` | `RECOLLECT_DECAY__HALF_LIFE_DAYS__WORK_STATE=3` |
| argument | `{"recall.rrf_k": 30}` or nested | `{"decay.half_life_days": {"work_state": 3}}` or nested |

A whole table fits into one variable as `work_state=3,gotcha=60`. The three values outside any section are
`RECOLLECT_DB`, `RECOLLECT_EMBEDDER` and `RECOLLECT_LLM` in the environment.

**Values that do not fit.** A wrong type, an unknown name or an unreadable file raises `ConfigInvalid` (E5003)
with the place it came from, what is allowed and what was probably meant. A number outside its range is
*clamped* to the nearest allowed one, *reset* to its default, or *refused*, as the table says. Clamps and
resets are listed in `config.warnings`, and so is a setting that an earlier release had: it does nothing.

**Looking and changing.** `recollect config` lists every setting with its value, where the value comes from and what
it does; `recollect config recall.rrf_k` shows one, `recollect config set recall.rrf_k 30` writes it into the file.

**While running.** `LiveConfig.reload()` reads the sources again and swaps the whole value at once. Settings
marked *reopen* keep their running value until the memory is opened again, and the reload says so.
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
