"""Four engines that share out the sessions: owners are killed, and frozen for longer than they may be."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from agent_contracts import service_names
from foldline_testing.product.chaos.crowd import tell_crowd
from foldline_testing.product.chaos.hand_overs import freeze_each, hand_over
from foldline_testing.product.chaos.stage import Stage, stage
from foldline_testing.product.chaos.stages import stop
from foldline_testing.product.chaos.whole import check_whole

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(1800)]

REPLICAS = {service_names.ENGINE: 4, service_names.MODEL_CALLER: 2, service_names.RUNNER: 2}
TURN_PATIENCE_S = 900
"""The crowd is far more than the machine does at once: a turn waits for the others' turns."""
POINTS = ("engine.received", "engine.deciding", "engine.decided")
KILLS = [(point, nth) for point in POINTS for nth in range(5)]
FROZEN_S = 6.0


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("engines"), REPLICAS) as started:
        yield started


async def test_another_goes_on_within_5_s_where_an_owner_is_killed(
    engines: Stage, report: Callable[[str], None]
) -> None:
    came = [await hand_over(engines, stop(engines.stop_dir, *kill), sessions=4) for kill in KILLS]
    waits = sorted(one.waited_s for one in came)
    report(f"{len(waits)} kills: p50 {waits[len(waits) // 2]:.2f} s, max {waits[-1]:.2f} s")
    assert [broken for one in came for broken in one.broken] == []
    assert waits[-1] < 5


@pytest.mark.parametrize("at_once", [1, 2])
async def test_500_sessions_while_owners_are_frozen_and_resumed_have_no_conflicting_decision(
    at_once: int, engines: Stage
) -> None:
    async def freeze_again_and_again() -> None:
        while True:
            await freeze_each(engines.stack, service_names.ENGINE, FROZEN_S, at_once)

    freezing = asyncio.create_task(freeze_again_and_again())
    try:
        crowd = await tell_crowd(engines, sessions=500, turns=1, patience_s=TURN_PATIENCE_S)
    finally:
        freezing.cancel()
        await asyncio.wait([freezing])
    assert crowd.broken == []


async def test_at_the_end_the_log_has_no_hole_and_the_projections_equal_a_rebuild(engines: Stage) -> None:
    async with engines.client() as client, engines.view() as view:
        assert await check_whole(client, view) == []
