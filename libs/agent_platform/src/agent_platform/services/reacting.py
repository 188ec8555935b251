"""Runs a service that reacts to what happens: `reaction.py` beside this declares one."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import msgspec
import structlog

from agent_contracts.event import Event
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import MESSAGE_ID, RecordedEvent
from agent_contracts.log.record.records import NewMessage, StoredMessage, event_of
from agent_contracts.log.subjects import WAKE_STREAM
from agent_contracts.wakes import CloudEventWake, Priority, WakeData
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock, SystemClock
from agent_platform.services.consuming.consumer import Delivery
from agent_platform.services.consuming.dead_letters import MaxDeliveriesListener
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.service import running_service
from agent_platform.settings.shared import ServiceSettings

OLDEST = timedelta(days=1)
"""What happened longer ago is history: a service that is new here is not told of all that ever was."""

log = structlog.get_logger()


class HappenedEvent(msgspec.Struct, frozen=True):
    """An event of a session, or of an agent where there is no session; its `address` is also its id."""

    event: Event
    address: str
    happened_at: str
    agent_id: AgentId
    session_id: SessionId | None


class Waker:
    """Wakes sessions and agents in the name of one service."""

    def __init__(self, name: str, stream: Log) -> None:
        """`stream` is `WAKE`."""
        self._name = name
        self._stream = stream

    async def wake(
        self,
        happened: HappenedEvent,
        message: str,
        *,
        agent: bool = False,
        data: Json = None,
        priority: Priority = "next",
    ) -> None:
        """Say something to the session in which it happened; with `agent`, to its agent, which begins another
        session. The model and people see whose it is.

        Once for what happened, however often this is called. `Transient` while it can't be stored.
        """
        target = f"agent/{happened.agent_id}" if agent else f"session/{happened.session_id}"
        wake = CloudEventWake(
            id=f"{happened.address} {target}",
            source=f"/{self._name}",
            type=f"{self._name}.reaction",
            specversion="1.0",
            subject=target,
            data=WakeData(message, data),
            priority=priority,
        )
        headers = {MESSAGE_ID: f"{self._name} {wake.id}"}
        subject = f"wake.{self._name}.reaction"
        await self._stream.append(NewMessage(subject, msgspec.json.encode(wake), headers))


Handle = Callable[[HappenedEvent, Waker], Awaitable[None]]
"""Handles one event. It may be called again for the same one, after a crash."""


class Reaction:
    """What is done with what a consumer delivers: events of these types, once they are all known."""

    def __init__(self, types: tuple[type[Event], ...], handle: Handle, waker: Waker, clock: Clock) -> None:
        self._types = types
        self._handle = handle
        self._waker = waker
        self._clock = clock

    def preview(self, delivery: Delivery, number: int) -> bool:
        """Whether there is anything to do."""
        return any(self._wanted(message) is not None for message in delivery.events)

    async def handle(self, delivery: Delivery) -> None:
        """Handle each event of the record, in order."""
        for message in delivery.events:
            recorded = self._wanted(message)
            if recorded is not None:
                await self._handle(_happened(recorded, message), self._waker)

    async def given_up(self, message: StoredMessage, reason: str) -> None:
        """The dead letter is all that is left to be told."""
        log.error("reaction.given_up", address=str(message.address), reason=reason)

    def _wanted(self, message: StoredMessage) -> RecordedEvent[Event] | None:
        recorded = event_of(message)
        if recorded is None or not isinstance(recorded.event, self._types):
            return None
        try:
            age = self._clock.now() - datetime.fromisoformat(recorded.envelope.time)
        except (ValueError, TypeError):
            return None  # nobody knows how old it is
        return None if age > OLDEST else recorded


async def react(
    declared: ServiceDeclaration, settings: ServiceSettings, types: tuple[type[Event], ...], handle: Handle
) -> None:
    """Call `handle` for each event of these types, in the order of the log where it can, until cancelled.

    What it raises decides what comes of it: `Transient` and whatever nobody foresaw is tried again, after a
    while and twenty times. Then, and with `Permanent`, it is set aside as a dead letter.
    """
    [spec] = declared.consumers
    async with running_service(declared, settings) as service:
        waker = Waker(declared.name, JetStreamLog(service.connection, stream=WAKE_STREAM))
        reaction = Reaction(types, handle, waker, SystemClock())
        async with asyncio.TaskGroup() as group:
            group.create_task(
                JetStreamConsumer(service, spec, reaction.handle, reaction.given_up, reaction.preview).run()
            )
            group.create_task(MaxDeliveriesListener(service, spec.name, reaction.given_up).run())


def _happened(recorded: RecordedEvent[Event], message: StoredMessage) -> HappenedEvent:
    family, agent_id, *rest = message.subject.split(".")
    session_id = SessionId(rest[1]) if family == "ses" else None
    return HappenedEvent(
        recorded.event, str(message.address), recorded.envelope.time, AgentId(agent_id), session_id
    )
