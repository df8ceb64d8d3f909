"""What the Rust compiler says each name in a crate's sources means, read from the pages that rustdoc makes of them.

rustdoc is run with `--generate-link-to-definition`: in the source pages each name that the compiler resolved, methods
included, is a link to its definition. Code that is not compiled (other systems, macros' arguments) has no links.
"""

from __future__ import annotations

import html
import os
import posixpath
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_GUTTER = re.compile(r"<a href=#\d+ id=\d+ data-nosnippet>\d+</a>")
_CODE = re.compile(r'<pre class="rust"><code>(.*)</code></pre>', re.DOTALL)
_TOKEN = re.compile(r'<a [^>]*?href="([^"]*)"[^>]*>|<(/a)>|<[^>]*>|([^<]+)')


Site = tuple[str, int, int]


class Meaning(NamedTuple):
    """Where a name is defined: a file and a line of the crate, or an address outside of it."""

    path: str
    line: int
    outside: str


def documented(crate: Path, features: str, vendored: Path) -> Path:
    """Build the pages; the folder of the crate's sources among them. `vendored` holds what it depends on."""
    config = crate / ".cargo"
    config.mkdir(exist_ok=True)
    (config / "config.toml").write_text(
        f'[source.crates-io]\nreplace-with = "vendored"\n[source.vendored]\ndirectory = "{vendored}"\n'
    )
    manifest = crate / "Cargo.toml"
    manifest.write_text(_without_development(manifest.read_text()))
    wrapper = crate / "rustdoc-unstable"
    wrapper.write_text('#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc "$@"\n')
    wrapper.chmod(0o755)
    chosen = ["--features", features] if features else []
    command = ["cargo", "rustdoc", "--lib", "--offline", *chosen, "--", "-Zunstable-options"]
    subprocess.run(
        [*command, "--generate-link-to-definition", "--document-private-items"],
        cwd=crate,
        env=os.environ | {"RUSTDOC": str(wrapper)},
        check=True,
        capture_output=True,
    )
    return next((crate / "target/doc/src").glob("*"))


def _without_development(manifest: str) -> str:
    """Without dependencies of tests, which distributions do not carry."""
    kept, inside = [], False
    for line in manifest.splitlines():
        inside = "dev-dependencies" in line if line.startswith("[") else inside
        kept += [] if inside else [line]
    return "\n".join(kept) + "\n"


def meanings(pages: Path, source: str) -> Iterator[tuple[Site, Meaning]]:
    """What stands at a file, a line and a column; `source` is the folder in the crate that the pages show."""
    for page in sorted(pages.rglob("*.rs.html")):
        inside = page.relative_to(pages).as_posix().removesuffix(".html")
        for line, column, link in _links(page.read_text(encoding="utf-8")):
            yield (f"{source}/{inside}", line, column), _meaning(link, inside, source)


def _links(page: str) -> Iterator[tuple[int, int, str]]:
    code = _CODE.search(page)
    line, column = 1, 0
    link: str | None = None
    for found in _TOKEN.finditer(_GUTTER.sub("", code[1]) if code else ""):
        address, end, text = found.groups()
        if address is not None:
            link = html.unescape(address)
        elif end:
            link = None
        elif text:
            words = html.unescape(text)
            if link is not None:
                yield line, column, link
            *lines, last = words.split("\n")
            line += len(lines)
            column = len(last) if lines else column + len(last)


def _meaning(link: str, inside: str, source: str) -> Meaning:
    page, _, anchor = link.partition("#")
    lines = anchor.partition("-")[0]
    if not lines.isdigit():
        return Meaning("", 0, link)
    target = (
        posixpath.normpath(posixpath.join(posixpath.dirname(inside), page.removesuffix(".html"))) if page else inside
    )
    return Meaning(f"{source}/{target}", int(lines), "") if not target.startswith("..") else Meaning("", 0, link)
