"""Questions over NATS: a lost answer of a scheduler is asked for again, within the same time."""

from typing import Any

import msgspec
import pytest

from agent_contracts.errors import Transient
from agent_contracts.questions.queries import DELIVER_WAKE, QueryAnswer
from gateway.operations.nats_questions import NatsQuestions


class Losing:
    """A connection on which the first `lost` answers don't come."""

    def __init__(self, lost: int, kind: str = "timeout") -> None:
        self._lost, self._kind = lost, kind
        self.patience: list[float] = []

    async def request(self, subject: str, question: bytes, *, timeout: float) -> Any:
        self.patience.append(timeout)
        if len(self.patience) <= self._lost:
            raise Transient(f"nobody answers on {subject}", kind=self._kind)
        return self

    @property
    def data(self) -> bytes:
        return msgspec.json.encode(QueryAnswer({"done": True}))


async def ask(connection: Any, name: str) -> Any:
    return await NatsQuestions(connection).ask(name, msgspec.Struct())  # type: ignore[arg-type]


async def test_a_wake_whose_answer_is_lost_is_asked_for_again_within_the_same_time() -> None:
    losing = Losing(2)
    assert await ask(losing, DELIVER_WAKE) == {"done": True}
    assert len(losing.patience) == 3
    assert sum(losing.patience) == pytest.approx(10)


@pytest.mark.parametrize(
    ("name", "kind", "times"),
    [(DELIVER_WAKE, "timeout", 3), (DELIVER_WAKE, "disconnected", 1), ("session.state", "timeout", 1)],
)
async def test_nobody_is_asked_for_ever(name: str, kind: str, times: int) -> None:
    losing = Losing(9, kind)
    with pytest.raises(Transient, match="isn't answering"):
        await ask(losing, name)
    assert len(losing.patience) == times
