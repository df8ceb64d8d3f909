"""Calls of Rust, C and C++ as the code graph has them, held against the compilers of these languages.

    python -m bench.quality --set code_rust,code_c,code_cpp

Sources are Debian packages that are fetched by name. For Rust, rustdoc links every name that the compiler resolved to
its definition (`cargo` has to be installed); for C and C++, clang names what is called (`pip install libclang`). An
exact or inferred edge that leads elsewhere is wrong, also where what is meant lies outside of the project. Where it
lies inside and there is no such edge, the place is missed. Where the compiler says nothing (code that is not compiled
here, text that a macro makes, calls of variables), nothing is counted.

Where the compiler names a method of a trait, the method of an `impl` of that trait is right too: which `impl` it is the
compiler does not tell. A constructor that nobody wrote is its class.

Files whose path has an odd checksum were not looked at while the rules were made: figures are of these alone, and of
projects that nobody looked at.

The baseline joins a call to the one symbol of that name. It is there to show what guessing comes to.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from bench.quality.code_calls import FOLDER, Tally, Target
from bench.quality.code_typescript import Sources
from bench.quality.figures import Figure
from bench.quality.oracles import clang_calls, rustdoc_calls
from bench.quality.sets import NoData
from recollect.code.facts import ADDED, CallSite, FileFacts, Sort
from recollect.code.families import FAMILIES
from recollect.code.packing import nodes_of
from recollect.code.resolve.links import EdgeResolver, FileEdge
from recollect.code.world import SymbolIndex

_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
_SOURCES_LIST = f"deb-src [signed-by={_KEYS}] http://deb.debian.org/debian bookworm main\n"
_FURTHER_LINES = 3  # between the beginning of a definition and its name


class Crate(NamedTuple):
    """A crate that Debian has the source of, and the features that it is compiled with."""

    package: str
    folder: str
    features: str
    half: bool = False  # of its files only those that were not looked at


class NativeProject(NamedTuple):
    """A source package, the files that are compiled, and how."""

    name: str
    compiled: tuple[str, ...]  # patterns below its folder
    included: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    half: bool = False


CRATES = (
    Crate("librust-tokio-dev", "tokio-1.24.2", "full", half=True),
    Crate("librust-indexmap-dev", "indexmap-1.9.2", ""),
    Crate("librust-petgraph-dev", "petgraph-0.6.2", ""),
)
C_PROJECTS = (
    NativeProject(
        "redis",
        ("src/*.c", "deps/lua/src/*.c", "deps/hiredis/*.c", "deps/linenoise/*.c"),
        ("src", "deps/hiredis", "deps/linenoise", "deps/lua/src", "deps/hdr_histogram"),
        ("-DREDIS_STATIC=", "-DHAVE_BACKTRACE"),
        half=True,
    ),
    NativeProject("libuv1", ("src/*.c", "src/unix/*.c"), ("include", "src", "src/unix"), ("-D_GNU_SOURCE",)),
)
CPP_PROJECTS = (
    NativeProject(
        "leveldb",
        ("db/*.cc", "table/*.cc", "util/*.cc", "helpers/memenv/*.cc"),
        (".", "include"),
        ("-DLEVELDB_PLATFORM_POSIX=1", "-std=c++11", "-xc++"),
        half=True,
    ),
    NativeProject("re2", ("re2/*.cc", "util/*.cc"), (".",), ("-std=c++14", "-xc++")),
)


def measure_rust(baselines: bool) -> list[Figure]:
    if shutil.which("cargo") is None:
        raise NoData("cargo is not installed; it comes with Rust")
    figures: list[Figure] = []
    for crate in CRATES:
        registry = _crates(crate.package) / "usr/share/cargo/registry"
        root = FOLDER / f"crate-{crate.folder}"
        if not root.is_dir():
            shutil.copytree(registry / crate.folder, root)
        pages = next((root / "target/doc/src").glob("*"), None)
        pages = pages or rustdoc_calls.documented(root, crate.features, registry)
        told = dict(rustdoc_calls.meanings(pages, "src"))
        files = NativeSources(root)
        figures += _compared("rust", crate.folder, files, _CompiledRust(files, told), crate.half, baselines=baselines)
    return figures


def measure_c(baselines: bool) -> list[Figure]:
    return [figure for each in C_PROJECTS for figure in _by_clang("c", each, baselines)]


def measure_cpp(baselines: bool) -> list[Figure]:
    return [figure for each in CPP_PROJECTS for figure in _by_clang("cpp", each, baselines)]


def _by_clang(language: str, project: NativeProject, baselines: bool) -> Iterator[Figure]:
    try:
        import clang.cindex  # noqa: F401
    except ImportError:
        raise NoData("libclang is not installed; `pip install libclang` brings it") from None
    root = _source(project.name)
    sources = [path for pattern in project.compiled for path in sorted(root.glob(pattern)) if "test" not in path.name]
    options = [*(f"-I{root / each}" for each in project.included), *project.options]
    files = NativeSources(root)
    told = _CompiledC(files, clang_calls.calls(root, sources, options))
    yield from _compared(language, project.name, files, told, project.half, baselines=baselines)


class NativeSources(Sources):
    """The facts of all files below a folder, with where which name is defined."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._index = SymbolIndex()
        for path, facts in self.all.items():
            self._index.add(path, nodes_of(facts))

    def defining(self, symbol: str) -> Collection[str]:
        return self._index.defining.get(symbol, ())

    def held(self, symbol: str) -> Collection[tuple[str, str]]:
        return self._index.held.get(symbol, ())


class Answer(NamedTuple):
    """What a compiler says of a place: whether it means something of the project, and whether an edge leads there."""

    inside: bool
    fits: Callable[[FileEdge], bool]


class _CompiledRust:
    def __init__(self, files: NativeSources, told: dict[rustdoc_calls.Site, rustdoc_calls.Meaning]) -> None:
        self._files = files
        self._told = told

    def at(self, path: str, call: CallSite) -> Answer | None:
        meaning = self._told.get((path, call.line, call.column))
        if meaning is None:
            return None
        if not meaning.outside and self._begins(meaning) is None:  # a variable, or what a macro made
            return None
        return Answer(not meaning.outside, lambda edge: self._fits(meaning, edge))

    def _begins(self, meaning: rustdoc_calls.Meaning) -> tuple[FileFacts, int] | None:
        """The symbol that begins at a line."""
        facts = self._files.facts(meaning.path)
        for at, scope in enumerate(facts.scopes if facts is not None else ()):
            if at and scope.sort != Sort.BLOCK and scope.line == meaning.line:
                assert facts is not None
                return facts, at
        return None

    def _fits(self, meaning: rustdoc_calls.Meaning, edge: FileEdge) -> bool:
        facts = self._files.facts(edge.path)
        for at, scope in enumerate(facts.scopes if facts is not None else ()):
            assert facts is not None
            if at == 0 or facts.path_of(at) != edge.target:
                continue
            if not meaning.outside and (edge.path, scope.line) == (meaning.path, meaning.line):
                return True
            trait = _trait_of(facts, scope.parent)
            if trait and self._is_of_trait(meaning, trait, scope.name):
                return True
        return False

    def _is_of_trait(self, meaning: rustdoc_calls.Meaning, trait: str, name: str) -> bool:
        if meaning.outside:
            page, _, member = meaning.outside.partition("#")
            return page.endswith(f"/trait.{trait}.html") and member in ("", f"tymethod.{name}", f"method.{name}")
        found = self._begins(meaning)
        if found is None:
            return False
        facts, at = found
        holder = facts.scopes[facts.scopes[at].parent]
        return holder.sort == Sort.INTERFACE and holder.name == trait and facts.scopes[at].name == name


def _trait_of(facts: FileFacts, scope: int) -> str:
    """The last name of the trait that an `impl` is of."""
    here = facts.scopes[scope]
    if ADDED not in here.traits or not here.interfaces:
        return ""
    expr = facts.exprs[here.interfaces[0]]
    while expr[0] == "s":
        expr = facts.exprs[expr[1]]
    return str(expr[-1])


class _CompiledC:
    def __init__(self, files: NativeSources, told: dict[clang_calls.Site, clang_calls.Called]) -> None:
        self._files = files
        self._told = told

    def at(self, path: str, call: CallSite) -> Answer | None:
        called = self._told.get((path, call.line, call.column))
        return None if called is None else Answer(bool(called.places), lambda edge: self._fits(called, edge))

    def _fits(self, called: clang_calls.Called, edge: FileEdge) -> bool:
        if not called.places:  # a constructor that the compiler makes
            return called.is_constructor and edge.target.rpartition(".")[2] == called.name
        facts = self._files.facts(edge.path)
        for at, scope in enumerate(facts.scopes if facts is not None else ()):
            assert facts is not None
            if at and scope.sort != Sort.BLOCK and facts.path_of(at) == edge.target:
                last = min(scope.line + _FURTHER_LINES, scope.end)
                if any(edge.path == path and scope.line <= line <= last for path, line in called.places):
                    return True
        return False


def _compared(
    language: str, name: str, files: NativeSources, told: _CompiledRust | _CompiledC, half: bool, *, baselines: bool
) -> Iterator[Figure]:
    family = next(each for each in FAMILIES if language in each.languages)
    resolver = EdgeResolver(family.rules_class()(files, family.of(files.all)))
    symbols: dict[str, set[Target]] = {}
    for path, facts in files.all.items():
        for node in nodes_of(facts)[1:]:
            symbols.setdefault(node.symbol.rpartition(".")[2], set()).add((path, node.symbol))
    own, named, places = Tally(), Tally(), 0
    for path, facts in files.all.items():
        for call in facts.calls if not half or is_held_out(path) else ():
            answer = told.at(path, call)
            if answer is None:
                continue
            places += 1
            edges = [each for each in resolver.call(path, facts, call) if each.resolved in ("exact", "inferred")]
            _count(own, edges, answer)
            expr = facts.exprs[call.callee]
            word = str(expr[2] if expr[0] in ("m", "p", "a") else expr[1])
            alone = symbols.get(word, set())
            guessed = [FileEdge("calls", "", 0, *each, "") for each in alone] if len(alone) == 1 else []
            _count(named, guessed, answer)
    of = f"{own.right + own.missed} of {places} places lead into the project"
    beside = named if baselines else Tally()
    yield Figure(name=f"calls, precision, {name}", value=own.precision, baseline=beside.precision, note=of)
    yield Figure(name=f"calls, recall, {name}", value=own.recall, baseline=beside.recall, note=of)


def _count(tally: Tally, edges: list[FileEdge], answer: Answer) -> None:
    if any(answer.fits(edge) for edge in edges):
        tally.right += 1
        return
    tally.wrong += bool(edges)
    tally.missed += answer.inside


def is_held_out(path: str) -> bool:
    return int(hashlib.sha256(path.encode()).hexdigest(), 16) % 2 == 1


# What is fetched


def _crates(package: str) -> Path:
    """The sources of a crate and of everything that it depends on, downloaded once."""
    place = FOLDER / f"debian-{package}"
    if place.is_dir():
        return place
    if shutil.which("apt-get") is None:
        raise NoData("apt-get is not installed; the sources are Debian packages")
    without = ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")
    command = ["apt-cache", "depends", "--recurse", *(f"--no-{each}" for each in without), package]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    needed = sorted({line for line in said.splitlines() if line.startswith("librust-")})
    loading = FOLDER / f"debian-{package}.loading"
    loading.mkdir(parents=True, exist_ok=True)
    if subprocess.run(["apt-get", "download", "-q", *needed], cwd=loading, capture_output=True, check=False).returncode:
        raise NoData(f"apt-get cannot download {package}")
    for archive in sorted(loading.glob("*.deb")):
        subprocess.run(["dpkg", "-x", str(archive), str(loading)], check=True)
    loading.rename(place)
    return place


def _source(package: str) -> Path:
    """A Debian source package as its authors released it, downloaded once."""
    place = FOLDER / f"source-{package}"
    if not place.is_dir():
        if shutil.which("apt-get") is None:
            raise NoData("apt-get is not installed; the sources are Debian packages")
        loading = FOLDER / f"source-{package}.loading"
        lists = FOLDER / "apt-lists"
        for folder in (loading, lists / "partial"):
            folder.mkdir(parents=True, exist_ok=True)
        (FOLDER / "sources.list").write_text(_SOURCES_LIST)
        own = {"sourcelist": FOLDER / "sources.list", "sourceparts": "/dev/null"}
        options = [f"-oDir::Etc::{key}={value}" for key, value in own.items()] + [f"-oDir::State::lists={lists}"]
        for command in (["update"], ["source", "--download-only", package]):
            done = subprocess.run(["apt-get", *options, "-q", *command], cwd=loading, capture_output=True, check=False)
            if done.returncode:
                raise NoData(f"apt-get cannot download the source of {package}")
        with tarfile.open(next(loading.glob("*.orig.tar.*"))) as archive:
            archive.extractall(loading / "source", filter="data")
        loading.rename(place)
    return next((place / "source").glob("*"))
