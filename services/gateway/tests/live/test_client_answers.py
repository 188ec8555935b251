"""What a client answers reaches whoever asked, at whichever gateway it arrives."""

import asyncio

from agent_platform.nats.connection import connect
from foldline_testing.agent_platform.servers import NatsForTest
from gateway.live.client_answers import ClientAnswers


async def test_an_answer_that_another_gateway_gets_reaches_the_one_that_asked(
    nats_server: NatsForTest,
) -> None:
    here, there = [await connect(nats_server.url, name=name) for name in ("here", "there")]
    try:
        asks, gets = ClientAnswers(here), ClientAnswers(there)
        async with asks.awaiting("desk", "q1") as answer:
            await gets.bring("other", "q1", b"of another client")
            await gets.bring("desk", "q2", b"to another question")
            await gets.bring("desk", "q1", b"first")
            await gets.bring("desk", "q1", b"second")
            async with asyncio.timeout(60):
                assert await answer == b"first"
        await gets.bring("desk", "q1", b"nobody waits any more")
        await there.flush()
    finally:
        await here.close()
        await there.close()
