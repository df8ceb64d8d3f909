"""The page as it is served: whole, sealed off, and without a way for a text to become markup."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from interfaces.rest_server import bearer, client, token
from starlette.testclient import TestClient

from recollect.interfaces.rest import page_files
from recollect.interfaces.rest.sessions import COOKIE

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "recollect" / "interfaces" / "page"
OURS = sorted(path for path in PAGE.rglob("*.js"))
LINES_MAX, FUNCTION_LINES_MAX = 600, 60
_MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySet|\beval\(|new Function|srcdoc|"
    r"createContextualFragment"
)
_ADDRESS = re.compile(r"https?://[^\s\"'`)]+")


@pytest.mark.parametrize("path", OURS, ids=lambda path: str(path.relative_to(PAGE)))
def test_no_module_makes_markup_of_text_or_names_another_site(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not _MARKUP.findall(text)
    assert not [each for each in _ADDRESS.findall(text) if "127.0.0.1" not in each and "www.w3.org" not in each]


def test_modules_keep_to_the_sizes_of_the_house() -> None:
    for path in OURS:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= LINES_MAX, path
        if "words" in path.parts:
            continue
        began = None
        for at, line in enumerate(lines):
            if re.match(r"(export )?(async )?function |(export )?const \w+ = .*(=>|html`)", line):
                began = at
            if line in ("}", "};", "`;") or (line.endswith(("`;", ";")) and not line.startswith(" ")):
                assert began is None or at - began <= FUNCTION_LINES_MAX + 2, f"{path.name}:{began}"
                began = None


def test_catalogues_have_the_same_keys() -> None:
    """Words of the store may be left to English; everything the page says itself is in every language."""
    code = "import {EN} from './words/en.js'; import {DE} from './words/de.js';console.log(JSON.stringify([EN, DE]))"
    try:
        done = subprocess.run(
            ["node", "--input-type=module", "-e", code], cwd=PAGE, capture_output=True, text=True, check=True
        )
    except FileNotFoundError:
        pytest.skip("no node to read the catalogues with; the browser tests look at both languages too")
    english, german = json.loads(done.stdout)
    assert set(english) - set(german) == set()
    places = re.compile(r"\{\w+\}")
    assert [key for key in english if set(places.findall(english[key])) != set(places.findall(german[key]))] == []


def test_every_key_that_a_module_says_is_in_the_catalogue() -> None:
    english = "".join(path.read_text(encoding="utf-8") for path in sorted((PAGE / "words").glob("en*.js")))
    known = set(re.findall(r'^  "?([\w.]+)"?:', english, re.MULTILINE))
    said = {key for path in OURS for key in re.findall(r"\bsay\(\"([\w.]+)\"", path.read_text(encoding="utf-8"))}
    assert said - known == set()


def test_what_others_wrote_is_listed_with_its_licence() -> None:
    told = (PAGE / "vendor" / "README.md").read_text(encoding="utf-8")
    for path in (PAGE / "vendor").iterdir():
        assert path.name in told or path.name == "README.md", path.name
    for licence in re.findall(r"`(LICENSE\.\w+)`", told):
        assert (PAGE / "vendor" / licence).read_text(encoding="utf-8").strip()


def test_the_wheel_and_the_source_have_the_page() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert "recollect" in build["wheel"]["packages"]
    assert any(each.strip("/") == "recollect" for each in build["sdist"]["include"])
    ignored = subprocess.run(
        ["git", "check-ignore", *map(str, PAGE.rglob("*"))], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ignored.stdout == "", "hatch leaves out what git ignores"


def test_the_first_page_is_sealed_off(tmp_path: Path) -> None:
    with client(tmp_path / "m.db") as rest:
        page = rest.get("/")
        policy = page.headers["content-security-policy"]
        for rule in (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
        ):
            assert rule in policy
        assert "unsafe" not in policy
        assert not re.search(r"<script(?![^>]+src=)|<style|\son\w+=|style=|javascript:", page.text)
        wanted = re.findall(r'(?:href|src)="(/page/[^"]+)"', page.text)
        assert len(wanted) > 5
        for address in wanted:
            found = rest.get(address)
            assert found.status_code == 200, address
            assert "immutable" in found.headers["cache-control"]
        again = rest.get("/", headers={"if-none-match": page.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_an_older_print_gets_the_file_of_today_and_is_not_kept(tmp_path: Path) -> None:
    with client(tmp_path / "m.db") as rest:
        found = rest.get("/page/0000000000000000/app.js")
        assert found.headers["content-type"] == "text/javascript; charset=utf-8"
        assert found.headers["cache-control"] == "no-cache"
        for outside in ("../rest/app.py", "..%2frest%2fapp.py", "nothing.js", "vendor"):
            assert rest.get(f"/page/x/{outside}").status_code == 404
    assert page_files.print_of_all() == page_files.print_of_all()


@pytest.fixture
def open_rest(tmp_path: Path):  # type: ignore[no-untyped-def]
    with client(tmp_path / "m.db", loopback=False) as found:
        yield found


def _sign_in(rest: TestClient, text: str) -> dict[str, object]:
    answer = rest.post("/v1/session", json={"token": text})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_a_browser_signs_in_and_its_changes_carry_a_proof(open_rest: TestClient) -> None:
    memory = open_rest.memory  # type: ignore[attr-defined]
    assert open_rest.get("/").status_code == 200, "the page itself is no secret"
    assert open_rest.get("/v1/session").json()["signed_in"] is False
    assert open_rest.get("/v1/stats").status_code == 401
    text = token(memory, "read", "write", user_id="ana")
    answer = open_rest.post("/v1/session", json={"token": text})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    told = answer.json()
    assert (told["rights"], told["whole"], told["scope"]) == (["read", "write"], False, {"user_id": "ana"})
    assert text not in answer.text
    assert open_rest.get("/v1/stats").status_code == 200
    refused = open_rest.post("/v1/memories", json={"content": "x"})
    assert (refused.status_code, refused.json()["code"]) == (403, "E4001")
    wrong = open_rest.post("/v1/memories", json={"content": "x"}, headers={"x-recollect-csrf": "0" * 64})
    assert wrong.status_code == 403
    proof = {"x-recollect-csrf": str(told["csrf"])}
    assert open_rest.post("/v1/memories", json={"content": "x"}, headers=proof).status_code == 201
    assert open_rest.delete("/v1/session").status_code == 200
    assert open_rest.get("/v1/stats").status_code == 401


@pytest.mark.parametrize(
    "given", [{}, {"token": ""}, {"token": 7}, {"token": "x" * 500}, {"token": "rcl_x", "more": 1}]
)
def test_a_sign_in_that_makes_no_sense(open_rest: TestClient, given: dict[str, object]) -> None:
    answer = open_rest.post("/v1/session", json=given)
    assert answer.status_code == 422
    assert "set-cookie" not in answer.headers


def test_a_wrong_or_revoked_token_signs_nobody_in(open_rest: TestClient) -> None:
    from recollect.interfaces.issuing import revoke

    memory = open_rest.memory  # type: ignore[attr-defined]
    assert open_rest.post("/v1/session", json={"token": "rcl_000000000000_" + "A" * 43}).status_code == 401
    text = token(memory, "read", name="browser")
    _sign_in(open_rest, text)
    revoke(memory, "browser")
    open_rest.cookies.set(COOKIE, text)
    import time

    time.sleep(1.1)  # a token that was checked is trusted for a second
    assert open_rest.get("/v1/stats").status_code == 401
    assert open_rest.get("/v1/session").json()["signed_in"] is False
    assert open_rest.get("/").status_code == 200


def test_a_header_goes_before_a_cookie(open_rest: TestClient) -> None:
    memory = open_rest.memory  # type: ignore[attr-defined]
    _sign_in(open_rest, token(memory, "read", user_id="ana"))
    other = bearer(token(memory, "read", "write", user_id="ben"))
    assert open_rest.post("/v1/memories", json={"content": "x"}, headers=other).json()["results"]
    assert memory.get_all(user_id="ben").records
