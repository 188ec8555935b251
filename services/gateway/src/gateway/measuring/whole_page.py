"""`/metrics` of the gateway: the numbers of every service, of the log and of the stores, in one page."""

import asyncio

from agent_contracts.errors import Failure
from agent_contracts.service_names import GATEWAY
from agent_platform.observing.metrics import Metrics
from agent_platform.observing.told_metrics import EveryService, one_page, told
from gateway.measuring.log_metrics import LogMetrics
from gateway.measuring.store_metrics import StoreMetrics
from gateway.operations.agents.pins import BuiltInTools


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
        return one_page(heard, [self._services.up(heard), *stores])

    async def know_tools(self) -> None:
        """Learn which tools packs have: those have a label each."""
        try:
            self._log.packs_tools = frozenset(await self._tools.names())
        except Failure:  # as it was known before
            return
