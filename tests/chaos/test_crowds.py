"""Many sessions on two engines, two model callers and three runners, as processes; some of them frozen."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_contracts import service_names
from foldline_testing.product.chaos.burning import burn
from foldline_testing.product.chaos.crowd import tell_crowd
from foldline_testing.product.chaos.faults import OnEvent
from foldline_testing.product.chaos.rounds import Record
from foldline_testing.product.chaos.stage import Stage, stage
from foldline_testing.product.chaos.stages import stop
from foldline_testing.product.chaos.whole import check_whole

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(1800)]

REPLICAS = {service_names.ENGINE: 2, service_names.MODEL_CALLER: 2, service_names.RUNNER: 3}
TURN_PATIENCE_S = 600
"""The crowd is far more than the machine does at once: a turn waits for the others' turns."""

FREEZES = [
    (service_names.RUNNER, "call_claimed", 5),
    (service_names.RUNNER, "tool_call_requested", 5),
    (service_names.ENGINE, "user_message", 5),
    (service_names.ENGINE, "tool_call_completed", 5),
    (service_names.MODEL_CALLER, "model_call_requested", 5),
]
"""Who, at which event, and for how many seconds: more than its ack wait."""


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("crowded"), REPLICAS) as started:
        yield started


async def test_200_sessions_of_5_turns_no_conflicting_decision_no_lost_or_doubled_result(
    crowded: Stage,
) -> None:
    crowd = await tell_crowd(crowded, sessions=200, turns=5, patience_s=TURN_PATIENCE_S)
    assert crowd.broken == []
    assert crowd.unknown == 0
    assert len(crowd.by_runner) == REPLICAS[service_names.RUNNER]
    assert max(crowd.by_runner.values()) <= 2 * min(crowd.by_runner.values())


@pytest.mark.parametrize(("victim", "kind", "frozen_s"), FREEZES)
async def test_one_frozen_past_its_ack_wait_does_nothing_twice(
    victim: str, kind: str, frozen_s: float, crowded: Stage, record: Record
) -> None:
    known = len(record.broken)
    async with crowded.rounds(record) as rounds:
        for nth in range(1, 4):
            await rounds.run([OnEvent(victim, kind, nth, frozen_s=frozen_s)], sessions=4)
    assert record.broken[known:] == []


@pytest.mark.parametrize("point", ["engine.deciding", "engine.decided", "runner.claimed", "runner.ran"])
async def test_another_takes_over_from_one_that_is_killed(point: str, crowded: Stage, record: Record) -> None:
    known = len(record.broken)
    async with crowded.rounds(record) as rounds:
        for repetition in range(3):
            await rounds.run([stop(crowded.stop_dir, point, repetition)], sessions=4, turns=2)
    assert record.broken[known:] == []


async def test_at_the_end_the_log_has_no_hole_and_the_projections_equal_a_rebuild(crowded: Stage) -> None:
    async with crowded.client() as client, crowded.view() as view:
        assert await check_whole(client, view) == []


async def test_two_runners_do_at_least_half_as_much_again_as_one_where_the_tool_needs_the_processor(
    tmp_path: Path,
) -> None:
    one, two = await burn(tmp_path / "one", runners=1), await burn(tmp_path / "two", runners=2)
    assert one.took_s / two.took_s >= 1.5, (one, two)
