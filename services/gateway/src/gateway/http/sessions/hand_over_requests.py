"""What the API takes of a person who has an agent's browser in their hands."""

from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.questions import hand_over as told
from gateway.http.wire.request import Request

_FAR = 100_000
Pixels = Annotated[float, Field(ge=-_FAR, le=_FAR, description="CSS pixels of the page")]
Typed = Annotated[str, Field(max_length=told.LONGEST_TEXT, repr=False)]


class MouseInput(Request):
    """The mouse at a point of the page."""

    type: Literal["mouse"]
    action: Literal["move", "down", "up"]
    x: Pixels
    y: Pixels
    button: Literal["left", "middle", "right"] = "left"
    clicks: Annotated[int, Field(ge=1, le=3)] = 1

    def told(self) -> told.PersonsInput:
        """As pools take it."""
        return told.Mouse(self.action, self.x, self.y, self.button, self.clicks)


class WheelInput(Request):
    """The wheel at a point."""

    type: Literal["wheel"]
    x: Pixels
    y: Pixels
    dx: Pixels
    dy: Pixels

    def told(self) -> told.PersonsInput:
        """As pools take it."""
        return told.Wheel(self.x, self.y, self.dx, self.dy)


class KeyInput(Request):
    """A key, named as in `KeyboardEvent.key`, pressed and let go."""

    type: Literal["key"]
    key: Annotated[str, Field(min_length=1, max_length=20, repr=False)]
    ctrl: bool = False
    alt: bool = False
    shift: bool = False

    def told(self) -> told.PersonsInput:
        """As pools take it."""
        return told.Key(self.key, self.ctrl, self.alt, self.shift)


class TextInput(Request):
    """Text that is put where the cursor is, as by pasting."""

    type: Literal["text"]
    text: Typed

    def told(self) -> told.PersonsInput:
        """As pools take it."""
        return told.Text(self.text)


class DialogInput(Request):
    """The answer to the open dialog; `text` is what a prompt is given."""

    type: Literal["dialog"]
    accept: bool
    text: Typed = ""

    def told(self) -> told.PersonsInput:
        """As pools take it."""
        return told.AnswerDialog(self.accept, self.text)


class GoInput(Request):
    """A button of a browser."""

    type: Literal["go"]
    to: Literal["back", "forward", "reload"]

    def told(self) -> told.PersonsInput:
        """As pools take it."""
        return told.Go(self.to)


class ShowPageInput(Request):
    """Look at another page, or close this one."""

    type: Literal["show_page"]
    page: Annotated[str, Field(max_length=20)]
    close: bool = False

    def told(self) -> told.PersonsInput:
        """As pools take it."""
        return told.ShowPage(self.page, self.close)


class ResizeInput(Request):
    """The pages are so large from now on; the pool has bounds."""

    type: Literal["resize"]
    width: Annotated[int, Field(ge=1, le=_FAR)]
    height: Annotated[int, Field(ge=1, le=_FAR)]

    def told(self) -> told.PersonsInput:
        """As pools take it."""
        return told.Resize(self.width, self.height)


BrowserInput = Annotated[
    MouseInput | WheelInput | KeyInput | TextInput | DialogInput | GoInput | ShowPageInput | ResizeInput,
    Field(discriminator="type"),
]


class PostBrowserInputs(Request):
    """What the person did, in order."""

    inputs: Annotated[list[BrowserInput], Field(min_length=1, max_length=told.MOST_INPUTS)]


class EndHandOver(Request):
    """`done`, or the person won't. `keep_login`: what the visited sites stored is kept for the agent."""

    done: bool
    keep_login: bool = False
