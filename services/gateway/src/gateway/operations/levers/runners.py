"""Who works: each process at each consumer, what it has in hand, and when it was last heard."""

from agent_contracts.errors import Permanent
from agent_contracts.subjects import parse_session_subject
from agent_contracts.workers import InHand
from agent_contracts.workers import Worker as Told
from agent_platform.process.clock import Clock, rfc3339
from gateway.operations.levers.ports import Queue, Workforce
from gateway.queries.view import View


class Work(View):
    """A message that a process has in hand since a time: of which session, and which call it asks for."""

    sequence: int
    session_id: str | None
    call_id: str | None
    since: str


class Worker(View):
    """One process at one consumer. `alive`: it was heard within 30 s. `capacity`: so many messages at a
    time."""

    consumer: str
    member: str
    host: str
    process: int
    alive: bool
    started_at: str
    seen_at: str
    capacity: int
    in_hand: list[Work]


class Working(View):
    """Who works, and how much waits."""

    workers: list[Worker]
    queues: list[Queue]


class WhoWorks:
    """Reads what workers say of themselves."""

    def __init__(self, workforce: Workforce, clock: Clock) -> None:
        self._workforce = workforce
        self._clock = clock

    async def now(self) -> Working:
        """Everybody who was heard within a day; one that ended in order is not among them."""
        now = rfc3339(self._clock.now())
        told = await self._workforce.workers()
        return Working(workers=[_worker(one, now) for one in told], queues=await self._workforce.queues())


def _worker(told: Told, now: str) -> Worker:
    return Worker(
        consumer=told.consumer,
        member=told.member,
        host=told.host,
        process=told.process,
        alive=told.lives(now),
        started_at=told.started_at,
        seen_at=told.seen_at,
        capacity=told.capacity,
        in_hand=[_work(one) for one in told.in_hand],
    )


def _work(one: InHand) -> Work:
    session_id, call_id = named_in(one.subject)
    return Work(sequence=one.sequence, session_id=session_id, call_id=call_id, since=one.since)


def named_in(subject: str) -> tuple[str | None, str | None]:
    """The session and the call that a message is about, as far as its subject says."""
    try:
        parts = parse_session_subject(subject)
    except Permanent:
        return None, None
    what, *rest = parts.rest.split(".")
    of_call = what in ("result", "claim") or len(rest) > 1
    return parts.key.session_id, rest[-1] if of_call and rest else None
