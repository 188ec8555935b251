"""Back and forward."""

import contextlib
from typing import Any, Literal

from playwright.async_api import Error, Page

from agent_contracts.errors import Rejected

_STEP = {"back": -1, "forward": 1}
_WORDS = {"back": "before", "forward": "after"}


async def gone(page: Page, direction: Literal["back", "forward"]) -> None:
    """One step. `Rejected` where there is none."""
    session = await page.context.new_cdp_session(page)
    try:
        history: dict[str, Any] = await session.send("Page.getNavigationHistory")
        wanted = int(history["currentIndex"]) + _STEP[direction]
        entries = history["entries"]
        is_blank = 0 <= wanted < len(entries) and entries[wanted]["url"] == "about:blank"
        if not 0 <= wanted < len(entries) or is_blank:
            raise Rejected(f"there is no page {_WORDS[direction]} this one in its history")
    finally:
        with contextlib.suppress(Error):
            await session.detach()
    go = page.go_back if direction == "back" else page.go_forward
    await go(wait_until="commit")
