"""How much faster more runners are, where a tool needs the processor."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from agent_contracts import service_names
from agent_contracts.session_events import results
from agent_contracts.session_events.decisions import ToolCallRequested
from foldline_testing.product.chaos.follower import Follower
from foldline_testing.product.chaos.stage import Stage, stage

_PATIENCE_S = 300.0


@dataclass(frozen=True)
class Burnt:
    """Seconds from the first request to the last result of all calls, and how many each runner did."""

    took_s: float
    by_runner: Counter[str]


def script(calls: int, ms: int) -> dict[str, Any]:
    """A turn of so many calls at once, each of so many milliseconds of processor time."""
    burn = {"name": "selftest_burn", "each": f"range({calls}) | list", "arguments": {"ms": ms}}
    return {"rules": [{"turns": [{"tool_calls": [burn]}, {"text": "Burnt."}]}]}


async def burn(folder: Path, runners: int, calls: int = 40, ms: int = 150) -> Burnt:
    """Run the calls on a fresh Foldline with so many runner processes."""
    with stage(folder, {service_names.RUNNER: runners}, script(calls, ms), warm=False) as started:
        return await _burn(started)


async def _burn(started: Stage) -> Burnt:
    async with started.client() as client, started.view() as view:
        session_id, ack = await client.create("Burn.", "burn")
        async with Follower(client, session_id) as follower:
            await follower.until_settled(session_id, ack.sequence, _PATIENCE_S)
        events = await view.events(session_id)
    asked = [_time(one.envelope.time) for one in events if isinstance(one.event, ToolCallRequested)]
    done = [one for one in events if isinstance(one.event, results.ToolCallCompleted)]
    assert len(asked) == len(done) > 0
    took = max(_time(one.envelope.time) for one in done) - min(asked)
    return Burnt(took.total_seconds(), Counter(one.event.runner for one in done))


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
