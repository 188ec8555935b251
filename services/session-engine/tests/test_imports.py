"""An exported session in another log: every reference leads where it led, and nothing is there twice."""

import asyncio
import tracemalloc
from collections.abc import AsyncGenerator

import msgspec
import pytest

from agent_contracts.blob_ref import BlobRef
from agent_contracts.errors import Rejected
from agent_contracts.event import Event
from agent_contracts.ids import AgentId, CallId, SessionId, child_session_id
from agent_contracts.log.cloud_events import to_cloud_event
from agent_contracts.log.record import session_subjects
from agent_contracts.log.record.codec import EVENT_TYPES, type_of
from agent_contracts.log.record.records import StoredMessage, decode, one_record
from agent_contracts.log.record.session_subjects import SessionKey, subject_of
from agent_contracts.outside import Source
from agent_contracts.policies import Match, PolicyJudgement, Verdict, approved_hash
from agent_contracts.questions.queries import ForkCommand, ImportCommand
from agent_contracts.session_events import decisions, inputs, results
from agent_contracts.session_events.union import SessionEvent
from agent_contracts.sessions import session_file
from agent_contracts.sessions.session_file import FORMAT, VERSION, FileEvent, FileHead, SessionFile
from agent_contracts.tool_spec import Effect, RunsOn
from agent_platform.log.event_message import event_message
from agent_platform.log.events import events
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.consumer import Delivery
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.session_engine.world import rewinds_over
from session_domain.domain.messages import CallStatus
from session_domain.domain.state import SessionState, Status
from session_domain.replay import replay
from session_domain.sessions import FoldedSessions
from session_engine.handlers import Engine
from session_engine.imports.events import ELSEWHERE, EVENTS, OUTSIDE, POINTS, WITHIN
from session_engine.imports.imports import ImportRunner
from session_engine.neighbours.forks import ForkMaker
from session_engine.timers import SessionTimers

AGENT, FIRST, FORK = AgentId("default"), SessionId("s_first"), SessionId("s_fork")
USAGE = results.Usage(input=5, output=2)


class Silent:
    async def publish(self, subject: str, data: bytes) -> None:
        return


class World:
    """A log in which a session lives, and an engine that handles what happens."""

    def __init__(self) -> None:
        self.log = MemoryLog()
        self.sessions = FoldedSessions(self.log)
        timers = SessionTimers(MemoryLog(), self.log, self.sessions, SystemClock())
        self.engine = Engine(self.log, self.sessions, SystemClock(), Silent(), timers, rewinds_over(self.log))

    async def happens(self, session: SessionId, event: Event, subject: str | None = None) -> None:
        where = subject or SessionKey(AGENT, session).input(type_of(event))
        message, _ = event_message(event, where, origin_of(event), SystemClock())
        await self.deliver(await self.log.append(message))

    async def deliver(self, sequence: int) -> None:
        """To the engine, with every decision that concerns others."""
        last = sequence
        while sequence <= await self.log.last_sequence():
            stored = await self.log.get(sequence)
            if stored is not None and (sequence == last or session_subjects.is_decision(stored.subject)):
                await self.engine.handle(Delivery(stored, 1))
            sequence += 1

    async def result(self, session: SessionId, event: results.Result) -> None:
        await self.happens(session, event, SessionKey(AGENT, session).results)

    async def answered(self, session: SessionId, text: str, *calls: results.ResolvedCall) -> None:
        state = await self.state(session)
        assert state.model_call is not None
        call_id = state.model_call.call_id
        planned = tuple(
            msgspec.structs.replace(call, call_id=CallId(f"{call_id}-{index:02d}"))
            for index, call in enumerate(calls)
        )
        await self.result(
            session, results.ModelCallCompleted(call_id, text, USAGE, "m", "0" * 64, 1, tool_calls=planned)
        )

    async def state(self, session: SessionId) -> SessionState:
        return await self.sessions.newest(SessionKey(AGENT, session))

    async def file(self, *sessions: SessionId) -> SessionFile:
        """What an export of the last one holds."""
        stored = []
        for session in sessions:
            stored += [one async for one in self.log.read(SessionKey(AGENT, session).everything)]
        stored.sort(key=lambda one: one.address)
        head = FileHead(FORMAT, VERSION, sessions[-1], AGENT, sessions, "2026-01-01T00:00:00Z")
        events = [
            FileEvent(
                m.sequence, m.subject, to_cloud_event(m.envelope, "s"), m.data.decode(), m.part, m.parts
            )
            for m in stored
            if m.envelope is not None
        ]
        return SessionFile(head, tuple(events))


def call(tool: str, runs_on: RunsOn = RunsOn.TOOLS, **arguments: str) -> results.ResolvedCall:
    return results.ResolvedCall(CallId("x"), "call_1", tool, dict(arguments), runs_on, Effect.RECORDED)


@pytest.fixture
async def lived() -> World:
    """Two sessions: the first used a tool, spawned a helper and went back; the other was forked from it."""
    world = World()
    await world.happens(FIRST, inputs.Created(agent_id=AGENT, token_limit=10_000))
    await world.happens(FIRST, inputs.UserMessage(text="hello"))
    await world.answered(
        FIRST, "", call("set_state", key="a"), call("spawn_session", RunsOn.ENGINE, task="look")
    )
    asked = (await world.state(FIRST)).batch[0]
    await world.result(FIRST, results.ToolCallCompleted(asked.call_id, {}, "r", duration_ms=1))
    spawned = (await world.state(FIRST)).history[-1].tool_calls[1]
    await world.answered(FIRST, f"spawned {spawned.result}")
    point = (await world.state(FIRST)).last_sequence
    await world.happens(FIRST, inputs.UserMessage(text="a word too much"))
    await world.answered(FIRST, "indeed")
    await world.happens(FIRST, inputs.RewindRequested(to=point, parts=("conversation",)))
    forks = ForkMaker(world.log, world.sessions, SystemClock(), MemoryBlobs())
    at = (await world.state(FIRST)).last_sequence
    await forks.fork(SessionKey(AGENT, FIRST), ForkCommand(FIRST, FORK, at, message="another way"))
    await world.deliver(await world.log.last_sequence())
    await world.answered(FORK, "so be it")
    return world


async def imported(
    world: World, file: SessionFile, ids: dict[SessionId, SessionId], step: int = 1000, *, cut: bool = True
) -> None:
    """Import a file, by an engine that is another one after each step if it is `cut` off."""
    blobs = MemoryBlobs()
    command = ImportCommand((await blobs.put(session_file.write(file))).sha256, AGENT, ids)
    imports = ImportRunner(world.log, blobs, step=step)
    for _ in range(1 + len(file.events) // step):
        await imports.go_on(command)
        if cut:
            imports = ImportRunner(world.log, blobs, step=step)


async def elsewhere() -> World:
    world = World()
    for number in range(7):
        await world.happens(SessionId(f"s_{number}"), inputs.Created(agent_id=AGENT, token_limit=1))
    return world


async def test_the_events_of_a_record_are_one_record_here_under_their_new_ids() -> None:
    world, there = World(), await elsewhere()
    key = SessionKey(AGENT, FIRST)
    created = inputs.Created(agent_id=AGENT, token_limit=10_000)
    said = [await _append(world, key, event) for event in (created, inputs.UserMessage(text="hello"))]
    call_id = CallId("m000003")
    begun = await _append(
        world,
        key,
        decisions.TurnStarted(),
        decisions.ModelCallRequested(call_id, "m", (said[1],)),
        prev=said[1],
    )
    await _append(world, key, inputs.UserMessage(text="and?"))
    file = session_file.read(session_file.write(await world.file(FIRST)))
    assert [str(one.address) for one in file.events] == ["1", "2", f"{begun}.0", f"{begun}.1", "4"]
    new = SessionId("s_new")
    blobs = MemoryBlobs()
    command = ImportCommand((await blobs.put(session_file.write(file))).sha256, AGENT, {FIRST: new})
    await ImportRunner(there.log, blobs, step=3).go_on(command)
    found = [one async for one in events(there.log.read(SessionKey(AGENT, new).everything))]
    assert [str(one.address) for one in found] == ["8", "9", "10.0", "10.1"]
    assert (found[2].envelope.prev, found[3].event.joins) == (9, (9,))
    assert len({one.envelope.id for one in found}) == 4


async def _append(world: World, key: SessionKey, *happened: SessionEvent, prev: int | None = None) -> int:
    messages = []
    for part, event in enumerate(happened):
        origin = origin_of(event)
        origin = msgspec.structs.replace(origin, prev=prev if part == 0 else None)
        where = subject_of(event, key)
        messages.append(event_message(event, where, origin, SystemClock(), part=part)[0])
    return await world.log.append(one_record(messages))


@pytest.mark.parametrize("cut", [True, False])
@pytest.mark.parametrize("step", [1000, 7, 1])
@pytest.mark.parametrize("ids", [{}, {FIRST: SessionId("s_new1"), FORK: SessionId("s_new2")}])
async def test_an_imported_session_replays_and_folds_alike_however_often_it_was_cut_off(
    lived: World, ids: dict[SessionId, SessionId], step: int, cut: bool
) -> None:
    there = await elsewhere()
    await imported(there, await lived.file(FIRST, FORK), ids, step, cut=cut)
    for old in (FIRST, FORK):
        new = ids.get(old, old)
        report = await replay(there.log, SessionKey(AGENT, new))
        assert report.difference is None, report
        before, after = await lived.state(old), await there.state(new)
        assert (after.status, after.position, after.totals) == (before.status, before.position, before.totals)
        assert [m.role for m in after.history] == [m.role for m in before.history]
        assert len(after.history) >= 3
    (child,) = (await there.state(ids.get(FIRST, FIRST))).children
    assert child.child_id == child_session_id(ids.get(FIRST, FIRST), child.call_id)
    assert child.child_id in (await there.state(ids.get(FORK, FORK))).history[-3].text


async def test_where_material_came_from_is_told_by_the_events_here(lived: World) -> None:
    await lived.happens(FORK, inputs.UserMessage(text="read, and note it"))
    await lived.answered(FORK, "", call("web_read"))
    asked = (await lived.state(FORK)).batch[0].call_id
    elsewhere_read = Source("file", "a.txt", "3", SessionId("s_gone"))
    brings = (Source("web", "evil.example"), elsewhere_read)
    await lived.result(FORK, results.ToolCallCompleted(asked, {}, "r", duration_ms=1, outside=brings))
    await lived.answered(FORK, "", call("set_state"))
    noting = (await lived.state(FORK)).batch[0].call_id
    await lived.result(FORK, results.ToolCallCompleted(noting, {}, "r", duration_ms=1))
    await lived.answered(FORK, "", call("set_state"))
    there, new = await elsewhere(), SessionId("s_new2")
    await imported(there, await lived.file(FIRST, FORK), {FIRST: SessionId("s_new1"), FORK: new})
    report = await replay(there.log, SessionKey(AGENT, new))
    assert report.difference is None, report
    web, file = (await there.state(new)).outside
    assert web.session == new
    request = await there.log.get(int(web.at or 0))
    assert request is not None
    assert decode(request).event.call_id == asked
    assert (file.key, file.at, file.session) == (("file", "a.txt"), "3", None), "nothing here is meant"
    noted, again = [
        one
        async for one in events(there.log.read(SessionKey(AGENT, new).everything))
        if isinstance(one.event, decisions.ToolCallRequested)
        and one.event.tool == "set_state"
        and (one.event.outside or one.event.outside_as)
    ]
    assert noted.event.outside == (web, file)
    assert (again.event.outside, again.event.outside_as) == ((), noted.sequence)


async def test_what_a_person_approved_is_approved_here_as_of_the_events_here(lived: World) -> None:
    await lived.happens(FORK, inputs.UserMessage(text="order it"))
    judged = PolicyJudgement(Verdict.ASK, "It sends something out", 3, Match(tool="fetch_url"))
    order = call("fetch_url", url="https://shop.example/")
    await lived.answered(FORK, "", msgspec.structs.replace(order, effect=Effect.EXTERNAL, judged=judged))
    asked = (await lived.state(FORK)).batch[0]
    await lived.happens(FORK, inputs.ToolResponse(asked.call_id, {"decision": "once"}))
    await lived.result(FORK, results.ToolCallCompleted(asked.call_id, {}, "r", duration_ms=1))
    await lived.answered(FORK, "ordered")
    there, new = await elsewhere(), SessionId("s_new2")
    await imported(there, await lived.file(FIRST, FORK), {FIRST: SessionId("s_new1"), FORK: new})
    report = await replay(there.log, SessionKey(AGENT, new))
    assert report.difference is None, report
    (run,) = [
        one.event
        async for one in events(there.log.read(SessionKey(AGENT, new).everything))
        if isinstance(one.event, decisions.ToolCallRequested) and one.event.approved
    ]
    assert run.code_at != asked.asked_at, "the events stand elsewhere here"
    assert run.approved == approved_hash(run.tool, run.arguments, run.code_at)


async def test_a_rating_is_of_the_same_answer_here(lived: World) -> None:
    [*_, answer] = (await lived.state(FORK)).history
    await lived.happens(FORK, inputs.Feedback(f"{answer.sequence}", "down", "Wrong city"))
    there = World()
    for number in range(3):
        await there.happens(SessionId(f"s_before{number}"), inputs.Created(agent_id=AGENT, token_limit=9))
    await imported(
        there, await lived.file(FIRST, FORK), ids := {FIRST: SessionId("s_x"), FORK: SessionId("s_y")}
    )
    [*_, copied] = (await there.state(ids[FORK])).history
    stored = [one async for one in there.log.read(SessionKey(AGENT, ids[FORK]).everything)]
    rated = [event for one in stored if isinstance(event := decode(one).event, inputs.Feedback)]
    assert rated == [inputs.Feedback(f"{copied.sequence}", "down", "Wrong city")]
    assert copied.sequence != answer.sequence


async def test_what_was_cut_or_summarised_is_of_the_same_messages_here(lived: World) -> None:
    cut, *_, last = (await lived.state(FORK)).history
    await lived.happens(FORK, inputs.UserMessage(text="and now?"))
    asked = (await lived.state(FORK)).model_call
    assert asked is not None
    text = results.CutText(cut.sequence, 10, 5, BlobRef("0" * 64, 900, "text/plain"))
    overflow = results.Overflow(900, 100, window=200, cuts=(text,), fits=True)
    failed = results.ModelCallFailed(
        asked.call_id, results.ModelFailure.CONTEXT_LENGTH, "too long", "m", overflow=overflow
    )
    await lived.result(FORK, failed)
    again = (await lived.state(FORK)).model_call
    assert again is not None
    said = results.ModelCallCompleted(again.call_id, "so", USAGE, "m", "0" * 64, 1, summarised=last.sequence)
    await lived.result(FORK, said)
    there = World()
    for number in range(3):
        await there.happens(SessionId(f"s_before{number}"), inputs.Created(agent_id=AGENT, token_limit=9))
    await imported(
        there, await lived.file(FIRST, FORK), ids := {FIRST: SessionId("s_x"), FORK: SessionId("s_y")}
    )
    stored = [one async for one in there.log.read(SessionKey(AGENT, ids[FORK]).everything)]
    found = [decode(one).event for one in stored]
    [kept] = [one.overflow for one in found if isinstance(one, results.ModelCallFailed)]
    here = {message.text: message.sequence for message in (await there.state(ids[FORK])).history}
    assert kept is not None
    assert kept.cuts == (msgspec.structs.replace(text, sequence=here[cut.text]),)
    said_here = [one for one in found if isinstance(one, results.ModelCallCompleted)]
    [part] = [one.summarised for one in said_here if one.summarised]
    assert (part, part == last.sequence) == (here[last.text], False)


async def test_a_session_that_was_running_is_idle_here_and_its_calls_end(lived: World) -> None:
    await lived.happens(FORK, inputs.UserMessage(text="again"))
    await lived.answered(FORK, "", call("set_state", key="b"))
    assert (await lived.state(FORK)).status is Status.RUNNING
    there = await elsewhere()
    await imported(there, await lived.file(FIRST, FORK), {}, step=5)
    await there.deliver(await there.log.last_sequence())
    state = await there.state(FORK)
    assert state.status is Status.IDLE
    [cancelled] = state.messages()[-1].tool_calls
    assert cancelled.status is CallStatus.CANCELLED
    await there.happens(FORK, inputs.UserMessage(text="go on here"))
    assert (await there.state(FORK)).model_call is not None
    assert (await there.state(FIRST)).status is (await lived.state(FIRST)).status


async def test_a_failed_turn_does_not_go_on_by_itself_where_it_is_imported(lived: World) -> None:
    await lived.happens(FORK, inputs.UserMessage(text="again"))
    asked = (await lived.state(FORK)).model_call
    assert asked is not None
    unreachable = results.ModelFailure.UNREACHABLE
    await lived.result(FORK, results.ModelCallFailed(asked.call_id, unreachable, "no", "m", retryable=True))
    there = await elsewhere()
    await imported(there, await lived.file(FIRST, FORK), {}, step=5)
    await there.deliver(await there.log.last_sequence())
    waits, here = (await lived.state(FORK)).failed_turn, (await there.state(FORK)).failed_turn
    assert waits is not None
    assert here is not None
    assert (waits.retry_at is None, here.retry_at is None) == (False, True)


async def test_the_events_kept_their_times_bodies_and_causes(lived: World) -> None:
    there = await elsewhere()
    file = await lived.file(FIRST, FORK)
    await imported(there, file, {})
    stored = [one async for one in there.log.read("ses.>", after=7)]
    for old, new in zip(file.events, stored, strict=True):
        assert new.envelope is not None
        assert (new.subject, new.envelope.time) == (old.subject, old.headers["ce-time"])
        assert new.envelope.id == old.headers["ce-id"]
        assert not new.headers["Nats-Msg-Id"].startswith("e_")
        if old.headers["ce-type"] not in {*POINTS, *EVENTS, *ELSEWHERE}:
            assert new.data.decode() == old.data


async def test_a_session_that_is_there_is_never_written_to(lived: World) -> None:
    file = await lived.file(FIRST, FORK)
    before = await lived.log.last_sequence()
    with pytest.raises(Rejected, match="already"):
        await imported(lived, file, {})
    assert await lived.log.last_sequence() == before


class CountedBlobs(MemoryBlobs):
    """Blobs that count the bytes that are read of them, in pieces."""

    def __init__(self) -> None:
        super().__init__()
        self.read = 0

    async def get(self, sha256: str) -> bytes:
        raise AssertionError("it is read as a whole")

    async def stream(
        self, sha256: str, start: int = 0, end: int | None = None
    ) -> AsyncGenerator[bytes, None]:
        data = self._blobs[sha256]
        for at in range(start, len(data), 65_536):
            piece = data[at : at + 65_536]
            self.read += len(piece)
            yield piece


class CountedLog(MemoryLog):
    """A log that counts the messages that are read of it."""

    messages = 0

    async def read(
        self, subject: str, *, after: int = 0, up_to: int | None = None
    ) -> AsyncGenerator[StoredMessage, None]:
        async for message in super().read(subject, after=after, up_to=up_to):
            self.messages += 1
            yield message


async def test_each_event_of_a_long_file_is_read_about_twice_and_the_file_is_never_whole_in_memory() -> None:
    count, said = 2_000, "x" * 5_000
    world = World()
    await _append(world, SessionKey(AGENT, FIRST), inputs.Created(agent_id=AGENT, token_limit=10_000))
    for _ in range(count - 1):
        await _append(world, SessionKey(AGENT, FIRST), inputs.UserMessage(text=said))
    blobs, log = CountedBlobs(), CountedLog()
    file = await blobs.put(session_file.write(await world.file(FIRST)))
    imports, command = ImportRunner(log, blobs, step=100), ImportCommand(file.sha256, AGENT)
    tracemalloc.start()
    try:
        for _ in range(count // 100 - 1):
            await imports.go_on(command)
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - held < file.size / 4
    assert log.messages <= 1
    await imports.go_on(command)
    assert await log.last_sequence() == count
    assert blobs.read < 2.5 * file.size, "once to check it, once to append it"


async def test_two_engines_import_one_file_at_once(lived: World) -> None:
    there, blobs = await elsewhere(), MemoryBlobs()
    file = await lived.file(FIRST, FORK)
    command = ImportCommand((await blobs.put(session_file.write(file))).sha256, AGENT)
    before = await there.log.last_sequence()
    engines = [ImportRunner(there.log, blobs, step=3) for _ in range(2)]

    async def go_on_with(one: ImportRunner) -> None:
        while True:
            done = await one.go_on(command)
            if done["found"] + done["appended"] == done["total"]:
                return

    async with asyncio.TaskGroup() as group:
        for one in engines:
            group.create_task(go_on_with(one))
    stored = [one async for one in there.log.read("ses.>", after=before)]
    assert [one.subject for one in stored] == [one.subject for one in file.events]
    for session in (FIRST, FORK):
        assert (await replay(there.log, SessionKey(AGENT, session))).difference is None


async def test_an_engine_that_was_overtaken_goes_on_where_the_other_one_is(lived: World) -> None:
    there, blobs = await elsewhere(), MemoryBlobs()
    file = await lived.file(FIRST, FORK)
    command = ImportCommand((await blobs.put(session_file.write(file))).sha256, AGENT)
    one, other = ImportRunner(there.log, blobs, step=4), ImportRunner(there.log, blobs, step=4)
    for _ in range(1 + len(file.events) // 8):
        for engine in (one, other):
            await engine.go_on(command)
    assert (await replay(there.log, SessionKey(AGENT, FORK))).difference is None


async def test_an_import_that_somebody_wrote_into_stops(lived: World) -> None:
    there = await elsewhere()
    blobs = MemoryBlobs()
    file = await lived.file(FIRST)
    command = ImportCommand((await blobs.put(session_file.write(file))).sha256, AGENT)
    await ImportRunner(there.log, blobs, step=3).go_on(command)
    await there.happens(FIRST, inputs.Renamed(title="mine"))
    with pytest.raises(Rejected, match="already"):
        await ImportRunner(there.log, blobs, step=3).go_on(command)


async def test_what_another_file_brought_into_the_session_stops_it_as_well(lived: World) -> None:
    """That an event is imported is not enough: it has to be of this file."""
    there, blobs = await elsewhere(), MemoryBlobs()
    file = await lived.file(FIRST)
    later = msgspec.structs.replace(file, head=msgspec.structs.replace(file.head, exported_at="2027"))
    first, second = [
        ImportCommand((await blobs.put(session_file.write(one))).sha256, AGENT) for one in (file, later)
    ]
    begun = await ImportRunner(there.log, blobs, step=3).go_on(first)
    before = await there.log.last_sequence()
    with pytest.raises(Rejected, match="already"):
        await ImportRunner(there.log, blobs, step=3).go_on(second)
    assert await there.log.last_sequence() == before
    assert (await ImportRunner(there.log, blobs, step=3).go_on(first))["found"] == begun["appended"]


async def test_a_file_that_lacks_what_it_refers_to_is_refused(lived: World) -> None:
    there = await elsewhere()
    whole = await lived.file(FIRST, FORK)
    alone = msgspec.structs.replace(whole, head=msgspec.structs.replace(whole.head, sessions=(FORK,)))
    events = tuple(event for event in whole.events if event.session_id == FORK)
    with pytest.raises(Rejected, match="not in the file"):
        await imported(there, msgspec.structs.replace(alone, events=events), {})
    headless = msgspec.structs.replace(whole, events=whole.events[1:])
    with pytest.raises(Rejected, match="begins with its creation"):
        await imported(await elsewhere(), headless, {})


NO_SEQUENCES = {
    "attempt",
    "attempts",
    "child_count",
    "child_depth",
    "context_window",
    "depth",
    "duration_ms",
    "first_token_ms",
    "kept_messages",
    "latency_ms",
    "limit",
    "max_tokens",
    "open_tasks",
    "thoughts",
    "token_limit",
    "tokens",
    "tried",
    "used",
    "version",
}
OF_THE_AGENT = {"written_at"}
"""Sequences of what an agent made: what an imported session says of one holds for no edition here."""


@pytest.mark.parametrize("name", sorted(name for name in EVENT_TYPES if ".session." in name))
def test_every_number_in_an_event_is_known_to_be_a_sequence_or_not(name: str) -> None:
    described = msgspec.inspect.type_info(EVENT_TYPES[name])
    assert isinstance(described, msgspec.inspect.StructType)
    numbers = (
        {field.encode_name for field in described.fields if "IntType" in repr(field.type)}
        - NO_SEQUENCES
        - OF_THE_AGENT
    )
    nested = {
        OUTSIDE,
        "usage",
        "excerpt",
        "files",
        "pictures",
        "tool_calls",
        "shown",
        "refused_tools",
        "sent",
        "worked",
        "resume",
        "sampled",
        "counted",
        "overflow",
        "thinking",
    }  # `shown` counts messages, `sent` and `worked` bytes and files, `resume` rounds, others tokens
    known = {POINTS.get(name), ELSEWHERE.get(name), *EVENTS.get(name, ()), *WITHIN.get(name, ())[:1]}
    assert numbers - nested <= known
