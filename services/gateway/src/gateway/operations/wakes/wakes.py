"""Wakes that come by a door of ours: handed to a scheduler, which says what became of each."""

import msgspec

from agent_contracts.api.wakes import WakeReceipt
from agent_contracts.ids import AgentId
from agent_contracts.questions.queries import DELIVER_WAKE, DeliverWake
from agent_contracts.wakes import Priority, Wake, WakeOutcome
from agent_platform.process.clock import Clock
from gateway.operations.ports import Questions

LEFT = "foldline.inbox.left"
"""The type of a wake that was left in the inbox by the plain door."""


class InboxMessage(msgspec.Struct, frozen=True):
    """A message that is left for an agent. `source` is what it says of itself, `key` by what a repeat is
    known; both may be empty."""

    agent_id: AgentId
    text: str
    priority: Priority
    source: str = ""
    key: str = ""


class Wakes:
    """Delivers wakes."""

    def __init__(self, questions: Questions, clock: Clock) -> None:
        self._questions = questions
        self._clock = clock

    async def deliver(self, source: str, wake: Wake, size: int) -> WakeReceipt:
        """What became of it. `Rejected`: `not_found`, `erased`, `session_closed`, `inbox_full`, `too_large`,
        `rate_limited`, `not_permitted`; `Transient` if no scheduler answers: send it again."""
        answer = await self._questions.ask(DELIVER_WAKE, DeliverWake(source, wake, size))
        return waked(msgspec.convert(answer, WakeOutcome))

    async def leave(self, by: str, left: InboxMessage) -> WakeReceipt:
        """What became of a message; `by` are the credentials that it came with. See `deliver`."""
        wake = Wake(
            id=left.key or self._clock.new_id("l"),
            origin="inbox",
            type=LEFT,
            message=left.text,
            data={"source": left.source} if left.source else None,
            priority=left.priority,
            agent_id=left.agent_id,
            waits=True,
        )
        return await self.deliver(by, wake, len(left.text.encode()))


def waked(outcome: WakeOutcome) -> WakeReceipt:
    """An outcome, for people."""
    return WakeReceipt(**msgspec.structs.asdict(outcome))
