"""Two engines, two model callers and three runners, as processes, on the same sessions."""

import asyncio
from collections.abc import Iterator

import pytest

from agent_contracts import service_names
from foldline_testing.product.chaos import changes, story
from foldline_testing.product.chaos.crowd import tell_crowd
from foldline_testing.product.chaos.faults import OnEvent, StopPoint
from foldline_testing.product.chaos.hand_overs import hand_over
from foldline_testing.product.chaos.stage import Stage, stage
from foldline_testing.product.chaos.stages import stop
from foldline_testing.product.chaos.whole import check_whole

pytestmark = [pytest.mark.faults, pytest.mark.timeout(400)]

_SETTLE_S = 150.0
"""Only a hang takes this long, also where CI's machine is busy; `make chaos` holds the real bound."""

REPLICAS = {service_names.ENGINE: 2, service_names.MODEL_CALLER: 2, service_names.RUNNER: 3}
HAND_OVER_S = 15.0
"""2 s on a machine that has time (`make chaos` takes 5 s for too long); this one may be busy."""


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("crowded"), REPLICAS) as started:
        yield started


async def test_all_of_them_work_and_no_decision_conflicts_and_no_result_is_lost_or_doubled(
    crowded: Stage,
) -> None:
    crowd = await tell_crowd(crowded, sessions=10, turns=2, patience_s=_SETTLE_S)
    assert crowd.broken == []
    assert crowd.unknown == 0
    assert len(crowd.by_runner) == REPLICAS[service_names.RUNNER]


async def test_where_the_engine_that_owns_a_session_is_killed_another_goes_on_within_seconds(
    crowded: Stage,
) -> None:
    came = await hand_over(crowded, stop(crowded.stop_dir, "engine.deciding", 3), sessions=4)
    assert came.broken == []
    assert came.waited_s < HAND_OVER_S


@pytest.mark.parametrize(
    ("victim", "kind", "frozen_s"),
    [(service_names.RUNNER, "call_claimed", 5), (service_names.ENGINE, "tool_call_completed", 5)],
)
async def test_one_frozen_past_its_ack_wait_does_nothing_twice(
    victim: str, kind: str, frozen_s: float, crowded: Stage
) -> None:
    async with crowded.rounds(settle_s=_SETTLE_S) as rounds:
        await rounds.run([OnEvent(victim, kind, frozen_s=frozen_s)], sessions=4)
    assert rounds.record.broken == [], rounds.record.summary()


async def test_the_calls_of_a_turn_keep_their_order_though_their_runners_are_killed(crowded: Stage) -> None:
    crowded.model.play(changes.script())
    broken: list[str] = []
    try:
        async with crowded.client() as client, crowded.view() as view:
            for number, point in enumerate(("runner.received", "runner.ran", "agent_db.appended")):
                async with StopPoint(crowded.stop_dir, point, 3).armed(crowded.stack, view):
                    told = (
                        changes.tell_turn(client, view, f"order o{number}{n}", _SETTLE_S) for n in range(4)
                    )
                    turns = await asyncio.gather(*told)
                broken += [what for turn in turns for what in (*turn.broken, *changes.out_of_order(turn))]
    finally:
        crowded.model.play(story.script())
    assert broken == []


async def test_at_the_end_the_log_has_no_hole_and_the_projections_equal_a_rebuild(crowded: Stage) -> None:
    async with crowded.client() as client, crowded.view() as view:
        assert await check_whole(client, view) == []
