"""The log of a server stays small while it runs, and goes on."""

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_platform.services.embedded import process
from agent_platform.services.embedded.process import ProcessCommand, ServerProcess
from foldline_testing.agent_platform.eventually import eventually

_TALKS = "while :; do echo something that is said again and again; sleep 0.001; done"


async def until(holds: Callable[[], bool]) -> None:
    async def look() -> bool | None:
        return holds() or None

    await eventually(look)


@pytest.mark.processes
async def test_the_log_of_a_server_that_runs_is_cut_and_what_it_said_last_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_LOG_LIMIT", 4_000)
    monkeypatch.setattr(process, "_LOOK_S", 0.05)
    log = tmp_path / "server.log"
    command = ProcessCommand(["/bin/sh", "-c", _TALKS], tmp_path, signal.SIGTERM)
    server = ServerProcess("server", command, log)
    waiting = asyncio.create_task(server.wait())
    earlier = tmp_path / "server.log.1"
    try:
        await until(earlier.exists)
        first = earlier.stat().st_mtime_ns
        await until(lambda: earlier.stat().st_mtime_ns > first)
        await until(lambda: 0 < log.stat().st_size < 4_000)
        assert b"\0" not in log.read_bytes(), "it goes on at its end"
        assert earlier.stat().st_mode & 0o777 == 0o600
    finally:
        await server.stop((signal.SIGKILL, 5))
        await waiting
