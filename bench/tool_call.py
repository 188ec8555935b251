"""What Foldline adds to a tool call and to a model call, by the log's own time stamps."""

import msgspec

from agent_contracts.session_events.results import ToolCallCompleted
from bench.ack import Acks
from bench.log_times import Stored, milliseconds, stored_events
from bench.sampling import median, percentile
from bench.script import steps
from bench.stage import Stage
from bench.table import Figure, at_most

GROUP = "tool-call"
_STEPS = 20


class Costs(msgspec.Struct):
    """In milliseconds, of each step."""

    tool: list[float] = []
    model: list[float] = []
    step: list[float] = []
    byte: list[float] = []


async def measure(stage: Stage, acks: Acks, *, sessions: int) -> list[Figure]:
    """Sessions of 20 steps, one after another, each between bare acks."""
    costs = Costs()
    for _ in range(sessions):
        await acks.take(20)
        session_id = await stage.new_session()
        before = await _stored_bytes(stage)
        await stage.turn(session_id, steps(_STEPS))
        costs.byte.append((await _stored_bytes(stage) - before) / _STEPS)
        collect(await stored_events(stage.log, f"ses.*.*.{session_id}.>"), costs)
    ack = median(acks.samples)
    note = "requested → result folded, without the tool's own time; two durable records"
    tool = median(costs.tool)
    return [
        Figure(GROUP, "tool call's own cost p50", tool, "ms", note=note),
        Figure(GROUP, "tool call's own cost p99", percentile(costs.tool, 0.99), "ms", at_most(15)),
        Figure(GROUP, "tool call's own cost p50, in bare acks", tool / ack, "x", at_most(3)),
        Figure(
            GROUP,
            "model call p50",
            median(costs.model),
            "ms",
            note="requested → answer recorded with what follows, over HTTP",
        ),
        Figure(GROUP, "model + tool step p50", median(costs.step), "ms"),
        Figure(GROUP, "model + tool step p99", percentile(costs.step, 0.99), "ms"),
        Figure(GROUP, "bytes of log a step", median(costs.byte), "B", at_most(3000)),
    ]


def collect(events: list[Stored], into: Costs) -> None:
    """The costs in one session's events. A step lasts from one request to the model to the next."""
    asked: Stored | None = None
    requested: Stored | None = None
    duration = 0.0
    for event in events:
        if event.is_decision("model_call_requested"):
            if requested is not None:
                into.tool.append(milliseconds(requested, event) - duration)
            if requested is not None and asked is not None:
                into.step.append(milliseconds(asked, event))
            asked, requested = event, None
        elif event.is_decision("tool_call_requested"):
            requested = event
        elif event.rest.startswith("result.") and requested is None and asked is not None:
            into.model.append(milliseconds(asked, event))
        elif event.rest.startswith("result.") and requested is not None:
            duration = msgspec.json.decode(event.data, type=ToolCallCompleted).duration_ms


async def _stored_bytes(stage: Stage) -> int:
    return int((await stage.log.stream_info("LOG")).state.bytes)
