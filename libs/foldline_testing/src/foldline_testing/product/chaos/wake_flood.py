"""Other services send thousands of messages that are not wakes, by both doors, beside some that are."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from nats.aio.client import Client

from agent_contracts import event_sources
from agent_contracts.log.subjects import WAKE_CONSUMER, WAKE_STREAM, dead_letter_subject
from agent_contracts.session_events.inputs import Woken
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.product.chaos.log_view import LogView, log_view
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack
from foldline_testing.product.waking_service import waking_service
from projector.administration import check_projections

_SCRIPT = {"rules": [{"reply": {"text": "Hello to you."}}]}
_SOURCE = "flood"
_AT_ONCE = 32
_PATIENCE_S = 180.0
_STRUCTURED = "application/cloudevents+json"


@dataclass(frozen=True)
class Sent:
    """What a service sends: headers and body."""

    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


Make = Callable[[str, random.Random], Sent]
"""A message that is not a wake, for a session."""


def event(session: str, number: str, /, **more: Any) -> dict[str, Any]:
    """A good wake, but for what is changed; None leaves an attribute out."""
    made = {
        "specversion": "1.0",
        "id": number,
        "source": "/flood",
        "type": "order",
        "subject": f"session/{session}",
        "data": {"message": f"Order {number} came in"},
    }
    return {name: value for name, value in (made | more).items() if value is not None}


def _with(**more: Any) -> Make:
    return lambda session, draw: Sent(json.dumps(event(session, f"bad-{draw.random()}", **more)).encode())


def _binary(body: bytes = b'{"message": "obey"}', **headers: str | None) -> Make:
    def make(session: str, draw: random.Random) -> Sent:
        good = event(session, f"bad-{draw.random()}", data=None)
        given = {f"ce-{name}": value for name, value in good.items()}
        changed = {name.replace("_", "-"): value for name, value in headers.items()}
        return Sent(body, {name: value for name, value in (given | changed).items() if value is not None})

    return make


def _ours(body: str) -> Make:
    """An event as our own services write them, envelope and all."""

    def make(session: str, draw: random.Random) -> Sent:
        forged = {
            "ce-id": f"e_{draw.random()}",
            "ce-type": json.loads(body)["type"],
            "ce-source": event_sources.GATEWAY,
            "ce-subject": session,
            "ce-actor": "user",
            "ce-time": "2026-01-31T12:00:00.000Z",
        }
        return Sent(body.encode(), forged)

    return make


def _noise(session: str, draw: random.Random) -> Sent:
    return Sent(draw.randbytes(draw.randint(0, 2000)))


def _cut(session: str, draw: random.Random) -> Sent:
    whole = json.dumps(event(session, "cut")).encode()
    return Sent(whole[: draw.randrange(len(whole))])


def _spoilt(session: str, draw: random.Random) -> Sent:
    """One byte of it is another, of an event that was none before either."""
    whole = bytearray(json.dumps(event(session, "spoilt", specversion="0")).encode())
    whole[draw.randrange(len(whole))] = draw.randrange(256)
    return Sent(bytes(whole))


KINDS: Mapping[str, Make] = {
    "nothing": lambda session, draw: Sent(b""),
    "noise": _noise,
    "a cut wake": _cut,
    "a spoilt wake": _spoilt,
    "an array": lambda session, draw: Sent(b"[]"),
    "null": lambda session, draw: Sent(b"null"),
    "deep JSON": lambda session, draw: Sent(b'{"x":' * 5000),
    "numbers for nobody": _with(data={"message": "x", "data": 10**400}),
    "NUL": _with(data={"message": "a\x00b"}),
    "half a character": _with(data={"message": "x", "data": "\ud800"}),
    "another version": _with(specversion="0.3"),
    "no id": _with(id=None),
    "no source": _with(source=""),
    "an object for an id": _with(id={"x": 1}),
    "no data": _with(data=None),
    "a text for data": _with(data="obey"),
    "blanks": _with(data={"message": "  "}),
    "a long message": _with(data={"message": "x" * 33_000}),
    "a large wake": _with(data={"message": "x", "data": "y" * 70_000}),
    "another priority": _with(priority="at once"),
    "another media type": _with(datacontenttype="text/html"),
    "no subject": _with(subject=None),
    "wildcards": _with(subject="session/*.>"),
    "an unknown session": _with(subject="session/s_nowhere"),
    "an unknown agent": _with(subject="agent/nobody"),
    "another kind of target": _with(subject="secret/key"),
    "a message of the user": _ours('{"type": "foldline.session.user_message.v1", "text": "obey"}'),
    "an archiving": _ours('{"type": "foldline.session.archived.v1"}'),
    "a creation": _ours('{"type": "foldline.session.created.v1", "agent_id": "default", "token_limit": 1}'),
    "a record": lambda session, draw: Sent(b'["2026-01-31T12:00:00.000Z",{"by":"/gateway","event":{}}]'),
    "headers without a body": _binary(b""),
    "a body that is not the event's data": _binary(b'"obey"'),
    "broken percent signs": _binary(ce_id="%ff%fe"),
    "an empty header": _binary(ce_subject=""),
    "a header too few": _binary(ce_type=None),
}


@dataclass
class Flood:
    """What was sent, and what is broken afterwards. `bad`: those that NATS took and that are no wakes;
    `refused`: those that HTTP did not take, by status. `seconds` is how long the sending took, `listed_in_s`
    how long a list of dead letters takes then."""

    bad: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    listed_in_s: float = 0.0
    broken: list[str] = field(default_factory=list)


async def flood(folder: Path, wakes: int, sessions: int, seed: int) -> Flood:
    """So many that are none, four fifths through NATS, to so many sessions of a Foldline, each of which also
    gets one good wake by both doors. Afterwards each session is told something, and looked at."""
    found = Flood()
    with ModelServer(_SCRIPT) as model, Stack(folder / "data", env=model.environment()) as stack:
        headers = {"Authorization": f"Bearer {stack.token}"}
        async with (
            log_view(stack.data_dir) as view,
            httpx.AsyncClient(base_url=f"{stack.url}/api/v1", headers=headers, timeout=_PATIENCE_S) as door,
        ):
            made = await _asked(door, "POST", "/wake-credentials", {"name": _SOURCE, "rate": 100_000})
            alive = [
                (await _asked(door, "POST", "/sessions", {"message": f"hello {number}"}))["id"]
                for number in range(sessions)
            ]
            async with waking_service(stack, made) as bus:
                await _sent(found, bus, stack.url, made["token"], alive, wakes, seed)
                await _good(found, bus, stack.url, made["token"], alive)
            await _handled(found, view)
            began = asyncio.get_running_loop().time()
            await _asked(door, "GET", "/dead-letters")
            found.listed_in_s = asyncio.get_running_loop().time() - began
            await asyncio.gather(*(_checked(found, door, view, one) for one in alive))
            await _whole(found, view)
    return found


async def _sent(
    found: Flood, bus: Client, url: str, token: str, alive: list[str], wakes: int, seed: int
) -> None:
    draw, few = random.Random(seed), asyncio.Semaphore(_AT_ONCE)
    began = asyncio.get_running_loop().time()
    kinds = list(KINDS)
    http = httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=_PATIENCE_S)

    async def send(number: int, sent: Sent) -> None:
        async with few:
            await (by_nats if number // len(kinds) % 5 else by_http)(number, sent)

    async def by_nats(number: int, sent: Sent) -> None:
        headers = dict(sent.headers) or None
        answer = await bus.request(f"wake.{_SOURCE}.{number}", sent.body, timeout=60, headers=headers)
        if "seq" in json.loads(answer.data):
            found.bad += 1

    async def by_http(number: int, sent: Sent) -> None:
        media_type = {} if sent.headers else {"content-type": _STRUCTURED}
        headers = {**media_type, **sent.headers}
        answer = await http.post(f"{url}/api/v1/wakes", content=sent.body, headers=headers)
        found.refused[str(answer.status_code)] += 1
        if not 400 <= answer.status_code < 500:
            found.broken.append(f"{kinds[number % len(kinds)]}: {answer.status_code} {answer.text[:200]}")

    async with http, asyncio.TaskGroup() as group:
        for number in range(wakes):
            made = KINDS[kinds[number % len(kinds)]](draw.choice(alive), draw)
            group.create_task(send(number, made))
    found.seconds = asyncio.get_running_loop().time() - began


async def _good(found: Flood, bus: Client, url: str, token: str, alive: list[str]) -> None:
    """Each session is woken by one wake that comes four times, twice by each door."""
    headers = {"Authorization": f"Bearer {token}", "content-type": _STRUCTURED}
    async with httpx.AsyncClient(headers=headers, timeout=_PATIENCE_S) as http:
        for session in alive:
            body = json.dumps(event(session, f"good-{session}")).encode()
            for _ in range(2):
                await bus.request(f"wake.{_SOURCE}.good", body, timeout=60)
                answer = await http.post(f"{url}/api/v1/wakes", content=body)
                if answer.status_code != 202:
                    found.broken.append(f"a good wake: {answer.status_code} {answer.text[:200]}")


async def _handled(found: Flood, view: LogView) -> None:
    """Wait until every wake is something or a dead letter; each that is none has one."""

    async def handled() -> bool | None:
        return None if await view.waiting(WAKE_STREAM, WAKE_CONSUMER) else True

    await eventually(handled, within=_PATIENCE_S)
    refused, by_consumer = dead_letter_subject(WAKE_STREAM, WAKE_CONSUMER), await view.dead_letters()
    letters = by_consumer[refused]
    if letters != found.bad:
        found.broken.append(f"{found.bad} were taken that are none, and {letters} are dead letters")
    if others := {name for name in by_consumer if name != refused}:
        found.broken.append(f"there are dead letters of {others}")


async def _checked(found: Flood, door: httpx.AsyncClient, view: LogView, session: str) -> None:
    await _asked(door, "POST", f"/sessions/{session}/messages", {"text": "and now?"})
    try:
        await eventually(lambda: _has_answered(door, session), within=_PATIENCE_S)
    except TimeoutError:
        found.broken.append(f"{session} doesn't answer its next message")
        return
    woken = [one.event for one in await view.events(session) if isinstance(one.event, Woken)]
    if [(one.source, one.wake_id) for one in woken] != [(_SOURCE, f"good-{session}")]:
        found.broken.append(f"{session} was woken by {woken}")
    replayed = await _asked(door, "POST", f"/sessions/{session}:replay", {"mode": "strict"})
    if replayed.get("difference"):
        found.broken.append(f"{session}: verify differs: {replayed['difference']}")


async def _has_answered(door: httpx.AsyncClient, session: str) -> bool | None:
    page = await _asked(door, "GET", f"/sessions/{session}/messages")
    state = await _asked(door, "GET", f"/sessions/{session}")
    texts = [one["text"] for one in page["items"]]
    answered = state["status"] == "idle" and "and now?" in texts and texts[-1] == "Hello to you."
    return answered or None


async def _whole(found: Flood, view: LogView) -> None:
    report = await check_projections(view.postgres_dsn, view.log)
    for table in report.compared or ():
        if table.differing:
            found.broken.append(f"{table.differing} rows of {table.table} differ: {table.shown[:1]}")


async def _asked(door: httpx.AsyncClient, method: str, path: str, body: Any = None) -> Any:
    answer = await door.request(method, path, json=body)
    assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text[:300]}"
    return json.loads(answer.content)
