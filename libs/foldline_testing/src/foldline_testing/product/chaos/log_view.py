"""The log of a running stack as its administrator sees it: what is stored, and what is being published."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from nats.aio.msg import Msg

from agent_contracts.entities.entity import EntityKind
from agent_contracts.event import kind_of
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.address import Address
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import StoredMessage, decode, split
from agent_contracts.log.subjects import (
    ALL_SESSIONS,
    LOG_STREAM,
    SNAPSHOTS_BUCKET,
    any_agents_session_filter,
    database_subject,
    entity_subject,
)
from agent_platform.log.bucket import Bucket, bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection, connect
from foldline.supervisor.announcement import read_announcement

_LOOK_S = 0.05

Listener = Callable[[str], None]
"""Told the kind of each session event as it is published, often before it is stored."""


class LogView:
    """Made by `log_view`. Survives the server's restarts."""

    def __init__(self, connection: NatsConnection, postgres_dsn: str) -> None:
        self._connection = connection
        self.postgres_dsn = postgres_dsn
        self.log = JetStreamLog(connection, patience_s=30)

    async def events(self, session_id: str) -> list[RecordedEvent[Any]]:
        """Everything that the log holds of one session."""
        everything = any_agents_session_filter(SessionId(session_id))
        return [event async for event in self._read(everything)]

    async def addresses(self) -> list[Address]:
        """The address of every event in the log."""
        return [message.address async for message in self.log.read(">")]

    async def holding(self, text: str, *streams: str) -> list[str]:
        """The subjects of all messages of these streams that hold a text."""
        return [
            message.subject
            for stream in streams
            async for message in JetStreamLog(self._connection, stream=stream).read(">")
            if text.encode() in message.data
        ]

    def bucket(self, name: str) -> Bucket:
        """A bucket of this name, to be read and written."""
        return bucket(self._connection, name)

    async def put_snapshot(self, key: str, data: bytes) -> None:
        """Keep something among the sessions' snapshots."""
        await bucket(self._connection, SNAPSHOTS_BUCKET).put(key, data)

    async def session_ids(self) -> list[str]:
        """Every session there is, in the order of their creation."""
        created = self.log.read("ses.*.*.*.in.created")
        return [message.subject.split(".")[3] async for message in created]

    async def writes(self, agent_id: str, key: str, kind: EntityKind = EntityKind.STATE) -> int:
        """How often something that an agent has, such as a state key, was written."""
        subject = entity_subject(AgentId(agent_id), kind, key)
        return len([message.sequence async for message in self.log.read(subject)])

    async def database_writes(self, agent_id: str) -> list[RecordedEvent[Any]]:
        """The write log of an agent's database."""
        return [event async for event in self._read(database_subject(AgentId(agent_id)))]

    async def in_hand(self, consumer: str) -> int:
        """How many messages of the log were delivered by a consumer and not acknowledged yet."""
        info = await self._connection.api(f"CONSUMER.INFO.{LOG_STREAM}.{consumer}")
        return int(info["num_ack_pending"])

    async def waiting(self, stream: str, consumer: str) -> int:
        """How many messages of a stream its consumer has in hand or before it."""
        info = await self._connection.api(f"CONSUMER.INFO.{stream}.{consumer}")
        return int(info["num_ack_pending"]) + int(info["num_pending"])

    async def missing(self) -> int:
        """How many messages between the log's first and last are not there."""
        state = (await self._connection.api(f"STREAM.INFO.{LOG_STREAM}"))["state"]
        between = state["last_seq"] - state["first_seq"] + 1 if state["messages"] else 0
        return int(between - state["messages"] + (state["first_seq"] - 1))

    async def size_of(self, stream: str) -> int:
        """The bytes that a stream holds, as the server counts them."""
        return int((await self._connection.api(f"STREAM.INFO.{stream}"))["state"]["bytes"])

    async def state_of(self, stream: str) -> dict[str, Any]:
        """What the server says of a stream, as it says it."""
        info: dict[str, Any] = (await self._connection.api(f"STREAM.INFO.{stream}"))["state"]
        return info

    def stream(self, name: str) -> JetStreamLog:
        """Another stream beside the log."""
        return JetStreamLog(self._connection, stream=name)

    async def dead_letters(self) -> Counter[str]:
        """How many messages were given up, by consumer."""
        info = await self._connection.api("STREAM.INFO.DLQ", {"subjects_filter": ">"})
        return Counter(info["state"].get("subjects") or {})

    @asynccontextmanager
    async def listening(self, listener: Listener) -> AsyncIterator[None]:
        """Tell `listener` of every session event while the block runs. What was published while the server
        was away is told once it is there again, as far as it was stored."""
        known: set[str] = set()
        before = await self.log.last_sequence()

        def tell(event: StoredMessage) -> None:
            known.add(event.event_id)
            listener(kind_of(event.event_type or ".."))

        async def heard(message: Msg) -> None:
            for event in split(StoredMessage(0, message.subject, message.data, message.headers or {})):
                tell(event)

        async def catch_up() -> None:
            was_connected = True
            while True:
                await asyncio.sleep(_LOOK_S)
                if self._connection.is_connected and not was_connected:
                    async for event in self.log.read(ALL_SESSIONS, after=before):
                        if event.event_id not in known:
                            tell(event)
                was_connected = self._connection.is_connected

        subscription = await self._connection.subscribe(ALL_SESSIONS, heard)
        await self._connection.flush()
        catching_up = asyncio.create_task(catch_up())
        try:
            yield
        finally:
            catching_up.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await catching_up
            await self._connection.unsubscribe(subscription)

    async def _read(self, subject: str) -> AsyncIterator[RecordedEvent[Any]]:
        async for message in self.log.read(subject):
            yield decode(message)


@asynccontextmanager
async def log_view(data_dir: Path) -> AsyncIterator[LogView]:
    """Connect to the log of the Foldline that runs on `data_dir`."""
    running = read_announcement(data_dir)
    assert running is not None, f"no Foldline runs on {data_dir}"
    passwords = msgspec.json.decode((data_dir / "passwords.json").read_bytes())["nats"]
    connection = await connect(running.nats_url, name="chaos", user="admin", password=passwords["admin"])
    try:
        yield LogView(connection, running.postgres_dsn)
    finally:
        await connection.close()
