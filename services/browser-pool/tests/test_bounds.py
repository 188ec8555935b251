"""Pages that mean harm, or never end: the call does, its context lives or is lost and says so, and the
contexts of other sessions go on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import psutil
import pytest
import pytest_asyncio

from agent_contracts.errors import ErrorKind
from agent_contracts.ids import SessionId
from browser_pool.chromium.request_interceptor import MOST_PAUSED
from browser_pool.chromium.running import RunningChromium, running_chromium
from browser_pool.chromium.settings import ChromiumSettings
from browser_pool.contexts import session_context
from browser_pool.contexts.pages_gate import PagesGate
from egress.dialing import CheckedDialing
from egress.rules import EgressRules
from foldline_testing.agent_tools.world import until
from foldline_testing.browser_pool.site import Site
from foldline_testing.browser_pool.world import NAMES, BrowserWorld, browser_world

pytestmark = [pytest.mark.browser, pytest.mark.faults, pytest.mark.asyncio(loop_scope="module")]

_ELEMENTS = "document.body.innerHTML = '<b></b>'.repeat(60000); 1"
VICTIM, OTHER = "victim", "other"


@pytest_asyncio.fixture(loop_scope="module")
async def site(world: BrowserWorld, pages: Site) -> AsyncIterator[Site]:
    """Another session has a page, which must be there afterwards, and answer."""
    await world.get("browser_navigate", OTHER, url=pages.url())
    yield pages
    where = await asyncio.wait_for(world.get("browser_current_page", OTHER), 25)
    assert (where["title"], "context_lost" in where) == ("Home", False)
    for session in (VICTIM, OTHER):
        await world.contexts.close(SessionId(session))


async def test_a_page_that_never_ends_can_be_read_as_far_as_it_came(world: BrowserWorld, site: Site) -> None:
    opened = await world.get("browser_navigate", VICTIM, url=site.url("/never"))
    assert (opened["still_loading"], opened["status"]) == (True, 200)
    assert (await world.get("browser_extract_text", VICTIM))["text"] == "Begun."


async def test_a_server_that_says_nothing_is_a_time_out(world: BrowserWorld, site: Site) -> None:
    error = await asyncio.wait_for(world.refused("browser_navigate", VICTIM, url=site.url("/silent")), 30)
    assert error.kind == ErrorKind.TIMEOUT
    assert (await world.get("browser_navigate", VICTIM, url=site.url()))["title"] == "Home"


async def test_a_script_without_end_is_left_behind(world: BrowserWorld, site: Site) -> None:
    await world.get("browser_navigate", VICTIM, url=site.url("/spin"))
    await asyncio.sleep(0.5)  # sleeps: work
    error = await asyncio.wait_for(world.refused("browser_extract_text", VICTIM), 30)
    assert (error.kind, "the page was closed" in error.message) == (ErrorKind.TIMEOUT, True)
    assert (await world.get("browser_navigate", VICTIM, url=site.url()))["title"] == "Home"


async def test_code_without_end_is_stopped_and_the_page_lives(world: BrowserWorld, site: Site) -> None:
    await world.get("browser_navigate", VICTIM, url=site.url("/news"))
    error = await asyncio.wait_for(world.refused("browser_evaluate", VICTIM, code="for (;;);"), 30)
    assert error.kind == ErrorKind.TIMEOUT
    assert (await world.get("browser_extract_text", VICTIM))["text"] == "Nothing new."


async def test_alerts_without_end_close_their_page(world: BrowserWorld, site: Site) -> None:
    await world.get("browser_navigate", VICTIM, url=site.url("/dialogs"))
    ended = await asyncio.wait_for(world.call("browser_click", {"selector": "#storm"}, VICTIM), 30)
    assert ended is not None
    after = await world.get("browser_pages", VICTIM)
    assert "Dialogs" not in [one["title"] for one in after["pages"]]
    told = str(getattr(ended, "result", "")) + str(after)
    assert "more than 20 dialogs" in told
    assert (await world.get("browser_navigate", VICTIM, url=site.url()))["title"] == "Home"


async def test_windows_without_end_cost_the_context_and_that_is_told(
    world: BrowserWorld, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_context, "WINDOWS", 10)  # a busy machine opens no fifty in a minute
    await world.get("browser_navigate", VICTIM, url=site.url("/windows"))
    ended = await asyncio.wait_for(world.call("browser_click", {"selector": "button"}, VICTIM), 30)

    async def lost() -> bool:
        found = await world.call("browser_current_page", {}, VICTIM)
        return "more than 10 windows" in str(found)

    if "more than 10 windows" not in str(ended):
        await until(lost, 60)
    await world.get("browser_navigate", VICTIM, url=site.url())
    running = await world.contexts.chromium.running()
    assert len(running.browser.contexts) == 2


async def test_of_what_a_page_asks_for_at_once_so_much_waits_and_the_rest_is_given_up(
    world: BrowserWorld, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.get("browser_navigate", VICTIM, url=site.url())
    running = await world.contexts.chromium.running()
    judged = asyncio.Event()

    async def waits(*_: object, **__: object) -> None:
        await judged.wait()

    monkeypatch.setattr(PagesGate, "_refusal", waits)
    code = "window.failed = 0; for (let n = 0; n < 3000; n++) fetch('/?' + n).catch(() => { failed++ }); 1"
    await world.get("browser_evaluate", VICTIM, code=code)
    await until(lambda: len(running.pausing._at_work) >= MOST_PAUSED)
    code = "new Promise((done) => setInterval(() => failed === 2000 && done(failed), 50))"
    assert (await world.get("browser_evaluate", VICTIM, code=code))["result"] == 2000
    assert len(running.pausing._at_work) == MOST_PAUSED
    judged.set()
    await until(lambda: not running.pausing._at_work)


async def test_where_nobody_can_judge_nothing_leaves_and_the_page_is_told(
    world: BrowserWorld, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.get("browser_navigate", VICTIM, url=site.url())

    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(PagesGate, "_refusal", broken)
    site.seen.clear()
    code = "fetch('/news').then(() => 'read', () => 'failed')"
    assert (await world.get("browser_evaluate", VICTIM, code=code))["result"] == "failed"
    assert site.seen == []
    monkeypatch.undo()
    assert (await world.get("browser_evaluate", VICTIM, code=code))["result"] == "read"


async def test_a_context_from_before_the_lease_was_lost_is_not_used_again(
    world: BrowserWorld, site: Site
) -> None:
    await world.get("browser_navigate", VICTIM, url=site.url("/news"))
    world.contexts.begin(SessionId(VICTIM), "the pool that had it fell silent")
    again = await world.get("browser_current_page", VICTIM)
    assert (again["url"], again["context_lost"]) == ("about:blank", "the pool that had it fell silent")
    assert "context_lost" not in await world.get("browser_current_page", VICTIM)


async def test_a_document_of_100_mb_is_read_in_part_or_not_at_all(world: BrowserWorld, site: Site) -> None:
    await world.call("browser_navigate", {"url": site.url("/huge?100000")}, VICTIM)
    for tool in ("browser_extract_text", "browser_snapshot"):
        ended = await asyncio.wait_for(world.call(tool, {}, VICTIM), 35)
        if hasattr(ended, "error"):
            assert ended.error.kind in (ErrorKind.TIMEOUT, ErrorKind.UPSTREAM, ErrorKind.TOO_LARGE)
    assert (await world.get("browser_navigate", VICTIM, url=site.url()))["title"] == "Home"


async def test_a_large_document_is_read_in_part(world: BrowserWorld, site: Site) -> None:
    await world.get("browser_navigate", VICTIM, url=site.url("/huge?20000"))
    read = await world.call("browser_extract_text", {}, VICTIM)
    assert read.excerpt is not None, "1 MiB is a file of its own"
    assert read.excerpt.blob.size < 1.2 * 1024 * 1024
    assert '"truncated": true' in read.excerpt.tail or '"truncated":true' in read.excerpt.tail
    await world.get("browser_evaluate", VICTIM, code=_ELEMENTS)
    error = await world.refused("browser_snapshot", VICTIM)
    assert error.kind == ErrorKind.TOO_LARGE


async def test_what_a_page_says_of_itself_is_bounded(world: BrowserWorld, site: Site) -> None:
    await world.get("browser_navigate", VICTIM, url=site.url())
    lie = "String.prototype.slice = function () { return 'x'.repeat(3e6); }; document.title = 'y'.repeat(1e5)"
    answered = await world.get("browser_evaluate", VICTIM, code=lie)
    assert len(answered["title"]) <= 1_000
    read = await world.call("browser_extract_text", {}, VICTIM)
    assert read.excerpt.blob.size < 1.2 * 1024 * 1024


async def test_a_page_that_never_stays_can_be_left(world: BrowserWorld, site: Site) -> None:
    await world.call("browser_navigate", {"url": site.url("/restless")}, VICTIM)
    async with asyncio.timeout(40):
        for _ in range(4):  # what it began before it was left may still come: the result says where it is
            opened = await world.call("browser_navigate", {"url": site.url()}, VICTIM)
            if getattr(opened, "result", {}).get("title") == "Home":
                break
    assert opened.result["title"] == "Home"


async def test_a_page_that_doesnt_want_to_be_left_is_left(world: BrowserWorld, site: Site) -> None:
    await world.get("browser_navigate", VICTIM, url=site.url("/leaving"))
    await world.get("browser_click", VICTIM, selector="button")
    opened = await asyncio.wait_for(world.get("browser_navigate", VICTIM, url=site.url()), 35)
    assert opened["title"] == "Home"
    assert [(one["kind"], one["answered"]) for one in opened["dialogs"]] == [("beforeunload", "accept")]


async def test_a_page_that_prints_without_end_is_read_like_any_other(world: BrowserWorld, site: Site) -> None:
    await asyncio.wait_for(world.get("browser_navigate", VICTIM, url=site.url("/prints")), 30)
    assert (await world.get("browser_extract_text", VICTIM))["text"] == "Paper"


async def test_no_page_gets_a_service_worker(world: BrowserWorld, site: Site) -> None:
    await world.get("browser_navigate", VICTIM, url=site.url("/worker"))
    left = "navigator.serviceWorker ? navigator.serviceWorker.getRegistrations().then((r) => r.length) : 0"
    found = await world.get("browser_evaluate", VICTIM, code=left)
    assert found["result"] == 0
    assert "/worker.js" not in site.seen


async def test_a_page_that_eats_memory_gets_no_more_and_its_neighbour_answers_meanwhile(site: Site) -> None:
    most = 384 * 2**20
    rules = EgressRules(private_hosts=frozenset({"a.test"}))

    def small() -> AbstractAsyncContextManager[RunningChromium]:
        return running_chromium(ChromiumSettings(chromium_memory=most), CheckedDialing(rules, NAMES))

    async with browser_world(start=small) as world:
        await world.get("browser_navigate", OTHER, url=site.url())
        await world.get("browser_navigate", VICTIM, url=site.url("/eats"))
        eating = asyncio.create_task(world.call("browser_click", {"selector": "button"}, VICTIM))
        meanwhile = answers = 0
        while answers < 20 or not eating.done():
            page = await asyncio.wait_for(world.get("browser_current_page", OTHER), 30)
            assert page["url"] == site.url()  # a title may come late
            answers += 1
            meanwhile += not eating.done()
            chromium = psutil.Process((await world.contexts.chromium.running()).cage.process)
            largest = max(one.memory_info().data for one in chromium.children(recursive=True))
            assert largest < 4 * most
        assert meanwhile, "a neighbour's call waits for no memory"
        assert (await world.get("browser_extract_text", OTHER))["text"]
        assert (await world.get("browser_navigate", VICTIM, url=site.url()))["title"] == "Home"
