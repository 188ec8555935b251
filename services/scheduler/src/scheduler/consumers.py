"""The durable consumers that the scheduler works on. One filter each (docs/adr/0009)."""

from agent_contracts.subjects import (
    ALL_ENDINGS,
    ALL_NAMED_ENTITIES,
    ALL_SCHEDULED_DUE,
    SCHEDULED_CONSUMER,
    SCHEDULER_CHANGES_CONSUMER,
    SCHEDULER_ENDINGS_CONSUMER,
    TIMER_STREAM,
)
from agent_platform.nats.consumer_spec import ConsumerSpec

_BACKOFF_S = (1.0, 5.0, 15.0, 60.0)

DUE = ConsumerSpec(
    SCHEDULED_CONSUMER,
    (ALL_SCHEDULED_DUE,),
    ack_wait_s=5.0,
    max_deliver=-1,
    backoff_s=_BACKOFF_S,
    parallel=32,
    stream=TIMER_STREAM,
)
"""Reminders and schedules that came due. What can't be handled now is tried until it can."""

CHANGES = ConsumerSpec(
    SCHEDULER_CHANGES_CONSUMER,
    (ALL_NAMED_ENTITIES,),
    ack_wait_s=5.0,
    max_deliver=20,
    backoff_s=_BACKOFF_S,
    parallel=32,
)
"""Changes of reminders, schedules and runs; other entities are passed over."""

ENDINGS = ConsumerSpec(
    SCHEDULER_ENDINGS_CONSUMER,
    (ALL_ENDINGS,),
    ack_wait_s=5.0,
    max_deliver=20,
    backoff_s=_BACKOFF_S,
    parallel=32,
)
"""Turns and sessions that are over; those of sessions that no schedule began are passed over."""
