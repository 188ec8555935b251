"""Kill -9 each process at each stage of a three-tool turn, five times each, one at a time."""

from collections.abc import Iterator

import pytest

from foldline_testing.product.chaos.rounds import Record
from foldline_testing.product.chaos.stage import Stage, stage
from foldline_testing.product.chaos.stages import EVENTS, SERVERS, STOP_POINTS, kill, stop
from foldline_testing.product.chaos.whole import check_whole

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(900)]

TIMES = range(5)
BY_SERVICE = [
    [point for point in STOP_POINTS if point.startswith(f"{service}.")]
    for service in ("engine", "model", "runner", "projector", "gateway")
]
"""A call is given up after five deliveries, so no more than these die in one conversation."""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("killed")) as started:
        yield started


@pytest.mark.parametrize("point", STOP_POINTS)
async def test_a_service_is_killed_at(point: str, killed: Stage, record: Record) -> None:
    known = len(record.broken)
    async with killed.rounds(record) as rounds:
        for repetition in TIMES:
            await rounds.run([stop(killed.stop_dir, point, repetition)])
    assert record.broken[known:] == []


@pytest.mark.parametrize("kind", EVENTS)
@pytest.mark.parametrize("server", SERVERS)
async def test_a_server_is_killed_at(server: str, kind: str, killed: Stage, record: Record) -> None:
    known = len(record.broken)
    async with killed.rounds(record) as rounds:
        for repetition in TIMES:
            await rounds.run([kill(server, kind, repetition)])
    assert record.broken[known:] == []


async def test_one_process_of_each_kind_is_killed_in_one_conversation(killed: Stage, record: Record) -> None:
    known = len(record.broken)
    async with killed.rounds(record) as rounds:
        for repetition in TIMES:
            services = [stop(killed.stop_dir, points[repetition % len(points)]) for points in BY_SERVICE]
            servers = [kill("nats", "model_call_completed"), kill("postgres", "tool_call_completed")]
            await rounds.run([*services, *servers], sessions=4, turns=3)
    assert record.broken[known:] == []


async def test_at_the_end_the_log_has_no_hole_and_the_projections_equal_a_rebuild(
    killed: Stage, record: Record
) -> None:
    async with killed.client() as client, killed.view() as view:
        assert await check_whole(client, view) == []
    assert record.succeeded >= 0.95, record.summary()
