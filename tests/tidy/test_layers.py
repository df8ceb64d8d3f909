"""Imports go downward, and each foreign library stays behind its seam."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Container

from package_source import ROOT, modules, report

# Where a library may be imported; everywhere else it is reached through ours.
SEAMS = {
    "apsw": ("recollect/store/sqlite/", "recollect/store/foreign.py", "recollect/store/vector_table.py"),
    "sqlite_vec": ("recollect/store/vector_table.py",),
    "faiss": ("recollect/index/vector/faiss_lists.py",),
    "qdrant_client": ("recollect/index/vector/qdrant.py",),
    "psycopg": ("recollect/store/postgres/",),
    "psycopg_pool": ("recollect/store/postgres/",),
    "tantivy": ("recollect/index/text/",),
    "usearch": ("recollect/index/vector/",),
    "Stemmer": ("recollect/language/terms.py",),
    "tokenizers": ("recollect/providers/embedders/",),
    "splintr": ("recollect/providers/tokens.py",),
    "genai_prices": ("recollect/providers/capabilities.py",),
    "wordllama": ("recollect/providers/embedders/",),
    "onnxruntime": ("recollect/providers/embedders/",),
    "httpx": ("recollect/providers/",),
    "tree_sitter": (
        "recollect/structure/definitions.py",
        "recollect/structure/languages.py",
        "recollect/code/extract/",
    ),
    "pypdf": ("recollect/structure/pdf.py",),
    "cryptography": ("recollect/exchange/sealed.py", "recollect/security/"),
    "keyring": ("recollect/security/keeping.py",),
    "phonenumbers": ("recollect/security/screening/contacts.py",),
    "stdnum": ("recollect/security/screening/numbers.py",),
    "pathspec": ("recollect/structure/walk.py",),
    "tomlkit": ("recollect/config/toml_file.py",),
    "sentence_transformers": ("recollect/providers/",),
    "fastembed": ("recollect/providers/embedders/",),
    "RestrictedPython": ("recollect/interfaces/repl/",),
    "typer": ("recollect/interfaces/cli/",),
    "starlette": ("recollect/interfaces/",),
    "opentelemetry": ("recollect/telemetry.py",),
    "prometheus_client": ("recollect/interfaces/rest/metrics.py",),
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
    "watchfiles": ("recollect/code/watching.py",),
    "mem0": (),
}
# Nobody asks what time it is but the clock, and the pure parts do no input or output.
PURE = ("recollect/model/", "recollect/language/", "recollect/perceive/", "recollect/security/screening/")
IMPURE_MODULES = {"apsw", "sqlite3", "socket", "subprocess", "shutil", "httpx", "tempfile", "logging"}


def imported(tree: ast.Module) -> set[str]:
    """Top-level names of everything a module imports, at the top or inside functions."""
    names: set[str] = set()
    for node in ast.walk(tree):
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


def test_foreign_libraries_stay_behind_their_seams() -> None:
    astray = [
        f"{module.name}: {library} belongs behind {' or '.join(SEAMS[library]) or 'nothing of ours'}"
        for module in modules()
        for library in sorted(imported(module.tree) & SEAMS.keys())
        if not module.name.startswith(SEAMS[library])
    ]
    assert not astray, report(astray, "reach a foreign library through the part that wraps it")


def test_values_and_text_analysis_do_no_input_or_output() -> None:
    impure = [
        f"{module.name}: {library}"
        for module in modules()
        if module.name.startswith(PURE)
        for library in sorted(imported(module.tree) & IMPURE_MODULES)
    ]
    assert not impure, report(impure, "move the input or output out of the pure parts")


def loaded_with(tree: ast.Module, known: Container[str]) -> set[str]:
    """Those of the known modules that importing a module imports: not inside functions, nor for types alone."""
    found: set[str] = set()
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").startswith("recollect"):
            named = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in known else str(node.module) for name in named}
        elif isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.unparse(node.test):
            pending += [*node.body, *node.orelse]
    return found


def test_no_module_is_needed_to_load_itself() -> None:
    """A circle shows only where a program happens to import its members in the wrong order."""
    names = {each.name.removesuffix(".py").replace("/", ".").removesuffix(".__init__"): each for each in modules()}
    below = {name: loaded_with(each.tree, names) & names.keys() for name, each in names.items()}
    done: set[str] = set()
    circles: list[str] = []

    def visit(name: str, path: list[str]) -> None:
        if name in path:
            circles.append(" -> ".join([*path[path.index(name) :], name]))
        elif name not in done:
            for other in sorted(below[name] - {name}):
                visit(other, [*path, name])
            done.add(name)

    for name in sorted(names):
        visit(name, [])
    assert not circles, report(circles, "move what both need below both")
