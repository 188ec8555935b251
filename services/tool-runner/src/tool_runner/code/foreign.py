"""What code asks of foreign servers of tools: `mcp.callTool`, `mcp.resources`, `mcp.readResource`. Each runs
at the server's host, as a call of the model would: judged, and its words are material from outside."""

import asyncio
from collections.abc import Mapping

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_servers import McpServer
from agent_contracts.entities.mcp_tools import LIST_MCP_RESOURCES, READ_MCP_RESOURCE, McpTools
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.outside import source
from agent_contracts.questions.code_calls import CodeCall
from agent_contracts.tool_spec import ToolSpec
from agent_domain.mcp.offered_tools import offered, offered_name
from agent_domain.policies.policy_request import PolicyRequest, call_of, named_in
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from agent_tools.context import CallContext
from agent_tools.running.gate import RequestGate
from tool_runner.agent.other_runners import MCP, OtherRunners
from tool_runner.sandbox.host import HostCallFailed

MOST_CALLED = 50
"""How often one call may call foreign tools, and"""
MOST_READ = 100
"""read what servers have, the functions that it calls included."""
MOST_AT_ONCE = 4
_FAMILY = "mcp"
_NUMBERED_FROM = 1_000_000
"""So no number is one of what code asked of the browser."""
_NAMES: Mapping[str, str] = {
    ErrorKind.NOT_AVAILABLE: "NotAvailableError",
    ErrorKind.INVALID_ARGUMENTS: "TypeError",
}


class ForeignCalls:
    """Those of one call."""

    def __init__(
        self, call: CallContext, entities: Entities, gate: RequestGate, runners: OtherRunners
    ) -> None:
        self._call = call
        self._entities = entities
        self._gate = gate
        self._runners = runners
        self._at_once = asyncio.Semaphore(MOST_AT_ONCE)
        self._called = self._read = 0

    async def call(self, name: str, arguments: list[Json]) -> Json:
        """What the host of the server gives. Raises `HostCallFailed` and what `OtherRunners.call` does."""
        if self._call.session is None:
            why = f"{name} needs a session: a page called the function"
            raise HostCallFailed(why, name="NotAvailableError", code="not_available")
        match name, arguments:
            case "mcp.callTool", [str(server), str(tool)]:
                return await self._call_tool(server, tool, {})
            case "mcp.callTool", [str(server), str(tool), dict(given)]:
                return await self._call_tool(server, tool, given)
            case "mcp.resources", [str(server)]:
                return await self._read_by(name, LIST_MCP_RESOURCES, {"server": server})
            case "mcp.readResource", [str(server), str(uri)]:
                return await self._read_by(name, READ_MCP_RESOURCE, {"server": server, "uri": uri})
            case _:
                takes = TAKES.get(name)
                if takes is None:
                    message = f"{name} is not available here"
                    raise HostCallFailed(message, name="NotAvailableError", code="not_available")
                raise HostCallFailed(f"{name} takes {takes}", name="TypeError", code="invalid_arguments")

    async def _call_tool(self, server: str, tool: str, given: dict[str, Json]) -> Json:
        self._called += 1
        if self._called > MOST_CALLED:
            raise _too_often("mcp.callTool", MOST_CALLED)
        number = self._number()
        spec = await self._spec(server, tool)
        return await self._asked(number, spec.name, call_of(spec, given), server, given)

    async def _read_by(self, name: str, tool: str, given: dict[str, Json]) -> Json:
        self._read += 1
        if self._read > MOST_READ:
            raise _too_often(name, MOST_READ)
        asked = msgspec.structs.replace(named_in(tool, given), family=_FAMILY)
        return await self._asked(self._number(), tool, asked, str(given["server"]), given)

    def _number(self) -> int:
        return _NUMBERED_FROM + self._called + self._read

    async def _spec(self, server: str, tool: str) -> ToolSpec:
        """The tool as it was offered when the call was asked for. `Rejected` for one that wasn't."""
        agent, name = self._call.agent_id, offered_name(server, tool)
        keys = [EntityKey(agent, kind, server) for kind in (EntityKind.MCP_SERVER, EntityKind.MCP_TOOLS)]
        kept, listed = await self._entities.all_as_of(keys, self._call.sequence)
        if kept is not None and listed is not None:
            wanted = msgspec.convert(kept.value, McpServer)
            tools = msgspec.convert(listed.value, McpTools)
            found = next((one for one in offered(server, wanted, tools) if one.spec.name == name), None)
            if found is not None:
                return found.spec
        message = f"the MCP server {server[:100]!r} offers no tool {tool[:100]!r}"
        raise Rejected(message, kind=ErrorKind.NOT_FOUND)

    async def _asked(
        self, number: int, tool: str, judged: PolicyRequest, server: str, given: dict[str, Json]
    ) -> Json:
        call = self._call
        uri = given.get("uri") if tool == READ_MCP_RESOURCE else None
        await self._gate.require_call(judged, given, uri if isinstance(uri, str) else None)
        asked = CodeCall(
            agent_id=call.agent_id,
            session_id=call.session_id,
            call_id=call.call_id,
            number=number,
            sequence=call.sequence,
            attempt=call.attempt,
            tool=tool,
            arguments=given,
            outside=call.outside.all,
        )
        async with self._at_once:
            try:
                answer = await self._runners.call(MCP, asked, call)
            except Rejected as error:
                call.outside.bring(source("mcp", server[:100]))
                kind = _NAMES.get(error.kind)
                if kind is None:
                    raise
                raise HostCallFailed(error.message, name=kind, code=error.kind) from error
        call.outside.bring(*answer.outside)
        return answer.value


TAKES: Mapping[str, str] = {
    "mcp.callTool": "(server, tool, {arguments})",
    "mcp.resources": "(server)",
    "mcp.readResource": "(server, uri)",
}
"""What code may ask, and with what."""


def _too_often(name: str, most: int) -> HostCallFailed:
    message = f"{name}: more than {most} in one call"
    return HostCallFailed(message, name="CallQuotaError", code="call_quota")
