"""From a message over HTTP to its event on a client's stream."""

import asyncio
import time

from bench.ack import Acks
from bench.gateway_http import arrivals
from bench.sampling import percentile
from bench.stage import Stage
from bench.table import Figure, at_most

GROUP = "first-event"
_USER_MESSAGE = b'"type":"foldline.session.user_message.v1"'


async def measure(stage: Stage, acks: Acks, *, messages: int) -> list[Figure]:
    """Post, and watch the stream of that session: the message's own event, then the answer's first piece."""
    session_id = await stage.new_session()
    seen: asyncio.Queue[tuple[str, float]] = asyncio.Queue()

    async def watch() -> None:
        async for arrival in arrivals(stage.address, f"/events?session_id={session_id}"):
            if arrival.name == "delta":
                seen.put_nowait(("delta", arrival.at))
            elif _USER_MESSAGE in arrival.data:
                seen.put_nowait(("message", arrival.at))

    watching = asyncio.create_task(watch())
    firsts: list[float] = []
    pieces: list[float] = []
    try:
        await asyncio.sleep(0.2)  # until the stream is open
        for _ in range(messages):
            await acks.take(5)
            began = time.perf_counter()
            turn = asyncio.create_task(stage.turn(session_id, "hello"))
            firsts.append(await _until(seen, "message") - began)
            pieces.append(await _until(seen, "delta") - began)
            await turn
    finally:
        watching.cancel()
    note = f"n={messages}; target: 500 ms at 200 active sessions"
    return [
        Figure(GROUP, "message to first event p50", percentile(firsts, 0.5) * 1000, "ms"),
        Figure(
            GROUP, "message to first event p99", percentile(firsts, 0.99) * 1000, "ms", at_most(500), note
        ),
        Figure(
            GROUP,
            "message to first piece of answer p50",
            percentile(pieces, 0.5) * 1000,
            "ms",
            note="two decisions and litellm between",
        ),
    ]


async def _until(seen: asyncio.Queue[tuple[str, float]], kind: str) -> float:
    async with asyncio.timeout(30):
        while True:
            what, at = await seen.get()
            if what == kind:
                return at
