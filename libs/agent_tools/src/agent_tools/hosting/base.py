"""What every worker stands on: the log, what agents keep, and the record of calls. Services build it over
NATS, tests over memory; all else of a worker is built from it."""

from dataclasses import dataclass
from functools import cached_property

from agent_contracts.log.offered_results import ResultSource
from agent_contracts.log.subjects import QUOTAS_BUCKET
from agent_domain.erasing.progress import blobs_of
from agent_domain.files.files import Files
from agent_domain.files.workspaces import Workspaces
from agent_platform.entities.entities import Entities
from agent_platform.entities.room import HasRoom
from agent_platform.log.blobs.counted_blobs import CountedBlobs
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.log.quotas.counted_log import CountedLog
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.log.quotas.room import stored_room
from agent_platform.log.result_offers import NatsOffers, ResultOffers
from agent_platform.process.clock import Clock, SystemClock
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.service import ServiceRuntime
from agent_platform.settings.shared import QuotaSettings
from agent_tools.context import CallContext
from agent_tools.ports.files import AgentFiles
from agent_tools.providers import Provider
from agent_tools.registry import Registry
from agent_tools.running.call import RequestedCall
from agent_tools.running.call_log import CallLog
from agent_tools.running.handlers import ToolCalls
from agent_tools.running.keyed_calls import KeyedCalls
from agent_tools.running.platform_ports import platform_ports
from agent_tools.running.runner import OwnTools, ToolRunner
from agent_tools.running.stored_files import StoredFiles
from agent_tools.tool import Tool
from agent_tools.toolbox import Toolbox

_DIGITS = 10
"""Digits at the end of an id that tell one process from another: 50 bits of chance. Each result has them."""


class NoOwnTools:
    """`OwnTools` of a worker that runs no agent's own tools."""

    async def find(self, call: RequestedCall) -> Tool | None:
        """See `OwnTools`."""
        return None


@dataclass(frozen=True)
class WorkerBase:
    """The parts that all workers share. Each is built once."""

    source: str
    """What the worker is called in the events that it writes."""
    me: str
    """This process. No other has, or had, its name."""
    clock: Clock
    stored: Log
    """The log itself. What is written there counts towards no quota."""
    events: Log
    """The log that counts what agents add, and refuses nothing: what ends something begun is written."""
    bounded: Log
    """The log that refuses what exceeds an agent's quota."""
    blobs: Blobs
    room: HasRoom | None = None
    """How much agents may keep; without it, there is no limit."""
    offers: ResultOffers | None = None
    """Where results are offered before the worker appends them."""

    @cached_property
    def entities(self) -> Entities:
        """What agents keep."""
        return Entities(self.bounded, self.clock, self.source, self.room)

    @cached_property
    def files(self) -> Files:
        """The files among that."""
        return Files(self.entities, self.blobs)

    @cached_property
    def workspaces(self) -> Workspaces:
        """Which files a session sees."""
        return Workspaces(self.events)

    @cached_property
    def calls(self) -> CallLog:
        """What the log says of calls."""
        return CallLog(self.events, self.clock, self.source, self.me, self.offers)

    @cached_property
    def keyed(self) -> KeyedCalls:
        """Calls from outside of any turn."""
        return KeyedCalls(Entities(self.events, self.clock, self.source), self.clock)

    def ports(self) -> tuple[Provider, ...]:
        """The ports that every worker offers: the clock, blobs, and the session's files."""

        def agent_files(call: CallContext) -> AgentFiles:
            return StoredFiles(self.files, self.workspaces, call)

        return *platform_ports(self.clock, self.blobs), agent_files

    def toolbox(self, registry: Registry, *ports: Provider) -> Toolbox:
        """The registry's tools, with the ports of every worker and these. Raises BrokenTools where a tool
        asks for another."""
        return Toolbox.of(registry, *self.ports(), *ports)

    def handlers(self, toolbox: Toolbox, own_tools: OwnTools | None = None) -> ToolCalls:
        """What runs requested calls of these tools, and of those that agents made."""
        runner = ToolRunner(toolbox, own_tools or NoOwnTools(), self.calls, self.blobs)
        return ToolCalls(runner, self.calls, self.clock)


async def nats_base(
    service: ServiceRuntime,
    declared: ServiceDeclaration,
    settings: QuotaSettings,
    worker: ResultSource,
    prefix: str,
) -> WorkerBase:
    """The base of a running worker. Its processes are called by `prefix`, and what tells them apart."""
    connection = service.connection
    clock, stored = SystemClock(), JetStreamLog(connection, metrics=service.metrics)
    quota = DailyQuota(bucket(connection, QUOTAS_BUCKET), clock, settings.agent_log_limit)
    events = CountedLog(stored, quota)
    return WorkerBase(
        declared.source,
        f"{prefix}_{clock.new_id(prefix)[-_DIGITS:]}",
        clock,
        stored,
        events,
        CountedLog(stored, quota, bounded=True),
        CountedBlobs(await blobs_of(connection, declared.name), quota),
        stored_room(connection, events, clock, settings.agent_kept_limit),
        NatsOffers(connection, worker, f"{declared.nats_user}.offering", quota),
    )
