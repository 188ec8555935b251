"""What a client answers in the middle of its call: a request of its own, which any gateway may get."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from nats.aio.msg import Msg

from agent_contracts.log.subjects import mcp_answer_subject
from agent_platform.nats.connection import NatsConnection

Answer = asyncio.Future[bytes]
"""The JSON-RPC response, as it was sent."""


class ClientAnswers:
    """Where answers come in, by the client's name and the question's id: over core NATS."""

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection

    @asynccontextmanager
    async def awaiting(self, client: str, question: str) -> AsyncIterator[Answer]:
        """For as long as the block runs, its answer is wanted; the first one counts."""
        answer: Answer = asyncio.get_running_loop().create_future()

        async def heard(message: Msg) -> None:
            if not answer.done():
                answer.set_result(message.data)

        subscription = await self._connection.subscribe(mcp_answer_subject(client, question), heard)
        await self._connection.flush()  # the server knows it before anybody can answer
        try:
            yield answer
        finally:
            await self._connection.unsubscribe(subscription)

    async def bring(self, client: str, question: str, answer: bytes) -> None:
        """Nothing happens where nobody waits for it (any more)."""
        await self._connection.publish(mcp_answer_subject(client, question), answer)
