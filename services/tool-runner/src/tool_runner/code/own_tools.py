"""Tools that agents made, in the shape of built-in ones: another `run`, and a JSON Schema for their
arguments."""

from typing import Any, Protocol

import msgspec
from pydantic import model_serializer

from agent_contracts.entities.definitions import NamedDefinition, ToolDefinition, tool_spec
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.kinds.function import FUNCTION
from agent_contracts.kinds.tool import TOOL
from agent_contracts.questions.function_calls import FunctionCall
from agent_domain.definitions import defined, read
from agent_domain.packs.naming import OWN
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from agent_platform.log.port import Log
from agent_tools.context import CallContext
from agent_tools.running.call import RequestedCall
from agent_tools.signatures import Asked
from agent_tools.tool import Pause, Result, SchemaArguments, Tool
from tool_runner.code.set_back import SetBack


class OwnToolValue(Result):
    """Whatever the code returned, as it is."""

    value: Json

    @model_serializer
    def _plain(self) -> Any:
        return self.value


class CodeRunner(Protocol):
    """The port that runs code which the agent wrote, in the name of one call."""

    async def run(self, made: NamedDefinition[ToolDefinition], args: dict[str, Json]) -> Json:
        """What the code of a tool or function returns for these `args`. `Rejected` for code that fails,
        saying where."""
        ...


_ASKS: Asked = (("code", CodeRunner), ("call", CallContext))


class StoredTools:
    """`OwnTools` of entities, as of a call's request, or as it was approved: so every attempt at the call
    runs the same code."""

    def __init__(self, entities: Entities) -> None:
        self._entities = entities

    async def find(self, call: RequestedCall) -> Tool | None:
        """See `OwnTools`."""
        name = call.tool.removeprefix(f"{OWN}.")
        key = EntityKey(call.key.session.agent_id, TOOL.kind, name)
        entity = await self._entities.as_of(key, call.code_at)
        if entity is None:
            return None
        found = defined(entity, TOOL)
        require_enabled(found, TOOL.noun)
        return _set_back_if_it_fails(found)


class StoredFunctions:
    """An agent's functions and tools, for whoever calls them from outside its sessions."""

    def __init__(self, events: Log, entities: Entities) -> None:
        self._events = events
        self._entities = entities

    async def find(self, call: FunctionCall) -> tuple[Tool, int]:
        """The function as it is now, and the event as of which that is. `Rejected` where there is none, or
        one that is disabled and called in earnest."""
        sequence = await self._events.last_sequence()
        made = TOOL if call.kind is TOOL.kind else FUNCTION
        found = await read(
            self._entities, EntityKey(call.agent_id, made.kind, call.name), made, up_to=sequence
        )
        if not call.trial:
            require_enabled(found, made.noun)
        return runnable(found), sequence


def runnable(made: NamedDefinition[ToolDefinition]) -> Tool:
    """What the agent made, as a tool that can be run."""

    async def run(args: dict[str, Json], code: CodeRunner, call: CallContext) -> OwnToolValue:
        call.outside.bring(*made.outside)
        return OwnToolValue(value=await code.run(made, args))

    spec = tool_spec(made)
    return Tool(spec, SchemaArguments(spec.parameters), run, _ASKS, __name__)


def _set_back_if_it_fails(made: NamedDefinition[ToolDefinition]) -> Tool:
    """The same for calls of the agent's sessions: see `SetBack`."""
    tool = runnable(made)

    async def run(args: dict[str, Json], set_back: SetBack, **ports: Any) -> Result | Pause:
        try:
            return await tool.run(args, **ports)
        except Rejected as failure:
            raise await set_back.told(made, failure) from failure

    return msgspec.structs.replace(tool, run=run, asks=(*_ASKS, ("set_back", SetBack)))


def require_enabled(made: NamedDefinition[ToolDefinition], noun: str) -> None:
    """`Rejected(kind="disabled_tool")` for a tool or function that is disabled."""
    if not made.value.enabled:
        raise Rejected(f"the {noun} {made.name!r} is disabled: enable it first", kind=ErrorKind.DISABLED_TOOL)
