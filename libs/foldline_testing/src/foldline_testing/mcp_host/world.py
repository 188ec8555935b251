"""For tests of what a host does with servers: one log in memory, and servers that are real."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from pydantic import SecretStr

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_servers import AcceptedTool, Http, McpServer, Stdio
from agent_contracts.entities.mcp_tools import McpTools
from agent_contracts.entities.secrets import SecretDefinition
from agent_contracts.event_sources import Actor
from agent_contracts.log.lease_keys import mcp_state_key
from agent_contracts.log.subjects import LEASES_BUCKET, SECRETS_BUCKET
from agent_contracts.policies import POLICY_NAME
from agent_contracts.questions.mcp_states import McpState
from agent_domain.secrets.key import SecretsKey, new_key
from agent_domain.secrets.settings import SecretsSettings
from agent_domain.secrets.vault import Vault
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.bucket import Bucket
from agent_tools.providers import Provider
from agent_tools.registry import Registry
from agent_tools.running.models import ModelCallers
from agent_tools.running.runner import OwnTools
from egress.rules import EgressRules
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_tools.host_world import HostWorld
from foldline_testing.agent_tools.models import ScriptedModels
from foldline_testing.agent_tools.world import AGENT, until
from foldline_testing.egress.web import FixedNames
from mcp_host.calling import tasks
from mcp_host.calling.apps import Apps
from mcp_host.calling.foreign_tools import ServerTools
from mcp_host.calling.held_calls import HeldCalls
from mcp_host.calling.tasks import Tasks
from mcp_host.connecting.connections import Connections
from mcp_host.connecting.http import WayOut
from mcp_host.connecting.secret_filler import SecretFiller
from mcp_host.connecting.server_opener import ServerKey, ServerOpener
from mcp_host.host_tools import discover, host_ports
from mcp_host.login.login_vault import LoginVault
from mcp_host.login.logins import PeoplesLogins
from mcp_host.service import DECLARATION


@dataclass
class McpWorld(HostWorld):
    """A host's tools and connections, without NATS. Programs have their folders below `data`."""

    registry: Registry = field(default_factory=discover)
    source: str = DECLARATION.source
    data: Path = Path("data")
    rules: EgressRules = field(default_factory=EgressRules)
    names: FixedNames = field(default_factory=FixedNames)
    callers: ModelCallers = field(default_factory=ScriptedModels)

    def __post_init__(self) -> None:
        self._people = Entities(self.log, self.clock, event_sources.GATEWAY)
        self.states = Bucket(MemoryLog(), LEASES_BUCKET)
        key = SecretsKey(SecretsSettings(secrets_key=SecretStr(new_key())))
        self.vault = Vault(Bucket(MemoryLog(), SECRETS_BUCKET), key)
        self.way = WayOut(self.rules, self.names)
        self.kept = LoginVault(self.vault, self.states)
        self.filling = SecretFiller(self.entities, self.vault)
        self.logins = PeoplesLogins(self.kept, self.filling, self.states, self.clock, "host")
        opening = ServerOpener(self.entities, self.vault, self.way, self.logins, self.data)
        self.connections = Connections(
            opening, self.entities, self.states, self.clock, extensions=(Tasks(), Apps())
        )
        self.held = HeldCalls()

    def providers(self) -> tuple[Provider, ...]:
        """See `CallWorld`."""
        ports = host_ports(self.connections, self.entities, self.states, self.held, self.callers)
        return *super().providers(), *ports

    def own_tools(self) -> OwnTools:
        """See `CallWorld`."""
        return ServerTools(self.entities)

    async def add(self, name: str, url: str, **more: Any) -> None:
        """A person adds a server at an address, or changes it."""
        headers = more.pop("headers", {})
        await self.keep(name, McpServer(Http(url, headers), **{"private": True, **more}))

    async def keep(self, name: str, server: McpServer) -> None:
        """A person writes this."""
        key = EntityKey(AGENT, EntityKind.MCP_SERVER, name)
        await self._write(key, msgspec.to_builtins(server))

    async def remove(self, name: str) -> None:
        """A person removes it."""
        key = EntityKey(AGENT, EntityKind.MCP_SERVER, name)
        await self._people.delete(key, EntityWriter(self.clock.new_id("e"), Actor.USER))

    async def policy(self, policy: Any) -> None:
        """A person writes the agent's policy."""
        await self._write(EntityKey(AGENT, EntityKind.POLICY, POLICY_NAME), policy)

    async def secret(self, name: str, value: str, *hosts: str) -> None:
        """A person keeps a secret that these hosts may get."""
        revision = await self.vault.put(AGENT, name, value)
        kept = msgspec.to_builtins(SecretDefinition(hosts, revision))
        await self._write(EntityKey(AGENT, EntityKind.SECRET, name), kept)

    async def listed(self, name: str) -> McpTools:
        """What is kept of what the server lists."""
        entity = await self.entities.current(EntityKey(AGENT, EntityKind.MCP_TOOLS, name))
        assert entity is not None
        return msgspec.convert(entity.value, McpTools)

    async def test(self, name: str) -> McpState:
        """The server is tried; how it is."""
        return await self.connections.test(ServerKey(AGENT, name))

    async def connected(self, name: str) -> None:
        """The server is connected with, if it isn't."""
        await self.connections.get(ServerKey(AGENT, name), at_once=True)

    async def until_listed(self, name: str, tools: int) -> None:
        """Until it is known to list so many tools."""
        await until(lambda: self._lists(name, tools), 30)

    async def _lists(self, name: str, tools: int) -> bool:
        return len((await self.listed(name)).tools) == tools

    async def told(self, name: str) -> McpState:
        """How it is, as far as anybody can see."""
        entry = await self.states.get(mcp_state_key(AGENT, name))
        assert entry is not None
        return msgspec.json.decode(entry.value, type=McpState)

    async def accept(self, name: str, *, read_only: bool = False) -> None:
        """A person accepts all that the server lists now, and may say that it changes nothing."""
        await self.test(name)
        server = await self.connections.server(ServerKey(AGENT, name))
        listed = await self.entities.current(EntityKey(AGENT, EntityKind.MCP_TOOLS, name))
        assert listed is not None
        tools = msgspec.convert(listed.value, McpTools)
        accepted = {
            one.name: AcceptedTool(one.hash, listed.version, read_only) for one in tools.tools if not one.flaw
        }
        await self.keep(name, msgspec.structs.replace(server, accepted=accepted, known_as=tools.server))

    async def program(self, name: str, module: str, **more: Any) -> None:
        """A person adds one of the test servers as a program."""
        command = ("-m", f"foldline_testing.mcp_host.servers.{module}")
        await self.keep(name, McpServer(Stdio(sys.executable, command), **more))

    async def routed_cancel(self, server: str, task_id: str) -> None:
        """Nobody wants a task any more."""
        connection = await self.connections.get(ServerKey(AGENT, server))
        await connection.call(lambda client: tasks.cancel(client, task_id), 10, acts=False)

    async def _write(self, key: EntityKey, value: Any) -> None:
        await self._people.write(key, value, EntityWriter(self.clock.new_id("e"), Actor.USER))


@asynccontextmanager
async def mcp_world(**more: Any) -> AsyncIterator[McpWorld]:
    """A world whose connections end with it."""
    world = McpWorld(**more)
    running = asyncio.create_task(world.connections.run())
    try:
        yield world
    finally:
        running.cancel()
        await asyncio.wait({running})
