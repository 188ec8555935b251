"""Whether a request in the log can still reach anybody who works on it."""

from typing import Protocol

from agent_contracts.log.subjects import LOG_STREAM
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.errors import NOT_FOUND, ApiError


class WorkProgress(Protocol):
    """How far those are who work on requests."""

    async def acknowledged(self, consumer: str) -> int | None:
        """Every request up to this sequence was handled or given up. None: there is no such consumer."""
        ...


class ConsumerWork:
    """`WorkProgress` as the server knows it."""

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection

    async def acknowledged(self, consumer: str) -> int | None:
        """See the port. `Transient` while the server doesn't say."""
        try:
            info = await self._connection.api(f"CONSUMER.INFO.{LOG_STREAM}.{consumer}")
        except ApiError as error:
            if error.err_code in NOT_FOUND:
                return None
            raise error.as_failure(f"consumer {consumer}") from error
        return int(info["ack_floor"]["stream_seq"])
