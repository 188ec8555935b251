"""The notifier over core NATS: asked for tests, told who looks."""

import msgspec

from agent_contracts.entities.notifications import TEST_CHANNEL, TestChannel, TestOutcome
from agent_contracts.errors import Transient
from agent_contracts.ids import SessionId
from agent_contracts.log.subjects import looking_subject, query_subject
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.long_answers import ask_patiently

_STARTS_S = 10.0
"""Seconds in which a notifier answers that the first channel has started."""


class NatsNotifier:
    """`Notifier` over a connection."""

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection

    async def test(self, name: str) -> TestOutcome:
        """See the port."""
        question = msgspec.json.encode(TestChannel(name))
        try:
            subject = query_subject(TEST_CHANNEL)
            answer = await ask_patiently(self._connection, subject, question, starts_within_s=_STARTS_S)
        except Transient as failure:
            raise Transient(f"The notifier isn't answering ({failure.message}): is it running?") from failure
        return msgspec.json.decode(answer, type=TestOutcome)

    async def looking(self, session_id: SessionId, visible: bool) -> None:
        """See the port."""
        await self._connection.publish(looking_subject(session_id), b"1" if visible else b"0")
