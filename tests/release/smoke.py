"""What people do first with an installed Recollect, done by a program: `python -I smoke.py README.md`, somewhere empty.

It imports nothing of the tests, so that it runs where only the package is.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path.cwd()
PROGRAM = Path(sys.executable).with_name("recollect")
STORE = HERE / "smoke.db"


def installed() -> str:
    """The package is the one of this environment, and has what it ships."""
    import recollect

    place = Path(recollect.__file__).resolve()
    assert Path(sys.prefix).resolve() in place.parents, f"{place} is not of this environment"
    assert (place.parent / "py.typed").exists()
    assert list(place.parent.glob("store/sqlite/migrations/*.sql"))
    return recollect.__version__


def first_example(readme: Path) -> None:
    """The first Python block of the README prints what it says, with the encoder that ships."""
    match = re.search(r"^```python\n(.*?)^```$", readme.read_text(encoding="utf-8"), re.M | re.S)
    assert match is not None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(match[1], "README.md", "exec"), {})
    wanted = re.findall(r"^#> (.*)$", match[1], re.M)
    assert printed.getvalue().splitlines() == wanted, printed.getvalue()


def command(*words: str, text: str | None = None) -> str:
    """What a command of the shell prints."""
    done = subprocess.run(
        [str(PROGRAM), *words], capture_output=True, text=True, input=text or "", timeout=180, check=False
    )
    assert done.returncode == 0, f"recollect {' '.join(words)}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def main(readme: Path) -> None:
    version = installed()
    assert command("--version").strip() == f"recollect {version}"
    first_example(readme)
    db = ("--db", str(STORE))
    command(*db, "add", "Ana moved from vim to Helix", "-u", "ana")
    assert "Helix" in command(*db, "search", "which", "editor", "does", "Ana", "use", "-u", "ana")
    assert "launch" in command("demo").lower()
    findings = json.loads(command(*db, "doctor", "-o", "json"))["findings"]
    assert all(finding["ok"] for finding in findings), findings
    command(*db, "support", "bundle.zip")
    with zipfile.ZipFile(HERE / "bundle.zip") as bundle:
        assert json.loads(bundle.read("about.json"))["recollect"] == version
    command(*db, "export", "out.jsonl", "--plain")
    command("--db", str(HERE / "other.db"), "import", "out.jsonl")
    print(f"recollect {version} works with Python {sys.version.split()[0]} in {sys.prefix}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
