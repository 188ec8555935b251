"""Tools of foreign servers before a person's eyes: what is offered, what changed since it was accepted."""

from collections.abc import Mapping, Sequence

import msgspec

from agent_contracts.api.mcp import (
    McpAppPage,
    McpDefinition,
    McpServerOfAgent,
    McpToolOfServer,
    McpToolsOfServer,
)
from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.entities.mcp_servers import AcceptedTool, McpServer
from agent_contracts.entities.mcp_tools import McpTool, McpTools
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_domain.mcp.offered_tools import escaped, offered_name, standings
from agent_platform.entities.entity import EntityKey
from gateway.operations.agents.edits import Edits
from gateway.operations.agents.mcp_servers import McpServers
from gateway.operations.idempotency import IdempotentRequest

_LOOKED_AT = 200
"""Versions of what a server says in which the one is looked for that was accepted."""


class McpToolsOfServers:
    """Reads and accepts them. `Rejected(kind="not_found")` where there is no such agent or server."""

    def __init__(self, edits: Edits, servers: McpServers) -> None:
        self._edits = edits
        self._servers = servers

    async def listed(self, agent_id: AgentId, name: str) -> McpToolsOfServer:
        """What there is, and how it stands."""
        server = msgspec.convert((await self._servers.kept(agent_id, name)).value, McpServer)
        version, tools, time = await self._tools(agent_id, name)
        standing = standings(server, tools)
        changed = [one.name for one in tools.tools if standing[one.name] == "changed"]
        before = await self._accepted(agent_id, name, {one: server.accepted[one] for one in changed})
        listed = {one.name for one in tools.tools}
        return McpToolsOfServer(
            version=version,
            items=[
                McpToolOfServer(
                    name=escaped(one.name),
                    offered_as=offered_name(name, one.name),
                    standing=standing[one.name],
                    read_only=one.name in server.accepted and server.accepted[one.name].read_only,
                    now=_definition(one, time),
                    before=_definition(*before[one.name]) if one.name in before else None,
                    flaw=escaped(one.flaw),
                )
                for one in tools.tools
            ],
            gone=[] if tools.incomplete else sorted(escaped(o) for o in server.accepted if o not in listed),
            left_out=tools.left_out,
            incomplete=escaped(tools.incomplete),
            calls_itself=escaped(tools.server),
            known_as=escaped(server.known_as),
        )

    async def accept(  # noqa: PLR0913 — what was looked at, and what is said of it
        self,
        agent_id: AgentId,
        name: str,
        version: int,
        accept: Sequence[str] | None,
        refuse: Sequence[str],
        read_only: Mapping[str, bool],
        request: IdempotentRequest,
    ) -> McpServerOfAgent:
        """Offer these tools as they are in this `version` of the list (None: all that can be used), take
        others back, and say of some whether they change nothing.

        `conflict` if the server says something else by now: a person accepts what they saw. `not_found` for a
        tool that isn't in the list.
        """
        now, tools, _ = await self._tools(agent_id, name)
        if now != version:
            raise Rejected(
                f"The server {name} says something else by now. Nothing was accepted: look again",
                kind="conflict",
            )
        listed = {one.name: one for one in tools.tools}
        chosen = [one.name for one in tools.tools if not one.flaw] if accept is None else [*accept]
        for one in (*chosen, *read_only):
            if one not in listed or listed[one].flaw:
                raise Rejected(f"{name} has no tool {one[:100]!r} that can be used", kind="not_found")

        def change(server: McpServer) -> McpServer:
            accepted = {tool: one for tool, one in server.accepted.items() if tool in listed}
            for tool in chosen:
                marked = tool in accepted and accepted[tool].read_only
                accepted[tool] = AcceptedTool(
                    listed[tool].hash, version, marked and _same(server, listed[tool])
                )
            for tool in refuse:
                accepted.pop(tool, None)
            for tool, marked in read_only.items():
                if tool not in accepted:
                    raise Rejected(f"The tool {tool[:100]!r} isn't accepted", kind="invalid_request")
                accepted[tool] = msgspec.structs.replace(accepted[tool], read_only=marked)
            return msgspec.structs.replace(server, accepted=accepted, known_as=tools.server)

        return await self._servers.changed(agent_id, name, change, request)

    async def _tools(self, agent_id: AgentId, name: str) -> tuple[int | None, McpTools, str]:
        """The version of the list, the list, and when it was kept."""
        entity = await self._edits.entities.current(EntityKey(agent_id, EntityKind.MCP_TOOLS, name))
        if entity is None:
            return None, McpTools(), ""
        return entity.version, msgspec.convert(entity.value, McpTools), entity.time

    async def _accepted(
        self, agent_id: AgentId, name: str, wanted: Mapping[str, AcceptedTool]
    ) -> Mapping[str, tuple[McpTool, str]]:
        """The tools as they were accepted, found by their hashes in earlier lists, and when that was."""
        found: dict[str, tuple[McpTool, str]] = {}
        seen = 0
        if not wanted:
            return found
        async for recorded in self._edits.entities.versions(EntityKey(agent_id, EntityKind.MCP_TOOLS, name)):
            seen += 1
            if isinstance(recorded.event, EntityWritten):
                for tool in msgspec.convert(recorded.event.value, McpTools).tools:
                    if tool.name in wanted and tool.hash == wanted[tool.name].hash:
                        found.setdefault(tool.name, (tool, recorded.envelope.time))
            if len(found) == len(wanted) or seen >= _LOOKED_AT:
                break
        return found


def _same(server: McpServer, tool: McpTool) -> bool:
    """Whether it is what was accepted before: of any other nobody said that it changes nothing."""
    return server.accepted[tool.name].hash == tool.hash


def _definition(tool: McpTool, listed_at: str) -> McpDefinition:
    page = tool.page
    return McpDefinition(
        title=escaped(tool.title),
        description=escaped(tool.description),
        parameters=escaped(_pretty(tool.parameters)),
        hints=dict(tool.hints),
        app=escaped(tool.app),
        page=McpAppPage(sha256=page.sha256, size=page.size, listed_at=listed_at) if page else None,
        for_apps_only=tool.for_apps_only,
        for_models_only=tool.for_models_only,
    )


def _pretty(schema: dict[str, Json]) -> str:
    encoded: bytes = msgspec.json.encode(schema, order="sorted")
    return msgspec.json.format(encoded, indent=2).decode()
