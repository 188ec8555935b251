"""Processes that hear each other."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest
from structlog.testing import capture_logs

from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.presence import BEAT_S, LAPSE_S, GroupPresence
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.servers import NatsForTest


class Member:
    """One process of the group, on a connection of its own."""

    def __init__(self, name: str, connection: NatsConnection) -> None:
        self.name = name
        self.connection = connection
        self.told: list[frozenset[str]] = []
        self.presence = GroupPresence(connection, "group.present", name, self.told.append)
        self.task = asyncio.create_task(self.presence.run())

    async def sees(self, *names: str) -> None:
        async def asked() -> bool | None:
            return self.presence.members == set(names) or None

        await eventually(asked)

    async def end(self) -> None:
        """In order: the others are told."""
        self.task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.task

    async def vanish(self) -> None:
        """As `kill -9` does it: the connection is gone, and nothing was said."""
        await self.connection.close()
        await self.task


Join = Callable[[str], Awaitable[Member]]


@pytest.fixture
async def join(nats_server: NatsForTest) -> AsyncIterator[Join]:
    async with AsyncExitStack() as stack:

        async def joined(name: str) -> Member:
            connection = await connect(nats_server.url, name=name)
            stack.push_async_callback(connection.close)
            member = Member(name, connection)
            stack.push_async_callback(member.end)
            return member

        yield joined


async def test_a_member_that_is_alone_sees_itself_from_the_start(join: Join) -> None:
    one = await join("one")
    assert one.presence.members == {"one"}


async def test_all_see_each_other_and_are_told_of_each_change_once(join: Join) -> None:
    one, two = await join("one"), await join("two")
    await one.sees("one", "two")
    await two.sees("one", "two")
    three = await join("three")
    for member in (one, two, three):
        await member.sees("one", "two", "three")
    assert one.told == [{"one", "two"}, {"one", "two", "three"}]


async def test_who_leaves_in_order_is_gone_before_its_silence_would_tell(join: Join) -> None:
    one, two = await join("one"), await join("two")
    await one.sees("one", "two")
    with capture_logs() as logged:
        await two.end()
        await one.sees("one")
    assert logged == []


async def test_who_vanishes_is_gone_after_its_silence(join: Join) -> None:
    one, two = await join("one"), await join("two")
    await one.sees("one", "two")
    with capture_logs() as logged:
        await two.vanish()
        await one.sees("one")
    assert [(line["event"], line.get("member")) for line in logged] == [("presence.silent", "two")]


async def test_who_is_found_to_be_lost_and_yet_lives_is_back_with_its_next_beat(join: Join) -> None:
    one, two = await join("one"), await join("two")
    await one.sees("one", "two")
    one.presence.lost("two")
    assert one.presence.members == {"one"}
    await one.sees("one", "two")
    assert two.presence.members == {"one", "two"}


@pytest.mark.faults
async def test_a_restart_of_the_server_loses_nobody_however_long_it_takes(
    nats_server: NatsForTest, join: Join
) -> None:
    one, two = await join("one"), await join("two")
    for member in (one, two):
        await member.sees("one", "two")
    nats_server.kill()
    await asyncio.sleep(LAPSE_S + 2 * BEAT_S)  # sleeps: quiet; it would tell, were it not everybody's
    await nats_server.embedded().start()
    for member in (one, two):
        await member.connection.until_connected(20)
    await asyncio.sleep(2 * BEAT_S)  # sleeps: quiet
    for member in (one, two):
        await member.sees("one", "two")
        assert member.told == [{"one", "two"}]
