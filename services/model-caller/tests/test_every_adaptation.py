"""Each adaptation over HTTP: refused once, asked in another form, remembered by whoever asks next."""

import base64
import json
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.model_adaptations import ADAPTATIONS_KIND, Adaptation, ModelAdaptations
from agent_contracts.files import SentFile
from agent_contracts.ids import CallId
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import ModelCallCompleted, ToolCallCompleted
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from foldline_testing.model_caller.calling import Conversation
from foldline_testing.model_caller.servers import Asked, refused
from foldline_testing.model_caller.ways import WAYS, Way
from session_domain.domain.messages import CallStatus
from session_domain.domain.state import Status

RICH = {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer"}}}
ADD = ToolSpec("add", "Add.", RICH, "sums", Effect.PURE, RunsOn.TOOLS, always_sent=True)
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DETAILS = [{"type": "reasoning.text", "text": "hm", "index": 0}]
OPENAI = Way(*WAYS["openai"])


class Row(msgspec.Struct, frozen=True):
    """What a server refuses, in which words, and what is learned from it. `begins`: what the chat has before
    anything is refused."""

    label: str
    refuses: Callable[[Any], bool]
    said: str
    begins: str = "a message"


def has(pattern: str) -> Callable[[Any], bool]:
    """Whether the messages have it, as JSON."""
    return lambda sent: re.search(pattern, json.dumps(sent["messages"])) is not None


def roles(sent: Any) -> list[str]:
    return [one["role"] for one in sent["messages"]]


def results(sent: Any) -> list[Any]:
    return [one for one in sent["messages"] if one["role"] == "tool"]


def calls(sent: Any) -> list[Any]:
    return [one for one in sent["messages"] if one.get("tool_calls")]


ROWS = (
    Row("without_field stream_options", lambda sent: "stream_options" in sent,
        "Unknown parameter: 'stream_options'"),
    Row("without_field max_tokens", lambda sent: "max_tokens" in sent, "Unknown parameter: 'max_tokens'"),
    Row("max_completion_tokens", lambda sent: "max_tokens" in sent,
        "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
    Row("answer_limit 100", lambda sent: sent.get("max_tokens", 0) > 100,
        "max_tokens is too large: 300. This model supports at most 100 completion tokens"),
    Row("no_tools", lambda sent: bool(sent.get("tools")), "tools param requires --jinja flag"),
    Row("plain_schemas", lambda sent: "$ref" in json.dumps(sent.get("tools")),
        "Unsupported JSON schema in tool add: $ref"),
    Row("no_pictures", has('"image_url"'), "image input is not supported - hint: mmproj", "a picture"),
    Row("strict_alternation",
        lambda sent: any(two == ("tool", "user") for two in pairwise(roles(sent))),
        "After the optional system message, conversation roles must alternate user and assistant",
        "a call and a message"),
    Row("developer_role", lambda sent: "system" in roles(sent),
        "Unsupported value: 'system'. Use 'developer' instead."),
    Row("no_system_role", lambda sent: "system" in roles(sent), "System role not supported"),
    Row("no_tool_role", lambda sent: "tool" in roles(sent), "Unknown message role: 'tool'", "a call"),
    Row("tool_names", lambda sent: not all("name" in one for one in results(sent)),
        "a message of role tool must have a name", "a call"),
    Row("short_call_ids", has('"tool_call_id": "(?![A-Za-z0-9]{9}")'),
        "Tool call id must be a-z, A-Z, 0-9, with a length of 9.", "a call"),
    Row("reasoning_back", lambda sent: any("reasoning_content" not in one for one in calls(sent)),
        "The `reasoning_content` in the thinking mode must be passed back to the API.", "a call"),
    Row("no_reasoning", has('"reasoning_details"'), "Unknown field: messages[2].reasoning_details",
        "a call"),
)  # fmt: skip


def server(row: Row) -> tuple[Callable[[Asked], Iterator[bytes]], list[Any]]:
    """Refuses what the row says; else it answers a first message by a call, where the row begins so. With it,
    what was refused."""
    turned_down: list[Any] = []

    def answer(asked: Asked) -> Iterator[bytes]:
        speech, sent = OPENAI.speech, asked.body
        thought: dict[str, Any] = {"reasoning_content": "R1"} if row.label == "reasoning_back" else {}
        if row.label == "no_reasoning":
            thought = {"reasoning_details": DETAILS}
        thinks = [{"choices": [{"index": 0, "delta": thought}]}] if thought else []
        if row.refuses(sent):
            turned_down.append(sent)
            yield refused(400, {"error": {"message": row.said, "type": "invalid_request_error"}})
        elif row.begins.startswith("a call") and len(roles(sent)) < 3:
            called = [*thinks, *speech.call(0, "provider-call-1", "add"), *speech.arguments(0, "{}")]
            yield OPENAI.says(called, end="tool_calls")
        else:
            yield OPENAI.says(thinks, speech.text("Well."))

    return answer, turned_down


async def say(conversation: Conversation, row: Row, text: str) -> None:
    """A turn that has all that the row is about."""
    if row.begins == "a picture":
        blob = await conversation.blobs.put(PNG, "image/png")
        sent = SentFile("f_1", "p.png", "image/png", blob.size, 1, blob.sha256)
        await conversation.add(inputs.UserMessage(text, (sent,)))
        await conversation.settle()
        return
    await conversation.say(text)
    for call in (await conversation.state()).open_calls():
        if call.status is CallStatus.REQUESTED:
            if row.begins == "a call and a message":
                await conversation.add(inputs.UserMessage("besides"))
            await conversation.add(ToolCallCompleted(CallId(call.call_id), {"sum": 3}, "r", duration_ms=1))
    await conversation.settle()


async def known(conversation: Conversation) -> list[str]:
    """What is remembered, by label."""
    found = await conversation.entities.list(SYSTEM_AGENT, ADAPTATIONS_KIND)
    return [one.label for each in found for one in msgspec.convert(each.value, ModelAdaptations).learned]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.label)
async def test_what_is_refused_once_is_never_sent_again(row: Row) -> None:
    answer, turned_down = server(row)
    more: dict[str, Any] = {"vision_models": "all", "tools": (ADD,), "caps": {"answer_limit": 300}}
    async with OPENAI.chat(answer, **more) as (conversation, seen):
        await say(conversation, row, "hello")
        assert len(turned_down) == 1, "it was sent, and refused once"
        assert await known(conversation) == [row.label]
        last = (await conversation.answers())[-1]
        assert isinstance(last, ModelCallCompleted)
        assert (last.text, last.adapted) == ("Well.", (row.label,))
        conversation.forgets()  # as another model caller, which has only what is kept
        before = len(seen)
        await say(conversation, row, "and now?")
        assert len(seen) == before + 1, "the next request is right at once"
        assert len(turned_down) == 1
        assert (await conversation.state()).status is Status.IDLE


async def test_every_content_is_a_text_unless_it_has_a_picture() -> None:
    row = Row("", lambda _: False, "", "a call")
    answer, _ = server(row)
    async with OPENAI.chat(answer, tools=(ADD,)) as (conversation, seen):
        await say(conversation, row, "hello")
    assert {type(one["content"]) for asked in seen for one in asked.body["messages"]} == {str}


def test_no_adaptation_is_left_out() -> None:
    """Only pictures make a content other than a text, and `no_pictures` describes those in words."""
    never_needed = {Adaptation.TEXT_CONTENT}
    assert {Adaptation(row.label.split()[0]) for row in ROWS} == set(Adaptation) - never_needed
