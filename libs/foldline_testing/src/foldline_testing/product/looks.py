"""What a view must hold up to: narrow and wide, light and dark, in one page, resized as windows are."""

import os
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Page, expect

from foldline_testing.product.browser import ColourScheme, accessibility_faults, keep_look

PHONE, DESKTOP = 380, 1200
HEIGHT = 820

Look = tuple[int, ColourScheme]


def covering(looks: Sequence[Look]) -> list[Look]:
    """The fewest of these looks, in their order, that have each width and each colour scheme of them.

    A width decides which elements a view shows and where, a scheme decides their colours. A look whose width
    and scheme were both checked in other looks would find nothing more, for half a second of a processor.
    """
    widths, schemes = ({look[part] for look in looks} for part in (0, 1))
    chosen: list[Look] = []
    for least in (2, 1):
        for look in looks:
            new = (look[0] in widths) + (look[1] in schemes)
            if new >= least:
                chosen.append(look)
                widths.discard(look[0])
                schemes.discard(look[1])
    return [look for look in looks if look in chosen]


class Looks:
    """Checks views of a page in some looks (width, colours), and keeps what they look like.

    With SCREENSHOTS set it takes each of the looks, otherwise as many as show each width and each scheme.
    """

    def __init__(self, page: Page, looks: Sequence[Look], screenshots: Path, axe: Path) -> None:
        self._page = page
        self._looks = looks if os.environ.get("SCREENSHOTS") else covering(looks)
        self._screenshots = screenshots
        self._axe = axe

    def check(self, view: str) -> None:
        """In each look it is accessible and fits; afterwards the page has the size that it had before."""
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
