"""The connections of this host: made when they are needed, and again when they fail, closed when nobody needs
them. How each is, stands where people can see it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from importlib.metadata import version

import mcp_types as types
import msgspec
import structlog
from mcp.client import ClientExtension

from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.entities.mcp_servers import McpServer
from agent_contracts.entities.mcp_tools import McpTools
from agent_contracts.errors import ErrorKind, Failure, Rejected
from agent_contracts.event_sources import Actor
from agent_contracts.log.lease_keys import mcp_state_key
from agent_contracts.questions.mcp_states import McpState
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import Clock, rfc3339
from mcp_host import limits
from mcp_host.connecting.connection import McpConnection
from mcp_host.connecting.server_opener import ServerKey, ServerOpener
from mcp_host.connecting.server_place import ServerPlace, ServerVersion, same_way

log = structlog.get_logger()

_TOLD_EACH_S = 20.0
_STATE_KEPT_S = 60.0
"""A state that nobody repeats is gone after this: its host is."""
_FAILED_KEPT_S = 24 * 3600.0
_LOOKS_EACH_S = 1.0
_INFO = types.Implementation(name="Foldline", version=version("mcp-host"))


class Connections:
    """One for each server whose lease this host holds. `released` is told of those that were closed."""

    def __init__(  # noqa: PLR0913 — what they are made of
        self,
        opening: ServerOpener,
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
        self._places: dict[ServerKey, ServerPlace] = {}
        self.released: Callable[[ServerKey], Awaitable[None]] | None = None

    async def get(self, key: ServerKey, *, at_once: bool = False) -> McpConnection:
        """The open connection, as a person wants it now. `Rejected` says why there is none; `at_once` tries
        even where it failed just now."""
        place = self._places.setdefault(key, ServerPlace(key.server))
        async with place.lock:
            try:
                kept = await self._kept(key)
            except Rejected:
                await self._close(place)  # nobody wants it any more
                raise
            if place.connection is not None and place.connection.is_open:
                if await self._is_as_opened(key, place, kept):
                    place.kept = kept
                    place.connection.used_at = time.monotonic()
                    return place.connection
                await self._close(place)
            if not at_once and time.monotonic() < place.again_at:
                wait = max(1, round(place.again_at - time.monotonic()))
                raise Rejected(
                    f"the MCP server {key.server} can't be used: {place.failure}. Try again in {wait} s",
                    kind=ErrorKind.NOT_AVAILABLE,
                )
            return await self._connect(key, place, kept)

    def is_open(self, key: ServerKey) -> bool:
        """Whether this host is connected with it now."""
        place = self._places.get(key)
        return place is not None and place.connection is not None and place.connection.is_open

    async def server(self, key: ServerKey) -> McpServer:
        """As a person keeps it now. `Rejected` for one that there isn't, or that is switched off."""
        return (await self._kept(key)).server

    async def _kept(self, key: ServerKey) -> ServerVersion:
        entity = await self._entities.current(_entity(key))
        if entity is None:
            raise Rejected(f"there is no MCP server named {key.server!r}", kind=ErrorKind.NOT_FOUND)
        server = msgspec.convert(entity.value, McpServer)
        if not server.enabled:
            raise Rejected(
                f"the MCP server {key.server} is switched off: the user can switch it on",
                kind=ErrorKind.DISABLED_TOOL,
            )
        return ServerVersion(entity.version, server)

    async def _is_as_opened(self, key: ServerKey, place: ServerPlace, kept: ServerVersion) -> bool:
        """Whether a person wanted what is open all the time since. One that was switched off and on, or
        removed and added, is to begin anew, also where both came before anybody looked."""
        before = place.kept
        if before is None or kept.version == before.version:
            return before is not None
        async with aclosing(self._entities.versions(_entity(key))) as versions:
            async for one in versions:
                if one.sequence <= before.version:
                    break
                if not isinstance(one.event, EntityWritten):
                    return False
                server = msgspec.convert(one.event.value, McpServer)
                if not server.enabled or not same_way(server, before.server):
                    return False
        return True

    async def test(self, key: ServerKey) -> McpState:
        """Connect anew, or list anew; how it is then."""
        place = self._places.setdefault(key, ServerPlace(key.server))
        place.last = None
        try:
            connection = await self.get(key, at_once=True)
            await connection.relisted()
        except Failure as failure:
            await self._look(key, place)
            return McpState("error", self._now(), failure.message) if place.last is None else place.last
        return place.state(self._now())

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
                        place.looks.over()
                    except Failure as failure:
                        place.looks.hit(failure.message)
                    except Exception as error:  # a bug: the other servers stay connected
                        place.looks.hit(type(error).__name__, bug=error)
        finally:
            await asyncio.gather(*(self._close(place) for place in self._places.values()))

    async def _look(self, key: ServerKey, place: ServerPlace) -> None:
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

    async def _connect(self, key: ServerKey, place: ServerPlace, kept: ServerVersion) -> McpConnection:
        async def listed(tools: McpTools) -> None:
            await self._keep(key, tools)
            await self._tell(key, place)

        connection = McpConnection(
            lambda: self._opening.opened(key, kept.server),
            listed,
            _INFO,
            self._extensions,
            samples=kept.server.sampling,
        )
        place.connection, place.kept = connection, kept
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

    async def _failed(self, key: ServerKey, place: ServerPlace, connection: McpConnection) -> None:
        place.delay = min(max(place.delay * 2, limits.FIRST_DELAY_S), limits.LONGEST_DELAY_S)
        place.again_at = time.monotonic() + place.delay
        place.failure = connection.failure or "the connection was closed"
        log.info("server.failed", server=key.server, reason=place.failure, again_in_s=place.delay)
        place.last = place.state(self._now())
        await self._put(key, place.last, _FAILED_KEPT_S)
        if place.task is not None:
            await asyncio.wait({place.task})
        place.connection = place.task = None

    async def _close(self, place: ServerPlace) -> None:
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
        writer = EntityWriter(self._clock.new_id("e"), Actor.SERVICE)
        await self._entities.write(entity, msgspec.to_builtins(tools), writer, skip_equal=True)

    async def _tell(self, key: ServerKey, place: ServerPlace) -> None:
        place.told_at = time.monotonic()
        await self._put(key, place.state(self._now()), _STATE_KEPT_S)

    async def _put(self, key: ServerKey, state: McpState, kept_s: float) -> None:
        body = msgspec.json.encode(state)
        await self._states.put(mcp_state_key(key.agent_id, key.server), body, ttl_s=kept_s)

    def _now(self) -> str:
        return rfc3339(self._clock.now())


def _entity(key: ServerKey) -> EntityKey:
    return EntityKey(key.agent_id, EntityKind.MCP_SERVER, key.server)
