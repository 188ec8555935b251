"""What a pool counts besides what every service does."""

from prometheus_client import Counter, Gauge

from agent_platform.observing.metrics import Metrics


class PoolMetrics:
    """For Prometheus."""

    def __init__(self, metrics: Metrics) -> None:
        registry = metrics.registry
        self.contexts = Gauge(
            "foldline_browser_contexts", "Contexts that this pool holds now", registry=registry
        )
        self.opened = Counter("foldline_browser_contexts_opened", "Contexts opened", registry=registry)
        self.lost = Counter(
            "foldline_browser_contexts_lost",
            "Contexts that ended before their session did, by reason: idle, chromium, windows",
            ["reason"],
            registry=registry,
        )
        self.chromium_started = Counter(
            "foldline_chromium_started", "Times that Chromium was started", registry=registry
        )
        self.handed_off = Counter(
            "foldline_browser_calls_handed_off",
            "Calls of contexts that another pool holds, by outcome: handled, returned, unanswered",
            ["outcome"],
            registry=registry,
        )
