"""What people can tell sessions, whichever door they come through: each is one event, or a failure."""

import asyncio
import io
import json
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.api.sessions import MAX_FILES, MAX_TEXT, MAX_TITLE, MAX_TOKENS
from agent_contracts.blob_ref import sha256_of
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.errors import Conflict, Failure, Permanent, Rejected, Transient
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.record.records import decode
from agent_contracts.session_events.decisions import Completed
from agent_contracts.session_events.inputs import Feedback
from agent_contracts.session_events.results import ModelCallCompleted, ToolCallPending, Usage
from agent_contracts.sessions.session_file import FORMAT, VERSION, FileEvent, FileHead, SessionFile, write
from agent_domain.files.file import FileContent, FileRef, Workspace
from agent_domain.files.files import Files, NewFile
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.gateway.in_memory import LIMITS, InMemory
from gateway.operations.agents.agents import NewAgent
from gateway.operations.idempotency import MAX_KEY, IdempotentRequest, asked
from gateway.operations.sessions.creation import NewSession
from gateway.queries.sessions import SessionQuery

CALL = CallId("m000001-00")
ANSWER = ModelCallCompleted(CallId("m000001"), "Bergen", Usage(3, 4), "demo")


async def begun(memory: InMemory, **new: Any) -> SessionId:
    return SessionId((await memory.operations.creation.create(NewSession(**new), asked())).id)


async def refused(doing: Awaitable[object]) -> str:
    with pytest.raises(Failure) as caught:
        await doing
    assert not isinstance(caught.value, Conflict), "a conflict of writes is not for those who ask"
    return caught.value.kind


async def test_a_session_begins_with_what_it_is_given_and_the_defaults(memory: InMemory) -> None:
    session = await memory.operations.creation.create(NewSession(message="hi", title="T"), asked())
    created, said = [decode(one).event for one in await memory.stored(session.id)]
    assert (created.token_limit, created.child_depth) == (LIMITS["token_limit"], LIMITS["child_depth"])
    assert said.text == "hi"
    assert (session.agent_id, session.title, session.status) == (DEFAULT_AGENT, "T", "running")


async def test_the_same_key_begins_one_session_and_says_its_message_once(memory: InMemory) -> None:
    create, new = memory.operations.creation.create, NewSession(message="hi")
    request = asked("k", {"message": "hi"})
    answers = await asyncio.gather(*(create(new, request) for _ in range(5)))
    assert {msgspec.json.encode(one).decode() for one in answers} == {
        msgspec.json.encode(answers[0]).decode()
    }
    assert await memory.kinds(answers[0].id) == ["created", "user_message"]
    other = create(NewSession(message="ho"), asked("k", {"message": "ho"}))
    assert await refused(other) == "idempotency_mismatch"


async def test_the_key_of_a_session_that_was_deleted_makes_no_other_one(memory: InMemory) -> None:
    """While its events are still there, and once they are not."""
    create, new, request = memory.operations.creation.create, NewSession(message="hi"), asked("k", {"a": 1})
    session = await create(new, request)
    await memory.operations.erasing.erase(SessionId(session.id), asked())
    before = await memory.log.last_sequence()
    assert await refused(create(new, request)) == "erased"
    assert isinstance(memory.log, MemoryLog)
    for sequence in range(session.last_sequence - 1, session.last_sequence + 1):
        memory.log.lose(sequence)
    assert await refused(create(new, request)) == "erased"
    assert await memory.log.last_sequence() == before
    assert (await create(new, asked("other", {"a": 1}))).id != session.id


async def test_what_an_input_of_the_same_key_wrote_and_was_erased_is_said(memory: InMemory) -> None:
    session, request = await begun(memory), asked("k", {"text": "hi"})
    said = await memory.operations.steering.say(session, "hi", request)
    assert isinstance(memory.log, MemoryLog)
    memory.log.lose(said.sequence)
    assert await refused(memory.operations.steering.say(session, "hi", request)) == "erased"


async def test_a_session_of_nobody_is_refused_and_leaves_nothing(memory: InMemory) -> None:
    nobody = NewSession(agent_id=AgentId("nobody"))
    assert await refused(memory.operations.creation.create(nobody, asked())) == "not_found"
    assert await memory.log.last_sequence() == 0


async def test_a_session_begins_with_files_that_all_sessions_see(memory: InMemory) -> None:
    create = memory.operations.creation.create
    files = Files(Entities(memory.log, SystemClock(), event_sources.RUNNER), memory.blobs)
    here, session = Workspace(DEFAULT_AGENT), await begun(memory)
    given = (
        await files.create(here, NewFile("plan.txt", FileContent(b"the plan")), EntityWriter.user("w1"))
    ).file_id
    of_another = Workspace(DEFAULT_AGENT, session)
    hidden = (
        await files.create(of_another, NewFile("own.txt", FileContent(b"own")), EntityWriter.user("w2"))
    ).file_id
    before = await memory.log.last_sequence()
    for ids, path in (((given, hidden), "/files/1"), (("f_none",), "/files/0")):
        with pytest.raises(Rejected, match=r"send it with `POST /files`") as unknown:
            await create(NewSession(message="look", files=ids), asked("k1", {}))
        assert (unknown.value.kind, unknown.value.path) == ("invalid_request", path)
    assert await memory.log.last_sequence() == before, "nothing was begun"
    request = asked("k2", {"files": [given]})
    made = await create(NewSession(files=(given,)), request)
    await files.delete(here, FileRef(file_id=given), EntityWriter.user("w3"))
    assert await create(NewSession(files=(given,)), request) == made
    _, said = [decode(one).event for one in await memory.stored(made.id)]
    assert [(one.file_id, one.path, one.blob) for one in said.files] == [
        (given, "plan.txt", sha256_of(b"the plan"))
    ]
    too_many = NewSession(files=(given,) * (MAX_FILES + 1))
    assert await refused(create(too_many, asked())) == "invalid_request"


async def test_a_message_is_said_once_per_key(memory: InMemory) -> None:
    session, say = await begun(memory), memory.operations.steering.say
    request = asked("k", {"text": "hi"}, session)
    first, again = await say(session, "hi", request), await say(session, "hi", request)
    assert first == again
    assert await memory.kinds(session) == ["created", "user_message"]
    mismatch = say(session, "ho", asked("k", {"text": "ho"}, session))
    assert await refused(mismatch) == "idempotency_mismatch"


Doing = Callable[[InMemory, SessionId, IdempotentRequest], Awaitable[object]]
TOLD: dict[str, Doing] = {
    "user_message": lambda m, s, request: m.operations.steering.say(s, "hi", request),
    "interrupted": lambda m, s, request: m.operations.steering.interrupt(s, request),
    "retry_asked": lambda m, s, request: m.operations.steering.retry(s, request),
    "continued": lambda m, s, request: m.operations.steering.go_on(s, 9, request),
    "archived": lambda m, s, request: m.operations.steering.archive(s, request),
}


@pytest.mark.parametrize("kind", TOLD)
async def test_a_closed_session_refuses_it_but_a_repeat_gets_its_first_answer(
    memory: InMemory, kind: str
) -> None:
    session, tell = await begun(memory), TOLD[kind]
    request = asked("k", None, session)
    first = await tell(memory, session, request)
    await memory.decided(session, Completed(reason="reported"))
    assert await tell(memory, session, request) == first
    assert await refused(tell(memory, session, asked())) == "session_closed"
    assert await memory.kinds(session) == ["created", kind, "completed"]
    assert (await memory.operations.steering.rename(session, "T", asked())).sequence == 4


@pytest.mark.parametrize(
    "tell", [*TOLD.values(), lambda m, s, request: m.operations.steering.rename(s, "T", request)]
)
async def test_nobody_is_told_anything(memory: InMemory, tell: Doing) -> None:
    assert await refused(tell(memory, SessionId("s_nobody"), asked())) == "not_found"
    assert await memory.log.last_sequence() == 0


@pytest.mark.parametrize(
    ("doing", "kind"),
    [
        (lambda o, s: o.steering.say(s, " \n", asked()), "invalid_request"),
        (lambda o, s: o.steering.say(s, "x" * (MAX_TEXT + 1), asked()), "too_large"),
        (lambda o, s: o.steering.say(s, "x", asked(), ("f",) * (MAX_FILES + 1)), "invalid_request"),
        (lambda o, s: o.steering.say(s, "x", asked(), ("f_nothing",)), "invalid_request"),
        (lambda o, s: o.steering.rename(s, " ", asked()), "invalid_request"),
        (lambda o, s: o.steering.rename(s, "x" * (MAX_TITLE + 1), asked()), "invalid_request"),
        (lambda o, s: o.steering.go_on(s, 0, asked()), "invalid_request"),
        (lambda o, s: o.steering.go_on(s, MAX_TOKENS + 1, asked()), "invalid_request"),
        (lambda o, s: o.steering.say(SessionId("no id!"), "x", asked()), "invalid_id"),
        (lambda o, s: o.steering.answer(s, CallId("no id!"), "x", asked()), "invalid_id"),
        (lambda o, s: o.creation.create(NewSession(message=" "), asked()), "invalid_request"),
        (lambda o, s: o.creation.create(NewSession(model=""), asked()), "invalid_request"),
        (lambda o, s: o.creation.create(NewSession(token_limit=0), asked()), "invalid_request"),
        (lambda o, s: o.creation.create(NewSession(title=""), asked()), "invalid_request"),
        (lambda o, s: o.creation.create(NewSession(agent_id=AgentId("*")), asked()), "invalid_id"),
    ],
)
async def test_what_can_not_be_said_is_refused_by_the_operation_itself(
    memory: InMemory, doing: Any, kind: str
) -> None:
    session = await begun(memory)
    assert await refused(doing(memory.operations, session)) == kind
    assert await memory.log.last_sequence() == 1


@pytest.mark.parametrize("key", ["", "x" * (MAX_KEY + 1), "ü", "a\nb"])
def test_a_key_is_printable_ascii(key: str) -> None:
    with pytest.raises(Rejected) as caught:
        asked(key)
    assert caught.value.kind == "invalid_request"


async def pending(memory: InMemory) -> SessionId:
    session = await begun(memory)
    show = {"kind": "ask_user", "question": "Which city?", "options": ["Oslo"]}
    await memory.resulted(session, ToolCallPending(call_id=CALL, show=show, runner="r"))
    return session


async def test_a_question_takes_one_answer_and_a_repeat_gets_the_first(memory: InMemory) -> None:
    session, answer = await pending(memory), memory.operations.steering.answer
    request = asked("k", "Oslo", session)
    first = await answer(session, CALL, {"answer": "Oslo"}, request)
    assert await answer(session, CALL, {"answer": "Oslo"}, request) == first
    assert await refused(answer(session, CALL, {"answer": "Rome"}, asked())) == "already_answered"
    response = decode((await memory.stored(session))[-1]).event.response
    assert response == {"answer": "Oslo", "from_options": True}


async def test_of_answers_at_the_same_moment_one_is_taken(memory: InMemory) -> None:
    session, answer = await pending(memory), memory.operations.steering.answer
    cities = [{"answer": city} for city in ("Oslo", "Rome", "Bern", "Lima")]
    done = await asyncio.gather(
        *(answer(session, CALL, city, asked()) for city in cities), return_exceptions=True
    )
    assert [one.kind for one in done if isinstance(one, Failure)] == ["already_answered"] * 3
    assert (await memory.kinds(session)).count("tool_response") == 1


async def test_without_projections_one_can_write_but_not_look(memory: InMemory) -> None:
    session = await begun(memory)
    await memory.operations.steering.say(session, "hi", asked())
    with pytest.raises(Transient):
        await memory.operations.reading.session(session)
    with pytest.raises(Transient):
        await memory.operations.reading.sessions(SessionQuery(), None, 10)


async def test_what_only_an_engine_can_tell_is_not_known_without_one(memory: InMemory) -> None:
    session = await begun(memory)
    with pytest.raises(Transient):
        await memory.operations.folds.state(session)
    with pytest.raises(Transient):
        await memory.operations.folds.model_call(session, 1)


async def test_an_agent_without_room_in_the_log_gets_no_new_work_but_can_be_steered() -> None:
    memory = InMemory(log_limit=20_000)
    steering, session = memory.operations.steering, await begun(memory)
    first = await steering.say(session, "x" * 9_000, asked("k", {"text": "x"}))
    await memory.operations.usages.of(DEFAULT_AGENT)
    assert await refused(steering.say(session, "x" * 12_000, asked())) == "quota_exceeded"
    assert await steering.say(session, "x" * 9_000, asked("k", {"text": "x"})) == first
    kinds = await memory.kinds(session)
    assert await refused(begun(memory, message="x" * 12_000)) == "quota_exceeded"
    await memory.quota.count(DEFAULT_AGENT, 20_000)
    assert await refused(steering.say(session, "x", asked())) == "quota_exceeded"
    assert await refused(begun(memory)) == "quota_exceeded"
    await steering.interrupt(session, asked())
    await steering.rename(session, "Full", asked())
    await steering.archive(session, asked())
    assert await memory.kinds(session) == [*kinds, "interrupted", "renamed", "archived"]
    other = await memory.operations.agents.make(
        NewAgent("Other", AgentId("other"), "You are other.", starters=False), asked()
    )
    await begun(memory, agent_id=AgentId(other.id), message="hi")


async def test_a_file_that_has_no_room_is_not_imported_at_all() -> None:
    memory = InMemory(log_limit=20_000)
    head = FileHead(FORMAT, VERSION, SessionId("s_1"), DEFAULT_AGENT, (SessionId("s_1"),), "")
    created = FileEvent(1, "ses.default.1.s_1.in.created", {}, json.dumps("x" * 20_000))
    content = io.BytesIO(write(SessionFile(head, (created,))))
    assert await refused(memory.operations.imports.take(content, "keep", None)) == "quota_exceeded"
    assert memory.engine.asked == []


async def test_usage_says_what_is_used_and_what_may_be() -> None:
    memory = InMemory(log_limit=20_000)
    await begun(memory)
    found = await memory.operations.usages.of(DEFAULT_AGENT)
    assert 300 < found.log.used <= 20_000
    assert found.log.limit == 20_000
    assert found.log.begins_anew_at[:10] > found.log.day
    assert (found.database.used, found.database.limit) == (4096, 100_000_000)
    memory.runner.refusal = Transient("no tool runner answers")
    assert (await memory.operations.usages.of(DEFAULT_AGENT)).database.used is None
    memory.runner.refusal = Permanent("event 5 can't be done again", kind="internal")
    assert (await memory.operations.usages.of(DEFAULT_AGENT)).database.used is None
    assert await refused(memory.operations.usages.of(AgentId("nobody"))) == "not_found"


async def test_an_answer_is_rated_anew_and_no_more_in_a_closed_session_too(memory: InMemory) -> None:
    session, rate = await begun(memory), memory.operations.steering.rate
    answer = str(await memory.resulted(session, ANSWER))
    await memory.decided(session, Completed(reason="archived"))
    request = asked("k", {"rating": "up"}, session)
    first = await rate(session, Feedback(answer, "up"), request)
    await rate(session, Feedback(answer, "down", "Wrong city"), asked())
    await rate(session, Feedback(answer), asked())
    assert await rate(session, Feedback(answer, "up"), request) == first
    given = [decode(one).event for one in (await memory.stored(session))[-3:]]
    assert given == [Feedback(answer, "up"), Feedback(answer, "down", "Wrong city"), Feedback(answer)]


async def test_what_is_not_an_answer_of_the_session_can_not_be_rated(memory: InMemory) -> None:
    session, other = await begun(memory, message="hi"), await begun(memory)
    said = (await memory.stored(session))[-1].sequence
    elsewhere = await memory.resulted(other, ANSWER)
    summary = await memory.resulted(session, msgspec.structs.replace(ANSWER, purpose="summary"))
    before = await memory.log.last_sequence()
    for record in (0, said, elsewhere, summary, before + 9, f"{before}.7"):
        with pytest.raises(Rejected, match=f"Event {record} is not an answer") as told:
            await memory.operations.steering.rate(session, Feedback(str(record), "up"), asked())
        assert told.value.kind == "not_found"
    assert await memory.log.last_sequence() == before
