"""A trace follows a message through the services, in each event as W3C `traceparent`, once somebody wants it.

Spans are made where they are exported. Elsewhere the `traceparent` that a client or an event brought along is
passed on as it is, and nothing is made: a step would pay for ten spans that nobody sees.
"""

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar, Token
from types import TracebackType

from agent_platform.observing.spans import AttributeValue, Exporter, TraceSpan

_VALID = re.compile(r"[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_current: ContextVar[str | None] = ContextVar("traceparent", default=None)


class Tracing:
    """The traces of one service. Made once at its start; `close` at its end sends what is left."""

    def __init__(self, service: str, endpoint: str | None = None) -> None:
        """`endpoint` is the value of OTEL_EXPORTER_OTLP_ENDPOINT: OTLP over HTTP, without `/v1/traces`. The
        other standard variables (headers, time-out, sampler of the batch) are read by the exporter itself."""
        self._exporter: Exporter | None = None
        if endpoint:
            # Heavy and optional: only who exports pays for it.
            from agent_platform.observing.exporting import OtlpExporter

            self._exporter = OtlpExporter(service, endpoint)

    def span(
        self, name: str, traceparent: str | None = None, **attributes: AttributeValue
    ) -> AbstractContextManager[TraceSpan]:
        """A span that is current inside the block; an exception marks it as failed and goes on.

        Its parent is `traceparent` (from an event), else the current span, else it starts a trace. Without an
        exporter it is no span: the parent's `traceparent` is current inside the block.
        """
        parent = traceparent if traceparent and _VALID.fullmatch(traceparent) else _current.get()
        if self._exporter is None:
            return _PassedOn(parent)
        return _Exported(self._exporter.span(name, parent, attributes))

    def close(self) -> None:
        """Send what was recorded, within a few seconds."""
        if self._exporter is not None:
            self._exporter.close()


def current_traceparent() -> str | None:
    """The current span as `traceparent`, for an event; None outside of any trace."""
    return _current.get()


def current_trace_id() -> str | None:
    """Only the trace's own part of it, as logs name it."""
    traceparent = _current.get()
    return traceparent.split("-")[1] if traceparent else None


class _PassedOn:
    """Carries a trace on, and records nothing."""

    __slots__ = ("_token", "_traceparent")

    def __init__(self, traceparent: str | None) -> None:
        self._traceparent = traceparent

    def __enter__(self) -> TraceSpan:
        self._token: Token[str | None] = _current.set(self._traceparent)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.reset(self._token)

    def update_name(self, name: str) -> None:
        """Nobody sees it."""

    def set_attributes(self, attributes: Mapping[str, AttributeValue]) -> None:
        """Nobody sees them."""


class _Exported:
    """Makes a span of the exporter the current one."""

    __slots__ = ("_span", "_token")

    def __init__(self, span: AbstractContextManager[tuple[TraceSpan, str]]) -> None:
        self._span = span

    def __enter__(self) -> TraceSpan:
        span, traceparent = self._span.__enter__()
        self._token = _current.set(traceparent)
        return span

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        _current.reset(self._token)
        return self._span.__exit__(kind, error, trace)
