"""The durable consumers that model callers work on."""

from agent_contracts.subjects import (
    ALL_MODEL_PROBES_DUE,
    MODEL_CALL_REQUESTS,
    MODEL_CALLER_CONSUMER,
    MODEL_PROBE_CONSUMER,
    TIMER_STREAM,
)
from agent_platform.nats.consumer_spec import ConsumerSpec

MODEL_CALLS = ConsumerSpec(MODEL_CALLER_CONSUMER, (MODEL_CALL_REQUESTS,), costly=True)
"""Requested model calls."""

PROBES = ConsumerSpec(
    MODEL_PROBE_CONSUMER,
    (ALL_MODEL_PROBES_DUE,),
    max_deliver=-1,
    backoff_s=(1.0, 5.0, 15.0),
    parallel=8,
    stream=TIMER_STREAM,
)
"""Probes of model servers: is one there again? One whose outcome can't be told now is made again."""
