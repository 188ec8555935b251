"""Foreign servers of tools (MCP) that agents may use. Only people write them."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from agent_contracts.api.mcp import AllowMcpServer, ImportedMcpServers, McpServerOfAgent, McpStateView
from agent_contracts.api.versions import DeleteResult, VersionTarget
from agent_contracts.api.wire import Page
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_servers import MOST_SERVERS, McpServer
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_platform.entities.entity import Change, Entity, EntityKey, Write
from gateway.operations.agents.edits import Edits, expecting
from gateway.operations.agents.ended_logins import EndedLogins
from gateway.operations.agents.mcp_server_rules import check_name, cleaned_server, imported
from gateway.operations.agents.mcp_server_views import shown, state_view
from gateway.operations.agents.things import ThingKey, Things
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import KnownAgents, McpHosts


class McpServers(Things[ThingKey, McpServerOfAgent]):
    """Reads and writes them."""

    def __init__(self, edits: Edits, agents: KnownAgents, hosts: McpHosts, logins: EndedLogins) -> None:
        super().__init__(edits, agents)
        self._hosts = hosts
        self._logins = logins

    async def listed(self, agent_id: AgentId, at: int | None = None) -> Page[McpServerOfAgent]:
        """All of an agent, now or after event `at`."""
        found = await self._all(agent_id, at)
        states = await self._hosts.states(agent_id) if found and at is None else {}
        return Page[McpServerOfAgent](items=[shown(one, states.get(one.key.name)) for one in found])

    async def kept(self, agent_id: AgentId, name: str, at: int | None = None) -> Entity:
        """One as it is kept, now or after event `at`."""
        key, entities = await self._key(ThingKey(agent_id, name)), self._edits.entities
        found = await (entities.current(key) if at is None else entities.as_of(key, at))
        return _there(found, ThingKey(agent_id, name))

    async def test(self, agent_id: AgentId, name: str) -> McpStateView:
        """Connect with it anew, and list its tools."""
        await self.kept(agent_id, name)
        return state_view(await self._hosts.test(agent_id, name))

    async def allow(
        self, agent_id: AgentId, name: str, allowed: AllowMcpServer, request: IdempotentRequest
    ) -> McpServerOfAgent:
        """A person allows something of it, or allows it no more."""
        told = {what: said for what, said in msgspec.structs.asdict(allowed).items() if said is not None}

        def change(server: McpServer) -> McpServer:
            return msgspec.structs.replace(server, **told)

        return await self.changed(agent_id, name, change, request)

    async def changed(
        self,
        agent_id: AgentId,
        name: str,
        change: Callable[[McpServer], McpServer],
        request: IdempotentRequest,
    ) -> McpServerOfAgent:
        """What a person changes of one that there is."""
        key = (await self.kept(agent_id, name)).key

        def decide(before: Entity | None) -> Change:
            was = _server(_there(before, ThingKey(agent_id, name)))
            server = change(was)
            return None if server == was else Write(msgspec.to_builtins(server))

        writer = self._edits.writer(request, key.subject, "change")
        return _present((await self._edits.change(key, writer, request, decide)).after)

    async def write(
        self, agent_id: AgentId, name: str, server: McpServer, version: int | None, request: IdempotentRequest
    ) -> McpServerOfAgent:
        """This one from now on. The same again makes no version.

        `Rejected` for what can't be a server, with `conflict` if it isn't at `version` (None: any; 0: new)
        any more, and with `too_large` where the agent has as many as it may.
        """
        key, server = await self._key(ThingKey(agent_id, name)), cleaned_server(server)
        await self._require_room(agent_id, name)
        return await self._written(key, server, version, request)

    async def take(
        self,
        agent_id: AgentId,
        entries: Mapping[str, Mapping[str, Json]],
        replace: bool,
        request: IdempotentRequest,
    ) -> ImportedMcpServers:
        """The servers of another program's list: all, or `Rejected` and none.

        `conflict` names those that the agent has already and that are others, unless they may be `replace`d.
        """
        found: dict[str, McpServer] = {}
        left_out: list[str] = []
        for name, entry in entries.items():
            check_name(name)
            found[name], beside = imported(name, entry)
            left_out += beside
        await self._require_room(agent_id, *found)
        before = {one.key.name: one for one in await self._all(agent_id)}
        taken = [name for name in found if name in before and _told(before[name]) != found[name]]
        if taken and not replace:
            raise Rejected(
                f"The agent has other servers of these names: {', '.join(taken)}. Nothing was changed. "
                "Import with `replace` to put these in their place",
                kind="conflict",
            )
        servers = [
            await self._written(await self._key(ThingKey(agent_id, name)), server, None, request)
            for name, server in found.items()
        ]
        return ImportedMcpServers(items=servers, left_out=left_out)

    async def delete(self, place: ThingKey, request: IdempotentRequest) -> DeleteResult:
        """Forget a server, if there is one, and end the login there; its versions stay readable."""
        await self._key(place)
        await self._logins.at(place.agent_id, place.name)
        return await super().delete(place, request)

    async def revert(
        self, place: ThingKey, target: VersionTarget, request: IdempotentRequest
    ) -> McpServerOfAgent:
        """The server of an earlier version again, if there is room for it."""
        key = await self._key(place)
        await self._require_room(place.agent_id, place.name)
        return _present((await self._edits.revert(key, request, target)).after)

    async def _written(
        self, key: EntityKey, server: McpServer, version: int | None, request: IdempotentRequest
    ) -> McpServerOfAgent:
        def decide(before: Entity | None) -> Change:
            expecting(version, before)
            if before is None:
                return Write(msgspec.to_builtins(server))
            wanted = _with_what_was_allowed(server, _server(before))
            return None if _server(before) == wanted else Write(msgspec.to_builtins(wanted))

        writer = self._edits.writer(request, key.subject, "write")
        return _present((await self._edits.change(key, writer, request, decide)).after)

    async def _require_room(self, agent_id: AgentId, *names: str) -> None:
        known = {one.key.name for one in await self._all(agent_id)}
        if len(known | set(names)) > max(MOST_SERVERS, len(known)):
            raise Rejected(
                f"An agent has at most {MOST_SERVERS} MCP servers. Nothing was changed: remove one first",
                kind="too_large",
            )

    async def _all(self, agent_id: AgentId, at: int | None = None) -> Sequence[Entity]:
        await self._agents.require(agent_id)
        return await self._edits.entities.list(agent_id, EntityKind.MCP_SERVER, up_to=at)

    async def _key(self, place: ThingKey) -> EntityKey:
        check_name(place.name)
        await self._agents.require(place.agent_id)
        return EntityKey(place.agent_id, EntityKind.MCP_SERVER, place.name)

    async def _shown(self, found: Entity | None, place: ThingKey, at: int | None = None) -> McpServerOfAgent:
        server = _there(found, place)
        states = await self._hosts.states(place.agent_id) if at is None else {}
        return shown(server, states.get(place.name))


def _server(entity: Entity) -> McpServer:
    return msgspec.convert(entity.value, McpServer)


def _there(found: Entity | None, place: ThingKey) -> Entity:
    if found is None:
        raise Rejected(f"{place.agent_id} has no MCP server named {place.name}", kind="not_found")
    return found


def _present(entity: Entity | None) -> McpServerOfAgent:
    if entity is None:
        raise Permanent("An MCP server is gone right after it was written", kind="internal")
    return shown(entity)


def _told(entity: Entity) -> McpServer:
    """What somebody wrote of it, without what was accepted and allowed since."""
    server = _server(entity)
    return msgspec.structs.replace(server, accepted={}, known_as="", unconfined=False, private=False)


def _with_what_was_allowed(server: McpServer, before: McpServer) -> McpServer:
    """Another program, or another address, is another server: nothing of it was accepted."""
    if server.transport != before.transport:
        return server
    told = {name: getattr(server, name) for name in ("enabled", "timeout_s", "sampling")}
    return msgspec.structs.replace(before, **told)
