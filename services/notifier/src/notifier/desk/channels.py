"""The person's channels as they are set now."""

import time

from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.notifications import Channel, ChannelStatus, Preferences
from agent_domain.notifications.book import NotificationBook
from agent_domain.personal.effective_settings import EffectiveSettings
from notifier.desk.desk import NoticePolicy
from notifier.settings import NotifierSettings

TRUSTED_S = 2.0


class Channels:
    """Reads the book; what was read is trusted for a moment."""

    def __init__(
        self,
        book: NotificationBook,
        settings: EffectiveSettings[NotifierSettings],
        *,
        trusted_s: float = TRUSTED_S,
    ) -> None:
        self._book = book
        self._trusted_s = trusted_s
        self._settings = settings
        self._read_at = 0.0
        self._policy = NoticePolicy(Preferences(), settings.told.notifications_limit, {})

    async def policy(self) -> NoticePolicy:
        """What holds now. A channel that is off, gone, or can't be read takes nothing."""
        if not self._read_at or time.monotonic() - self._read_at > self._trusted_s:
            statuses = await self._book.statuses()
            channels = {
                one.name: one.kinds
                for one in await self._book.channels()
                if isinstance(one, Channel)
                and one.enabled
                and not statuses.get(one.name, ChannelStatus()).gone
            }
            limit = (await self._settings.of(SYSTEM_AGENT)).notifications_limit
            self._policy = NoticePolicy(await self._book.preferences(), limit, channels)
            self._read_at = time.monotonic()
        return self._policy
