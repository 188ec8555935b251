"""How long sessions wait for a decision when the engine that works on them is killed or frozen."""

import asyncio
import contextlib
import os
import signal
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from agent_contracts.session_events import decisions as ev
from foldline_testing.product.chaos.conversation import check, tell
from foldline_testing.product.chaos.faults import Fault
from foldline_testing.product.chaos.follower import Follower
from foldline_testing.product.chaos.invariants import Events
from foldline_testing.product.chaos.stage import Stage
from foldline_testing.product.stack import Stack

_DECISIONS = get_args(ev.Decision)
_PATIENCE_S = 90.0


@dataclass(frozen=True)
class HandOver:
    """What one fault came to: the longest wait of any session for a decision, in seconds of the log's times,
    and the invariants that broke."""

    waited_s: float
    broken: list[str]


async def hand_over(stage: Stage, fault: Fault, sessions: int) -> HandOver:
    """Tell so many sessions one turn each while the fault strikes, and check them."""
    prefix = uuid.uuid4().hex[:6]
    names = [f"{prefix}h{number}" for number in range(sessions)]
    async with stage.client() as client, stage.view() as view, Follower(client, None) as follower:
        async with fault.armed(stage.stack, view):
            stories = (tell(client, follower, name, 1, _PATIENCE_S) for name in names)
            told = await asyncio.gather(*stories)
        broken = [] if fault.struck_at is not None else [f"{fault.name} did not strike"]
        acts, waits = stage.acts.by_call(), []
        for one in told:
            waits.append(longest_wait(await view.events(one.session_id)))
            broken += (await check(one, client, view, acts)).broken
    return HandOver(max(waits), broken)


def longest_wait(events: Events) -> float:
    """The most seconds between an event and the decision that follows it at once."""
    times = [datetime.fromisoformat(one.envelope.time) for one in events]
    return max(
        (after - before).total_seconds()
        for before, after, one in zip(times, times[1:], events[1:], strict=False)
        if isinstance(one.event, _DECISIONS)
    )


async def freeze_each(stack: Stack, name: str, seconds: float, at_once: int = 1) -> None:
    """SIGSTOP the processes of a service in turn, `at_once` at a time, and SIGCONT so many seconds later."""
    pids = stack.pids(name)
    for first in range(0, len(pids), at_once):
        frozen = pids[first : first + at_once]
        try:
            _send(frozen, signal.SIGSTOP)
            await asyncio.sleep(seconds)  # sleeps: work
        finally:
            _send(frozen, signal.SIGCONT)


def _send(pids: Sequence[int], what: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, what)
