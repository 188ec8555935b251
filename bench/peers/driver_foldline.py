"""Foldline as a peer: the real engine, model caller and tool runner, every event on the log.

Started by the peers' `bench.py`, whose folder (with `work.py`) is on the path.
"""

import asyncio
import json
import os
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
from uvloop import run
from work import WORK, Driver, serve  # type: ignore[import-not-found]

from agent_contracts import event_sources
from agent_contracts.errors import Failure
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record import session_subjects
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import Expect
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import query_subject
from agent_contracts.questions.queries import FORK, ForkCommand, QueryAnswer
from agent_contracts.session_events.inputs import Created, Input, UserMessage
from agent_contracts.session_events.results import ToolCallCompleted
from agent_contracts.tool_spec import Effect
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from agent_platform.nats.users import ADMIN
from agent_platform.observing.logs import configure_logging
from agent_platform.process.clock import SystemClock
from agent_platform.process.collecting import collect_rarely
from agent_platform.services.discovery import consumers_of, rights_of
from agent_platform.services.discovery import discover as services
from agent_platform.services.embedded.passwords import ensure_passwords
from agent_platform.services.streams import prepare
from agent_tools.registry import Pack, Registry
from agent_tools.tool import Arguments, Result, tool
from bench.peers.local_model import TOOL, LocalModel, Task
from bench.peers.nats_server import PASSWORDS
from bench.peers.parts import parts
from tool_runner.core import discover

AGENT = AgentId("default")
ENDINGS = ("ses.*.*.*.ev.became_idle", "ses.*.*.*.ev.failed", "ses.*.*.*.ev.token_limit_hit")
_TOKENS = 10**9
_TOOL_RESULT = type_of(ToolCallCompleted)


class Step(Arguments):
    """Which step of which session."""

    sid: str
    i: int


class Done(Result):
    """What the workload's tool said."""

    sid: str
    i: int
    out: str


@tool(TOOL, family="bench", effect=Effect.PURE)
async def peer_step(args: Step) -> Done:
    """Do a step's work."""

    return Done(**json.loads(WORK.tool(args.sid, args.i)))


_SERVICES = services()
_REGISTRY = Registry([*discover(selftest=False).packs, Pack("bench", "1", (peer_step,))])
"""Loaded with the program, as other drivers load theirs: not a part of what is measured."""


class Foldline(Driver):  # type: ignore[misc]
    """A session is one turn: a user message that asks for so many steps, and a last answer without a tool."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._clock = SystemClock()
        self._idle: dict[SessionId, asyncio.Future[str]] = {}
        self._connection: NatsConnection
        self._log: JetStreamLog

    async def open(self) -> None:
        """The three parts, and an eye on how sessions end."""
        url = os.environ["FOLDLINE_PEER_NATS"]
        file = Path(os.environ["PEERS_DATA"]) / PASSWORDS
        passwords = dict(ensure_passwords(file, (ADMIN, *rights_of(_SERVICES))).nats)
        self._connection = await connect(url, name="bench", user=ADMIN, password=passwords[ADMIN])
        self._stack.push_async_callback(self._connection.close)
        self._log = JetStreamLog(self._connection)
        newest = await self._prepared()
        model = LocalModel(WORK.model, WORK.done)
        await self._stack.enter_async_context(parts(url, passwords, model, _REGISTRY))
        watching = asyncio.create_task(self._watch(newest))
        self._stack.callback(watching.cancel)

    async def _prepared(self) -> int:
        """The log's end. Streams and consumers are made once, before anything is started, as `foldline up`
        does; who comes after a dead process finds them."""
        try:
            return await self._log.last_sequence()
        except Failure:
            await prepare(self._connection, _SERVICES)
            return await self._log.last_sequence()

    async def run(self, sid: str, steps: int) -> None:
        """Create the session, say how many steps, and wait until its turn is over."""
        session_id = SessionId(sid)
        nothing_yet = Expect(SessionKey(AGENT, session_id).everything, 0)
        await self._append(session_id, Created(agent_id=AGENT, token_limit=_TOKENS), nothing_yet)
        ended = self._ending(session_id)
        await self._append(session_id, UserMessage(text=Task(sid, steps).text()))
        await self._until(ended)

    async def op_run(self, sid: str, steps: int) -> dict[str, Any]:
        """The last step ends where the model is asked again; what follows is part of the session only."""
        began = time.perf_counter()
        await self.run(sid, steps)
        total = time.perf_counter() - began
        return {"total_ms": total * 1e3, "step_ms": WORK.steps_ms(sid, WORK.end[sid])}

    async def resume(self, sid: str, steps: int) -> None:
        """What the dead process held is given back, or it would come again only after `ack_wait`."""
        ended = self._ending(SessionId(sid))
        await self.open_once()
        await give_back(self._connection)
        await self._until(ended)

    async def fork(self, sid: str, at: int) -> float:
        """As the gateway asks for it: the engine answers once the fork's history is decided and stored."""
        everything = self._log.read(SessionKey(AGENT, SessionId(sid)).everything)
        results = [one.sequence async for one in everything if one.event_type == _TOOL_RESULT]
        command = ForkCommand(SessionId(sid), SessionId(self._clock.new_id("s")), results[at - 1])
        began = time.perf_counter()
        reply = await self._connection.request(query_subject(FORK), msgspec.json.encode(command))
        answer = msgspec.json.decode(reply.data, type=QueryAnswer)
        if answer.error_kind is not None:
            raise RuntimeError(f"no fork: {answer.error}")
        return (time.perf_counter() - began) * 1000

    async def close(self) -> None:
        """Stop the parts in order."""
        await self._stack.aclose()

    def _ending(self, session_id: SessionId) -> asyncio.Future[str]:
        return self._idle.setdefault(session_id, asyncio.get_running_loop().create_future())

    async def _until(self, ended: "asyncio.Future[str]") -> None:
        kind = await ended
        if kind != "became_idle":
            raise RuntimeError(f"the session ended with {kind}")

    async def _watch(self, after: int) -> None:
        async for message in self._log.tail(ENDINGS, after=after):
            where = session_subjects.parse_session_subject(message.subject)
            ending = self._idle.pop(where.key.session_id, None)
            if ending is not None and not ending.done():
                ending.set_result(where.rest.removeprefix("ev."))

    async def _append(self, session_id: SessionId, event: Input, expect: Expect | None = None) -> None:
        subject = SessionKey(AGENT, session_id).input(type_of(event))
        origin = Origin(event_sources.GATEWAY, Actor.USER)
        message, _ = event_message(event, subject, origin, self._clock)
        await self._log.append(message, expect)


async def give_back(connection: NatsConnection) -> None:
    """Have everything that was delivered and not acknowledged delivered again, now.

    Only for whoever knows that the workers it was delivered to are dead; otherwise it comes after `ack_wait`.
    """
    for spec in consumers_of(_SERVICES):
        info = await connection.api(f"CONSUMER.INFO.{spec.stream}.{spec.name}")
        if not info["num_ack_pending"]:
            continue
        floor, delivered = info["ack_floor"], info["delivered"]
        for sequence in range(floor["stream_seq"] + 1, delivered["stream_seq"] + 1):
            reply = f"$JS.ACK.{spec.stream}.{spec.name}.1.{sequence}.{delivered['consumer_seq']}.0.0"
            await connection.publish(reply, b"-NAK")


if __name__ == "__main__":
    configure_logging("warning", "console", "bench")
    collect_rarely()
    serve(Foldline(), run)
