"""What a tool of the door is, and what it gets for a call."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import mcp_types as types
from pydantic import BaseModel, ConfigDict

from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.errors import Rejected
from agent_contracts.ids import SessionId, check_id
from gateway.mcp.client import McpClient
from gateway.operations.operations import Operations

Answer = types.CallToolResult | types.InputRequiredResult
Tell = Callable[[str], Awaitable[None]]


class McpArguments(BaseModel):
    """What a tool takes. Unknown members are refused: a misspelt one would be lost in silence."""

    model_config = ConfigDict(frozen=True, extra="forbid")


A = TypeVar("A", bound=McpArguments)


@dataclass(frozen=True)
class McpCall:
    """One call: whose it is, and what the client can be asked.

    `tell` sends a line of progress, if the client wants any. `can_elicit`: whether a question may be an
    elicitation; `state` and `answers` are what the client brings back of one.
    """

    operations: Operations
    client: McpClient
    tell: Tell
    can_elicit: bool
    state: str | None
    answers: dict[str, Any]

    async def session(self, session_id: str) -> SessionId:
        """The session, if it is one of the client's agent; `Rejected(kind="not_found")` for any other."""
        checked = SessionId(check_id(session_id, "session"))
        found = await self.operations.directory.find(checked)
        if found.agent_id != self.client.agent_id:
            raise Rejected(f"There is no session {session_id}", kind="not_found")
        return checked


@dataclass(frozen=True)
class DoorTool(Generic[A]):
    """One tool. Its docstring is what the client reads; `right` is what a token needs for it."""

    name: str
    title: str
    right: ProgramRight
    arguments: type[A]
    run: Callable[[McpCall, A], Awaitable[Answer]]
    reads: bool = False

    @property
    def definition(self) -> types.Tool:
        """As clients are told of it."""
        schema = self.arguments.model_json_schema()
        schema.pop("title", None)
        schema.pop("description", None)
        schema.setdefault("properties", {})
        return types.Tool(
            name=self.name,
            title=self.title,
            description=" ".join((self.run.__doc__ or "").split()),
            input_schema=schema,
            annotations=types.ToolAnnotations(
                read_only_hint=self.reads, destructive_hint=False, open_world_hint=not self.reads
            ),
        )
