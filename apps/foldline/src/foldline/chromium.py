"""Where Chromium is."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from agent_contracts.errors import Rejected

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PLAYWRIGHT = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
)


def find_chromium(given: Path | None = None) -> Path:
    """The program: `given`, else on PATH, else Playwright's. `Rejected` with what to do if none."""
    if given is not None:
        if os.access(given, os.X_OK):
            return given
        raise Rejected(
            f"FOLDLINE_CHROMIUM_PATH: {given} is not a program that can be run", kind="not_installed"
        )
    for name in _NAMES:
        found = shutil.which(name)
        if found is not None:
            return Path(found)
    playwrights = of_playwright(_PLAYWRIGHT)
    if playwrights is not None:
        return playwrights
    raise Rejected(
        "Chromium is not installed. Try: playwright install chromium, or: apt-get install chromium, "
        "or set FOLDLINE_CHROMIUM_PATH.",
        kind="not_installed",
    )


def of_playwright(patterns: Sequence[str]) -> Path | None:
    """The newest of Playwright's programs at one of these paths below a folder of Playwright's."""
    for folder in _playwright_folders():
        for pattern in patterns:
            for path in sorted(folder.glob(pattern), reverse=True):
                return path
    return None


def _playwright_folders() -> list[Path]:
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if named:
        return [Path(named)]
    try:
        home = Path.home()
    except RuntimeError:  # a user without a home folder
        return []
    return [home / ".cache/ms-playwright", home / "Library/Caches/ms-playwright"]
