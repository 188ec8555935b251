"""For tests of commands: one log in memory, and a host that really runs them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent_contracts.event_sources import GATEWAY
from agent_contracts.ids import SessionId
from agent_contracts.log.subjects import LEASES_BUCKET
from agent_domain.files.file import File, FileContent, FileRef, Workspace
from agent_domain.files.files import Files, NewFile
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityWriter
from agent_platform.log.bucket import Bucket
from agent_tools.providers import Provider
from agent_tools.registry import Registry
from egress.dialing import CheckedDialing
from egress.rules import EgressRules
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_tools.host_world import HostWorld
from foldline_testing.agent_tools.world import AGENT, SESSION
from foldline_testing.egress.web import FixedNames
from workspace_host.begun_calls import BegunCalls
from workspace_host.commands.host import CommandHost
from workspace_host.folders.folders import Folders, own_place
from workspace_host.host_tools import discover
from workspace_host.isolation.isolation import Isolation, isolation_here
from workspace_host.network.network import Network
from workspace_host.ports import agent_ports, workspace_ports
from workspace_host.service import DECLARATION
from workspace_host.settings import CommandNetworkSettings


@dataclass
class ShellWorld(HostWorld):
    """The host's tools, commands and folders, without NATS."""

    source: str = DECLARATION.source
    place: Path = Path()
    isolation: Isolation = field(default_factory=isolation_here)
    settings: CommandNetworkSettings = field(default_factory=CommandNetworkSettings)
    dialing: CheckedDialing = field(default_factory=lambda: CheckedDialing(EgressRules(), FixedNames()))

    def __post_init__(self) -> None:
        self.registry: Registry = discover(self.isolation, installed=())
        self._peoples = Files(Entities(self.log, self.clock, GATEWAY), self.blobs)
        self._ids = 0
        self.leases = Bucket(MemoryLog(), LEASES_BUCKET)
        self.begun = BegunCalls(self.leases, self.log, self.clock, "w_test")
        self.host = CommandHost(self.isolation, self.dialing, self._next_id)
        self.folders = Folders(self.place)

    def _next_id(self) -> str:
        self._ids += 1
        return f"cmd_{self._ids}"

    def providers(self) -> tuple[Provider, ...]:
        """See `CallWorld`."""
        network = Network(self.entities, EffectiveSettings(self.entities, self.settings), self.isolation)
        own = workspace_ports(self.host, self.folders, self.base.workspaces, network, self.begun)
        return *super().providers(), *own, *agent_ports(self.entities)

    async def sh(self, command: str, session: str = SESSION, **more: Any) -> dict[str, Any]:
        """The result of a command line."""
        return await self.get("run_command", session, command=command, **more)

    async def put(self, path: str, data: bytes, session: str = SESSION) -> File:
        """Somebody writes a file of the session's."""
        self.count += 1
        workspace, writer = Workspace(AGENT, SessionId(session)), EntityWriter.user(f"put-{self.count}")
        known = {file.path for file in await self.files.list(workspace)}
        if path in known:
            return await self._peoples.write(workspace, FileRef(path=path), FileContent(data), writer)
        return await self._peoples.create(workspace, NewFile(path, FileContent(data)), writer)

    async def remove(self, path: str, session: str = SESSION) -> None:
        """Somebody deletes a file of the session's."""
        self.count += 1
        workspace = Workspace(AGENT, SessionId(session))
        await self._peoples.delete(workspace, FileRef(path=path), EntityWriter.user(f"remove-{self.count}"))

    async def kept(self, session: str = SESSION) -> dict[str, bytes]:
        """The session's files as the log has them."""
        found = await self.files.list(Workspace(AGENT, SessionId(session)))
        return {file.path: await self.files.read(file) for file in found}


@asynccontextmanager
async def shell_world(**more: Any) -> AsyncIterator[ShellWorld]:
    """A world whose commands are ended with it."""
    with own_place() as place:
        world = ShellWorld(place=place, **more)
        looking = asyncio.create_task(world.host.run())
        try:
            yield world
        finally:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking
