"""What people are told of a browser that was handed over to them."""

import base64

import msgspec

from agent_contracts.api.browser import BrowserView
from agent_contracts.questions.takeover import Focus, TakeoverView


def lost(version: int, reason: str) -> BrowserView:
    """Nothing is seen any more."""
    nothing = TakeoverView(version, None, 0, 0, "", (), "", "", Focus(), None, (), 0)
    return msgspec.structs.replace(viewed(nothing), ended="context_lost", reason=reason)


def viewed(seen: TakeoverView) -> BrowserView:
    """As the API gives it."""
    return BrowserView(
        version=seen.version,
        image=None if seen.image is None else base64.b64encode(seen.image).decode(),
        width=seen.width,
        height=seen.height,
        page=seen.page,
        pages=list(seen.pages),
        url=seen.url,
        title=seen.title,
        editable=seen.focus.editable,
        secret=seen.focus.secret,
        dialog=seen.dialog,
        notes=list(seen.notes),
        viewers=seen.viewers,
    )
