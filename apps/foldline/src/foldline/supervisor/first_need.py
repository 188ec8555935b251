"""Services that few people use: each is a process from the first message on that needs it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Failure
from agent_contracts.log.subjects import WORKERS_BUCKET
from agent_platform.log.bucket import bucket
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.errors import NOT_FOUND, ApiError
from agent_platform.nats.long_answers import STARTS_S
from agent_platform.process.background import in_background
from agent_platform.process.interruption import Interruption
from agent_platform.services.consuming.work_reports import WorkReporter
from agent_platform.services.declaration import Need, ServiceDeclaration
from foldline.supervisor.processes import Processes

_LOOK_S = 30.0

_log = structlog.get_logger()


@asynccontextmanager
async def started_at_need(
    admin: NatsConnection, services: Sequence[ServiceDeclaration], processes: Processes
) -> AsyncIterator[None]:
    """While the block runs, start each of these with the first message that needs it."""
    waiting = [in_background(_Waiting(admin, one, processes).run, f"need of {one.name}") for one in services]
    try:
        yield
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


class _Waiting:
    """Waits for one service to be needed, and starts it."""

    def __init__(self, admin: NatsConnection, service: ServiceDeclaration, processes: Processes) -> None:
        assert service.first_need is not None
        self._admin = admin
        self._service = service
        self._needs = service.first_need.needs
        self._announces = service.first_need.announces is not None
        self._processes = processes
        self._needed = asyncio.Event()
        self._look = asyncio.Event()
        self._interruption = Interruption("need", needed=service.name)

    async def run(self) -> None:
        """Until it was started, and others know that it works."""
        async with self._standing_in(), self._listening():
            self._admin.add_listener(self._look.set)
            try:
                if not await self._is_needed() and self._announces:
                    self._look.set() if await self._processes.announce(self._name) else self._needed.set()
                await self._until_needed()
            finally:
                self._admin.remove_listener(self._look.set)
            self._processes.start(self._name)
            _log.info("service.needed", service=self._name)
            await asyncio.sleep(STARTS_S)

    @property
    def _name(self) -> str:
        return self._service.name

    @asynccontextmanager
    async def _listening(self) -> AsyncIterator[None]:
        """Hear what needs it. Who asks whether it is started is told so until it answers itself."""
        subscriptions = [await self._admin.subscribe(one.subject, self._heard) for one in self._needs]
        try:
            yield
        finally:
            for one in subscriptions:
                await self._admin.unsubscribe(one)

    async def _heard(self, message: Msg) -> None:
        self._needed.set()
        if any(one.stream is None and one.subject == message.subject for one in self._needs):
            await self._admin.publish(message.reply)

    async def _until_needed(self) -> None:
        """What came while the connection was broken is in a stream: so that is looked at as well."""
        while not self._needed.is_set():
            self._look.clear()
            if await self._is_needed():
                return
            events = [asyncio.create_task(one.wait()) for one in (self._needed, self._look)]
            try:
                await asyncio.wait(events, timeout=_LOOK_S, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for event in events:
                    event.cancel()

    async def _is_needed(self) -> bool:
        """Whether a message waits already. If nobody can tell, the service is not needed yet."""
        try:
            needed = any([await self._has(one) for one in self._needs])
        except Failure as failure:
            self._interruption.hit(failure.message)
            return False
        self._interruption.over()
        return needed

    async def _has(self, need: Need) -> bool:
        if need.stream is None:
            return False
        try:
            if need.consumer is not None:
                about = await self._admin.api(f"CONSUMER.INFO.{need.stream}.{need.consumer}")
                return bool(about["num_pending"] or about["num_ack_pending"])
            first = {"seq": 1, "next_by_subj": need.subject}
            await self._admin.api(f"STREAM.MSG.GET.{need.stream}", first)
        except ApiError as error:
            if error.err_code in NOT_FOUND:
                return False
            raise error.as_failure(f"the need of {self._name}") from error
        return True

    @asynccontextmanager
    async def _standing_in(self) -> AsyncIterator[None]:
        """Say of its consumers that somebody works on them: what they are sent starts it."""
        names = [one.consumer for one in self._needs if one.consumer is not None]
        workers = bucket(self._admin, WORKERS_BUCKET)
        tasks = [in_background(WorkReporter(workers, one, 0, tuple).run, f"report of {one}") for one in names]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(*tasks, return_exceptions=True)
