"""An answer to a request that came before NATS was restarted: nobody may get it, and nobody waits for it."""

import asyncio
from collections.abc import Callable

import pytest
from nats.aio.msg import Msg
from structlog.testing import capture_logs

from agent_contracts.errors import Transient
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.errors import PermissionDenied
from agent_platform.nats.user import OFTEN, ONCE, NatsUser
from foldline_testing.agent_platform.eventually import until
from foldline_testing.agent_platform.servers import NatsForTest

DENIED = "nats.permission_denied"


@pytest.mark.parametrize("answers", [ONCE, OFTEN])
async def test_it_is_no_error_that_nobody_may_get_it(
    nats_servers: Callable[..., NatsForTest], answers: str
) -> None:
    server = _server(nats_servers, answers)
    asking, answering = await _connected(server)
    asked: asyncio.Queue[Msg] = asyncio.Queue()
    await answering.subscribe("qry.a", asked.put)
    await answering.flush()
    try:
        with capture_logs() as said:
            waiting = asyncio.create_task(asking.request("qry.a", b"", timeout=60))
            request = await asyncio.wait_for(asked.get(), 60)
            server.kill()
            with pytest.raises(Transient):
                await waiting
            server.restart()
            await answering.until_connected(60)
            await answering.publish(request.reply, b"late")
            await answering.flush()
            await until(lambda: any(one["event"] == "nats.late_answer" for one in said))
            assert [one for one in said if one["event"] == DENIED] == []
            await answering.publish("qry.forbidden", b"")
            await answering.flush()
            await until(lambda: any(one["event"] == DENIED for one in said))
    finally:
        await asyncio.gather(asking.close(), answering.close())


async def test_who_may_not_answer_at_all_is_told_so(nats_servers: Callable[..., NatsForTest]) -> None:
    server = _server(nats_servers, None)
    asking, answering = await _connected(server)
    try:
        with capture_logs() as said:
            await answering.publish("_INBOX.asking.x", b"")
            await answering.flush()
            await until(lambda: any(one["event"] == DENIED for one in said))
        with pytest.raises(PermissionDenied):
            await answering.request("qry.forbidden", b"", timeout=60)
    finally:
        await asyncio.gather(asking.close(), answering.close())


def _server(nats_servers: Callable[..., NatsForTest], answers: str | None) -> NatsForTest:
    return nats_servers(
        (
            NatsUser("asking", "a-password", ("qry.a",), ("_INBOX.asking.>",)),
            NatsUser("answering", "b-password", ("nothing",), ("_INBOX.answering.>", "qry.a"), answers),
        )
    )


async def _connected(server: NatsForTest) -> tuple[NatsConnection, NatsConnection]:
    return (
        await connect(server.url_for("asking"), name="asking"),
        await connect(server.url_for("answering"), name="answering"),
    )
