"""For tests of packs: calls of one agent, one after another, by what they gave."""

import asyncio
from typing import Any

from agent_contracts.log.record.records import decode
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed, ToolCallPending
from agent_tools.running.call import call_from
from agent_tools.running.call_log import CallLog
from agent_tools.running.runner import ToolRunner
from foldline_testing.agent_tools.world import SOURCE, CallWorld


class Called:
    """Runs calls of the tools of a world, each with an id of its own. Tools are named as in their pack, of
    which the name stands before each if it is given."""

    def __init__(self, world: CallWorld, pack: str | None = None) -> None:
        self.world = world
        self._pack = pack
        self._count = 0

    async def event(self, tool: str, **arguments: Any) -> Any:
        """What ended a call."""
        return await self.run(tool, arguments)

    async def run(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Likewise, with the arguments as a model gives them."""
        self._count += 1
        return await self.world.run(self._id(tool), arguments, call_id=f"c{self._count}")

    async def twice(self, tool: str, **arguments: Any) -> tuple[Any, Any]:
        """What ends a call whose first runner died when all was done but the result's recording, by the first
        and by the second."""
        self._count += 1
        world = self.world
        call = call_from(decode(await world.request(self._id(tool), arguments, call_id=f"c{self._count}")))
        calls = CallLog(world.log, world.clock, SOURCE, "r1")
        runner = ToolRunner(world.toolbox(), world.own_tools(), calls, world.blobs)
        first, second = [await runner.run(call, attempt, asyncio.Event()) for attempt in (1, 2)]
        return first, second

    async def text(self, tool: str, **arguments: Any) -> str:
        """What a call gave, which is a text."""
        event = await self.event(tool, **arguments)
        assert isinstance(event, ToolCallCompleted), event
        assert isinstance(event.result, str), event
        return event.result

    async def shown(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a call put before a person."""
        event = await self.event(tool, **arguments)
        assert isinstance(event, ToolCallPending), event
        return event.show

    async def error(self, tool: str, **arguments: Any) -> tuple[str, str, str | None]:
        """The kind, the message and the path of a call that failed."""
        event = await self.event(tool, **arguments)
        assert isinstance(event, ToolCallFailed), event
        return event.error.kind, event.error.message, event.error.path

    def _id(self, tool: str) -> str:
        return tool if self._pack is None or "." in tool else f"{self._pack}.{tool}"
