"""Questions that take their time: what is in hand when the one who answers is stopped."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import pytest
from structlog.testing import capture_logs

from agent_contracts.errors import Transient
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.long_answers import QuestionServer, ask_patiently
from agent_platform.services.embedded.nats_config import MAX_PAYLOAD_BYTES

SUBJECT = "qry.test"


@dataclass
class Thinking:
    """Answers with the question, once it may."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, question: bytes) -> bytes:
        self.begun.set()
        await self.may_answer.wait()
        if question == b"fail":
            raise RuntimeError("a bug")
        if question == b"refuse":
            raise Transient("not now")
        if question == b"all":
            return b"x" * (MAX_PAYLOAD_BYTES + 1)
        return question


@pytest.fixture
def thinking() -> Thinking:
    return Thinking()


@asynccontextmanager
async def answered(connection: NatsConnection, thinking: Thinking) -> AsyncIterator["asyncio.Task[None]"]:
    answering = QuestionServer(
        connection, SUBJECT, "q", thinking.answer, failed=b"it failed", stopped=b"it stopped"
    )
    running = asyncio.create_task(answering.run())
    await asyncio.sleep(0)
    try:
        yield running
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def asked(connection: NatsConnection, thinking: Thinking, question: bytes) -> "asyncio.Task[bytes]":
    """A question, once it is in hand."""
    asking = asyncio.create_task(ask_patiently(connection, SUBJECT, question))
    await asyncio.wait({asking, asyncio.create_task(thinking.begun.wait())}, return_when="FIRST_COMPLETED")
    return asking


async def test_what_is_done_soon_is_answered_though_it_was_told_to_stop(
    connection: NatsConnection, thinking: Thinking
) -> None:
    async with answered(connection, thinking) as running:
        asking = await asked(connection, thinking, b"how?")
        running.cancel()
        await asyncio.sleep(0)
        thinking.may_answer.set()
        assert await asyncio.wait_for(asking, 60) == b"how?"


async def test_what_is_not_done_soon_is_told_so_and_nobody_is_asked_any_more(
    connection: NatsConnection, thinking: Thinking
) -> None:
    async with answered(connection, thinking):
        asking = await asked(connection, thinking, b"how?")
    assert await asyncio.wait_for(asking, 60) == b"it stopped"
    with pytest.raises(Transient, match="nobody"):
        await ask_patiently(connection, SUBJECT, b"and now?")


@pytest.mark.parametrize("question", [b"fail", b"refuse", b"all"])
async def test_where_the_answer_fails_that_is_the_answer(
    connection: NatsConnection, thinking: Thinking, question: bytes
) -> None:
    thinking.may_answer.set()
    async with answered(connection, thinking):
        assert await ask_patiently(connection, SUBJECT, question) == b"it failed"


async def test_what_nobody_waits_for_is_handled_without_an_answer(
    connection: NatsConnection, thinking: Thinking
) -> None:
    for said in (b"typed", b"fail"):
        with capture_logs() as logs:
            async with answered(connection, thinking):
                await connection.publish(SUBJECT, said)
                await thinking.begun.wait()
                thinking.may_answer.set()
        assert [one["event"] for one in logs] == (["question.failed"] if said == b"fail" else [])
        thinking.begun.clear()
