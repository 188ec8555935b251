"""The notifier over core NATS: asked for tests, told who looks."""

import msgspec

from agent_contracts.errors import Transient
from agent_contracts.ids import SessionId
from agent_contracts.notifications import TEST_CHANNEL, TestChannel, TestOutcome
from agent_contracts.subjects import looking_subject, query_subject
from agent_platform.nats.connection import Connection
from agent_platform.nats.long_answers import ask_patiently


class NatsNotifier:
    """`Notifier` over a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def test(self, name: str) -> TestOutcome:
        """See the port."""
        question = msgspec.json.encode(TestChannel(name))
        try:
            answer = await ask_patiently(self._connection, query_subject(TEST_CHANNEL), question)
        except Transient as failure:
            raise Transient(f"the notifier isn't answering ({failure.message}): is it running?") from failure
        return msgspec.json.decode(answer, type=TestOutcome)

    async def looking(self, session_id: SessionId, visible: bool) -> None:
        """See the port."""
        await self._connection.publish(looking_subject(session_id), b"1" if visible else b"0")
