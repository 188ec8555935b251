"""Durable consumers of the log, as handlers and services see them."""

from collections.abc import Awaitable, Callable

import msgspec

from agent_contracts.subjects import (
    ADVISORY_STREAM,
    DEAD_LETTER_CONSUMER,
    LOG_STREAM,
    MAX_DELIVERIES_ADVISORY,
)
from agent_platform.log.port import StoredMessage


class ConsumerSpec(msgspec.Struct, frozen=True):
    """A durable pull consumer, on `LOG` unless another stream is named. Times in seconds.

    A message is redelivered when it wasn't acknowledged for `ack_wait_s` (in-progress is sent every
    third of it while the handler runs), at most `max_deliver` times (-1: no limit), after the delays of
    `backoff_s` when its handler failed.
    `max_in_flight` is the back-pressure over all replicas, `parallel` what one replica handles at once.
    `costly`: to handle a message in two processes at once does no harm, but costs.
    """

    name: str
    subjects: tuple[str, ...]
    ack_wait_s: float = 30.0
    max_deliver: int = 5
    backoff_s: tuple[float, ...] = (1.0, 5.0, 15.0)
    max_in_flight: int = 1024
    parallel: int = 64
    stream: str = LOG_STREAM
    costly: bool = False


def advisory_spec(consumer: str) -> ConsumerSpec:
    """The durable consumer of the advisories about `consumer`, a durable consumer of the log."""
    return ConsumerSpec(
        name=f"{DEAD_LETTER_CONSUMER}-{consumer}",
        subjects=(MAX_DELIVERIES_ADVISORY.removesuffix(">") + consumer,),
        max_deliver=-1,
        backoff_s=(1.0, 5.0, 15.0, 60.0),
        parallel=8,
        stream=ADVISORY_STREAM,
    )


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
