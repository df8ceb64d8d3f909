"""Imports go downward, and each foreign library stays behind its seam."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "recollect").rglob("*.py"))

# Where a library may be imported; everywhere else it is reached through ours.
SEAMS = {
    "apsw": ("recollect/store/sqlite/", "recollect/store/migrate.py"),
    "tantivy": ("recollect/index/text/",),
    "usearch": ("recollect/index/vector/",),
    "Stemmer": ("recollect/model/terms.py",),
    "tokenizers": ("recollect/providers/embedders/",),
    "splintr": ("recollect/providers/tokens_encodings.py",),
    "genai_prices": ("recollect/providers/capabilities.py",),
    "wordllama": ("recollect/providers/embedders/",),
    "httpx": ("recollect/providers/",),
    "tree_sitter": ("recollect/structure/definitions.py", "recollect/structure/languages.py"),
    "pypdf": ("recollect/structure/pdf.py",),
    "cryptography": ("recollect/exchange/sealed.py",),
    "pathspec": ("recollect/structure/walk.py",),
    "sentence_transformers": ("recollect/providers/",),
    "fastembed": ("recollect/providers/embedders/",),
    "RestrictedPython": ("recollect/interfaces/repl/",),
    "typer": ("recollect/interfaces/cli/",),
    "fastapi": ("recollect/interfaces/rest/",),
    "starlette": ("recollect/interfaces/",),
    "uvicorn": ("recollect/interfaces/",),
    "rich": ("recollect/interfaces/",),
    "mcp": ("recollect/interfaces/mcp/",),
    "mcp_types": ("recollect/interfaces/mcp/",),
    "anyio": ("recollect/interfaces/mcp/",),
    "langgraph": ("recollect/compat/langgraph/",),
    "langchain_core": ("recollect/compat/langgraph/",),
    "agents": ("recollect/compat/openai_agents/",),
    "openai": ("recollect/compat/client/",),
    "anthropic": ("recollect/compat/client/",),
    "mem0": (),
}
# Nobody asks what time it is but the clock, and the pure parts do no input or output.
PURE = ("recollect/model/", "recollect/language/", "recollect/perceive/")
IMPURE_MODULES = {"apsw", "sqlite3", "socket", "subprocess", "shutil", "httpx", "tempfile", "logging"}


def imported(path: Path) -> set[str]:
    """Top-level names of everything a module imports, at the top or inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
    return names


def test_imports_go_downward() -> None:
    """The contract is in pyproject.toml; `lint-imports` alone shows it in colour."""
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_seams(path: Path) -> None:
    where = path.relative_to(ROOT).as_posix()
    for library in imported(path) & SEAMS.keys():
        assert where.startswith(SEAMS[library]), f"{library} belongs behind {' or '.join(SEAMS[library])}"
    if where.startswith(PURE):
        assert not imported(path) & IMPURE_MODULES, "values and text analysis do no input or output"
