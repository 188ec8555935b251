"""The levers of operators: dead letters, unknown outcomes, who works, sessions that are stuck."""

import asyncio
from datetime import timedelta

import msgspec
import pytest

from agent_contracts.errors import ErrorKind, Failure, Permanent, Rejected, ToolError
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.record.records import NewMessage, decode
from agent_contracts.log.workers import InHand, WorkerStatus
from agent_contracts.questions.queries import HANDLE_AGAIN, UNSTICK, HandleAgainCommand
from agent_contracts.session_events.decisions import ToolCallRequested
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed
from agent_contracts.tool_spec import Effect, RunsOn
from agent_platform.process.clock import SystemClock, rfc3339
from agent_platform.services.consuming.dead_letter import DeadLetterRecord, StoredLetter
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.idempotency import asked
from gateway.operations.sessions.creation import NewSession

CALL = CallId("m1-00")


async def begun(memory: InMemory) -> SessionId:
    return SessionId((await memory.operations.creation.create(NewSession(message="hi"), asked())).id)


async def letter(
    memory: InMemory, session: SessionId, rest: str, consumer: str = "engine", sequence: int = 1
) -> int:
    key = (await memory.stored(session))[0].subject.partition(".in.")[0]
    told = DeadLetterRecord("LOG", consumer, sequence, f"{key}.{rest}", "bad: it failed", 5)
    memory.box.letters[7] = StoredLetter(7, told, "2026-01-31T12:00:00Z")
    return 7


async def test_a_letter_tells_of_its_message_and_the_session_it_is_about(memory: InMemory) -> None:
    session = await begun(memory)
    stored = (await memory.stored(session))[1]
    number = await letter(memory, session, "in.user_message", sequence=stored.sequence)
    [listed] = (await memory.operations.dead_letters.list()).items
    assert (listed.number, listed.session_id, listed.reason) == (number, session, "bad: it failed")
    shown = await memory.operations.dead_letters.show(number)
    assert (shown.type, shown.body["text"]) == ("foldline.session.user_message.v1", "hi")


@pytest.mark.parametrize(
    ("sent", "shown", "why"),
    [
        (b'{"specversion": "2"}', '{"specversion": "2"}', "isn't a wake"),
        (b"<b>\x00\xff\x1b[2J\n", "<b>\\x00\\xff\\x1b[2J\n", "its JSON"),
        ("\u202egnp.exe".encode(), "\\u202egnp.exe", "its JSON"),
        (b"x" * 70_000, "x" * 65_536 + "\n… and 4464 bytes more", "its JSON"),
        (b"", "", "its JSON"),
    ],
)
async def test_a_letter_about_a_wake_tells_what_another_service_sent_as_text(
    memory: InMemory, sent: bytes, shown: str, why: str
) -> None:
    sequence = await memory.wakes.append(NewMessage("wake.shop.order", sent, {}))
    told = DeadLetterRecord("WAKE", "wakes", sequence, "wake.shop.order", "bad_wake: no", 1)
    memory.box.letters[3] = StoredLetter(3, told, None)
    message = await memory.operations.dead_letters.show(3)
    assert (message.body, message.type) == (shown, None)
    assert why in str(message.problem)
    memory.box.letters[3] = StoredLetter(3, msgspec.structs.replace(told, sequence=sequence + 1), None)
    gone = await memory.operations.dead_letters.show(3)
    assert (gone.body, gone.problem) == (None, "The stream of wakes no longer has this message")


async def test_what_the_engine_gave_up_is_handled_again_and_the_letter_goes(memory: InMemory) -> None:
    number = await letter(memory, await begun(memory), "in.user_message", sequence=2)
    memory.engine.answers[HANDLE_AGAIN] = {}
    await memory.operations.dead_letters.retry(number)
    assert memory.engine.asked == [HandleAgainCommand("LOG", 2)]
    assert memory.box.letters == {}


async def test_where_that_fails_again_the_letter_stays(memory: InMemory) -> None:
    number = await letter(memory, await begun(memory), "in.user_message")
    memory.engine.answers[HANDLE_AGAIN] = Permanent("no", kind="log_corrupt")
    with pytest.raises(Failure, match="no"):
        await memory.operations.dead_letters.retry(number)
    assert number in memory.box.letters


@pytest.mark.parametrize("place", ["tools", "mcp"])
@pytest.mark.parametrize("ended", [True, False])
async def test_a_call_is_never_run_twice_by_a_retry(memory: InMemory, ended: bool, place: str) -> None:
    session = await begun(memory)
    requested = await memory.decided(session, ToolCallRequested(CALL, "t", {}, RunsOn(place), Effect.PURE))
    subject = f"ev.tool_call_requested.{place}"
    number = await letter(memory, session, subject, f"runners-{place}", sequence=requested)
    if ended:
        await memory.resulted(session, ToolCallCompleted(CALL, "done", "r", duration_ms=1))
    with pytest.raises(Rejected, match="has ended" if ended else "unstick") as refused:
        await memory.operations.dead_letters.retry(number)
    assert refused.value.kind == "conflict"
    assert memory.engine.asked == []
    shown = await memory.operations.dead_letters.show(number)
    assert shown.ended == ("foldline.session.tool_call_completed.v1" if ended else None)


async def test_a_letter_that_is_discarded_is_gone_and_its_message_is_not(memory: InMemory) -> None:
    session = await begun(memory)
    number = await letter(memory, session, "in.user_message")
    await memory.operations.dead_letters.discard(number)
    assert (await memory.operations.dead_letters.list()).total == 0
    assert len(await memory.stored(session)) == 2
    with pytest.raises(Rejected) as gone:
        await memory.operations.dead_letters.discard(number)
    assert gone.value.kind == "not_found"


async def unknown(memory: InMemory, kind: ErrorKind = ErrorKind.OUTCOME_UNKNOWN) -> SessionId:
    session = await begun(memory)
    await memory.resulted(session, ToolCallFailed(CALL, ToolError(kind, "the runner died"), "r"))
    return session


async def test_an_unknown_outcome_is_settled_once_and_the_model_is_told(memory: InMemory) -> None:
    session = await unknown(memory)
    settle = memory.operations.outcomes.settle
    request = asked("k", {"happened": True}, session)
    first = await settle(session, CALL, True, "I saw the mail.", request)
    assert await settle(session, CALL, True, "I saw the mail.", request) == first
    with pytest.raises(Rejected, match="settled before") as refused:
        await settle(session, CALL, False, "", asked())
    assert refused.value.kind == "conflict"
    event = decode((await memory.stored(session))[-1]).event
    assert (event.call_id, event.happened) == (CALL, True)
    assert event.message.endswith("I looked. It did its work. I saw the mail.")


async def test_of_two_who_settle_at_once_one_is_taken(memory: InMemory) -> None:
    session = await unknown(memory)
    settle = memory.operations.outcomes.settle
    answers = await asyncio.gather(
        *(settle(session, CALL, happened, "", asked()) for happened in (True, False)), return_exceptions=True
    )
    assert sorted(isinstance(one, Rejected) for one in answers) == [False, True]


async def test_what_is_known_can_not_be_settled(memory: InMemory) -> None:
    session = await unknown(memory, ErrorKind.TIMEOUT)
    for call, kind in ((CALL, "conflict"), (CallId("m9-00"), "not_found"), (CallId("a.b"), "invalid_id")):
        with pytest.raises(Rejected) as refused:
            await memory.operations.outcomes.settle(session, call, True, "", asked())
        assert refused.value.kind == kind


async def test_who_was_not_heard_lately_is_taken_for_dead(memory: InMemory) -> None:
    now = SystemClock().now()
    session = await begun(memory)
    requested = await memory.decided(session, ToolCallRequested(CALL, "t", {}, RunsOn.TOOLS, Effect.PURE))
    message = await memory.log.get(requested)
    assert message is not None
    work = InHand(requested, message.subject, rfc3339(now))
    for member, silent_s in (("a", 1), ("b", 3600)):
        seen = rfc3339(now - timedelta(seconds=silent_s))
        memory.crew.told.append(WorkerStatus("runners-tools", member, "host", 1, seen, seen, 64, (work,)))
    found = (await memory.operations.who_works.now()).workers
    assert [(one.member, one.alive) for one in found] == [("a", True), ("b", False)]
    assert [(one.session_id, one.call_id) for one in found[0].in_hand] == [(session, CALL)]


async def test_a_service_of_which_no_process_answers_is_told(memory: InMemory) -> None:
    memory.crew.answering = {"engine": 2, "projector": 0}
    assert (await memory.operations.who_works.now()).services == {"engine": 2, "projector": 0}


async def test_unsticking_asks_the_engine_and_names_what_was_given_up(memory: InMemory) -> None:
    session = await begun(memory)
    await letter(memory, session, "ev.tool_call_requested.tools", "runners-tools", sequence=9)
    wait = {"what": "tool_call", "name": CALL, "stuck": True, "why": "gone", "event": "x"}
    memory.engine.answers[UNSTICK] = {"session_id": session, "status": "running", "waits": [wait]}
    done = await memory.operations.stuck.unstick(session, 60.0)
    [asked_for] = memory.engine.asked
    assert (asked_for.given_up, asked_for.act) == ((9,), True)  # type: ignore[union-attr]
    assert [one.event for one in done.waits] == ["x"]
    with pytest.raises(Rejected) as nobody:
        await memory.operations.stuck.unstick(SessionId("s_nobody"), 60.0)
    assert nobody.value.kind == "not_found"
