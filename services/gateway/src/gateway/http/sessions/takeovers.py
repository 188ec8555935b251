"""A browser that an agent handed over to a person, by `browser_hand_over`, while that call is pending."""

from typing import Annotated

from fastapi import Query

from agent_contracts.api.browser import (
    BrowserActed,
    BrowserEnded,
    BrowserView,
    EndHandOver,
    PostBrowserInputs,
)
from gateway.http.wire.parameters import CallPath, SessionPath, Using
from gateway.http.wire.resource import resource

router = resource("browser", "/sessions/{session_id}/calls/{call_id}/browser")

Viewer = Annotated[
    str,
    Query(pattern="^[A-Za-z0-9_-]{1,64}$", description="A name for the page that looks; each has its own."),
]
After = Annotated[
    int,
    Query(
        ge=0,
        le=2**53,
        description="The `version` that you have. The answer waits a while for a newer one.",
    ),
]


@router.get("", operation_id="lookAtBrowser")
async def look_at_browser(
    operations: Using, session_id: SessionPath, call_id: CallPath, viewer: Viewer, after: After = 0
) -> BrowserView:
    """What the pages look like, once that is newer than `after`, or else after a few seconds: ask again and
    again. Who asks slowly misses pictures, never the newest."""
    return await operations.hand_overs.look(session_id, call_id, viewer, after)


@router.post(":act", operation_id="postBrowserInputs")
async def post_browser_inputs(
    operations: Using, session_id: SessionPath, call_id: CallPath, body: PostBrowserInputs
) -> BrowserActed:
    """Do in the page what a person did in its picture. Kept nowhere."""
    return await operations.hand_overs.act(session_id, call_id, body.inputs)


@router.post(":end", operation_id="endHandOver")
async def end_hand_over(
    operations: Using, session_id: SessionPath, call_id: CallPath, body: EndHandOver
) -> BrowserEnded:
    """Give the browser back: the call ends, and the agent goes on."""
    return await operations.hand_overs.end(session_id, call_id, done=body.done, keep_login=body.keep_login)
