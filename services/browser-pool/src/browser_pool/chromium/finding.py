"""Where Chromium is."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from agent_contracts.errors import Rejected

_SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PLAYWRIGHTS_SHELLS = (
    "chromium_headless_shell-*/chrome-headless-shell-*/chrome-headless-shell",
    "chromium_headless_shell-*/chrome-*/headless_shell",
)
_PLAYWRIGHTS_BROWSERS = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
)
_DEBIANS = Path("/usr/lib/chromium")
"""Debian's programs; those on PATH are scripts that start them, and would be between them and us."""


def find_chromium(given: Path | None = None) -> Path:
    """The program: `given`, else a headless shell, else Chromium, on PATH or Playwright's. `Rejected` with
    what to do if there is none."""
    if given is not None:
        if os.access(given, os.X_OK) and given.is_file():
            return _program(given)
        raise Rejected(
            f"FOLDLINE_CHROMIUM_PATH: {given} is not a program that can be run", kind="not_installed"
        )
    found = find_shell() or _on_path(_BROWSERS) or _of_playwright(_PLAYWRIGHTS_BROWSERS)
    if found is not None:
        return found
    raise Rejected(
        "Chromium is not installed. Try: apt-get install chromium-headless-shell (or chromium), or: "
        "playwright install --only-shell chromium, or set FOLDLINE_CHROMIUM_PATH.",
        kind="not_installed",
    )


def find_shell() -> Path | None:
    """Chromium's headless shell: the same engine without the browser around it. To open a page costs it a
    third of the time that the browser takes."""
    return _on_path(_SHELLS) or _of_playwright(_PLAYWRIGHTS_SHELLS)


def _on_path(names: Sequence[str]) -> Path | None:
    for name in names:
        found = shutil.which(name)
        if found is not None and not _is_snap(Path(found)):
            return _program(Path(found))
    return None


def _program(path: Path) -> Path:
    debians = _DEBIANS / path.name
    return debians if path.parent == Path("/usr/bin") and os.access(debians, os.X_OK) else path


def _is_snap(path: Path) -> bool:
    """Ubuntu's `chromium` is a snap, which starts by a program that gains privileges: not in a cage."""
    with path.open("rb") as file:
        return path.resolve().name == "snap" or b"/snap/bin/" in file.read(4096)


def _of_playwright(patterns: Sequence[str]) -> Path | None:
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
