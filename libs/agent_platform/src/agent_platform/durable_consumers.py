"""The durable consumers of the log: what each kind of worker pulls. Made at start, by whoever may."""

from agent_contracts import subjects
from agent_contracts.tool_spec import RunsOn
from agent_platform.consumer import ConsumerSpec
from agent_platform.settings import Settings


def engine(settings: Settings) -> ConsumerSpec:
    """Everything that a session may have to react to."""
    return _spec(settings, subjects.ENGINE_CONSUMER, subjects.ALL_INPUTS, subjects.ALL_RESULTS)


def model_callers(settings: Settings) -> ConsumerSpec:
    """Requests to ask a model."""
    return _spec(settings, subjects.MODEL_CALLER_CONSUMER, subjects.MODEL_CALL_REQUESTS)


def tool_runners(settings: Settings) -> ConsumerSpec:
    """Requests to run an ordinary tool."""
    return _spec(settings, subjects.TOOL_RUNNER_CONSUMER, subjects.tool_call_requests(RunsOn.TOOLS))


def all_consumers(settings: Settings) -> list[ConsumerSpec]:
    """Every consumer of this release."""
    return [engine(settings), model_callers(settings), tool_runners(settings)]


def _spec(settings: Settings, name: str, *filters: str) -> ConsumerSpec:
    return ConsumerSpec(name, filters, ack_wait_s=settings.ack_wait, parallel=settings.work_parallel)
