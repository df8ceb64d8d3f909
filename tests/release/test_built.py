"""The wheel and the sdist work outside the checkout. With the libraries of this environment: nothing is fetched."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling")
ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `scripts/try-release` leaves, once everything it tries has worked."""
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "try-release"), str(folder), "--offline"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "works with Python" in done.stdout
    return folder


def test_sums_are_those_of_the_files(published: Path) -> None:
    lines = (published / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    assert len(lines) == 2
    for line in lines:
        digest, _, name = line.partition("  ")
        assert hashlib.sha256((published / name).read_bytes()).hexdigest() == digest


def test_the_wheel_is_below_what_an_index_takes(published: Path) -> None:
    (wheel,) = published.glob("*.whl")
    assert wheel.stat().st_size < 100 * 2**20, "PyPI takes files of 100 MB"
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.partition("/")[0] for name in archive.namelist()}
    assert {top.partition("-")[0] for top in tops} == {"recollect"}


def test_the_sdist_has_what_its_tests_need_and_no_stores_of_anybody(published: Path) -> None:
    (sdist,) = published.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    tops = {name.partition("/")[0] for name in names if name}
    assert {"recollect", "tests", "scripts", "deploy", "bench", "docs", "examples", "training"} <= tops
    assert not [name for name in names if name.endswith((".db", ".vault", ".key", ".pyc", ".env"))]


def test_a_bill_of_materials_names_every_library_that_is_needed(tmp_path: Path) -> None:
    bill = tmp_path / "bill.json"
    subprocess.run([sys.executable, str(ROOT / "scripts" / "sbom"), sys.executable, str(bill)], check=True)
    told = json.loads(bill.read_text(encoding="utf-8"))
    assert (told["bomFormat"], told["specVersion"]) == ("CycloneDX", "1.5")
    assert told["metadata"]["component"]["name"] == "recollect"
    references = [each["bom-ref"] for each in told["components"]] + [told["metadata"]["component"]["bom-ref"]]
    assert len(set(references)) == len(references)
    needed = {each["ref"]: each["dependsOn"] for each in told["dependencies"]}
    ours = next(refs for ref, refs in needed.items() if ref.startswith("pkg:pypi/recollect@"))
    assert {"numpy", "orjson", "tantivy"} <= {ref.removeprefix("pkg:pypi/").partition("@")[0] for ref in ours}
    assert {ref for refs in needed.values() for ref in refs} <= set(references)
