"""Questions whose answers take their time: over core NATS, with signs of life until the answer comes."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Failure, Transient
from agent_contracts.questions.generation import SIGN_OF_LIFE, SIGN_OF_LIFE_S
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.stopping import finish_or_cancel

_SILENCE_S = 5 * SIGN_OF_LIFE_S
_ASKS_AGAIN_S = 0.1
_WANTED_S = 10.0
_SAID_AGAIN_S = 2.0
"""Seconds after which it is asked again whether a service is being started."""
STARTS_S = 120.0
"""Seconds that a service may take to start, on a machine with much else to do."""

log = structlog.get_logger()


async def ask_patiently(
    connection: NatsConnection, subject: str, question: bytes, *, starts_within_s: float = 0
) -> bytes:
    """The answer, however long it takes. `Transient` if nobody is there (of kind `no_responders`), or whoever
    was fell silent. Somebody who is just being started is waited for so long."""
    deadline = asyncio.get_running_loop().time() + starts_within_s
    while True:
        try:
            answers = await connection.request_all(
                subject, question, timeout=_SILENCE_S, is_last=lambda message: message.data != SIGN_OF_LIFE
            )
        except Transient as error:
            if error.kind != "no_responders" or asyncio.get_running_loop().time() >= deadline:
                raise
        else:
            return answers[-1].data
        await asyncio.sleep(_ASKS_AGAIN_S)


async def ask_at_need(connection: NatsConnection, subject: str, question: bytes, wanted: str) -> bytes:
    """The same of a service that is started by the first question, for as long as `wanted` is answered.

    `Transient` of kind `no_responders` where nobody starts it, or it didn't answer within two minutes.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + STARTS_S
    patience = 0.0
    while True:
        try:
            return await ask_patiently(connection, subject, question, starts_within_s=patience)
        except Transient as error:
            if error.kind != "no_responders" or loop.time() >= deadline:
                raise
        await connection.request(wanted, timeout=_WANTED_S)
        patience = _SAID_AGAIN_S


class QuestionServer:
    """Answers the questions that come on `subject` to one of the `queue`, each as a task of its own.

    `failed` is the answer where `answer` raises, or gives more than can be sent, `stopped` where `run` ended
    before it was done.
    """

    def __init__(  # noqa: PLR0913 — where it listens and the three answers
        self,
        connection: NatsConnection,
        subject: str,
        queue: str,
        answer: Callable[[bytes], Awaitable[bytes]],
        *,
        failed: bytes,
        stopped: bytes,
    ) -> None:
        self._connection = connection
        self._subject = subject
        self._queue = queue
        self._answer = answer
        self._failed = failed
        self._stopped = stopped
        self._in_hand: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Answer until cancelled.

        At the end, what is in hand has as long to finish as the messages of a consumer have; the rest is
        cancelled, and whoever asked is told so.
        """
        subscription = await self._connection.subscribe(self._subject, self._received, queue=self._queue)
        try:
            await asyncio.Event().wait()
        finally:
            await self._connection.drain(subscription)
            rest, stuck = await finish_or_cancel(self._in_hand)
            if rest:
                log.info("questions.cut_short", subject=self._subject, questions=rest, stuck=stuck)

    async def _received(self, message: Msg) -> None:
        task = asyncio.create_task(self._reply(message))
        self._in_hand.add(task)
        task.add_done_callback(self._in_hand.discard)

    async def _reply(self, message: Msg) -> None:
        async def made() -> bytes:
            return await self._answer(message.data)

        async def tell(answer: bytes) -> None:
            if message.reply:  # whoever tells something, such as what a person typed, waits for nothing
                await self._connection.publish(message.reply, answer)

        working = asyncio.create_task(made())
        try:
            while not (await asyncio.wait({working}, timeout=SIGN_OF_LIFE_S))[0]:
                await tell(SIGN_OF_LIFE)
            await tell(working.result())
        except asyncio.CancelledError:
            await tell(self._stopped)
            raise
        except Exception as error:
            if isinstance(error, Failure):  # of `answer`, or what it gave is too large
                log.warning("question.not_answered", subject=message.subject, reason=error.message)
            else:
                log.exception("question.failed", subject=message.subject)
            with suppress(Transient):  # the connection is closed: whoever asked sees that
                await tell(self._failed)
        finally:
            working.cancel()
            await asyncio.wait({working})
