"""One Chromium in its cage: it starts, what holds it, how its death is heard, and what is left of it."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psutil
import pytest
from playwright.async_api import Error

from agent_contracts.errors import ErrorKind, Rejected, Transient
from browser_pool.cage.confined import OWN_ID
from browser_pool.chromium.finding import find_chromium
from browser_pool.chromium.on_demand import chromium_on_demand
from browser_pool.chromium.running import RunningChromium, running_chromium
from browser_pool.chromium.settings import ChromiumSettings
from egress.dialing import CheckedDialing
from egress.rules import EgressRules
from foldline_testing.agent_tools.world import until
from foldline_testing.egress.web import FixedNames, answered, local_server

pytestmark = pytest.mark.browser

MIB = 1024 * 1024
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


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
async def test_a_program_where_only_root_can_walk_is_copied_to_where_its_user_can(tmp_path: Path) -> None:
    program = find_chromium()
    shutil.copytree(program.parent, tmp_path / "chromium", symlinks=True)
    os.chmod(tmp_path, 0o700)
    settings = ChromiumSettings(chromium_path=tmp_path / "chromium" / program.name)
    async with running_chromium(settings, DIALING) as running:
        assert "own user" in running.cage.got
        assert not psutil.Process(running.cage.process).exe().startswith(str(tmp_path))
        page = await running.browser.new_page()
        assert await page.evaluate("1 + 1") == 2


async def test_nothing_is_left_after_its_end() -> None:
    async with running_chromium(ChromiumSettings(), DIALING) as running:
        folder = running.downloads.parent
        assert not [one for one in folder.iterdir() if one.is_socket()], "the way to us is closed behind it"
        process = psutil.Process(running.cage.process)
        family = [process, *process.children(recursive=True)]
        assert len(family) > 2
        assert folder.exists()
    assert not running.is_alive
    assert not folder.exists()
    assert not [one for one in family if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


async def test_its_death_is_heard(chromium: RunningChromium) -> None:
    os.kill(chromium.cage.process, signal.SIGKILL)
    await asyncio.wait_for(chromium.gone(), 60)
    assert not chromium.is_alive


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Playwright's own
async def test_the_death_of_its_driver_is_heard_and_is_its_own(chromium: RunningChromium) -> None:
    process = psutil.Process(chromium.cage.process)
    os.kill(process.ppid(), signal.SIGKILL)
    await asyncio.wait_for(chromium.gone(), 60)
    await until(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE)


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


async def test_a_page_that_takes_too_much_memory_fails_alone() -> None:
    settings = ChromiumSettings(chromium_memory=300 * MIB)
    async with running_chromium(settings, DIALING) as chromium:
        other = await (await chromium.browser.new_context()).new_page()
        greedy = await (await chromium.browser.new_context()).new_page()
        said = await greedy.evaluate(
            """() => { const kept = [];
                try { for (;;) kept.push(new Uint8Array(32 << 20).fill(1)) } catch (e) { return e.name } }"""
        )
        assert said == "RangeError"
        # What pages store is kept by the first process, which may have more.
        storing = await (await chromium.browser.new_context()).new_page()
        await storing.evaluate(
            """async () => { self.kept = [];
                for (let i = 0; i < 100; i++) {
                    self.kept.push(new Blob([new Uint8Array(4 << 20)]));
                    await new Promise(resolve => setTimeout(resolve, 5)) } }"""
        )
        assert await other.evaluate("1 + 1") == 2
        assert chromium.is_alive


async def test_it_is_ended_when_its_files_take_too_much() -> None:
    body = b"x" * (80 * MIB)
    async with (
        local_server(lambda _: answered(body, "Content-Disposition: attachment; filename=f")) as server,
        running_chromium(ChromiumSettings(chromium_disk=64 * MIB), DIALING) as chromium,
    ):
        page = await chromium.browser.new_page()
        with suppress(Error):  # a download is not a page
            await page.goto(server.url("site.test"))
        await asyncio.wait_for(chromium.gone(), 60)
        assert "of 64 MiB that they may" in chromium.why_gone


async def test_it_starts_at_its_first_use_and_again_after_it_died() -> None:
    started: list[RunningChromium] = []

    @asynccontextmanager
    async def start() -> AsyncIterator[RunningChromium]:
        async with running_chromium(ChromiumSettings(), DIALING) as chromium:
            started.append(chromium)
            yield chromium

    async with chromium_on_demand(start) as on_demand:
        assert not started
        first, same = await asyncio.gather(on_demand.running(), on_demand.running())
        assert first is same
        os.kill(first.cage.process, signal.SIGKILL)
        await first.gone()
        second = await on_demand.running()
        assert second is not first
        assert second.is_alive
        os.kill(second.cage.process, signal.SIGKILL)
        await second.gone()
        with pytest.raises(Transient, match="died 2 times in a row") as refused:
            await on_demand.running()
        assert refused.value.retry_after is not None
        assert 0 < refused.value.retry_after <= 1
        await asyncio.sleep(refused.value.retry_after)  # sleeps: work
        third = await on_demand.running()
        await on_demand.stop()
        assert not third.is_alive
    assert len(started) == 3


async def test_a_missing_chromium_is_told_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    with pytest.raises(Rejected, match="apt-get install chromium-headless-shell"):
        async with running_chromium(ChromiumSettings(), DIALING):
            pass


async def test_a_program_that_is_not_chromium_is_told_with_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(Transient, match="does not start"):
        async with running_chromium(ChromiumSettings(chromium_path=Path("/bin/true")), DIALING):
            pass


async def test_a_driver_that_does_not_start_is_told_with_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As in an image without the libraries that its Node is linked to."""
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\necho libatomic.so.1: cannot open shared object file >&2\nexit 127\n")
    node.chmod(0o755)
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(node))
    with pytest.raises(Transient, match=r"drives Chromium .* does not start") as raised:
        async with running_chromium(ChromiumSettings(), DIALING):
            pass
    assert "libatomic1" in raised.value.message


@pytest.mark.faults
async def test_it_dies_with_a_service_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "service.py"
    script.write_text(
        """
import asyncio
from browser_pool.chromium.running import running_chromium
from browser_pool.chromium.settings import ChromiumSettings
from egress.dialing import CheckedDialing, SystemResolver
from egress.rules import EgressRules

async def main():
    dialing = CheckedDialing(EgressRules(), SystemResolver())
    async with running_chromium(ChromiumSettings(), dialing) as running:
        print("process", running.cage.process, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""
    )
    service = await asyncio.create_subprocess_exec(
        sys.executable, str(script), stdout=subprocess.PIPE, start_new_session=True
    )
    assert service.stdout is not None
    async with asyncio.timeout(60):
        while not (line := await service.stdout.readline()).startswith(b"process"):
            assert line
    chromium = psutil.Process(int(line.split()[1]))
    family = [*psutil.Process(service.pid).children(recursive=True)]
    assert chromium in family
    service.kill()
    await service.wait()
    _, alive = await asyncio.to_thread(psutil.wait_procs, family, 10)
    assert not alive
