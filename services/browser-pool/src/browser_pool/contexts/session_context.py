"""A browser's context: its pages, whose they are, which of them is the current one, and what happens in
them."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Coroutine
from typing import Any

import structlog
from playwright.async_api import BrowserContext, Dialog, Error, Page

from agent_contracts.errors import ErrorKind, Failure, Rejected
from agent_contracts.ids import SessionId
from agent_contracts.outside import host_of
from browser_pool.chromium.proxies import Proxies
from browser_pool.chromium.running import RunningChromium
from browser_pool.contexts.context_egress import ContextEgress
from browser_pool.contexts.dialogs import accept, dismiss
from browser_pool.contexts.downloads import ContextDownloads
from browser_pool.contexts.happenings import AnswerDialogs, ContextHappenings, NewPage, SeenDialog
from browser_pool.contexts.pages_gate import PagesGate
from browser_pool.contexts.person import ContextHolder
from browser_pool.contexts.typed_secrets import TypedSecrets
from browser_pool.limits import DIALOGS, PAGES, STEP_S, WINDOWS
from egress.proxy.terms import Terms

_SHOWN = 1_000
_CLOSE_S = 10.0
_ANSWERS_S = 1.5
_FLOOD_S = 60.0
_STOPS_S = 2.0
_STORED_S = 5.0

log = structlog.get_logger()


class SessionContext:
    """Pages have names, `p1`, `p2` …, which are never given twice. There is always a current page.

    Several sessions may use it, one at a time: each sees its own pages alone, and has a current one of its
    own. Cookies, storage and logins are everyone's.

    `flooded` is called once when pages open windows without end: the context must then be closed.
    """

    def __init__(
        self,
        context: BrowserContext,
        chromium: RunningChromium,
        proxies: Proxies,
        flooded: Callable[[], None],
    ) -> None:
        """The `proxies` are lent to it, and given back with its end."""
        self._context = context
        self._chromium = chromium
        self._proxies = proxies
        self._flooded = flooded
        self.id = secrets.token_hex(4)
        """Which no other context has, by chance."""
        self.titles: dict[str, str] = {}
        """What pages were opened as, by name."""
        self.users: set[SessionId] = set()
        """The sessions that use it, until they `leave`."""
        self.after: str | None = None
        """Why the one before it was lost, which each of the `users` is told once."""
        self.told: set[SessionId] = set()
        self.left: dict[SessionId, str] = {}
        """Why the pages of sessions were closed that may come back."""
        self._user = SessionId("")
        self._whose: dict[str, SessionId] = {}
        self._pages: dict[str, Page] = {}
        self._number = 0
        self._expected = 0
        self._refused: list[float] = []
        self._currents: dict[SessionId, str] = {}
        self._answering = AnswerDialogs()
        self._happened = ContextHappenings()
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopping: asyncio.Task[None] | None = None
        self.downloads = ContextDownloads(chromium.downloads)
        self.person: ContextHolder | None = None
        self.typed = TypedSecrets()
        self.leaving = ContextEgress(context, proxies.refusals, self.typed, lambda: self.is_held)
        self.sending = PagesGate(lambda: self.is_held, self._hosts, self.leaving.kept_back)
        told = self.leaving.noted
        proxies.begin(Terms(self.sending, told), Terms(self.sending.sockets, told))
        chromium.pausing.judge(proxies.port, self.sending)
        self.lost: str | None = None
        """Why it can't be used any more."""
        self.used_at = time.monotonic()
        self.calls = 0
        """How many use it now."""
        context.set_default_timeout(STEP_S * 1000)
        context.set_default_navigation_timeout(STEP_S * 1000)
        context.on("page", self._opened)

    async def start(self) -> None:
        """Open the first page."""
        await self._context.route_web_socket("**/*", self.sending.socket)
        page = await self.new_page()
        await self.downloads.watch(self._context, page)

    @property
    def is_alive(self) -> bool:
        """Whether its Chromium is."""
        return self._chromium.is_alive

    @property
    def is_held(self) -> bool:
        """Whether a person has it now."""
        return self.person is not None and self.person.holds

    async def stored(self) -> dict[str, Any]:
        """Its cookies and local storage, as Playwright has them. `Rejected` where a page doesn't answer."""
        try:
            async with asyncio.timeout(_STORED_S):
                return dict(await self._context.storage_state())
        except TimeoutError as error:
            raise Rejected("a page doesn't answer; close it, or give the browser back without") from error

    def note(self, sentence: str) -> None:
        """Have the next call tell it."""
        self._happened.notes.append(sentence)

    def enter(self, session: SessionId) -> None:
        """From here on it is used by this session. The page that a new context begins with is its first."""
        if not self._user:
            self._whose = dict.fromkeys(self._whose, session)
            self._currents = dict.fromkeys([session], self._current)
        self._user = session

    async def leave(self, session: SessionId) -> None:
        """The session doesn't use it any more: close its pages."""
        self.users.discard(session)
        self._currents.pop(session, None)
        for name in [name for name, whose in self._whose.items() if whose == session]:
            if name in self._pages:
                await self._close(self._pages[name])

    @property
    def name(self) -> str:
        """The current page's name."""
        return self._current

    @property
    def _current(self) -> str:
        return self._currents.get(self._user, "")

    @_current.setter
    def _current(self, name: str) -> None:
        self._currents[self._user] = name

    @property
    def pages(self) -> dict[str, Page]:
        """The open pages by name, oldest first, of the session that uses it."""
        return self.pages_of(self._user)

    def pages_of(self, session: SessionId) -> dict[str, Page]:
        """The open pages of one of the sessions that share it."""
        return {name: page for name, page in self._pages.items() if self._whose.get(name) == session}

    async def page(self) -> Page:
        """The current page; a new one if all were closed, or the session has none yet."""
        pages = self.pages
        if self._current not in pages:
            if not pages:
                return await self.new_page()
            self._current = next(reversed(pages))
        return pages[self._current]

    async def new_page(self) -> Page:
        """Open a page, which is the current one then. `Rejected` where there are too many."""
        if len(self._pages) >= PAGES:
            raise Rejected(f"the context has {PAGES} pages, which is the most: close one first")
        self._expected += 1
        try:
            page = await self._context.new_page()
        finally:
            self._expected -= 1
        self._current = self._named(page)
        return page

    async def close_if_hung(self, page: Page) -> bool:
        """Close a page whose scripts don't let it answer; whether it was one."""
        try:
            async with asyncio.timeout(_ANSWERS_S):
                await page.evaluate("1")
        except TimeoutError:
            await self._close(page)
            return True
        except Error:
            return page.is_closed()
        return False

    def stop_loading(self) -> None:
        """Nobody wants any more what the current page loads: let go of it, before anything else is done."""
        self._stopping = asyncio.create_task(self._stop_loading())

    async def until_stopped(self) -> None:
        """Else what is let go of would be the next call's."""
        if self._stopping is not None:
            await asyncio.wait({self._stopping})
            self._stopping = None

    async def _stop_loading(self) -> None:
        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(_STOPS_S):
                page = self._pages.get(self._current)
                if page is None:
                    return
                session = await self._context.new_cdp_session(page)
                await session.send("Page.stopLoading")
                await session.detach()

    def refusal_of(self, url: str) -> Failure | None:
        """Why an address wasn't reached, if the rules of the way out, or its host, are why."""
        return self._proxies.refusals.of(url)

    def _hosts(self) -> frozenset[str]:
        """Those that its pages are from."""
        return frozenset(host for page in self._pages.values() if (host := host_of(page.url)) is not None)

    def switch(self, name: str) -> None:
        """Make another page the current one. `Rejected(kind="not_found")` if there is none of this name."""
        self._require(name)
        self._current = name

    async def close_page(self, name: str) -> None:
        """Close a page. `Rejected(kind="not_found")` if there is none of this name."""
        await self._close(self._require(name))

    @contextlib.contextmanager
    def answering(self, dialogs: AnswerDialogs) -> Any:
        """Answer dialogs in this way meanwhile."""
        self._answering = dialogs
        try:
            yield
        finally:
            self._answering = AnswerDialogs()

    def take_happened(self) -> ContextHappenings:
        """What happened since this was last asked."""
        happened, self._happened = self._happened, ContextHappenings()
        if happened.refused_windows:
            happened.notes.append(
                f"{happened.refused_windows} more windows were closed at once: {PAGES} pages are the most"
            )
        happened.notes += self.sending.take_notes()
        happened.notes += self.downloads.notes
        self.downloads.notes = []
        return happened

    async def close(self) -> None:
        """Close it with all its pages."""
        for task in list(self._tasks):
            task.cancel()
        try:
            async with asyncio.timeout(_CLOSE_S):
                await self._context.close()
        except (Error, TimeoutError) as error:
            log.warning("context.not_closed", error=str(error)[:500])
        finally:
            await self._chromium.take_back(self._proxies)
            self.downloads.close()

    def _require(self, name: str) -> Page:
        pages = self.pages
        page = pages.get(name)
        if page is None:
            known = ", ".join(pages) or "none"
            raise Rejected(
                f"there is no page {name[:40]!r}: there is {known}", kind=ErrorKind.NOT_FOUND, path="/page"
            )
        return page

    def _named(self, page: Page) -> str:
        for name, one in self._pages.items():
            if one is page:
                return name
        self._number += 1
        name = f"p{self._number}"
        self._pages[name] = page
        self._whose[name] = self._user
        self.leaving.watch(page)
        page.on("dialog", lambda dialog: self._dialog(page, dialog))
        page.on("close", lambda _: self._forget(name))
        page.on("crash", lambda _: self._crashed(name, page))
        if self.person is not None:
            self.person.opened(page)
        return name

    def _opened(self, page: Page) -> None:
        """A page came, which a call or a page asked for."""
        if self._expected:
            return
        if len(self._pages) < PAGES:
            name = self._named(page)
            if self.is_held:
                self._current = name  # as a browser does: whoever clicked wants to see it
            self._happened.pages.append(NewPage(name, page.url[:_SHOWN]))
            return
        self._happened.refused_windows += 1
        now = time.monotonic()
        self._refused = [at for at in self._refused if now - at < _FLOOD_S] + [now]
        if len(self._refused) > WINDOWS and self.lost is None:
            self.lost = f"a page opened more than {WINDOWS} windows too many within a minute"
            self._flooded()
            return
        self._spawn(self._close(page))

    def _dialog(self, page: Page, dialog: Dialog) -> None:
        happened, how = self._happened, self._answering
        happened.dialog_count += 1
        if happened.dialog_count > DIALOGS:
            if happened.dialog_count == DIALOGS + 1:
                happened.notes.append(f"a page opened more than {DIALOGS} dialogs: it was closed")
                self._spawn(self._close(page))
            self._spawn(dismiss(dialog))
            return
        if self.person is not None and self.person.holds:
            self.person.asked(dialog)
            return
        answer = "accept" if dialog.type in ("alert", "beforeunload") else how.answer
        happened.dialogs.append(SeenDialog(dialog.type, dialog.message[:_SHOWN], answer))
        self._spawn(accept(dialog, how.text) if answer == "accept" else dismiss(dialog))

    def _forget(self, name: str) -> None:
        self._pages.pop(name, None)
        self._whose.pop(name, None)
        self.titles.pop(name, None)

    def _crashed(self, name: str, page: Page) -> None:
        self._pages.pop(name, None)
        self._whose.pop(name, None)
        self._happened.notes.append(f"the page {name} crashed, as by too much memory, and is gone")
        self._spawn(self._close(page))

    async def _close(self, page: Page) -> None:
        for name, one in list(self._pages.items()):
            if one is page:
                del self._pages[name]
                self._whose.pop(name, None)
        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(_CLOSE_S):
                await page.close()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
