"""Two hosts, each a process, whose login's token is over at the same moment."""

import asyncio
import json
import os
import sys
from collections.abc import Iterator

import pytest
from mcp.server.mcpserver import MCPServer

from agent_contracts.entities.mcp_servers import Http
from agent_domain.secrets.key import new_key
from agent_platform.nats.connection import connect
from agent_platform.services.streams import prepare
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.mcp_host.addressed import addressed
from foldline_testing.mcp_host.authority import Authority, authority, logged_in
from foldline_testing.mcp_host.knocker import AT_ONCE, WAY, logins
from mcp_host.connecting.server_opener import ServerKey

BACK = "http://127.0.0.1:8700/mcp-login/callback"


@pytest.fixture
def vouching() -> Iterator[Authority]:
    with authority() as here:
        yield here


async def log_in(nats_url: str, server: str) -> None:
    """A person does."""
    connection = await connect(nats_url, name="admin")
    await prepare(connection, [])
    await connection.close()
    async with logins(nats_url, "first") as here:
        url, _ = await here.begin(ServerKey(AGENT, "far"), Http(server), WAY, BACK)
        back = await logged_in(url)
        await here.finish(await here.begun(back["state"]), WAY, back["code"], "", back["iss"])


async def test_one_request_for_a_new_token_reaches_the_issuer(
    nats_server: NatsForTest, vouching: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOLDLINE_SECRETS_KEY", new_key())
    with addressed(MCPServer("far", version="1"), authority=vouching) as far:
        await log_in(nats_server.url, far.url)
        vouching.expire()
        vouching.slow_s = 1
        hosts = [
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "foldline_testing.mcp_host.knocker", nats_server.url, name, far.url),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=os.environ,
            )
            for name in ("a", "b")
        ]
        said = []
        for host in hosts:
            assert host.stdout is not None
            assert await host.stdout.readline() == b"ready\n"
        for host in hosts:
            assert host.stdin is not None
            host.stdin.write(b"go\n")
        for host in hosts:
            lines = (await host.communicate())[0].splitlines()
            said += json.loads(lines[-1])
    assert len(said) == 2 * AT_ONCE
    assert 401 not in said, said
    asked = [one["grant_type"] for one in vouching.forms]
    assert asked == ["authorization_code", "refresh_token"]
    assert vouching.reused == 0
