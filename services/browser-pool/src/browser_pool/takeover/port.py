"""The port by which a tool hands the browser over."""

from datetime import datetime
from typing import Any

from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.context import CallContext
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.takeover.takeovers import Takeovers


class TakeoverRequests:
    """The person whom the session's browser can be handed to."""

    def __init__(self, hand_overs: Takeovers, browser: SessionBrowser, call: CallContext) -> None:
        self._hand_overs = hand_overs
        self._browser = browser
        self._call = call

    async def take_over(self) -> tuple[dict[str, Any], datetime]:
        """The context is the person's from now on: where it is, and until when. For a call that was begun
        before, the same. `Rejected` where no page is open."""
        call = self._call
        begun = self._hand_overs.of(call.session_id, call.call_id)
        if begun is not None and begun.holds and begun.context.lost is None:
            page = await begun.context.page()
            return {"url": begun.context.typed.without(page.url[:2_000])}, begun.expires_at
        async with self._browser.visit() as visit:
            if not visit.page.url.startswith(("http://", "https://")):
                raise Rejected(
                    "no page is open that a person could go on with: open it by browser_navigate first",
                    kind=ErrorKind.NOT_FOUND,
                )
            at = self._browser.discreet(await visit.where())
            made = await self._hand_overs.begin(call.agent_id, call.session_id, call.call_id, visit.context)
        return at, made.expires_at
