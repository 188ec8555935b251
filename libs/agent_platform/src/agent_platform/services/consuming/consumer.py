"""Durable consumers of the log, as handlers and services see them."""

from collections.abc import Awaitable, Callable

import msgspec

from agent_contracts.log.record.records import StoredMessage


class Delivery(msgspec.Struct, frozen=True):
    """One delivery of a message: `attempt` counts from 1.

    Of a record of several events `message` is the last, which its subject names, and `before` has the others.
    `again`: it may have been delivered before that as well, by a consumer that the server lost.
    """

    message: StoredMessage
    attempt: int
    before: tuple[StoredMessage, ...] = ()
    again: bool = False

    @property
    def is_first(self) -> bool:
        """Whether nobody can have begun with it."""
        return self.attempt == 1 and not self.again

    @property
    def events(self) -> tuple[StoredMessage, ...]:
        """All events of the record, in order."""
        return (*self.before, self.message)

    @property
    def traceparent(self) -> str | None:
        """The trace that led to it: one that is said once is that of the whole record."""
        found = (one.envelope.traceparent for one in reversed(self.events) if one.envelope is not None)
        return next((trace for trace in found if trace is not None), None)


Handler = Callable[[Delivery], Awaitable[None]]
"""Handles one delivery; may run twice for the same message. Returning acknowledges it."""

Preview = Callable[[Delivery, int], bool]
"""Sees every delivery before its handler runs, in the order in which the server made them, and says whether
the handler must run at all; if not, the message is acknowledged. Must return at once, and not raise.

The number grows by one with each delivery of the consumer, to whomever: where it jumps, messages went to
another process, or got lost on the way and will come again."""

Exhausted = Callable[[StoredMessage, str], Awaitable[None]]
"""Called when a message is given up (max deliveries, or `Permanent`), with the reason, to write the failed
result. May be called again for the same message."""
