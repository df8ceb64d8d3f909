"""A real browser for tests: Debian's Chromium through Playwright, on a server of its own.

Where Chromium is missing these tests are skipped, and say how to install it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
MISSING = "no Chromium: apt-get install -y chromium (or set CHROMIUM to its path); the rest of the tests runs without"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
SIZES = {"desktop": DESKTOP, "phone": PHONE}
_AXE_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


@contextmanager
def chromium() -> Iterator[Any]:
    """A running browser; skips the test where there is none."""
    if CHROMIUM is None:
        pytest.skip(MISSING)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield found
        finally:
            found.close()


class Visitor:
    """One person at the page: what they see and press, and what the console said meanwhile."""

    def __init__(self, browser: Any, address: str, size: dict[str, int], **more: Any) -> None:
        settings = {"locale": "en-GB", "reduced_motion": "reduce", "color_scheme": "light", **more}
        self.context = browser.new_context(viewport=size, **settings)
        self.context.set_default_timeout(8_000)
        self.page = self.context.new_page()
        self.address = address
        self.said: list[str] = []
        self.foreign: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.page.on("request", self._asked)
        self.page.on("dialog", self._dialog)

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.said.append(f"{message.type}: {message.text}")

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.foreign.append(request.url)

    def _dialog(self, dialog: Any) -> None:
        self.said.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def go(self, where: str = "/today") -> Any:
        """Open a view and wait until it has drawn what it asked for."""
        self.page.goto(f"{self.address}/#{where}")
        return self.settled()

    def settled(self) -> Any:
        self.page.locator("h1").first.wait_for(state="attached")
        self.page.wait_for_function("() => !document.querySelector('.busy, .boot')")
        return self.page

    def toast(self, text: str) -> Any:
        found = self.page.locator(".toast", has_text=text).last
        found.wait_for()
        return found

    def faults(self) -> list[str]:
        """What axe finds wrong with what is shown now."""
        self.page.evaluate(_axe())
        found = self.page.evaluate("rules => axe.run(document, rules)", _AXE_RULES)
        return [
            f"{each['id']}: {each['help']}: {node['html'][:200]}"
            for each in found["violations"]
            for node in each["nodes"]
        ]

    def quiet(self) -> None:
        """Nothing was said to the console, nothing was fetched from elsewhere."""
        assert not self.said, self.said
        assert not self.foreign, self.foreign

    def close(self) -> None:
        self.context.close()


def _axe() -> str:
    import axe_playwright_python

    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
