"""A log (in memory, if no other is given) with one session, written to by hand and by engines."""

from agent_contracts.errors import Transient
from agent_contracts.event import Event
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import StoredMessage, decode
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.questions.user_questions import ReadDatabase
from agent_contracts.session_events import inputs, results
from agent_domain.rewinding.database import DatabaseLog
from agent_domain.rewinding.rewinds import Rewinds
from agent_platform.entities.entities import Entities
from agent_platform.log.event_message import event_message
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock, SystemClock
from agent_platform.services.consuming.consumer import Delivery
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.origins import origin_of
from session_domain.domain.state import SessionState
from session_domain.sessions import FoldedSessions
from session_engine.handlers import SOURCE, Engine
from session_engine.timers import SessionTimers

AGENT, SESSION = AgentId("default"), SessionId("s_1")
KEY = SessionKey(AGENT, SESSION)
EVERYTHING = KEY.everything


class Told:
    """Core NATS, listened to."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, bytes]] = []

    async def publish(self, subject: str, data: bytes) -> None:
        """Remember it."""
        self.messages.append((subject, data))


class NoRunners:
    """No tool runner is there to try a database."""

    async def read(self, asked: ReadDatabase) -> Json:
        """Nobody answers."""
        raise Transient("No tool runner is available")


def rewinds_over(log: Log) -> Rewinds:
    """What an engine rewinds agents with."""
    entities = Entities(log, SystemClock(), SOURCE)
    return Rewinds(log, entities, DatabaseLog(log, SystemClock(), SOURCE, NoRunners()))


class World:
    """A log with one session, written to by hand and by engines."""

    def __init__(
        self, log: Log | None = None, schedule: Log | None = None, clock: Clock | None = None
    ) -> None:
        self.log = log or MemoryLog()
        self.schedule = schedule or MemoryLog()
        self.clock = clock or SystemClock()
        self.told = Told()
        self.engine = self.another_engine()
        self._delivered = 0

    def another_engine(self) -> Engine:
        """As if in another process."""
        sessions = FoldedSessions(self.log)
        timers, rewinds = self.timers(sessions), rewinds_over(self.log)
        return Engine(self.log, sessions, self.clock, self.told, timers, rewinds)

    def timers(self, sessions: FoldedSessions | None = None) -> SessionTimers:
        """As another process would set them, and act on them."""
        return SessionTimers(self.schedule, self.log, sessions or FoldedSessions(self.log), self.clock)

    async def happens(self, event: Event, subject: str | None = None) -> StoredMessage:
        """Something is appended from outside; what would be delivered."""
        where = subject or KEY.input(type_of(event))
        message, _ = event_message(event, where, origin_of(event), self.clock)
        stored = await self.log.get(await self.log.append(message))
        assert stored is not None
        return stored

    async def given(self, *events: Event) -> StoredMessage:
        """Inputs, each handled by the engine."""
        for event in events:
            stored = await self.happens(event)
            await self.engine.handle(Delivery(stored, 1))
        return stored

    async def result(self, event: results.Result) -> StoredMessage:
        """The one result of a call."""
        return await self.happens(event, KEY.results)

    async def settle(self) -> None:
        """Deliver everything that was not delivered yet to the engine, until there is nothing new."""
        while True:
            fresh = [message async for message in self.log.read("ses.>", after=self._delivered)]
            if not fresh:
                return
            for message in fresh:
                self._delivered = message.sequence
                await self.engine.handle(Delivery(message, 1))

    async def state(self, session_id: SessionId = SESSION) -> SessionState:
        """A session folded by a reader that knows nothing yet."""
        return await FoldedSessions(self.log).newest(SessionKey(AGENT, session_id))

    async def events(self) -> list[Event]:
        """Everything in the session's stream."""
        return [decode(m).event async for m in self.log.read(EVERYTHING)]


CREATED = inputs.Created(agent_id=AGENT, token_limit=100_000, title="t")


def answer(call_id: str, *tools: str) -> results.ModelCallCompleted:
    """The model's answer, asking for these tools."""
    calls = tuple(
        results.ResolvedCall(CallId(f"{call_id}-{index:02d}"), "call_1", tool)
        for index, tool in enumerate(tools)
    )
    usage = results.Usage(1, 1)
    return results.ModelCallCompleted(CallId(call_id), "text", usage, "m", "0" * 64, 1, calls)
