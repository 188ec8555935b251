"""What agents' code has of the sandbox's memory, for Prometheus."""

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from tool_runner.sandbox.memory import Memory


class SandboxMemoryMetrics(Collector):
    """The memory of one runner's sandbox, read at each scrape."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def collect(self) -> list[GaugeMetricFamily]:
        """How much there is, how much is taken, and who waits."""
        memory = self._memory
        return [
            GaugeMetricFamily(
                "foldline_sandbox_memory_bytes", "Memory that agents' code has now", value=memory.held
            ),
            GaugeMetricFamily(
                "foldline_sandbox_memory_limit_bytes", "Memory that agents' code may have", value=memory.total
            ),
            GaugeMetricFamily(
                "foldline_sandbox_memory_waiting", "Runs that wait for memory", value=memory.waiting
            ),
        ]
