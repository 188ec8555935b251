"""Sessions that are folded on as their events are delivered: without a read, and never with a hole."""

import random
from collections.abc import AsyncGenerator

from agent_contracts.event import Event
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events import inputs
from agent_platform.log.event_message import event_message
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.consumer import Delivery
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.session_engine.world import rewinds_over
from session_domain.folding import fold_on
from session_domain.sessions import FoldedSessions
from session_engine.handlers import Engine
from session_engine.timers import SessionTimers

AGENT, FIRST, SECOND = AgentId("default"), SessionId("s_1"), SessionId("s_2")
CREATED = inputs.Created(agent_id=AGENT, token_limit=1000, title="t")


class CountingLog(MemoryLog):
    """Counts reads, and can let something happen in the middle of the next one."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0
        self.after_read: list[StoredMessage] = []
        self.deliver: FoldedSessions | None = None

    async def read(
        self, subject: str, *, after: int = 0, up_to: int | None = None
    ) -> AsyncGenerator[StoredMessage, None]:
        self.reads += 1
        found = [message async for message in super().read(subject, after=after, up_to=up_to)]
        if self.deliver is not None:
            deliver, self.deliver = self.deliver, None
            late = await happens(self, FIRST, inputs.UserMessage(text="meanwhile"))
            deliver.saw(Delivery(late, 1), late.sequence)
        for message in found:
            yield message


async def happens(log: MemoryLog, session_id: SessionId, event: Event) -> StoredMessage:
    """Something is appended; what would be delivered."""
    where = SessionKey(AGENT, session_id).input(type_of(event))
    message, _ = event_message(event, where, origin_of(event), SystemClock())
    stored = await log.get(await log.append(message))
    assert stored is not None
    return stored


async def said(log: MemoryLog, text: str, session_id: SessionId = FIRST) -> StoredMessage:
    return await happens(log, session_id, inputs.UserMessage(text=text))


async def test_a_warm_session_is_folded_as_its_events_are_delivered() -> None:
    log = CountingLog()
    sessions = FoldedSessions(log)
    created = await happens(log, FIRST, CREATED)
    sessions.saw(Delivery(created, 1), 1)
    await sessions.covering(SessionKey(AGENT, FIRST), created.sequence)
    for number in range(2, 10):
        message = await said(log, f"message {number}")
        sessions.saw(Delivery(message, 1), number)
        state = await sessions.covering(SessionKey(AGENT, FIRST), message.sequence)
        assert state.last_sequence == message.sequence
    assert log.reads == 1
    assert state == await fold_on(log, SessionKey(AGENT, FIRST), type(state)(FIRST))


async def test_after_a_delivery_to_someone_else_the_session_is_read() -> None:
    log = CountingLog()
    sessions = FoldedSessions(log)
    sessions.saw(Delivery(await happens(log, FIRST, CREATED), 1), 1)
    await sessions.newest(SessionKey(AGENT, FIRST))
    await said(log, "to another engine")
    message = await said(log, "to this one")
    sessions.saw(Delivery(message, 1), 3)
    state = await sessions.covering(SessionKey(AGENT, FIRST), message.sequence)
    assert [queued.text for queued in state.queue] == ["to another engine", "to this one"]
    assert log.reads == 2


async def test_what_is_delivered_while_the_session_is_read_is_not_lost() -> None:
    log = CountingLog()
    sessions = FoldedSessions(log)
    created = await happens(log, FIRST, CREATED)
    sessions.saw(Delivery(created, 1), 1)
    log.deliver = sessions
    await sessions.newest(SessionKey(AGENT, FIRST))
    message = await said(log, "after")
    sessions.saw(Delivery(message, 1), 3)
    state = await sessions.covering(SessionKey(AGENT, FIRST), message.sequence)
    assert [queued.text for queued in state.queue] == ["meanwhile", "after"]


async def test_a_session_that_was_only_read_as_of_the_past_is_not_taken_for_the_newest() -> None:
    log = CountingLog()
    sessions = FoldedSessions(log)
    messages = [await happens(log, FIRST, CREATED), await said(log, "one"), await said(log, "two")]
    for number, message in enumerate(messages, 1):
        sessions.saw(Delivery(message, 1), number)
    await sessions.at(SessionKey(AGENT, FIRST), messages[0].sequence)
    last = await said(log, "three")
    sessions.saw(Delivery(last, 1), 4)
    state = await sessions.covering(SessionKey(AGENT, FIRST), last.sequence)
    assert [queued.text for queued in state.queue] == ["one", "two", "three"]


async def test_a_redelivery_is_not_folded_again() -> None:
    log = CountingLog()
    sessions = FoldedSessions(log)
    sessions.saw(Delivery(await happens(log, FIRST, CREATED), 1), 1)
    await sessions.newest(SessionKey(AGENT, FIRST))
    message = await said(log, "once")
    sessions.saw(Delivery(message, 1), 2)
    sessions.saw(Delivery(message, 2), 3)
    state = await sessions.covering(SessionKey(AGENT, FIRST), message.sequence)
    assert [queued.text for queued in state.queue] == ["once"]


async def test_whatever_goes_to_others_each_look_shows_the_log_as_it_is() -> None:
    for seed in range(30):
        chance = random.Random(seed)
        log = CountingLog()
        sessions = FoldedSessions(log, warm=chance.choice([1, 2]))
        for session_id in (FIRST, SECOND):
            await happens(log, session_id, CREATED)
        for number in range(3, 60):
            session_id = chance.choice([FIRST, SECOND])
            message = await said(log, f"message {number}", session_id)
            if chance.random() < 0.1:
                continue  # another engine's
            sessions.saw(Delivery(message, 1 + (chance.random() < 0.1)), number)
            if chance.random() < 0.1:
                await sessions.at(SessionKey(AGENT, session_id), chance.randint(1, message.sequence))
            state = await sessions.covering(SessionKey(AGENT, session_id), message.sequence)
            whole = await fold_on(
                log, SessionKey(AGENT, session_id), type(state)(session_id), up_to=state.last_sequence
            )
            assert state == whole, f"seed {seed}, event {message.sequence}"
            assert state.last_sequence >= message.sequence


async def test_an_engine_that_sees_everything_reads_a_session_once() -> None:
    class Silent:
        async def publish(self, subject: str, data: bytes) -> None:
            """Nobody listens."""

    log = CountingLog()
    sessions = FoldedSessions(log)
    timers = SessionTimers(MemoryLog(), log, sessions, SystemClock())
    engine = Engine(log, sessions, SystemClock(), Silent(), timers, rewinds_over(log))
    delivered = 0

    async def deliver_everything() -> None:
        nonlocal delivered
        while (message := await log.get(delivered + 1)) is not None:
            delivered += 1
            delivery = Delivery(message, 1)
            if engine.preview(delivery, delivered):
                await engine.handle(delivery)

    await happens(log, FIRST, CREATED)
    await deliver_everything()
    for text in ("hello", "and", "again"):
        await said(log, text)
        await deliver_everything()
    assert log.reads == 1
