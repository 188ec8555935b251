"""Whether a step costs the same however many came before it."""

from bench.log_times import stored_events
from bench.sampling import median
from bench.script import steps
from bench.stage import Stage
from bench.table import Figure, at_most
from bench.tool_call import Costs, collect

GROUP = "growth"
_STEPS = 100
_WINDOW = 25


async def measure(stage: Stage) -> list[Figure]:
    """One session of 200 steps: its last steps against its first."""
    session_id = await stage.new_session()
    await stage.turn(session_id, steps(_STEPS))
    events = await stored_events(stage.log, f"ses.*.*.{session_id}.>")
    costs = Costs()
    collect(events, costs)
    sizes = [0]
    for event in events:
        sizes[-1] += len(event.data)
        if event.is_decision("model_call_requested"):
            sizes.append(0)
    early, late = slice(10, 10 + _WINDOW), slice(_STEPS - _WINDOW, _STEPS)
    note = f"steps {_STEPS - _WINDOW} to {_STEPS} against 10 to {10 + _WINDOW}; flat is 1"
    return [
        Figure(
            GROUP, "tool call, late against early", _ratio(costs.tool, early, late), "x", at_most(1.2), note
        ),
        Figure(
            GROUP,
            "model call, late against early",
            _ratio(costs.model, early, late),
            "x",
            note="the whole history goes over HTTP and through litellm each time",
        ),
        Figure(
            GROUP,
            "event bytes, late against early",
            _ratio([float(size) for size in sizes], early, late),
            "x",
            at_most(1.05),
        ),
    ]


def _ratio(samples: list[float], early: slice, late: slice) -> float:
    return median(samples[late]) / median(samples[early])
