"""Wakes that come by a door of ours: handed to a scheduler, which says what became of each."""

from typing import Literal

import msgspec

from agent_contracts.queries import DELIVER_WAKE, DeliverWake
from agent_contracts.wakes import Wake, WakeOutcome
from gateway.operations.ports import Questions
from gateway.queries.view import View


class Waked(View):
    """What became of a wake. `delivered`: it is an input of a session, at `sequence` of the log; `begun`: of
    a session that was begun for it; `kept`: it is in the agent's inbox, as `inbox_id`. `repeated`: the same
    was said before, and this is what became of it then."""

    became: Literal["delivered", "begun", "kept"]
    agent_id: str
    session_id: str | None
    sequence: int | None
    inbox_id: str | None
    repeated: bool


class Wakes:
    """Delivers wakes."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions

    async def deliver(self, source: str, wake: Wake, size: int) -> Waked:
        """What became of it. `Rejected`: `not_found`, `erased`, `session_closed`, `inbox_full`, `too_large`,
        `rate_limited`, `not_permitted`; `Transient` if no scheduler answers: send it again."""
        answer = await self._questions.ask(DELIVER_WAKE, DeliverWake(source, wake, size))
        return waked(msgspec.convert(answer, WakeOutcome))


def waked(outcome: WakeOutcome) -> Waked:
    """An outcome, for people."""
    return Waked(**msgspec.structs.asdict(outcome))
