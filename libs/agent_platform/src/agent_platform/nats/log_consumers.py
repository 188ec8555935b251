"""The durable consumers: who works on what."""

from agent_contracts.subjects import (
    ALL_DUE,
    ALL_SESSIONS,
    BROWSER_RUNNER_CONSUMER,
    ENGINE_CONSUMER,
    MODEL_CALL_REQUESTS,
    MODEL_CALLER_CONSUMER,
    TIMER_CONSUMER,
    TIMER_STREAM,
    TOOL_RUNNER_CONSUMER,
    tool_call_requests,
)
from agent_contracts.tool_spec import RunsOn
from agent_platform.nats.consuming.consumer import ConsumerSpec
from agent_platform.nats.consuming.dead_letters import advisory_spec

WORK_ACK_WAIT_S = 30.0
"""After how long without a sign of life another worker gets a call."""


def engine_spec() -> ConsumerSpec:
    """Everything of the sessions, for the engine, which passes over what calls for nothing.

    One filter, not one for inputs and one for results: with two, nats-server 2.15.1 spends forty times as
    long on each message, and more with each session (docs/adr/0009). Nor one consumer for each partition:
    engines share out what they pulled (docs/adr/0017). Their steps take milliseconds, so a dead one is
    noticed sooner.
    """
    return ConsumerSpec(ENGINE_CONSUMER, (ALL_SESSIONS,), ack_wait_s=2.0, max_in_flight=4096, parallel=256)


def timer_spec() -> ConsumerSpec:
    """Timers that came due, for the engine. One that can't be handled now is tried until it can."""
    return ConsumerSpec(
        TIMER_CONSUMER,
        (ALL_DUE,),
        ack_wait_s=5.0,
        max_deliver=-1,
        backoff_s=(1.0, 5.0, 15.0, 60.0),
        stream=TIMER_STREAM,
    )


def model_caller_spec(ack_wait_s: float = WORK_ACK_WAIT_S) -> ConsumerSpec:
    """Requested model calls, for the model callers."""
    return ConsumerSpec(MODEL_CALLER_CONSUMER, (MODEL_CALL_REQUESTS,), ack_wait_s=ack_wait_s)


def tool_runner_spec(ack_wait_s: float = WORK_ACK_WAIT_S) -> ConsumerSpec:
    """Requested tool calls, for the tool runners."""
    return ConsumerSpec(TOOL_RUNNER_CONSUMER, (tool_call_requests(RunsOn.TOOLS),), ack_wait_s=ack_wait_s)


def browser_runner_spec(ack_wait_s: float = WORK_ACK_WAIT_S) -> ConsumerSpec:
    """Requested tool calls that need a browser, for the browser pool."""
    return ConsumerSpec(BROWSER_RUNNER_CONSUMER, (tool_call_requests(RunsOn.BROWSER),), ack_wait_s=ack_wait_s)


def all_consumers(work_ack_wait_s: float = WORK_ACK_WAIT_S) -> tuple[ConsumerSpec, ...]:
    """Every durable consumer that must exist, the listeners for exhausted messages included."""
    workers = (
        engine_spec(),
        model_caller_spec(work_ack_wait_s),
        tool_runner_spec(work_ack_wait_s),
        browser_runner_spec(work_ack_wait_s),
    )
    return (*workers, timer_spec(), *(advisory_spec(worker.name) for worker in workers))
