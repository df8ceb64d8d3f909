"""Calls and types of Go and Java as the code graph has them, held against the compilers of these languages.

    python -m bench.quality --set code_go,code_java

The sources, and Go itself, are Debian packages that are fetched by name; `javac` has to be installed (JDK 17). The
compiler tells of every call which function is meant. An exact or inferred edge that leads elsewhere is wrong, also
where the function lies outside of the project. Where it lies inside and there is no such edge, the place is missed. A
call of a function that is held in a variable leads nowhere. Conversions are left out.

Files whose path has an odd checksum were not looked at while the rules were made: figures are of these alone, and
of projects that nobody looked at.

The baseline joins a call to the one symbol of that name. It is there to show what guessing comes to.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from bench.quality.code_calls import FOLDER, Tally, Target
from bench.quality.code_typescript import Sources
from bench.quality.figures import Figure, share
from bench.quality.sets import NoData
from recollect.code.families import FAMILIES
from recollect.code.packing import nodes_of
from recollect.code.resolve.links import EdgeResolver

ORACLES = Path(__file__).parent / "oracles"
GO_PACKAGES = (
    "golang-1.19-go golang-1.19-src golang-github-gin-gonic-gin-dev golang-github-gin-contrib-sse-dev "
    "golang-github-go-playground-validator-v10-dev golang-github-mattn-go-isatty-dev "
    "golang-github-pelletier-go-toml.v2-dev golang-github-ugorji-go-codec-dev golang-gopkg-yaml.v2-dev "
    "golang-google-protobuf-dev golang-github-stretchr-testify-dev golang-github-stretchr-objx-dev "
    "golang-golang-x-net-dev golang-golang-x-sys-dev golang-golang-x-text-dev golang-golang-x-crypto-dev "
    "golang-github-leodido-go-urn-dev golang-github-go-playground-universal-translator-dev "
    "golang-github-go-playground-locales-dev golang-github-davecgh-go-spew-dev "
    "golang-github-pmezard-go-difflib-dev golang-gopkg-yaml.v3-dev"
).split()
JAVA_PACKAGES = ("openjdk-17-source",)
_EXPORTS = [
    word
    for package in ("code", "tree", "util")
    for word in ("--add-exports", f"jdk.compiler/com.sun.tools.javac.{package}=ALL-UNNAMED")
]


class CompiledProject(NamedTuple):
    """A folder of what is fetched, and which of its files are measured."""

    name: str
    folder: str
    within: str = ""  # the beginning of the paths that are measured
    half: bool = False  # of these only those that were not looked at


GO_PROJECTS = (
    CompiledProject("gin", "github.com/gin-gonic/gin", half=True),
    CompiledProject("validator", "github.com/go-playground/validator/v10"),
    CompiledProject("go-toml", "github.com/pelletier/go-toml/v2"),
    CompiledProject("testify", "github.com/stretchr/testify"),
    CompiledProject("x/net", "golang.org/x/net"),
)
JAVA_PROJECTS = (
    CompiledProject("java.util", "java.base", "java/util/", half=True),
    CompiledProject("java.time", "java.base", "java/time/"),
    CompiledProject("java.text", "java.base", "java/text/"),
)


def measure_go(baselines: bool) -> list[Figure]:
    place = _debian("go", GO_PACKAGES)
    code = place / "usr/share/gocode"
    figures: list[Figure] = []
    for project in GO_PROJECTS:
        root = code / "src" / project.folder
        go = place / "usr/lib/go-1.19/bin/go"
        rows = _told([str(go), "run", str(ORACLES / "go_calls.go"), str(root), project.folder], code)
        figures += _compared("go", project, root, rows, baselines=baselines)
    return figures


def measure_java(baselines: bool) -> list[Figure]:
    if shutil.which("javac") is None:
        raise NoData("javac is not installed; it comes with a JDK")
    place = _debian("java", JAVA_PACKAGES)
    root = place / "java.base"
    if not root.is_dir():
        with zipfile.ZipFile(place / "usr/lib/jvm/openjdk-17/lib/src.zip") as archive:
            wanted = tuple(f"java.base/{project.within}" for project in JAVA_PROJECTS)
            archive.extractall(place, [each for each in archive.namelist() if each.startswith(wanted)])
    rows = _told(["java", *_EXPORTS, str(ORACLES / "JavaCalls.java"), str(root), "--patch-module", f"java.base={root}"])
    figures: list[Figure] = []
    for project in JAVA_PROJECTS:
        figures += _compared("java", project, root, rows, baselines=baselines)
    return figures


def _debian(name: str, packages: tuple[str, ...] | list[str]) -> Path:
    """The files of Debian packages, downloaded once."""
    place = FOLDER / f"debian-{name}"
    if place.is_dir():
        return place
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        raise NoData("apt-get and dpkg are not installed; the sources are Debian packages")
    loading = FOLDER / f"debian-{name}.loading"
    loading.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["apt-get", "download", "-q", *packages], cwd=loading, capture_output=True, check=False)
    if done.returncode:
        raise NoData("apt-get cannot download the packages")
    for archive in sorted(loading.glob("*.deb")):
        subprocess.run(["dpkg", "-x", str(archive), str(loading)], check=True)
        archive.unlink()
    loading.rename(place)
    return place


def _told(command: list[str], code: Path | None = None) -> list[list[Any]]:
    """What a compiler says: a row for each call, and for each type that is one of another."""
    settings = {"GO111MODULE": "off", "CGO_ENABLED": "0", "GOCACHE": str(FOLDER / "go-cache")}
    if code is not None:
        settings |= {"GOPATH": str(code), "GOROOT": str(code.parents[1] / "lib/go-1.19")}
    done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, **settings})
    if done.returncode:
        raise NoData(f"{Path(command[0]).name} cannot run the oracle")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _compared(
    language: str, project: CompiledProject, root: Path, rows: list[list[Any]], *, baselines: bool
) -> Iterator[Figure]:
    files = Sources(root)
    family = next(each for each in FAMILIES if language in each.languages)
    resolver = EdgeResolver(family.rules_class()(files, family.of(files.all)))
    symbols: dict[str, set[Target]] = {}
    for path, facts in files.all.items():
        for node in nodes_of(facts)[1:]:
            symbols.setdefault(node.symbol.rpartition(".")[2], set()).add((path, node.symbol))
    own, named, places = Tally(), Tally(), 0
    calls = {(path, call.line, call.column): call for path, facts in files.all.items() for call in facts.calls}
    for path, line, column, target in (row for row in rows if isinstance(row[1], int)):
        if path not in files.all or not _is_measured(project, path):
            continue
        places += 1
        theirs = {(target[0], target[1])} if target is not None and target[0] in files.all else set()
        facts, call = files.all[path], calls.get((path, line, column))
        edges = list(resolver.call(path, facts, call)) if call is not None else []
        own.count({(each.path, each.target) for each in edges if each.resolved in ("exact", "inferred")}, theirs)
        expr = facts.exprs[call.callee] if call is not None else ("?", "")
        alone = symbols.get(str(expr[2] if expr[0] == "m" else expr[1] if expr[0] == "M" else expr[-1]), set())
        named.count(alone if len(alone) == 1 else set(), theirs)
    of = f"{own.right + own.missed} of {places} places lead into the project"
    beside = named if baselines else Tally()
    yield Figure(name=f"calls, precision, {project.name}", value=own.precision, baseline=beside.precision, note=of)
    yield Figure(name=f"calls, recall, {project.name}", value=own.recall, baseline=beside.recall, note=of)
    yield from _types(project, files, resolver, [row for row in rows if not isinstance(row[1], int)])


def _types(project: CompiledProject, files: Sources, resolver: EdgeResolver, rows: list[list[Any]]) -> Iterator[Figure]:
    """Which types extend or implement which, of those that the compiler was asked about."""
    asked = {_place(row[1]) for row in rows if row[0] == "type" and row[1][0] in files.all}
    told = {(_place(row[1]), _place(row[2])) for row in rows if row[0] != "type"}
    theirs = {pair for pair in told if set(pair) <= asked and _is_measured(project, pair[0][0])}
    ours = {
        ((path, edge.source), (edge.path, edge.target))
        for path in files.all
        if _is_measured(project, path)
        for edge in resolver.of(path)[0]
        if edge.kind in ("implements", "extends") and edge.resolved in ("exact", "inferred")
    }
    ours = {pair for pair in ours if set(pair) <= asked}
    if all(row[0] != "extends" for row in rows):  # Go's compiler has no word for what is embedded
        ours = {pair for pair in ours if pair in theirs or not _is_embedded(files, *pair)}
    of = f"{len(theirs)} pairs of types"
    yield Figure(name=f"types, precision, {project.name}", value=share(len(ours & theirs), len(ours)), note=of)
    yield Figure(name=f"types, recall, {project.name}", value=share(len(ours & theirs), len(theirs)), note=of)


def _place(told: list[str]) -> Target:
    return told[0], told[1]


def _is_embedded(files: Sources, source: Target, target: Target) -> bool:
    facts = files.all[source[0]]
    bases = [facts.exprs[base] for scope in facts.scopes if scope.name == source[1] for base in scope.bases]
    return any(target[1] in (facts.exprs[base[2][0]] if base[0] == "L" else base) for base in bases)


def _is_measured(project: CompiledProject, path: str) -> bool:
    return path.startswith(project.within) and (not project.half or crc32(path.encode()) & 1 == 1)
