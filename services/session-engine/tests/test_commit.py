"""A result is committed together with the decisions that follow from it: one record, one expectation."""

from collections.abc import Awaitable, Callable, Sequence

import msgspec
import pytest

from agent_contracts.errors import Conflict, Permanent, Rejected
from agent_contracts.ids import CallId
from agent_contracts.log.offered_results import ResultSource
from agent_contracts.log.record import records as records_of_log
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import Events, Expect, NewMessage, StoredMessage, decode
from agent_contracts.model_context import ShownMessages, digest_of
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import Result as ResultEvent
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallPending
from agent_platform.log.event_message import event_message
from agent_platform.log.result_offers import append_result, result_of
from agent_platform.services.consuming.consumer import Delivery
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.session_engine.world import CREATED, EVERYTHING, KEY, World, answer
from session_domain.domain.messages import CallStatus
from session_domain.domain.state import SessionState, Status
from session_domain.folding import at_rest
from session_domain.model_requests.shown_before import ShownBefore
from session_domain.replay import replay
from session_domain.sessions import FoldedSessions
from session_engine import commit
from session_engine.commit import OfferedEvent
from session_engine.offers import read_offer

HI = inputs.UserMessage(text="hi")


def done(call_id: str) -> ToolCallCompleted:
    return ToolCallCompleted(CallId(call_id), "seen", "r", duration_ms=1)


def message_of(world: World, event: ResultEvent) -> NewMessage:
    return event_message(event, KEY.results, origin_of(event), world.clock)[0]


def offered(world: World, event: ResultEvent) -> OfferedEvent:
    message = message_of(world, event)
    model = type_of(event).startswith("foldline.session.model_call")
    return read_offer(ResultSource.MODEL if model else ResultSource.TOOL, message)


async def records(world: World) -> list[list[type]]:
    """The types of the events of each record."""
    found: dict[int, list[type]] = {}
    async for message in world.log.read(EVERYTHING):
        found.setdefault(message.sequence, []).append(type(decode(message).event))
    return list(found.values())


def sequence_of(record: StoredMessage | None) -> int | None:
    return record.sequence if record is not None else None


async def asked() -> World:
    world = World()
    await world.given(CREATED, HI)
    return world


async def test_a_step_is_two_records() -> None:
    world = await asked()
    assert sequence_of(await world.engine.take(offered(world, answer("m000003", "look")))) == 4
    assert sequence_of(await world.engine.take(offered(world, done("m000003-00")))) == 5
    assert (await records(world))[2:] == [
        [ev.TurnStarted, ev.ModelCallRequested],
        [type(answer("m000003")), ev.ToolCallRequested],
        [ToolCallCompleted, ev.ModelCallRequested],
    ]
    report = await replay(world.log, KEY)
    assert (report.difference, report.decisions) == (None, 4)


async def test_the_requests_of_one_turn_are_records_of_their_own_so_that_they_spread() -> None:
    world = await asked()
    sequence = sequence_of(await world.engine.take(offered(world, answer("m000003", "a", "b", "c"))))
    assert sequence is not None
    await world.engine.advance(KEY, sequence)
    assert (await records(world))[4:] == [[ev.ToolCallRequested], [ev.ToolCallRequested]]
    stored = [one async for one in world.log.read(f"{KEY.prefix}.ev.tool_call_requested.tools")]
    found = [(one.sequence, decode(one).event.call_id) for one in stored]
    assert found == [(4, "m000003-00"), (5, "m000003-01"), (6, "m000003-02")]


async def test_what_a_call_showed_is_found_where_its_answer_stands_in_a_record() -> None:
    world = await asked()
    shown = ShownMessages(new=(0,), digest=digest_of([0]))
    result = msgspec.structs.replace(answer("m000003", "look"), shown=shown)
    await world.engine.take(offered(world, result))
    answered = await ShownBefore(world.log).answered(await world.state())
    assert answered is not None
    assert answered.shown == shown


async def test_what_was_not_decided_when_the_engine_died_is_decided_when_its_record_is_delivered() -> None:
    world = await asked()
    sequence = sequence_of(await world.engine.take(offered(world, answer("m000003", "a", "b"))))
    fresh = world.another_engine()
    events = [one async for one in world.log.read(EVERYTHING, after=3)]
    delivery = Delivery(events[-1], 1, tuple(events[:-1]))
    assert delivery.message.sequence == sequence
    assert fresh.preview(delivery, 1)
    await fresh.handle(delivery)
    assert (await records(world))[-1] == [ev.ToolCallRequested]


async def test_what_was_decided_on_here_is_not_handled_again_when_it_is_delivered() -> None:
    world = await asked()
    sequence = sequence_of(await world.engine.take(offered(world, answer("m000003", "a", "b"))))
    assert sequence is not None
    events = [one async for one in world.log.read(EVERYTHING, after=3)]
    delivery = Delivery(events[-1], 1, tuple(events[:-1]))
    assert world.engine.preview(delivery, 4)  # the second call is not asked for yet
    await world.engine.advance(KEY, sequence)
    assert not world.engine.preview(delivery, 4)


async def test_what_a_writer_knows_of_its_record_is_what_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Sequence[StoredMessage]] = []

    def made_here(record: StoredMessage, events_in: Events) -> Sequence[StoredMessage]:
        kept.append(events_in(record))
        return kept[-1]

    monkeypatch.setattr(records_of_log, "made_here", made_here)
    world = await asked()
    await world.engine.take(offered(world, answer("m000003", "look")))
    stored = [one async for one in world.log.read(EVERYTHING, after=2)]
    assert [event for events in kept for event in events] == stored
    assert [event.known for events in kept for event in events] == [decode(one) for one in stored]


async def test_a_result_that_came_twice_counts_once_and_nobody_asks_again() -> None:
    """Its worker heard nothing for two seconds and wrote it, while the engine committed it after all."""
    world = await asked()
    result = answer("m000003", "look")
    slow = message_of(world, result)
    await world.engine.take(offered(world, result))
    await world.log.append(slow)
    twin = await world.log.last(slow.subject)
    assert twin is not None
    await world.engine.handle(Delivery(twin, 1))
    state = await world.state()
    assert [call.status for call in state.batch] == [CallStatus.REQUESTED]
    assert [message.role for message in state.history] == ["user", "assistant"]
    assert (await replay(world.log, KEY)).difference is None


async def test_a_worker_that_was_not_answered_finds_what_was_committed() -> None:
    class Deaf:
        """Commits, and its answer is lost."""

        async def offer(self, message: NewMessage) -> bool:
            await world.engine.take(offered(world, answer("m000003", "look")))
            return False

    world = await asked()
    before = await world.log.last_sequence()
    result = answer("m000003", "look")
    with pytest.raises(Conflict, match="has that event already"):
        await append_result(world.log, Deaf(), message_of(world, result), result.call_id, after=before)
    assert await world.log.last_sequence() == before + 1
    found = await result_of(world.log, KEY, CallId("m000003"), after=before)
    assert found is not None
    assert (found.sequence, found.part) == (before + 1, 0)


async def test_a_result_that_is_committed_while_its_worker_writes_it_stands_there_once() -> None:
    class Slow(MemoryLog):
        """The engine's commit comes right before the first append that its worker makes."""

        late: Callable[[], Awaitable[object]] | None = None

        async def append(self, message: NewMessage, expect: Expect | None = None) -> int:
            late, self.late = self.late, None
            if late is not None:
                await late()
            return await super().append(message, expect)

    log = Slow()
    world = World(log)
    await world.given(CREATED, HI)
    result = answer("m000003", "look")
    log.late = lambda: world.engine.take(offered(world, result))
    with pytest.raises(Conflict, match="has that event already"):
        await append_result(log, None, message_of(world, result), result.call_id, after=3)
    assert sum(kind is type(result) for record in await records(world) for kind in record) == 1


async def test_a_worker_that_is_overtaken_by_others_writes_its_result_all_the_same() -> None:
    class Busy(MemoryLog):
        """Somebody says something right before each of the first appends to the session's results."""

        words = 0

        async def append(self, message: NewMessage, expect: Expect | None = None) -> int:
            if self.words:
                self.words -= 1
                await super().append(event_message(HI, KEY.input(type_of(HI)), origin_of(HI), world.clock)[0])
            return await super().append(message, expect)

    log = Busy()
    world = World(log)
    await world.given(CREATED, HI)
    log.words = 5
    await append_result(log, None, message_of(world, answer("m000003", "look")), CallId("m000003"), after=3)
    assert await log.last_sequence() == 9
    assert await result_of(log, KEY, CallId("m000003"), after=3) is not None


async def test_a_result_that_nobody_waits_for_is_its_workers_to_write() -> None:
    world = await asked()
    await world.engine.take(offered(world, answer("m000003", "look")))
    before = await world.log.last_sequence()
    assert await world.engine.take(offered(world, answer("m000003", "look"))) is None
    assert await world.engine.take(offered(world, done("m000099-00"))) is None
    assert await world.log.last_sequence() == before


async def test_two_engines_commit_a_result_once() -> None:
    world = await asked()
    other = world.another_engine()
    await FoldedSessions(world.log).newest(KEY)
    result = offered(world, answer("m000003", "look"))
    first, second = sequence_of(await world.engine.take(result)), await other.take(result)
    assert (first, second) == (4, None)


async def test_an_input_meanwhile_is_seen_before_the_result_is_committed() -> None:
    world = await asked()
    await world.happens(inputs.UserMessage(text="and this"))
    assert sequence_of(await world.engine.take(offered(world, answer("m000003")))) == 5
    last = [decode(one) async for one in world.log.read(EVERYTHING, after=4)]
    assert [type(one.event) for one in last][1:] == [ev.ModelCallRequested]
    assert last[-1].event.joins == (4,)
    assert (await replay(world.log, KEY)).difference is None


async def test_a_question_and_that_the_session_waits_for_it_are_one_record() -> None:
    world = await asked()
    await world.engine.take(offered(world, answer("m000003", "ask_user")))
    pending = ToolCallPending(CallId("m000003-00"), {"kind": "ask_user"}, "r")
    await world.engine.take(offered(world, pending))
    assert (await records(world))[-1] == [ToolCallPending, ev.Waiting]
    assert (await world.state()).status is Status.WAITING_FOR_INPUT


async def test_what_is_too_large_together_is_committed_one_by_one() -> None:
    result = msgspec.structs.replace(answer("m000003", "look"), text="x" * 1_600)
    together = await asked()
    await together.engine.take(offered(together, result))
    *_, record = [one async for one in together.log.records(EVERYTHING)]
    world = World(MemoryLog(max_payload=len(record.data) - 1))
    await world.given(CREATED, HI)
    assert sequence_of(await world.engine.take(offered(world, result))) == 4
    await world.engine.advance(KEY, 4)
    assert (await records(world))[3:] == [[type(result)], [ev.ToolCallRequested]]


async def test_a_decision_that_names_its_own_record_waits_until_that_has_a_sequence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No sequence that stands for one to come is ever written."""
    world = await asked()
    await world.engine.take(offered(world, answer("m000003", "look")))
    decided: list[int] = []

    def naming(state: SessionState) -> ev.MessagesShadowed:
        decided.append(state.last_sequence)
        return ev.MessagesShadowed(first=3, last=state.last_sequence, summary="s")

    monkeypatch.setattr(commit, "decide", naming)
    made = commit.commit(await world.state(), 4, world.clock, offered(world, done("m000003-00")))
    assert made is not None
    assert [type(one.event) for one in made.events] == [ToolCallCompleted]
    assert decided == [commit.UNKNOWN]
    alone = commit.commit(await world.state(), 4, world.clock)
    assert alone is not None
    assert [one.event for one in alone.events] == [ev.MessagesShadowed(3, 4, "s")]


async def test_a_moment_is_a_whole_record_and_rests_before_the_call_that_it_asks_for() -> None:
    world = await asked()
    await world.engine.take(offered(world, answer("m000003", "look")))
    await world.engine.take(offered(world, done("m000003-00")))
    rest = await at_rest(world.log, KEY, 5)
    assert rest.is_at_rest
    assert [call.status for call in rest.batch] == [CallStatus.COMPLETED]
    assert (await FoldedSessions(world.log).at(KEY, 5)).model_call is not None


async def test_a_warm_session_follows_records_of_several_events() -> None:
    world = await asked()
    sessions = FoldedSessions(world.log)
    await sessions.newest(KEY)
    await world.engine.take(offered(world, answer("m000003", "look")))
    events = [one async for one in world.log.read(EVERYTHING, after=3)]
    sessions.saw(Delivery(events[-1], 1, tuple(events[:-1])), 1)
    assert await sessions.newest(KEY) == await world.state()


async def test_workers_offer_only_what_is_theirs() -> None:
    world = await asked()
    message = message_of(world, answer("m000003"))
    with pytest.raises(Rejected, match="may not offer"):
        read_offer(ResultSource.TOOL, message)
    with pytest.raises(Rejected, match="may not offer"):
        read_offer(ResultSource.TOOL, by_another_process(message))
    input_, _ = event_message(HI, KEY.input(type_of(HI)), origin_of(HI), world.clock)
    with pytest.raises(Rejected):
        read_offer(ResultSource.TOOL, input_)
    assert read_offer(ResultSource.MODEL, by_another_process(message)) == read_offer(
        ResultSource.MODEL, message
    )
    two = NewMessage(message.subject, message.data.removesuffix(b"]") + b",{}]", message.headers)
    with pytest.raises(Permanent):
        read_offer(ResultSource.MODEL, two)


def by_another_process(message: NewMessage) -> NewMessage:
    return NewMessage(message.subject, message.data, message.headers)
