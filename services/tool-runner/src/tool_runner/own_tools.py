"""Tools that agents made, in the shape of built-in ones: another `run`, and a JSON Schema for their
arguments."""

from typing import Any, Protocol

from pydantic import model_serializer

from agent_contracts.definitions import TOOL, tool_spec
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_platform.definitions import defined
from agent_platform.entities import Entities
from agent_platform.entity import EntityKey
from tool_runner.call import Call
from tool_runner.context import ToolContext
from tool_runner.tool import Result, SchemaArguments, Tool


class Value(Result):
    """Whatever the code returned, as it is."""

    value: Json

    @model_serializer
    def _plain(self) -> Any:
        return self.value


class CodeRunner(Protocol):
    """Who runs code that agents wrote."""

    async def run(self, code: str, args: dict[str, Json], ctx: ToolContext) -> Json:
        """What the code returns for these `args`. `Rejected` for code that fails, saying where."""
        ...


class OwnTools:
    """Finds them as of a call's request, so that every attempt at the call runs the same code."""

    def __init__(self, entities: Entities, code: CodeRunner) -> None:
        self._entities = entities
        self._code = code

    async def find(self, call: Call) -> Tool | None:
        """The agent's tool that a call names; None if it has none. `Rejected` for a disabled one."""
        key = EntityKey(call.key.agent_id, TOOL.kind, call.tool)
        entity = await self._entities.as_of(key, call.sequence)
        if entity is None:
            return None
        found = defined(entity, TOOL)
        if not found.value.enabled:
            raise Rejected(
                f"the tool {call.tool!r} is disabled: enable it first", kind=ErrorKind.DISABLED_TOOL
            )

        async def run(args: dict[str, Json], ctx: ToolContext) -> Value:
            return Value(value=await self._code.run(found.value.code, args, ctx))

        return Tool(tool_spec(found), SchemaArguments(found.value.parameter_schema), run, __name__)
