"""The projector process, killed and cut off: its tables are always what the log says."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agent_contracts.log.record.records import NewMessage
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import connect
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.nats.users import ADMIN, nats_users
from agent_platform.process.stop_points import STOP_DIR, arm, has_fired
from agent_platform.services.discovery import discover, rights_of
from foldline_testing.agent_platform.servers import NatsForTest, PostgresForTests
from foldline_testing.agent_platform.warm import WarmProcess
from projections.project.log_projection import LogProjection
from projector.administration import check_projections
from projector.projecting.rebuild import rebuild

pytestmark = pytest.mark.faults

Serve = Callable[..., Awaitable[WarmProcess]]
Tell = Callable[[str], list[NewMessage]]
Reached = Callable[[int], Awaitable[None]]
Ask = Callable[..., Awaitable[list[tuple[Any, ...]]]]


async def append(log: JetStreamLog, messages: list[NewMessage]) -> int:
    sequence = 0
    for message in messages:
        sequence = await log.append(message)
    return sequence


async def equal_to_a_rebuild(dsn: str, log: JetStreamLog) -> None:
    report = await check_projections(dsn, log)
    assert report.differing == 0, report.compared
    assert report.sequence == await log.last_sequence()


@pytest.mark.parametrize("point", ["projector.read", "projector.written", "projector.committed"])
async def test_killed_between_any_two_steps_it_goes_on_where_it_was(
    point: str,
    jetstream: JetStreamLog,
    postgres_dsn: str,
    serve: Serve,
    conversation: Tell,
    reached: Reached,
    ask: Ask,
    tmp_path: Path,
) -> None:
    await append(jetstream, conversation("s_1"))
    arm(tmp_path, point)
    killed = await serve(**{STOP_DIR: str(tmp_path)})
    assert await asyncio.wait_for(killed.wait(), 90) == -signal.SIGKILL
    assert has_fired(tmp_path, point)
    await append(jetstream, conversation("s_2"))
    await serve()
    await reached(await jetstream.last_sequence())
    assert await ask("SELECT count(*) FROM projections.events") == [(await jetstream.last_sequence(),)]
    await equal_to_a_rebuild(postgres_dsn, jetstream)


async def test_of_two_processes_one_works_and_the_other_takes_over(
    jetstream: JetStreamLog, postgres_dsn: str, serve: Serve, conversation: Tell, reached: Reached
) -> None:
    both = [await serve(), await serve()]
    await reached(await append(jetstream, conversation("s_1")))
    both[0].kill()
    await reached(await append(jetstream, conversation("s_2")))
    both[1].kill()
    await serve()
    await reached(await append(jetstream, conversation("s_3")))
    await equal_to_a_rebuild(postgres_dsn, jetstream)


async def test_killed_nats_and_postgres_cost_nothing_but_time(
    jetstream: JetStreamLog,
    nats_server: NatsForTest,
    postgres_server: PostgresForTests,
    postgres_dsn: str,
    serve: Serve,
    conversation: Tell,
    reached: Reached,
) -> None:
    if postgres_server.server is None:
        pytest.skip("this test kills Postgres, and this one is not ours")
    projector = await serve()
    await reached(await append(jetstream, conversation("s_1")))
    nats_server.restart()
    await reached(await append(jetstream, conversation("s_2")))
    postgres_server.server.kill()
    last = await append(jetstream, conversation("s_3"))
    postgres_server.server.start_blocking()
    await reached(last)
    nats_server.kill()
    postgres_server.server.kill()
    postgres_server.server.start_blocking()
    nats_server.restart()
    await reached(await append(jetstream, conversation("s_4")))
    assert projector.returncode is None
    await equal_to_a_rebuild(postgres_dsn, jetstream)


async def test_one_frozen_in_the_middle_is_overtaken_and_does_no_harm_when_it_wakes(
    jetstream: JetStreamLog, postgres_dsn: str, serve: Serve, conversation: Tell, reached: Reached, ask: Ask
) -> None:
    frozen = await serve()
    await reached(await append(jetstream, conversation("s_1")))
    os.kill(frozen.pid, signal.SIGSTOP)
    last = await append(jetstream, conversation("s_2"))
    await ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'projector'")
    await serve()
    await reached(last)
    os.kill(frozen.pid, signal.SIGCONT)
    await reached(await append(jetstream, conversation("s_3")))
    await equal_to_a_rebuild(postgres_dsn, jetstream)


async def test_it_waits_for_streams_and_needs_no_more_than_its_own_rights(
    nats_servers: Callable[..., NatsForTest], serve: Serve, conversation: Tell, reached: Reached
) -> None:
    rights = rights_of(discover())
    names = [ADMIN, *rights]
    server = nats_servers(nats_users(rights, {name: f"{name}-password" for name in names}))
    projector = await serve(FOLDLINE_NATS_URL=server.url_for("projector"))
    await asyncio.sleep(1)  # sleeps: quiet
    admin = await connect(server.url_for(ADMIN), name="test")
    await ensure_streams(admin, StreamSettings())
    await reached(await append(JetStreamLog(admin), conversation("s_1")))
    await admin.close()
    assert projector.returncode is None


async def test_it_stops_in_order_when_told(
    jetstream: JetStreamLog, postgres_dsn: str, serve: Serve, conversation: Tell, reached: Reached
) -> None:
    projector = await serve()
    await reached(await append(jetstream, conversation("s_1")))
    projector.send_signal(signal.SIGINT)
    await asyncio.wait_for(projector.wait(), 90)
    await equal_to_a_rebuild(postgres_dsn, jetstream)


async def test_a_rebuild_beside_the_living_process_finds_no_difference(
    jetstream: JetStreamLog, postgres_dsn: str, serve: Serve, conversation: Tell, reached: Reached
) -> None:
    await serve()
    await reached(await append(jetstream, conversation("s_1")))
    assert (await rebuild(LogProjection(), postgres_dsn, jetstream)).differing == 0
    await reached(await append(jetstream, conversation("s_2")))
    await equal_to_a_rebuild(postgres_dsn, jetstream)
