"""An erasure waits until every process has let go of its copies, and says which did not."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from agent_domain.erasing import progress
from agent_domain.erasing.progress import forget_everywhere, on_erased
from agent_platform.nats.connection import NatsConnection, connect
from foldline_testing.agent_platform.servers import NatsForTest


@pytest.fixture
async def connection(nats_server: NatsForTest) -> AsyncIterator[NatsConnection]:
    opened = await connect(nats_server.url, name="test")
    yield opened
    await opened.close()


async def test_those_who_take_long_are_waited_for(connection: NatsConnection) -> None:
    forgotten: list[str] = []
    slow = asyncio.Event()

    async def at_once(name: str) -> None:
        forgotten.append(f"quick {name}")

    async def later(name: str) -> None:
        await slow.wait()
        forgotten.append(f"slow {name}")

    await on_erased(connection, "quick", at_once)
    await on_erased(connection, "slow", later)
    telling_all = asyncio.create_task(forget_everywhere(connection, ["ann", "s_1"]))
    done, _ = await asyncio.wait({telling_all}, timeout=2 * progress.HEARS_S)
    assert not done, "one is still at it"
    slow.set()
    assert await telling_all == []
    assert sorted(forgotten) == ["quick ann", "quick s_1", "slow ann", "slow s_1"]


async def test_who_fails_or_says_no_end_is_named(
    connection: NatsConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "FORGETS_S", 0.2)

    async def fails(name: str) -> None:
        raise OSError("the disk is read-only")

    async def hangs(name: str) -> None:
        await asyncio.Event().wait()

    await on_erased(connection, "broken", fails)
    await on_erased(connection, "hung", hangs)
    left = await forget_everywhere(connection, ["ann"])
    assert left == ["broken: OSError: the disk is read-only", "hung: it said no end"]


async def test_where_nobody_runs_nobody_is_waited_for(connection: NatsConnection) -> None:
    assert await forget_everywhere(connection, ["ann"]) == []
