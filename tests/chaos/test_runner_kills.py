"""Kill -9 a runner at 50 points of each call that changes the agent: the change is made exactly once.

Named stop points, and instants drawn over the time that such a call takes. Then: many writes to the agent's
database at once, what each runner has of it, and statements without end.
"""

import asyncio
import statistics
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from random import Random

import apsw
import pytest

from agent_contracts import service_names
from agent_contracts.event_sources import RUNNER
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.subjects import SNAPSHOTS_BUCKET
from agent_contracts.session_events.results import ToolCallFailed
from agent_platform.entities.entity import EntityWriter
from agent_platform.log.bucket import Bucket
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.product.chaos.changes import (
    AGENT,
    TABLES,
    Turn,
    out_of_order,
    runners_killed,
    script,
    tell_turn,
    times_made,
    until_nothing_is_in_hand,
)
from foldline_testing.product.chaos.faults import StopPoint
from foldline_testing.product.chaos.log_view import LogView
from foldline_testing.product.chaos.stage import Stage, stage
from foldline_testing.product.chaos.whole import check_whole
from tool_runner.agent_db.agent_db import AgentDb
from tool_runner.agent_db.content_hash import content_hash
from tool_runner.agent_db.databases import AgentDatabases
from tool_runner.app import COPIES

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(900)]

Report = Callable[[str], None]

RUNNERS = 3
KILLS = 50
TURNS = 100
SEED = 4
ACK_WAIT_S = 1.0
POINTS = ("runner.received", "runner.ran", "runner.recorded")
DATABASE_POINTS = ("agent_db.computed", "agent_db.appended")
CHANGES = {
    "create_tool": ("create_tool", POINTS),
    "set_state": ("set_state", POINTS),
    "db_sql, a row": ("insert", (*POINTS, *DATABASE_POINTS)),
    "db_sql, a counter": ("count", (*POINTS, *DATABASE_POINTS)),
}
"""What is said to have each change made, and where its runner can be killed.

Those of `db_sql` share 50."""
_ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
BOMBS = {"that reads": (_ENDLESS, 2), "that writes": (f"INSERT INTO noted (name) {_ENDLESS}", 1)}
"""How many at once: of one agent, one at a time writes on a runner."""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("runners")
    with stage(
        folder, {service_names.RUNNER: RUNNERS}, script(), warm=False, ack_wait_s=ACK_WAIT_S
    ) as started:
        asyncio.run(make_tables(started))
        yield started


async def make_tables(started: Stage) -> None:
    async with started.client() as client, started.view() as view:
        for sql in TABLES:
            assert (await tell_turn(client, view, f"ask 1 {sql}")).broken == ()


@pytest.mark.parametrize("change", CHANGES)
async def test_a_change_is_made_once_though_its_runner_is_killed(
    change: str, killed: Stage, report: Report
) -> None:
    said, points = CHANGES[change]
    kills = KILLS // 2 if change.startswith("db_sql") else KILLS
    name, at_each = said.replace("_", ""), kills // 2 // len(points)
    async with killed.client() as client, killed.view() as view:
        usual = [await tell_turn(client, view, f"{said} {name}u{n}") for n in range(5)]
        usual_s = statistics.median(took for turn in usual for took in turn.took_s)
        named = [StopPoint(killed.stop_dir, point) for point in points for _ in range(at_each)]
        dice = Random(f"{SEED} {change}")
        after = [dice.uniform(0, usual_s) for _ in range(kills - len(named))]
        drawn = [StopPoint(killed.stop_dir, "runner.received", after_s=one) for one in after]
        broken, again, done = [], 0, 0
        for number, fault in enumerate((*named, *drawn)):
            deaths = runners_killed(killed.stack)
            async with fault.armed(killed.stack, view):
                turn = await tell_turn(client, view, f"{said} {name}{number}")
                await until_nothing_is_in_hand(view)
            await until_dead(killed, deaths + 1)
            (result,) = turn.results
            made = await times_made(turn, view, said, f"{name}{number}")
            attempts_wanted = 2 if fault in named and fault.name != "runner.recorded #1" else 1
            broken += [*turn.broken] if made == 1 else [*turn.broken, f"made {made} times"]
            broken += [] if result.attempt >= attempts_wanted else [f"{fault.name} did not strike its call"]
            again += result.attempt > 1
            done += type(result).__name__ == "ToolCallCompleted"
    report(
        f"{change}: {len(named)} kills at {len(points)} stop points, {len(drawn)} at instants drawn from "
        f"{usual_s * 1000:.0f} ms (seed {SEED}); {again} before the result, {done} of {kills} succeeded",
    )
    assert broken == []
    assert done >= 0.95 * kills
    assert again > len(named) * 0.6


async def test_the_calls_of_a_turn_keep_their_order_a_hundred_times_though_their_runners_are_killed(
    killed: Stage, report: Report
) -> None:
    dice, points, broken, deaths = Random(f"{SEED} order"), (*POINTS, *DATABASE_POINTS), [], []
    async with killed.client() as client, killed.view() as view:
        for number in range(TURNS):
            fault = StopPoint(killed.stop_dir, points[number % len(points)], nth=dice.randint(1, 3))
            async with fault.armed(killed.stack, view):
                turn = await tell_turn(client, view, f"order o{number}")
                await until_nothing_is_in_hand(view)
            deaths += [fault.name] if fault.struck_at is not None else []
            broken += [*turn.broken, *out_of_order(turn)]
    report(f"{TURNS} turns of 7 calls in order, {len(deaths)} runners killed; {len(broken)} went another way")
    assert broken == []
    assert len(deaths) > TURNS * 0.9


async def until_dead(killed: Stage, deaths: int) -> None:
    """Return when the supervisor has seen so many runners end by SIGKILL; more must not."""
    async with asyncio.timeout(60):
        while runners_killed(killed.stack) < deaths:  # noqa: ASYNC110 — another process sees it
            await asyncio.sleep(0.02)
    assert runners_killed(killed.stack) == deaths


async def test_a_thousand_interleaved_writes_of_several_runners_all_count(
    killed: Stage, tmp_path: Path, report: Report
) -> None:
    sessions, each = 25, 20
    async with killed.client() as client, killed.view() as view, folded(view, tmp_path) as fold:
        before = await counted(fold)
        turns = await asyncio.gather(
            *(tell_turn(client, view, f"write many{n} {each}", 300) for n in range(sessions))
        )
        assert [what for turn in turns for what in turn.broken] == []
        results = [result for turn in turns for result in turn.results]
        failed = [result for result in results if type(result).__name__ != "ToolCallCompleted"]
        assert (len(results), failed) == (1_000, [])
        rows, names, n = await counted(fold)
        assert (rows - before[0], n - before[2]) == (500, 500)
        assert names == before[1] + sessions
        runner_of = {
            (turn.session_id, result.call_id): result.runner for turn in turns for result in turn.results
        }
        written = await view.database_writes(AGENT)
        writers = [runner_of.get((one.event.session_id, one.event.call_id)) for one in written]
        hands = [writer for writer in writers if writer is not None]
        changes_of_hand = sum(one != other for one, other in pairwise(hands))
    report(f"1,000 writes by {len(set(hands))} runners, {changes_of_hand} times after one another")
    assert len(hands) == 1_000
    assert len(set(hands)) == RUNNERS
    assert changes_of_hand >= 100


async def test_every_runner_has_the_same_database_and_so_has_every_replay_to_an_event(
    killed: Stage, tmp_path: Path
) -> None:
    async with killed.client() as client, killed.view() as view:
        asked: set[str] = set()
        async with asyncio.timeout(120):
            while len(asked) < RUNNERS:
                turn = await tell_turn(client, view, "ask 12 SELECT * FROM counter")
                asked |= {result.runner for result in turn.results}
        async with folded(view, tmp_path / "one") as fold, folded(view, tmp_path / "other") as other:
            held = await fold.content_hash()
            copies = [*(killed.stack.data_dir / COPIES).glob("*/*.sqlite")]
            assert [hash_of(copy) for copy in copies] == [held] * RUNNERS
            written = await view.database_writes(AGENT)
            seen = set()
            for one in written[:: len(written) // 10]:
                async with fold.as_of(one.sequence) as past, other.as_of(one.sequence) as again:
                    assert await past.content_hash() == await again.content_hash()
                    seen.add(await past.content_hash())
            assert len(seen) >= 10


@pytest.mark.parametrize("bomb", BOMBS)
async def test_a_statement_without_end_ends_after_5_s_and_others_go_on(
    bomb: str, killed: Stage, report: Report
) -> None:
    sql, at_once = BOMBS[bomb]
    async with killed.client() as client, killed.view() as view:
        bombs = [asyncio.create_task(tell_turn(client, view, f"ask 1 {sql}")) for _ in range(at_once)]
        others: list[Turn] = []
        while not any(one.done() for one in bombs):
            others.append(await tell_turn(client, view, f"insert beside{len(others)}"))
        ended = [await one for one in bombs]
    slowest = max(took for turn in others for took in turn.took_s)
    took = [result.duration_ms / 1000 for one in ended for result in one.results]
    beside = f"beside them {len(others)} writes of at most {slowest:.2f} s"
    report(f"statements without end, one {bomb}: ended after {took} s; {beside}")
    assert [what for turn in (*ended, *others) for what in turn.broken] == []
    results = [result for one in ended for result in one.results]
    assert {isinstance(one, ToolCallFailed) and one.error.kind.value for one in results} == {"timeout"}
    assert others, "others go on meanwhile"


async def test_at_the_end_the_log_has_no_hole_and_the_projections_equal_a_rebuild(killed: Stage) -> None:
    async with killed.client() as client, killed.view() as view:
        assert await check_whole(client, view) == []


@asynccontextmanager
async def folded(view: LogView, folder: Path) -> AsyncIterator[AgentDb]:
    """The agent's database as one more runner has it, folded from the log alone."""
    nothing = Bucket(MemoryLog(), SNAPSHOTS_BUCKET)
    databases = AgentDatabases(view.log, nothing, MemoryBlobs(), folder, SystemClock(), RUNNER)
    try:
        yield await databases.of(AgentId(AGENT))
    finally:
        await databases.close()


async def counted(fold: AgentDb) -> tuple[int, int, int]:
    """Rows, different names among them, and the counter."""
    reader = EntityWriter.call(SessionId("s"), CallId("c"), 1, since=0)
    sql = "SELECT count(*), count(DISTINCT name), (SELECT n FROM counter) FROM noted"
    ran, _ = await fold.execute(sql, [], reader)
    (found,) = ran.rows
    rows, names, n = (int(str(value)) for value in found)
    return rows, names, n


def hash_of(copy: Path) -> str:
    """What a runner's own copy holds."""
    sqlite = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return content_hash(sqlite)
    finally:
        sqlite.close()
