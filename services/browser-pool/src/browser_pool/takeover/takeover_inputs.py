"""Doing in a page what a person did in its picture."""

import asyncio
import contextlib

import structlog
from playwright.async_api import Dialog, Error, Page

from agent_contracts.errors import Rejected
from agent_contracts.questions.takeover import (
    DialogInput,
    GoInput,
    KeyInput,
    MouseInput,
    PersonsInput,
    ResizeInput,
    ShowPageInput,
    TextInput,
    WheelInput,
)
from browser_pool.browsing.history import gone
from browser_pool.contexts.session_context import SessionContext
from browser_pool.contexts.typed_secrets import TypedSecrets
from browser_pool.takeover.bounds import HIGHEST, INPUT_S, LOWEST, NARROWEST, WIDEST
from browser_pool.takeover.fields import NOTHING, FocusedField, focused
from browser_pool.takeover.keys import character, chord

NO_ANSWER = "the page does not answer: reload it, or close it"
_NO_DIALOG = "there is no dialog any more"

log = structlog.get_logger()


class TakeoverInputs:
    """One input after the other. A dialog that a page opens stops everything but its own answer.

    What is typed into secret fields is noted, so that it can be kept out of everything else.
    """

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._typed: TypedSecrets = context.typed
        self.dialog: Dialog | None = None
        self._asked = asyncio.Event()
        self._left: set[asyncio.Task[None]] = set()
        self.field: FocusedField = NOTHING
        self._noted: str | None = None
        self.size: tuple[int, int] | None = None
        """What the person had the pages resized to."""

    def is_asked(self) -> bool:
        """Whether a dialog waits for the person."""
        return self.dialog is not None

    def asked(self, dialog: Dialog) -> None:
        """A page opened a dialog."""
        if self.dialog is not None:
            self._keep(asyncio.create_task(_answered(dialog, accept=False, text="")))
            return
        self.dialog = dialog
        self._asked.set()

    async def act(self, one: PersonsInput) -> str | None:
        """Do it; a sentence for the person where it can't be done."""
        if isinstance(one, DialogInput):
            return await self._answer(one)
        if self.is_asked():
            return "answer the page's dialog first"
        work = asyncio.create_task(self._do(one))
        asked = asyncio.create_task(self._asked.wait())
        done, _ = await asyncio.wait({work, asked}, timeout=INPUT_S, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        if work not in done:
            self._keep(work)
            if self.is_asked():
                return None
            work.cancel()
            return NO_ANSWER
        try:
            work.result()
        except Rejected as refused:
            return refused.message
        except Error as error:
            log.info("hand_over.input_failed", kind=type(one).__name__, closed="closed" in str(error).lower())
            return "the page did not take it"
        return None

    async def look(self) -> None:
        """Find out what has the cursor now, and note what is secret of it."""
        if self.dialog is not None:
            return
        self._saw(await focused(await self._context.page()))

    async def end(self) -> None:
        """Let go: a dialog that still waits is dismissed."""
        if self.dialog is not None:
            await self._answer(DialogInput(accept=False))
        for task in list(self._left):
            task.cancel()

    async def _do(self, one: PersonsInput) -> None:
        page = await self._context.page()
        match one:
            case MouseInput():
                await self._mouse(page, one)
            case WheelInput():
                await page.mouse.move(*_within(page, one.x, one.y))
                await page.mouse.wheel(one.dx, one.dy)
            case KeyInput():
                await self._press(page, one)
            case TextInput(text=text):
                await self._type(page, text, pasted=True)
            case GoInput(to="reload"):
                await page.reload(wait_until="commit")
            case GoInput(to="back" | "forward" as to):
                await gone(page, to)
            case ShowPageInput(page=name, close=close):
                if close:
                    await self._context.close_page(name)
                else:
                    self._context.switch(name)
            case ResizeInput():
                await self._resize(one)
            case DialogInput():
                raise AssertionError("answered elsewhere")

    async def _mouse(self, page: Page, one: MouseInput) -> None:
        await page.mouse.move(*_within(page, one.x, one.y))
        clicks = min(max(one.clicks, 1), 3)
        if one.action == "down":
            await self.look()  # before the page may be left by it
            await page.mouse.down(button=one.button, click_count=clicks)
        elif one.action == "up":
            await page.mouse.up(button=one.button, click_count=clicks)
            self._noted = None
            self._saw(await focused(page))

    async def _press(self, page: Page, key: KeyInput) -> None:
        typed = character(key)
        if typed is not None:
            await self._type(page, typed, pasted=False)
            return
        pressed = chord(key)
        if pressed is None:
            return
        if key.key in ("Enter", "Tab"):
            await self.look()  # as above
        await page.keyboard.press(pressed)
        if key.key in ("Enter", "Tab"):
            self._noted = None
        self._saw(await focused(page))

    async def _type(self, page: Page, text: str, *, pasted: bool) -> None:
        before = self.field
        if pasted:
            await page.keyboard.insert_text(text)
        else:
            await page.keyboard.type(text)
        after = await focused(page)
        if before.secret and not (after.secret and after.value):
            self._note(before.value + text)  # the page went on by itself
        self._saw(after)

    def _saw(self, field: FocusedField) -> None:
        self.field = field
        if field.secret and field.value:
            self._note(field.value)

    def _note(self, value: str) -> None:
        instead = self._noted if self._noted and value[:1] == self._noted[:1] else None
        self._typed.note(value, instead)
        self._noted = value

    async def _answer(self, one: DialogInput) -> str | None:
        dialog, self.dialog = self.dialog, None
        self._asked.clear()
        if dialog is None:
            return _NO_DIALOG
        await _answered(dialog, accept=one.accept, text=one.text)
        return None

    async def _resize(self, one: ResizeInput) -> None:
        self.size = (min(max(one.width, NARROWEST), WIDEST), min(max(one.height, LOWEST), HIGHEST))
        for page in self._context.pages.values():
            await page.set_viewport_size({"width": self.size[0], "height": self.size[1]})

    def _keep(self, task: asyncio.Task[None]) -> None:
        def over(done: asyncio.Task[None]) -> None:
            self._left.discard(done)
            if not done.cancelled() and (error := done.exception()) is not None:
                log.info("hand_over.input_failed", error=type(error).__name__)

        self._left.add(task)
        task.add_done_callback(over)


def _within(page: Page, x: float, y: float) -> tuple[float, float]:
    size = page.viewport_size or {"width": WIDEST, "height": HIGHEST}
    return min(max(x, 0.0), size["width"] - 1), min(max(y, 0.0), size["height"] - 1)


async def _answered(dialog: Dialog, *, accept: bool, text: str) -> None:
    with contextlib.suppress(Error):  # its page is gone
        if not accept:
            await dialog.dismiss()
        elif dialog.type == "prompt":
            await dialog.accept(text)
        else:
            await dialog.accept()
