"""A second door: lines of text instead of HTTP. All that it needs are the operations and the failures."""

import asyncio
import contextlib
import shlex
from collections.abc import AsyncIterator

import pytest

from agent_contracts.api.state import Operation
from agent_contracts.entities.agent_texts import DEFAULT_AGENT, SYSTEM_PROMPT
from agent_contracts.errors import Failure
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.address import NOWHERE, parse_address
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.questions.queries import Delta
from agent_contracts.session_events.results import ToolCallPending
from agent_domain.text_edits import TextEdit
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.gateway.in_memory import InMemory
from gateway.live.event_filter import EventFilter
from gateway.live.event_view import event_view
from gateway.operations.agents.texts import OneText
from gateway.operations.idempotency import asked
from gateway.operations.operations import Operations
from gateway.operations.rewind.session_rewinds import WantedParts
from gateway.operations.sessions.creation import NewSession


class LineDoor:
    """Parses a line, calls one operation, answers with a line: as thin as a door can be."""

    def __init__(self, operations: Operations) -> None:
        self._operations = operations

    async def line(self, text: str) -> str:
        """The answer to one line."""
        verb, *words = shlex.split(text)
        try:
            return await self._does(verb, words)
        except Failure as failure:
            return f"no: {failure.kind}"

    async def _does(self, verb: str, words: list[str]) -> str:
        operations = self._operations
        match verb, words:
            case "new", [message]:
                return (await operations.creation.create(NewSession(message=message), asked())).id
            case "say", [session, message, key]:
                request = asked(key, message, SessionId(session))
                return str((await operations.steering.say(SessionId(session), message, request)).sequence)
            case "answer", [session, call, answer]:
                response = {"answer": answer}
                done = await operations.steering.answer(SessionId(session), CallId(call), response, asked())
                return str(done.sequence)
            case "stop", [session]:
                return str((await operations.steering.interrupt(SessionId(session), asked())).sequence)
            case "close", [session]:
                return str((await operations.steering.archive(SessionId(session), asked())).sequence)
            case "back", [session, to]:
                wanted = WantedParts(parse_address(to), ("conversation",))
                done_ = await operations.session_rewinds.rewind(SessionId(session), wanted, asked())
                return f"at {done_.target_sequence}"
            case "prompt", [added]:
                edit = TextEdit(Operation.APPEND, content=added)
                text = await operations.texts.edit(OneText(DEFAULT_AGENT, SYSTEM_PROMPT), edit, None, asked())
                return f"version {text.version}"
            case _:
                return "what?"

    async def listen(self, session: str) -> AsyncIterator[str]:
        """A line for each thing that happens in the session, from its beginning."""
        listening = await self._operations.events.listen(
            EventFilter(session_id=session), NOWHERE, heartbeat_s=60
        )
        async with contextlib.aclosing(listening.frames()) as batches:
            async for batch in batches:
                for frame in batch:
                    match frame.what:
                        case StoredMessage() as message:
                            yield event_view(message).type.split(".")[2]
                        case Delta(text=text):
                            yield f"… {text}"
                        case _:
                            pass


@pytest.fixture
def door(memory: InMemory) -> LineDoor:
    return LineDoor(memory.operations)


async def test_a_conversation_goes_through_a_door_without_http(memory: InMemory, door: LineDoor) -> None:
    session = await door.line("new hello")
    said = await door.line(f"say {session} 'and then?' key")
    assert await door.line(f"say {session} 'and then?' key") == said
    assert await door.line(f"say {session} 'and now?' key") == "no: idempotency_mismatch"
    show = {"kind": "ask_user", "question": "Which city?", "options": None}
    await memory.resulted(session, ToolCallPending(call_id=CallId("c1"), show=show, runner="r"))
    answered = await door.line(f"answer {session} c1 Oslo")
    assert answered.isdecimal()
    assert await door.line(f"answer {session} c1 Rome") == "no: already_answered"
    assert (await door.line(f"stop {session}")).isdecimal()
    assert (await door.line(f"close {session}")).isdecimal()
    assert await door.line(f"say {session} again k") == "no: session_closed"
    assert await memory.kinds(session) == [
        "created",
        "user_message",
        "user_message",
        "tool_call_pending",
        "tool_response",
        "interrupted",
        "archived",
    ]


async def test_refusals_and_silence_have_words_at_every_door(door: LineDoor) -> None:
    session = await door.line("new hello")
    assert await door.line("say s_nobody hi k") == "no: not_found"
    assert await door.line("say 'no id' hi k") == "no: invalid_id"
    assert await door.line(f"say {session} ' ' k") == "no: invalid_request"
    assert await door.line(f"back {session} 1") == "no: unavailable", "no session engine is running"


async def test_what_an_agent_works_by_is_edited_through_it(door: LineDoor) -> None:
    assert await door.line("prompt 'Be brief.'") == "version 1"
    assert await door.line("prompt 'Be kind.'") == "version 2"


async def test_one_listens_through_it_from_the_beginning_and_to_what_comes(
    memory: InMemory, door: LineDoor
) -> None:
    session = await door.line("new hello")
    heard: list[str] = []

    async def listen() -> None:
        async for line in door.listen(session):
            heard.append(line)

    async def joined() -> bool | None:
        return memory.feed.listeners == 1 or None

    async def all_heard() -> list[str] | None:
        return heard if len(heard) >= 4 else None

    async with memory.following():
        listening = asyncio.create_task(listen())
        await eventually(joined)
        memory.feed.hand_out_delta(Delta(SessionId(session), CallId("m1"), 1, 0, "Hel"))
        await door.line(f"stop {session}")
        assert await eventually(all_heard) == ["created", "user_message", "… Hel", "interrupted"]
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
    assert memory.feed.listeners == 0
