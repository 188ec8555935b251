"""The fields that a person types into: which has the cursor, whether it is secret, and emptying those."""

import asyncio
import contextlib
from collections.abc import Iterable
from pathlib import Path

import msgspec
from playwright.async_api import Error, Frame, Page

from agent_contracts.questions.takeover import Focus

_ANSWERS_S = 1.5
_DEEPEST = 5
_FRAMES = 30
_HERE = Path(__file__).parent
_FOCUS = (_HERE / "focus.js").read_text("utf-8")
_EMPTY = (_HERE / "empty.js").read_text("utf-8")


class FocusedField(msgspec.Struct, frozen=True):
    """What has the cursor; the `value` of a secret one."""

    editable: bool = False
    secret: bool = False
    value: str = ""

    def __repr__(self) -> str:
        return f"Field(editable={self.editable}, secret={self.secret})"

    @property
    def focus(self) -> Focus:
        """What people are told of it."""
        return Focus(self.editable, self.secret)


NOTHING = FocusedField()


async def focused(page: Page) -> FocusedField:
    """What has the cursor, in whatever frame; nothing, where the page doesn't say."""
    with contextlib.suppress(Error, TimeoutError, msgspec.ValidationError):
        async with asyncio.timeout(_ANSWERS_S):
            frame: Frame | None = page.main_frame
            for _ in range(_DEEPEST):
                if frame is None:
                    break
                found = await frame.evaluate(_FOCUS)
                if not isinstance(found, dict):
                    break
                if not found.get("frame"):
                    return msgspec.convert(found, FocusedField)
                frame = await _frame_within(frame)
    return NOTHING


async def empty_secrets(pages: Iterable[Page], values: Iterable[str]) -> bool:
    """Empty password fields, and fields that hold one of these; whether any did."""
    known = list(values)
    emptied = 0
    for page in pages:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_ANSWERS_S):
                for frame in page.frames[:_FRAMES]:
                    with contextlib.suppress(Error):
                        emptied += int(await frame.evaluate(_EMPTY, known))
    return emptied > 0


async def _frame_within(frame: Frame) -> Frame | None:
    handle = (await frame.evaluate_handle("document.activeElement")).as_element()
    return None if handle is None else await handle.content_frame()
