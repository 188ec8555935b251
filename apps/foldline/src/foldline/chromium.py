"""Where Chromium is: `python -m foldline.chromium` prints its path."""

import os
import shutil
import sys
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
        raise Rejected(f"FOLDLINE_CHROMIUM_PATH: {given} is no program", kind="not_installed")
    for name in _NAMES:
        found = shutil.which(name)
        if found is not None:
            return Path(found)
    for folder in _playwright_folders():
        for pattern in _PLAYWRIGHT:
            for path in sorted(folder.glob(pattern), reverse=True):
                return path
    raise Rejected(
        "Chromium is not installed. Try: playwright install chromium, or: apt-get install chromium, "
        "or set FOLDLINE_CHROMIUM_PATH.",
        kind="not_installed",
    )


def _playwright_folders() -> list[Path]:
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if named:
        return [Path(named)]
    home = Path.home()
    return [home / ".cache/ms-playwright", home / "Library/Caches/ms-playwright"]


if __name__ == "__main__":
    try:
        given_path = os.environ.get("FOLDLINE_CHROMIUM_PATH")
        print(find_chromium(Path(given_path) if given_path else None))
    except Rejected as missing:
        sys.exit(missing.message)
