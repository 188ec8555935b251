"""A browser that a person takes over, and the logins that it keeps."""

from typing import Annotated, Literal

import msgspec

from agent_contracts.api.wire import RequestBody, ResponseBody
from agent_contracts.ids import SessionId
from agent_contracts.questions.takeover import MOST_INPUTS, Ending, OpenDialog, PersonsInput, ShownPage
from agent_contracts.timestamp import Timestamp


class KeptLogin(ResponseBody, frozen=True, kw_only=True):
    """A kept login without what it is made of. `session_id` is where it was kept."""

    site: str
    kept_at: Timestamp
    session_id: SessionId
    cookies: int


class ForgottenLogin(ResponseBody, frozen=True, kw_only=True):
    """Whether there was one."""

    forgotten: bool


class BrowserView(ResponseBody, frozen=True, kw_only=True):
    """What the pages look like. `image` is a JPEG in base64 of `width` × `height` CSS pixels; null where
    nothing is newer than `after`. `editable`: what has the cursor can be typed in; `secret`: like a password.

    `ended`: the pages are gone, for the `reason`, and with them the call is over.
    """

    version: int
    image: str | None
    width: int
    height: int
    page: str
    pages: list[ShownPage]
    url: str
    title: str
    editable: bool
    secret: bool
    dialog: OpenDialog | None
    notes: list[str]
    viewers: int
    ended: Literal["context_lost"] | None = None
    reason: str | None = None


class BrowserActed(ResponseBody, frozen=True, kw_only=True):
    """The field that has the cursor now: whether it takes text, and whether it is a password. `problem`: why
    some of the inputs were not carried out."""

    editable: bool
    secret: bool
    problem: str | None


class BrowserEnded(ResponseBody, frozen=True, kw_only=True):
    """How it ended; `kept` are the sites whose logins were kept for the agent."""

    ended: Ending
    kept: list[str]
    reason: str | None = None


class PostBrowserInputs(RequestBody, frozen=True, kw_only=True):
    """The inputs of the person, in order: clicks, keys, text, scrolling."""

    inputs: Annotated[list[PersonsInput], msgspec.Meta(min_length=1, max_length=MOST_INPUTS)]


class EndHandOver(RequestBody, frozen=True, kw_only=True):
    """`done`, or the person won't. `keep_login`: what the visited sites stored is kept for the agent."""

    done: bool
    keep_login: bool = False
