"""What people ask through the gateway, answered by the agent's own tools in a context that stores nothing."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

import msgspec

from agent_contracts.definitions import D, DefinitionKind
from agent_contracts.entities import EntityKind
from agent_contracts.errors import ErrorKind, Failure, Rejected, ToolError
from agent_contracts.ids import AgentId, CallId
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import Effect
from agent_contracts.user_questions import CheckDefinition, ReadDatabase, ToolAnswer
from agent_domain.definitions import to_json
from agent_platform.log.port import Log
from tool_runner.agent_database import ReadOnlyDatabase
from tool_runner.agent_definitions import AgentDefinitions
from tool_runner.answers import answer_of, refused
from tool_runner.context import Resources, ToolContext
from tool_runner.failures import error_from
from tool_runner.running import run_tool
from tool_runner.tool import Tool
from tool_runner.validation import InvalidArguments, parse_arguments

_MAKERS = {
    EntityKind.TOOL: "create_tool",
    EntityKind.FUNCTION: "create_function",
    EntityKind.LIBRARY: "create_library",
    EntityKind.COMPONENT: "create_ui_component",
    EntityKind.SKILL: "create_skill",
}

Q = TypeVar("Q", bound=msgspec.Struct)


class UserQuestions:
    """Answers them. What the agent's tools refuse, people are refused, in the same words."""

    def __init__(self, events: Log, resources: Resources) -> None:
        self._events = events
        self._resources = resources

    async def check(self, question: bytes) -> bytes:
        """The `ToolAnswer` to a `CheckDefinition`, as JSON."""
        return await _answered(question, CheckDefinition, self._check)

    async def read(self, question: bytes) -> bytes:
        """The `ToolAnswer` to a `ReadDatabase`, as JSON."""
        return await _answered(question, ReadDatabase, self._read)

    async def _check(self, asked: CheckDefinition) -> ToolAnswer:
        tool = self._tool(_MAKERS.get(asked.kind, ""))
        ctx = await self._context(asked.agent_id, tool)
        noted = _NotedDefinition()
        answer = await self._run(
            tool, {**asked.definition, "name": asked.name}, replace(ctx, definitions=noted)
        )
        return answer if answer.error is not None else ToolAnswer(noted.value)

    async def _read(self, asked: ReadDatabase) -> ToolAnswer:
        tool = self._tool("db_schema" if asked.sql is None else "db_sql")
        ctx = await self._context(asked.agent_id, tool)
        database = ReadOnlyDatabase(self._resources.databases, asked.agent_id, asked.at)
        arguments: dict[str, Json] = {} if asked.sql is None else {"sql": asked.sql, "params": asked.params}
        return await self._run(tool, arguments, replace(ctx, database=database))

    def _tool(self, name: str) -> Tool:
        found = self._resources.tools.get(name)
        if not isinstance(found, Tool):
            raise Rejected(f"this runner has no tool {name!r}", kind=ErrorKind.INTERNAL)
        return found

    async def _context(self, agent_id: AgentId, tool: Tool) -> ToolContext:
        call_id = CallId(self._resources.clock.new_id("q"))
        sequence = await self._events.last_sequence()
        return self._resources.context_for_page(agent_id, call_id, sequence, tool.spec.name)

    async def _run(self, tool: Tool, arguments: dict[str, Json], ctx: ToolContext) -> ToolAnswer:
        try:
            args = parse_arguments(tool, arguments)
        except InvalidArguments as invalid:
            message = invalid.error.message.removeprefix(f"{tool.spec.name}: ")
            return refused(msgspec.structs.replace(invalid.error, message=message))
        outcome, _ = await run_tool(tool, args, ctx)
        return await answer_of(outcome, tool, self._resources.blobs)


class _NotedDefinition(AgentDefinitions):
    """Keeps what a tool would make."""

    def __init__(self) -> None:
        self.value: Json = None

    async def create(self, kind: DefinitionKind[D], name: str, value: D) -> int:
        """Note the value; whether the name is taken is for whoever stores it."""
        self.value = to_json(value)
        return 1


async def _answered(question: bytes, shape: type[Q], answer: Callable[[Q], Awaitable[ToolAnswer]]) -> bytes:
    try:
        told = await answer(msgspec.json.decode(question, type=shape))
    except msgspec.DecodeError as error:
        told = refused(ToolError(ErrorKind.INTERNAL, f"not a {shape.__name__}: {error}"))
    except Failure as failure:
        told = refused(error_from(failure, Effect.PURE))
    return msgspec.json.encode(told)
