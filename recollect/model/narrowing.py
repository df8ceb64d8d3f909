"""What people write to narrow a search: where an answer must come from, and what sort of text it must be.

A place is a path, `path:10-20`, a section, a dotted name of code, a URL, or named parts; facets are named parts. The
parts of a `Place` or of `Facets` under their own names mean the same as those of a query.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import StrEnum
from typing import Any

from recollect.errors import InvalidQuery, shown
from recollect.limits import TAGS_MAX
from recollect.model.facets import ConfidenceLevel, DiataxisType, FacetQuery, PersonaType, VerificationState
from recollect.model.place import SECTION_JOINT, Place, PlaceQuery, PositionType

_PATH_CHARS_MAX = 4_096
_HEADING_LEVEL_MAX = 100
_PLACE_NAMES = {
    "file_path": "file_pattern",
    "file": "file_pattern",
    "path": "file_pattern",
    "lines": "line_range",
    "section_path": "section_contains",
    "section": "section_contains",
    "module_path": "module_prefix",
    "module": "module_prefix",
    "class_name": "in_class",
    "function_name": "in_function",
    "url": "url_prefix",
}
_FACET_NAMES = {
    "diataxis": "diataxis_type",
    "type": "diataxis_type",
    "primary_persona": "persona",
    "verification": "verification_states",
    "verification_state": "verification_states",
    "confidence": "min_confidence",
    "domain": "domain_tags",
    "domains": "domain_tags",
    "tags": "domain_tags",
    "source_type": "source_types",
    "authority": "min_authority",
    "source_authority": "min_authority",
    "is_time_sensitive": "time_sensitive",
}
_EXTENSIONS = frozenset(
    "adoc c cc cfg clj conf cpp cs css csv dart env erl ex exs fs go gradle graphql h hpp hs htm html ini ipynb java "
    "js json jsonl jsx kt lock log lua m md mdx ml mm php pl proto ps1 py pyi r rb rs rst scala scss sh sql svelte "
    "swift tex tf toml ts tsx txt vue xml yaml yml zig".split()
)
_LINES = re.compile(r"(?P<path>.+?)(?::|#L)(?P<first>\d{1,9})(?:-L?(?P<last>\d{1,9}))?")
_NAME = r"[^\W\d]\w*"
_DOTTED = re.compile(rf"{_NAME}(?:\.{_NAME})+(?:\(\))?|{_NAME}\(\)")


def place_query(value: PlaceQuery | Place | Mapping[str, Any] | str) -> PlaceQuery:
    """The query that any of these stands for. What cannot be read is refused with a word."""
    if isinstance(value, PlaceQuery):
        return value
    if isinstance(value, str):
        parts = _parts_of_text(value.strip())
    elif isinstance(value, Place):  # how deep it lies and how it was read are its own, not what is asked for
        around = value.to_dict()
        parts = {_PLACE_NAMES.get(name, name): around[name] for name in _LOCATING if name in around}
    elif isinstance(value, Mapping):
        parts = _named(value, PlaceQuery, _PLACE_NAMES, "place")
    else:
        raise InvalidQuery(f"place is a path, a section or an object of its parts, not {shown(value, 60)}")
    if not parts:
        raise InvalidQuery("place is empty; give a path, a section, a name of code or a URL")
    if parts.keys() == {"line_range"}:
        raise InvalidQuery("line_range needs a file; give file_pattern too")
    return PlaceQuery(**{name: _PLACE_CHECKS[name](name, part) for name, part in parts.items()})


_LOCATING = ("file_path", "line_range", "section_path", "module_path", "class_name", "function_name", "url", "anchor")


def facet_query(value: FacetQuery | Mapping[str, Any]) -> FacetQuery:
    """The query that named parts stand for. What cannot be read is refused with a word."""
    if isinstance(value, FacetQuery):
        return value
    if not isinstance(value, Mapping):
        raise InvalidQuery(f"facets is an object such as {{'diataxis_type': 'howto'}}, not {shown(value, 60)}")
    parts = _named(value, FacetQuery, _FACET_NAMES, "facets")
    if not parts:
        raise InvalidQuery("facets is empty; give a part such as {'diataxis_type': 'howto'}")
    return FacetQuery(**{name: _FACET_CHECKS[name](name, part) for name, part in parts.items()})


def looks_like_path(word: str) -> bool:
    """Whether a word is a path: it has folders, a glob, or ends like a file."""
    stem, dot, ending = word.rpartition(".")
    return "/" in word or "*" in word or bool(stem and dot and ending.lower() in _EXTENSIONS)


def path_of(text: str) -> tuple[str, tuple[int, int] | None]:
    """A path with its lines taken off: `auth.ts:10-20`, `auth.ts#L10`."""
    found = _LINES.fullmatch(text)
    if found is None:
        return text, None
    first = int(found["first"])
    return found["path"], (first, int(found["last"] or first))


def _parts_of_text(text: str) -> dict[str, Any]:
    if text.startswith(("http://", "https://")):
        url, _, anchor = text.partition("#")
        return {"url_prefix": url, "anchor": anchor} if anchor else {"url_prefix": url}
    if SECTION_JOINT in text:
        return {"section_contains": text}
    path, lines = path_of(text.replace("\\", "/"))
    if looks_like_path(path):
        return {"file_pattern": path, "line_range": lines} if lines else {"file_pattern": path}
    if _DOTTED.fullmatch(text):
        return _parts_of_name(text)
    return {"section_contains": text} if text else {}


def _parts_of_name(name: str) -> dict[str, Any]:
    """`package.module.Class.method()`: a class has a capital, a function stands behind one or before brackets."""
    words = name.removesuffix("()").split(".")
    capital = next((i for i, word in enumerate(words) if word[0].isupper()), None)
    if capital is not None:
        module, inside, function = words[:capital], words[capital], words[capital + 1 :]
    else:
        module, inside, function = (words[:-1], "", words[-1:]) if name.endswith("()") else (words, "", [])
    parts = {"module_prefix": ".".join(module), "in_class": inside, "in_function": ".".join(function)}
    return {key: part for key, part in parts.items() if part}


def _named(
    given: Mapping[str, Any], kind: type[PlaceQuery] | type[FacetQuery], same: Mapping[str, str], what: str
) -> dict[str, Any]:
    """The parts that are given, under the names of the query."""
    known = [field.name for field in fields(kind)]
    parts: dict[str, Any] = {}
    for key, part in given.items():
        name = same.get(key, key)
        if name not in known:
            near = difflib.get_close_matches(str(key), [*known, *same], n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
            raise InvalidQuery(f"{what} has no part {shown(key, 40)}; {hint}")
        if part is not None:
            parts[name] = part
    return parts


# --- one check for each part ----------------------------------------------------------------------------------------


def _text(name: str, part: Any) -> str:
    if name == "section_contains" and isinstance(part, list | tuple) and all(isinstance(item, str) for item in part):
        part = SECTION_JOINT.join(part)
    if not isinstance(part, str) or not part.strip() or len(part) > _PATH_CHARS_MAX:
        raise InvalidQuery(f"place: {name} is a text of up to {_PATH_CHARS_MAX} characters, not {shown(part, 60)}")
    return part.strip().replace("\\", "/") if name == "file_pattern" else part.strip()


def _lines(name: str, part: Any) -> tuple[int, int]:
    pair = (part, part) if type(part) is int else part
    sound = isinstance(pair, list | tuple) and len(pair) == 2 and all(type(line) is int and line >= 0 for line in pair)
    if not sound or pair[0] > pair[1]:
        raise InvalidQuery(f"place: {name} is a line or (first, last), not {shown(part, 40)}")
    return pair[0], pair[1]


def _level(name: str, part: Any) -> int:
    if type(part) is not int or not 0 <= part <= _HEADING_LEVEL_MAX:
        raise InvalidQuery(f"place: {name} is the level of a heading such as 2, not {shown(part, 40)}")
    return part


def _share(name: str, part: Any) -> float:
    if isinstance(part, bool) or not isinstance(part, int | float) or not 0 <= part <= 1:
        raise InvalidQuery(f"facets: {name} is a number from 0 to 1, not {shown(part, 40)}")
    return float(part)


def _flag(name: str, part: Any) -> bool:
    if not isinstance(part, bool):
        raise InvalidQuery(f"facets: {name} is true or false, not {shown(part, 40)}")
    return part


def _words(name: str, part: Any) -> tuple[str, ...]:
    items = [part] if isinstance(part, str) else part
    sound = isinstance(items, list | tuple | set | frozenset) and all(isinstance(i, str) and i for i in items)
    if not sound or not 0 < len(items) <= TAGS_MAX:
        raise InvalidQuery(f"facets: {name} is a text or a list of up to {TAGS_MAX} of them, not {shown(part, 60)}")
    return tuple(dict.fromkeys(items))


def _one_of(kind: type[StrEnum]) -> Callable[[str, Any], StrEnum]:
    def check(name: str, part: Any) -> StrEnum:
        try:
            return kind(part)
        except ValueError:
            raise InvalidQuery(f"{name} is one of {', '.join(kind)}, not {shown(part, 40)}") from None

    return check


def _states(name: str, part: Any) -> tuple[StrEnum, ...]:
    state = _one_of(VerificationState)
    return tuple(state(name, item) for item in _words(name, part))


_PLACE_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **{field.name: _text for field in fields(PlaceQuery)},
    "line_range": _lines,
    "heading_level_max": _level,
    "position_type": _one_of(PositionType),
}
_FACET_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "diataxis_type": _one_of(DiataxisType),
    "persona": _one_of(PersonaType),
    "verification_states": _states,
    "min_confidence": _one_of(ConfidenceLevel),
    "domain_tags": _words,
    "source_types": _words,
    "min_authority": _share,
    "time_sensitive": _flag,
}
