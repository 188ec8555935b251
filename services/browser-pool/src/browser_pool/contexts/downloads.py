"""Downloads of one context: each up to a size, kept as files of ours until a call stores them."""

import asyncio
import contextlib
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Literal

import msgspec
import structlog
from playwright.async_api import BrowserContext, CDPSession, Error, Page

from browser_pool.limits import DOWNLOAD_BYTES, DOWNLOADS, MIB

State = Literal["in_progress", "completed", "too_large", "failed"]

_TOO_MANY = f"more than {DOWNLOADS} downloads at a time"
_NAME = 200

_STATES: dict[str, State] = {"completed": "completed", "canceled": "failed"}

log = structlog.get_logger()


class Download(msgspec.Struct):
    """One download; `path` is where its bytes are once it is `completed`."""

    guid: str
    name: str
    url: str
    path: Path
    state: State = "in_progress"
    received: int = 0

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return self.state != "in_progress"


class ContextDownloads:
    """Watches a context's downloads over DevTools, which tells of progress, as Playwright doesn't: one that
    is too large is cancelled while it comes."""

    def __init__(self, folder: Path) -> None:
        """`folder` is where Chromium may write."""
        self._folder = folder
        self._known: dict[str, Download] = {}
        self._changed = asyncio.Event()
        self._session: CDPSession | None = None
        self._context_id = ""
        self._cancelling: set[asyncio.Task[None]] = set()
        self.notes: list[str] = []

    async def watch(self, context: BrowserContext, page: Page) -> None:
        """Begin, with the context's first page."""
        target = await context.new_cdp_session(page)
        about = await target.send("Target.getTargetInfo")
        self._context_id = about["targetInfo"]["browserContextId"]
        await target.detach()
        assert context.browser is not None
        self._session = await context.browser.new_browser_cdp_session()
        self._session.on("Browser.downloadWillBegin", self._begins)
        self._session.on("Browser.downloadProgress", self._progress)
        await self._session.send(
            "Browser.setDownloadBehavior",
            {
                "behavior": "allowAndName",
                "browserContextId": self._context_id,
                "downloadPath": str(self._folder),
                "eventsEnabled": True,
            },
        )

    @property
    def count(self) -> int:
        """How many are known, under way or waiting to be stored."""
        return len(self._known)

    @property
    def under_way(self) -> list[Download]:
        """Those that still come."""
        return [one for one in self._known.values() if not one.is_over]

    async def until_over(self, seconds: float) -> None:
        """Wait for those that are under way, no longer than this."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.under_way:
                    self._changed.clear()
                    await self._changed.wait()

    def over(self) -> list[Download]:
        """Those that ended, in the order in which they began."""
        return [one for one in self._known.values() if one.is_over]

    def forget(self, download: Download) -> None:
        """Its bytes were stored, or are wanted by nobody."""
        self._known.pop(download.guid, None)
        with contextlib.suppress(OSError):
            download.path.unlink()

    def close(self) -> None:
        """Drop all of them."""
        for task in self._cancelling:
            task.cancel()
        for download in list(self._known.values()):
            self.forget(download)

    def _begins(self, event: dict[str, Any]) -> None:
        guid = str(event["guid"])
        if len(self._known) >= DOWNLOADS:
            self._cancel(guid)
            if _TOO_MANY not in self.notes:
                self.notes.append(_TOO_MANY)
            return
        name, url = str(event.get("suggestedFilename", "")), str(event.get("url", ""))
        self._known[guid] = Download(guid, name[:_NAME], url[:2_000], self._folder / Path(guid).name)

    def _progress(self, event: dict[str, Any]) -> None:
        download = self._known.get(str(event["guid"]))
        if download is None or download.is_over:
            return
        download.received = int(event.get("receivedBytes", 0))
        total = int(event.get("totalBytes", 0))
        state = _STATES.get(str(event.get("state")), "in_progress")
        if max(total, self._held) > DOWNLOAD_BYTES:
            state = "too_large"
            self._cancel(download.guid)
        download.state = state
        if state != "in_progress":
            self._changed.set()

    @property
    def _held(self) -> int:
        """Bytes of all that are on the disk, or come."""
        return sum(one.received for one in self._known.values() if one.state in ("in_progress", "completed"))

    def _cancel(self, guid: str) -> None:
        async def cancel() -> None:
            assert self._session is not None
            arguments = {"guid": guid, "browserContextId": self._context_id}
            with contextlib.suppress(Error):  # it ended meanwhile
                await self._session.send("Browser.cancelDownload", arguments)

        self._spawn(cancel())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._cancelling.add(task)
        task.add_done_callback(self._cancelling.discard)


def why_not(download: Download) -> str:
    """Why there is no file of a download that ended."""
    if download.state == "too_large":
        return f"larger than {DOWNLOAD_BYTES // MIB} MB, with others that wait: it was cancelled"
    return "it failed, or the site broke it off"
