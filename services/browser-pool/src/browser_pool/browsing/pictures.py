"""Screenshots, bounded."""

import struct

from playwright.async_api import FloatRect, Locator, Page

from browser_pool.limits import PICTURE_PIXELS

_SHOT_MS = 15_000


async def taken(page: Page, element: Locator | None, *, full_page: bool) -> tuple[bytes, bool]:
    """A PNG, and whether something of the page is missing at its end."""
    if element is not None:
        await element.scroll_into_view_if_needed(timeout=_SHOT_MS)
        box = await element.bounding_box(timeout=_SHOT_MS)
        if box is None or max(box["width"], box["height"]) <= PICTURE_PIXELS:
            return await element.screenshot(timeout=_SHOT_MS, animations="disabled"), False
        return await page.screenshot(timeout=_SHOT_MS), True
    if not full_page:
        return await page.screenshot(timeout=_SHOT_MS), False
    width, height = await page.evaluate(
        "() => { const e = document.documentElement; return [e.scrollWidth, e.scrollHeight]; }"
    )
    if max(int(width), int(height)) <= PICTURE_PIXELS:
        return await page.screenshot(timeout=_SHOT_MS, full_page=True), False
    clip = FloatRect(x=0, y=0, width=min(int(width), PICTURE_PIXELS), height=min(int(height), PICTURE_PIXELS))
    return await page.screenshot(timeout=_SHOT_MS, full_page=True, clip=clip), True


def png_size(data: bytes) -> tuple[int, int]:
    """Width and height in pixels, which the header of a PNG begins with."""
    width, height = struct.unpack(">II", data[16:24])
    return width, height
