"""The durable consumer of the stream `WAKE`."""

from agent_contracts.log.subjects import ALL_WAKES, WAKE_CONSUMER, WAKE_STREAM
from agent_platform.nats.consumer_spec import ConsumerSpec

WAKES = ConsumerSpec(
    WAKE_CONSUMER,
    (ALL_WAKES,),
    max_deliver=20,
    backoff_s=(1.0, 5.0, 15.0, 60.0),
    parallel=16,
    stream=WAKE_STREAM,
)
"""A wake that can't be written now (the log is full) is tried for a quarter of an hour, then set aside."""
