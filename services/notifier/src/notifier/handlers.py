"""What the notifier does with what reaches it: follows the log, and notes whom to tell of what."""

import asyncio
from contextlib import aclosing
from datetime import datetime, timedelta
from typing import Any

import msgspec
import structlog

from agent_contracts import service_names
from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.errors import Failure, Permanent, Rejected, Transient
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import event_of
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from agent_platform.process.interruption import Interruption
from agent_platform.secrecy.failure_text import bug_text
from notifier.desk import desk as rules
from notifier.desk.channels import Channels
from notifier.desk.desk import Desk
from notifier.desk.kept_desk import KeptDesk
from notifier.notices.presence import PagePresence
from notifier.notices.session_notices import SUBJECTS, SessionNotices

log = structlog.get_logger()

OLDEST = timedelta(hours=1)
"""What happened longer ago is history: nobody is told of it."""
CHECKPOINT_S = 5.0
_RETRY_S = 1.0


class LogFollower:
    """The way from the log to the desk. `trouble` is why it doesn't get on now, None if it does."""

    def __init__(  # noqa: PLR0913 — the parts that it stands between
        self,
        events: Log,
        noticing: SessionNotices,
        presence: PagePresence,
        channels: Channels,
        kept: KeptDesk,
        clock: Clock,
    ) -> None:
        self._log = events
        self._noticing = noticing
        self._presence = presence
        self._channels = channels
        self._kept = kept
        self._clock = clock
        self._seen = 0
        self.trouble: str | None = None

    @property
    def seen(self) -> int:
        """The log's sequence up to which everything was looked at."""
        return self._seen

    async def run(self) -> None:
        """Until cancelled. `Permanent` where another process took over."""
        self._seen = self._kept.current.checkpoint
        interruption = Interruption(service_names.NOTIFIER)
        while True:
            try:
                if interruption.lasts:
                    await self._log.last_sequence()
                    interruption.over()
                await self._follow()
                return  # the log was closed
            except (Transient, Rejected) as failure:
                self.trouble = failure.message
                interruption.hit(failure.message, sequence=self._seen)
            except Permanent:
                raise
            except Exception as error:  # a bug: what is sent goes on, and it looks again
                self.trouble = bug_text(error)
                interruption.hit(self.trouble, bug=error, sequence=self._seen)
            await asyncio.sleep(_RETRY_S)

    async def keep_checkpoints(self) -> None:
        """Note now and then how far the log was looked at, though nothing came of it."""
        while True:
            await asyncio.sleep(CHECKPOINT_S)
            try:
                await self.keep_checkpoint()
            except Transient as failure:
                log.info("checkpoint.not_kept", reason=failure.message)

    async def keep_checkpoint(self) -> None:
        """Note how far the log was looked at."""
        seen = self._seen
        await self._kept.change(lambda desk: _further(desk, seen))

    async def _follow(self) -> None:
        tail = self._log.tail(SUBJECTS, after=self._seen)
        async with aclosing(tail) as messages:
            async for message in messages:
                recorded = event_of(message)
                if recorded is not None:
                    await self.look_at(recorded)
                self._seen = message.sequence - (0 if message.part == message.parts - 1 else 1)
                self.trouble = None

    async def look_at(self, recorded: RecordedEvent[Any]) -> None:
        """Put on the desk what a person is told because of this event."""
        event, envelope = recorded.event, recorded.envelope
        if isinstance(event, EntityWritten) and event.kind is EntityKind.ERASED:
            await self._kept.change(lambda desk: rules.forget(desk, event.name))
            return
        if envelope.imported is not None or self._is_old(envelope.time):
            return
        policy = await self._channels.policy()
        if not policy.channels:
            return
        try:
            found = await self._noticing.notices(recorded)
        except Transient:
            raise
        except Failure as failure:
            log.error("event.not_told", sequence=recorded.sequence, kind=failure.kind, reason=failure.message)
            return
        except Exception:  # a bug: it would be one again, for ever, and nothing else would be told
            log.exception("event.bug", sequence=recorded.sequence)
            return
        told = [
            one for one in found if one.session_id is None or not self._presence.is_looking(one.session_id)
        ]
        if not told:
            return
        now, seen = self._clock.now().timestamp(), recorded.sequence

        def put(desk: Desk) -> Desk:
            for notice in told:
                desk = rules.admit(desk, notice, policy, now)
            return _further(desk, seen - 1)

        await self._kept.change(put)
        log.info("notice.noticed", sequence=seen, notices=len(told))

    def _is_old(self, moment: str) -> bool:
        try:
            return self._clock.now() - datetime.fromisoformat(moment) > OLDEST
        except (ValueError, TypeError):
            return True  # nobody knows how old it is


def _further(desk: Desk, sequence: int) -> Desk:
    return msgspec.structs.replace(desk, checkpoint=max(desk.checkpoint, sequence))
