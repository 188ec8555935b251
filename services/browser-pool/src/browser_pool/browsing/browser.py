"""The port that the tools of this runner ask for: the session's browser, as one call uses it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Error, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from agent_contracts.errors import ErrorKind, Failure, Permanent, Rejected, Transient
from agent_contracts.outside import host_of, web
from agent_domain.files.file import FileContent
from agent_platform.log.storable_text import storable_text
from agent_tools.context import CallContext, CallSources
from agent_tools.free_paths import create_at_free_path
from agent_tools.ports.files import AgentFiles
from agent_tools.running.gate import RequestGate
from browser_pool.browsing.failing import failure_of, no_answer
from browser_pool.browsing.file_names import path_of_download
from browser_pool.browsing.results import OpenedPage, ShownDialog, StoredDownload
from browser_pool.contexts.contexts import BrowserContexts
from browser_pool.contexts.downloads import Download, why_not
from browser_pool.contexts.happenings import AnswerDialogs
from browser_pool.contexts.session_context import SessionContext
from browser_pool.limits import CALL_S

_WITHIN_S = CALL_S - 4
"""Seconds of a call's work; the rest is for telling how it ended."""
_SETTLES_S = 0.15
_LOADS_S = 5.0
_DOWNLOADS_S = 10.0
_TITLE_S = 2.0


class Visit:
    """One call's use of the context: the current `page`, and in the end what happened besides."""

    def __init__(
        self, context: SessionContext, page: Page, lost: str | None, files: AgentFiles, outside: CallSources
    ) -> None:
        self.context = context
        self.page = page
        self._lost = lost
        self._files = files
        self._outside = outside

    async def settle(self) -> None:
        """After the page was acted upon: let what follows begin, and a new document load."""
        await asyncio.sleep(_SETTLES_S)
        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(_LOADS_S):
                page = await self.context.page()
                await page.wait_for_load_state("domcontentloaded")

    async def beside(self, *, store: bool = True) -> dict[str, Any]:
        """What a result says besides: the fields of `BrowserResult`. With `store`, downloads become files;
        those under way are waited for a little."""
        downloads = await self._downloads() if store else self._named()
        happened = self.context.take_happened()
        return {
            "context_lost": self._lost,
            "dialogs": [
                ShownDialog(kind=d.kind, message=storable_text(d.message), answered=d.answered)
                for d in happened.dialogs
            ],
            "new_pages": [OpenedPage(page=p.page, url=storable_text(p.url)) for p in happened.pages],
            "downloads": downloads,
            "notes": happened.notes,
        }

    async def where(self) -> dict[str, Any]:
        """The fields of `AtPage`. The title of a page that doesn't answer is empty."""
        title = ""
        page = await self.context.page()
        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(_TITLE_S):
                title = await page.title()
        return {"url": storable_text(page.url[:8_000]), "title": storable_text(title[:1_000])}

    async def _downloads(self) -> list[StoredDownload]:
        downloads = self.context.downloads
        if downloads.under_way:
            await downloads.until_over(_DOWNLOADS_S)
        stored = [await self._stored(one) for one in downloads.over()]
        return stored + [
            _untaken(one, "it is still under way: browser_downloads waits for it")
            for one in downloads.under_way
        ]

    def _named(self) -> list[StoredDownload]:
        downloads = self.context.downloads
        why = "browser_downloads makes it a file"
        return [_untaken(one, why) for one in (*downloads.over(), *downloads.under_way)]

    async def _stored(self, download: Download) -> StoredDownload:
        downloads = self.context.downloads
        if download.state != "completed":
            downloads.forget(download)
            return _untaken(download, why_not(download))
        try:
            data = await asyncio.to_thread(download.path.read_bytes)
            self._outside.bring(web(download.url))
            file = await create_at_free_path(
                self._files, path_of_download(download.name), FileContent(data, made_from=download.url[:500])
            )
        except OSError as error:
            downloads.forget(download)
            return _untaken(download, f"it could not be read: {error.strerror}")
        except Rejected as refused:
            downloads.forget(download)
            return _untaken(download, refused.message)
        downloads.forget(download)
        return StoredDownload(
            name=storable_text(download.name),
            url=storable_text(download.url),
            file_id=file.file_id,
            path=file.path,
            version=file.version,
            size=file.size,
        )


class SessionBrowser:
    """The browser of the session that calls."""

    def __init__(
        self, contexts: BrowserContexts, call: CallContext, files: AgentFiles, gate: RequestGate
    ) -> None:
        self._contexts = contexts
        self._call = call
        self._files = files
        self._gate = gate
        self._wanted: tuple[str, str] | None = None

    def use(self, context_id: str, name: str) -> None:
        """Each visit of this call is to this page of this context from here on, not to the current one."""
        self._wanted = (context_id, name)

    @asynccontextmanager
    async def visit(self, dialogs: AnswerDialogs | None = None) -> AsyncIterator[Visit]:
        """Work with the current page, for as long as a call may. What Playwright raises becomes one of the
        three failures; `Transient` where Chromium died."""
        session = self._call.session_id
        async with self._contexts.lent(self._call.agent_id, session) as (context, lost):
            if context.is_held:
                raise _held()
            context.enter(session)
            await context.until_stopped()
            self._switch(context, lost)
            page = await self._page(context)
            self.shown(page.url)
            context.sending.begin(self._gate)
            try:
                async with asyncio.timeout(_WITHIN_S):
                    with context.answering(dialogs or AnswerDialogs()):
                        yield Visit(context, page, lost, self._files, self._call.outside)
            except TimeoutError as error:
                failure = await self._cut_off(context) or no_answer(closed=await context.close_if_hung(page))
                raise self._told(failure, lost) from error
            except Error as error:
                raise self._told(await self._failure(context, page, error), lost) from error
            except Failure as failure:
                raise self._told(failure, lost) from failure
            except asyncio.CancelledError:
                context.stop_loading()
                raise
            finally:
                self.shown(*(frame.url for one in context.pages.values() for frame in one.frames))
                context.leaving.tell(self._call.outgoing)
                context.sending.end(self._gate)
            self._contexts.told(session)

    def _switch(self, context: SessionContext, lost: str | None) -> None:
        if self._wanted is None:
            return
        context_id, name = self._wanted
        if context.id != context_id:
            raise Rejected(f"the page is gone: {lost}", kind=ErrorKind.NOT_FOUND, path="/page_id")
        context.switch(name)

    async def close(self) -> bool:
        """Close the session's context; whether it had one."""
        if self._contexts.is_held(self._call.session_id):
            raise _held()
        return await self._contexts.close(self._call.session_id)

    def discreet(self, told: Any) -> Any:
        """A result or a failure without what a person typed in secret."""
        context = self._contexts.of(self._call.session_id)
        return told if context is None else context.typed.without(told)

    def shown(self, *urls: str) -> None:
        """Results may hold what pages from there say."""
        self._call.outside.bring(*(web(url) for url in urls if host_of(url) is not None))

    def _told(self, failure: Failure, lost: str | None) -> Failure:
        """The failure as the session is told it: in a new context, it fails because of that, as a rule."""
        if lost is not None and not isinstance(failure, Transient):
            failure.message = f"{failure.message} (context_lost: {lost}, so this is a new, empty browser)"
            failure.details = {**(failure.details or {}), "context_lost": lost}
            self._contexts.told(self._call.session_id)
        return failure

    async def _page(self, context: SessionContext) -> Page:
        try:
            return await context.page()
        except Error as error:
            await self._contexts.chromium.lives()
            raise Transient("the browser went away", retry_after=0.2) from error

    async def _failure(self, context: SessionContext, page: Page, error: Error) -> Failure:
        if (failure := await self._cut_off(context)) is not None:
            return failure
        if isinstance(error, PlaywrightTimeout):
            return no_answer(closed=await context.close_if_hung(page))
        return failure_of(error)

    async def _cut_off(self, context: SessionContext) -> Failure | None:
        """What is to be told where the context was lost meanwhile, whatever Playwright says of it."""
        if context.lost is None and not context.is_alive:
            await self._contexts.chromium.lives()
        if context.lost is None:
            return None
        if self._contexts.has_died(context):
            return Transient(f"the browser went away: {context.lost}", retry_after=0.2)
        why = f"the session's browser context was closed: {context.lost}"
        return Permanent(why, kind=ErrorKind.UPSTREAM)


def _held() -> Rejected:
    return Rejected(
        "a person has the browser now: its tools work again when browser_hand_over has ended",
        kind=ErrorKind.NOT_AVAILABLE,
    )


def _untaken(download: Download, problem: str) -> StoredDownload:
    return StoredDownload(name=storable_text(download.name), url=storable_text(download.url), problem=problem)
