"""What people import is pinned, documented and shipped."""

from __future__ import annotations

import ast
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "recollect"
SOURCES = sorted(PACKAGE.rglob("*.py"))

PUBLIC = [
    "open",
    "Memory",
    "AsyncMemory",
    "Record",
    "Kind",
    "Tier",
    "Edge",
    "Scope",
    "Hit",
    "Recollection",
    "Receipt",
    "Page",
    "Config",
    "load_config",
    "RecollectError",
    "errors",
    "__version__",
]


def test_public_names_are_pinned() -> None:
    """Adding one is a decision; taking one away breaks somebody."""
    assert recollect.__all__ == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_exist(name: str) -> None:
    assert getattr(recollect, name) is not None
    assert name in dir(recollect)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = recollect.no_such_name


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_modules_have_a_docstring(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if len(tree.body) > (path.name == "__init__.py"):  # a package with nothing in it yet has nothing to say
        assert ast.get_docstring(tree), "say in one sentence what the module is for"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[set[str]]:
    """Names of the files in a wheel built from this tree."""
    builders = pytest.importorskip("hatchling.builders.wheel")
    folder = tmp_path_factory.mktemp("wheel")
    built = next(iter(builders.WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])))
    with zipfile.ZipFile(built) as archive:
        yield set(archive.namelist())


def test_wheel_ships_types_migrations_and_licence(wheel: set[str]) -> None:
    assert "recollect/py.typed" in wheel
    migrations = {path.relative_to(ROOT).as_posix() for path in PACKAGE.rglob("*.sql")}
    assert migrations
    assert migrations <= wheel
    assert any(name.endswith("licenses/LICENSE") for name in wheel)


def test_wheel_ships_every_module_and_nothing_else(wheel: set[str]) -> None:
    ours = {name for name in wheel if ".dist-info/" not in name}
    assert {path.relative_to(ROOT).as_posix() for path in SOURCES} <= ours
    assert all(name.startswith("recollect/") for name in ours), "only the package belongs in the wheel"
