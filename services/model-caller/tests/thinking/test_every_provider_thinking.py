"""What a model thinks is no part of its answer, in whichever form a server sends it."""

import json
from typing import Any

import pytest

from agent_contracts.questions.queries import ModelCallQuery
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed, ModelFailure, Thinking
from agent_platform.secrecy.known_secrets import KNOWN
from foldline_testing.model_caller.calling import KEY, SESSION
from foldline_testing.model_caller.servers import HEAD, events, refused
from foldline_testing.model_caller.ways import Way

OPENAI = pytest.mark.parametrize("way", ["openai"], indirect=True)
OURS = pytest.mark.parametrize("way", ["openai", "anthropic"], indirect=True)
MARKED = "<think>\nhidden 🦊</think>\n\nParis."


def chunk(delta: Any, finish: Any = None) -> dict[str, Any]:
    """A chunk with this delta."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def said(*deltas: Any, end: str = "stop") -> bytes:
    """An answer of these deltas, over OpenAI's interface."""
    return HEAD + events(*map(chunk, deltas), chunk({}, end), "[DONE]")


def call(**more: Any) -> dict[str, Any]:
    """A delta with a call that is refused at once: the model is asked again."""
    function = {"name": "nope", "arguments": "{}"}
    return {"tool_calls": [{"index": 0, "id": "c1", "function": function, **more}]}


async def only_answer(way: Way, *parts: bytes) -> tuple[ModelCallCompleted, list[Any]]:
    """The one answer of a server that sends these parts, and the pieces that were told as it came."""
    async with way.chat(parts) as (conversation, seen):
        await conversation.say("hello")
        [answer] = await conversation.answers()
        assert isinstance(answer, ModelCallCompleted)
        assert len(seen) == 1
        return answer, conversation.live.deltas


@pytest.mark.parametrize("cut", [1, 2, 3, 7, 1000])
async def test_marks_in_a_text_split_at_any_byte(way: Way, cut: int) -> None:
    body = way.says(*(way.speech.text(part) for part in ("<th", "ink>\nhidden 🦊</thi", "nk>\n\nPa", "ris.")))
    parts = [body[at : at + cut] for at in range(0, len(body), cut)]
    answer, deltas = await only_answer(way, *parts)
    assert (answer.text, answer.thinking) == ("Paris.", Thinking("hidden 🦊"))
    assert "".join(one.text for one in deltas) == "Paris."
    assert "".join(one.thinking for one in deltas).strip() == "hidden 🦊"


async def test_a_text_that_turns_out_to_be_thinking_is_taken_back(way: Way) -> None:
    answer, deltas = await only_answer(
        way, way.says(*map(way.speech.text, ("hid", "den\n", "</think>\n", "Paris.")))
    )
    assert (answer.text, answer.thinking) == ("Paris.", Thinking("hidden"))
    text = thinking = ""
    for one in deltas:
        if one.was_thinking:
            text, thinking = "", thinking + text
        text, thinking = text + one.text, thinking + one.thinking
    assert (text, thinking.strip()) == ("Paris.", "hidden")


@pytest.mark.parametrize("text", ["```\n<think>x</think>\n```", "Write <think> and </think>.", "`</think>`"])
async def test_what_an_answer_says_of_marks_stays(way: Way, text: str) -> None:
    answer, _ = await only_answer(way, way.says(*map(way.speech.text, text)))
    assert (answer.text, answer.thinking) == (text, None)


@OPENAI
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "thinking"])
async def test_thinking_in_a_field_of_its_own(way: Way, field: str) -> None:
    body = said({field: "hid"}, {field: "den", "content": ""}, {"content": "\n\nParis."})
    answer, deltas = await only_answer(way, body)
    assert (answer.text, answer.thinking) == ("Paris.", Thinking("hidden", sent_as=field))
    assert "".join(one.thinking for one in deltas) == "hidden"


@OPENAI
async def test_the_same_thinking_in_two_fields_counts_once(way: Way) -> None:
    answer, _ = await only_answer(
        way, said({"reasoning_content": "hm", "reasoning": "hm"}, {"content": "Paris."})
    )
    assert answer.thinking == Thinking("hm", sent_as="reasoning_content")


@OPENAI
async def test_thinking_in_parts_of_the_content(way: Way) -> None:
    part = {"type": "thinking", "thinking": [{"type": "text", "text": "hidden"}]}
    answer, _ = await only_answer(
        way, said({"content": [part]}, {"content": [{"type": "text", "text": "Paris."}]})
    )
    assert (answer.text, answer.thinking) == ("Paris.", Thinking("hidden"))


@OPENAI
async def test_thinking_of_an_answer_in_one_body(way: Way) -> None:
    message = {"role": "assistant", "content": "Paris.", "reasoning_content": "hidden"}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    answer, _ = await only_answer(way, HEAD + json.dumps(body).encode())
    assert (answer.text, answer.thinking) == ("Paris.", Thinking("hidden", sent_as="reasoning_content"))


@pytest.mark.parametrize("text", ["<think>never said", "<think>\nhm\n</think>\n\n", "hm\n</think>\n"])
async def test_an_answer_of_thinking_alone_is_empty(way: Way, text: str) -> None:
    async with way.chat([way.says(way.speech.text(text))]) as (conversation, seen):
        await conversation.say("hello")
        [failed] = await conversation.answers()
    assert isinstance(failed, ModelCallFailed)
    assert (failed.kind, len(seen)) == (ModelFailure.EMPTY_ANSWER, 2)


async def test_thinking_never_goes_to_the_next_request(way: Way) -> None:
    async with way.chat([way.says(way.speech.text(MARKED))]) as (conversation, seen):
        await conversation.say("hello")
        await conversation.say("and now?")
    assert "hidden" not in json.dumps(seen[1].body)
    assert "thought_in" not in json.dumps(seen[1].body)


@OPENAI
async def test_reasoning_content_never_goes_to_a_server_that_did_not_ask(way: Way) -> None:
    async with way.chat([said({"reasoning_content": "hidden"}, {"content": "Paris."})]) as (
        conversation,
        seen,
    ):
        await conversation.say("hello")
        await conversation.say("and now?")
    assert "hidden" not in json.dumps(seen[1].body)
    assert seen[1].body["messages"][-2] == {"role": "assistant", "content": "Paris."}


def google(body: Any) -> list[bytes]:
    """Refuses, as Gemini does, calls that come back without their signature."""
    calls = [one for message in body["messages"] for one in message.get("tool_calls") or []]
    if any(one.get("extra_content") != {"google": {"thought_signature": "SIG"}} for one in calls):
        error = {"code": 400, "message": "Function call is missing a thought_signature"}
        return [refused(400, [{"error": {**error, "status": "INVALID_ARGUMENT"}}])]
    if calls:
        return [said({"content": "Done."})]
    return [said(call(extra_content={"google": {"thought_signature": "SIG"}}), end="tool_calls")]


@OPENAI
async def test_a_signature_of_a_call_goes_back_with_it(way: Way) -> None:
    async with way.chat(lambda asked: google(asked.body)) as (conversation, seen):
        await conversation.say("hello")
        conversation.forgets()  # as after a crash: what goes back is in the log
        await conversation.say("and now?")
        answers = await conversation.answers()
    assert [one.text for one in answers if isinstance(one, ModelCallCompleted)] == ["", "Done.", "Done."]
    assert len(seen) == 3


@OPENAI
async def test_details_of_reasoning_go_back_as_they_would_have_come_in_one(way: Way) -> None:
    def detail(**fields: Any) -> dict[str, Any]:
        return {"reasoning_details": [{"type": "reasoning.text", "index": 0, "format": "x", **fields}]}

    secret = {"reasoning_details": [{"type": "reasoning.encrypted", "index": 1, "id": "e", "data": "b3Bh"}]}
    body = said(
        {**detail(text="hid"), "reasoning": "hid"},
        {**detail(text="den"), "reasoning": "den"},
        {**detail(signature="c2ln"), "content": "Par"},
        secret,
        {"content": "is."},
    )
    async with way.chat([body]) as (conversation, seen):
        await conversation.say("hello")
        await conversation.say("and now?")
        [first, _] = await conversation.answers()
    assert isinstance(first, ModelCallCompleted)
    assert (first.text, first.thinking) == ("Paris.", Thinking("hidden", sent_as="reasoning"))
    text = {"type": "reasoning.text", "index": 0, "format": "x", "text": "hidden", "signature": "c2ln"}
    whole = [text, secret["reasoning_details"][0]]
    told = {"role": "assistant", "content": "Paris.", "reasoning_details": whole}
    assert seen[1].body["messages"][-2] == told


@pytest.mark.parametrize("way", ["anthropic"], indirect=True)
async def test_blocks_of_thinking_are_told_as_they_come(way: Way) -> None:
    def delta(kind: str, **fields: str) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": 0, "delta": {"type": kind, **fields}}

    block = {"type": "thinking", "thinking": "", "signature": ""}
    body = way.says(
        [{"type": "content_block_start", "index": 0, "content_block": block}],
        [delta("thinking_delta", thinking="hid"), delta("thinking_delta", thinking="den")],
        [delta("signature_delta", signature="c2ln"), {"type": "content_block_stop", "index": 0}],
        way.speech.text("Paris."),
    )
    answer, deltas = await only_answer(way, body)
    assert (answer.text, answer.thinking, answer.thoughts) == ("Paris.", Thinking("hidden"), ())
    assert "".join(one.thinking for one in deltas) == "hidden"


@OPENAI
async def test_a_long_thinking_is_kept_whole_apart_from_its_event(way: Way) -> None:
    long = "a" * 30_000 + "b" * 30_000
    async with way.chat([said({"reasoning_content": long}, {"content": "Paris."})]) as (conversation, _):
        await conversation.say("hello")
        [answer] = await conversation.answers()
        assert isinstance(answer, ModelCallCompleted)
        thinking = answer.thinking
        assert thinking is not None
        assert thinking.whole is not None
        assert len(thinking.text) < 32_000
        assert await conversation.blobs.get(thinking.whole.sha256) == long.encode()


@OPENAI
@pytest.mark.parametrize("length", [1, 4_000])
async def test_no_secret_is_kept_in_thinking(way: Way, length: int) -> None:
    secret = "hunter2-hunter2-hunter2"
    KNOWN.learn(secret)
    body = said(
        {"reasoning_content": f"It is {secret}." * length},
        {"reasoning_details": [{"type": "reasoning.text", "text": secret, "signature": "c2ln"}]},
        {"content": "Paris."},
    )
    async with way.chat([body]) as (conversation, _):
        await conversation.say("hello")
        [answer] = await conversation.answers()
        assert isinstance(answer, ModelCallCompleted)
        assert answer.thinking is not None
        assert answer.thinking.text.startswith("It is ")
        assert answer.thoughts == ()  # changed, it would be refused
        stored = [await conversation.blobs.get(answer.thinking.whole.sha256)] if answer.thinking.whole else []
        assert secret not in repr((answer, stored))


async def test_thinking_of_half_an_answer_is_kept(way: Way) -> None:
    answer, _ = await only_answer(way, way.says(way.speech.text(MARKED), end="length"))
    assert (answer.text, answer.thinking, answer.incomplete) == ("Paris.", Thinking("hidden 🦊"), "length")


def strict(asked: Any, field: str, words: str) -> list[bytes]:
    """Refuses, as DeepSeek does, calls that come back without what was thought before them."""
    calls = [one for one in asked["messages"] if one.get("tool_calls")]
    if any(one.get(field) != "R1" for one in calls):
        return [refused(400, {"error": {"message": words, "type": "invalid_request_error"}})]
    if asked["messages"][-1]["role"] == "tool":
        return [said({field: "R2"}, {"content": "Done."})]
    return [said({field: "R1"}, call(), end="tool_calls")]


@OPENAI
@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("reasoning_content", "The `reasoning_content` in the thinking mode must be passed back to the API."),
        ("reasoning_content", "Missing `reasoning_content` field in the assistant message at index 2"),
        ("reasoning_content", "assistant message needs reasoning_content"),
        ("reasoning", "reasoning is required in assistant messages with tool calls"),
    ],
)
async def test_reasoning_goes_back_where_it_is_missed_and_that_is_remembered(
    way: Way, field: str, words: str
) -> None:
    async with way.chat(lambda asked: strict(asked.body, field, words)) as (conversation, seen):
        await conversation.say("hello")
        conversation.forgets()
        await conversation.say("and now?")
        answers = await conversation.answers()
        shown = await conversation.shown.show(KEY, ModelCallQuery(SESSION, number=2))
    assert [type(one) for one in answers] == [ModelCallCompleted] * 4
    assert len(seen) == 5  # refused once
    assert shown["request"]["reasoning"]["2"]["text"] == "R1"


@OPENAI
async def test_an_answer_of_another_model_gets_an_empty_reasoning_where_one_is_wanted(way: Way) -> None:
    def strict_with_others(asked: Any) -> list[bytes]:
        calls = [one for one in asked["messages"] if one.get("tool_calls")]
        if any("reasoning_content" not in one for one in calls):
            return [refused(400, {"error": {"message": "reasoning_content is missing"}})]
        return [said({"content": "Done."})] if calls else [said(call(), end="tool_calls")]

    async with way.chat(lambda asked: strict_with_others(asked.body)) as (conversation, seen):
        await conversation.say("hello")
        answers = await conversation.answers()
    assert [type(one) for one in answers] == [ModelCallCompleted] * 2
    assert [one.get("reasoning_content") for one in seen[-1].body["messages"]][-2] == ""


@OPENAI
async def test_a_call_without_a_signature_is_said_to_be_unsigned(way: Way) -> None:
    def signed(asked: Any) -> list[bytes]:
        calls = [one for message in asked["messages"] for one in message.get("tool_calls") or []]
        if any("extra_content" not in one for one in calls):
            return [refused(400, [{"error": {"message": "Function call is missing a thought_signature"}}])]
        return [said({"content": "Done."})] if calls else [said(call(), end="tool_calls")]

    async with way.chat(lambda asked: signed(asked.body)) as (conversation, seen):
        await conversation.say("hello")
        await conversation.say("and now?")
        answers = await conversation.answers()
    assert [type(one) for one in answers] == [ModelCallCompleted] * 3
    assert len(seen) == 4


@OPENAI
async def test_details_are_left_out_where_they_are_refused(way: Way) -> None:
    details = {"reasoning_details": [{"type": "reasoning.text", "text": "hm"}]}

    def plain(asked: Any) -> list[bytes]:
        if any("reasoning_details" in one for one in asked["messages"]):
            return [refused(400, {"error": {"message": "Unknown field: messages[2].reasoning_details"}})]
        return [said(details, {"content": "Done."})]

    async with way.chat(lambda asked: plain(asked.body)) as (conversation, seen):
        for words in ("hello", "and now?", "and then?"):
            await conversation.say(words)
        answers = await conversation.answers()
    assert [type(one) for one in answers] == [ModelCallCompleted] * 3
    assert len(seen) == 4
