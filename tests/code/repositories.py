"""A git repository made for a test."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


class Repository:
    """A repository in which every commit is a day after the one before."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.day = 0
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        who = {f"GIT_{role}_{what}": "t" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        when = {f"GIT_{role}_DATE": f"{1_700_000_000 + self.day * 86_400} +0000" for role in ("AUTHOR", "COMMITTER")}
        config = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        ran = subprocess.run(
            ["git", *words],
            cwd=self.root,
            env=os.environ | who | when | config,
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout.strip()

    def commit(self, **files: str | None) -> str:
        """Files by name, a dot written as two underscores; None removes one."""
        self.day += 1
        for name, text in files.items():
            path = self.root / name.replace("__", ".")
            if text is None:
                path.unlink()
            else:
                path.write_text(text, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")
        return self.git("rev-parse", "HEAD")
