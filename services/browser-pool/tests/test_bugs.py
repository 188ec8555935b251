"""A bug while a context is closed: its lease is given back, and the pool lives. Without Chromium."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from playwright.async_api import Error
from structlog.testing import capture_logs

from agent_contracts.ids import SessionId
from agent_contracts.log.lease_keys import browser_lease_key
from agent_contracts.log.subjects import LEASES_BUCKET
from agent_platform.log.bucket import Bucket
from agent_platform.observing.metrics import Metrics
from agent_platform.services.leases.leases import Lease, Leases
from browser_pool.contexts.contexts import UNUSED, BrowserContexts
from browser_pool.contexts.session_context import SessionContext
from browser_pool.metrics import PoolMetrics
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.browser_pool.world import local_chromium, site_logins

FIRST, SECOND = SessionId("s1"), SessionId("s2")
ERRORS = [
    RuntimeError("out of luck"),
    OSError("no such device"),
    KeyError("missing"),
    Error("Target crashed"),
]
each_error = pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)


class Closing:
    """A context that nobody uses, and that raises when it is closed."""

    calls, is_held, is_alive, used_at = 0, False, True, 0.0
    lost: str | None = None

    def __init__(self, error: Exception | None) -> None:
        self.error = error
        self.users: set[SessionId] = set()
        self.is_closed = False

    async def close(self) -> None:
        self.is_closed = True
        if self.error is not None:
            raise self.error


class Pool:
    """A pool with contexts of two sessions, whose leases it has; the first raises when it is closed."""

    def __init__(self, error: Exception, now: Callable[[], float]) -> None:
        self.leases = Leases(Bucket(MemoryLog(), LEASES_BUCKET), "a", browser_lease_key)
        metrics = PoolMetrics(Metrics())
        self.contexts = BrowserContexts(
            local_chromium, self.leases, site_logins(), metrics, idle_s=60, now=now
        )
        self.closing = {FIRST: Closing(error), SECOND: Closing(None)}

    async def opened(self) -> None:
        for session, context in self.closing.items():
            assert await self.leases.take(session, await self.leases.find(session))
            self.contexts._open[session] = cast(SessionContext, context)

    async def lease(self, session: SessionId) -> Lease:
        return (await self.leases.find(session)).lease


@each_error
async def test_a_context_that_breaks_as_it_is_closed_gives_its_lease_back(error: Exception) -> None:
    pool = Pool(error, lambda: 0.0)
    await pool.opened()
    with pytest.raises(type(error)):
        await pool.contexts.end(FIRST, "the session ended")
    assert await pool.lease(FIRST) == Lease(None, "the session ended")
    assert not pool.contexts.holds(FIRST)
    assert not pool.contexts.turn(FIRST).locked()
    assert await pool.lease(SECOND) == Lease("a")


@each_error
async def test_a_look_that_breaks_is_logged_and_the_next_goes_on(error: Exception) -> None:
    now = [0.0]
    pool = Pool(error, lambda: now[0])
    await pool.opened()
    now[0] = 61.0
    with capture_logs() as logs:
        await pool.contexts.look()
        await pool.contexts.look()
    told = [(line["event"], line["log_level"]) for line in logs if "contexts_closing" in line["event"]]
    assert told == [("contexts_closing.interrupted", "error"), ("contexts_closing.resumed", "warning")]
    for session in (FIRST, SECOND):
        assert await pool.lease(session) == Lease(None, UNUSED)
        assert pool.closing[session].is_closed


@each_error
@pytest.mark.parametrize("method", ["find", "release"])
async def test_leases_that_break_leave_no_turn_taken(
    method: str, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = Pool(RuntimeError("unused"), lambda: 0.0)
    await pool.opened()

    async def raises(*args: Any) -> None:
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(Leases, method, raises)
        with pytest.raises(type(error)):
            await pool.contexts.end(SECOND)
    assert pool.closing[SECOND].is_closed
    await pool.contexts.end(SECOND)
    assert not pool.contexts.turn(SECOND).locked()
