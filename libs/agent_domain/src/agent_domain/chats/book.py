"""Who may write to an agent from another program, and how far the conversation with each is."""

import hashlib
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

from agent_contracts.api.chats import ChatChannelState, ChatPartner
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_platform.log.bucket import Bucket, BucketEntry
from agent_platform.process.clock import Clock, rfc3339

WAITS = timedelta(hours=1)
"""How long a code counts."""
MOST_WAITING = 20
"""People of one channel who wait at a time: others aren't answered, whoever they are."""
REMEMBERED = 1_000
"""Messages of one person that are recognised when they come again."""
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_CODE_LENGTH = 8
_PROGRESS = "progress"
_CURSOR = "received.at.cursor"
"""Three words, so that it is nobody's key."""


class ChatProgress(msgspec.Struct, frozen=True):
    """How far the conversation with one person is."""

    conversation: int = 0
    """How many they had before this one."""
    session_id: str | None = None
    """Where their next message goes; None: it begins a session."""
    turns: tuple[str, ...] = ()
    """What they weren't told the end of, as `SESSION/turns/TURN`, oldest first."""
    said_at: str = ""
    """When the newest of their messages that was said was written."""
    asked: str = ""
    """What they were asked and haven't answered; empty: nothing."""
    asked_at: str = ""
    """When they were asked that."""
    answered: str = ""
    """What they answered last."""
    seen: tuple[str, ...] = ()
    """Marks of the messages that came, newest last, also before they were allowed: a repeat of one changes
    nothing."""

    def has_seen(self, message_id: str) -> bool:
        """Whether this message came before."""
        return _mark(message_id) in self.seen

    def with_seen(self, message_id: str) -> "ChatProgress":
        """This, once the message came."""
        others = (one for one in self.seen if one != _mark(message_id))
        return msgspec.structs.replace(self, seen=(*others, _mark(message_id))[-REMEMBERED:])


class ChatBook:
    """Keeps them in a bucket. Each look reads it: who was removed is unknown at once."""

    def __init__(self, bucket: Bucket, clock: Clock) -> None:
        self._bucket = bucket
        self._clock = clock

    async def find(self, channel: str, partner_id: str) -> ChatPartner | None:
        """Who writes there; None: nobody whom a channel told a code within the hour, or a person allowed."""
        entry = await self._bucket.get(f"{channel}.{partner_id}")
        found = None if entry is None else msgspec.json.decode(entry.value, type=ChatPartner)
        return None if found is None or self._is_over(found) else found

    async def partners(self, channel: str | None = None) -> Sequence[ChatPartner]:
        """Everybody, of one channel or of all, with the session of each; who waits for a yes comes first."""
        entries = await (self._bucket.list() if channel is None else self._bucket.below(channel))
        found = [_with_session(entries, entry) for key, entry in entries.items() if key.count(".") == 1]
        there = [one for one in found if not self._is_over(one)]
        return sorted(there, key=lambda one: (one.allowed_at is not None, one.channel, one.asked_at))

    async def ask(self, channel: str, chat: str, sender: str, name: str) -> ChatPartner | None:
        """Note that somebody wants to write, under a new code; None: too many wait already."""
        waiting = [one for one in await self.partners(channel) if one.allowed_at is None]
        if len(waiting) >= MOST_WAITING:
            return None
        partner = ChatPartner(
            id=partner_id_of(channel, chat, sender),
            channel=channel,
            chat=chat,
            sender=sender,
            name=name[:100],
            code="".join(secrets.choice(_LETTERS) for _ in range(_CODE_LENGTH)),
            agent_id=None,
            session_id=None,
            asked_at=rfc3339(self._clock.now()),
            allowed_at=None,
        )
        await self._keep(partner)
        return partner

    async def allow(self, partner: ChatPartner, code: str, agent_id: AgentId) -> ChatPartner:
        """Let somebody write to an agent; once more changes nothing. `Rejected(kind="not_found")` if the code
        isn't theirs."""
        if partner.allowed_at is not None and partner.agent_id == agent_id:
            return partner
        said = code.strip().upper().replace("-", "")
        if partner.code is None or not secrets.compare_digest(said.encode(), partner.code.encode()):
            raise Rejected("Nobody was told this code within the last hour", kind="not_found")
        allowed = msgspec.structs.replace(
            partner, code=None, agent_id=agent_id, allowed_at=rfc3339(self._clock.now())
        )
        await self._keep(allowed)
        return allowed

    async def remove(self, partner: ChatPartner) -> None:
        """Let somebody write no more. Their session stays, and so do the marks of their messages: none of
        them is taken if they are allowed again."""
        seen = (await self.progress(partner)).seen
        await self._bucket.delete(f"{partner.channel}.{partner.id}")
        await self.keep(partner, ChatProgress(seen=seen))

    async def progress(self, partner: ChatPartner) -> ChatProgress:
        """How far the conversation is."""
        return await self._progress(partner.channel, partner.id)

    async def keep(self, partner: ChatPartner, progress: ChatProgress) -> None:
        """Note how far it is."""
        await self._keep_progress(partner.channel, partner.id, progress)

    async def saw(self, channel: str, partner_id: str, message_id: str) -> bool:
        """Whether a message of somebody came before, known or not."""
        return (await self._progress(channel, partner_id)).has_seen(message_id)

    async def see(self, channel: str, partner_id: str, message_id: str) -> None:
        """Note that a message came from somebody who isn't allowed yet: it is never taken."""
        progress = await self._progress(channel, partner_id)
        if not progress.has_seen(message_id):
            await self._keep_progress(channel, partner_id, progress.with_seen(message_id))

    async def cursor(self, channel: str) -> str:
        """Where a channel receives from next; empty: it never received anything."""
        entry = await self._bucket.get(f"{channel}.{_CURSOR}")
        return "" if entry is None else entry.value.decode()

    async def keep_cursor(self, channel: str, cursor: str) -> None:
        """Note where a channel receives from next."""
        await self._bucket.put(f"{channel}.{_CURSOR}", cursor.encode())

    async def channels(self) -> Sequence[ChatChannelState]:
        """Those that ran here."""
        found = (await self._bucket.list()).items()
        return [msgspec.json.decode(one.value, type=ChatChannelState) for key, one in found if "." not in key]

    async def tell(self, channel: str, problem: str | None) -> None:
        """Note that a channel works, or why it doesn't."""
        await self._note(channel, problem, heard=True)

    async def begin(self, channel: str) -> None:
        """Note that a channel was started: what was wrong before may be mended."""
        await self._note(channel, None, heard=False)

    async def _note(self, channel: str, problem: str | None, *, heard: bool) -> None:
        entry = await self._bucket.get(channel)
        known = None if entry is None else msgspec.json.decode(entry.value, type=ChatChannelState)
        if known is None or (known.problem, known.heard) != (problem, heard):
            now = rfc3339(self._clock.now())
            state = ChatChannelState(name=channel, problem=problem, heard=heard, changed_at=now)
            await self._bucket.put(channel, msgspec.json.encode(state))

    async def _progress(self, channel: str, partner_id: str) -> ChatProgress:
        entry = await self._bucket.get(f"{channel}.{partner_id}.{_PROGRESS}")
        return ChatProgress() if entry is None else msgspec.json.decode(entry.value, type=ChatProgress)

    async def _keep_progress(self, channel: str, partner_id: str, progress: ChatProgress) -> None:
        await self._bucket.put(f"{channel}.{partner_id}.{_PROGRESS}", msgspec.json.encode(progress))

    async def _keep(self, partner: ChatPartner) -> None:
        await self._bucket.put(f"{partner.channel}.{partner.id}", msgspec.json.encode(partner))

    def _is_over(self, partner: ChatPartner) -> bool:
        asked = datetime.fromisoformat(partner.asked_at)
        return partner.allowed_at is None and self._clock.now() - asked > WAITS


def full_channels(partners: Iterable[ChatPartner]) -> list[str]:
    """The channels on which nobody new gets a code, a sentence for each."""
    waiting = Counter(one.channel for one in partners if one.allowed_at is None)
    return [
        f"{channel}: {count} people wait to be allowed, so nobody else gets a code until you allow or remove "
        "one, or their hour is over"
        for channel, count in sorted(waiting.items())
        if count >= MOST_WAITING
    ]


def partner_id_of(channel: str, chat: str, sender: str) -> str:
    """The id of a person in a chat."""
    return hashlib.sha256("\0".join((channel, chat, sender)).encode()).hexdigest()[:32]


def _mark(message_id: str) -> str:
    return hashlib.sha256(message_id.encode()).hexdigest()[:16]


def _with_session(entries: Mapping[str, BucketEntry], entry: BucketEntry) -> ChatPartner:
    partner = msgspec.json.decode(entry.value, type=ChatPartner)
    progress = entries.get(f"{entry.key}.{_PROGRESS}")
    if progress is None:
        return partner
    session = msgspec.json.decode(progress.value, type=ChatProgress).session_id
    return msgspec.structs.replace(partner, session_id=session)
