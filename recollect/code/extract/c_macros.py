"""What is left out of a text of C or C++ before it is parsed: macros that no grammar can place.

Spaces take their place, so that every byte stays where it was.
"""

from __future__ import annotations

import re

_NOT_BREAKS = re.compile(rb"[^\n]")

_LINKAGE = re.compile(
    rb"^[ \t]*#[ \t]*if(?:def)?[ \t]+(?:defined)?[ \t]*\(?[ \t]*__cplusplus\b[^\n]*\n"
    rb"(?:[ \t]*(?:extern\b[ \t]*\"C\"[ \t]*\{?|\{|\}|/\*|//)[^\n;()]*\n|[ \t]*\n){1,3}"
    rb"[ \t]*#[ \t]*endif[^\n]*",
    re.MULTILINE,
)
_ATTRIBUTES = re.compile(rb"__attribute__[ \t]*\(\((?:[^()\n]|\([^()\n]*\))*\)\)|__declspec\([^()\n]*\)|__extension__")
# `API int f(` and `static INLINE struct s *f(`: a word in capitals that is neither the type nor the name.
_BEFORE_TYPES = re.compile(
    rb"^([ \t]*(?:static[ \t]+|extern[ \t]+|inline[ \t]+|virtual[ \t]+|explicit[ \t]+)*(?:class[ \t]+|struct[ \t]+)?)"
    rb"([A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?"
    rb"(?=[ \t]+(?:[A-Za-z_][\w:<>,]*[ \t*&]+)+(?:[~A-Za-z_][\w:~]*[ \t]*[({:;]|\([A-Za-z_]\w*\)[ \t]*\()))",
    re.MULTILINE,
)
# `class API Name {`
_BEFORE_NAMES = re.compile(
    rb"(\b(?:class|struct|union|enum)[ \t]+)"
    rb"([A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?(?=[ \t]+[A-Za-z_]\w*\s*(?:final\s*)?[{:;]))"
)
_ALONE = re.compile(rb"[A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?")


def prepared(data: bytes) -> bytes:
    """A text without what no grammar can place: `extern "C" {` for C++ alone, macros that are no part of the syntax."""
    data = _LINKAGE.sub(_blank, data)
    data = _ATTRIBUTES.sub(_blank, data)
    data = _BEFORE_NAMES.sub(_blank_first, data)
    data = _BEFORE_TYPES.sub(_blank_first, data)
    lines = data.split(b"\n")
    open_ = True  # whether a declaration may begin
    for at, line in enumerate(lines):
        stripped = line.strip()
        if not stripped or stripped.startswith((b"//", b"/*", b"*")):
            continue
        if open_ and _ALONE.fullmatch(stripped):
            lines[at] = _NOT_BREAKS.sub(b" ", line)
            continue
        ends = stripped.partition(b"//")[0].rstrip()
        open_ = ends.endswith((b";", b"}", b"{", b":", b"*/")) or stripped.startswith((b"#", b"template"))
    return b"\n".join(lines)


def _blank(found: re.Match[bytes]) -> bytes:
    return _NOT_BREAKS.sub(b" ", found[0])


def _blank_first(found: re.Match[bytes]) -> bytes:
    return found[1] + _NOT_BREAKS.sub(b" ", found[2])
