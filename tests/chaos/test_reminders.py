"""5,000 reminders in 10 s while schedulers, NATS and engines are killed: each is told and answered once."""

from collections.abc import Callable, Iterator

import pytest

from agent_contracts import service_names
from foldline_testing.product.chaos.reminders import SCRIPT, Flood, flood
from foldline_testing.product.chaos.stage import Stage, stage
from foldline_testing.product.chaos.whole import check_whole

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(1800)]

REPLICAS = {service_names.SCHEDULER: 2, service_names.ENGINE: 2, service_names.MODEL_CALLER: 2}


@pytest.fixture(scope="module")
def flooded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("flooded"), REPLICAS, SCRIPT, warm=False) as started:
        yield started


async def test_5000_reminders_within_10_seconds_are_told_once(
    flooded: Stage, report: Callable[[str], None]
) -> None:
    came = await flood(flooded, Flood(count=5_000, sessions=100, within_s=10, kills=2, patience_s=1200))
    report(f"killed {dict(came.killed)}; all answered {came.over_after_s:.1f} s after the last was due")
    assert came.broken == []
    assert min(came.killed.values()) == 2


async def test_at_the_end_the_log_has_no_hole_and_the_projections_equal_a_rebuild(flooded: Stage) -> None:
    async with flooded.client() as client, flooded.view() as view:
        assert await check_whole(client, view) == []
