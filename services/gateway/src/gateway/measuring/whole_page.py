"""`/metrics` of the gateway: the numbers of every service, of the log and of the stores, in one page."""

import asyncio
from collections.abc import Iterable, Set

from prometheus_client import Metric

from agent_contracts.errors import Failure
from agent_contracts.service_names import GATEWAY
from agent_platform.observing.metrics import Metrics
from agent_platform.observing.told_metrics import EveryService, one_page, told
from agent_platform.services.discovery import consumers_of_later_services
from gateway.measuring.log_metrics import LogMetrics
from gateway.measuring.store_metrics import StoreMetrics
from gateway.operations.agents.pins import BuiltInTools


def without_queues(metrics: Iterable[Metric], consumers: Set[str]) -> list[Metric]:
    """All numbers but those of these consumers."""
    found = []
    for metric in metrics:
        kept = Metric(metric.name, metric.documentation, metric.type)
        kept.samples = [one for one in metric.samples if one.labels.get("consumer") not in consumers]
        found.append(kept)
    return found


class WholePage:
    """Asks all for their numbers at each scrape. The gateway's own are there also while NATS is away."""

    def __init__(
        self,
        own: Metrics,
        services: EveryService,
        stores: StoreMetrics,
        log: LogMetrics,
        tools: BuiltInTools,
    ) -> None:
        self._own = own
        self._services = services
        self._stores = stores
        self._log = log
        self._tools = tools

    async def text(self) -> bytes:
        """The text that Prometheus reads."""
        others, stores, _ = await asyncio.gather(self._services.all(), self._stores.all(), self.know_tools())
        heard = [told(GATEWAY, [self._own.registry]), *(one for one in others if one.service != GATEWAY)]
        return one_page(heard, [self._services.up(heard), *without_queues(stores, self._not_needed())])

    def _not_needed(self) -> Set[str]:
        """Consumers of services that start when they are first needed, and were not: nothing waits there."""
        later = consumers_of_later_services()
        return {consumer for consumer, service in later.items() if service not in self._services.names}

    async def know_tools(self) -> None:
        """Learn which tools packs have: those have a label each."""
        try:
            self._log.packs_tools = frozenset(await self._tools.names())
        except Failure:  # as it was known before
            return
