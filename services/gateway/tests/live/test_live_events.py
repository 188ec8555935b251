"""Live events: no gap, no repeat, whatever breaks in between; and nobody is waited for."""

import asyncio
import contextlib
import json
import random
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec
import pytest

from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.record.records import NewMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.questions.queries import Delta
from agent_contracts.session_events.decisions import Titled, TurnStarted
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.gateway.running import AGENT, TOKEN, Received, RunningGateway, Start, listen_to
from gateway.live.event_listener import StreamTiming
from gateway.live.subscription import LagLimits


async def take(stream: AsyncIterator[Received], count: int) -> list[Received]:
    found: list[Received] = []
    async with asyncio.timeout(30), aclosing(stream) as received:  # type: ignore[type-var]
        async for one in received:
            found.append(one)
            if len(found) == count:
                break
    return found


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - whatever the condition is, it has no event
            await asyncio.sleep(0.01)


async def say(gateway: RunningGateway, session: str, text: str) -> int:
    answer = await gateway.client.post(f"/api/v1/sessions/{session}/messages", json={"text": text})
    return int(answer.json()["sequence"])


async def test_events_before_and_after_the_connection_come_in_order(gateway: RunningGateway) -> None:
    session = await gateway.new_session(message="one")
    listening = asyncio.create_task(take(listen_to(gateway.client, session_id=session, after=0), 4))
    await until(lambda: gateway.deps.feed.listeners == 1)
    await gateway.new_session(message="of another session")
    await gateway.decided(session, TurnStarted())
    await say(gateway, session, "two")
    received = await listening
    stored = await gateway.stored(session)
    of_second = stored[1].envelope
    assert of_second is not None
    assert [one.id for one in received] == [message.sequence for message in stored]
    first = received[1]
    assert (first.event, first.data) == (
        "event",
        {
            "address": first.address,
            "sequence": first.id,
            "session_id": session,
            "agent_id": "default",
            "type": "foldline.session.user_message.v1",
            "time": of_second.time,
            "actor": "user",
            "causation": None,
            "event_id": of_second.id,
            "body": {"text": "one"},
            "problem": None,
        },
    )


async def test_without_a_position_the_stream_begins_now(gateway: RunningGateway) -> None:
    session = await gateway.new_session(message="before")
    listening = asyncio.create_task(take(listen_to(gateway.client), 1))
    await until(lambda: gateway.deps.feed.listeners == 1)
    sequence = await say(gateway, session, "after")
    assert [one.id for one in await listening] == [sequence]


async def test_a_stream_says_at_once_where_it_began(gateway: RunningGateway) -> None:
    """So that a client which is cut off before its first event still resumes without a gap."""
    await gateway.new_session(message="x")
    async with gateway.client.stream("GET", "/api/v1/events") as answer:
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert await anext(answer.aiter_text()) == "retry: 1000\nid: 2\n\n"


async def test_a_stream_can_be_of_one_agent_or_of_all_with_what_the_agents_made(
    gateway: RunningGateway,
) -> None:
    for agent in ("a1", "a2"):
        (await gateway.client.post("/api/v1/agents", json={"id": agent, "name": agent})).raise_for_status()
    before = await gateway.log.last_sequence()
    await gateway.new_session(agent_id="a1", message="x")
    await gateway.new_session(agent_id="a2", message="y")
    await gateway.log.append(NewMessage("agt.a1.state.k", b'{"kind":"state"}', {}))
    everything = await take(listen_to(gateway.client, after=before), 5)
    assert [one.id - before for one in everything if one.id] == [1, 2, 3, 4, 5]
    assert (everything[-1].data["session_id"], everything[-1].data["agent_id"]) == (None, "a1")
    of_one = await take(listen_to(gateway.client, after=before, agent_id="a1"), 3)
    assert [one.id - before for one in of_one if one.id] == [1, 2, 5]


async def test_the_header_of_a_reconnecting_browser_overrules_its_address(gateway: RunningGateway) -> None:
    session = await gateway.new_session(message="one")
    await say(gateway, session, "two")
    received = await take(listen_to(gateway.client, after=0, last_event_id=2), 1)
    assert [one.id for one in received] == [3]


@pytest.mark.faults
@pytest.mark.parametrize("seed", range(3))
async def test_streams_that_are_cut_many_times_join_to_the_log(start: Start, seed: int) -> None:
    """Two replicas, four clients that are cut after a random number of events, one writer without rest."""
    choice = random.Random(seed)
    replicas = [await start(), await start()]
    session = await replicas[0].new_session()
    other = await replicas[0].new_session()
    count = 400

    async def write() -> None:
        for n in range(count):
            await replicas[n % 2].decided(session, Titled(title=f"title {n}"))
            if n % 3 == 0:
                await replicas[n % 2].decided(other, Titled(title="noise"))
            if n % 40 == 0:
                await asyncio.sleep(0.02)  # sleeps: work

    async def follow(session_id: str | None) -> tuple[list[int], int]:
        joined: list[int] = []
        cuts, wanted = 0, count + 1 if session_id else count + 2 + (count + 2) // 3
        async with asyncio.timeout(60):
            while len(joined) < wanted:
                replica = choice.choice(replicas)
                before_cut = choice.randint(1, 40)
                last = joined[-1] if joined else 0
                stream = listen_to(replica.client, last_event_id=last, session_id=session_id)
                joined += [one.id or 0 for one in await take(stream, min(before_cut, wanted - len(joined)))]
                cuts += 1
        return joined, cuts

    following = asyncio.gather(*(follow(one) for one in (session, session, None, None)))
    followed, _ = await asyncio.gather(following, write())
    of_session = [message.sequence for message in await replicas[0].stored(session)]
    everything = [message.sequence async for message in replicas[0].log.read(">")]
    for (joined, cuts), expected in zip(
        followed, [of_session, of_session, everything, everything], strict=True
    ):
        assert joined == expected
        assert cuts > 8


@pytest.mark.faults
async def test_a_stream_survives_the_restart_of_the_gateway_and_of_the_log(
    start: Start, nats_server: NatsForTest
) -> None:
    gateway = await start()
    port = urlsplit(gateway.url).port
    session = await gateway.new_session()
    joined: list[int] = []

    async def follow() -> None:
        while len(joined) < 9:
            with contextlib.suppress(httpx.TransportError, AssertionError):
                async with (
                    httpx.AsyncClient(base_url=gateway.url, headers=gateway.client.headers) as client,
                    aclosing(  # type: ignore[type-var]
                        listen_to(client, session_id=session, last_event_id=joined[-1] if joined else 0)
                    ) as stream,
                ):
                    async for one in stream:
                        joined.append(one.id or 0)
                        if len(joined) == 9:
                            return
            await asyncio.sleep(0.05)

    following = asyncio.create_task(follow())
    for n in range(4):
        await gateway.decided(session, Titled(title=str(n)))
    await until(lambda: len(joined) == 5)
    await gateway.stop()
    gateway = await start(port=port)
    assert urlsplit(gateway.url).port == port
    for n in range(2):
        await gateway.decided(session, Titled(title=f"later {n}"))
    await until(lambda: len(joined) == 7)
    nats_server.restart()
    for n in range(2):
        await gateway.decided(session, Titled(title=f"last {n}"))
    async with asyncio.timeout(30):
        await following
    assert joined == [message.sequence for message in await gateway.stored(session)]


async def test_deltas_pass_by_to_those_who_watch_the_session(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    watching = asyncio.create_task(take(listen_to(gateway.client, session_id=session, after=1), 2))
    elsewhere = asyncio.create_task(take(listen_to(gateway.client, after=1), 1))
    await until(lambda: gateway.deps.feed.listeners == 2)
    delta = Delta(SessionId(session), CallId("m000002"), attempt=1, index=0, text="Hel")
    subject = SessionKey(AgentId(AGENT), SessionId(session)).deltas
    await gateway.connection.publish(subject, b"not json")
    await gateway.connection.publish(subject, msgspec.json.encode(delta))
    await gateway.connection.flush()
    await asyncio.sleep(0.2)  # sleeps: quiet
    sequence = await gateway.decided(session, TurnStarted())
    passing, event = await watching
    assert (passing.event, passing.id) == ("delta", None)
    assert passing.data == {
        "session_id": session,
        "call_id": "m000002",
        "attempt": 1,
        "index": 0,
        "text": "Hel",
        "tool": None,
        "retrying": None,
        "thinking": "",
        "was_thinking": False,
        "prompt_read": None,
    }
    assert event.id == sequence
    assert [one.event for one in await elsewhere] == ["event"]


async def test_who_comes_in_mid_answer_gets_what_came_of_it_so_far(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    subject = SessionKey(AgentId(AGENT), SessionId(session)).deltas
    watching = asyncio.create_task(take(listen_to(gateway.client, session_id=session, after=1), 2))
    await until(lambda: gateway.deps.feed.listeners == 1)
    for index, text in enumerate(("Hel", "lo")):
        delta = Delta(SessionId(session), CallId("m000002"), attempt=1, index=index, text=text)
        await gateway.connection.publish(subject, msgspec.json.encode(delta))
    assert [one.event for one in await watching] == ["delta", "delta"]
    [so_far] = await take(listen_to(gateway.client, session_id=session, after=1), 1)
    assert (so_far.event, so_far.id) == ("answer", None)
    assert so_far.data == {
        "session_id": session,
        "call_id": "m000002",
        "attempt": 1,
        "next": 2,
        "text": "Hello",
        "tools": [],
        "gaps": False,
        "retrying": None,
        "thinking": "",
        "prompt_read": None,
    }


async def test_one_stream_of_everything_can_watch_sessions_stream_their_answers(
    gateway: RunningGateway,
) -> None:
    watched, other = await gateway.new_session(), await gateway.new_session()
    stream: dict[str, Any] = {"after": await gateway.log.last_sequence(), "watch": [watched, "s_unknown"]}
    listening = asyncio.create_task(take(listen_to(gateway.client, **stream), 3))
    await until(lambda: gateway.deps.feed.listeners == 1)
    for session in (other, watched):
        delta = Delta(SessionId(session), CallId("m000002"), attempt=1, index=0, text="Hel")
        subject = SessionKey(AgentId(AGENT), SessionId(session)).deltas
        await gateway.connection.publish(subject, msgspec.json.encode(delta))
    await gateway.connection.flush()
    await asyncio.sleep(0.2)  # sleeps: quiet
    for session in (other, watched):
        await gateway.decided(session, TurnStarted())
    received = await listening
    assert [(one.event, one.data["session_id"]) for one in received] == [
        ("delta", watched),
        ("event", other),
        ("event", watched),
    ]
    *_, so_far = await take(listen_to(gateway.client, **stream), 3)
    assert (so_far.event, so_far.data["session_id"], so_far.data["text"]) == ("answer", watched, "Hel")
    await until(lambda: gateway.deps.feed.listeners == 0)


async def test_a_name_to_watch_must_be_a_sessions(gateway: RunningGateway) -> None:
    for watch in ("a.b", ["s"] * 9):
        answer = await gateway.client.get("/api/v1/events", params={"watch": watch})
        assert answer.status_code == 422, answer.text


async def test_an_idle_stream_has_a_heartbeat(start: Start) -> None:
    gateway = await start(stream_timing=StreamTiming(heartbeat_s=0.05))
    async with gateway.client.stream("GET", "/api/v1/events") as answer:
        lines = answer.aiter_lines()
        heard = [await anext(lines) for _ in range(9)]
    assert heard.count(": heartbeat") >= 2


async def raw_listener(gateway: RunningGateway, session: str) -> socket.socket:
    """A client that asks for a stream and then reads nothing."""
    address = urlsplit(gateway.url)
    silent = socket.socket()
    silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    silent.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(silent, (address.hostname, address.port))
    request = f"GET /api/v1/events?session_id={session}&after=0 HTTP/1.1\r\nHost: {address.netloc}\r\n"
    await loop.sock_sendall(silent, f"{request}Authorization: Bearer {TOKEN}\r\n\r\n".encode())
    return silent


async def test_a_client_that_reads_too_slowly_is_disconnected_and_others_are_not(start: Start) -> None:
    gateway = await start(stream_limits=LagLimits(frames=64, bytes=1_000_000))
    session = await gateway.new_session()
    silent = await raw_listener(gateway, session)
    with contextlib.closing(silent):
        reading = asyncio.create_task(take(listen_to(gateway.client, session_id=session, after=0), 401))
        await until(lambda: gateway.deps.feed.listeners == 2)
        for n in range(400):
            await gateway.decided(session, Titled(title=f"{n}" + "x" * 20_000))
        received = await reading
        assert gateway.deps.feed.too_slow == 1
        await until(lambda: gateway.deps.feed.listeners == 0)
    last = received[200].id
    resumed = await take(listen_to(gateway.client, session_id=session, after=last), 200)
    assert [one.id for one in resumed] == [one.id for one in received[201:]]


async def test_a_client_that_leaves_the_past_unread_is_disconnected(start: Start) -> None:
    gateway = await start(stream_timing=StreamTiming(stalled_s=0.3))
    session = await gateway.new_session()
    for n in range(300):
        await gateway.decided(session, Titled(title=f"{n}" + "x" * 20_000))
    silent = await raw_listener(gateway, session)
    with contextlib.closing(silent):
        await until(lambda: len(gateway.deps.streams) == 1)
        await until(lambda: len(gateway.deps.streams) == 0)


async def test_a_client_that_leaves_is_forgotten(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    await asyncio.gather(
        *(take(listen_to(gateway.client, session_id=session, after=0), 1) for _ in range(20))
    )
    await until(lambda: gateway.deps.feed.listeners == 0 and len(gateway.deps.streams) == 0)


async def test_a_stop_ends_open_streams_soon(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    ended: list[int] = []

    async def follow() -> None:
        with contextlib.suppress(httpx.RemoteProtocolError):
            async for one in listen_to(gateway.client, session_id=session, after=0):
                ended.append(one.id or 0)

    following = [asyncio.create_task(follow()) for _ in range(30)]
    await until(lambda: len(ended) == 30)
    gateway.task.cancel()
    async with asyncio.timeout(60):
        with contextlib.suppress(asyncio.CancelledError):
            await gateway.task
        await asyncio.gather(*following)


ENVELOPE = b'["2026-01-31T12:34:56Z",{"id":"e","by":"/engine","event":%b}]'
TITLED = ENVELOPE % b'{"type":"foldline.session.titled.v1",%b}'
POISON = [
    b"{",
    b"\xff\xfe",
    TITLED % b'"title":"\\ud800"',
    TITLED % b'"title":"a\\u0000b"',
    TITLED % b'\n"title":\r\n"lines"',
    ENVELOPE % (b"[" * 5000),
    b"",
]


async def test_whatever_stands_in_the_log_is_shown_and_stops_nobody(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    listening = asyncio.create_task(take(listen_to(gateway.client, session_id=session, after=1), len(POISON)))
    await until(lambda: gateway.deps.feed.listeners == 1)
    subject = f"{(await gateway.stored(session))[0].subject.rpartition('.in.')[0]}.ev.titled"
    for data in POISON:
        await gateway.log.append(NewMessage(subject, data, {}))
    live = await listening
    recorded = await take(listen_to(gateway.client, session_id=session, after=1), len(POISON))
    assert live == recorded
    assert "unreadable" in live[1].data["body"]
    assert live[3].data["body"] == {"title": "a\x00b"}
    assert live[4].data["body"] == {"title": "lines"}
    page = await gateway.client.get(f"/api/v1/sessions/{session}/events", params={"cursor": 1})
    assert page.json()["items"] == [one.data for one in live]


async def test_the_pages_of_a_sessions_events_join_to_the_stream(gateway: RunningGateway) -> None:
    session = await gateway.new_session(message="x")
    for n in range(25):
        await gateway.decided(session, Titled(title=str(n)))
    found: list[Any] = []
    after: int | None = 0
    pages = 0
    while after is not None:
        params = {"cursor": after, "limit": 10}
        page = (await gateway.client.get(f"/api/v1/sessions/{session}/events", params=params)).json()
        found += page["items"]
        after, pages = page["next_cursor"], pages + 1
    assert pages == 3
    stream = await take(listen_to(gateway.client, session_id=session, after=0), 27)
    assert found == [one.data for one in stream]
    for name in ("user_message", "foldline.session.user_message.v1"):
        of_type = {"type": name}
        page = (await gateway.client.get(f"/api/v1/sessions/{session}/events", params=of_type)).json()
        assert ([e["sequence"] for e in page["items"]], page["next_cursor"]) == ([2], None)


async def test_the_numbers_say_who_listens(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    listening = asyncio.create_task(take(listen_to(gateway.client, session_id=session, after=1), 1))
    await until(lambda: gateway.deps.feed.listeners == 1)
    numbers = (await gateway.client.get("/metrics")).text
    assert "foldline_live_listeners 1.0" in numbers
    assert 'foldline_http_requests_total{method="POST",route="/sessions",status="201"} 1.0' in numbers
    await gateway.decided(session, TurnStarted())
    await listening
    assert json.dumps(session) not in numbers
