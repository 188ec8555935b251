"""Questions to a service that is started by the first of them."""

import asyncio

import pytest
from nats.aio.msg import Msg

from agent_contracts.errors import Transient
from agent_platform.nats import long_answers
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.long_answers import ask_at_need
from foldline_testing.agent_platform.servers import NatsForTest


async def test_whoever_is_being_started_is_waited_for_as_long_as_somebody_says_so(
    nats_server: NatsForTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_answers, "_SAID_AGAIN_S", 0.05)
    asking = await connect(nats_server.url, name="asks")
    serving = await connect(nats_server.url, name="serves")
    said = asyncio.Semaphore(0)

    async def starting(message: Msg) -> None:
        await serving.publish(message.reply)
        said.release()

    async def answer(message: Msg) -> None:
        await serving.publish(message.reply, b"done")

    try:
        await serving.subscribe("qry.wanted", starting)
        asked = asyncio.create_task(ask_at_need(asking, "qry.work", b"?", "qry.wanted"))
        for _ in range(4):  # a single answer, once, would have ended its patience
            await said.acquire()
        await serving.subscribe("qry.work", answer)
        assert await asked == b"done"
    finally:
        await asking.close()
        await serving.close()


async def test_where_nobody_starts_it_that_is_said_at_once(nats_server: NatsForTest) -> None:
    asking: NatsConnection = await connect(nats_server.url, name="asks")
    try:
        with pytest.raises(Transient) as raised:
            await ask_at_need(asking, "qry.work", b"?", "qry.wanted")
        assert raised.value.kind == "no_responders"
    finally:
        await asking.close()
