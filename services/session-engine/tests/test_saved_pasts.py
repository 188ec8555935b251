"""A look at the past begins at a saved fold, and finds what it finds from the start."""

import pytest

from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.subjects import SNAPSHOTS_BUCKET
from agent_contracts.questions.queries import ForkCommand
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import ToolCallCompleted
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.session_domain.counting_log import CountingLog
from foldline_testing.session_engine.world import CREATED, KEY, SESSION, World, answer
from session_domain.folding import at_rest
from session_domain.sessions import FoldedSessions
from session_domain.snapshots import KeptSnapshots
from session_engine.neighbours.forks import ForkMaker

pytestmark = pytest.mark.long

FORK = SessionId("s_fork")


class Lived:
    """A session that is saved now and then, as it lives."""

    def __init__(self) -> None:
        self.log = CountingLog()
        self.world = World(self.log)
        self.bucket = Bucket(MemoryLog(), SNAPSHOTS_BUCKET)
        self._saving = KeptSnapshots(self.bucket, self.log)
        self._warm = FoldedSessions(self.log)
        self.saved: list[int] = []

    async def turn(self, steps: int) -> None:
        """One turn with so many calls of a tool; a fold is saved in it, while a call is open."""
        await self.world.given(inputs.UserMessage(text="go on"))
        for step in range(steps):
            call = await self._asked()
            await self.world.result(answer(call, "look"))
            await self.world.settle()
            if step == steps // 2:
                await self.save()
            await self.world.result(
                ToolCallCompleted(CallId(f"{call}-00"), f"seen {step}", "r", duration_ms=1)
            )
            await self.world.settle()
        call = await self._asked()
        await self.world.result(answer(call))
        await self.world.settle()

    async def back(self, to: int) -> None:
        """The conversation goes back."""
        await self.world.given(inputs.RewindRequested(to=to, parts=("conversation",)))
        await self.world.settle()
        assert isinstance((await self.world.events())[-1], ev.Rewound)

    async def save(self) -> None:
        """As it is now."""
        state = await self._warm.newest(KEY)
        await self._saving.save(state)
        self.saved.append(state.last_sequence)

    async def _asked(self) -> CallId:
        state = await self._warm.newest(KEY)
        assert state.model_call is not None
        return state.model_call.call_id

    def snapshots(self) -> KeptSnapshots:
        """As a process that has just begun reads them."""
        return KeptSnapshots(self.bucket, self.log)


async def lived() -> Lived:
    """Turns, and ways back: to near places and far ones, before and after what was saved, and back again."""
    one = Lived()
    await one.world.given(CREATED)
    for turn in range(5):
        await one.turn(18)
        if turn == 1:
            await one.back(one.saved[0] + 9)
        if turn == 3:
            last = await one.log.last_sequence()
            await one.back(one.saved[1] - 2)
            await one.back(last)
            await one.save()
    await one.back(7)
    return one


async def test_a_past_is_the_same_wherever_its_fold_begins() -> None:
    one = await lived()
    snapshots, seen = one.snapshots(), set[int]()
    around = [saved + by for saved in one.saved for by in range(-3, 4)]
    end = await one.log.last_sequence()
    for at in sorted({*range(1, end + 1, 19), *around, *range(end - 4, end + 1)}):
        begun = await snapshots.before(KEY, at)
        if begun is not None:
            assert begun == await FoldedSessions(one.log).at(KEY, begun.last_sequence)
            seen.add(begun.last_sequence)
        assert await at_rest(one.log, KEY, at, snapshots) == await at_rest(one.log, KEY, at), at
    assert len(seen) >= 3


async def test_a_past_is_read_from_the_last_saved_fold() -> None:
    one = Lived()
    await one.world.given(CREATED)
    for _ in range(12):
        await one.turn(20)
    near = one.saved[-3] + 20
    assert near > 500
    snapshots = one.snapshots()
    one.log.reads = 0
    past = await at_rest(one.log, KEY, near, snapshots)
    assert one.log.reads <= 20
    assert past == await at_rest(one.log, KEY, near)


async def test_a_fork_reads_what_came_after_the_last_saved_fold_and_nothing_else_of_the_past() -> None:
    one = Lived()
    await one.world.given(CREATED)
    for _ in range(12):
        await one.turn(20)
    sessions = FoldedSessions(one.log, one.snapshots())
    await sessions.newest(KEY)
    near = one.saved[-3] + 20
    one.log.reads = 0
    made = await ForkMaker(one.log, sessions, SystemClock(), MemoryBlobs()).fork(
        KEY, ForkCommand(SESSION, FORK, near)
    )
    assert one.log.reads <= 25
    fork = await FoldedSessions(one.log, one.snapshots()).newest(KEY.sibling(FORK))
    whole = await FoldedSessions(one.log).newest(KEY.sibling(FORK))
    assert fork == whole
    assert fork.forked_from is not None
    assert fork.forked_from.sequence == made["at"]


async def test_going_back_and_forth_reads_a_past_three_times_at_most() -> None:
    """However many folds were saved: a way back that leads before one of them isn't followed through all."""
    one = Lived()
    await one.world.given(CREATED)
    for _ in range(10):
        await one.turn(20)
        await one.back(5)
        await one.save()
    at = await one.log.last_sequence()
    one.log.reads = 0
    past = await at_rest(one.log, KEY, at, one.snapshots())
    reads = one.log.reads
    assert past == await at_rest(one.log, KEY, at)
    assert reads <= 3 * (one.log.reads - reads)
