"""Rounds of faults on one running stack: some faults armed, some sessions told, everything checked."""

import asyncio
import contextlib
import uuid
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from agent_contracts import service_names
from agent_contracts.log.address import Address
from foldline_testing.product.chaos.acts import Acts
from foldline_testing.product.chaos.client import NoAnswer, PersistentClient
from foldline_testing.product.chaos.conversation import SETTLE_S, Told, check, tell_followed
from foldline_testing.product.chaos.faults import Fault
from foldline_testing.product.chaos.invariants import Calls
from foldline_testing.product.chaos.log_view import LogView
from foldline_testing.product.stack import Stack

SERVICES = (
    service_names.PROJECTOR,
    service_names.ENGINE,
    service_names.MODEL_CALLER,
    service_names.RUNNER,
    service_names.GATEWAY,
)
_UNFAULTED_S = 60.0


@dataclass
class Record:
    """What all rounds came to. `settle_s`: from the last fault of its round to each session's end."""

    broken: list[str] = field(default_factory=list)
    strikes: list[str] = field(default_factory=list)
    settle_s: list[float] = field(default_factory=list)
    calls: list[Calls] = field(default_factory=list)
    sessions: int = 0

    @property
    def succeeded(self) -> float:
        """The share of tool calls that did what they should, those apart that a fault made unknown."""
        asked = sum(calls.asked - calls.unknown for calls in self.calls)
        return sum(calls.completed for calls in self.calls) / asked if asked else 0.0

    def summary(self) -> str:
        """One line of figures."""
        times = sorted(self.settle_s) or [0.0]
        unknown = sum(calls.unknown for calls in self.calls)
        settled = f"settled in p50 {times[len(times) // 2]:.1f} s, max {times[-1]:.1f} s"
        return (
            f"{len(self.strikes)} faults, {self.sessions} sessions, {settled}, {self.succeeded:.1%} of calls "
            f"succeeded, {unknown} of unknown outcome, {len(self.broken)} broken invariants"
        )


class Rounds:
    """Runs rounds on a stack and adds to a record. After its last fault a session may take `settle_s`."""

    def __init__(
        self,
        stack: Stack,
        client: PersistentClient,
        view: LogView,
        acts: Acts,
        record: Record,
        settle_s: float = SETTLE_S,
    ) -> None:
        self._stack = stack
        self._client = client
        self._view = view
        self._acts = acts
        self._prefix = uuid.uuid4().hex[:6]
        self._number = 0
        self.record = record
        self._settle_s = settle_s

    async def run(self, faults: Sequence[Fault], sessions: int = 1, turns: int = 1) -> None:
        """Arm the faults, tell the sessions at once, check. What is broken is added to the record."""
        await self.until_all_run()
        self._number += 1
        what = " + ".join(fault.name for fault in faults) or "no fault"
        names = [f"{self._prefix}r{self._number}s{one}" for one in range(sessions)]
        began = asyncio.get_running_loop().time()
        async with AsyncExitStack() as armed:
            for fault in faults:
                await armed.enter_async_context(fault.armed(self._stack, self._view))
            patience_s = _UNFAULTED_S + self._settle_s * len(faults)
            stories = [tell_followed(self._client, name, turns, patience_s) for name in names]
            ended = await asyncio.gather(*stories, return_exceptions=True)
            await _until_struck(faults)
        last_strike = max((fault.struck_at for fault in faults if fault.struck_at is not None), default=began)
        for name, end in zip(names, ended, strict=True):
            if isinstance(end, TimeoutError | NoAnswer):
                self._break(what, f"{name} I6: it did not settle: {end!r}")
            elif isinstance(end, BaseException):
                raise end
            else:
                await self._check(what, *end, last_strike)
        for fault in faults:
            if fault.struck_at is None:
                self._break(what, f"{fault.name} did not strike")
            else:
                self.record.strikes.append(fault.name)

    async def until_all_run(self, patience_s: float = 90) -> None:
        """Return when every service has a process and the gateway is ready."""
        async with asyncio.timeout(patience_s):
            while not all(self._stack.pids(name) for name in SERVICES):  # noqa: ASYNC110 — others' processes
                await asyncio.sleep(0.1)
        await asyncio.to_thread(self._stack.wait_until_ready, patience_s)

    async def _check(self, what: str, told: Told, joined: list[Address], last_strike: float) -> None:
        self.record.sessions += 1
        settle = max(0.0, told.settled_at - last_strike)
        self.record.settle_s.append(settle)
        if settle > self._settle_s:
            self._break(what, f"{told.name} I6: it settled {settle:.1f} s after the last fault")
        stored = [one.address for one in await self._view.events(told.session_id)]
        if joined != stored:
            self._break(what, f"{told.name} I7: joined {_told(joined)}, the log holds {_told(stored)}")
        checked = await check(told, self._client, self._view, self._acts.by_call())
        self.record.calls.append(checked.calls)
        for broken in checked.broken:
            self._break(what, broken)

    def _break(self, what: str, broken: str) -> None:
        self.record.broken.append(f"[{what}] {broken}")


async def _until_struck(faults: Sequence[Fault], patience_s: float = 20.0) -> None:
    """Faults at the very end of a story strike just after it; one that doesn't is told by the caller."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(patience_s):
            while any(fault.struck_at is None for fault in faults):  # noqa: ASYNC110 — from outside
                await asyncio.sleep(0.02)


def _told(addresses: list[Address]) -> str:
    return ", ".join(map(str, addresses))
