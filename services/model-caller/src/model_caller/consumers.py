"""The durable consumer that model callers work on."""

from agent_contracts.subjects import MODEL_CALL_REQUESTS, MODEL_CALLER_CONSUMER
from agent_platform.nats.consuming.consumer import ConsumerSpec

MODEL_CALLS = ConsumerSpec(MODEL_CALLER_CONSUMER, (MODEL_CALL_REQUESTS,))
"""Requested model calls."""
