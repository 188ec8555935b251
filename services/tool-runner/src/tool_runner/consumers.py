"""The durable consumer that tool runners work on."""

from agent_contracts.subjects import TOOL_RUNNER_CONSUMER, tool_call_requests
from agent_contracts.tool_spec import RunsOn
from agent_platform.nats.consumer_spec import ConsumerSpec

TOOL_CALLS = ConsumerSpec(TOOL_RUNNER_CONSUMER, (tool_call_requests(RunsOn.TOOLS),), costly=True)
"""Requested tool calls."""
