"""What people are told of a browser that was handed over to them."""

import base64
from typing import Literal

from agent_contracts.questions.hand_over import Ending, Focus, Seen
from gateway.queries.view import View


class BrowserPage(View):
    """One of the open pages."""

    page: str
    title: str
    url: str


class BrowserDialog(View):
    """A dialog that waits for an answer; `default` is what a prompt proposes."""

    kind: str
    message: str
    default: str


class BrowserView(View):
    """What the pages look like. `image` is a JPEG in base64 of `width` × `height` CSS pixels; null where
    nothing is newer than `after`. `editable`: what has the cursor can be typed in; `secret`: like a password.

    `ended`: the pages are gone, for the `reason`, and with them the call is over.
    """

    version: int
    image: str | None
    width: int
    height: int
    page: str
    pages: list[BrowserPage]
    url: str
    title: str
    editable: bool
    secret: bool
    dialog: BrowserDialog | None
    notes: list[str]
    viewers: int
    ended: Literal["context_lost"] | None = None
    reason: str | None = None


class BrowserActed(View):
    """What has the cursor now. `problem`: why not all of it was done."""

    editable: bool
    secret: bool
    problem: str | None


class BrowserEnded(View):
    """How it ended; `kept` are the sites whose logins were kept for the agent."""

    ended: Ending
    kept: list[str]
    reason: str | None = None


def lost(version: int, reason: str) -> BrowserView:
    """Nothing is seen any more."""
    nothing = Seen(version, None, 0, 0, "", (), "", "", Focus(), None, (), 0)
    return viewed(nothing).model_copy(update={"ended": "context_lost", "reason": reason})


def viewed(seen: Seen) -> BrowserView:
    """As the API gives it."""
    dialog = seen.dialog
    return BrowserView(
        version=seen.version,
        image=None if seen.image is None else base64.b64encode(seen.image).decode(),
        width=seen.width,
        height=seen.height,
        page=seen.page,
        pages=[BrowserPage(page=one.page, title=one.title, url=one.url) for one in seen.pages],
        url=seen.url,
        title=seen.title,
        editable=seen.focus.editable,
        secret=seen.focus.secret,
        dialog=BrowserDialog(kind=dialog.kind, message=dialog.message, default=dialog.default)
        if dialog
        else None,
        notes=list(seen.notes),
        viewers=seen.viewers,
    )
