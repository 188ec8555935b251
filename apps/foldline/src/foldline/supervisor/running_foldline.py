"""`foldline up`: servers, streams, services, in this order, a line for each; until it is told to stop."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import msgspec
import structlog

from agent_contracts.errors import Failure
from agent_contracts.extensions import installed_at_start
from agent_contracts.log.subjects import PROGRAM_TOKENS_BUCKET
from agent_domain.tokens.programs import ProgramTokenRegister
from agent_platform.log.bucket import bucket
from agent_platform.log.sealing.checking import refuse_if_lost
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.process.background import in_background
from agent_platform.secrecy.failure_text import failure_of
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.discovery import rights_of, service_named
from agent_platform.services.embedded.datadir import DataDirectory
from agent_platform.services.embedded.passwords import rotate_token
from agent_platform.services.streams import prepare
from agent_platform.settings.loading import AllSettings
from agent_platform.settings.sources import DEFAULT
from foldline.settings import UpSettings
from foldline.supervisor.admitting import admitting
from foldline.supervisor.announcement import Announcement, announce, announced
from foldline.supervisor.first_need import started_at_need
from foldline.supervisor.gateway_port import gateway_port
from foldline.supervisor.in_process import InProcess
from foldline.supervisor.log_watch import accept, refuse_if_store_is_gone, remember, watch
from foldline.supervisor.processes import Processes
from foldline.supervisor.readiness import Report, told_meanwhile, until_ready
from foldline.supervisor.servers import PASSWORDS, Addresses, SupervisedServers
from foldline.supervisor.service_settings import GATEWAY, told
from foldline.supervisor.service_tokens import service_tokens
from foldline.supervisor.token_rotation import token_is_set, token_rotated_when_asked
from model_caller.choosing.model_choice import DEMO, ModelChoice, choose_model

_log = structlog.get_logger()


@dataclass(frozen=True)
class RunningFoldline:
    """A running Foldline: where its gateway is, and the link that logs a browser in."""

    url: str
    link: str
    model: ModelChoice
    servers: SupervisedServers
    services: InProcess | Processes


@asynccontextmanager
async def running(
    everything: AllSettings,
    services: Sequence[ServiceDeclaration],
    report: Report,
    *,
    replicas: Mapping[str, int] | None = None,
    accept_loss: bool = False,
) -> AsyncIterator[RunningFoldline]:
    """Start everything; yield once the gateway answers; stop everything, which loses nothing.

    `LogLost` if the log lost something; with `accept_loss` it goes on with what is left, and says so.
    With `replicas` each service is a process, or as many as it says, some from their first use on; without, a
    task of this one.
    Raises `AlreadyRunning` if the data directory is in use, `Rejected` for settings that can't work.
    """
    settings = everything.of(UpSettings)
    installed_at_start()  # what comes while it starts is used by the next
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(DataDirectory.open(settings.data_dir))
        port = gateway_port(everything, report)
        # While the servers start, which takes as long: this process would only wait for them.
        loading = asyncio.create_task(asyncio.to_thread(_load, services if replicas is None else ()))
        stack.callback(loading.cancel)
        servers = SupervisedServers(settings, directory, rights_of(services))
        stack.push_async_callback(servers.stop)
        async with told_meanwhile(report, lambda: "for NATS and Postgres, which read what is stored"):
            addresses = await servers.start()
        report("NATS", _where(settings.nats_url is None, addresses.nats_url, f"sync {settings.nats_sync}"))
        report("Postgres", "embedded" if settings.postgres_dsn is None else "external")
        admin = await _admin(settings, addresses)
        stack.push_async_callback(admin.close)
        if accept_loss:
            report("log", f"goes on without: {await accept(admin)}")
        elif servers.nats is not None:
            state = await refuse_if_lost(admin, reading=settings.log_read_at_start)
            refuse_if_store_is_gone(state, settings.data_dir)
        await prepare(admin, services, settings)
        report("streams", "ready")
        if servers.nats is not None:
            await stack.enter_async_context(admitting(admin, servers.nats))
        # Before anything else is imported: of modules in a circle, as uvicorn's, a second thread gets half.
        await loading
        model = await _model(settings, stack)
        report("model", f"{model.model} ({model.source})")
        later = _started_later(services, replicas)
        at_once = [one.name for one in services if one.name not in later]
        register = ProgramTokenRegister(bucket(admin, PROGRAM_TOKENS_BUCKET))
        tokens = await service_tokens(register, services)
        each = {
            one.name: (one, told(one, everything, addresses, model, port, at_once, tokens.get(one.name)))
            for one in services
        }
        started: InProcess | Processes = InProcess(each) if replicas is None else Processes(each, replicas)
        stack.push_async_callback(started.stop)
        for name in at_once:
            started.start(name)
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        url = f"http://{host}:{port}"
        await until_ready(url, started, report)
        report("services", ", ".join(at_once))
        if isinstance(started, Processes):
            await stack.enter_async_context(started_at_need(admin, list(later.values()), started))
        if later:
            report("at first use", ", ".join(later))
        said = Announcement(
            url=url,
            token=addresses.gateway_token,
            nats_url=addresses.nats_url,
            postgres_dsn=addresses.postgres_dsn,
            pid=os.getpid(),
            nats_monitor_url=addresses.nats_monitor_url,
            extensions=installed_at_start(),
            public_url=settings.public_url,
        )
        stack.enter_context(announced(settings.data_dir, said))
        gateway = service_named(GATEWAY, services)

        async def rotate() -> Announcement:
            if everything.sources["token"] != DEFAULT:
                raise token_is_set(str(everything.sources["token"]))
            now = replace(addresses, gateway_token=rotate_token(directory.path / PASSWORDS))
            await started.restart(GATEWAY, told(gateway, everything, now, model, port, at_once))
            await until_ready(url, started, lambda step, outcome: None)
            changed = msgspec.structs.replace(said, token=now.gateway_token)
            announce(settings.data_dir, changed)
            return changed

        await stack.enter_async_context(token_rotated_when_asked(admin, rotate))
        await stack.enter_async_context(_watched(admin, settings.data_dir))
        yield RunningFoldline(url, said.link, model, servers, started)


def _started_later(
    services: Sequence[ServiceDeclaration], replicas: Mapping[str, int] | None
) -> Mapping[str, ServiceDeclaration]:
    """The processes that are started when they are needed; not those of which a number was asked for."""
    if replicas is None:
        return {}
    return {one.name: one for one in services if one.first_need is not None and one.name not in replicas}


def _load(services: Sequence[ServiceDeclaration]) -> None:
    """Import what Foldline's own services of this process run on; somebody else's may fail, and wait."""
    for service in services:
        if service.is_ours:
            service.load()


@asynccontextmanager
async def _watched(admin: NatsConnection, folder: Path) -> AsyncIterator[None]:
    watching = in_background(partial(watch, admin, folder), "log watched")
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.wait([watching])
        try:
            await remember(admin, folder)
        except (Failure, OSError) as error:
            _log.warning("log.not_remembered", reason=failure_of(error))


async def _admin(settings: UpSettings, addresses: Addresses) -> NatsConnection:
    user = "admin" if addresses.nats_passwords else None
    password = addresses.nats_passwords["admin"] if user else None
    if user is None and settings.nats_credentials is not None:
        user, _, password = settings.nats_credentials.get_secret_value().partition(":")
    return await connect(addresses.nats_url, name="supervisor", user=user, password=password)


async def _model(settings: UpSettings, stack: AsyncExitStack) -> ModelChoice:
    model = await asyncio.to_thread(choose_model, settings, os.environ)
    if model.model != DEMO:
        return model
    # Heavy: a server of its own, for those who have no model yet.
    from demo_model.server import DemoModel

    demo = await stack.enter_async_context(DemoModel(keep=0))
    name = f"openai/{DEMO}"
    return replace(
        model, model=name, low=name, medium=name, high=name, base_url=demo.base_url, api_key="demo"
    )


def _where(embedded: bool, url: str, more: str) -> str:
    return f"embedded, {more}" if embedded else url.rpartition("@")[2]
