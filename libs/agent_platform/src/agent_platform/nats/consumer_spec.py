"""What a durable consumer of the log is to be."""

import msgspec

from agent_contracts.log.subjects import (
    ADVISORY_STREAM,
    DEAD_LETTER_CONSUMER,
    LOG_STREAM,
    MAX_DELIVERIES_ADVISORY,
)


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
