"""Contexts: one a session, as many as there may be, gone when unused, and what is told when one is lost."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from agent_contracts.errors import ErrorKind, Rejected, Transient
from agent_contracts.ids import SessionId
from agent_contracts.log.subjects import cancel_subject
from agent_contracts.tool_spec import Effect
from agent_tools.hosting.host import HostedWork, cancellations_to
from agent_tools.running.code_calls import CodeCalls
from browser_pool.chromium.running import RunningChromium
from browser_pool.contexts.chromium_host import ChromiumHost
from browser_pool.contexts.contexts import BrowserContexts
from browser_pool.contexts.session_context import SessionContext
from browser_pool.handlers import BrowserEndings
from browser_pool.limits import CHROMIUM_IDLE_S, IDLE_S
from foldline_testing.agent_tools.world import SESSION, delivery, until
from foldline_testing.browser_pool.site import Site, site
from foldline_testing.browser_pool.world import BrowserWorld, browser_world

pytestmark = pytest.mark.browser


@pytest.fixture
async def pages() -> AsyncIterator[Site]:
    async with site() as here:
        yield here


@pytest.fixture
async def world() -> AsyncIterator[BrowserWorld]:
    async with browser_world(most=2) as world:
        yield world


async def test_no_chromium_runs_until_a_call_needs_it(world: BrowserWorld) -> None:
    before = psutil.Process().children(recursive=True)
    refused = await world.refused("browser_navigate", url="file:///etc/passwd")
    assert refused.kind == ErrorKind.BLOCKED
    assert psutil.Process().children(recursive=True) == before
    assert not world.contexts.chromium.is_running


async def test_sessions_see_nothing_of_each_other(world: BrowserWorld, pages: Site) -> None:
    for session in ("s1", "s2"):
        await world.get("browser_navigate", session, url=pages.url())
    await world.get("browser_evaluate", "s1", code="document.cookie = 'who=ada'; localStorage.x = '1'")
    seen = await world.get("browser_evaluate", "s2", code="[document.cookie, localStorage.x ?? null]")
    assert seen["result"] == ["", None]
    full = await world.refused("browser_navigate", "s3", url=pages.url())
    assert (full.kind, "2 sessions use" in full.message) == (ErrorKind.NOT_AVAILABLE, True)
    await world.get("browser_close", "s1")
    assert (await world.get("browser_navigate", "s3", url=pages.url()))["title"] == "Home"


async def shared(world: BrowserWorld, pages: Site) -> SessionId:
    """A sub-session that shares the browser of `s1`, both with a page open."""
    child = SessionId("child")
    world.contexts.lend_to(child, SessionId("s1"))
    await world.get("browser_navigate", "s1", url=pages.url())
    await world.get("browser_evaluate", "s1", code="document.cookie = 'who=ada'")
    await world.get("browser_navigate", child, url=pages.url("/form"))
    return child


async def holder(world: BrowserWorld, session: str) -> str | None:
    return (await world.leases.find(SessionId(session))).lease.holder


async def test_a_session_that_shares_a_browser_has_its_logins_and_a_page_of_its_own(
    world: BrowserWorld, pages: Site
) -> None:
    child = await shared(world, pages)
    assert (await world.get("browser_evaluate", child, code="document.cookie"))["result"] == "who=ada"
    assert (await world.get("browser_current_page", "s1"))["url"] == pages.url("/")
    mine, theirs = [await world.get("browser_pages", one, action="list") for one in (child, "s1")]
    assert [one["url"] for one in mine["pages"]] == [pages.url("/form")]
    assert [one["url"] for one in theirs["pages"]] == [pages.url("/")]
    page = theirs["pages"][0]["page"]
    error = await world.refused("browser_pages", child, action="switch", page=page)
    assert error.kind == ErrorKind.NOT_FOUND, "the parent's page is not the child's to act on"
    await world.get("browser_navigate", "s3", url=pages.url())
    assert (await world.refused("browser_navigate", "s4", url=pages.url())).kind == ErrorKind.NOT_AVAILABLE


@pytest.mark.parametrize("first", ["child", "s1"])
async def test_a_shared_browser_lives_until_the_last_of_its_sessions_ends(
    world: BrowserWorld, pages: Site, first: str
) -> None:
    child = await shared(world, pages)
    held = await world.contexts._leases.take(SessionId("s1"), await world.leases.find(SessionId("s1")))
    assert held
    last = "s1" if first == child else child
    where = (await world.get("browser_current_page", last))["url"]
    await world.contexts.end(SessionId(first), "it ended")
    assert (await world.get("browser_current_page", last))["url"] == where
    assert (await world.get("browser_evaluate", last, code="document.cookie"))["result"] == "who=ada"
    assert await holder(world, "s1") is not None
    await world.contexts.end(SessionId(last), "it ended")
    assert not world.contexts.holds(SessionId("s1"))
    assert await holder(world, "s1") is None


async def test_a_session_that_went_back_and_comes_again_is_told_that_its_pages_are_gone(
    world: BrowserWorld, pages: Site
) -> None:
    child = await shared(world, pages)
    await world.contexts.end(SessionId("s1"), "it was rewound")
    again = await world.get("browser_current_page", "s1")
    assert (again["url"], again["context_lost"]) == ("about:blank", "it was rewound")
    assert "context_lost" not in await world.get("browser_current_page", "s1")
    assert "context_lost" not in await world.get("browser_current_page", child)


async def test_closing_a_shared_browser_closes_ones_own_pages(world: BrowserWorld, pages: Site) -> None:
    child = await shared(world, pages)
    assert (await world.get("browser_close", child))["was_open"] is True
    assert (await world.get("browser_close", child))["was_open"] is False
    assert (await world.get("browser_current_page", "s1"))["url"] == pages.url("/")
    assert (await world.get("browser_current_page", child))["url"] == "about:blank"


@pytest.mark.faults
async def test_each_session_of_a_shared_browser_is_told_once_that_it_was_lost(
    world: BrowserWorld, pages: Site
) -> None:
    child = await shared(world, pages)
    running = await world.contexts.chromium.running()
    os.kill(running.cage.process, signal.SIGKILL)
    await until(lambda: not world.contexts.chromium.is_running)
    for session in (child, "s1"):
        assert "Chromium died" in (await world.get("browser_current_page", session))["context_lost"]
        assert "context_lost" not in await world.get("browser_current_page", session)


@pytest.mark.faults
async def test_a_chromium_that_dies_loses_what_was_open_and_each_session_is_told_once(
    world: BrowserWorld, pages: Site
) -> None:
    for session in ("s1", "s2"):
        await world.get("browser_navigate", session, url=pages.url())
    running = await world.contexts.chromium.running()
    os.kill(running.cage.process, signal.SIGKILL)
    await until(lambda: not world.contexts.chromium.is_running)
    clicked = await world.refused("browser_click", "s1", selector="a")
    assert "context_lost: Chromium died" in clicked.message, "a failure in the empty browser says why"
    assert "context_lost" not in await world.get("browser_current_page", "s1")
    assert "Chromium died" in (await world.get("browser_current_page", "s2"))["context_lost"]


@pytest.mark.faults
@pytest.mark.parametrize("tool", ["browser_extract_text", "browser_evaluate"])
async def test_a_call_in_which_chromium_dies(world: BrowserWorld, pages: Site, tool: str) -> None:
    is_read = tool == "browser_extract_text"
    effect = Effect.PURE if is_read else Effect.EXTERNAL
    arguments: dict[str, str] = {} if is_read else {"code": "new Promise(() => {})"}
    await world.get("browser_navigate", url=pages.url("/spin" if is_read else "/"))
    await asyncio.sleep(0.5)  # sleeps: work
    message = await world.request(tool, arguments, call_id="dying", effect=effect)

    async def kill() -> None:
        running = await world.contexts.chromium.running()
        os.kill(running.cage.process, signal.SIGKILL)

    handling = asyncio.create_task(world.runner().handle(delivery(message)))
    await asyncio.sleep(1)  # sleeps: work
    await kill()
    if not is_read:
        await handling
        ended = await world.ended("dying")
        assert ended.error.kind is ErrorKind.OUTCOME_UNKNOWN, "it is not run twice"
        return
    with pytest.raises(Transient, match="the browser went away"):
        await handling
    await world.runner().handle(delivery(message, 2))
    ended = await world.ended("dying")
    assert "Chromium died" in ended.result["context_lost"], "a read is run again, in a new context"


@pytest.mark.faults
async def test_a_chromium_that_dies_as_a_context_was_opened_leaves_none_that_nobody_can_use(
    world: BrowserWorld, pages: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = SessionContext.start

    async def and_dies(context: SessionContext) -> None:
        await start(context)
        monkeypatch.setattr(SessionContext, "start", start)
        running = await world.contexts.chromium.running()
        os.kill(running.cage.process, signal.SIGKILL)
        await running.gone()

    monkeypatch.setattr(SessionContext, "start", and_dies)
    refused = await world.refused("browser_navigate", "s1", url=pages.url())
    assert "Chromium died while a context was opened" in refused.message
    assert not world.contexts.holds(SessionId("s1"))
    assert (await world.get("browser_navigate", "s1", url=pages.url()))["title"] == "Home"


@pytest.mark.faults
async def test_who_comes_as_chromium_dies_gets_a_new_one_and_is_told(
    world: BrowserWorld, pages: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ChromiumHost, "_watch", lambda *_: asyncio.sleep(0))
    for session in ("s1", "s2"):
        await world.get("browser_navigate", session, url=pages.url())
    running = await world.contexts.chromium.running()
    os.kill(running.cage.process, signal.SIGKILL)
    await running.gone()
    for session in ("s1", "s2"):
        told = await world.get("browser_evaluate", session, code="1")
        assert "Chromium died" in told["context_lost"]
        assert "context_lost" not in await world.get("browser_evaluate", session, code="1")


async def test_stop_ends_a_call_at_once_and_the_end_of_a_session_its_context(
    world: BrowserWorld, pages: Site
) -> None:
    runner = world.runner()
    message = await world.request(
        "browser_navigate", {"url": pages.url("/silent")}, call_id="slow", effect=Effect.EXTERNAL
    )
    handling = asyncio.create_task(runner.handle(delivery(message)))
    await until(lambda: "/silent" in pages.seen)
    endings = BrowserEndings(CodeCalls(world.toolbox()), world.contexts, world.hand_overs)
    stop = cancellations_to(HostedWork(runner, (), stopped=endings.stop))
    told: Any = SimpleNamespace(subject=cancel_subject(SESSION), data=b"slow")
    await stop(told)
    await asyncio.wait_for(handling, 30)
    assert await world.result("slow") is None
    assert (await world.get("browser_navigate", url=pages.url()))["title"] == "Home"
    running = await world.contexts.chromium.running()
    await stop(SimpleNamespace(subject=cancel_subject(SESSION), data=b""))  # type: ignore[arg-type]
    await until(lambda: not running.browser.contexts)


async def test_where_there_is_no_chromium_it_says_what_to_do() -> None:
    def nothing() -> AbstractAsyncContextManager[RunningChromium]:
        raise Rejected("Chromium is not installed. Try: …", kind="not_installed")

    world = BrowserWorld(start=nothing)
    error = await world.refused("browser_navigate", url="http://a.test/")
    assert (error.kind, "Chromium is not installed" in error.message) == (ErrorKind.NOT_AVAILABLE, True)


async def test_what_nobody_uses_is_closed_and_then_chromium_is(world: BrowserWorld, pages: Site) -> None:
    time = 0.0
    world.contexts = BrowserContexts(world.start, world.leases, world.logins, world.metrics, now=lambda: time)
    await world.leases.take(SessionId("s1"), await world.leases.find(SessionId("s1")))
    await world.get("browser_navigate", "s1", url=pages.url())
    running = await world.contexts.chromium.running()
    chromium = psutil.Process(running.cage.process)
    await world.contexts.look()
    assert running.browser.contexts
    time += IDLE_S
    await world.contexts.look()
    assert not running.browser.contexts
    lease = (await world.leases.find(SessionId("s1"))).lease
    assert (lease.holder, lease.lost) == (None, "nothing used it for 15 minutes")
    time += CHROMIUM_IDLE_S
    await world.contexts.look()
    assert not chromium.is_running() or chromium.status() == psutil.STATUS_ZOMBIE
    await world.contexts.chromium.stop()
