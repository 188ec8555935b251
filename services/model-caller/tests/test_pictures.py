"""Pictures reach models that see; others read what they are. What was sent can be built again."""

import base64
import io
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from PIL import Image

from agent_contracts.files import SentFile
from agent_contracts.ids import CallId
from agent_contracts.pictures import Picture
from agent_contracts.questions.queries import ModelCallQuery
from agent_contracts.session_events import inputs, results
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from demo_model.server import DemoModel
from foldline_testing.model_caller.calling import KEY, SESSION, Conversation
from foldline_testing.session_domain.shown import without_times
from model_caller.answers.answer import Assembly
from model_caller.choosing.target import ModelTarget
from model_caller.providers.counting import counted
from model_caller.providers.vision import sees
from session_domain.domain.messages import CallStatus
from session_domain.model_requests.request import ModelRequest

Talk = Callable[..., Awaitable[tuple[Conversation, DemoModel]]]
VIEW = ToolSpec(
    "file_view", "Look.", {"type": "object"}, "files", Effect.PURE, RunsOn.TOOLS, always_sent=True
)
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "look at it"},
            "turns": [{"tool_calls": [{"name": "file_view"}]}, {"text": "ok"}],
        },
        {"reply": {"text": "seen"}},
    ]
}


def png(width: int = 40, height: int = 30, colour: str = "red") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(out, "PNG")
    return out.getvalue()


def url(data: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(data).decode()}"


async def send(conversation: Conversation, text: str, data: bytes, name: str = "plan.png") -> None:
    blob = await conversation.blobs.put(data, "image/png")
    sent = SentFile("f_1", name, "image/png", blob.size, 1, blob.sha256)
    notes = SentFile("f_2", "notes.txt", "text/plain", 5, 3, "0" * 64)
    await conversation.add(inputs.UserMessage(text, (sent, notes)))
    await conversation.settle()


def said(model: DemoModel, number: int = -1) -> list[Any]:
    """The messages of a request but the system prompt, as the server got them."""
    sent = (one for one in model.recording.requests[number].messages if one["role"] != "system")
    return without_times(sent)


async def rebuilt(conversation: Conversation, number: int) -> list[Any]:
    """The messages of a call as they are shown long after."""
    shown: Any = await conversation.shown.show(KEY, ModelCallQuery(SESSION, number=number))
    return without_times(one for one in shown["request"]["messages"] if one["role"] != "system")


async def test_a_picture_that_was_sent_is_seen_and_recorded_by_its_hash(talk: Talk) -> None:
    conversation, model = await talk(SCRIPT, vision_models="all")
    data = png()
    await send(conversation, "What is this?", data)
    (message,) = said(model)
    text, picture = message["content"]
    assert text["text"].startswith("What is this?")
    assert "f_1: plan.png (image/png" in text["text"]
    assert "f_2: notes.txt (text/plain, 5 bytes)" in text["text"]
    assert picture == {"type": "image_url", "image_url": {"url": url(data)}}
    (shown,) = await rebuilt(conversation, 1)
    blob = (await conversation.blobs.put(data)).sha256
    assert shown["content"][1] == {
        "type": "picture",
        "blob": blob,
        "media_type": "image/png",
        "size": len(data),
        "name": "plan.png",
    }
    logged = b"".join([one.data async for one in conversation.log.read("ses.>")])
    assert base64.b64encode(data)[:40] not in logged


async def test_a_model_that_does_not_see_reads_what_it_is(talk: Talk) -> None:
    conversation, model = await talk(SCRIPT)
    data = png()
    await send(conversation, "What is this?", data)
    (message,) = said(model)
    assert message["content"].endswith(
        f"[Picture plan.png: image/png, 40 × 30 pixels, {len(data)} bytes. You can't see pictures.]"
    )
    assert await rebuilt(conversation, 1) == [message]


async def test_the_picture_of_a_tools_result_follows_the_results(talk: Talk) -> None:
    conversation, model = await talk(SCRIPT, vision_models="all", tools=(VIEW,))
    data = png()
    await conversation.say("look at it")
    blob = await conversation.blobs.put(data)
    picture = Picture(blob.sha256, "image/png", blob.size, "plan.png")
    (call,) = [one for one in (await conversation.state()).open_calls() if one.status is CallStatus.REQUESTED]
    done = results.ToolCallCompleted(
        CallId(call.call_id), {"width": 40}, "r", duration_ms=1, pictures=(picture,)
    )
    await conversation.add(done)
    await conversation.settle()
    user, assistant, result, viewed = said(model)
    assert [one["role"] for one in (user, assistant, result, viewed)] == ["user", "assistant", "tool", "user"]
    assert viewed["content"][1]["image_url"]["url"] == url(data)


async def test_anthropics_interface_has_it_as_an_image(talk: Talk) -> None:
    conversation, model = await talk(SCRIPT, model="anthropic/demo", vision_models="anthropic/*")
    data = png()
    await send(conversation, "What is this?", data)
    answer = (await conversation.answers())[-1]
    assert isinstance(answer, results.ModelCallCompleted), answer
    sent = msgspec.json.encode(model.recording.requests[-1].messages)
    assert base64.b64encode(data) in sent


async def test_what_was_sent_before_is_sent_again_byte_for_byte(talk: Talk) -> None:
    conversation, model = await talk(SCRIPT, vision_models="all")
    for number in range(22):
        await send(conversation, f"Picture {number}", png(colour=f"#{number:02}0000"))
    firsts = [msgspec.json.encode(said(model, number)) for number in range(22)]
    same = [after.startswith(before[:-1]) for before, after in pairwise(firsts)]
    assert same == [True] * 19 + [False, True]
    shown = firsts[-1].count(b'"image_url":{')
    assert (shown, firsts[-1].count(b"It was shown earlier")) == (12, 10)


async def test_a_picture_that_is_too_large_is_described_with_what_to_do(talk: Talk) -> None:
    conversation, model = await talk(SCRIPT, vision_models="all")
    await send(conversation, "Wide", png(8_001, 1))
    assert "image_resize" in said(model)[-1]["content"]
    await send(conversation, "Heavy", b"\x89PNG" + bytes(3_800_000))
    assert "too large" in said(model)[-1]["content"]
    await send(conversation, "Broken", b"\x89PNG nothing")
    assert "gone or damaged" in said(model)[-1]["content"]


def test_a_picture_costs_tokens_by_what_it_is_not_by_its_bytes() -> None:
    content = [{"type": "picture", "blob": "b", "media_type": "image/png", "size": 1, "name": "n"}]
    request = ModelRequest("m", [{"role": "user", "content": content}], [])
    seen = msgspec.structs.replace(request, pictures={"b": url(bytes(2_000_000))})
    assert seen.size - request.size == 4 * 1_600
    assert len(seen.with_pictures().messages[0]["content"][0]["image_url"]["url"]) > 2_000_000
    assert counted(seen, Assembly()).input < 2_000


@pytest.mark.parametrize(
    ("model", "setting", "expected"),
    [
        ("openai/gpt-5-mini", "auto", True),
        ("anthropic/claude-sonnet-4-5", "auto", True),
        ("gemini/gemini-flash-latest", "auto", True),
        ("groq/openai/gpt-oss-120b", "auto", False),
        ("deepseek/deepseek-chat", "auto", False),
        ("ollama_chat/llava:13b", "auto", True),
        ("ollama_chat/qwen2.5vl:7b", "auto", True),
        ("openai/my-own-model", "auto", False),
        ("demo", "auto", False),
        ("openai/my-own-model", "all", True),
        ("anthropic/claude-sonnet-4-5", "none", False),
        ("openai/my-own-model", "openai/my-*, demo", True),
        ("demo", "openai/my-*, demo", True),
        ("openai/gpt-5-mini", "demo", False),
    ],
)
def test_models_see_as_they_are_known_or_as_the_user_says(model: str, setting: str, expected: bool) -> None:
    assert sees(ModelTarget(model), setting) is expected
