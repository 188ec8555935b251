"""What the model saw can be built again, byte for byte, and is cheap to keep."""

from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from agent_contracts.blob_ref import BlobRef, Excerpt
from agent_contracts.entities.agent_texts import DEFAULT_PROMPT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import LogCorrupt, Rejected
from agent_contracts.ids import AgentId, CallId
from agent_contracts.json_value import Json
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.model_context import ModelContext
from agent_contracts.questions.queries import ModelCallQuery
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.results import ModelCallCompleted
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock
from demo_model.server import DemoModel
from foldline_testing.agent_platform.memory_blobs import MemoryBlobs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.model_caller.calling import AGENT, KEY, SESSION, Conversation
from foldline_testing.session_domain.shown import without_times
from model_caller.providers.merging import merged
from session_domain.domain.messages import CallStatus
from session_domain.domain.shown import prompt
from session_domain.domain.shown.shapes import SHAPES
from session_domain.model_requests.rendering import Renderings, choice_of
from session_domain.model_requests.shown_before import ShownBefore

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]

SCHEMA = {
    "type": "object",
    "properties": {"key": {"type": "string", "description": "Naïve — “quoted” 😀"}, "n": {"type": "number"}},
    "required": ["key"],
    "additionalProperties": False,
}
GET = ToolSpec(
    "get_state",
    "Read one value.\n\nMore of it.",
    SCHEMA,
    "state",
    Effect.PURE,
    RunsOn.TOOLS,
    always_sent=True,
)
SET = ToolSpec("set_state", "Write one value.", SCHEMA, "state", Effect.RECORDED, RunsOn.TOOLS)
TURNS = {
    "rules": [
        {
            "turns": [
                {
                    "text": "Let me see. 😀",
                    "tool_calls": [
                        {"name": "get_state", "arguments": {"key": "a “b”", "n": 1.5}},
                        {"name": "set_state", "raw_arguments": "{oops"},
                    ],
                },
                {"text": "Done."},
            ]
        }
    ]
}


class SetClock(SystemClock):
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 4, 23, 30, tzinfo=UTC)

    def now(self) -> datetime:
        """What the test set."""
        return self.time


async def finish_tools(conversation: Conversation) -> None:
    """Every requested tool call gets a large result, and the session goes on."""
    excerpt = Excerpt("head “ä”", "tail", BlobRef("0" * 64, 99_999))
    for call in (await conversation.state()).open_calls():
        if call.status is CallStatus.REQUESTED:
            done = results.ToolCallCompleted(call.call_id, None, "runner", duration_ms=1, excerpt=excerpt)
            await conversation.add(done)
    await conversation.settle()


async def say(conversation: Conversation, text: str) -> None:
    """A turn with its tools."""
    await conversation.say(text)
    await finish_tools(conversation)


async def write(conversation: Conversation, kind: EntityKind, name: str, value: Any) -> None:
    """The user changes what the agent has."""
    key = EntityKey(AGENT, kind, name)
    await conversation.entities.write(key, value, EntityWriter.user(conversation.clock.new_id("edit")))


async def every_request_can_be_built_again(conversation: Conversation, model: DemoModel) -> None:
    """What was sent over HTTP equals what the log and the blobs give now, neighbours of one role merged."""
    answers = [one for one in await conversation.answers() if isinstance(one, ModelCallCompleted)]
    assert len(answers) == model.recording.count
    for answer, received in zip(answers, model.recording.requests, strict=True):
        shown = await conversation.shown.show(KEY, ModelCallQuery(SESSION, call_id=answer.call_id))
        request = shown["request"]
        assert request["model"] == "openai/" + received.body["model"]
        messages = list(merged(request["messages"]))
        for name, rebuilt in (("messages", messages), ("tools", request["tools"])):
            sent = received.body.get(name, [])
            assert msgspec.json.encode(rebuilt) == msgspec.json.encode(sent)


async def test_each_request_of_a_long_conversation_can_be_built_again(talk: Talk) -> None:
    clock = SetClock()
    conversation, model = await talk(TURNS, tools=(GET, SET), clock=clock)
    await say(conversation, "first")
    clock.time = datetime(2026, 3, 5, 8, 1, tzinfo=UTC)
    await write(conversation, EntityKind.PROMPT, "prompt", "You are a pirate. 🏴‍☠️\n")
    await say(conversation, "second \u2028 line")
    await write(conversation, EntityKind.NOTES, "notes", {"text": "They like rum."})
    conversation.tools.now = (SET,)
    await say(conversation, "third")
    await write(conversation, EntityKind.PROMPT, "prompt", "Something else by now.")
    conversation.tools.now = ()
    assert model.recording.count == 6
    await every_request_can_be_built_again(conversation, model)
    system = [received.messages[0]["content"] for received in model.recording.requests]
    assert system[0].startswith(DEFAULT_PROMPT)
    assert system[0] == system[1]
    assert system[2].startswith("You are a pirate.")
    said = [one["content"] for one in model.recording.requests[2].messages if one["role"] == "user"]
    assert said == [
        "[Foldline] It is 2026-03-05 00:30 (Europe/Oslo).\n\nfirst",
        "[Foldline] It is 2026-03-05 09:01 (Europe/Oslo).\n\nsecond \u2028 line",
    ]
    assert "rum" not in system[3]
    assert "They like rum." in system[4]
    assert "get_state" not in system[4]
    sent = [[tool["function"]["name"] for tool in one.body["tools"]] for one in model.recording.requests]
    assert sent == [["get_state", "find_tools", "call_tool"]] * 4 + [["find_tools", "call_tool"]] * 2


async def test_without_tools_none_are_sent(talk: Talk) -> None:
    conversation, model = await talk(TURNS)
    await conversation.say("hello")
    assert "tools" not in model.recording.requests[0].body
    await every_request_can_be_built_again(conversation, model)


async def test_the_agent_is_shown_as_of_the_request_not_as_of_the_call(talk: Talk) -> None:
    conversation, model = await talk(TURNS)
    await write(conversation, EntityKind.PROMPT, "prompt", "Before.")
    await conversation.add(inputs.UserMessage(text="hello"))
    await conversation.settle(model=False)
    await write(conversation, EntityKind.PROMPT, "prompt", "After.")
    await conversation.add(inputs.UserMessage(text="one more thing"))
    await conversation.handle_request()
    sent = model.recording.requests[0].messages
    assert sent[0]["content"].startswith("Before.")
    assert [message["content"] for message in without_times(sent[1:])] == ["hello"]


async def test_a_deleted_prompt_is_the_built_in_one_again(talk: Talk) -> None:
    conversation, model = await talk(TURNS)
    await write(conversation, EntityKind.PROMPT, "prompt", "Mine.")
    await conversation.entities.delete(
        EntityKey(AGENT, EntityKind.PROMPT, "prompt"), EntityWriter.user(conversation.clock.new_id("edit"))
    )
    await conversation.say("hello")
    assert model.recording.requests[0].messages[0]["content"].startswith(DEFAULT_PROMPT)


async def test_the_texts_stand_in_their_order_and_exactly_as_they_were_written(talk: Talk) -> None:
    conversation, model = await talk(TURNS, tools=(GET, SET))
    prompt, notes, notepad = "\r\n You are a pirate. 🏴‍☠️\n\n", "  - rum\n", "1. dig\r\n2. rest \n"
    await write(conversation, EntityKind.PROMPT, "prompt", prompt)
    await write(conversation, EntityKind.NOTES, "notes", notes)
    await write(conversation, EntityKind.NOTEPAD, SESSION, notepad)
    await write(conversation, EntityKind.NOTEPAD, "s_other", "not yours")
    await conversation.say("hello")
    system = model.recording.requests[0].messages[0]["content"]
    assert system.startswith(f"{prompt}\n\n# What you have learned\n\n{notes}\n\n# More tools\n\n")
    assert system.endswith(f"\n\n# This session's notepad\n\n{notepad}")
    assert "not yours" not in system
    await every_request_can_be_built_again(conversation, model)


async def test_a_text_that_is_blank_is_left_out_with_its_heading(talk: Talk) -> None:
    conversation, model = await talk(TURNS)
    for kind, name in (
        (EntityKind.PROMPT, "prompt"),
        (EntityKind.NOTES, "notes"),
        (EntityKind.NOTEPAD, SESSION),
    ):
        await write(conversation, kind, name, " \r\n")
    await conversation.say("hello")
    assert [one["role"] for one in model.recording.requests[0].messages] == ["user"]


class CountingBlobs(MemoryBlobs):
    """Notes what is stored."""

    def __init__(self) -> None:
        super().__init__()
        self.put_count = 0

    async def put(
        self, data: bytes, media_type: str = "application/json", *, owner: AgentId | None = None
    ) -> BlobRef:
        """Store and count."""
        assert owner is not None
        self.put_count += 1
        return await super().put(data, media_type)


async def test_a_warm_call_stores_nothing_and_a_change_stores_only_what_is_new(talk: Talk) -> None:
    clock, blobs = SetClock(), CountingBlobs()
    conversation, _ = await talk(TURNS, tools=(GET, SET), clock=clock, blobs=blobs)
    await say(conversation, "first")
    assert blobs.put_count == 7  # prompt, list of tools, three definitions, the shapes, the manifest
    clock.time = datetime(2026, 3, 6, tzinfo=UTC)
    await say(conversation, "the clock alone is not stored")
    assert blobs.put_count == 7
    await write(conversation, EntityKind.NOTES, "notes", "New.")
    await say(conversation, "third")
    assert blobs.put_count == 9  # the notes, the manifest
    recorded = [one.context for one in await conversation.answers()]
    contexts = {context for context in recorded if context is not None}
    assert len(contexts) == 2
    assert None in recorded
    for address in contexts:
        assert address is not None
        context = msgspec.json.decode(await blobs.get(address), type=ModelContext)
        assert context.timezone == "Europe/Oslo"
        for part in context.system:
            await blobs.get(part.sha256)


async def test_what_was_shown_stays_as_it_was_whatever_the_prompt_looks_like_today(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation, model = await talk(TURNS, tools=(GET, SET), clock=SetClock())
    await say(conversation, "first")
    await say(conversation, "second")
    before = model.recording.count
    for kind in SHAPES:
        words = f"{kind} in other words"
        shape: Json = words if kind == "clock" else [{"role": "user", "content": words}]
        monkeypatch.setitem(SHAPES, kind, shape)
    monkeypatch.setattr(prompt, "_headed", lambda heading, text: f"{heading}, headed otherwise: {text}")
    monkeypatch.setattr(
        Renderings, "now", lambda _, session, zone: choice_of(session, [0], None, SHAPES, zone)
    )
    await every_request_can_be_built_again(conversation, model)
    conversation.forgets()
    await say(conversation, "third")
    *_, newest = model.recording.requests
    assert newest.messages == [
        {
            "role": "user",
            "content": "system in other words\n\nclock in other words\n\nuser in other words",
        }
    ]
    assert model.recording.count > before
    await every_request_can_be_built_again(conversation, model)


async def test_a_call_records_which_messages_are_new_to_it_however_many_came_before(talk: Talk) -> None:
    conversation, _ = await talk({"rules": [{"reply": {"text": "Yes."}}]})
    for number in range(20):
        await conversation.say(f"message {number}")
    shown = [one.shown for one in await conversation.answers()]
    assert [one.beyond for one in shown if one is not None] == [
        (0,),
        *((number, number + 1) for number in range(1, 39, 2)),
    ]
    assert len({len(msgspec.json.encode(one)) for one in shown[-5:]}) == 1


async def test_a_call_by_another_process_goes_on_from_what_is_in_the_log(talk: Talk) -> None:
    conversation, model = await talk(TURNS, tools=(GET,))
    await say(conversation, "first")
    conversation.caller = conversation.new_caller()
    await say(conversation, "second")
    assert all(one.shown is not None and len(one.shown.beyond) <= 2 for one in await conversation.answers())
    await every_request_can_be_built_again(conversation, model)


async def test_what_the_log_lost_of_earlier_calls_is_told_and_not_made_up(talk: Talk) -> None:
    conversation, _ = await talk({"rules": [{"reply": {"text": "Yes."}}]})
    for text in ("one", "two"):
        await conversation.say(text)
    state, (_, second) = await conversation.state(), await conversation.answers()
    assert second.shown is not None
    before_the_answer = msgspec.structs.replace(state, history=state.history[:3])
    assert await ShownBefore(conversation.log).messages(before_the_answer, second.shown) == [0, 1, 2]
    with pytest.raises(LogCorrupt):
        await ShownBefore(MemoryLog()).messages(before_the_answer, second.shown)
    other = msgspec.structs.replace(second.shown, new=(1, 3))
    with pytest.raises(LogCorrupt):
        await ShownBefore(conversation.log).messages(before_the_answer, other)


async def test_a_call_is_shown_by_its_number_or_its_id(talk: Talk) -> None:
    conversation, model = await talk(TURNS, tools=(GET,))
    await say(conversation, "first")
    shown = await conversation.shown.show(KEY, ModelCallQuery(SESSION, number=2))
    answers = await conversation.answers()
    assert shown["call_id"] == answers[1].call_id
    assert shown["answer"]["text"] == "Done."
    assert shown["error"] is None
    assert shown["request"]["messages"] == model.recording.requests[1].messages
    assert shown["requested_sequence"] < shown["result_sequence"]
    assert shown == await conversation.shown.show(KEY, ModelCallQuery(SESSION, call_id=answers[1].call_id))
    msgspec.json.encode(shown)


@pytest.mark.parametrize(
    "query", [ModelCallQuery(SESSION, number=9), ModelCallQuery(SESSION, call_id=CallId("m000099"))]
)
async def test_a_call_that_never_was_is_not_found(talk: Talk, query: ModelCallQuery) -> None:
    conversation, _ = await talk(TURNS)
    await conversation.say("hello")
    with pytest.raises(Rejected) as refused:
        await conversation.shown.show(KEY, query)
    assert refused.value.kind == "not_found"


async def test_a_call_under_way_is_shown_without_what_is_not_known_yet(talk: Talk) -> None:
    conversation, _ = await talk(TURNS)
    await conversation.add(inputs.UserMessage(text="hello"))
    await conversation.settle(model=False)
    shown = await conversation.shown.show(KEY, ModelCallQuery(SESSION, number=1))
    assert (shown["request"], shown["answer"], shown["error"]) == (None, None, None)


async def test_a_failed_call_is_shown_with_what_was_sent(talk: Talk) -> None:
    script = {"rules": [{"reply": {"text": "x", "fault": {"kind": "bad_request"}}}]}
    conversation, model = await talk(script)
    await conversation.say("hello")
    shown = await conversation.shown.show(KEY, ModelCallQuery(SESSION, number=1))
    assert shown["error"]["kind"] == "bad_request"
    assert shown["request"]["messages"] == model.recording.requests[0].messages


async def test_what_was_shown_before_is_not_read_again_by_who_read_the_session(talk: Talk) -> None:
    """The second call needs the first one's answer, which stands among what is read of the session anyway."""
    conversation, _ = await talk({"rules": [{"reply": {"text": "Yes."}}]})
    asked: list[int] = []
    record = conversation.log.record

    async def counting(sequence: int) -> Sequence[StoredMessage]:
        asked.append(sequence)
        return await record(sequence)

    conversation.log.record = counting  # type: ignore[method-assign]
    for _ in range(3):
        await conversation.say("Hello")
    assert not asked
    assert [one.context is None for one in await conversation.answers()] == [False, True, True]


async def test_parts_that_were_erased_with_another_chat_are_stored_again(talk: Talk) -> None:
    blobs = CountingBlobs()
    conversation, _ = await talk(TURNS, tools=(GET, SET), clock=SetClock(), blobs=blobs)
    await say(conversation, "first")
    blobs.lose_all()
    await write(conversation, EntityKind.NOTES, "notes", "New.")
    await say(conversation, "second")
    address = [one.context for one in await conversation.answers() if one.context is not None][-1]
    context = msgspec.json.decode(await blobs.get(address), type=ModelContext)
    for sha256 in (*(part.sha256 for part in context.system), *context.tools, context.shapes):
        await blobs.get(sha256)
