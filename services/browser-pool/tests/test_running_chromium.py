"""One Chromium in its cage: it starts, what holds it, how its death is heard, and what is left of it."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from agent_contracts.errors import ErrorKind, Rejected
from browser_pool.cage.confined import OWN_ID
from browser_pool.chromium.running import RunningChromium, running_chromium
from browser_pool.chromium.settings import ChromiumSettings
from egress.dialing import CheckedDialing
from egress.rules import EgressRules
from egress.testing.web import FixedNames, answered, local_server

pytestmark = pytest.mark.browser

NAMES = FixedNames({"site.test": ["127.0.0.1"], "inside.test": ["127.0.0.1"]})
DIALING = CheckedDialing(EgressRules(private_hosts=frozenset({"site.test"})), NAMES)


@pytest.fixture
async def chromium() -> AsyncIterator[RunningChromium]:
    async with running_chromium(ChromiumSettings(), DIALING) as running:
        yield running


async def test_a_page_is_read_through_the_proxy_and_a_refused_one_says_why(chromium: RunningChromium) -> None:
    page = await chromium.browser.new_page()
    async with local_server(lambda _: answered(b"<h1>Here</h1>", "Content-Type: text/html")) as server:
        answer = await page.goto(server.url("site.test"))
        assert answer is not None
        assert answer.status == 200
        assert await page.inner_text("h1") == "Here"
        assert chromium.refusal_of(page.url) is None

        refused = await page.goto(server.url("inside.test"))
        assert refused is not None
        assert refused.status == 403
        assert "its address is private" in await page.inner_text("body")
        why = chromium.refusal_of(page.url)
        assert isinstance(why, Rejected)
        assert why.kind == ErrorKind.BLOCKED
        assert len(server.seen) == 1 or all("site.test" in request for request in server.seen)


async def test_nothing_is_left_after_its_end() -> None:
    async with running_chromium(ChromiumSettings(), DIALING) as running:
        folder = running.downloads.parent
        process = psutil.Process(running.cage.process)
        family = [process, *process.children(recursive=True)]
        assert len(family) > 2
        assert folder.exists()
    assert not running.is_alive
    assert not folder.exists()
    assert not [one for one in family if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


async def test_its_death_is_heard(chromium: RunningChromium) -> None:
    os.kill(chromium.cage.process, signal.SIGKILL)
    await asyncio.wait_for(chromium.gone(), 10)
    assert not chromium.is_alive


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
async def test_it_runs_as_a_user_of_its_own_and_knows_none_of_our_secrets(
    chromium: RunningChromium, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = psutil.Process(chromium.cage.process)
    assert process.uids().real == process.uids().effective == OWN_ID
    assert set(process.environ()) == {
        "HOME",
        "TMPDIR",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "PATH",
        "LANG",
        "TZ",
    }
    assert "own user" in chromium.cage.got
    assert Path(process.cwd()) == chromium.downloads.parent
