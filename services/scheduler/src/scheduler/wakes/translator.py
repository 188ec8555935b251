"""The stream `WAKE` into the log, and the same over core NATS for what came by HTTP."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Failure, Permanent, Rejected
from agent_contracts.json_value import Json
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.subjects import query_subject, wake_source
from agent_contracts.questions.queries import (
    DELIVER_WAKE,
    DELIVER_WAKE_AGAIN,
    DeliverWake,
    DeliverWakeAgain,
    QueryAnswer,
)
from agent_contracts.wakes import PERSON, WakeOutcome, read_wake
from agent_domain.wakes.credentials import CredentialsRegister, WakeCredentials
from agent_platform.log.port import Log
from agent_platform.nats.connection import NatsConnection
from agent_platform.services.consuming.consumer import Delivery
from scheduler.wakes.deliveries import Deliveries
from scheduler.wakes.rates import Rates

_SCHEDULERS = "schedulers"
"""The queue group: each question is answered by one."""

_log = structlog.get_logger(__name__)


class Translator:
    """Checks who sent a wake, how large it is and how many came, and has it delivered."""

    def __init__(
        self, stream: Log, register: CredentialsRegister, rates: Rates, deliveries: Deliveries
    ) -> None:
        """`stream` is `WAKE`."""
        self._stream = stream
        self._register = register
        self._rates = rates
        self._deliveries = deliveries

    async def handle(self, delivery: Delivery) -> None:
        """One message of the stream. `Permanent`, and so a dead letter, for what can't become anything."""
        message = delivery.message
        try:
            source = wake_source(message.subject)
            allowed = await self._allowed(source, len(message.data))
            if delivery.is_first:
                await self._rates.take(source, allowed.rate)
            await self._deliver(source, allowed, message)
        except Rejected as error:
            raise Permanent(error.message, kind=error.kind) from error

    async def given_up(self, message: StoredMessage, reason: str) -> None:
        """The dead letter is all that is left to be told: whoever sent it isn't waiting."""
        _log.warning("wake.refused", subject=message.subject, sequence=message.sequence, reason=reason)

    async def deliver(self, data: bytes) -> Json:
        """A wake that came by HTTP, from a person or with credentials that the gateway has checked."""
        asked = msgspec.json.decode(data, type=DeliverWake)
        allowed = None
        if asked.source != PERSON:
            allowed = await self._allowed(asked.source, asked.size)
            await self._rates.take(asked.source, allowed.rate)
        return msgspec.to_builtins(await self._deliveries.deliver(asked.source, asked.wake, allowed))

    async def deliver_again(self, data: bytes) -> Json:
        """A message of the stream once more; it doesn't count towards the rate."""
        sequence = msgspec.json.decode(data, type=DeliverWakeAgain).sequence
        message = await self._stream.get(sequence)
        if message is None:
            raise Rejected(
                "the wake isn't stored any more: wakes are kept for 7 days. Discard the letter",
                kind="not_found",
            )
        source = wake_source(message.subject)
        allowed = await self._allowed(source, len(message.data))
        return msgspec.to_builtins(await self._deliver(source, allowed, message))

    async def answer(self, connection: NatsConnection) -> None:
        """Answer questions from now on."""
        answering: set[asyncio.Task[None]] = set()
        for name, respond in ((DELIVER_WAKE, self.deliver), (DELIVER_WAKE_AGAIN, self.deliver_again)):

            async def answer(message: Msg, respond: Callable[[bytes], Awaitable[Json]] = respond) -> None:
                task = asyncio.create_task(_respond(connection, message, respond))
                answering.add(task)
                task.add_done_callback(answering.discard)

            await connection.subscribe(query_subject(name), answer, queue=_SCHEDULERS)

    async def _deliver(self, source: str, allowed: WakeCredentials, message: StoredMessage) -> WakeOutcome:
        wake = read_wake(message.headers, message.data)
        return await self._deliveries.deliver(source, wake, allowed, message.sequence)

    async def _allowed(self, source: str, size: int) -> WakeCredentials:
        allowed = await self._register.find(source)
        if allowed is None:
            raise Rejected(
                f"there are no wake credentials {source!r}, or they were revoked: foldline wake-credentials "
                f"create {source}",
                kind="not_permitted",
            )
        if size > allowed.size:
            raise Rejected(
                f"the wake has {size:,} bytes, and {source} may send {allowed.size:,}", kind="too_large"
            )
        return allowed


async def _respond(
    connection: NatsConnection, message: Msg, respond: Callable[[bytes], Awaitable[Json]]
) -> None:
    try:
        given = QueryAnswer(value=await respond(message.data))
    except msgspec.DecodeError as error:
        given = QueryAnswer(error_kind="invalid_request", error=str(error))
    except Failure as failure:
        given = QueryAnswer.refused(failure)
    except Exception:
        _log.exception("query.failed")
        given = QueryAnswer(error_kind="internal", error="the scheduler failed; its log says why")
    await connection.publish(message.reply, msgspec.json.encode(given))
