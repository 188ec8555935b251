"""Waiting until Foldline is ready: as long as what it waits for lives, and saying what that is."""

import asyncio
import contextlib
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Protocol

import msgspec

from agent_contracts.errors import Transient
from foldline.supervisor.service_settings import GATEWAY

Report = Callable[[str, str], None]
"""Told of each step: its name and one line of what came of it."""

WAITING = "waiting"
"""The step that isn't done yet: its line says what it waits for."""

_SAY_EACH_S = 10.0
_LOOK_EACH_S = 0.05
_ANSWER_S = 5.0
_LARGEST_ANSWER = 10_000
_MOST_ENDS = 20
"""A gateway that ended so often, and was never ready, won't be."""

_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class _Checks(msgspec.Struct):
    checks: dict[str, str]


class StartingServices(Protocol):
    """Services that were just started."""

    ends: Counter[str]

    async def failed(self) -> None:
        """Return only by raising: a service said that it can't run with these settings."""
        ...


@asynccontextmanager
async def told_meanwhile(report: Report, what: Callable[[], str]) -> AsyncIterator[None]:
    """Report every ten seconds what is still waited for, while the block runs."""
    loop = asyncio.get_running_loop()
    began = loop.time()

    async def tell() -> None:
        while True:
            await asyncio.sleep(_SAY_EACH_S)
            report(WAITING, f"{what()} ({loop.time() - began:.0f} s; Ctrl-C stops it and loses nothing)")

    telling = asyncio.create_task(tell())
    try:
        yield
    finally:
        telling.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await telling


async def until_ready(url: str, services: StartingServices, report: Report) -> None:
    """Wait for the gateway to be ready, however long it takes: after a long pause a slow machine needs
    minutes to make its tables. Raises what a service raised meanwhile, `Transient` where the gateway ends
    again and again.
    """
    problem = "it doesn't answer yet"

    async def answers() -> None:
        nonlocal problem
        while (found := await asyncio.to_thread(_unready, url)) is not None:
            problem = found or problem
            if services.ends[GATEWAY] >= _MOST_ENDS:
                raise Transient(
                    f"The gateway ended {services.ends[GATEWAY]} times as it started; why is said above. "
                    "What is stored is safe. `foldline doctor` looks for causes",
                    kind="no_start",
                )
            await asyncio.sleep(_LOOK_EACH_S)

    failed = asyncio.create_task(services.failed())
    ready = asyncio.create_task(answers())
    try:
        async with told_meanwhile(report, lambda: f"for the gateway: {problem}"):
            done, _ = await asyncio.wait((failed, ready), return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in (failed, ready):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


def _unready(url: str) -> str | None:
    """Why the gateway can't work yet, as it says; None if it can. Blocks."""
    try:
        with _DIRECT.open(f"{url}/readyz", timeout=_ANSWER_S):
            return None
    except urllib.error.HTTPError as error:
        with error:
            return _problems_in(error.read(_LARGEST_ANSWER))
    except OSError:
        return ""


def _problems_in(answer: bytes) -> str:
    """What fails, of the checks of a gateway that isn't ready."""
    try:
        checks = msgspec.json.decode(answer, type=_Checks).checks
    except msgspec.DecodeError:
        return answer.decode(errors="replace")
    return "; ".join(f"{name}: {said}" for name, said in checks.items() if said != "ok")
