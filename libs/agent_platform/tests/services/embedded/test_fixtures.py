"""The fixtures that other tests stand on."""

import nats
import psycopg
import pytest

from agent_platform.nats.user import NatsUser
from foldline_testing.agent_platform.plugin import StartNats
from foldline_testing.agent_platform.servers import NatsForTest


@pytest.mark.parametrize("turn", [1, 2])
async def test_each_test_has_a_nats_of_its_own(nats_server: NatsForTest, turn: int) -> None:
    client = await nats.connect(nats_server.url)
    jetstream = client.jetstream()
    assert await jetstream.streams_info() == []
    await jetstream.add_stream(name="LOG", subjects=["ses.>"])
    assert (await jetstream.publish("ses.a", b"1")).seq == 1
    await client.close()


async def test_a_killed_nats_comes_back_with_its_messages(nats_server: NatsForTest) -> None:
    client = await nats.connect(nats_server.url)
    await client.jetstream().add_stream(name="LOG", subjects=["ses.>"])
    await client.jetstream().publish("ses.a", b"1")
    await client.close()
    nats_server.kill()
    nats_server.restart()
    client = await nats.connect(nats_server.url)
    assert (await client.jetstream().get_msg("LOG", 1)).data == b"1"
    await client.close()


async def test_a_test_after_a_kill_has_a_running_nats(nats_server: NatsForTest) -> None:
    nats_server.kill()


async def test_a_test_after_a_kill_has_a_running_nats_indeed(nats_server: NatsForTest) -> None:
    client = await nats.connect(nats_server.url)
    await client.close()


async def test_a_test_can_have_users_of_its_own(nats_servers: StartNats) -> None:
    server = nats_servers([NatsUser("admin", "a"), NatsUser("reader", "r", publish=())])
    client = await nats.connect(server.url_for("reader"))
    await client.close()


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_has_a_database_of_its_own(postgres_dsn: str, turn: int) -> None:
    with psycopg.connect(postgres_dsn) as connection:
        connection.execute("CREATE TABLE sessions (id int)")
