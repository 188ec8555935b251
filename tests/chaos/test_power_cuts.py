"""The power is cut: nothing that was acknowledged is lost, and nothing was acted on that is not recorded.

nats-server is traced while a story is told. After each call by which data came onto the disk, the disk is
laid out as a power cut would leave it then, and a server is started on that.
"""

import asyncio
import contextlib
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import msgspec
import pytest
from httpx_sse import connect_sse

from agent_contracts.log.record.records import StoredMessage, event_of
from agent_contracts.session_events.decisions import ModelCallRequested, ToolCallRequested
from agent_contracts.session_events.results import CallClaimed
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import connect
from agent_platform.nats.user import NatsUser
from agent_platform.services.embedded.nats_server import NatsServer
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.product.chaos import story
from foldline_testing.product.chaos.client import PersistentClient
from foldline_testing.product.chaos.conversation import tell_followed
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.power_cut.disk import SimulatedDisk
from foldline_testing.product.power_cut.trace import Trace, traced
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.stack import Stack

_SETTLE_S = 120.0
_MIDDLE = 10
"""At which moment the power is cut: some calls were made, some not."""
_USER = NatsUser("reader", "reader", publish=(">",), subscribe=(">",))


Act = tuple[float, tuple[str, str]]
"""When a call acted on the world: its session and its id."""


class Seen(msgspec.Struct):
    """What came out of Foldline, each with the time at which it had."""

    acts: list[Act] = msgspec.field(default_factory=list)
    asked: list[float] = msgspec.field(default_factory=list)
    """Requests to the model."""
    shown: list[tuple[float, int]] = msgspec.field(default_factory=list)
    """Sequences of events that a person was shown."""


class _Door(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, acts: list[Act]) -> None:
        self.acts = acts
        super().__init__(("127.0.0.1", 0), _Acting)


class _Acting(BaseHTTPRequestHandler):
    server: _Door

    def do_POST(self) -> None:
        at = time.time()
        session_id, call_id, *_ = self.rfile.read(int(self.headers["content-length"])).decode().split()
        self.server.acts.append((at, (session_id, call_id)))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""


@contextmanager
def world(acts: list[Act]) -> Iterator[str]:
    """The address of the world that calls act on."""
    door = _Door(acts)
    thread = threading.Thread(target=door.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{door.server_port}/"
    finally:
        door.shutdown()
        thread.join()
        door.server_close()


@contextmanager
def watched(stack: Stack, shown: list[tuple[float, int]]) -> Iterator[None]:
    """Someone looks at everything that happens."""
    ready, over = threading.Event(), threading.Event()

    def watch() -> None:
        headers = {"authorization": f"Bearer {stack.token}"}
        with (
            contextlib.suppress(httpx.TransportError),
            httpx.Client(headers=headers, timeout=httpx.Timeout(5, read=40)) as client,
            connect_sse(client, "GET", f"{stack.url}/api/v1/events", params={"after": "0"}) as source,
        ):
            ready.set()
            for message in source.iter_sse():
                if message.event == "event":
                    shown.append((time.time(), int(message.id.partition(".")[0])))
                if over.is_set():
                    return

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    assert ready.wait(30)
    yield
    over.set()


async def tell(stack: Stack, names: list[str], turns: int) -> None:
    """Sessions at once, of so many turns each."""
    async with PersistentClient(stack.url, stack.token) as client:
        await asyncio.gather(*(tell_followed(client, name, turns, _SETTLE_S) for name in names))


async def until_idle(stack: Stack) -> None:
    """Return when no session has anything to do."""
    async with PersistentClient(stack.url, stack.token) as client:

        async def all_are_idle() -> bool | None:
            return {one["status"] for one in (await client.get("/sessions"))["items"]} == {"idle"} or None

        await eventually(all_are_idle, within=_SETTLE_S)


def stored(folder: Path) -> list[StoredMessage]:
    """The log that a server finds in `folder`."""

    async def read(server: NatsServer) -> list[StoredMessage]:
        connection = await connect(server.url, name="reader", user=_USER.name, password=_USER.password)
        try:
            return [message async for message in JetStreamLog(connection).read(">")]
        finally:
            await connection.close()

    server = NatsServer(folder, [_USER])
    server.start_blocking()
    try:
        return asyncio.run(read(server))
    finally:
        server.kill()


def missing(found: list[StoredMessage], whole: list[StoredMessage], seen: Seen, until: float) -> list[str]:
    """What came out before `until` and is not in the log that was found."""
    if found != whole[: len(found)]:
        return ["what the log holds is not its beginning as it was"]
    last = found[-1].sequence if found else 0
    events = [one for one in map(event_of, found) if one is not None]
    requests = sum(isinstance(one.event, ModelCallRequested) for one in events)
    lost = [f"event {number} was shown" for at, number in seen.shown if at < until and number > last]
    for at, (session, call) in seen.acts:
        if at < until:
            recorded = [
                type(one.event)
                for one in events
                if session in one.subject and getattr(one.event, "call_id", None) == call
            ]
            lost += [
                f"call {call} of {session} acted, and has no {what.__name__}"
                for what in (CallClaimed, ToolCallRequested)
                if what not in recorded
            ]
    asked = sum(at < until for at in seen.asked)
    return lost + ([f"{asked} model calls were made, {requests} are recorded"] if asked > requests else [])


def cuts(
    moments: Iterator[tuple[float, SimulatedDisk]], every: int, folder: Path
) -> Iterator[tuple[float, Path]]:
    """Every so manieth moment's disk laid out, without and with halves of what was not flushed."""
    for number, (until, disk) in enumerate(moments):
        if number % every == 0:
            for torn in (False, True) if disk.has_pending else (False,):
                laid_out = folder / f"{number}{'-torn' if torn else ''}"
                disk.lay_out(laid_out / "store", torn=torn)
                yield until, laid_out


class Cut(msgspec.Struct, frozen=True):
    """How many disks were looked at, and what was missing on which."""

    disks: int
    broken: list[str]


@contextmanager
def settings(seen: Seen, sync: str, folder: Path) -> Iterator[dict[str, str]]:
    """The settings of a Foldline whose model and whose world note what comes."""
    with world(seen.acts) as address, ModelServer(story.script()) as model:
        env = model.environment() | story.environment(folder / "stop", folder / "acts")
        del env["FOLDLINE_SELFTEST_FILE"]
        yield env | {"FOLDLINE_SELFTEST_URL": address, "FOLDLINE_NATS_SYNC": sync}
        seen.asked += [request.at for request in model.recording.requests]


def tell_traced(folder: Path, env: dict[str, str], seen: Seen, sessions: int, turns: int) -> Trace:
    """Tell a story on a Foldline over `folder`/data, tracing its nats-server after a first turn."""
    with Stack(folder / "data", env=env) as stack:
        asyncio.run(tell(stack, ["warm-up"], 1))
        (nats,) = stack.pids("nats")
        with traced(nats, folder / "data/nats/store", folder / "trace") as trace, watched(stack, seen.shown):
            asyncio.run(tell(stack, [f"s{number}" for number in range(sessions)], turns))
    assert len(seen.acts) == sessions * turns + 1
    assert seen.shown
    return trace


def cut_often(folder: Path, sessions: int, turns: int, every: int, sync: str = "always") -> Cut:
    """Tell a story, and look at the log after a power cut at every so manieth moment."""
    seen = Seen()
    with settings(seen, sync, folder) as env:
        trace = tell_traced(folder, env, seen, sessions, turns)
    shutil.copytree(folder / "data/nats/store", folder / "whole/store")
    whole = stored(folder / "whole")
    looked_at, broken = 0, []
    for until, laid_out in cuts(trace.moments(), every, folder / "cuts"):
        looked_at += 1
        broken += [f"{laid_out.name}: {what}" for what in missing(stored(laid_out), whole, seen, until)]
    return Cut(looked_at, broken)


@pytest.mark.faults
def test_after_a_power_cut_the_log_holds_all_that_came_out(tmp_path: Path) -> None:
    cut = cut_often(tmp_path, sessions=2, turns=1, every=6)
    assert cut.broken == []
    assert cut.disks >= 8


@pytest.mark.chaos
@pytest.mark.timeout(3600)
def test_after_a_power_cut_at_any_moment_the_log_holds_all_that_came_out(
    tmp_path: Path, report: Callable[[str], None]
) -> None:
    cut = cut_often(tmp_path, sessions=4, turns=4, every=1)
    report(f"{cut.disks} disks after a power cut: {len(cut.broken)} with something missing")
    assert cut.broken == []
    assert cut.disks >= 100


@pytest.mark.faults
def test_a_server_that_flushes_now_and_then_would_lose_what_came_out(tmp_path: Path) -> None:
    cut = cut_often(tmp_path, sessions=1, turns=1, every=1, sync="2m")
    assert cut.broken != []


@pytest.mark.faults
def test_foldline_goes_on_where_the_power_was_cut(tmp_path: Path) -> None:
    seen, before, after = Seen(), tmp_path / "data", tmp_path / "after"
    with settings(seen, "always", tmp_path) as env:
        trace = tell_traced(tmp_path, env, seen, sessions=2, turns=1)
        moments = trace.moments()
        for _ in range(_MIDDLE):
            until, disk = next(moments)
        shutil.copytree(before, after, ignore=shutil.ignore_patterns("store", "postgres", "up.log"))
        disk.lay_out(after / "nats/store")
        acted = [call for at, call in seen.acts if at < until]
        seen.acts.clear()
        with Stack(after, env=env) as stack:
            asyncio.run(until_idle(stack))
            every_session_replays(stack)
    assert not {call for _, call in seen.acts} & set(acted)
    assert 0 < len(acted) < 3
