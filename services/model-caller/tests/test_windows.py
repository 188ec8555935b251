"""Chats that are too long for their model, against a model server over HTTP that refuses them: never dead."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from agent_contracts.entities.entity import EntityKind
from agent_contracts.outside import source
from agent_contracts.questions.queries import ModelCallQuery
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed, ToolCallCompleted
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from agent_domain.files.file import FileRef, Workspace
from agent_domain.files.files import Files
from agent_platform.entities.entity import EntityKey
from demo_model.server import DemoModel
from foldline_testing.model_caller.calling import AGENT, KEY, SESSION, Conversation
from session_domain.domain.state import Status
from session_domain.replay import replay

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]
LOOK = ToolSpec("look", "Looks.", {"type": "object"}, family="test", effect=Effect.PURE, runs_on=RunsOn.TOOLS)
SILENT = {"omit": True}
"""A server that reports no usage."""


def window(tokens: int, *rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A server that refuses what is longer."""
    return {"rules": [*rules, {"reply": {"text": "fine", "usage": SILENT}}], "context_window": tokens, **more}


LOOKS = {
    "when": {"user_contains": "fetch", "step": 1},
    "reply": {"tool_calls": [{"name": "look", "arguments": {}}], "usage": SILENT},
}


async def fetched(conversation: Conversation, result: Any, **more: Any) -> None:
    """The user has something fetched, which is this."""
    await conversation.say("fetch it")
    state = await conversation.state()
    [call] = state.open_calls()
    await conversation.add(ToolCallCompleted(call.call_id, result, "r", **more))
    await conversation.settle()


async def ended_well(conversation: Conversation) -> None:
    """The last turn has its answer."""
    last = (await conversation.answers())[-1]
    assert isinstance(last, ModelCallCompleted), last
    assert last.text == "fine"
    assert (await conversation.state()).status is Status.IDLE
    assert await conversation.failure() is None


async def kept(conversation: Conversation, file_id: str) -> bytes:
    """What is in a file of the session."""
    files = Files(conversation.entities, conversation.blobs)
    file = await files.find(Workspace(AGENT, SESSION), FileRef(file_id=file_id))
    return await files.read(file)


@pytest.mark.parametrize("text", ["word " * 40_000, "多么美好的一天" * 10_000], ids=["english", "chinese"])
async def test_a_large_result_is_cut_and_is_a_file_that_can_be_read(talk: Talk, text: str) -> None:
    per_token = 4 if text.isascii() else 1
    conversation, model = await talk(
        window(8_192, LOOKS, characters_per_token=per_token), tools=(LOOK,), timezone="UTC"
    )
    web = (source("web", "https://a.test"),)
    await fetched(conversation, {"text": text}, outside=web)
    await ended_well(conversation)
    assert model.recording.count == 3  # the call, the refusal, the answer
    shown = model.recording.requests[-1].messages[-1]["content"]
    cut = json.loads(shown.partition("\n")[2].rpartition("\n")[0])
    assert cut["truncated"]
    assert cut["file_id"] in cut["note"]
    assert cut["head"].startswith(json.dumps({"text": text[:10]}, ensure_ascii=False)[:-2].replace(": ", ":"))
    assert json.loads(await kept(conversation, cut["file_id"])) == {"text": text}
    entity = await conversation.entities.current(EntityKey(AGENT, EntityKind.FILE, cut["file_id"]))
    assert entity is not None
    assert [(one.kind, one.name) for one in entity.outside] == [("web", "https://a.test")]
    assert not (await conversation.state()).shadows
    await conversation.say("and now?")
    await ended_well(conversation)
    assert model.recording.count == 4


async def test_a_message_of_200_kb_is_cut_and_kept_as_a_file(talk: Talk) -> None:
    conversation, model = await talk(window(8_192))
    text = "begin " + "word " * 40_000 + "end"
    await conversation.say(text)
    await ended_well(conversation)
    shown = model.recording.requests[-1].messages[-1]["content"].partition("\n\n")[2]
    assert shown.startswith("begin word")
    assert shown.endswith("word end")
    assert len(shown) < 4 * 8_192
    [cut] = [cut for one in await failures(conversation) if one.overflow for cut in one.overflow.cuts]
    assert f"The whole message is file {cut.file_id}" in shown
    assert await kept(conversation, cut.file_id or "") == text.encode()


async def test_a_history_that_fits_into_no_request_is_summarised_in_parts(talk: Talk) -> None:
    conversation, model = await talk({"rules": [{"reply": {"text": "fine", "usage": SILENT}}]})
    for number in range(12):
        await conversation.say(f"{number} " + "word " * 1_300)
    model.play(window(6_000))
    await conversation.say("and now?")
    await ended_well(conversation)
    parts = [one.event for one in await conversation.events() if isinstance(one.event, ev.MessagesShadowed)]
    assert len(parts) > 1
    assert [one.last for one in parts] == sorted(one.last for one in parts)
    summarised = [one for one in await conversation.answers() if purpose(one) == "summary"]
    assert len(summarised) == len(parts)
    refused = [one for one in await failures(conversation) if one.attempts]
    assert len(refused) <= 2


async def test_what_was_learned_of_the_window_saves_the_next_refusal(talk: Talk) -> None:
    conversation, model = await talk(window(8_192, LOOKS), tools=(LOOK,))
    await fetched(conversation, "word " * 40_000)
    asked = model.recording.count
    await fetched(conversation, "more " * 40_000)
    await ended_well(conversation)
    assert model.recording.count == asked + 2  # nothing was refused by the server
    sent, unsent = await failures(conversation)
    assert (sent.attempts, unsent.attempts) == (1, 0)
    assert None not in (sent.context, sent.shown)
    assert (unsent.context, unsent.shown) == (None, None), "nobody saw it"


async def test_a_server_that_takes_nothing_ends_the_turn_with_both_figures(talk: Talk) -> None:
    conversation, model = await talk({"rules": [{"reply": {"text": "fine", "usage": SILENT}}]})
    for number in range(12):
        await conversation.say(f"{number} " + "word " * 1_300)
    model.play(window(20))
    asked = model.recording.count
    await conversation.say("and now?")
    failure = await conversation.failure()
    assert failure is not None
    assert failure.kind == "context_length"
    assert "it takes 20 tokens, and the request needs about " in failure.message
    assert "Choose a model with a larger window" in failure.message
    assert model.recording.count - asked <= 3
    assert (await conversation.state()).status is Status.IDLE


async def test_the_fold_and_the_requests_are_the_same_when_they_are_made_again(talk: Talk) -> None:
    conversation, model = await talk(window(8_192, LOOKS), tools=(LOOK,))
    await fetched(conversation, {"text": "word " * 40_000})
    model.play(window(4_000))
    await conversation.say("and now?")
    await ended_well(conversation)
    assert (await replay(conversation.log, KEY)).difference is None
    sent = [one.messages for one in model.recording.requests]
    calls = [one.call_id for one in await conversation.answers() if one.attempts]
    shown = [await conversation.shown.show(KEY, ModelCallQuery(SESSION, call_id=one)) for one in calls]
    assert [one["request"]["messages"] for one in shown] == sent


async def failures(conversation: Conversation) -> list[ModelCallFailed]:
    """The model calls that were refused."""
    return [one for one in await conversation.answers() if isinstance(one, ModelCallFailed)]


def purpose(answer: ModelCallCompleted | ModelCallFailed) -> str | None:
    """What an answer was asked for."""
    return answer.purpose if isinstance(answer, ModelCallCompleted) else None
