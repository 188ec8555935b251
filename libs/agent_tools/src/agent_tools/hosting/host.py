"""A worker's life from start to stop: it publishes its tools, then runs what is asked for until cancelled."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import msgspec
import structlog
from nats.aio.msg import Msg

from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, Rejected, ToolError, Transient
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.offered_results import ResultSource
from agent_contracts.log.subjects import ALL_CANCELLATIONS, CATALOG_BUCKET, parse_cancellation, query_subject
from agent_domain.catalog import Catalog
from agent_domain.erasing.progress import on_erased
from agent_platform.log.bucket import bucket
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.long_answers import QuestionServer
from agent_platform.process.interruption import Interruption
from agent_platform.services.consuming.consumer import Handler
from agent_platform.services.consuming.dead_letters import MaxDeliveriesListener
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.service import ServiceRuntime, connect_as, running_service
from agent_platform.settings.shared import NatsSettings
from agent_tools.hosting.base import WorkerBase, nats_base
from agent_tools.hosting.settings import WorkerSettings
from agent_tools.providers import Provider
from agent_tools.registry import Pack, Registry
from agent_tools.running.failures import outcome_unknown
from agent_tools.running.handlers import ToolCalls

log = structlog.get_logger()

_AGAIN_S = 2.0
"""Seconds between two tries to publish a catalogue that couldn't be stored."""


@dataclass(frozen=True)
class WorkerQuery:
    """What others ask the worker over core NATS by this name, and what answers it."""

    name: str
    answer: Callable[[bytes], Awaitable[bytes]]
    failed: bytes
    """The answer where `answer` raises."""
    stopped: bytes
    """The answer where the worker stops before."""


@dataclass(frozen=True)
class WorkerNotice:
    """What others tell the worker over core NATS by this name. They wait for no answer."""

    name: str
    heard: Callable[[Msg], Awaitable[None]]


@dataclass(frozen=True)
class HostedWork:
    """What a worker does while it runs."""

    calls: ToolCalls
    packs: Sequence[Pack]
    """The packs whose catalogues it publishes."""
    every_pack: bool = False
    """Whether `packs` are all that agents may enable: catalogues of others are then removed."""
    handle: Handler | None = None
    """Takes requested calls, if `calls` doesn't do so itself."""
    stopped: Callable[[SessionId, CallId | None], None] | None = None
    """Hears which call nobody waits for any more (None: all of the session), after `calls` did."""
    erased: Callable[[str], Awaitable[None]] | None = None
    """Forgets the session or agent of this name."""
    queries: Sequence[WorkerQuery] = ()
    notices: Sequence[WorkerNotice] = ()
    tasks: Sequence[Callable[[], Coroutine[Any, Any, None]]] = ()
    """What runs beside the calls until it is cancelled."""


Begin = Callable[[ServiceRuntime, WorkerBase], AbstractAsyncContextManager[HostedWork]]
"""Builds what a worker holds, and lets go of it at the end."""


@dataclass(frozen=True)
class Host:
    """One kind of worker. NATS lets it offer results as `worker`; names of its processes begin with
    `prefix`."""

    worker: ResultSource
    prefix: str
    begin: Begin


async def run_host(declared: ServiceDeclaration, settings: WorkerSettings, host: Host) -> None:
    """Run a worker until cancelled. It pulls calls from the one consumer that it declares.

    Raises `Rejected` for tools or settings that can't be used, `Transient` if no NATS answers.
    """
    (consumer,) = declared.consumers
    spec = settings.paced(consumer)
    async with running_service(declared, settings) as service:
        connection = service.connection
        base = await nats_base(service, declared, settings, host.worker, host.prefix)
        async with host.begin(service, base) as hosted:
            calls = hosted.calls
            catalog = Catalog(bucket(connection, CATALOG_BUCKET))
            await publish(catalog, hosted.packs, every_pack=hosted.every_pack)
            await connection.subscribe(ALL_CANCELLATIONS, cancellations_to(hosted))
            if hosted.erased is not None:
                await on_erased(connection, declared.name, hosted.erased)
            for notice in hosted.notices:
                await connection.subscribe(query_subject(notice.name), notice.heard)
            async with asyncio.TaskGroup() as group:
                for task in hosted.tasks:
                    group.create_task(task())
                for one in hosted.queries:
                    group.create_task(_answering(connection, declared.name, one).run())
                handle = hosted.handle or calls.handle
                group.create_task(JetStreamConsumer(service, spec, handle, calls.give_up).run())
                group.create_task(MaxDeliveriesListener(service, spec.name, calls.give_up).run())


async def announce_packs(declared: ServiceDeclaration, settings: NatsSettings, packs: Sequence[Pack]) -> None:
    """Publish a worker's tools, and end: a call of one starts the worker."""
    connection = await connect_as(settings, declared.name)
    try:
        await publish(Catalog(bucket(connection, CATALOG_BUCKET)), packs)
    finally:
        await connection.close()


async def publish(catalog: Catalog, packs: Sequence[Pack], *, every_pack: bool = False) -> None:
    """Tell the model callers which tools there are, by one catalogue for each pack. Where these are every
    pack that agents may enable, the catalogues of others are removed. Waits while nothing can be stored, as
    on a full disk: a worker that ended then would only be started again and again."""
    for pack in packs:
        await _stored(catalog, pack)
        log.info("catalogue.published", pack=pack.name, version=pack.version, tools=len(pack.tools))
    gone = await catalog.keep_packs(pack.name for pack in packs) if every_pack else ()
    if gone:
        log.info("catalogue.removed", packs=gone)


async def _stored(catalog: Catalog, pack: Pack) -> None:
    interruption = Interruption("catalogue", pack=pack.name)
    with interruption.tried(Transient):
        await catalog.put(pack.catalogue())
    while interruption.lasts:
        await asyncio.sleep(_AGAIN_S)
        with interruption.tried(Transient):
            await catalog.put(pack.catalogue())


def only_tools(
    *packs: Pack, ports: Callable[[WorkerBase], Iterable[Provider]] = lambda _: ()
) -> Callable[[ServiceRuntime, WorkerBase], AbstractAsyncContextManager[HostedWork]]:
    """A worker that holds nothing: the tools of these packs, with `ports` beside those of every worker."""

    @asynccontextmanager
    async def begin(service: ServiceRuntime, base: WorkerBase) -> AsyncIterator[HostedWork]:
        yield HostedWork(base.handlers(base.toolbox(Registry(packs), *ports(base))), packs)

    return begin


def query_of_code(name: str, answer: Callable[[bytes], Awaitable[bytes]], worker: str) -> WorkerQuery:
    """What agents' code asks, which gets a `ToolAnswer` in any case. `worker` names who failed or stopped."""
    failed = ToolError(ErrorKind.INTERNAL, f"{worker} failed; its log says why")
    stopped = outcome_unknown(f"{worker} was stopped meanwhile")
    return WorkerQuery(
        name, answer, *(msgspec.json.encode(ToolAnswer(error=one)) for one in (failed, stopped))
    )


def _answering(connection: NatsConnection, queue: str, one: WorkerQuery) -> QuestionServer:
    subject = query_subject(one.name)
    return QuestionServer(connection, subject, queue, one.answer, failed=one.failed, stopped=one.stopped)


def cancellations_to(hosted: HostedWork) -> Callable[[Msg], Awaitable[None]]:
    """What to do when the engine tells that nobody waits any more."""

    async def stop(message: Msg) -> None:
        try:
            session, call = parse_cancellation(message.subject, message.data)
        except Rejected as error:
            log.warning("cancellation.unreadable", subject=message.subject, reason=str(error))
            return
        hosted.calls.stop(session, call)
        if hosted.stopped is not None:
            hosted.stopped(session, call)

    return stop
