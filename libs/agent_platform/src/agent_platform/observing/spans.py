"""What a span is to whoever makes one, and to what sends it."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol

AttributeValue = str | int | float | bool


class TraceSpan(Protocol):
    """What is going on, for a collector."""

    def update_name(self, name: str) -> None:
        """Call it differently from how it began."""
        ...

    def set_attributes(self, attributes: Mapping[str, AttributeValue]) -> None:
        """Say more about it."""
        ...


class Exporter(Protocol):
    """Makes spans and sends them."""

    def span(
        self, name: str, traceparent: str | None, attributes: Mapping[str, AttributeValue]
    ) -> AbstractContextManager[tuple[TraceSpan, str]]:
        """A span below `traceparent`, and its own `traceparent`."""
        ...

    def close(self) -> None:
        """Send what was recorded."""
        ...
