"""What the log says is counted under labels of which there are few, whatever agents call their tools."""

from prometheus_client import CollectorRegistry, generate_latest

from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.event_sources import ENGINE, MODEL_CALLER, RUNNER, Actor
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.record.codec import Envelope, type_of
from agent_contracts.session_events.decisions import ToolCallRequested
from agent_contracts.session_events.results import (
    ModelCallCompleted,
    ModelCallFailed,
    ModelFailure,
    ToolCallFailed,
    Usage,
)
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.tool_spec import Effect, RunsOn
from foldline_testing.session_domain.messages import as_message, stored
from gateway.measuring.log_metrics import LogMetrics

WRITERS = (
    (ToolCallRequested, ENGINE, Actor.SERVICE),
    (ToolCallFailed, RUNNER, Actor.SERVICE),
    (object, MODEL_CALLER, Actor.AGENT),
)
TIME = "2026-01-31T12:34:56.789Z"


def counted(*events: SessionEvent, tools: tuple[str, ...] = (), imported: str | None = None) -> str:
    registry = CollectorRegistry()
    metrics = LogMetrics(registry)
    metrics.packs_tools = tools
    for number, event in enumerate(events, 1):
        source, actor = next((name, who) for kind, name, who in WRITERS if isinstance(event, kind))
        told = Envelope(f"e{number}", type_of(event), source, TIME, actor, prev=number - 1, imported=imported)
        metrics.note(stored(number, as_message(event, told, SessionId("s_1"))))
    return generate_latest(registry).decode()


def call(tool: str, number: int) -> tuple[SessionEvent, SessionEvent]:
    call_id = CallId(f"c{number}")
    asked = ToolCallRequested(call_id, tool, {}, RunsOn.TOOLS, Effect.PURE)
    return asked, ToolCallFailed(call_id, ToolError(ErrorKind.TIMEOUT, "slow"), "r", duration_ms=1500)


def test_tools_that_are_not_of_a_pack_share_a_label() -> None:
    text = counted(*call("get_state", 1), *call("mine_1", 2), *call("mine_2", 3), tools=("get_state",))
    assert 'foldline_tool_calls_total{ending="timeout",tool="get_state"} 1.0' in text
    assert 'foldline_tool_calls_total{ending="timeout",tool="(own)"} 2.0' in text
    assert 'foldline_tool_call_seconds_sum{tool="get_state"} 1.5' in text
    assert "mine" not in text


def test_models_past_the_first_fifty_share_a_label() -> None:
    answers = [ModelCallCompleted(CallId(f"m{n}"), "hi", Usage(10, 2), f"openai/{n}") for n in range(60)]
    text = counted(*answers)
    assert 'foldline_model_tokens_total{direction="input",model="openai/49"} 10.0' in text
    assert 'foldline_model_tokens_total{direction="input",model="(other)"} 100.0' in text


def test_a_model_call_is_counted_with_its_failure_time_and_cost() -> None:
    failed = ModelCallFailed(CallId("m1"), ModelFailure.RATE_LIMITED, "no", "openai/a", latency_ms=2000)
    usage = Usage(100, 20, cached_input=60, cost_micros=1500)
    said = ModelCallCompleted(CallId("m2"), "hi", usage, "openai/a", latency_ms=3000, first_token_ms=400)
    text = counted(failed, said)
    assert 'foldline_model_calls_total{model="openai/a",outcome="rate_limited"} 1.0' in text
    assert 'foldline_model_calls_total{model="openai/a",outcome="completed"} 1.0' in text
    assert 'foldline_model_call_seconds_sum{model="openai/a"} 5.0' in text
    assert 'foldline_model_first_token_seconds_sum{model="openai/a"} 0.4' in text
    assert 'foldline_model_tokens_total{direction="cached_input",model="openai/a"} 60.0' in text
    assert 'foldline_model_cost_dollars_total{model="openai/a"} 0.0015' in text


def test_what_an_import_brings_is_no_work_of_today() -> None:
    said = ModelCallCompleted(CallId("m2"), "hi", Usage(1, 1), "openai/a")
    assert "openai/a" not in counted(said, imported="0" * 64)
