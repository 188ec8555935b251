"""What a view must hold up to: narrow and wide, light and dark, in one page, resized as windows are."""

from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Page, expect

from foldline.testing.browser import ColourScheme, accessibility_faults, keep_look

PHONE, DESKTOP = 380, 1200
HEIGHT = 820

Look = tuple[int, ColourScheme]


class Looks:
    """Checks views of a page in each of some looks (width, colours), and keeps what they look like."""

    def __init__(self, page: Page, looks: Sequence[Look], screenshots: Path, axe: Path) -> None:
        self._page = page
        self._looks = looks
        self._screenshots = screenshots
        self._axe = axe

    def check(self, view: str) -> None:
        """In each look it is accessible and fits; it ends as it began."""
        before = self._page.viewport_size
        for width, scheme in self._looks:
            self.take(width, scheme)
            keep_look(self._page, self._screenshots / f"{view}-{scheme}-{width}.png")
            faults = accessibility_faults(self._page, self._axe)
            assert faults == [], (view, width, scheme, faults)
            assert self._page.evaluate("document.documentElement.scrollWidth") <= width, (view, width)
        if before is not None:
            self._page.set_viewport_size(before)

    def take(self, width: int, scheme: ColourScheme) -> None:
        """Look so from here on."""
        self._page.set_viewport_size({"width": width, "height": HEIGHT})
        self._page.emulate_media(color_scheme=scheme)
        expect(self._page.locator("html")).to_have_attribute("data-bs-theme", scheme)
