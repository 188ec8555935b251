"""Model callers, asked over core NATS to test a model."""

import msgspec

from agent_contracts.errors import Transient
from agent_contracts.log.subjects import query_subject
from agent_contracts.questions.model_tests import TEST_MODEL, ModelTrial, ModelTried
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.long_answers import ask_patiently


class NatsModels:
    """`ModelTesting` over a connection."""

    def __init__(self, connection: NatsConnection) -> None:
        self._connection = connection

    async def test(self, asked: ModelTrial) -> ModelTried:
        """See the port."""
        question = msgspec.json.encode(asked)
        try:
            answer = await ask_patiently(self._connection, query_subject(TEST_MODEL), question)
        except Transient as failure:
            raise Transient(
                f"No model caller answers, so the model could not be tested ({failure.message}). "
                "Nothing was changed. Is the model caller running?"
            ) from failure
        return msgspec.json.decode(answer, type=ModelTried)
