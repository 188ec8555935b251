"""What a server refuses is asked once more in another form, and remembered for its model."""

import base64
import json
import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.model_adaptations import ADAPTATIONS_KIND, ModelAdaptations
from agent_contracts.files import SentFile
from agent_contracts.ids import CallId
from agent_contracts.questions.queries import ModelCallQuery
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from foldline_testing.model_caller.calling import KEY, SESSION, Conversation
from foldline_testing.model_caller.servers import Asked, refused
from foldline_testing.model_caller.ways import Way
from session_domain.domain.messages import CallStatus

OPENAI = pytest.mark.parametrize("way", ["openai"], indirect=True)
OPENAIS = pytest.mark.parametrize("way", ["openai", "litellm"], indirect=True)
OURS = pytest.mark.parametrize("way", ["openai", "anthropic"], indirect=True)
WITH_IDS = pytest.mark.parametrize("way", ["openai", "anthropic", "litellm"], indirect=True)
"""Ollama's own API has no ids of calls."""
ADD = ToolSpec("add", "Add.", {"type": "object"}, "sums", Effect.PURE, RunsOn.TOOLS, always_sent=True)
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

Refuses = Callable[[Any], bool]


def server(way: Way, refuses: Refuses, status: int, body: Any, calls: bool = False) -> Any:
    """Refuses some requests, and answers all others; with `calls`, the first of these by a call."""
    pending = [calls]

    def answer(asked: Asked) -> Iterable[bytes]:
        if refuses(asked.body):
            yield refused(status, body)
        elif pending.pop() if pending and pending[0] else False:
            chunks = [*way.speech.call(0, "provider-call-1", "add"), *way.speech.arguments(0, "{}")]
            yield way.says(chunks, end="tool_calls")
        else:
            yield way.says(way.speech.text("Well."))

    return answer


async def known(conversation: Conversation) -> list[str]:
    """What is remembered, by label."""
    found = await conversation.entities.list(SYSTEM_AGENT, ADAPTATIONS_KIND)
    values = [msgspec.convert(one.value, ModelAdaptations) for one in found]
    return [one.label for value in values for one in value.learned]


async def last(conversation: Conversation) -> ModelCallCompleted:
    """The last answer."""
    answer = (await conversation.answers())[-1]
    assert isinstance(answer, ModelCallCompleted), answer
    return answer


async def done(conversation: Conversation) -> None:
    """The call that is open has its result."""
    (call,) = [one for one in (await conversation.state()).open_calls() if one.status is CallStatus.REQUESTED]
    await conversation.add(results.ToolCallCompleted(CallId(call.call_id), {"sum": 3}, "r", duration_ms=1))
    await conversation.settle()


async def send_picture(conversation: Conversation, text: str) -> None:
    blob = await conversation.blobs.put(PNG, "image/png")
    await conversation.add(
        inputs.UserMessage(text, (SentFile("f_1", "p.png", "image/png", blob.size, 1, blob.sha256),))
    )
    await conversation.settle()


def error(words: str, **more: Any) -> dict[str, Any]:
    """As most servers say it."""
    return {"error": {"message": words, "type": "invalid_request_error", **more}}


STREAM_OPTIONS: list[tuple[int, Any]] = [
    (400, error("Unknown parameter: 'stream_options'.", param="stream_options")),
    (400, error("Unrecognized request argument supplied: stream_options")),
    (422, {"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]}),
    (400, error("stream_options is not supported by this model")),
    (500, error("create() got an unexpected keyword argument 'stream_options'")),
    (400, [{"error": {"code": 400, "message": 'Invalid JSON payload. Unknown name "stream_options"'}}]),
    (400, error("The option include_usage is not available")),
]


@OPENAIS
@pytest.mark.parametrize(("status", "body"), STREAM_OPTIONS)
async def test_a_field_that_is_refused_by_name_is_left_out(way: Way, status: int, body: Any) -> None:
    answers = server(way, lambda sent: "stream_options" in sent, status, body)
    async with way.chat(answers) as (conversation, seen):
        await conversation.say("hello")
        answer = await last(conversation)
        assert (answer.text, answer.attempts, len(seen)) == ("Well.", 2, 2)
        assert answer.adapted == ("without_field stream_options",)
        assert await known(conversation) == ["without_field stream_options"]
        conversation.forgets()
        await conversation.say("and now?")
        assert len(seen) == 3, "it is remembered"
        assert [one for one in await conversation.events() if isinstance(one.event, ModelCallFailed)] == []


NO_TOOLS = [
    (400, error("registry.ollama.ai/library/gemma:2b does not support tools")),
    (400, error('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')),
    (500, error("tools param requires --jinja flag")),
    (404, error("No endpoints found that support tool use. To learn more, see the docs")),
    (400, error("`tools` is not supported with this model", param="tools")),
    (400, error("This model doesn't support function calling.")),
    (400, error("Function calling is not enabled for models/gemma-3-1b-it")),
    (422, {"detail": [{"loc": ["body", "tools"], "msg": "Extra inputs are not permitted"}]}),
    (400, error("tool use is unsupported for this deployment")),
]


@pytest.mark.parametrize(("status", "body"), NO_TOOLS)
async def test_a_model_that_takes_no_tools_is_asked_without_them(way: Way, status: int, body: Any) -> None:
    answers = server(way, lambda sent: bool(sent.get("tools")), status, body)
    async with way.chat(answers, tools=(ADD,)) as (conversation, seen):
        await conversation.say("hello")
        answer = await last(conversation)
        assert (answer.text, len(seen)) == ("Well.", 2)
        assert "no_tools" in answer.adapted
        await conversation.say("and now?")
        assert len(seen) == 3
        assert "You have no tools" in json.dumps(seen[-1].body)
        shown: Any = await conversation.shown.show(KEY, ModelCallQuery(SESSION, number=2))
        assert shown["request"]["tools"] == [], "what was sent is what is recorded"


@OURS
async def test_earlier_calls_are_told_as_text_where_no_tools_are_taken(way: Way) -> None:
    refuse = [False]
    answers = server(
        way, lambda sent: refuse[0] and "tools" in sent, 400, error("it does not support tools"), calls=True
    )
    async with way.chat(answers, tools=(ADD,)) as (conversation, seen):
        await conversation.say("hello")
        await done(conversation)
        refuse[0] = True
        await conversation.say("and now?")
        assert (await last(conversation)).text == "Well."
        sent = json.dumps(seen[-1].body["messages"])
    assert "[Called add: {}]" in sent
    assert "[Result of add]" in sent
    assert not re.search(r"tool_calls|tool_use|tool_result|\"tool\"", sent)


PICTURES = [
    (
        500,
        error("image input is not supported - hint: if this is unexpected, you may need to provide mmproj"),
    ),
    (400, error("This model does not support image input")),
    (404, error("No endpoints found that support image input")),
    (400, error("Invalid content type. image_url is only supported by certain models.")),
    (422, {"detail": [{"loc": ["body", "messages", 1, "content"], "msg": "Input should be a valid string"}]}),
    (400, error("At most 0 image(s) may be provided in one prompt.")),
    (400, error("unknown variant `image_url`, expected `text`")),
    (400, error("my-model is not a multimodal model")),
    (400, error("Multimodal content is unsupported")),
]


@OURS
@pytest.mark.parametrize(("status", "body"), PICTURES)
async def test_refused_pictures_are_described_and_never_sent_again(way: Way, status: int, body: Any) -> None:
    def has_picture(sent: Any) -> bool:
        return re.search(r'"type": "(image|image_url)"', json.dumps(sent["messages"])) is not None

    answers = server(way, has_picture, status, body)
    async with way.chat(answers, vision_models="all") as (conversation, seen):
        await send_picture(conversation, "What is this?")
        assert (await last(conversation)).adapted[-1] == "no_pictures"
        assert len(seen) == 2
        assert "You can't see pictures" in json.dumps(seen[-1].body)
        await conversation.say("and now?")
        await send_picture(conversation, "And this?")
        assert len(seen) == 4, "never sent again"


IDS: list[tuple[int, Any]] = [
    (400, {"object": "error", "message": "Tool call id was provider-1 but must be a-z, A-Z, 0-9, with a "
           "length of 9.", "type": "invalid_request_error", "code": 3280}),
    (400, error("no", code="3280")),
    (400, error("Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum "
                "length 9, but got a string with length 12 instead.")),
    (422, {"detail": [{"loc": ["body", "messages", 2, "tool_call_id"],
                       "msg": "String should match pattern '^[A-Za-z0-9]{9}$'"}]}),
    (500, error("Jinja Exception: Tool call IDs should be alphanumeric strings with length 9!")),
]  # fmt: skip


def ids_in(sent: Any) -> list[str]:
    return re.findall(r'"(?:tool_call_id|tool_use_id|id)": "([^"]*)"', json.dumps(sent["messages"]))


@WITH_IDS
@pytest.mark.parametrize(("status", "body"), IDS)
async def test_ids_get_the_form_that_a_server_wants(way: Way, status: int, body: Any) -> None:
    def too_long(sent: Any) -> bool:
        return any(not re.fullmatch("[A-Za-z0-9]{9}", one) for one in ids_in(sent))

    answers = server(way, too_long, status, body, calls=True)
    async with way.chat(answers, tools=(ADD,)) as (conversation, seen):
        await conversation.say("hello")
        await done(conversation)
        answer = await last(conversation)
        assert (answer.text, answer.adapted, len(seen)) == ("Well.", ("short_call_ids",), 3)
        call, result = ids_in(seen[-1].body)
        assert call == result
        before = ids_in(seen[-1].body)
        conversation.forgets()
        await conversation.say("and now?")
        assert (ids_in(seen[-1].body), len(seen)) == (before, 4), "the same ids for ever"


def roles_of(sent: Any) -> list[str]:
    return [one["role"] for one in sent["messages"]]


def alternates(sent: Any) -> bool:
    """As templates of Mistral's models want it: those that call count with their results."""
    counted = [
        one["role"]
        for one in sent["messages"]
        if one["role"] == "user" or (one["role"] == "assistant" and not one.get("tool_calls"))
    ]
    first = sent["messages"][0]["role"]
    return counted == ["user", "assistant"] * (len(counted) // 2) + ["user"] * (len(counted) % 2) and (
        first in ("system", "user")
    )


ALTERNATION = [
    (500, error("Jinja Exception: conversation roles must alternate user/assistant/user/assistant/...")),
    (400, error("After the optional system message, conversation roles must alternate user and assistant")),
    (400, error("Conversation roles must alternate")),
    (400, error("Expected last role User or Tool (or Assistant with prefix True) but got user")),
    (400, error("Unexpected role 'user' after role 'tool'", code="3230")),
]


@OPENAI
@pytest.mark.parametrize(("status", "body"), ALTERNATION)
async def test_roles_alternate_where_a_template_wants_it(way: Way, status: int, body: Any) -> None:
    answers = server(way, lambda sent: not alternates(sent), status, body, calls=True)
    async with way.chat(answers, tools=(ADD,)) as (conversation, seen):
        await conversation.say("hello")
        await conversation.add(inputs.UserMessage("besides"))
        await done(conversation)
        answer = await last(conversation)
        assert (answer.text, len(seen)) == ("Well.", 3 if answer.adapted else 2)
        await conversation.say("and now?")
        assert alternates(seen[-1].body)


SYSTEM = [
    (400, error("System role not supported")),
    (500, error("Value is not callable: {{ raise_exception('System role not supported') }}")),
    (400, error("Unsupported value: 'messages[0].role' does not support 'system' with this model.")),
    (400, error("Only user and assistant roles are supported!")),
    (400, error("Conversation roles must alternate user/assistant/user/assistant/...")),
    (400, error("Developer instruction is not enabled for models/gemma-3-1b-it")),
    (400, error("messages: Unexpected role \"system\". The Messages API accepts a top-level `system`")),
    (422, {"detail": [{"loc": ["body", "messages", 0, "role"],
                       "msg": "Input should be 'user' or 'assistant'"}]}),
    (400, error("first message must have role user")),
]  # fmt: skip


@OPENAIS
@pytest.mark.parametrize(("status", "body"), SYSTEM)
async def test_the_system_prompt_stands_in_the_first_message(way: Way, status: int, body: Any) -> None:
    answers = server(way, lambda sent: "system" in roles_of(sent), status, body)
    async with way.chat(answers) as (conversation, seen):
        await conversation.say("hello")
        answer = await last(conversation)
        assert (answer.text, answer.adapted, len(seen)) == ("Well.", ("no_system_role",), 2)
        assert roles_of(seen[-1].body) == ["user"]
        assert "hello" in json.dumps(seen[-1].body["messages"])
        await conversation.say("and now?")
        assert (roles_of(seen[-1].body), len(seen)) == (["user", "assistant", "user"], 3)


@OPENAI
@pytest.mark.parametrize(
    "words",
    [
        "Unsupported value: 'system'. Use 'developer' instead.",
        "messages[0].role: expected one of 'developer', 'user', 'assistant', 'tool'",
    ],
)
async def test_the_system_prompt_may_be_the_developers(way: Way, words: str) -> None:
    answers = server(way, lambda sent: "system" in roles_of(sent), 400, error(words))
    async with way.chat(answers) as (conversation, seen):
        await conversation.say("hello")
        assert (await last(conversation)).adapted == ("developer_role",)
        assert roles_of(seen[-1].body) == ["developer", "user"]


TOOL_FORMS: list[tuple[Refuses, Any, str]] = [
    (
        lambda sent: any(one["role"] == "tool" and "name" not in one for one in sent["messages"]),
        error("messages.3: a message of role tool must have a name"),
        "tool_names",
    ),
    (
        lambda sent: any(one.get("content") is None for one in sent["messages"]),
        error("Invalid type for 'messages[2].content': expected a string, got null"),
        "text_content",
    ),
    (
        lambda sent: "tool" in roles_of(sent),
        error("Unknown message role: 'tool'"),
        "no_tool_role",
    ),
    (
        lambda sent: "tool" in roles_of(sent),
        {"detail": [{"loc": ["messages", 3, "role"], "msg": "unexpected role 'tool'"}]},
        "no_tool_role",
    ),
]


@OPENAI
@pytest.mark.parametrize(("refuses", "body", "label"), TOOL_FORMS)
async def test_results_of_tools_get_the_form_that_a_server_wants(
    way: Way, refuses: Refuses, body: Any, label: str
) -> None:
    answers = server(way, refuses, 400, body, calls=True)
    async with way.chat(answers, tools=(ADD,)) as (conversation, seen):
        await conversation.say("hello")
        await done(conversation)
        answer = await last(conversation)
        assert (answer.text, len(seen)) == ("Well.", 3 if answer.adapted else 2)
        assert answer.adapted in ((label,), ()), "some forms are never sent"
        await conversation.say("and now?")
        assert (await last(conversation)).text == "Well."


async def test_what_does_not_help_is_not_remembered(way: Way) -> None:
    body = error("tools and stream_options are not supported")
    async with way.chat([refused(400, body)], tools=(ADD,)) as (conversation, seen):
        await conversation.say("hello")
        [failed] = await conversation.answers()
        assert isinstance(failed, ModelCallFailed)
        assert "not supported" in failed.message
        assert len(seen) <= 3, "each change once"
        assert await known(conversation) == []


async def test_what_a_person_resets_is_learned_anew(way: Way) -> None:
    answers = server(way, lambda sent: bool(sent.get("tools")), 400, error("it does not support tools"))
    async with way.chat(answers, tools=(ADD,)) as (conversation, seen):
        await conversation.say("hello")
        (entity,) = await conversation.entities.list(SYSTEM_AGENT, ADAPTATIONS_KIND)
        value = msgspec.convert(entity.value, ModelAdaptations)
        assert value.learned[0].said == "it does not support tools"
        assert value.learned[0].learned_at.endswith("Z")
        key = EntityKey(SYSTEM_AGENT, ADAPTATIONS_KIND, entity.key.name)
        people = Entities(conversation.log, conversation.clock, event_sources.GATEWAY)
        await people.delete(key, EntityWriter.user("reset"))
        await conversation.say("and now?")
        assert len(seen) == 4
        assert await known(conversation) == ["no_tools"]


async def test_one_refusal_may_follow_another(way: Way) -> None:
    def body(sent: Any) -> Any:
        return "tools are not supported" if sent.get("tools") else "System role not supported"

    def answer(asked: Asked) -> Iterable[bytes]:
        sent = asked.body
        if sent.get("tools") or "system" in roles_of(sent):
            yield refused(400, error(body(sent)))
        else:
            yield way.says(way.speech.text("Well."))

    async with way.chat(answer, tools=(ADD,)) as (conversation, seen):
        await conversation.say("hello")
        assert (await last(conversation)).text == "Well."
        count = len(seen)
        await conversation.say("and now?")
        assert len(seen) == count + 1
