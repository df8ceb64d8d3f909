"""A small project of code, as the examples of verbs about code name it."""

from __future__ import annotations

import subprocess
from pathlib import Path

FILES = {
    "src/atlas/__init__.py": "",
    "src/atlas/auth.py": """
class Session:
    def refresh(self) -> "Session":
        return self


def login(name: str) -> Session:
    return Session().refresh()
""",
    "src/atlas/cli.py": """
from atlas.auth import Session, login


class Quiet(Session):
    pass


def main() -> None:
    login("ana").refresh()
""",
}


def project(folder: Path) -> Path:
    """The project in a folder of its own, with two commits on its branch `main`."""
    root = folder / "atlas"
    for path, text in FILES.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    with open(root / "src/atlas/auth.py", "a", encoding="utf-8") as file:
        file.write("\n\ndef logout() -> None: ...\n")
    git(root, "commit", "-qam", "second")
    return root


def git(root: Path, *words: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)
