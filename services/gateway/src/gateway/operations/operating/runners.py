"""Who works: each process at each consumer, what it has in hand, and when it was last heard."""

from collections.abc import Sequence

import structlog

from agent_contracts.api.operating import (
    Activity,
    PackOffer,
    ProjectionProgress,
    Worker,
    WorkInHand,
    WorkOverview,
)
from agent_contracts.errors import Transient
from agent_contracts.log.address import Address
from agent_contracts.log.subjects import consumer_of
from agent_contracts.log.workers import InHand, WorkerStatus
from agent_contracts.tool_spec import Catalogue, RunsOn
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock, rfc3339
from gateway.live.event_view import session_of
from gateway.operations.event_at import call_at
from gateway.operations.operating.ports import OfferedTools, WorkerReports
from gateway.queries import activity
from gateway.queries.checkpoint import checkpoint
from gateway.queries.database import Database

log = structlog.get_logger(__name__)


class WhoWorks:
    """Reads what workers say of themselves."""

    def __init__(
        self, workforce: WorkerReports, offered: OfferedTools, log: Log, database: Database, clock: Clock
    ) -> None:
        self._workforce = workforce
        self._offered = offered
        self._log = log
        self._database = database
        self._clock = clock

    async def now(self) -> WorkOverview:
        """Everybody who was heard within a day; one that ended in order is not among them."""
        now = rfc3339(self._clock.now())
        told = await self._workforce.workers()
        return WorkOverview(
            services=dict(await self._workforce.services()),
            workers=[await self._worker(one, now) for one in told],
            queues=await self._workforce.queues(),
            offers=_offers(await self._offered.catalogues()),
            projected=await self._projected(),
        )

    async def busiest(self, window_s: int, limit: int) -> Activity:
        """The sessions that do the most, and how the models answer. `Transient` while the tables can't be
        read."""
        async with self._database.snapshot() as snapshot:
            return Activity(
                items=await activity.busiest(snapshot, window_s, limit),
                next_cursor=None,
                window_s=window_s,
                models=await activity.models(snapshot, window_s),
            )

    async def _worker(self, told: WorkerStatus, now: str) -> Worker:
        return Worker(
            consumer=told.consumer,
            member=told.member,
            host=told.host,
            process=told.process,
            alive=told.lives(now),
            started_at=told.started_at,
            seen_at=told.seen_at,
            capacity=told.capacity,
            in_hand=[await self._work(one) for one in told.in_hand],
        )

    async def _work(self, one: InHand) -> WorkInHand:
        return WorkInHand(
            sequence=one.sequence,
            session_id=session_of(one.subject),
            call_id=await call_at(self._log, Address(one.sequence)),
            started_at=one.since,
        )

    async def _projected(self) -> ProjectionProgress | None:
        """Who looks after a Foldline whose tables are away wants to see the rest all the more."""
        try:
            async with self._database.snapshot() as snapshot:
                reached = await checkpoint(snapshot)
        except Transient as failure:
            log.warning("runners.no_tables", reason=failure.message)
            return None
        return ProjectionProgress(sequence=reached, last_sequence=await self._log.last_sequence())


def _offers(catalogues: Sequence[Catalogue]) -> list[PackOffer]:
    offers = []
    for catalogue in sorted(catalogues, key=lambda one: one.pack):
        places = {tool.runs_on for tool in catalogue.tools}
        for place in [*(one for one in RunsOn if one in places), *sorted(places - set(RunsOn))]:
            tools = sorted(tool.name for tool in catalogue.tools if tool.runs_on is place)
            consumer = None if place is RunsOn.ENGINE else consumer_of(place)
            offers.append(
                PackOffer(pack=catalogue.pack, version=catalogue.version, consumer=consumer, tools=tools)
            )
    return offers
