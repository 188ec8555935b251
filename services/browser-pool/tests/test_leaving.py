"""What left by the browser stands in the results of the calls in which it left."""

import pytest

from agent_contracts.egress import MOST_LISTED, CallEgress, EgressRequest
from foldline_testing.browser_pool.site import Site
from foldline_testing.browser_pool.world import BrowserWorld

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def sent_by(world: BrowserWorld, session: str, tool: str, **arguments: object) -> CallEgress:
    ended = await world.call(tool, arguments, session)
    assert ended.sent is not None, ended
    found: CallEgress = ended.sent
    return found


def named(sent: CallEgress) -> dict[str, EgressRequest]:
    return {request.path: request for request in sent.requests}


async def test_each_request_and_redirect_of_a_navigation_is_told(world: BrowserWorld, pages: Site) -> None:
    sent = named(await sent_by(world, "goes", "browser_navigate", url=pages.url("/redirect?to=news")))
    assert sent["/redirect"].status == 302
    assert sent["/news"].status == 200
    for one in sent.values():
        assert (one.host, one.method, one.verdict) == ("a.test", "GET", "sent")
        assert min(one.bytes_out, one.bytes_in) > 50


@pytest.mark.usefixtures("anything_may_be_sent")
async def test_what_a_page_posts_is_told_with_its_size(world: BrowserWorld, pages: Site) -> None:
    await world.get("browser_navigate", "posts", url=pages.url("/news"))
    code = "fetch('/ordered?token=abc', {method: 'POST', body: 'x'.repeat(5000)}).then(() => 1)"
    [posted] = (await sent_by(world, "posts", "browser_evaluate", code=code)).requests
    assert (posted.method, posted.path, posted.verdict) == ("POST", "/ordered", "sent")
    assert posted.bytes_out > 5_000


async def test_what_may_not_leave_is_blocked_also_where_the_call_fails(
    world: BrowserWorld, pages: Site
) -> None:
    [refused] = (await sent_by(world, "barred", "browser_navigate", url="https://secret.test/x?y=1")).requests
    assert refused == EgressRequest("secret.test", "GET", "/x", "blocked")
    [failed] = (await sent_by(world, "barred", "browser_navigate", url="http://a.test:1/")).requests
    assert (failed.verdict, failed.bytes_out) == ("failed", 0)


async def test_a_request_that_nobody_answers_has_left(world: BrowserWorld, pages: Site) -> None:
    await world.get("browser_navigate", "waits", url=pages.url("/news"))
    code = f"void fetch('{pages.url('/silent')}'); new Promise(done => setTimeout(() => done(1), 300))"
    [silent] = (await sent_by(world, "waits", "browser_evaluate", code=code)).requests
    assert (silent.path, silent.verdict, silent.status) == ("/silent", "sent", None)


async def test_a_flood_of_requests_is_counted(world: BrowserWorld, pages: Site) -> None:
    await world.get("browser_navigate", "floods", url=pages.url("/news"))
    code = "Promise.all(Array.from({length: 300}, (_, n) => fetch('/news?' + n))).then(all => all.length)"
    sent = await sent_by(world, "floods", "browser_evaluate", code=code)
    assert (len(sent.requests), sent.more) == (MOST_LISTED, 300 - MOST_LISTED)


@pytest.mark.usefixtures("anything_may_be_sent")
async def test_a_web_socket_is_told_with_what_it_carried(world: BrowserWorld, pages: Site) -> None:
    await world.get("browser_navigate", "socket", url=pages.url("/news"))
    address = pages.url("/socket?secret").replace("http", "ws", 1)
    code = f"new Promise(done => {{ new WebSocket('{address}').onerror = () => done(1) }})"
    [socket] = (await sent_by(world, "socket", "browser_evaluate", code=code)).requests
    assert (socket.host, socket.path) == ("a.test", "/socket")


async def test_a_call_that_sends_nothing_tells_nothing(world: BrowserWorld, pages: Site) -> None:
    await world.get("browser_navigate", "still", url=pages.url("/news"))
    ended = await world.call("browser_snapshot", {}, "still")
    assert ended.sent is None
