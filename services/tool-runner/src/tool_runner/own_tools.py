"""Tools that agents made, in the shape of built-in ones: another `run`, and a JSON Schema for their
arguments."""

from typing import Any, Protocol

from pydantic import model_serializer

from agent_contracts.definitions import TOOL, Defined, ToolDefinition, tool_spec
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_domain.definitions import defined
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
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

    async def run(self, made: Defined[ToolDefinition], args: dict[str, Json], ctx: ToolContext) -> Json:
        """What the code of a tool or function returns for these `args`. `Rejected` for code that fails,
        saying where."""
        ...


class OwnTools:
    """Finds them as of a call's request, so that every attempt at the call runs the same code."""

    def __init__(self, entities: Entities, code: CodeRunner) -> None:
        self._entities = entities
        self._code = code

    async def find(self, call: Call) -> Tool | None:
        """The agent's tool that a call names; None if it has none. `Rejected` for a disabled one."""
        key = EntityKey(call.key.session.agent_id, TOOL.kind, call.tool)
        entity = await self._entities.as_of(key, call.sequence)
        if entity is None:
            return None
        found = defined(entity, TOOL)
        require_enabled(found, TOOL.noun)
        return runnable(found, self._code)


def runnable(made: Defined[ToolDefinition], code: CodeRunner) -> Tool:
    """What the agent made, as a tool that can be run."""

    async def run(args: dict[str, Json], ctx: ToolContext) -> Value:
        return Value(value=await code.run(made, args, ctx))

    return Tool(tool_spec(made), SchemaArguments(made.value.parameter_schema), run, __name__)


def require_enabled(made: Defined[ToolDefinition], noun: str) -> None:
    """`Rejected(kind="disabled_tool")` for a tool or function that is disabled."""
    if not made.value.enabled:
        raise Rejected(f"the {noun} {made.name!r} is disabled: enable it first", kind=ErrorKind.DISABLED_TOOL)
