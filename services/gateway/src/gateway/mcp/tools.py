"""What `/mcp` offers: its own tools, and those of the agent that a person exposed."""

from collections.abc import Mapping
from typing import Any, Final

import mcp_types as types

from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.entities.definitions import tool_spec
from gateway.mcp.ask_agent import AskAgent, ask_agent
from gateway.mcp.client import McpClient
from gateway.mcp.forking import ForkSession, fork_session
from gateway.mcp.reading import (
    ListSessions,
    PreviewRewind,
    ReadEvent,
    ReadSession,
    StateAt,
    list_sessions,
    preview_rewind,
    read_event,
    read_session,
    state_at,
)
from gateway.mcp.tool import DoorTool
from gateway.operations.operations import Operations

_READ = ProgramRight.READ
_TOOLS: tuple[DoorTool[Any], ...] = (
    DoorTool("ask_agent", "Ask the agent", ProgramRight.SAY, AskAgent, ask_agent),
    DoorTool("list_sessions", "List sessions", _READ, ListSessions, list_sessions, reads=True),
    DoorTool("read_session", "Read a session", _READ, ReadSession, read_session, reads=True),
    DoorTool("read_event", "Read an event", _READ, ReadEvent, read_event, reads=True),
    DoorTool("state_at", "Read a state", _READ, StateAt, state_at, reads=True),
    DoorTool("fork_session", "Fork a session", ProgramRight.FORK, ForkSession, fork_session),
    DoorTool("preview_rewind", "Preview going back", _READ, PreviewRewind, preview_rewind, reads=True),
)
BY_NAME: Final[Mapping[str, DoorTool[Any]]] = {one.name: one for one in _TOOLS}


async def listed(operations: Operations, client: McpClient) -> types.ListToolsResult:
    """What this client's token opens, in a steady order."""
    found = [one.definition for one in _TOOLS if one.right in client.rights]
    if ProgramRight.TOOLS in client.rights:
        for offer in await operations.exposed.offered(client.agent_id):
            if not offer.is_tool:
                continue
            spec = tool_spec(offer.made)
            found.append(
                types.Tool(
                    name=spec.name,
                    description=spec.description,
                    input_schema={"type": "object", "properties": {}, **offer.made.value.parameter_schema},
                    annotations=types.ToolAnnotations(open_world_hint=True),
                )
            )
    return types.ListToolsResult(tools=found, ttl_ms=0, cache_scope="private")
