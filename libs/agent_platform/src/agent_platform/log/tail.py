"""Following a stream: an ephemeral consumer, made anew from the last seen message on after interruptions."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncGenerator, Sequence

import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Transient
from agent_contracts.log.record.records import StoredMessage
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.deliveries import delivered_at
from agent_platform.nats.errors import ApiError
from agent_platform.nats.pulls import ConsumerGone, Pulls

_log = structlog.get_logger(__name__)

WINDOW = 256
"""Messages that may lie unread on our side: a slow reader holds the server back, not our memory."""

_INACTIVE_S = 45
_NANOSECONDS = 1_000_000_000
_RETRY_S = 0.2


class Tail:
    """One reader of `subjects` from after sequence `after` on. `messages` may be called once."""

    def __init__(self, connection: NatsConnection, stream: str, subjects: Sequence[str], after: int) -> None:
        self._connection = connection
        self._stream = stream
        self._subjects = list(subjects)
        self._seen = after

    async def messages(self) -> AsyncGenerator[StoredMessage, None]:
        """In order, without gap or repeat, until the connection is closed or the caller stops."""
        while not self._connection.is_closed:
            try:
                consumer = await self._create_consumer()
            except Transient:
                await asyncio.sleep(0 if self._connection.is_closed else _RETRY_S)
                continue
            async with contextlib.aclosing(self._follow(consumer)) as messages:
                async for message in messages:
                    self._seen = message.sequence
                    yield message

    async def _create_consumer(self) -> str:
        await self._connection.until_connected()
        name = f"tail-{secrets.token_hex(8)}"
        config = {
            "name": name,
            "ack_policy": "none",
            "deliver_policy": "by_start_sequence",
            "opt_start_seq": self._seen + 1,
            "filter_subjects": self._subjects,
            "inactive_threshold": _INACTIVE_S * _NANOSECONDS,
            "mem_storage": True,
            "num_replicas": 1,
        }
        request = {"stream_name": self._stream, "config": config, "action": "create"}
        try:
            await self._connection.api(f"CONSUMER.CREATE.{self._stream}.{name}", request)
        except ApiError as error:
            raise error.as_failure(f"follow {self._subjects}") from error
        return name

    async def _follow(self, consumer: str) -> AsyncGenerator[StoredMessage, None]:
        """What one consumer delivers, until it can't be trusted to be gapless any more."""
        arrived: asyncio.Queue[Msg | None] = asyncio.Queue()
        pulls = Pulls(self._connection, self._stream, consumer, WINDOW, arrived.put_nowait)
        pulling = asyncio.create_task(pulls.until_interrupted())
        pulling.add_done_callback(lambda _: arrived.put_nowait(None))
        expected = 1
        try:
            while (message := await arrived.get()) is not None:
                at = delivered_at(message)
                if at.consumer_sequence != expected:
                    _log.warning("tail.gap", stream=self._stream, expected=expected, got=at.consumer_sequence)
                    return
                expected += 1
                pulls.release()
                yield StoredMessage(
                    at.stream_sequence, message.subject, message.data, dict(message.headers or {})
                )
        finally:
            pulling.cancel()
            with contextlib.suppress(asyncio.CancelledError, ConsumerGone, Transient):
                await pulling
