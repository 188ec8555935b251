"""The connections of this host: made when they are needed, and again when they fail, closed when nobody needs
them. How each is, stands where people can see it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from importlib.metadata import version
from typing import Literal

import mcp_types as types
import msgspec
import structlog
from mcp.client import ClientExtension

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_servers import McpServer
from agent_contracts.entities.mcp_tools import McpTools
from agent_contracts.errors import ErrorKind, Failure, Rejected
from agent_contracts.log.envelope import Actor
from agent_contracts.log.subjects import mcp_state_key
from agent_contracts.questions.mcp_states import McpState, State
from agent_domain.mcp.offering import has_changed
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, Writer
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import Clock, rfc3339
from mcp_host import limits
from mcp_host.connecting.connection import Connection
from mcp_host.connecting.opening import NeedsLogin, NeedsWord, Opening, ServerKey

log = structlog.get_logger()

_TOLD_EACH_S = 20.0
_STATE_KEPT_S = 60.0
"""A state that nobody repeats is gone after this: its host is."""
_FAILED_KEPT_S = 24 * 3600.0
_LOOKS_EACH_S = 1.0
_INFO = types.Implementation(name="Foldline", version=version("mcp-host"))


class _Place:
    """What is known of one server here."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.connection: Connection | None = None
        self.task: asyncio.Task[None] | None = None
        self.server: McpServer | None = None
        self.delay = 0.0
        self.again_at = 0.0
        self.failure = ""
        self.told_at = 0.0
        self.last: McpState | None = None


class Connections:
    """One for each server whose lease this host holds. `released` is told of those that were closed."""

    def __init__(  # noqa: PLR0913 — what they are made of
        self,
        opening: Opening,
        entities: Entities,
        states: Bucket,
        clock: Clock,
        idle_s: float = limits.IDLE_S,
        extensions: Sequence[ClientExtension] = (),
    ) -> None:
        self._extensions = extensions
        self._opening = opening
        self._entities = entities
        self._states = states
        self._clock = clock
        self._idle_s = idle_s
        self._places: dict[ServerKey, _Place] = {}
        self.released: Callable[[ServerKey], Awaitable[None]] | None = None

    async def get(self, key: ServerKey, *, at_once: bool = False) -> Connection:
        """The open connection, as a person wants it now. `Rejected` says why there is none; `at_once` tries
        even where it failed just now."""
        place = self._places.setdefault(key, _Place())
        async with place.lock:
            server = await self.server(key)
            if place.connection is not None and place.connection.is_open:
                if _same_way(place.server, server):
                    place.server = server
                    place.connection.used_at = time.monotonic()
                    return place.connection
                await self._close(place)
            if not at_once and time.monotonic() < place.again_at:
                wait = max(1, round(place.again_at - time.monotonic()))
                raise Rejected(
                    f"the MCP server {key.server} can't be used: {place.failure}. Try again in {wait} s",
                    kind=ErrorKind.NOT_AVAILABLE,
                )
            return await self._connect(key, place, server)

    def is_open(self, key: ServerKey) -> bool:
        """Whether this host is connected with it now."""
        place = self._places.get(key)
        return place is not None and place.connection is not None and place.connection.is_open

    async def server(self, key: ServerKey) -> McpServer:
        """As a person keeps it now. `Rejected` for one that there isn't, or that is switched off."""
        entity = await self._entities.current(EntityKey(key.agent_id, EntityKind.MCP_SERVER, key.server))
        if entity is None:
            raise Rejected(f"there is no MCP server named {key.server!r}", kind=ErrorKind.NOT_FOUND)
        server = msgspec.convert(entity.value, McpServer)
        if not server.enabled:
            raise Rejected(
                f"the MCP server {key.server} is switched off: the user can switch it on",
                kind=ErrorKind.DISABLED_TOOL,
            )
        return server

    async def test(self, key: ServerKey) -> McpState:
        """Connect anew, or list anew; how it is then."""
        try:
            connection = await self.get(key, at_once=True)
            await connection.relisted()
        except Failure as failure:
            await self._look(key, self._places[key])
            last = self._places[key].last
            return McpState("error", self._now(), failure.message) if last is None else last
        return self._state_of(self._places[key])

    async def changed(self, key: ServerKey) -> None:
        """A person changed the server: what is open is opened as it is wanted now, or closed."""
        place = self._places.get(key)
        if place is None:
            return
        place.again_at = place.delay = 0.0
        try:
            await self.get(key)
        except Failure as failure:
            log.info("server.not_reopened", server=key.server, reason=failure.message)
            async with place.lock:
                await self._close(place)
        else:
            await self._tell(key, place)

    async def run(self) -> None:
        """Close what nobody needs, and repeat how the others are, until cancelled; then close all."""
        try:
            while True:
                await asyncio.sleep(_LOOKS_EACH_S)
                for key, place in list(self._places.items()):
                    try:
                        await self._look(key, place)
                    except Failure as failure:
                        log.warning("server.not_told", server=key.server, reason=failure.message)
        finally:
            await asyncio.gather(*(self._close(place) for place in self._places.values()))

    async def _look(self, key: ServerKey, place: _Place) -> None:
        connection = place.connection
        if connection is None or place.lock.locked():
            return  # it isn't wanted, or is being made
        if not connection.is_open:
            async with place.lock:
                if place.connection is connection:
                    await self._failed(key, place, connection)
            return
        if not connection.in_hand and time.monotonic() - connection.used_at > self._idle_s:
            async with place.lock:
                await self._close(place)
            await self._put(key, McpState("closed", self._now()), _STATE_KEPT_S)
            if self.released is not None:
                await self.released(key)
            return
        if time.monotonic() - place.told_at > _TOLD_EACH_S:
            await self._tell(key, place)

    async def _connect(self, key: ServerKey, place: _Place, server: McpServer) -> Connection:
        async def listed(tools: McpTools) -> None:
            await self._keep(key, tools)
            await self._tell(key, place)

        connection = Connection(
            lambda: self._opening.opened(key, server),
            listed,
            _INFO,
            self._extensions,
            samples=server.sampling,
        )
        place.connection, place.server = connection, server
        place.task = asyncio.create_task(connection.run())
        try:
            await connection.ready()
        except BaseException:
            await self._close(place)
            raise
        if not connection.is_open:
            await self._failed(key, place, connection)
            message = f"the MCP server {key.server} can't be used: {place.failure}"
            raise Rejected(message, kind=ErrorKind.NOT_AVAILABLE)
        place.delay = place.again_at = 0.0
        place.failure, place.last = "", None
        await self._tell(key, place)
        return connection

    async def _failed(self, key: ServerKey, place: _Place, connection: Connection) -> None:
        place.delay = min(max(place.delay * 2, limits.FIRST_DELAY_S), limits.LONGEST_DELAY_S)
        place.again_at = time.monotonic() + place.delay
        place.failure = connection.failure or "the connection was closed"
        log.info("server.failed", server=key.server, reason=place.failure, again_in_s=place.delay)
        place.last = self._state_of(place)
        await self._put(key, place.last, _FAILED_KEPT_S)
        if place.task is not None:
            await asyncio.wait({place.task})
        place.connection = place.task = None

    async def _close(self, place: _Place) -> None:
        connection, task = place.connection, place.task
        place.connection = place.task = None
        if connection is None or task is None:
            return
        connection.close()
        await asyncio.wait({task}, timeout=3 * limits.ENDS_S)
        if not task.done():
            task.cancel()
            await asyncio.wait({task})

    async def _keep(self, key: ServerKey, tools: McpTools) -> None:
        """What the server lists is the entity from now on."""
        entity = EntityKey(key.agent_id, EntityKind.MCP_TOOLS, key.server)
        writer = Writer(self._clock.new_id("e"), Actor.SERVICE)
        await self._entities.write(entity, msgspec.to_builtins(tools), writer, skip_equal=True)

    async def _tell(self, key: ServerKey, place: _Place) -> None:
        place.told_at = time.monotonic()
        await self._put(key, self._state_of(place), _STATE_KEPT_S)

    async def _put(self, key: ServerKey, state: McpState, kept_s: float) -> None:
        body = msgspec.json.encode(state)
        await self._states.put(mcp_state_key(key.agent_id, key.server), body, ttl_s=kept_s)

    def _state_of(self, place: _Place) -> McpState:
        connection, server = place.connection, place.server
        if connection is None or server is None:
            return McpState("error" if place.failure else "closed", self._now(), place.failure)
        state: State
        needs: Literal["", "unconfined", "private"] = ""
        if connection.is_open or (not connection.failure and connection.cause is None):
            state = "changed" if has_changed(server, connection.tools) else "connected"
        else:
            state = "needs_login" if isinstance(connection.cause, NeedsLogin) else "error"
            needs = connection.cause.needs if isinstance(connection.cause, NeedsWord) else ""
        capabilities = connection.capabilities
        return McpState(
            state,
            self._now(),
            error=connection.failure,
            stderr=connection.stderr,
            protocol=connection.protocol,
            tools=len(connection.tools.tools),
            resources=capabilities is not None and capabilities.resources is not None,
            prompts=capabilities is not None and capabilities.prompts is not None,
            confined=connection.cage.got,
            lacks=connection.cage.lacks,
            needs=needs,
            login=connection.login,
        )

    def _now(self) -> str:
        return rfc3339(self._clock.now())


def _same_way(one: McpServer | None, other: McpServer) -> bool:
    """Whether both are spoken with in the same way, and were told the same."""
    return one is not None and (one.transport, one.unconfined, one.private, one.sampling) == (
        other.transport,
        other.unconfined,
        other.private,
        other.sampling,
    )
