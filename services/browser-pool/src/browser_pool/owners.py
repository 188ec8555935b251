"""Whose browser a session uses: its own, or that of a session above it that it was told to share."""

from agent_contracts.ids import SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_domain.sessions.above import SessionsAbove
from agent_platform.log.port import Log


class BrowserOwners:
    """Finds owners."""

    def __init__(self, log: Log) -> None:
        self._above = SessionsAbove(log)

    async def of(self, session: SessionKey) -> SessionId:
        """The session that the browser belongs to."""
        return (await self._above.top(session, lambda made: made.browser == "parent")).session_id
