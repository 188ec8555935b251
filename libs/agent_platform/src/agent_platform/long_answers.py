"""Questions whose answers take their time: over core NATS, with signs of life until the answer comes."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Failure
from agent_contracts.generation import SIGN_OF_LIFE, SIGN_OF_LIFE_S
from agent_platform.connection import Connection

_SILENCE_S = 5 * SIGN_OF_LIFE_S

log = structlog.get_logger()


async def ask_patiently(connection: Connection, subject: str, question: bytes) -> bytes:
    """The answer, however long it takes. `Transient` if nobody is there, or whoever was fell silent."""
    answers = await connection.request_all(
        subject, question, timeout=_SILENCE_S, is_last=lambda message: message.data != SIGN_OF_LIFE
    )
    return answers[-1].data


def answering(
    connection: Connection, answer: Callable[[bytes], Awaitable[bytes]], failed: bytes
) -> Callable[[Msg], Awaitable[None]]:
    """Answer questions as tasks of their own; `failed` is the answer where `answer` raises.

    What is in hand goes on until the loop ends it: whoever asked is told nothing then, and gives up.
    """
    working: set[asyncio.Task[None]] = set()

    async def received(message: Msg) -> None:
        task = asyncio.create_task(_reply(connection, answer, failed, message))
        working.add(task)
        task.add_done_callback(working.discard)

    return received


async def _reply(
    connection: Connection, answer: Callable[[bytes], Awaitable[bytes]], failed: bytes, message: Msg
) -> None:
    async def made() -> bytes:
        return await answer(message.data)

    working = asyncio.create_task(made())
    try:
        while not (await asyncio.wait({working}, timeout=SIGN_OF_LIFE_S))[0]:
            await connection.publish(message.reply, SIGN_OF_LIFE)
        await connection.publish(message.reply, working.result())
    except Failure as failure:
        log.warning("question.not_answered", subject=message.subject, reason=failure.message)
    except Exception:
        log.exception("question.failed", subject=message.subject)
        await connection.publish(message.reply, failed)
    finally:
        working.cancel()
