"""Events are told from other messages by the message alone, and in the same words for everybody."""

from collections.abc import AsyncIterator

import pytest

from agent_contracts import event_sources
from agent_contracts.errors import Permanent
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.records import NewMessage, SkippedMessage, StoredMessage, read
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import EVERYTHING
from agent_contracts.session_events.inputs import Created, UserMessage
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.events import events, last_event
from agent_platform.log.port import Log
from agent_platform.process.clock import SystemClock
from foldline_testing.session_domain.misfits import BY_THE_FOLD, ELSEWHERE, OF_AGENTS, OF_SESSIONS

KEY = SessionKey(AgentId("a1"), SessionId("s1"))
MISFITS = {**OF_SESSIONS, **OF_AGENTS}
BY_THE_MESSAGE = [name for name in MISFITS if name not in BY_THE_FOLD and name != "another agent's"]


def stored(message: NewMessage) -> StoredMessage:
    return StoredMessage(7, message.subject, message.data, message.headers)


@pytest.mark.parametrize("name", BY_THE_MESSAGE)
def test_a_misfit_is_skipped_with_its_problem(name: str) -> None:
    found = read(stored(MISFITS[name](KEY)))
    assert isinstance(found, SkippedMessage), found
    assert found.sequence == 7
    assert found.kind
    assert 10 < len(found.problem) < 400


def test_there_are_forty_kinds_and_more() -> None:
    assert len(OF_SESSIONS) >= 40
    assert len({make(KEY).data + make(KEY).subject.encode() for make in MISFITS.values()}) > 40


def test_a_second_creation_can_only_be_told_by_what_came_before() -> None:
    assert not isinstance(read(stored(OF_SESSIONS["a second creation"](KEY))), SkippedMessage)


def test_those_elsewhere_are_in_no_stream_of_the_session() -> None:
    for name in ELSEWHERE:
        assert not OF_SESSIONS[name](KEY).subject.startswith(KEY.prefix + ".")


async def test_the_events_are_read_as_if_nothing_stood_between_them(log: Log) -> None:
    said = [await append(log, f"{number}") for number in range(2)]
    for name in BY_THE_MESSAGE:
        await log.append(MISFITS[name](KEY))
    said.append(await append(log, "last"))
    found = [recorded.sequence async for recorded in events(_everything(log))]
    assert found == said


async def test_the_last_event_is_the_last_one_that_can_be_read(log: Log) -> None:
    subject = KEY.input("foldline.session.user_message.v1")
    assert await last_event(log, subject) is None
    await log.append(OF_SESSIONS["no JSON"](KEY))
    assert await last_event(log, subject) is None
    first = await append(log, "first")
    for name in ("no JSON", "an actor that is none", "an empty body"):
        await log.append(OF_SESSIONS[name](KEY))
    found = await last_event(log, subject)
    assert found is not None
    assert (found.sequence, found.event) == (first, UserMessage(text="first"))
    second = await append(log, "second")
    now, then = await last_event(log, subject), await last_event(log, subject, up_to=second - 1)
    assert now is not None
    assert then is not None
    assert (now.sequence, then.sequence) == (second, first)


def test_nobody_writes_what_nobody_would_read() -> None:
    created = Created(agent_id=AgentId("other"), token_limit=1)
    origin = Origin(event_sources.GATEWAY, Actor.USER)
    with pytest.raises(Permanent, match="agent 'other'"):
        event_message(created, KEY.input("foldline.session.created.v1"), origin, SystemClock())
    said = UserMessage(text="x")
    with pytest.raises(Permanent, match="only /gateway"):
        event_message(
            said, KEY.input("foldline.session.user_message.v1"), Origin(event_sources.RUNNER), SystemClock()
        )


async def append(log: Log, text: str) -> int:
    said = UserMessage(text=text)
    subject = KEY.input("foldline.session.user_message.v1")
    message, _ = event_message(said, subject, Origin(event_sources.GATEWAY, Actor.USER), SystemClock())
    return await log.append(message)


async def _everything(log: Log) -> AsyncIterator[StoredMessage]:
    async for message in log.read(EVERYTHING):
        yield message
