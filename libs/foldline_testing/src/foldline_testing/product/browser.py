"""Chromium for the browser tests: found on this machine, started fresh, its pages watched for errors.

`python -m foldline_testing.product.browser` ends with 0 where there is one, and with `--shell` if it is
the headless shell.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, ConsoleMessage, Frame, Page, Request, sync_playwright

from agent_contracts.errors import Rejected
from browser_pool.chromium.finding import find_chromium, find_shell

_FLAGS = (
    "--no-sandbox",  # it refuses to run as root with it
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # The shell has no site isolation of its own: without it a page's endless loop stops the UI around it too.
    "--enable-features=IsolateSandboxedIframes",
    "--site-per-process",
)
_PATIENCE_MS = 60_000

ColourScheme = Literal["light", "dark"]


def find_browser() -> Path:
    """What FOLDLINE_CHROMIUM_PATH names, else the headless shell, else Chromium. `Rejected` if none."""
    given = os.environ.get("FOLDLINE_CHROMIUM_PATH")
    return find_chromium(Path(given) if given else None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser with an empty profile."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), headless=True, args=list(_FLAGS), timeout=60_000
        )
        try:
            yield browser
        finally:
            browser.close()


class WatchedPage:
    """A page in a browser profile of its own. `complaints` collects what its console calls an error, what its
    scripts throw, and what it asks of another address than `home`.
    """

    def __init__(
        self, browser: Browser, home: str, *, width: int = 1200, scheme: ColourScheme = "light"
    ) -> None:
        self.home = home
        self.complaints: list[str] = []
        self._context = browser.new_context(
            viewport={"width": width, "height": 820}, color_scheme=scheme, reduced_motion="reduce"
        )
        self._context.set_default_timeout(_PATIENCE_MS)
        self.page = self.another()

    def another(self) -> Page:
        """One more page of the same profile: signed in where this one is."""
        page = self._context.new_page()
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"thrown: {error}"))
        page.on("request", self._request)
        return page

    def forgive(self, words: str) -> None:
        """Forget complaints that hold these words: the test made their cause."""
        self.complaints = [complaint for complaint in self.complaints if words not in complaint]

    def close(self) -> None:
        """Close the profile with all its pages."""
        self._context.close()

    def _console(self, message: ConsoleMessage) -> None:
        asked = str(message.location.get("url", ""))
        if message.type == "error" and not asked.endswith("/readyz"):  # a slow machine isn't ready at times
            self.complaints.append(message.text)

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.home, "data:", "blob:", "about:")):
            self.complaints.append(f"asked of another address: {request.url}")


def keep_look(page: Page, path: Path) -> None:
    """Keep what the page looks like, where SCREENSHOTS is set: to paint it takes a tenth of a second."""
    if os.environ.get("SCREENSHOTS"):
        page.screenshot(path=path)


def accessibility_faults(page: Page | Frame, axe: Path) -> list[str]:
    """The rules of axe-core that the page breaks as it is now; `axe` is its `axe.min.js`."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = page.evaluate(
        "async () => (await axe.run({ resultTypes: ['violations'], preload: false })).violations"
    )
    return [f"{rule['id']}: {node['html']}" for rule in found for node in rule["nodes"]]


if __name__ == "__main__":
    if "--shell" in sys.argv:
        sys.exit(find_shell() is None)
    try:
        print(find_browser())
    except Rejected as missing:
        sys.exit(missing.message)
