"""Records of several events: each of them has an address, and whoever stops in the middle goes on there."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from agent_contracts.session_events.decisions import Titled
from foldline_testing.agent_platform.eventually import until
from foldline_testing.gateway.running import AGENT, Received, RunningGateway, Start, listen_to


async def take(stream: AsyncIterator[Received], count: int) -> list[Received]:
    found: list[Received] = []
    async with asyncio.timeout(30), aclosing(stream) as received:  # type: ignore[type-var]
        async for one in received:
            found.append(one)
            if len(found) == count:
                break
    return found


def titles(number: int, count: int) -> list[Titled]:
    return [Titled(title=f"{number}/{part}") for part in range(count)]


async def addresses_in(gateway: RunningGateway, session: str) -> list[str]:
    return [str(message.address) for message in await gateway.stored(session)]


async def get(gateway: RunningGateway, path: str, **params: Any) -> Any:
    answer = await gateway.client.get(f"/api/v1{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_client_that_goes_on_between_two_events_of_a_record_loses_and_doubles_none(
    gateway: RunningGateway,
) -> None:
    session = await gateway.new_session()
    record = await gateway.committed(session, *titles(0, 3))
    stored = await take(listen_to(gateway.client, session_id=session, after=0), 4)
    assert [one.address for one in stored] == ["1", f"{record}.0", f"{record}.1", f"{record}.2"]
    for heard, one in enumerate(stored, 1):
        listening = asyncio.create_task(
            take(listen_to(gateway.client, session_id=session, last_event_id=one.address), 4 - heard or 1)
        )
        if heard == 4:
            await until(lambda: gateway.deps.feed.listeners == 1)
            await gateway.committed(session, *titles(1, 2))
        assert (await listening)[: 4 - heard] == stored[heard:]
    [last] = await take(listen_to(gateway.client, session_id=session, after=record), 1)
    assert last.data["body"]["title"] == "1/0"


@pytest.mark.parametrize("seed", range(2))
async def test_streams_that_are_cut_anywhere_join_to_the_log(start: Start, seed: int) -> None:
    choice = random.Random(seed)
    gateway = await start()
    session, other = await gateway.new_session(), await gateway.new_session()
    sizes = [choice.randint(1, 4) for _ in range(120)]

    async def write() -> None:
        for number, size in enumerate(sizes):
            await gateway.committed(session, *titles(number, size))
            if number % 10 == 0:
                await gateway.committed(other, *titles(number, 2))
                await asyncio.sleep(0.01)  # sleeps: quiet

    async def follow(session_id: str | None, wanted: int) -> list[str]:
        joined: list[str] = []
        while len(joined) < wanted:
            last = joined[-1] if joined else "0"
            stream = listen_to(gateway.client, last_event_id=last, session_id=session_id)
            some = await take(stream, min(choice.randint(1, 9), wanted - len(joined)))
            joined += [one.address or "" for one in some]
        return joined

    everything = 2 + sum(sizes) + 2 * 12
    followed, all_of_it, _ = await asyncio.gather(
        follow(session, 1 + sum(sizes)), follow(None, everything), write()
    )
    assert followed == await addresses_in(gateway, session)
    assert all_of_it == [str(message.address) async for message in gateway.log.read(">")]


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
async def test_pages_of_events_go_on_in_the_middle_of_a_record(gateway: RunningGateway, limit: int) -> None:
    session = await gateway.new_session()
    for number in range(3):
        await gateway.committed(session, *titles(number, 3))
    found: list[str] = []
    after: str | None = "0"
    while after is not None:
        page = await get(gateway, f"/sessions/{session}/events", cursor=after, limit=limit)
        found += [one["address"] for one in page["items"]]
        after = page["next_cursor"]
    assert found == await addresses_in(gateway, session)


async def test_an_event_is_shown_by_its_address(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    record = await gateway.committed(session, *titles(7, 2))
    for address, title in ((f"{record}.0", "7/0"), (f"{record}.1", "7/1"), (record, "7/1")):
        assert (await get(gateway, f"/agents/{AGENT}/events/{address}"))["body"] == {"title": title}
    for address, status in ((f"{record}.2", 404), (f"{record}.x", 422), ("1.0", 404)):
        answer = await gateway.client.get(f"/api/v1/agents/{AGENT}/events/{address}")
        assert answer.status_code == status, answer.text
        assert address in answer.json()["detail"]
