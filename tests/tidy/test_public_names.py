"""What people import is pinned, documented and shipped."""

from __future__ import annotations

import ast
import zipfile
from collections.abc import Iterator

import pytest
from package_source import ROOT, modules, report

import recollect

PUBLIC = [
    "open",
    "move",
    "restore",
    "rescue",
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


def test_public_names_exist() -> None:
    missing = [name for name in PUBLIC if getattr(recollect, name, None) is None or name not in dir(recollect)]
    assert not missing, report(missing, "recollect does not offer what it promises")


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = recollect.no_such_name


def test_modules_have_a_docstring() -> None:
    silent = [
        module.name
        for module in modules()  # a package with nothing in it yet has nothing to say
        if len(module.tree.body) > module.name.endswith("/__init__.py") and not ast.get_docstring(module.tree)
    ]
    assert not silent, report(silent, "say in one sentence what the module is for")


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
    migrations = {path.relative_to(ROOT).as_posix() for path in (ROOT / "recollect").rglob("*.sql")}
    assert migrations
    assert migrations <= wheel
    assert any(name.endswith("licenses/LICENSE") for name in wheel)


def test_wheel_ships_every_module_and_nothing_else(wheel: set[str]) -> None:
    ours = {name for name in wheel if ".dist-info/" not in name}
    assert {module.name for module in modules()} <= ours
    assert all(name.startswith("recollect/") for name in ours), "only the package belongs in the wheel"
