"""A host's logins in a process of its own: once it is told, it asks a server several times at once.

python -m foldline_testing.mcp_host.knocker NATS_URL NAME SERVER_URL
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2

from agent_contracts.entities.mcp_servers import Http
from agent_contracts.log.subjects import LEASES_BUCKET, SECRETS_BUCKET
from agent_domain.secrets.key import SecretsKey
from agent_domain.secrets.settings import SecretsSettings
from agent_domain.secrets.vault import Vault
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import connect
from agent_platform.process.clock import SystemClock
from agent_platform.settings.loading import load_settings
from egress.rules import EgressRules
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.egress.web import FixedNames
from mcp_host.connecting.http import WayOut
from mcp_host.connecting.secret_filler import SecretFiller
from mcp_host.login.login_vault import LoginVault
from mcp_host.login.logins import PeoplesLogins
from mcp_host.service import DECLARATION

AT_ONCE = 5
WAY = WayOut(EgressRules(private_hosts=frozenset({"127.0.0.1"})), FixedNames({}))


@asynccontextmanager
async def logins(nats_url: str, me: str) -> AsyncIterator[PeoplesLogins]:
    """Those of the host of this name. The key of secrets is in the environment."""
    connection, clock = await connect(nats_url, name=me), SystemClock()
    try:
        leases = bucket(connection, LEASES_BUCKET)
        vault = Vault(bucket(connection, SECRETS_BUCKET), SecretsKey(load_settings(SecretsSettings).settings))
        filling = SecretFiller(Entities(JetStreamLog(connection), clock, DECLARATION.source), vault)
        yield PeoplesLogins(LoginVault(vault, leases), filling, leases, clock, me)
    finally:
        await connection.close()


async def main(nats_url: str, me: str, server: str) -> None:
    """Says `ready`, waits for a line, and then the statuses with which the server answered."""
    async with logins(nats_url, me) as here:
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)

        async def asked() -> int:
            auth = here.credentials(AGENT, "far", Http(server), WAY)
            async with httpx2.AsyncClient(auth=auth, trust_env=False, timeout=60) as client:
                return (await client.post(server, json={"method": "ping"})).status_code

        print(json.dumps(await asyncio.gather(*(asked() for _ in range(AT_ONCE)))))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
