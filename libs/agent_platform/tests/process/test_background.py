"""Work beside all other work: an error that nobody foresaw is told, and doesn't end it."""

import asyncio

import pytest
from structlog.testing import capture_logs

from agent_platform.process import background
from agent_platform.process.background import in_background


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_LONGEST_WAIT_S", 0.01)


async def test_work_that_fails_is_told_and_begins_anew() -> None:
    began = 0

    async def work() -> None:
        nonlocal began
        began += 1
        if began < 3:
            raise ZeroDivisionError("nobody thought of this")

    with capture_logs() as logs:
        await in_background(work, "the sums")
    assert began == 3
    failed, resumed = logs[::2], logs[1::2]
    told = [(one["event"], one["log_level"], one["work"], str(one["exc_info"])) for one in failed]
    assert told == [("background.interrupted", "error", "the sums", "nobody thought of this")] * 2
    assert [(one["event"], one["work"]) for one in resumed] == [("background.resumed", "the sums")] * 2


async def test_who_cancels_it_ends_it() -> None:
    task = in_background(lambda: asyncio.sleep(3600), "waiting")
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelled()
