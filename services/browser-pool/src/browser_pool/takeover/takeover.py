"""One hand-over: a context in the hands of a person until its call has ended."""

import asyncio
import contextlib
from collections.abc import Callable
from datetime import datetime

import structlog
from playwright.async_api import Dialog, Error, FileChooser, Frame, Page

from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.questions.takeover import (
    Answer,
    OpenDialog,
    ShownPage,
    TakeoverAct,
    TakeoverActResult,
    TakeoverFinish,
    TakeoverLook,
    TakeoverLost,
    TakeoverRefusal,
    TakeoverRelease,
    TakeoverResult,
    TakeoverView,
)
from agent_domain.site_logins.site_logins import SiteLogins
from agent_domain.site_logins.sites import StorageState, host_of
from agent_platform.log.storable_text import storable_text
from browser_pool.contexts.context_opener import VIEWPORT
from browser_pool.contexts.session_context import SessionContext
from browser_pool.takeover.bounds import (
    HOSTS,
    LOOK_S,
    NOTES,
    SHOWN,
    VIEWER_S,
    VIEWERS,
    WAITING_INPUTS,
)
from browser_pool.takeover.fields import empty_secrets
from browser_pool.takeover.screen import Screen
from browser_pool.takeover.takeover_inputs import TakeoverInputs

_TITLE_S = 0.5
_RESTORES_S = 3.0
_NO_FILES = "The page asks for a file. None can be chosen here: tell the agent which one it wants."
_FINISHED = "the browser was given back already"

log = structlog.get_logger()


class Takeover:
    """`holds` until the person is done, the call ended otherwise, or the context is lost."""

    def __init__(  # noqa: PLR0913 — whose it is, of which call, until when
        self,
        agent_id: AgentId,
        session_id: SessionId,
        call_id: CallId,
        context: SessionContext,
        expires_at: datetime,
        logins: SiteLogins,
        now: Callable[[], float],
    ) -> None:
        self.agent_id = agent_id
        self.session_id = session_id
        self.call_id = call_id
        self.context = context
        self.expires_at = expires_at
        self._logins = logins
        self._now = now
        self._over = False
        self._finished: TakeoverResult | None = None
        self._version = 1
        self._pictured = 0
        self._news = asyncio.Event()
        self._screen = Screen(self._new_picture)
        self._acting = TakeoverInputs(context)
        self._turn = asyncio.Lock()
        self._looking = asyncio.Lock()
        self._waiting = 0
        self._viewers: dict[str, float] = {}
        self._watched: set[Page] = set()
        self._hosts: dict[str, None] = {}
        self._notes: list[str] = []
        self._titles: dict[str, str] = {}
        context.person = self
        for page in context.pages.values():
            self.opened(page)

    @property
    def holds(self) -> bool:
        """See `ContextHolder`."""
        return not self._over and self._finished is None

    @property
    def is_over(self) -> bool:
        """Whether nobody will ask about it any more."""
        return self._over

    @property
    def viewers(self) -> int:
        """How many look now."""
        since = self._now() - VIEWER_S
        self._viewers = {name: at for name, at in self._viewers.items() if at >= since}
        return len(self._viewers)

    def opened(self, page: Page) -> None:
        """See `ContextHolder`."""
        if page in self._watched:
            return
        self._watched.add(page)
        page.on("close", lambda _: self._closed(page))
        page.on("framenavigated", self._navigated)
        page.on("filechooser", self._wants_file)
        self._visited(page.url)
        self._changed()

    def asked(self, dialog: Dialog) -> None:
        """See `ContextHolder`."""
        self._acting.asked(dialog)
        self._changed()

    async def answer(self, what: TakeoverLook | TakeoverAct | TakeoverFinish | TakeoverRelease) -> Answer:
        """What the person is told. Failures are answers too."""
        if isinstance(what, TakeoverRelease):
            await self.end()
            return self._finished or TakeoverResult("", "")
        if (gone := self._gone()) is not None:
            return gone
        if self._finished is not None and not isinstance(what, TakeoverFinish):
            return TakeoverRefusal("call_not_open", _FINISHED)
        try:
            match what:
                case TakeoverLook():
                    return await self._look(what)
                case TakeoverAct():
                    return await self._act(what)
                case TakeoverFinish():
                    return await self._finish(what)
        except Error as error:
            if (gone := self._gone()) is not None:
                return gone
            log.warning("hand_over.failed", session_id=self.session_id, error=type(error).__name__)
            return TakeoverRefusal("unavailable", "the page did not answer: try again, or reload it")

    def _gone(self) -> TakeoverLost | None:
        return None if self.context.lost is None else TakeoverLost(self.context.lost)

    async def look_after(self) -> None:
        """Stop taking pictures that nobody looks at."""
        if not self.viewers:
            async with self._looking:
                await self._screen.stop()

    async def end(self) -> None:
        """The pages are the agent's again, however the call ended."""
        if self._over:
            return
        held, self._over = self.holds, True
        self._changed()
        if held and self.context.lost is None:
            await self._give_back()
        await self._screen.stop()

    async def _look(self, look: TakeoverLook) -> Answer:
        if look.viewer not in self._viewers and self.viewers >= VIEWERS:
            return TakeoverRefusal("rate_limited", f"{VIEWERS} pages look at this browser already: close one")
        self._viewers[look.viewer] = self._now()
        async with self._looking:
            page = await self.context.page()
            await self._screen.follow(page)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_S):
                while self._version <= look.after and self.holds and self.context.lost is None:
                    self._news.clear()
                    await self._news.wait()
        if (gone := self._gone()) is not None:
            return gone
        if not self.holds:
            return TakeoverRefusal("call_not_open", _FINISHED)
        self._viewers[look.viewer] = self._now()
        return await self._seen(look.after)

    async def _seen(self, after: int) -> TakeoverView:
        version, frame = self._version, self._screen.frame
        new = frame is not None and self._pictured > after
        await self._read_titles()
        pages = self.context.pages
        current = pages.get(self.context.name)
        dialog = self._acting.dialog
        return TakeoverView(
            version=version,
            image=frame.image if frame is not None and new else None,
            width=frame.width if frame else 0,
            height=frame.height if frame else 0,
            page=self.context.name,
            pages=tuple(
                ShownPage(name, self._titles.get(name, ""), _shown(page.url)) for name, page in pages.items()
            ),
            url=_shown(current.url) if current else "",
            title=self._titles.get(self.context.name, ""),
            focus=self._acting.field.focus,
            dialog=OpenDialog(dialog.type, _shown(dialog.message), _shown(dialog.default_value))
            if dialog
            else None,
            notes=tuple(self._notes),
            viewers=self.viewers,
        )

    async def _read_titles(self) -> None:
        if self._acting.dialog is not None:
            return  # its page answers nothing until it is answered

        async def read(name: str, page: Page) -> None:
            with contextlib.suppress(Error, TimeoutError):
                async with asyncio.timeout(_TITLE_S):
                    self._titles[name] = _shown(await page.title())

        pages = self.context.pages
        self._titles = {name: title for name, title in self._titles.items() if name in pages}
        await asyncio.gather(*(read(name, page) for name, page in pages.items()))

    async def _act(self, act: TakeoverAct) -> Answer:
        if self._waiting >= WAITING_INPUTS:
            return TakeoverRefusal("rate_limited", "the page is slower than you: wait a moment")
        self._waiting += 1
        problem: str | None = None
        try:
            async with self._turn:
                for one in act.inputs:
                    if not self.holds or self.context.lost is not None:
                        break
                    problem = await self._acting.act(one)
                    if problem is not None:
                        break
        finally:
            self._waiting -= 1
        self._changed()
        if (gone := self._gone()) is not None:
            return gone
        return TakeoverActResult(self._acting.field.focus, problem)

    async def _finish(self, finish: TakeoverFinish) -> Answer:
        async with self._turn:
            if self._finished is not None:
                return self._finished
            await self._acting.end()
            await self._acting.look()
            kept: tuple[str, ...] = ()
            if finish.keep:
                try:
                    state = await self.context.stored()
                    stored = StorageState(tuple(state.get("cookies", ())), tuple(state.get("origins", ())))
                    kept = await self._logins.keep(self.agent_id, self.session_id, stored, self._hosts)
                except Rejected as refused:
                    return TakeoverRefusal(
                        "invalid_request", f"the login could not be kept: {refused.message}"
                    )
            await self._give_back()
            page = await self.context.page()
            await self._read_titles()
            clean = self.context.typed.without
            title = self._titles.get(self.context.name, "")
            self._finished = TakeoverResult(clean(_shown(page.url)), clean(title), kept)
        self._changed()
        await self._screen.stop()
        log.info("hand_over.finished", session_id=self.session_id, call_id=self.call_id, kept=len(kept))
        return self._finished

    async def _give_back(self) -> None:
        """Nothing that was typed in secret stays in a field."""
        await self._acting.end()
        pages = self.context.pages.values()
        if await empty_secrets(pages, self.context.typed.values):
            self.context.note("fields with a password, which the person did not send, were emptied")
        if self._acting.size is None:
            return
        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(_RESTORES_S):
                for page in pages:
                    await page.set_viewport_size(VIEWPORT)

    def _navigated(self, frame: Frame) -> None:
        if frame.parent_frame is None:
            self._visited(frame.url)
            self._changed()

    def _visited(self, url: str) -> None:
        host = host_of(url)
        if host and len(self._hosts) < HOSTS:
            self._hosts[host] = None

    def _wants_file(self, chooser: FileChooser) -> None:
        self._note(_NO_FILES)

    def _note(self, sentence: str) -> None:
        self._notes = [*(one for one in self._notes if one != sentence), sentence][-NOTES:]
        self._changed()

    def _closed(self, page: Page) -> None:
        self._watched.discard(page)
        self._changed()

    def _new_picture(self) -> None:
        self._changed()
        self._pictured = self._version

    def _changed(self) -> None:
        self._version += 1
        self._news.set()


def _shown(text: str) -> str:
    return storable_text(text[:SHOWN])
