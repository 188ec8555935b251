"""A service's process is started again whatever ended it, and whatever keeps it from starting."""

import asyncio

import pytest

from agent_contracts import service_names
from foldline.supervisor import processes
from foldline.supervisor.processes import Processes


class Child:
    returncode = 0

    async def wait(self) -> int:
        await asyncio.Event().wait()
        return self.returncode

    def send_signal(self, _: int) -> None:
        raise AssertionError("it ended by itself")


async def test_a_process_that_the_machine_has_no_room_for_is_started_when_it_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "_RESTART_WAIT_S", 0.01)
    started, tries = asyncio.Event(), 0

    async def child(_: Processes, name: str, *how: str, replica: int = 0) -> Child:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise BlockingIOError("Resource temporarily unavailable")
        started.set()
        return Child()

    monkeypatch.setattr(Processes, "_child", child)
    running = Processes({})
    running.start(service_names.PROJECTOR)
    async with asyncio.timeout(10):
        await started.wait()
    await running.stop()
    assert tries == 3
