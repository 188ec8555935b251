"""Looking at a session's past, event by event: exact, and without folding from the start each time."""

from collections.abc import AsyncGenerator

from agent_contracts.log.address import Address
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.session_events import inputs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.session_engine.world import CREATED, KEY, SESSION, World, answer
from session_domain.sessions import FoldedSessions
from session_engine.answering.views import session_view

TURNS = 70


class CountingLog(MemoryLog):
    """Counts the events that are read."""

    read_so_far = 0

    async def read(
        self, subject: str, *, after: int = 0, up_to: int | None = None
    ) -> AsyncGenerator[StoredMessage, None]:
        async for message in super().read(subject, after=after, up_to=up_to):
            self.read_so_far += 1
            yield message


async def a_long_session(log: CountingLog) -> World:
    """Some hundred events."""
    world = World(log)
    await world.happens(CREATED)
    await world.settle()
    for number in range(TURNS):
        await world.happens(inputs.UserMessage(text=f"message {number}"))
        await world.settle()
        state = await world.state()
        assert state.model_call is not None
        await world.result(answer(state.model_call.call_id))
        await world.settle()
    return world


async def test_each_moment_is_what_a_fold_from_the_start_gives_and_costs_a_few_events() -> None:
    log = CountingLog()
    world = await a_long_session(log)
    sequences = sorted({m.sequence async for m in log.read(KEY.everything)})
    events = len([m async for m in log.read(KEY.everything)])
    assert events > 250
    reader = FoldedSessions(log)
    await reader.newest(KEY)
    await reader.at(KEY, sequences[-1] - 1)
    for sequence in sequences[:: len(sequences) // 20]:
        before = log.read_so_far
        seen = await reader.at(KEY, sequence)
        assert log.read_so_far - before <= 60
        assert seen == await FoldedSessions(log).at(KEY, sequence)
    assert await world.state() == await reader.newest(KEY)
    reader.forget(SESSION)
    before = log.read_so_far
    await reader.at(KEY, sequences[-1] - 1)
    assert log.read_so_far - before > 250, "what was erased is not remembered"


async def test_of_the_messages_the_newest_are_given_with_how_many_came_before() -> None:
    world = await a_long_session(CountingLog())
    state = await world.state()
    whole, newest = session_view(state), session_view(state, 3)
    assert (whole.earlier, len(whole.messages)) == (0, 2 * TURNS)
    assert newest.messages == whole.messages[-3:]
    assert newest.earlier == 2 * TURNS - 3
    assert Address(newest.last_sequence).complete == whole.last_sequence
