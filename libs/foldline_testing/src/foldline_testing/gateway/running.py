"""For tests: a running gateway and what the other services would write."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx
import msgspec

from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.ids import SessionId
from agent_contracts.log import subjects
from agent_contracts.log.address import parse_address
from agent_contracts.log.record.records import StoredMessage, one_record
from agent_contracts.log.record.session_subjects import SessionKey, subject_of
from agent_contracts.session_events.results import Result
from agent_contracts.session_events.union import SessionEvent
from agent_domain.secrets.vault import Vault
from agent_platform.entities.entities import Entities
from agent_platform.log.event_message import event_message
from agent_platform.log.port import Log
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.origins import origin_of
from gateway.deps import Deps
from gateway.operations.agents.agents import AgentRegistry
from gateway.operations.sessions.inputs import SOURCE

TOKEN = "a-token-for-tests-only"
NO_POSTGRES = "postgresql://nobody@127.0.0.1:1/none"
AGENT = DEFAULT_AGENT


@dataclass(frozen=True)
class RunningGateway:
    """One replica, its address, and a client that has the token."""

    url: str
    client: httpx.AsyncClient
    deps: Deps
    vault: Vault
    connection: NatsConnection
    task: "asyncio.Task[None]"

    @property
    def log(self) -> Log:
        """Its log."""
        return self.deps.outside.log

    @property
    def agents(self) -> AgentRegistry:
        """The operations on agents."""
        return self.deps.operations.agents

    @property
    def entities(self) -> Entities:
        """What agents have, as the gateway would write it."""
        return Entities(self.log, SystemClock(), SOURCE)

    async def new_session(self, **body: Any) -> str:
        """Create a session; its id."""
        answer = await self.client.post("/api/v1/sessions", json=body)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    async def decided(self, session_id: str, event: SessionEvent) -> int:
        """Write what the engine would write; the sequence."""
        return await self._append(session_id, event)

    async def committed(self, session_id: str, *decisions: SessionEvent) -> int:
        """Write what the engine would write as one record of several events; the sequence."""
        key = SessionKey(AGENT, SessionId(session_id))
        messages = []
        for part, one in enumerate(decisions):
            origin = origin_of(one)
            if part:
                origin = msgspec.structs.replace(origin, prev=None, causation=None)
            message, _ = event_message(one, subject_of(one, key), origin, SystemClock(), part=part)
            messages.append(message)
        return await self.log.append(one_record(messages))

    async def resulted(self, session_id: str, event: Result) -> int:
        """Write what a runner would write; the sequence."""
        return await self._append(session_id, event)

    async def _append(self, session_id: str, event: SessionEvent) -> int:
        subject = subject_of(event, SessionKey(AGENT, SessionId(session_id)))
        message, _ = event_message(event, subject, origin_of(event), SystemClock())
        return await self.log.append(message)

    async def stored(self, session_id: str) -> list[StoredMessage]:
        """Everything of a session in the log."""
        return [m async for m in self.log.read(subjects.any_agents_session_filter(SessionId(session_id)))]

    async def stop(self) -> None:
        """Stop it as the supervisor would."""
        self.task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.task
        await self.client.aclose()
        await self.connection.close()


Start = Callable[..., Awaitable[RunningGateway]]


@dataclass(frozen=True)
class Received:
    """One server-sent event; `id` is the record of its `address`."""

    event: str
    id: int | None
    address: str | None
    data: dict[str, Any]


async def listen_to(
    client: httpx.AsyncClient, *, last_event_id: int | str | None = None, **params: Any
) -> AsyncIterator[Received]:
    """What a live stream sends, until the caller stops or the connection ends. Blocks without data are
    left out, as a browser does."""
    headers = {} if last_event_id is None else {"Last-Event-ID": str(last_event_id)}
    given = {name: value for name, value in params.items() if value is not None}
    async with client.stream("GET", "/api/v1/events", params=given, headers=headers, timeout=60) as answer:
        if answer.status_code != 200:
            await answer.aread()
            raise AssertionError(answer.text)
        block: dict[str, str] = {}
        async for line in answer.aiter_lines():
            if line:
                name, _, value = line.partition(": ")
                block[name] = value
                continue
            if "data" in block:
                address = block.get("id")
                sequence = None if address is None else parse_address(address).sequence
                yield Received(block["event"], sequence, address, json.loads(block["data"]))
            block = {}
