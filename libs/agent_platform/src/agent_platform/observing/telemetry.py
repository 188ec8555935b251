"""OpenTelemetry: a trace follows a message through the services, in each event as W3C `traceparent`."""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.context import Context, attach, detach
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, DEFAULT_ON
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, TraceFlags
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_PROPAGATOR = TraceContextTextMapPropagator()
_HEADER = "traceparent"
_IDS = RandomIdGenerator()
_NOT_SAMPLED = TraceFlags(TraceFlags.DEFAULT)
AttributeValue = str | int | float | bool


class Tracing:
    """The traces of one service. Made once at its start; `close` at its end sends what is left.

    Without an endpoint nothing is recorded or sent, but every span still has its ids, so that events carry a
    `traceparent` that other programs (and later readers) can join.
    """

    def __init__(self, service: str, endpoint: str | None = None) -> None:
        """`endpoint` is the value of OTEL_EXPORTER_OTLP_ENDPOINT: OTLP over HTTP, without `/v1/traces`. The
        other standard variables (headers, time-out, sampler of the batch) are read by the exporter itself."""
        self._exports = endpoint is not None
        self._provider = TracerProvider(
            sampler=DEFAULT_ON if endpoint else ALWAYS_OFF, resource=Resource.create({SERVICE_NAME: service})
        )
        if endpoint:
            # Heavy and optional: only who exports pays for it.
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.trace.export import BatchSpanProcessor

            exporter = OTLPSpanExporter(endpoint=endpoint.rstrip("/") + "/v1/traces")
            self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("foldline")

    @contextmanager
    def span(self, name: str, traceparent: str | None = None, **attributes: AttributeValue) -> Iterator[Span]:
        """A span that is current inside the block; an exception marks it as failed and goes on.

        Its parent is `traceparent` (from an event), else the current span, else it starts a trace.
        """
        if self._exports:
            with self._tracer.start_as_current_span(
                name, extract(traceparent), attributes=attributes
            ) as span:
                yield span
            return
        # Nothing of it is recorded: only the ids are needed, at a quarter of the cost.
        unrecorded = NonRecordingSpan(_child_of(trace.get_current_span(extract(traceparent))))
        token = attach(trace.set_span_in_context(unrecorded))
        try:
            yield unrecorded
        finally:
            detach(token)

    def close(self) -> None:
        """Send what was recorded, within a few seconds."""
        self._provider.shutdown()


def current_traceparent() -> str | None:
    """The current span as `traceparent`, for an event; None outside of any span."""
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier)
    return carrier.get(_HEADER)


def _child_of(parent: Span) -> SpanContext:
    """The ids of a new span that is not recorded: in the parent's trace, or in a new one if it has none."""
    above = parent.get_span_context()
    return SpanContext(
        trace_id=above.trace_id if above.is_valid else _IDS.generate_trace_id(),
        span_id=_IDS.generate_span_id(),
        is_remote=False,
        trace_flags=above.trace_flags if above.is_valid else _NOT_SAMPLED,
    )


def extract(traceparent: str | None) -> Context | None:
    """The parent for a new span; None (the current span) if there is no or no valid `traceparent`."""
    if not traceparent:
        return None
    context = _PROPAGATOR.extract({_HEADER: traceparent}, Context())
    return context if trace.get_current_span(context).get_span_context().is_valid else None
