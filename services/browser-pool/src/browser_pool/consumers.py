"""The durable consumer that browser pools work on."""

from agent_contracts.subjects import BROWSER_POOL_CONSUMER, tool_call_requests
from agent_contracts.tool_spec import RunsOn
from agent_platform.nats.consumer_spec import ConsumerSpec

BROWSER_CALLS = ConsumerSpec(BROWSER_POOL_CONSUMER, (tool_call_requests(RunsOn.BROWSER),), costly=True)
"""Requested calls of a browser's tools."""
