"""The durable consumers that the engine works on."""

from agent_contracts.subjects import (
    ALL_DUE,
    ALL_SESSIONS,
    ENGINE_CONSUMER,
    TIMER_CONSUMER,
    TIMER_STREAM,
)
from agent_platform.nats.consumer_spec import ConsumerSpec

SESSIONS = ConsumerSpec(ENGINE_CONSUMER, (ALL_SESSIONS,), ack_wait_s=2.0, max_in_flight=4096, parallel=256)
"""Everything of the sessions; the engine passes over what calls for nothing.

One filter, not one for inputs and one for results: with two, nats-server 2.15.1 spends forty times as long on
each message, and more with each session (docs/adr/0009). Nor one consumer for each partition: engines share
out what they pulled (docs/adr/0017). Their steps take milliseconds, so a dead one is noticed sooner.
"""

TIMERS = ConsumerSpec(
    TIMER_CONSUMER,
    (ALL_DUE,),
    ack_wait_s=5.0,
    max_deliver=-1,
    backoff_s=(1.0, 5.0, 15.0, 60.0),
    stream=TIMER_STREAM,
)
"""Timers that came due. One that can't be handled now is tried until it can."""
