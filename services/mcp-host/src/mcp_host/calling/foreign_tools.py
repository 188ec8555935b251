"""Foreign tools in the shape of built-in ones: found as they were offered, run only if they still are so."""

import msgspec

from agent_contracts.argument_names import for_models, for_server
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.mcp_servers import McpServer
from agent_contracts.entities.mcp_tools import McpTools
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import Effect
from agent_domain.mcp.offered_tools import OfferedTool, escaped, offered, server_in, standings
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from agent_tools.ports.files import AgentFiles
from agent_tools.running.call import RequestedCall
from agent_tools.signatures import Asked
from agent_tools.tool import Pause, Result, SchemaArguments, Tool
from mcp_host.calling.apps import with_app
from mcp_host.calling.content import FromServer, ResultReader
from mcp_host.calling.paused_call import NamedTool
from mcp_host.calling.pausing import NOBODY_ANSWERED
from mcp_host.calling.servers import AgentServers
from mcp_host.calling.structured import notes_on

_ASKS: Asked = (("servers", AgentServers), ("files", AgentFiles))


class ServerTools:
    """`OwnTools` of the agents' servers, as of a call's request."""

    def __init__(self, entities: Entities) -> None:
        self._entities = entities

    async def find(self, call: RequestedCall) -> Tool | None:
        """See `OwnTools`."""
        return await self.named(call.key.session.agent_id, call.tool, call.code_at)

    async def named(
        self, agent_id: AgentId, name: str, sequence: int | None, *, to_apps: bool = False
    ) -> Tool | None:
        """The tool that was offered under this name after event `sequence` (None: now), to models or to the
        server's apps: those draw what it gives by themselves."""
        server = server_in(name)
        if server is None:
            return None
        kinds = (EntityKind.MCP_SERVER, EntityKind.MCP_TOOLS)
        keys = [EntityKey(agent_id, kind, server) for kind in kinds]
        kept, listed = await self._entities.all_as_of(keys, sequence)
        if kept is None or listed is None:
            return None
        wanted = msgspec.convert(kept.value, McpServer)
        if not wanted.enabled:
            raise Rejected(f"the MCP server {server} is switched off", kind=ErrorKind.DISABLED_TOOL)
        tools = msgspec.convert(listed.value, McpTools)
        among = offered(server, wanted, tools, to_apps=to_apps)
        found = next((one for one in among if one.spec.name == name), None)
        if found is None:
            return None
        if to_apps:
            found = msgspec.structs.replace(found, tool=msgspec.structs.replace(found.tool, app=""))
        return runnable(found, samples=wanted.sampling, to_apps=to_apps)


def runnable(found: OfferedTool, *, samples: bool = False, to_apps: bool = False) -> Tool:
    """The tool, as one that can be run. One that has models asked spends, and so never runs twice. Apps,
    which are the server's own, name its arguments as it does; models do as they are shown them."""
    schema = found.tool.parameters
    spec = msgspec.structs.replace(found.spec, effect=Effect.EXTERNAL) if samples else found.spec

    async def run(args: dict[str, Json], servers: AgentServers, files: AgentFiles) -> Result | Pause:
        named = NamedTool(found.server, found.tool.name, found.spec.name)
        wanted = await servers.wanted(found.server)
        try:
            connection = await servers.connection(found.server)
        except Rejected as refused:
            if (later := servers.postponed(named, refused)) is not None:
                return later
            raise
        call = servers.pausing(named, connection, samples=samples)
        if not call.only_looks:
            await connection.up_to_date()
            require_unchanged(found, wanted, connection.tools)
        acts = spec.effect is not Effect.PURE
        given = args if to_apps else for_server(schema, args)
        answer = await call.run(given, wanted.timeout_s, acts=acts)
        if isinstance(answer, Pause):
            return answer
        receiving = ResultReader(files, connection.redaction, f"{found.server}/{found.tool.name}")
        result = await receiving.result(answer.content, answer.structured_content)
        notes = [*notes_on(answer, connection.output_schema(found.tool.name))]
        if call.was_unanswered:
            notes.append(NOBODY_ANSWERED)
        clean = tuple(escaped(connection.redaction.text(one)) for one in notes)
        result = result.model_copy(update={"notes": (*result.notes, *clean)})
        if answer.is_error:
            raise Rejected(_told(result), kind=ErrorKind.UPSTREAM)
        return await with_app(result, found.tool, connection, receiving) if found.tool.app else result

    return Tool(spec, SchemaArguments(schema if to_apps else for_models(schema)), run, _ASKS, __name__)


def require_unchanged(found: OfferedTool, wanted: McpServer, listed: McpTools) -> None:
    """`Rejected` where the server lists another tool now than was offered, or a person took it back."""
    now = next((one for one in listed.tools if one.name == found.tool.name), None)
    if now is None and listed.incomplete:
        raise Rejected(
            f"the MCP server {found.server} has not listed its tool {found.tool.name!r} yet "
            f"({listed.incomplete}): nothing was sent",
            kind=ErrorKind.NOT_AVAILABLE,
        )
    if now is None:
        raise Rejected(
            f"the MCP server {found.server} has no tool {found.tool.name!r} any more: nothing was sent",
            kind=ErrorKind.NOT_AVAILABLE,
        )
    if now.hash != found.tool.hash or standings(wanted, listed)[now.name] != "offered":
        raise Rejected(
            f"the MCP server {found.server} says something else of its tool {found.tool.name!r} now than "
            "what the user accepted: nothing was sent. The user has to look at it first, under MCP servers",
            kind=ErrorKind.NOT_AVAILABLE,
        )


def _told(result: FromServer) -> str:
    said = result.text or msgspec.json.encode(result.structured).decode()
    return "; ".join((*result.notes, f"the server says that it failed: {said[:6000]}"))
