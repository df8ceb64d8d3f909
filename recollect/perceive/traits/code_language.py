"""Which programming language a text has code in: by its fences, by how the code is written, by the files it names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from recollect.perceive.names.technologies import languages_by_ending, languages_by_fence

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*([\w+#-]+)", re.MULTILINE)
_MAY_BE_CODE = re.compile(r"[(){};=<>#$]|import ")
# Language → parts without one of which the pattern after them cannot match: most texts have none of them.
_SIGNS = (
    (
        "Python",
        ("def ", "class ", "import "),
        re.compile(r"^[ \t]*+(?:def \w++\([^\n]*:|class \w++[^\n]*:|from [\w.]++ import |import \w++$)", re.MULTILINE),
    ),
    (
        "Rust",
        ("fn ", "let mut ", "impl", "::new("),
        re.compile(r"\bfn \w+\(|\blet mut \w|\bimpl(?:<\w+>)? \w+ (?:for|\{)|::new\("),
    ),
    (
        "Go",
        ("func ", "package ", " := "),
        re.compile(r"\bfunc (?:\(\w+ \*?\w+\) )?\w+\(|^package \w+$|\w := \w", re.MULTILINE),
    ),
    (
        "TypeScript",
        ("interface ", ": string", ": number", ": boolean", "as const"),
        re.compile(r"\binterface \w+ \{|: (?:string|number|boolean)\b[;,)= ]|\bas const\b"),
    ),
    (
        "JavaScript",
        ("const ", "function ", "=> {", "require(", "console.log("),
        re.compile(r"\bconst \w+ = |\bfunction \w+\(|=> \{|\brequire\(['\"]|console\.log\("),
    ),
    (
        "Java",
        ("public ", "System.out."),
        re.compile(r"\bpublic (?:static |final )*(?:class|void|int|String)\b|System\.out\."),
    ),
    ("C++", ("#include <", "std::", "template"), re.compile(r"#include <\w+>|std::\w+|\btemplate ?<")),
    ("C", ("#include ", "int main("), re.compile(r"#include [<\"][\w/]+\.h[>\"]|\bint main\(")),
    (
        "SQL",
        ("SELECT", "INSERT INTO", "CREATE TABLE"),
        re.compile(r"\bSELECT\b.+\bFROM\b|\bINSERT INTO\b|\bCREATE TABLE\b", re.DOTALL),
    ),
    (
        "Shell",
        ("$ ", "#!/bin/", "sudo ", " install", "export "),
        re.compile(r"^\s*(?:\$ |#!/bin/(?:ba)?sh|sudo |apt(?:-get)? install|export \w+=)", re.MULTILINE),
    ),
)


def code_language_of(text: str, paths: Iterable[str] = ()) -> str | None:
    """The language of a text's code block, of its code, or of the first file it names; None without code."""
    fence = _FENCE.search(text) if "```" in text or "~~~" in text else None
    if fence is not None and (named := languages_by_fence().get(fence[1].lower())):
        return named
    if _MAY_BE_CODE.search(text):
        for language, parts, written in _SIGNS:
            if any(part in text for part in parts) and written.search(text):
                return language
    endings = (path.rpartition(".")[2].lower() for path in paths)
    return next((languages_by_ending()[ending] for ending in endings if ending in languages_by_ending()), None)
