"""Kills of one process before and after each step of approvals: asked, answered, run, result."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agent_contracts import service_names
from foldline_testing.product.chaos.approvals import Asking, How
from foldline_testing.product.chaos.faults import Fault, OnEvent, StopPoint
from foldline_testing.product.chaos.log_view import LogView
from foldline_testing.product.chaos.patience import PATIENCE_S

SERVICES = (
    service_names.ENGINE,
    service_names.MODEL_CALLER,
    service_names.RUNNER,
    service_names.WORKSPACE_HOST,
    service_names.MCP_HOST,
    service_names.GATEWAY,
    service_names.PROJECTOR,
    service_names.SCHEDULER,
    service_names.NOTIFIER,
)
SERVERS = ("nats", "postgres")
EVERY = (*SERVERS, *SERVICES)
"""Those that a call which waits passes, and the others."""
AT_ONCE = {service_names.SCHEDULER: 1, service_names.NOTIFIER: 1}
"""A Foldline has to start these so to be killed: nothing here needs them."""
_HOWS: dict[str, How] = {service_names.WORKSPACE_HOST: "run", service_names.MCP_HOST: "tell"}
_ASKED = ("user_message", "model_call_requested", "model_call_completed", "tool_call_pending")
_ANSWERED = ("tool_response", "tool_call_requested", "call_claimed", "tool_call_completed")
_ENGINE = ("engine.received", "engine.deciding", "engine.decided", "engine.offered")
_MODEL = ("model.received", "model.streaming", "model.answered", "model.offering", "model.recorded")
_RUNNING = ("runner.received", "runner.claimed", "runner.ran", "runner.recorded")
_PROJECTING = ("projector.read", "projector.written", "projector.committed")
_STOPS_ASKING = {
    service_names.ENGINE: _ENGINE,
    service_names.MODEL_CALLER: _MODEL,
    service_names.GATEWAY: ("gateway.appended",),
    service_names.PROJECTOR: _PROJECTING,
}
_STOPS_ANSWERING = {
    **_STOPS_ASKING,
    service_names.RUNNER: (*_RUNNING, "runner.offering"),
    service_names.WORKSPACE_HOST: (*_RUNNING, "workspace.offering"),
    service_names.MCP_HOST: (*_RUNNING, "mcp.offering"),
}
_NTHS = {service_names.ENGINE: (1, 2, 3), service_names.MODEL_CALLER: (1, 2), service_names.PROJECTOR: (1, 2)}
"""Those whose stop points two sessions pass several times strike at each of these."""


@dataclass(frozen=True)
class Kills:
    """What was struck, and how the approved calls ended."""

    struck: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        places = ", ".join(f"{place} {times}" for place, times in sorted(self.struck.items()))
        ends = ", ".join(f"{times} {how}" for how, times in sorted(self.endings.items()))
        return f"{self.struck.total()} kills; {ends}. {places}"


async def kill_around_approvals(asking: Asking, view: LogView, name: str, wanted: int) -> Kills:
    """Kill `name` so many times or one more, each time at the next place; two approvals each time, of which
    one is refused."""
    kills = Kills()
    before = _places(asking.stage.stop_dir, name, _ASKED, _STOPS_ASKING.get(name, ()))
    after = _places(asking.stage.stop_dir, name, _ANSWERED, _STOPS_ANSWERING.get(name, ()))
    how = _HOWS.get(name, "send")
    await asyncio.to_thread(_answered, asking, *_asked(asking, how))  # some start when they are first needed
    for _ in range(3 * wanted):  # a place that isn't passed costs a round
        if kills.struck.total() >= wanted:
            return kills
        async with _armed(asking, view, name, next(before), kills):
            yes, no = await asyncio.to_thread(_asked, asking, how)
        assert [asking.acts(session) for session, _ in (yes, no)] == [0, 0], "it ran unapproved"
        async with _armed(asking, view, name, next(after), kills):
            ended = await asyncio.to_thread(_answered, asking, yes, no)
        kills.endings["ran once" if ended else "outcome unknown"] += 1
    raise AssertionError(f"{name} was killed {kills.struck.total()} times, not {wanted}: {kills}")


def _asked(asking: Asking, how: How) -> Sequence[tuple[str, str]]:
    sessions = [asking.begun(how) for _ in range(2)]
    return [asking.asked(session) for session in sessions]


def _answered(asking: Asking, yes: tuple[str, str], no: tuple[str, str]) -> bool:
    session, call = yes
    for _ in range(2):  # said twice, it counts once
        asking.say(session, call, {"decision": "once"}, f"yes-{session}-{call}")
        asking.say(*no, {"decision": "refuse", "reason": "Not now"}, f"no-{no[0]}-{no[1]}")
    ended = asking.approved(session)
    asking.refused(no[0])
    return ended


@asynccontextmanager
async def _armed(asking: Asking, view: LogView, name: str, fault: Fault, kills: Kills) -> AsyncIterator[None]:
    """While the block runs, the fault may strike; afterwards it is counted, if it did."""
    stack = asking.stage.stack
    async with asyncio.timeout(PATIENCE_S):
        while not await asyncio.to_thread(stack.pids, name):  # noqa: ASYNC110 — it is being started again
            await asyncio.sleep(0.1)
    async with fault.armed(stack, view):
        yield
    if fault.struck_at is not None:
        kills.struck[fault.name] += 1


def _places(folder: Path, name: str, events: Sequence[str], points: Sequence[str]) -> Iterator[Fault]:
    """Where it is killed, in turn."""
    stops = [(point, nth) for nth in _NTHS.get(name, (1,)) for point in points]
    while True:
        yield from (StopPoint(folder, point, nth) for point, nth in stops)
        yield from (OnEvent(name, kind) for kind in events)
