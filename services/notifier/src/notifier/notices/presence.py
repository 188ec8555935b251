"""Who is looking at which session now, as their pages say."""

import time
from collections.abc import Callable

from cachetools import TTLCache
from nats.aio.msg import Msg

from agent_contracts.ids import SessionId

LOOKS_FOR_S = 45.0
"""A page in view says so each 20 s: after so many seconds of silence nobody looks."""
_MOST = 10_000


class PagePresence:
    """Remembered in memory alone: after a start, a page is known again within 20 s."""

    def __init__(self, timer: Callable[[], float] = time.monotonic) -> None:
        self._looking: TTLCache[str, bool] = TTLCache(_MOST, LOOKS_FOR_S, timer)

    def is_looking(self, session_id: SessionId) -> bool:
        """Whether somebody has the session before their eyes."""
        return session_id in self._looking

    async def heard(self, message: Msg) -> None:
        """A page said that it shows a session, or (`0`) that it doesn't any more."""
        session_id = message.subject.rpartition(".")[2]
        if message.data == b"0":
            self._looking.pop(session_id, None)
        else:
            self._looking[session_id] = True
