"""Handing the browser over to a person: what the gateway asks of the pool that holds the pages.

All of it goes over core NATS and is stored nowhere: what a person types there is nobody else's.
"""

from typing import Annotated, Literal

import msgspec

from agent_contracts.ids import CallId

HAND_OVER = "browser_hand_over"
"""The tool, and the `kind` of what its pending call shows."""

Ending = Literal["done", "declined", "context_lost"]
"""How a hand-over ended, as its result says; one that expired ends as any pending call does."""

Button = Literal["left", "middle", "right"]

LONGEST_TEXT = 10_000
"""Characters that are typed or pasted at once."""
MOST_INPUTS = 100
"""Of one request."""
_FAR = 100_000
_Pixels = Annotated[float, msgspec.Meta(ge=-_FAR, le=_FAR)]
_Size = Annotated[int, msgspec.Meta(ge=1, le=_FAR)]
_Typed = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]


class _Input(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Something that a person did."""


class MouseInput(_Input, frozen=True, tag="mouse"):
    """The mouse at a point of the page."""

    action: Literal["move", "down", "up"]
    """What the button did, or `move`."""
    x: _Pixels
    """CSS pixels from the left edge of the page."""
    y: _Pixels
    """CSS pixels from the top edge of the page."""
    button: Button = "left"
    """The button that it was."""
    clicks: Annotated[int, msgspec.Meta(ge=1, le=3)] = 1
    """2 for a double click, 3 for a triple click."""


class WheelInput(_Input, frozen=True, tag="wheel"):
    """The wheel at a point of the page."""

    x: _Pixels
    """CSS pixels from the left edge of the page."""
    y: _Pixels
    """CSS pixels from the top edge of the page."""
    dx: _Pixels
    """CSS pixels to scroll to the right; negative: to the left."""
    dy: _Pixels
    """CSS pixels to scroll down; negative: up."""


class KeyInput(_Input, frozen=True, tag="key"):
    """A key that is pressed and released."""

    key: Annotated[str, msgspec.Meta(min_length=1, max_length=20)]
    """The key, named as in `KeyboardEvent.key`, such as `Enter` or `a`."""
    ctrl: bool = False
    """Ctrl is held."""
    alt: bool = False
    """Alt is held."""
    shift: bool = False
    """Shift is held."""

    def __repr__(self) -> str:
        return "KeyInput(…)"


class TextInput(_Input, frozen=True, tag="text"):
    """Text that is put where the cursor is: pasted, or typed on a keyboard that has no keys."""

    text: _Typed
    """The text to insert at the cursor."""

    def __repr__(self) -> str:
        return "TextInput(…)"


class DialogInput(_Input, frozen=True, tag="dialog"):
    """An answer to the open dialog."""

    accept: bool
    """True: OK. False: Cancel."""
    text: _Typed = ""
    """The text for a dialog of kind `prompt`."""

    def __repr__(self) -> str:
        return f"DialogInput(accept={self.accept})"


class GoInput(_Input, frozen=True, tag="go"):
    """A button of a browser."""

    to: Literal["back", "forward", "reload"]
    """The button: `back`, `forward` or `reload`."""


class ShowPageInput(_Input, frozen=True, tag="show_page"):
    """Another page is shown, or this one is closed."""

    page: Annotated[str, msgspec.Meta(max_length=20)]
    """Id of the page, from `pages`."""
    close: bool = False
    """Close the page instead of showing it."""


class ResizeInput(_Input, frozen=True, tag="resize"):
    """The pages are so large from now on, in CSS pixels: a narrow screen sees them as a phone does."""

    width: _Size
    """Width of the pages from now on, in CSS pixels."""
    height: _Size
    """Height of the pages from now on, in CSS pixels."""


PersonsInput = (
    MouseInput | WheelInput | KeyInput | TextInput | DialogInput | GoInput | ShowPageInput | ResizeInput
)


class TakeoverLook(msgspec.Struct, frozen=True, tag="look"):
    """What there is to see, once it is newer than `after`, or else after a while."""

    viewer: str
    after: int


class TakeoverAct(msgspec.Struct, frozen=True, tag="act"):
    """What the person did, in order."""

    inputs: tuple[PersonsInput, ...]


class TakeoverFinish(msgspec.Struct, frozen=True, tag="finish"):
    """The person is done. `keep`: the logins of the sites that they visited are kept for the agent."""

    keep: bool


class TakeoverRelease(msgspec.Struct, frozen=True, tag="release"):
    """The call has its result: the pages are the agent's again."""


class TakeoverQuestion(msgspec.Struct, frozen=True):
    """About the hand-over of one call."""

    call_id: CallId
    what: TakeoverLook | TakeoverAct | TakeoverFinish | TakeoverRelease


class OpenDialog(msgspec.Struct, frozen=True):
    """A dialog that the page opened and that waits for the person."""

    kind: str
    """What it is, as browsers call it: `alert`, `confirm`, `prompt` or `beforeunload`."""
    message: str
    """The text of the dialog."""
    default: str
    """The text that a prompt proposes; empty: none."""


class ShownPage(msgspec.Struct, frozen=True):
    """One of the open pages."""

    page: str
    """Id of the page."""
    title: str
    """Title of the page."""
    url: str
    """Address of the page."""


class Focus(msgspec.Struct, frozen=True):
    """What has the cursor: something to type in, and whether that is secret."""

    editable: bool = False
    secret: bool = False


class TakeoverView(msgspec.Struct, frozen=True, tag="seen"):
    """What a person sees. `image` is a JPEG of `width` × `height` CSS pixels of the page, None where nothing
    is newer than what they have. `version` grows with each change of anything here."""

    version: int
    image: bytes | None
    width: int
    height: int
    page: str
    pages: tuple[ShownPage, ...]
    url: str
    title: str
    focus: Focus
    dialog: OpenDialog | None
    notes: tuple[str, ...]
    viewers: int


class TakeoverActResult(msgspec.Struct, frozen=True, tag="acted"):
    """What was done of it; `problem` says why not all of it was."""

    focus: Focus
    problem: str | None = None


class TakeoverResult(msgspec.Struct, frozen=True, tag="finished"):
    """Where the pages are at the end, without what the person typed in secret; `kept` are the sites whose
    logins were kept."""

    url: str
    title: str
    kept: tuple[str, ...] = ()


class TakeoverLost(msgspec.Struct, frozen=True, tag="lost"):
    """The pages are gone, and why."""

    reason: str


class TakeoverRefusal(msgspec.Struct, frozen=True, tag="refused"):
    """It can't be done now; nothing was changed."""

    kind: str
    message: str


Answer = TakeoverView | TakeoverActResult | TakeoverResult | TakeoverLost | TakeoverRefusal
