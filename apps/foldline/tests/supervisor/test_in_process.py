"""Services as tasks of one process: what ends one after it ran doesn't end it for good."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from agent_contracts.errors import Rejected
from agent_contracts.service_names import GATEWAY
from agent_platform.settings.shared import ServiceSettings
from foldline.supervisor import in_process
from foldline.supervisor.in_process import InProcess


async def test_one_that_is_refused_after_it_ran_is_started_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(in_process, "_RESTART_WAIT_S", 0.01)
    back, ends = asyncio.Event(), [RuntimeError("a bug"), Rejected("no"), None]

    async def serve(_: Any) -> None:
        end = ends.pop(0)
        if end is not None:
            raise end
        back.set()
        await asyncio.Event().wait()

    service: Any = SimpleNamespace(name="one", load=lambda: serve)
    running = InProcess({"one": (service, ServiceSettings())})
    running.start("one")
    await asyncio.wait_for(back.wait(), 60)
    assert running.ends["one"] == 2
    await running.stop()


async def test_one_that_is_refused_at_once_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async def serve(_: Any) -> None:
        raise Rejected("no such port")

    service: Any = SimpleNamespace(name=GATEWAY, load=lambda: serve)
    running = InProcess({GATEWAY: (service, ServiceSettings())})
    running.start(GATEWAY)
    with pytest.raises(Rejected, match="no such port"):
        await asyncio.wait_for(running.failed(), 60)
    await running.stop()
