"""Services as tasks of one process: what ends one after it ran doesn't end it for good."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from agent_contracts.errors import Rejected
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

    service: Any = SimpleNamespace(name="one", is_ours=True, load=lambda: serve)
    running = InProcess({"one": (service, ServiceSettings())})
    running.start("one")
    await asyncio.wait_for(back.wait(), 60)
    assert running.ends["one"] == 2
    await running.stop()


async def test_one_that_is_refused_at_once_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async def serve(_: Any) -> None:
        raise Rejected("no such port")

    service: Any = SimpleNamespace(name="one", is_ours=True, load=lambda: serve)
    running = InProcess({"one": (service, ServiceSettings())})
    running.start("one")
    with pytest.raises(Rejected, match="no such port"):
        await asyncio.wait_for(running.failed(), 60)
    await running.stop()


async def test_somebody_elses_that_cannot_be_loaded_or_refuses_is_tried_again_and_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(in_process, "_THEIR_WAIT_S", 0.01)
    ends = [ImportError("no module"), Rejected("no such port")]
    back = asyncio.Event()

    def load() -> Any:
        if ends:
            raise ends.pop(0)

        async def serve(_: Any) -> None:
            back.set()
            await asyncio.Event().wait()

        return serve

    service: Any = SimpleNamespace(name="theirs", is_ours=False, load=load)
    running = InProcess({"theirs": (service, ServiceSettings())})
    running.start("theirs")
    failing = asyncio.ensure_future(running.failed())
    await asyncio.wait_for(back.wait(), 60)
    assert (running.ends["theirs"], failing.done()) == (2, False)
    failing.cancel()
    await running.stop()
