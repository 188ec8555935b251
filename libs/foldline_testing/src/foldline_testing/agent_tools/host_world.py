"""For tests of a worker's tools: its base over memory, and calls that are asked for and run, one by one."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.records import StoredMessage, decode
from agent_contracts.tool_spec import Effect
from agent_domain.files.files import Files
from agent_platform.entities.entities import Entities
from agent_tools.hosting.base import WorkerBase
from agent_tools.providers import Provider
from foldline_testing.agent_tools.world import SESSION, SOURCE, CallWorld, delivery


@dataclass
class HostWorld(CallWorld):
    """A worker without NATS and quotas: all else is built on the same base as the running one."""

    source: str = SOURCE
    count: int = 0
    """Calls that were asked for."""

    @cached_property
    def base(self) -> WorkerBase:
        """What the worker stands on."""
        return WorkerBase(self.source, "test", self.clock, self.log, self.log, self.log, self.blobs)

    @property
    def entities(self) -> Entities:
        """What the agent keeps."""
        return self.base.entities

    @property
    def files(self) -> Files:
        """The files among that."""
        return self.base.files

    def providers(self) -> tuple[Provider, ...]:
        """See `CallWorld`."""
        return self.base.ports()

    async def asked(
        self,
        tool: str,
        arguments: dict[str, Json] | None = None,
        session: str = SESSION,
        /,
        **given: Any,
    ) -> StoredMessage:
        """A call is asked for, as things are now, with `arguments` and those `given` by name."""
        self.count += 1
        effect = next((one.spec.effect for one in self.registry if one.spec.name == tool), Effect.EXTERNAL)
        return await self.request(
            tool,
            {**(arguments or {}), **given},
            call_id=f"c{self.count}",
            effect=effect,
            session_id=SessionId(session),
        )

    async def handled(self, message: StoredMessage, session: str = SESSION) -> Any:
        """Run a call that was asked for; the event that ended it."""
        await self.runner().handle(delivery(message))
        return await self.ended(decode(message).event.call_id, SessionId(session))

    async def call(
        self,
        tool: str,
        arguments: dict[str, Json] | None = None,
        session: str = SESSION,
        /,
        **given: Any,
    ) -> Any:
        """Ask for a call and run it; the event that ended it."""
        return await self.handled(await self.asked(tool, arguments, session, **given), session)

    async def get(self, tool: str, session: str = SESSION, /, **given: Any) -> dict[str, Any]:
        """The result of a call that must succeed."""
        ended = await self.call(tool, None, session, **given)
        assert getattr(ended, "result", None) is not None, ended
        result: dict[str, Any] = ended.result
        return result

    async def refused(self, tool: str, session: str = SESSION, /, **given: Any) -> Any:
        """The error of a call that must fail."""
        ended = await self.call(tool, None, session, **given)
        assert hasattr(ended, "error"), ended
        return ended.error
