"""Gives up messages that reached their last delivery without any answer: each attempt killed its process.

The server tells of them once, by an advisory. The stream `ADVISORY` keeps it until someone listens.
"""

import msgspec
import structlog

from agent_contracts.errors import Permanent
from agent_contracts.log.record.records import StoredMessage
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.consumer_spec import advisory_spec
from agent_platform.services.consuming.consumer import Delivery, Exhausted
from agent_platform.services.consuming.dead_letter import DeadLetterStore
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import ServiceRuntime

_log = structlog.get_logger(__name__)


class _Advisory(msgspec.Struct, frozen=True):
    stream: str
    consumer: str
    stream_seq: int
    deliveries: int


class MaxDeliveriesListener:
    """Calls `exhausted` and writes the dead letter for each message that `consumer` exhausted."""

    def __init__(self, service: ServiceRuntime, consumer: str, exhausted: Exhausted) -> None:
        self._consumer = consumer
        self._exhausted = exhausted
        self._log = JetStreamLog(service.connection)
        self._dead_letters = DeadLetterStore(service.connection)
        self._advisories = JetStreamConsumer(service, advisory_spec(consumer), self._handle, self._unreadable)

    async def run(self) -> None:
        """Listen until cancelled."""
        await self._advisories.run()

    async def _handle(self, delivery: Delivery) -> None:
        try:
            advisory = msgspec.json.decode(delivery.message.data, type=_Advisory)
        except msgspec.DecodeError as error:
            raise Permanent(f"not an advisory: {error}", kind="bad_advisory") from error
        message = await self._log.get(advisory.stream_seq)
        if message is None:
            _log.warning("dead_letter.message_gone", consumer=self._consumer, sequence=advisory.stream_seq)
            return
        reason = f"delivered {advisory.deliveries} times, never answered"
        _log.error("message.exhausted", consumer=self._consumer, sequence=message.sequence, reason=reason)
        await self._exhausted(message, reason)
        await self._dead_letters.put(advisory.stream, advisory.consumer, message, reason, advisory.deliveries)

    async def _unreadable(self, message: StoredMessage, reason: str) -> None:
        _log.error("advisory.unreadable", sequence=message.sequence, reason=reason)
