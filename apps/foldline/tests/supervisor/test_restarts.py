"""A service that fails in a loop is told of in full once, then now and then, and tried less often."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest
from structlog.testing import capture_logs

from agent_contracts.errors import Rejected
from agent_platform.settings.shared import ServiceSettings
from foldline.supervisor import in_process, restarts
from foldline.supervisor.in_process import InProcess
from foldline.supervisor.restarts import Restarts


async def test_one_that_fails_in_a_loop_doesnt_flood_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_process, "_THEIR_WAIT_S", 0.001)
    monkeypatch.setattr(restarts, "_LONGEST_WAIT_S", 0.001)
    often, tries = asyncio.Event(), 0

    async def serve(_: Any) -> None:
        nonlocal tries
        tries += 1
        if tries == 30:
            often.set()
        raise Rejected("no such key")

    service: Any = SimpleNamespace(name="theirs", is_ours=False, load=lambda: serve)
    running = InProcess({"theirs": (service, ServiceSettings())})
    with capture_logs() as lines:
        running.start("theirs")
        await asyncio.wait_for(often.wait(), 60)
        await running.stop()
    assert [one["event"] for one in lines] == [
        "service.refused",
        "service.restarted",
        *["service.interrupted"] * 3,
    ]


def test_it_is_tried_less_and_less_often_until_it_worked_for_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    found = Restarts("theirs", 5.0, is_ours=False)
    waits = []
    for _ in range(6):
        found.begins()
        waits.append(found.ends("no"))
    assert waits == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0]
    assert found.repeats
    found.begins()
    now = 61.0
    assert (found.ends("no"), found.repeats) == (5.0, False)
