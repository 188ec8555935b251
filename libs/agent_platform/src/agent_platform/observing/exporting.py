"""OpenTelemetry: spans, sent to a collector by OTLP over HTTP."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import DEFAULT_ON
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from agent_platform.observing.spans import AttributeValue, Span

_PROPAGATOR = TraceContextTextMapPropagator()
_HEADER = "traceparent"


class OtlpExporter:
    """The spans of one service."""

    def __init__(self, service: str, endpoint: str) -> None:
        exporter = OTLPSpanExporter(endpoint=endpoint.rstrip("/") + "/v1/traces")
        self._provider = TracerProvider(sampler=DEFAULT_ON, resource=Resource.create({SERVICE_NAME: service}))
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("foldline")

    @contextmanager
    def span(
        self, name: str, traceparent: str | None, attributes: Mapping[str, AttributeValue]
    ) -> Iterator[tuple[Span, str]]:
        """A span below `traceparent`, and its own `traceparent`."""
        parent = _PROPAGATOR.extract({_HEADER: traceparent} if traceparent else {}, Context())
        with self._tracer.start_as_current_span(name, parent, attributes=attributes) as span:
            carrier: dict[str, str] = {}
            _PROPAGATOR.inject(carrier)
            yield span, carrier[_HEADER]

    def close(self) -> None:
        """Send what was recorded, within a few seconds."""
        self._provider.shutdown()
