"""OpenTelemetry: spans, sent to a collector by OTLP over HTTP."""

import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import DEFAULT_ON
from opentelemetry.trace import Span as OtelSpan
from opentelemetry.trace import Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from agent_platform.observing.spans import AttributeValue, TraceSpan
from agent_platform.secrecy.failure_text import failure_of, failure_text

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
    ) -> Iterator[tuple[TraceSpan, str]]:
        """A span below `traceparent`, and its own `traceparent`."""
        parent = _PROPAGATOR.extract({_HEADER: traceparent} if traceparent else {}, Context())
        with self._tracer.start_as_current_span(
            failure_text(name),
            parent,
            attributes=_safe(attributes),
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            carrier: dict[str, str] = {}
            _PROPAGATOR.inject(carrier)
            try:
                yield _SafeSpan(span), carrier[_HEADER]
            except Exception as error:
                _failed(span, error)
                raise

    def close(self) -> None:
        """Send what was recorded, within a few seconds."""
        self._provider.shutdown()


class _SafeSpan:
    """A span that is told nothing secret."""

    def __init__(self, span: OtelSpan) -> None:
        self._span = span

    def update_name(self, name: str) -> None:
        """See `TraceSpan`."""
        self._span.update_name(failure_text(name))

    def set_attributes(self, attributes: Mapping[str, AttributeValue]) -> None:
        """See `TraceSpan`."""
        self._span.set_attributes(_safe(attributes))


def _safe(attributes: Mapping[str, AttributeValue]) -> dict[str, AttributeValue]:
    return {
        name: failure_text(value) if isinstance(value, str) else value for name, value in attributes.items()
    }


def _failed(span: OtelSpan, error: Exception) -> None:
    """As the SDK records an exception, but for secrets in its text and its traceback."""
    said, kind = failure_of(error), type(error).__name__
    trace = failure_text("".join(traceback.format_exception(error)))
    span.add_event(
        "exception",
        {"exception.type": kind, "exception.message": said, "exception.stacktrace": trace},
    )
    span.set_status(Status(StatusCode.ERROR, f"{kind}: {said}"))
