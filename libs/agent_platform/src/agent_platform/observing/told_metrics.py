"""The numbers of all services in one page: one asks over NATS, each process answers for itself.

A process that is dead answers nothing: its numbers are missing, and `foldline_service_up` of its service
is 0.
"""

import asyncio
import os
import socket
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
import structlog
from nats.aio.msg import Msg
from prometheus_client import Metric
from prometheus_client.registry import Collector

from agent_contracts.errors import Failure
from agent_contracts.log.subjects import ALL_METRICS, METRICS_ASKED, metrics_subject
from agent_platform.nats.connection import NatsConnection
from agent_platform.observing.metrics import Metrics, rendered

_log = structlog.get_logger()

PATIENCE_S = 1.0
"""For so long a process that was heard before is waited for; after that it counts as dead."""
_GRACE_S = 0.05
"""For processes that were never heard: they answer as fast as the others."""
_OF_THE_PROCESS = "process_"


class MetricSample(msgspec.Struct, frozen=True, array_like=True):
    """One number."""

    name: str
    labels: dict[str, str]
    value: float


class MetricFamily(msgspec.Struct, frozen=True, array_like=True):
    """What is counted, and its numbers."""

    name: str
    help: str
    type: str
    samples: list[MetricSample]


class ToldMetrics(msgspec.Struct, frozen=True):
    """All numbers of one service in one process. `process` is its host and process id, `asked` repeats what
    was sent with the question."""

    service: str
    process: str
    families: list[MetricFamily]
    asked: str = ""


def this_process() -> str:
    """The host and the process id, as one label value."""
    return f"{socket.gethostname()}:{os.getpid()}"


def told(service: str, collectors: Iterable[Collector], asked: str = "") -> ToldMetrics:
    """The numbers as they are now; without the moments at which counters were made, which nobody looks at."""
    families = [
        MetricFamily(
            one.name,
            one.documentation,
            one.type,
            [
                MetricSample(sample.name, dict(sample.labels), float(sample.value))
                for sample in one.samples
                if not sample.name.endswith("_created")
            ],
        )
        for collector in collectors
        for one in collector.collect()
    ]
    return ToldMetrics(service, this_process(), families, asked)


async def tell_when_asked(connection: NatsConnection, service: str, user: str, metrics: Metrics) -> None:
    """Answer whoever asks all services, for as long as the connection is open."""

    async def asked(message: Msg) -> None:
        await metrics.look()
        now = told(service, [metrics.registry], message.data.decode(errors="replace"))
        try:
            await connection.publish(metrics_subject(user), msgspec.json.encode(now))
        except Failure as failure:
            _log.warning("metrics.not_told", reason=failure.message)

    await connection.subscribe(METRICS_ASKED, asked)


@dataclass
class _Round:
    """One look at all services."""

    heard: dict[tuple[str, str], ToldMetrics] = field(default_factory=dict)
    news: asyncio.Event = field(default_factory=asyncio.Event)


class EveryService:
    """Asks all services for their numbers. `expected` are those that should run, beside those once heard."""

    def __init__(self, connection: NatsConnection, expected: Iterable[str]) -> None:
        self._connection = connection
        self._services = set(expected)
        self._known: set[tuple[str, str]] = set()
        self._rounds: dict[str, _Round] = {}
        self._number = 0

    @property
    def names(self) -> Collection[str]:
        """The services that should run, or were heard once."""
        return self._services

    async def listen(self) -> None:
        """Hear the answers from now on."""
        await self._connection.subscribe(ALL_METRICS, self._on_told)

    async def _on_told(self, message: Msg) -> None:
        try:
            numbers = msgspec.json.decode(message.data, type=ToldMetrics)
        except msgspec.DecodeError as error:
            _log.warning("metrics.unreadable", subject=message.subject, reason=str(error))
            return
        looking = self._rounds.get(numbers.asked)
        if looking is None:
            return  # it came too late
        looking.heard[numbers.service, numbers.process] = numbers
        looking.news.set()

    async def all(self) -> Sequence[ToldMetrics]:
        """What each process says that answers within a second; nothing while NATS is away."""
        if not self._connection.is_connected:
            return []
        self._number += 1
        key = f"{this_process()}.{self._number}"
        looking = self._rounds[key] = _Round()
        try:
            await self._connection.publish(METRICS_ASKED, key.encode())
            async with asyncio.timeout(PATIENCE_S):
                while not (self._known <= looking.heard.keys() and self._are_heard(looking)):
                    looking.news.clear()
                    await looking.news.wait()
            await asyncio.sleep(_GRACE_S)
        except TimeoutError:
            _log.debug("metrics.not_all_told", missing=sorted(self._known - looking.heard.keys()))
        except Failure as failure:
            _log.warning("metrics.not_asked", reason=failure.message)
        finally:
            del self._rounds[key]
        self._known = set(looking.heard)
        self._services |= {service for service, _ in looking.heard}
        return list(looking.heard.values())

    def _are_heard(self, looking: _Round) -> bool:
        return self._services <= {service for service, _ in looking.heard}

    async def answering(self) -> Mapping[str, int]:
        """How many processes of each service answer now; 0: it is dead or hangs. Empty while NATS is away."""
        heard = await self.all()
        return self._answered(heard) if heard else {}

    def up(self, heard: Sequence[ToldMetrics]) -> Metric:
        """How many processes of each service answered."""
        up = Metric(
            "foldline_service_up", "Processes of a service that answered this scrape; 0: it is dead", "gauge"
        )
        for service, processes in self._answered(heard).items():
            up.add_sample(up.name, {"service": service}, processes)
        return up

    def _answered(self, heard: Sequence[ToldMetrics]) -> dict[str, int]:
        answered = [one.service for one in heard]
        return {service: answered.count(service) for service in sorted(self._services)}


def one_page(heard: Sequence[ToldMetrics], others: Iterable[Metric] = ()) -> bytes:
    """All of it as the text that Prometheus reads: each number with its service and process; those of the
    process itself once, also where it runs several services."""
    services: dict[str, list[str]] = {}
    for one in heard:
        services.setdefault(one.process, []).append(one.service)
    families: dict[str, Metric] = {}
    for one in sorted(heard, key=lambda told: (told.service, told.process)):
        sharing = services[one.process]
        for family in one.families:
            of_process = family.name.startswith(_OF_THE_PROCESS)
            if of_process and one.service != min(sharing):
                continue
            service = "all" if of_process and len(sharing) > 1 else one.service
            metric = families.setdefault(family.name, Metric(family.name, family.help, family.type))
            for sample in family.samples:
                labels: Mapping[str, str] = {**sample.labels, "service": service, "process": one.process}
                metric.add_sample(sample.name, dict(labels), sample.value)
    return rendered([*families.values(), *others])
