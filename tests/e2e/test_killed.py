"""Kill -9 whatever there is, at every stage of a three-tool turn: nothing is lost, nothing happens twice.

Each stage once, several at a time on sessions that run side by side; `make chaos` takes them one by one.
"""

from itertools import pairwise

import pytest

from foldline_testing.product.chaos import story
from foldline_testing.product.chaos.faults import Fault
from foldline_testing.product.chaos.stage import Stage
from foldline_testing.product.chaos.stages import EVENTS, STOP_POINTS, kill, stop
from foldline_testing.product.chaos.whole import check_whole

pytestmark = [pytest.mark.faults, pytest.mark.timeout(400)]

_SETTLE_S = 150.0
"""Only a hang takes this long, also where CI's machine is busy; `make chaos` holds the real bound."""

WAVES = {
    "work arrives": (
        "engine.received",
        "model.received",
        "runner.received",
        "projector.read",
        "gateway.appended",
    ),
    "work is on its way": ("engine.deciding", "model.streaming", "runner.claimed", "projector.written"),
    "work is done and not recorded": ("model.answered", "runner.ran", "projector.committed"),
    "a result is offered": ("engine.offered", "model.offering", "runner.offering"),
    "work is recorded and not acknowledged": ("engine.decided", "model.recorded", "runner.recorded"),
}


@pytest.fixture(scope="module")
def killed(processes: Stage) -> Stage:
    processes.model.play(story.script())
    return processes


async def survives(killed: Stage, rounds: list[list[Fault]], sessions: int) -> None:
    async with killed.rounds(settle_s=_SETTLE_S) as running:
        for faults in rounds:
            await running.run(faults, sessions)
    assert running.record.broken == [], running.record.summary()
    assert running.record.succeeded >= 0.95, running.record.summary()


def test_every_stop_point_has_its_wave() -> None:
    assert sorted(point for points in WAVES.values() for point in points) == sorted(STOP_POINTS)


@pytest.mark.parametrize("when", WAVES)
async def test_services_are_killed_when(when: str, killed: Stage) -> None:
    await survives(killed, [[stop(killed.stop_dir, point) for point in WAVES[when]]], sessions=3)


async def test_nats_and_postgres_are_killed_at_each_event_of_a_turn(killed: Stage) -> None:
    """Postgres at the event before: who listens for events hears none while NATS is away."""
    first: list[Fault] = [kill("nats", EVENTS[0])]
    last: list[Fault] = [kill("postgres", EVENTS[-1])]
    both: list[list[Fault]] = [
        [kill("postgres", before), kill("nats", kind)] for before, kind in pairwise(EVENTS)
    ]
    await survives(killed, [first, *both, last], sessions=1)


async def test_at_the_end_the_log_has_no_hole_and_the_projections_equal_a_rebuild(killed: Stage) -> None:
    async with killed.client() as client, killed.view() as view:
        assert await check_whole(client, view) == []
