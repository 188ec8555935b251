"""The projector as a service."""

import asyncio
import contextlib
from functools import partial

import msgspec

from agent_contracts.errors import Transient
from agent_contracts.log.subjects import DLQ_STREAM, query_subject
from agent_contracts.questions.history_search import SEARCH_HISTORY, HistoryAnswer
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.sealing.sealer import SealedLog
from agent_platform.nats.long_answers import QuestionServer
from agent_platform.process.clock import SystemClock
from agent_platform.services.service import running_service
from projections.project.log_projection import LogProjection
from projections.rewriting import write_tables_anew
from projector.answering.history import HistoryAnswerer
from projector.erasing.erasures import Erasures
from projector.erasing.table_rewriter import TableRewriter
from projector.handlers import Projector
from projector.projecting.letters import DeadLetterWriter
from projector.projecting.metrics import ProjectionMetrics
from projector.retention.old_runs import OldRuns
from projector.service import DECLARATION
from projector.settings import ProjectorSettings
from projector.thinning.old_snapshots import OldSnapshots

_LAST_SEAL_S = 1.0
_FAILED = msgspec.json.encode(
    HistoryAnswer(error="the projector could not search what was said: its log says why. Try again")
)


async def serve(settings: ProjectorSettings) -> None:
    """Project until cancelled, and seal what is read. `Rejected` for settings that can't be; the log and
    Postgres may come later."""
    dsn = settings.required_dsn()
    projection = LogProjection()
    async with running_service(DECLARATION, settings) as service:
        numbers = ProjectionMetrics(service.metrics.registry, projection.name)
        log = SealedLog(service.connection)
        letters = DeadLetterWriter(JetStreamLog(service.connection, stream=DLQ_STREAM))
        projector = Projector(projection, dsn, log, SystemClock(), numbers, letters)

        async def database_answers() -> None:
            if projector.trouble is not None:
                raise Transient(projector.trouble)

        service.metrics.looks.append(projector.measure_lag)
        service.checks.add_readiness("database", database_answers)
        answering = QuestionServer(
            service.connection,
            query_subject(SEARCH_HISTORY),
            DECLARATION.name,
            HistoryAnswerer(dsn).answer,
            failed=_FAILED,
            stopped=_FAILED,
        )
        old = OldSnapshots(service.connection, SystemClock())
        rewriting = TableRewriter(partial(write_tables_anew, dsn), SystemClock())
        erasures = Erasures(service.connection, dsn, SystemClock(), projection, rewriting)
        old_runs = OldRuns(service.connection, dsn, SystemClock(), settings)
        try:
            async with (
                asyncio.TaskGroup() as group
            ):  # where one fails, the process ends, and is started again
                beside = [
                    group.create_task(one.run())
                    for one in (log.sealer, answering, erasures, rewriting, old, old_runs)
                ]
                await projector.run()
                for one in beside:
                    one.cancel()
        finally:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(log.sealer.keep(), _LAST_SEAL_S)
