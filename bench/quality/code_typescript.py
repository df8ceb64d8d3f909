"""Imports and calls of TypeScript packages as the code graph has them, held against the TypeScript compiler.

    python -m bench.quality --set code_typescript

A place counts where the compiler names a definition inside of the package that can be a symbol: a function, class,
method, interface or its member, or a function that a name or a property is bound to. There an exact or inferred edge
that leads elsewhere is wrong, and without such an edge the place is missed. Where it names something outside, or a
parameter, variable or field that only has the type of a function, every such edge of ours is wrong. Where it says
nothing at all (the type is `any`), nothing is counted. Test files of a package are left out.

The baseline joins a call to the one symbol of that name. It is there to show what guessing comes to.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bench.quality.code_calls import FOLDER, Tally, Target
from bench.quality.figures import Figure, share
from bench.quality.sets import NoData
from recollect.code.facts import FileFacts, Sort
from recollect.code.families import extractor_of, language_of
from recollect.code.packing import nodes_of
from recollect.code.project import content_of, listed
from recollect.code.resolve.links import EdgeResolver
from recollect.code.resolve.typescript.rules import TypeScript
from recollect.code.world import SymbolIndex

ORACLE = Path(__file__).parent / "oracles" / "typescript_calls.cjs"
COMPILER = "typescript@5.9.3"


class NpmPackage(NamedTuple):
    """A package of npm that carries its sources, and where they are."""

    name: str
    version: str
    source: str = ""


PACKAGES = (
    NpmPackage("rxjs", "7.8.2", "src"),
    NpmPackage("zod", "4.6.7", "src"),
    NpmPackage("viem", "2.56.0"),
    NpmPackage("effect", "4.1.0", "src"),  # read by nobody while the rules were made
)
_BUILT = frozenset({"dist", "_cjs", "_esm", "_types"})
_FUNCTIONS = {"ArrowFunction", "FunctionExpression"}
_BOUND = {"VariableDeclaration", "PropertyDeclaration", "PropertyAssignment"}
_SYMBOLS = {
    "FunctionDeclaration",
    "MethodDeclaration",
    "MethodSignature",
    "ClassDeclaration",
    "ClassExpression",
    "Constructor",
    "CallSignature",
    "ConstructSignature",
    "InterfaceDeclaration",
}


def measure(baselines: bool) -> list[Figure]:
    figures: list[Figure] = []
    for package in PACKAGES:
        root = fetched(package) / package.source
        figures += compared(package.name, root, told(root), baselines=baselines)
    return figures


def fetched(package: NpmPackage) -> Path:
    """A package with what it depends on, beside the compiler; downloaded once."""
    place = FOLDER / f"npm-{package.name}-{package.version}"
    if not (place / "package").is_dir():
        if shutil.which("npm") is None:
            raise NoData("npm is not installed; the TypeScript compiler comes from it")
        place.mkdir(parents=True, exist_ok=True)
        _install(place, f"{package.name}@{package.version}")
        (place / "node_modules" / package.name).rename(place / "package")  # out of the folder that nobody reads
    if not _compiler().is_dir():
        _compiler().parent.parent.mkdir(parents=True, exist_ok=True)
        _install(_compiler().parent.parent, COMPILER)
    return place / "package"


def _compiler() -> Path:
    return FOLDER / "npm-compiler" / "node_modules" / "typescript"


def _install(place: Path, wanted: str) -> None:
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    done = subprocess.run(["npm", "install", *quiet, "--prefix", str(place), wanted], capture_output=True, check=False)
    if done.returncode:
        raise NoData(f"npm cannot install {wanted}")


def told(source: Path) -> list[dict[str, Any]]:
    """What the compiler says, a row for each call and import."""
    command = ["node", "--max-old-space-size=6000", str(ORACLE), str(_compiler()), str(source)]
    done = subprocess.run(command, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Sources:
    """The facts of all files below a folder, in memory."""

    def __init__(self, root: Path) -> None:
        self.all: dict[str, FileFacts] = {}
        self.texts: dict[str, list[bytes]] = {}
        self._symbols = SymbolIndex()
        for path in sorted(path for path in listed(root).files if not _BUILT.intersection(path.split("/"))):
            content, language = content_of(root, path), language_of(path)
            if content is not None and not content.refused and language is not None:
                self.all[path] = extractor_of(language).extract(content.data)
                self.texts[path] = content.data.splitlines()
                self._symbols.add(path, nodes_of(self.all[path]))

    def facts(self, path: str) -> FileFacts | None:
        return self.all.get(path)

    def defining(self, symbol: str) -> Collection[str]:
        return self._symbols.defining.get(symbol, ())

    def held(self, symbol: str) -> Collection[tuple[str, str]]:
        return self._symbols.held.get(symbol, ())

    def promising(self, name: str) -> Collection[tuple[str, str]]:
        return self._symbols.promising.get(name, ())

    def symbol_at(self, path: str, line: int, name: str, *, promised: bool = False, starts: bool = False) -> str | None:
        """The innermost symbol of a name that a line is in; without a name the innermost there is."""
        facts, best, found = self.all.get(path), 1 << 30, None
        for at, scope in enumerate(facts.scopes if facts is not None else ()):
            if at == 0 or scope.sort in (Sort.BLOCK, Sort.OBJECT) or not scope.line <= line <= scope.end:
                continue
            if starts and scope.line != line:
                continue
            if promised and not (scope.line == line and "signature" in scope.traits):
                continue
            if (not name or scope.name == name) and scope.end - scope.line <= best:
                assert facts is not None
                best, found = scope.end - scope.line, facts.path_of(at)
        return found

    def column(self, path: str, line: int, column: int) -> int:
        """A column in UTF-16 units, as the compiler counts."""
        text = self.texts[path][line - 1][:column].decode("utf-8", "replace")
        return len(text.encode("utf-16-le")) // 2


def compared(name: str, root: Path, rows: list[dict[str, Any]], *, baselines: bool) -> Iterator[Figure]:
    files = Sources(root)
    resolver = EdgeResolver(TypeScript(files, files.all))
    yield from _imports(name, files, resolver, [row for row in rows if "import" in row])
    symbols: dict[str, set[Target]] = {}
    for path, facts in files.all.items():
        for node in nodes_of(facts)[1:]:
            symbols.setdefault(node.symbol.rpartition(".")[2], set()).add((path, node.symbol))
    own, named, places = Tally(), Tally(), 0
    for row, ours, theirs in calls_compared(files, resolver, rows):
        places += 1
        own.count(ours, theirs)
        alone = symbols.get(row["name"], set())
        named.count(alone if len(alone) == 1 else set(), theirs)
    of = f"{own.right + own.missed} of {places} places lead to a symbol of the package"
    beside = named if baselines else Tally()
    for side, value, baseline in (
        ("precision", own.precision, beside.precision),
        ("recall", own.recall, beside.recall),
    ):
        yield Figure(name=f"calls, {side}, {name}", value=value, baseline=baseline, note=of)


def calls_compared(
    files: Sources, resolver: EdgeResolver, rows: list[dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], set[Target], set[Target]]]:
    """Each place that counts: what the compiler says of it, our sure targets, and the compiler's as we name them."""
    calls = {}
    for path, facts in files.all.items():
        for call in facts.calls:
            again = facts.exprs[call.callee][0] == "c"  # `f()()` is called twice at one place
            calls[path, call.line, files.column(path, call.line, call.column), again] = (facts, call)
    for row in rows:
        if "call" not in row or _is_test(row["call"][0]) or not (row["targets"] or "outside" in row):
            continue
        found = calls.get((*row["call"], row["again"]))
        edges = list(resolver.call(row["call"][0], *found)) if found is not None else []
        ours = {(edge.path, edge.target) for edge in edges if edge.resolved in ("exact", "inferred")}
        yield row, ours, set(_targets(files, row["targets"]))


def _targets(files: Sources, targets: list[list[Any]]) -> Iterator[Target]:
    """The compiler's declarations that can be symbols, as the graph names them."""
    for path, line, name, sort in targets:
        if sort in _FUNCTIONS or sort in _BOUND:  # a symbol where a name is bound to it
            symbol = files.symbol_at(path, line, name, starts=True)
            if symbol is not None:
                yield path, symbol
        elif sort in _SYMBOLS:
            nameless = sort in ("Constructor", "CallSignature", "ConstructSignature", "ClassExpression")
            symbol = files.symbol_at(path, line, "" if nameless or name.startswith("[") else name.strip("'\""))
            yield path, symbol if symbol is not None else f"?{name}"
            if sort == "Constructor" and symbol is not None:
                yield path, symbol.rpartition(".")[0]
        elif sort in ("PropertySignature", "FunctionType"):  # one with the type of a function is a method to us
            symbol = files.symbol_at(path, line, name, promised=True)
            if symbol is not None:
                yield path, symbol


def _imports(name: str, files: Sources, resolver: EdgeResolver, rows: list[dict[str, Any]]) -> Iterator[Figure]:
    """Which file each import of the compiler's means; imports of other packages lead nowhere."""
    ours: dict[tuple[str, int], set[str]] = {}
    theirs: dict[tuple[str, int], set[str]] = {}
    for path in files.all:
        for edge in resolver.of(path)[0]:
            if edge.kind == "imports" and edge.path:
                ours.setdefault((path, edge.line), set()).add(edge.path)
    for row in rows:
        theirs.setdefault((row["import"][0], row["import"][1]), set()).update(filter(None, [row["target"]]))
    said = {(*place, target) for place, targets in ours.items() if place in theirs for target in targets}
    told = {(*place, target) for place, targets in theirs.items() for target in targets}
    of = f"{len(told)} imports of the compiler's"
    yield Figure(name=f"imports, precision, {name}", value=share(len(said & told), len(said)), note=of)
    yield Figure(name=f"imports, recall, {name}", value=share(len(said & told), len(told)), note=of)


def _is_test(path: str) -> bool:
    return "/tests/" in f"/{path}" or path.endswith((".test.ts", ".spec.ts", ".bench.ts"))
