"""What a page looks like, picture by picture, as long as somebody looks."""

import asyncio
import base64
import contextlib
from collections.abc import Callable
from typing import Any

import msgspec
import structlog
from playwright.async_api import CDPSession, Error, Page

from browser_pool.takeover.bounds import FRAME_BYTES, FRAME_S, QUALITY, WIDEST

_ANSWERS_S = 3.0
_FIRST_S = 0.7

log = structlog.get_logger()


class ScreenFrame(msgspec.Struct, frozen=True):
    """A JPEG, of so many CSS pixels of the page."""

    image: bytes
    width: int
    height: int


class Screen:
    """Follows one page at a time by DevTools, which sends pictures when something changed and waits with the
    next one for our leave. `changed` is called for each."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._page: Page | None = None
        self._session: CDPSession | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.frame: ScreenFrame | None = None
        """The newest of the page that is followed."""

    async def follow(self, page: Page) -> None:
        """Show this page from now on. A page that doesn't answer has no pictures."""
        if page is self._page and self._session is not None:
            return
        await self.stop()
        self._page, self.frame = page, None
        try:
            async with asyncio.timeout(_ANSWERS_S):
                session = await page.context.new_cdp_session(page)
                session.on("Page.screencastFrame", lambda event: self._came(session, event))
                self._session = session
                await session.send(
                    "Page.startScreencast",
                    {"format": "jpeg", "quality": QUALITY, "maxWidth": WIDEST, "maxHeight": WIDEST},
                )
        except (Error, TimeoutError) as error:
            log.info("screen.no_pictures", reason=str(error)[:200])
            await self.stop()
            return
        self._spawn(self._first(session))

    async def stop(self) -> None:
        """Follow nothing."""
        session, self._session, self._page = self._session, None, None
        for task in list(self._tasks):
            task.cancel()
        if session is None:
            return
        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(_ANSWERS_S):
                await session.send("Page.stopScreencast")
                await session.detach()

    def _came(self, session: CDPSession, event: dict[str, Any]) -> None:
        if session is not self._session:
            return
        about = event.get("metadata", {})
        self._show(str(event["data"]), int(about.get("deviceWidth", 0)), int(about.get("deviceHeight", 0)))
        self._spawn(self._more(session, int(event["sessionId"])))

    def _show(self, data: str, width: int, height: int) -> None:
        if len(data) * 3 // 4 <= FRAME_BYTES and width and height:
            self.frame = ScreenFrame(base64.b64decode(data), width, height)
            self._changed()

    async def _more(self, session: CDPSession, number: int) -> None:
        await asyncio.sleep(FRAME_S)
        with contextlib.suppress(Error):  # the page is gone
            await session.send("Page.screencastFrameAck", {"sessionId": number})

    async def _first(self, session: CDPSession) -> None:
        """A page in which nothing changes sends none by itself."""
        await asyncio.sleep(_FIRST_S)
        if self.frame is not None or session is not self._session or self._page is None:
            return
        size = self._page.viewport_size or {"width": 0, "height": 0}
        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(_ANSWERS_S):
                shot = await session.send("Page.captureScreenshot", {"format": "jpeg", "quality": QUALITY})
                if self.frame is None and session is self._session:
                    self._show(str(shot["data"]), size["width"], size["height"])

    def _spawn(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
