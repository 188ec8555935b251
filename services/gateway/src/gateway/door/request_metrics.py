"""What is seen of each request: a span, a count, a log line, and a problem in place of a crash."""

import time
from collections.abc import Callable

import structlog
from prometheus_client import Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent_contracts.api.problems import Kind
from agent_platform.observing.metrics import Metrics
from agent_platform.observing.slowness import tell_if_slow
from agent_platform.observing.spans import TraceSpan
from agent_platform.observing.telemetry import Tracing
from gateway.http.wire.problems import ProblemError, response
from gateway.http.wire.resource import V1

log = structlog.get_logger()

_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 10.0)
_WATCHING = frozenset({"/healthz", "/readyz", "/metrics"})
"""Asked every few seconds by programs that watch."""
_UNKNOWN_ROUTE = "(none)"


class RequestMetrics:
    """Counts and times of requests, by route and status."""

    def __init__(self, metrics: Metrics) -> None:
        self.answered = Counter(
            "foldline_http_requests",
            "Requests that were answered (a live stream: when it ended)",
            ["method", "route", "status"],
            registry=metrics.registry,
        )
        self.first_byte = Histogram(
            "foldline_http_seconds",
            "Seconds until the answer began",
            ["method", "route"],
            buckets=_BUCKETS,
            registry=metrics.registry,
        )


class LiveMetrics(Collector):
    """How many listen to live events now, and how many were too slow so far."""

    def __init__(self, listeners: Callable[[], int], too_slow: Callable[[], int]) -> None:
        self._listeners = listeners
        self._too_slow = too_slow

    def collect(self) -> list[GaugeMetricFamily | CounterMetricFamily]:
        """Read at each scrape."""
        return [
            GaugeMetricFamily("foldline_live_listeners", "Open live streams", self._listeners()),
            CounterMetricFamily(
                "foldline_live_too_slow",
                "Live streams ended because their reader fell behind",
                self._too_slow(),
            ),
        ]


class ObservingMiddleware:
    """ASGI middleware, the outermost one."""

    def __init__(self, app: ASGIApp, metrics: RequestMetrics, tracing: Tracing) -> None:
        self._app = app
        self._metrics = metrics
        self._tracing = tracing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and see what comes of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        first_byte: float | None = None
        status = 0

        async def seen(message: Message) -> None:
            nonlocal status, first_byte
            if message["type"] == "http.response.start":
                status, first_byte = message["status"], time.perf_counter() - began
            await send(message)

        method = scope["method"]
        with self._tracing.span(method, Headers(scope=scope).get("traceparent")) as span:
            try:
                await self._app(scope, receive, seen)
            except Exception:
                log.exception("request.crashed", method=method, path=scope["path"])
                if status:
                    raise
                crash = ProblemError(Kind.INTERNAL, "The gateway failed; its log says why")
                await response(crash)(scope, receive, seen)
            self._note(span, method, _route(scope), status, first_byte)
            took = time.perf_counter() - began
            say = log.debug if scope["path"] in _WATCHING else log.info
            say("request.answered", method=method, path=scope["path"], status=status, ms=round(took * 1000))
            if first_byte is not None:
                tell_if_slow("request", first_byte, method=method, path=scope["path"], status=status)

    def _note(self, span: TraceSpan, method: str, route: str, status: int, first_byte: float | None) -> None:
        span.update_name(f"{method} {route}")
        span.set_attributes(
            {"http.request.method": method, "http.route": route, "http.response.status_code": status}
        )
        self._metrics.answered.labels(method, route, str(status)).inc()
        if first_byte is not None:
            self._metrics.first_byte.labels(method, route).observe(first_byte)


def _route(scope: Scope) -> str:
    """The route's template, below `/api/v1`: paths themselves would make a label value per session."""
    return str(getattr(scope.get("route"), "path", _UNKNOWN_ROUTE)).removeprefix(V1)
