"""Where a person wants to be reached: channels and preferences, encrypted, and how the channels do.

The gateway writes channels and preferences, the notifier their status. An entry is sealed with the key of
the user's secrets and bound to its place: moved, it can't be read.
"""

from typing import TypeVar

import msgspec

from agent_contracts.entities.notifications import (
    CHANNELS,
    PREFERENCES,
    STATUSES,
    VAPID,
    Channel,
    ChannelStatus,
    Preferences,
)
from agent_contracts.errors import Conflict, Permanent, Rejected
from agent_domain.secrets.key import SecretsKey
from agent_platform.log.bucket import Bucket

_FORMAT = b"\x01"

T = TypeVar("T")


class UnreadableChannel(msgspec.Struct, frozen=True):
    """A channel that was stored with another key, or whose kind is declared differently now: nothing is sent
    there until it is set again."""

    name: str


class NotificationBook:
    """The bucket `notifications`. Nothing but a stored entry needs the key."""

    def __init__(self, bucket: Bucket, key: SecretsKey) -> None:
        self._bucket = bucket
        self._key = key

    async def channels(self) -> list[Channel | UnreadableChannel]:
        """All, by name."""
        found = await self._bucket.below(CHANNELS)
        return [
            self._opened(key, entry.value, Channel) or UnreadableChannel(key.partition(".")[2])
            for key, entry in sorted(found.items())
        ]

    async def channel(self, name: str) -> Channel | UnreadableChannel | None:
        """One; None if there is none of this name."""
        key = f"{CHANNELS}.{name}"
        entry = await self._bucket.get(key)
        return None if entry is None else self._opened(key, entry.value, Channel) or UnreadableChannel(name)

    async def put(self, channel: Channel) -> None:
        """Store a channel in place of the one before."""
        await self._seal(f"{CHANNELS}.{channel.name}", channel)

    async def delete(self, name: str) -> bool:
        """Forget a channel; whether there was one."""
        key = f"{CHANNELS}.{name}"
        if await self._bucket.get(key) is None:
            return False
        await self._bucket.delete(key)
        return True

    async def preferences(self) -> Preferences:
        """What holds for all channels. Preferences of another key are as if there were none, but say less."""
        entry = await self._bucket.get(PREFERENCES)
        if entry is None:
            return Preferences()
        return self._opened(PREFERENCES, entry.value, Preferences) or Preferences(show_text=False)

    async def put_preferences(self, preferences: Preferences) -> None:
        """Store them in place of those before."""
        await self._seal(PREFERENCES, preferences)

    async def statuses(self) -> dict[str, ChannelStatus]:
        """How the channels do that anything was sent by, by name."""
        found = await self._bucket.below(STATUSES)
        return {
            key.partition(".")[2]: msgspec.json.decode(entry.value, type=ChannelStatus)
            for key, entry in found.items()
        }

    async def put_status(self, name: str, status: ChannelStatus) -> None:
        """Note how a channel does."""
        await self._bucket.put(f"{STATUSES}.{name}", msgspec.json.encode(status))

    async def forget_status(self, name: str) -> None:
        """A channel leads elsewhere, or is no more: what became of earlier attempts says nothing of it."""
        if await self._bucket.get(f"{STATUSES}.{name}") is not None:
            await self._bucket.delete(f"{STATUSES}.{name}")

    async def vapid_key(self) -> str | None:
        """The private key by which push services know this installation (raw, base64url); None if none was
        made yet, or it was stored with another key."""
        entry = await self._bucket.get(VAPID)
        return None if entry is None else self._opened(VAPID, entry.value, str)

    async def vapid_key_or_new(self, new: str) -> str:
        """As `vapid_key`; without one, `new` is it from now on. Of two at once, one wins."""
        known = await self.vapid_key()
        if known is not None:
            return known
        entry = await self._bucket.get(VAPID)
        try:
            await self._seal(VAPID, new, expect=entry.revision if entry else 0)
        except Conflict:
            known = await self.vapid_key()
            if known is None:
                raise Permanent("The key for web push is gone right after it was made") from None
            return known
        return new

    async def _seal(self, key: str, value: object, *, expect: int | None = None) -> None:
        # Heavy: only who keeps secrets pays for it.
        from agent_domain.secrets.sealing import seal

        text = msgspec.json.encode(value).decode()
        sealed = seal(self._key.read_or_make(), text, _about(key))
        await self._bucket.put(key, _FORMAT + sealed, expect=expect)

    def _opened(self, key: str, value: bytes, of: type[T]) -> T | None:
        # Heavy: only who keeps secrets pays for it.
        from agent_domain.secrets.sealing import unseal

        try:
            text = unseal(self._key.read(), value.removeprefix(_FORMAT), _about(key))
        except Rejected as error:
            if error.kind == "no_secrets_key":
                return None
            raise
        try:
            return None if text is None else msgspec.json.decode(text, type=of)
        except msgspec.ValidationError:
            return None  # of a kind that isn't declared any more, or whose members are others now


def _about(key: str) -> bytes:
    return f"notifications/{key}".encode()
