"""The bundle for somebody who helps: what runs here, how it is set, how the store is, what went wrong. No content.

A zip of JSON files that anybody can read before it is sent. No text that a person may have written is in it: no record,
no question, no name of anybody, no path, no key. What is left out is told by its length.
"""

from __future__ import annotations

import io
import platform
import re
import sys
import zipfile
from collections import deque
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any

import orjson

from recollect._version import __version__
from recollect.clock import from_us, now_us
from recollect.config import Config
from recollect.config.root import declared
from recollect.config.setting import FrozenTable, Setting
from recollect.insight.support import model_named, without_words
from recollect.interfaces.settings import HIDDEN

LINES = 500  # of a log
LINE_CHARS_MAX = 10_000
README = """\
A support bundle of Recollect. It holds versions, settings, figures and codes: nothing that anybody stored or asked,
no name of a person, no path, no key. Texts are told by their length. Read the files before you send them on.
"""
_MODELS = ("embedder", "llm", "recall.reranker")
_LIBRARY = re.compile(r"[A-Za-z0-9._-]+")
# What a line of the server's log may say. Routes are templates of ours, places are our files and lines.
_ROUTE = re.compile(r"(/v1)?/[a-z/_.{}-]{0,80}|unknown")
_PLACE = re.compile(r"(recollect|starlette|uvicorn|anyio)/[a-z_0-9/]+\.py:\d+")
_FAULT = re.compile(r"[A-Z][A-Za-z]{2,40}(Error|Exception|Warning|Interrupt|Exit)?")
_SORTS = {
    "at": re.compile(r"\d{4}-\d\d-\d\dT[\d:.+]{8,24}"),
    "level": re.compile(r"debug|info|warning|error|critical"),
    "method": re.compile(r"[A-Z]{3,7}"),
    "route": _ROUTE,
    "fault": _FAULT,
    "code": re.compile(r"E\d{4}"),
}


def bundle(about: Mapping[str, Mapping[str, Any]], config: Config | None, log: Iterable[str] = ()) -> bytes:
    """The zip: what is known of the store (`about`, by section), and beside it what runs here and how it is set.

    Without settings (`None`), the file of them could not be read.
    """
    files: dict[str, bytes] = {"README.txt": README.encode(), "about.json": _json(running())}
    files["settings.json"] = _json({"readable": False} if config is None else settings_told(config))
    files |= {f"{name}.json": _json(section) for name, section in about.items()}
    files["log.jsonl"] = b"".join(orjson.dumps(line) + b"\n" for line in log_told(log))
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as whole:
        for name, content in files.items():
            whole.writestr(name, content)
    return written.getvalue()


def running() -> dict[str, Any]:
    """Versions: of Recollect, of Python, of the system, and of every library that is used and there."""
    needed = sorted(
        {match[0] for each in requires("recollect") or () if (match := _LIBRARY.match(each))}, key=str.lower
    )
    return {
        "recollect": __version__,
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": platform.system(),
        "machine": platform.machine(),
        "release": platform.release(),
        "frozen": bool(getattr(sys, "frozen", False)),
        "at": from_us(now_us()).isoformat(timespec="seconds"),
        "libraries": {name: found for name in needed if (found := _version_of(name)) is not None},
    }


def settings_told(config: Config) -> dict[str, Any]:
    """Every setting that is not at its default, and where from. Texts by their length, secrets not at all."""
    given = {key: config.origin(key).partition(" ")[0] for key in declared()}
    return {
        "changed": {
            key: {"value": _setting_told(key, setting, config.value(key)), "origin": given[key]}
            for key, setting in declared().items()
            if given[key] != "default"
        },
        "warnings": len(config.warnings),
    }


def log_told(lines: Iterable[str]) -> list[dict[str, Any]]:
    """The last lines of a server's log, each with what such a line may say; of other lines how many there were."""
    told: deque[dict[str, Any]] = deque(maxlen=LINES)
    others = 0
    for line in lines:
        found = _line_told(line)
        if found is None:
            others += 1
        else:
            told.append(found)
    return [*told, {"other_lines": others}] if others else list(told)


def _line_told(line: str) -> dict[str, Any] | None:
    start = line.find("{")  # journals write a time and a name before each line
    if start < 0 or len(line) > LINE_CHARS_MAX:
        return None
    try:
        fields = orjson.loads(line[start:])
    except orjson.JSONDecodeError:
        return None
    if not isinstance(fields, dict) or "level" not in fields:
        return None
    told = {
        name: fields[name]
        for name, form in _SORTS.items()
        if isinstance(fields.get(name), str) and form.fullmatch(fields[name])
    }
    told |= {name: fields[name] for name in ("status", "ms") if isinstance(fields.get(name), int | float)}
    places = fields.get("places")
    if isinstance(places, list):
        told["places"] = [each for each in places if isinstance(each, str) and _PLACE.fullmatch(each)]
    return told


def _setting_told(key: str, setting: Setting, value: Any) -> Any:
    if setting.secret:
        return HIDDEN if value else value
    if isinstance(value, FrozenTable):  # names of our own, and of what people called their categories
        own = {name: number for name, number in value.items() if name in setting.default}
        return {**own, "others": len(value) - len(own)}
    if not isinstance(value, str) or setting.choices:
        return value
    return model_named(value) if key in _MODELS else without_words(value)


def _version_of(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def _json(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS)
