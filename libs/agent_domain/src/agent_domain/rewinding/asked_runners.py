"""Questions about agents' databases, asked of any tool runner over core NATS."""

import msgspec

from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import Transient
from agent_contracts.json_value import Json
from agent_contracts.log.subjects import query_subject
from agent_contracts.questions.user_questions import READ_DATABASE, ReadDatabase
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.long_answers import ask_patiently


class AskedRunners:
    """`ReadsDatabases` over a connection, for answers that are small."""

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection

    async def read(self, asked: ReadDatabase) -> Json:
        """What a runner found. `Transient` where none is available, or it failed."""
        reply = await ask_patiently(
            self._connection, query_subject(READ_DATABASE), msgspec.json.encode(asked)
        )
        answer = msgspec.json.decode(reply, type=ToolAnswer)
        if answer.error is not None:
            raise Transient(f"The tool runner could not look at the database: {answer.error.message}")
        return answer.result
