"""Who may have memory for agents' code, who waits, and who is refused."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json
from tool_runner.sandbox import memory as admission
from tool_runner.sandbox.host import HostCallFailed, HostTable
from tool_runner.sandbox.limits import LARGEST_MEMORY, MIB, RunLimits
from tool_runner.sandbox.memory import SMALL, Holder, Memory, NoMemory, least_memory, usual_memory
from tool_runner.sandbox.outcome import FailureKind
from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = pytest.mark.xdist_group("sandbox")

LIMITS = RunLimits()
FULL = LARGEST_MEMORY
TOTAL = 8 * FULL
"""One agent may have six times what one run may have."""


class Runs:
    """Runs that hold memory, each until it is let go."""

    def __init__(self, memory: Memory, stack: AsyncExitStack) -> None:
        self.memory = memory
        self._stack = stack
        self._ends: dict[Holder, asyncio.Event] = {}
        self._tasks: dict[Holder, asyncio.Task[None]] = {}

    async def begin(self, agent: str = "a", within: Holder | None = None) -> Holder:
        """One more run, begun or waiting to."""
        holder, end, begun = Holder(agent, within), asyncio.Event(), asyncio.Event()

        async def hold() -> None:
            async with self.memory.holding(holder, LIMITS):
                begun.set()
                await end.wait()

        self._ends[holder], task = end, asyncio.create_task(hold())
        self._tasks[holder] = task
        self._stack.push_async_callback(self._cancelled, task)
        await settled()
        return holder

    def has_begun(self, holder: Holder) -> bool:
        return holder in self.memory._held

    async def grow(self, holder: Holder) -> asyncio.Task[int]:
        """The run asks for all that it may have."""
        task = asyncio.create_task(self.memory.grow(holder, LIMITS))
        self._stack.push_async_callback(self._cancelled, task)
        await settled()
        return task

    async def end(self, holder: Holder) -> None:
        self._ends[holder].set()
        await settled()

    async def refusal(self, holder: Holder) -> str:
        """Why the run did not begin."""
        with pytest.raises(NoMemory) as refused:
            await self._tasks[holder]
        return str(refused.value)

    @staticmethod
    async def _cancelled(task: "asyncio.Task[object]") -> None:
        task.cancel()
        await asyncio.wait({task})


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.fixture
async def runs() -> AsyncIterator[Runs]:
    async with AsyncExitStack() as stack:
        yield Runs(Memory(TOTAL), stack)


async def test_a_run_begins_with_a_little_and_gives_all_back(runs: Runs) -> None:
    one = await runs.begin()
    assert runs.memory.held == SMALL
    assert await (await runs.grow(one)) == FULL
    assert runs.memory.held == FULL
    assert await (await runs.grow(one)) == FULL
    await runs.end(one)
    assert runs.memory.held == 0


async def test_who_grows_waits_for_who_grew_before_in_order(runs: Runs) -> None:
    holders = [await runs.begin() for _ in range(8)]
    growing = [await runs.grow(holder) for holder in holders]
    assert [task.done() for task in growing] == [True] * 5 + [False] * 3
    await runs.end(holders[2])
    assert [task.done() for task in growing] == [True] * 6 + [False] * 2
    assert runs.memory.held <= TOTAL * 3 // 4


async def test_whoever_begins_leaves_room_to_grow_for_those_who_began(runs: Runs) -> None:
    holders = [await runs.begin() for _ in range(200)]
    begun = [holder for holder in holders if runs.has_begun(holder)]
    assert len(begun) < 200
    growing = [await runs.grow(holder) for holder in begun[:2]]
    assert [task.done() for task in growing] == [True, True]


async def test_an_agent_that_takes_all_it_may_have_leaves_another_room(runs: Runs) -> None:
    holders = [await runs.begin() for _ in range(200)]
    for holder in holders:
        if runs.has_begun(holder):
            await runs.grow(holder)
    other = await runs.begin("b")
    assert runs.has_begun(other)
    assert (await runs.grow(other)).done()


async def test_functions_that_are_called_go_before_those_who_begin(runs: Runs) -> None:
    holders = [await runs.begin() for _ in range(200)]
    waiting = next(holder for holder in holders if not runs.has_begun(holder))
    called = await runs.begin(within=holders[0])
    assert runs.has_begun(called)
    assert not runs.has_begun(waiting)


async def test_where_all_wait_for_functions_that_find_no_room_the_youngest_is_refused(runs: Runs) -> None:
    """Each run has grown, and calls a function that needs memory: nobody would ever end."""
    holders = [await runs.begin() for _ in range(6)]
    for holder in holders[:5]:
        await runs.grow(holder)
    called = [await runs.begin(within=holder) for holder in holders]
    assert all(runs.has_begun(one) for one in called)
    growing = [await runs.grow(one) for one in called]
    refused = [task for task in growing if task.done() and task.exception()]
    assert refused == growing[-1:]
    assert "which may have 768" in str(refused[0].exception())
    await runs.end(called[-1])
    assert not any(task.done() for task in growing[:-1])  # the sixth run may end now, and then they can go on


async def test_a_chain_of_calls_that_takes_everything_ends_with_an_error_and_not_for_ever(runs: Runs) -> None:
    chain = [await runs.begin()]
    while runs.has_begun(chain[-1]):
        assert (await runs.grow(chain[-1])).done()
        chain.append(await runs.begin(within=chain[-1]))
    assert "768 by code of this agent" in await runs.refusal(chain[-1])
    assert len(chain) == 7


async def test_who_can_not_begin_in_time_is_refused_and_told_what_is_in_use(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "PATIENCE_S", 0.05)
    for _ in range(5):
        await runs.grow(await runs.begin())
    late = await runs.begin()
    message = await runs.refusal(late)
    assert "640 of 1024 MiB are in use, 640 by code of this agent, which may have 768" in message


async def test_who_does_not_want_to_wait_any_more_takes_nothing(runs: Runs) -> None:
    holders = [await runs.begin() for _ in range(7)]
    growing = [await runs.grow(holder) for holder in holders]
    growing[-1].cancel()
    await settled()
    await runs.end(holders[0])
    held = runs.memory.held
    for holder in holders[1:]:
        await runs.end(holder)
    assert (held, runs.memory.held) == (5 * FULL + SMALL, 0)


def test_a_setting_that_leaves_no_room_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match=f"FOLDLINE_SANDBOX_MEMORY to {least_memory(2) // MIB} or more"):
        Sandbox(tmp_path, 2, memory=256 * MIB)
    Sandbox(tmp_path, 2, memory=least_memory(2))
    for workers in (1, 2, 16, 128):
        assert usual_memory(workers) >= least_memory(workers)


# ---- with real guests ----

TAKES_90 = "const a = []; for (let i = 0; i < 90; i++) a.push(new Uint8Array(1e6).fill(1)); return a.length"


@pytest.mark.asyncio(loop_scope="module")
async def test_a_guest_that_waits_for_memory_goes_on_where_it_stood(sandbox: Sandbox) -> None:
    outcomes = await asyncio.gather(*(sandbox.run(SandboxProgram(TAKES_90)) for _ in range(8)))
    assert [outcome.value for outcome in outcomes] == [90] * 8
    assert sandbox.memory.held == 0


@pytest.mark.asyncio(loop_scope="module")
async def test_a_guest_that_gets_none_ends_and_what_it_did_is_done(sandbox: Sandbox) -> None:
    """A program that keeps 90 MB calls one that does the same, and so on: until there is no more."""
    done: list[Json] = []

    def host(holder: Holder) -> HostTable:
        async def call(arguments: list[Json]) -> Json:
            done.append(len(done))
            child = Holder(holder.agent, holder)
            outcome = await sandbox.run(SandboxProgram(CALLS), host(child), holder=child)
            if outcome.error:
                raise HostCallFailed(outcome.error.message, name=outcome.error.name)
            return outcome.value

        return HostTable({"functions.call": call})

    top = Holder("deep")
    outcome = await sandbox.run(SandboxProgram(CALLS), host(top), holder=top)
    assert outcome.error is not None
    assert outcome.error.name == "NoMemoryError"
    assert "needed more memory than 8 MiB" in outcome.error.message
    assert 2 <= len(done) <= 8
    assert sandbox.memory.held == 0


CALLS = TAKES_90.replace("return", "await functions.call('again'); return")


@pytest.mark.asyncio(loop_scope="module")
async def test_a_guest_that_waits_for_memory_too_long_says_so(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = Holder("slow")
    async with AsyncExitStack() as stack:

        async def take_all(arguments: list[Json]) -> Json:
            for _ in range(10):
                other = Holder("slow", holder)
                await stack.enter_async_context(sandbox.memory.holding(other, LIMITS))
                try:
                    async with asyncio.timeout(0.1):
                        await sandbox.memory.grow(other, LIMITS)
                except (TimeoutError, NoMemory):
                    break
            return None

        program = SandboxProgram(f"await state.get('k'); {TAKES_90}", limits=RunLimits(wall_s=1.5))
        outcome = await sandbox.run(program, HostTable({"state.get": take_all}), holder=holder)
    assert outcome.error is not None
    assert outcome.error.kind is FailureKind.WALL_TIME
    assert "memory that this runner has for agents' code" in outcome.error.message
