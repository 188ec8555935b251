"""`BrowserPages`, for packs: the pages of the session's context by ids that outlast it."""

import asyncio
import contextlib
from collections.abc import Sequence

from playwright.async_api import Error, Page

from agent_contracts.errors import ErrorKind, Rejected
from agent_platform.log.storable_text import storable_text
from agent_tools.context import CallContext
from agent_tools.ports.browser import OpenPage
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.contexts.contexts import BrowserContexts
from browser_pool.contexts.session_context import SessionContext

_TITLE_S = 1.0
_BLANK = "about:blank"


class SessionPages:
    """A page's id is its context's and its name there: in another context, nothing has it."""

    def __init__(self, contexts: BrowserContexts, browser: SessionBrowser, call: CallContext) -> None:
        self._contexts = contexts
        self._browser = browser
        self._call = call

    async def open(self, title: str) -> str:
        """See `BrowserPages`. The page that a new context begins with is taken first."""
        async with self._browser.visit() as visit:
            context = visit.context
            if not _is_unused(context, context.name, visit.page):
                await context.new_page()
            name = context.name
            context.titles[name] = title
        self._browser.use(context.id, name)
        return f"{context.id}-{name}"

    def use(self, page_id: str) -> None:
        """See `BrowserPages`."""
        self._browser.use(*self._found(page_id))

    async def close(self, page_id: str) -> None:
        """See `BrowserPages`."""
        _, name = self._found(page_id)
        async with self._browser.visit() as visit:
            await visit.context.close_page(name)

    async def list(self) -> Sequence[OpenPage]:
        """See `BrowserPages`."""
        context = self._contexts.of(self._call.session_id)
        if context is None:
            return []
        mine = context.pages_of(self._call.session_id)
        pages = [(name, page) for name, page in mine.items() if not _is_unused(context, name, page)]
        titles = await asyncio.gather(*(_title(page) for _, page in pages))
        self._browser.shown(*(page.url for _, page in pages))
        return [
            OpenPage(
                f"{context.id}-{name}",
                self._browser.discreet(storable_text(page.url[:2_000])),
                self._browser.discreet(context.titles.get(name) or title),
            )
            for (name, page), title in zip(pages, titles, strict=True)
        ]

    def _found(self, page_id: str) -> tuple[str, str]:
        context = self._contexts.of(self._call.session_id)
        context_id, _, name = page_id.rpartition("-")
        mine = context.pages_of(self._call.session_id) if context is not None else {}
        if context is not None and context.id == context_id and name in mine:
            return context_id, name
        lost = self._contexts.lost_of(self._call.session_id)
        why = f": the browser that it was in is gone ({lost})" if lost else ""
        raise Rejected(
            f"there is no open page {page_id[:60]!r}{why}", kind=ErrorKind.NOT_FOUND, path="/page_id"
        )


def _is_unused(context: SessionContext, name: str, page: Page) -> bool:
    return page.url == _BLANK and name not in context.titles


async def _title(page: Page) -> str:
    with contextlib.suppress(Error, TimeoutError):
        async with asyncio.timeout(_TITLE_S):
            return storable_text((await page.title())[:500])
    return ""
