"""How a person is reached away from the page: channels, preferences, browsers' subscriptions, tests."""

import hashlib
import os
from collections.abc import Sequence

import msgspec
from msgspec import UNSET
from msgspec.structs import asdict, replace

from agent_contracts.api.notifications import (
    ChangePreferences,
    ForgottenChannel,
    LookReceipt,
    Notifications,
    OfferedChannel,
    PushKey,
    ShownChannel,
    ShownPreferences,
    TestResult,
    WrittenChannel,
)
from agent_contracts.channels.kind import ChannelTarget
from agent_contracts.channels.registry import CHANNEL_KINDS
from agent_contracts.channels.web_push import WebPush
from agent_contracts.entities.notifications import (
    KINDS,
    MOST_CHANNELS,
    Channel,
    ChannelStatus,
    NoticeKind,
    Preferences,
    QuietHours,
)
from agent_contracts.errors import Rejected
from agent_contracts.ids import SessionId
from agent_domain.notifications.book import NotificationBook, UnreadableChannel
from agent_platform.settings.characters import cleaned
from gateway.operations.notifications.push_keys import new_private_key, public_key_of
from gateway.operations.notifications.rules import (
    check_channel,
    check_quiet,
    checked_address,
    cleaned_target,
    led_to,
)
from gateway.operations.ports import Notifier

_SECRET_BYTES = 32
OFFERED = [
    OfferedChannel(kind=kind, title=one.title, by_hand=one.by_hand, inputs=one.inputs)
    for kind, one in CHANNEL_KINDS.items()
]
"""The kinds of channels that can be made."""


class NewChannel(msgspec.Struct, frozen=True):
    """What is asked for. Without a target, the one of that name keeps its own."""

    name: str
    target: ChannelTarget | None
    kinds: Sequence[NoticeKind] = KINDS
    enabled: bool = True


class NotificationChannels:
    """The person's ways to be reached. Credentials go in, and never come out."""

    def __init__(self, book: NotificationBook, notifier: Notifier) -> None:
        self._book = book
        self._notifier = notifier

    async def overview(self) -> Notifications:
        """All there is, and how it does."""
        statuses = await self._book.statuses()
        channels = [
            _shown(one, statuses.get(one.name, ChannelStatus())) for one in await self._book.channels()
        ]
        preferences = _preferences(await self._book.preferences())
        return Notifications(channels=channels, preferences=preferences, offered=OFFERED)

    async def put(self, new: NewChannel) -> WrittenChannel:
        """Make a channel, or change it."""
        known = await self._book.channel(new.name)
        before = known if isinstance(known, Channel) else None
        target = cleaned_target(new.target) if new.target else before.target if before else None
        if target is None:
            raise Rejected(f"Say where the channel {new.name} leads", kind="invalid_request")
        target, made = _completed(target, before.target if before else None)
        channel = Channel(new.name, target, tuple(new.kinds), new.enabled)
        check_channel(channel)
        if known is None and len(await self._book.channels()) >= MOST_CHANNELS:
            raise Rejected(f"There are {MOST_CHANNELS} channels already: delete one", kind="invalid_request")
        await self._book.put(channel)
        if before is None or before.target != target:
            await self._book.forget_status(new.name)
        status = (await self._book.statuses()).get(new.name, ChannelStatus())
        return WrittenChannel(**msgspec.to_builtins(_shown(channel, status)), secret=made)

    async def delete(self, name: str) -> ForgottenChannel:
        """Forget a channel. What waits to be sent by it is not sent any more."""
        deleted = await self._book.delete(name)
        await self._book.forget_status(name)
        return ForgottenChannel(deleted=deleted)

    async def channel(self, name: str) -> ShownChannel:
        """One channel, and how it does."""
        found = await self._book.channel(name)
        if found is None:
            raise Rejected(f"There is no channel named {name}", kind="not_found")
        return _shown(found, (await self._book.statuses()).get(name, ChannelStatus()))

    async def preferences(self) -> ShownPreferences:
        """What holds for all channels."""
        return _preferences(await self._book.preferences())

    async def change_preferences(self, change: ChangePreferences) -> ShownPreferences:
        """Change what is named of what holds for all channels."""
        stored = await self._book.preferences()
        if change.show_text is not UNSET:
            stored = replace(stored, show_text=change.show_text)
        if change.quiet is not UNSET:
            quiet = None if change.quiet is None else QuietHours(**asdict(change.quiet))
            if quiet is not None:
                check_quiet(quiet)
            stored = replace(stored, quiet=quiet)
        if change.address is not UNSET:
            address = checked_address(cleaned(change.address)) if change.address else None
            stored = replace(stored, address=address)
        await self._book.put_preferences(stored)
        return _preferences(stored)

    async def test(self, name: str) -> TestResult:
        """Have a test message sent now, once; whether it was taken. `Transient` if no notifier is there."""
        if await self._book.channel(name) is None:
            raise Rejected(f"There is no channel named {name}", kind="not_found")
        outcome = await self._notifier.test(name)
        return TestResult(delivered=outcome.delivered, error=outcome.error)

    async def push_key(self) -> PushKey:
        """The key for browsers, made when it is first asked for."""
        known = await self._book.vapid_key()
        if known is None:
            known = await self._book.vapid_key_or_new(new_private_key())
        return PushKey(public_key=public_key_of(known))

    async def subscribe(self, subscription: WebPush) -> WrittenChannel:
        """A browser wants messages. The same again is the same channel."""
        name = "browser-" + hashlib.sha256(subscription.endpoint.encode()).hexdigest()[:12]
        known = await self._book.channel(name)
        kinds = known.kinds if isinstance(known, Channel) else KINDS
        await self._book.forget_status(name)
        return await self.put(NewChannel(name, subscription, kinds))

    async def looking(self, session_id: SessionId, visible: bool) -> LookReceipt:
        """A page has this session before a person's eyes, or has no longer. Said again each 20 s."""
        await self._notifier.looking(session_id, visible)
        return LookReceipt(session_id=session_id, visible=visible)


def _completed(target: ChannelTarget, before: ChannelTarget | None) -> tuple[ChannelTarget, str | None]:
    """The target with the secret that its kind makes where it is left out, and that secret if it is new. That
    of before stays."""
    kind = CHANNEL_KINDS[target.kind]
    if kind.make is None or getattr(target, kind.made):
        return target, None
    kept = getattr(before, kind.made) if isinstance(before, kind.shape) else None
    made = None if kept else kind.make(os.urandom(_SECRET_BYTES))
    return msgspec.structs.replace(target, **{kind.made: kept or made}), made


def _shown(channel: Channel | UnreadableChannel, status: ChannelStatus) -> ShownChannel:
    readable = isinstance(channel, Channel)
    return ShownChannel(
        name=channel.name,
        kind=channel.target.kind if isinstance(channel, Channel) else None,
        noun=CHANNEL_KINDS[channel.target.kind].noun if isinstance(channel, Channel) else "channel",
        leads_to=led_to(channel.target) if isinstance(channel, Channel) else None,
        kinds=list(channel.kinds) if isinstance(channel, Channel) else [],
        enabled=isinstance(channel, Channel) and channel.enabled,
        readable=readable,
        delivered_at=status.delivered_at,
        failed_at=status.failed_at,
        error=status.error,
        failures=status.failures,
        gone=status.gone,
    )


def _preferences(stored: Preferences) -> ShownPreferences:
    return ShownPreferences(show_text=stored.show_text, quiet=stored.quiet, address=stored.address)
