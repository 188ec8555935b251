"""Errors in any body, and answers that a server breaks off: the person reads the server's own words."""

import json
from contextlib import _AsyncGeneratorContextManager
from typing import Any

import msgspec
import pytest

from agent_contracts.ids import CallId, SessionId
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed, ModelFailure
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from foldline_testing.model_caller.calling import QUICK
from foldline_testing.model_caller.servers import HEAD, events, refused, serving
from foldline_testing.model_caller.ways import HELLO, KEY, Way
from foldline_testing.session_domain.shown import without_times
from model_caller.calls.bounds import Bounds
from model_caller.calls.cancelling import StopSignal
from model_caller.calls.deltas import DeltaChannel
from model_caller.calls.generating import NoListeners
from model_caller.calls.model_asker import ModelAsker
from model_caller.calls.outcome import ModelOutcome
from model_caller.choosing.target import ModelTarget
from model_caller.limits import ModelCallLimits
from model_caller.providers.by_model import ByModel
from session_domain.domain.rules.endings import NEVER_RAN
from session_domain.model_requests.request import ModelRequest

LOOK = ToolSpec("get_state", "Read a value.", {"type": "object"}, "state", Effect.PURE, RunsOn.TOOLS)
OPENAI = pytest.mark.parametrize("way", ["openai", "litellm"], indirect=True)
EVERY = pytest.mark.parametrize("way", ["openai", "anthropic", "litellm"], indirect=True)
OURS = pytest.mark.parametrize("way", ["openai", "anthropic"], indirect=True)
JSON = HEAD.replace(b"text/event-stream", b"application/json")
RAW = '{"error":{"message":"The model is overfed.","code":7}}'
SAID: list[tuple[Any, str]] = [
    ({"error": {"message": "Words.", "metadata": {"raw": RAW, "provider_name": "P"}}}, "Words.: The model"),
    ({"error": {"message": "Words.", "metadata": {"raw": "plain raw words"}}}, "Words.: plain raw words"),
    ([{"error": {"code": 400, "message": "In a list.", "status": "INVALID_ARGUMENT"}}], "In a list."),
    ({"detail": "As a text."}, "As a text."),
    ({"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs"}]}, "body.stream_options: Extra"),
    ({"detail": [{"msg": "Without a place."}]}, "Without a place."),
    ({"errors": [{"message": "First."}, "Second."]}, "First.: Second."),
    ({"msg": "Only msg."}, "Only msg."),
    ({"error": "invalid_client", "error_description": "Described."}, "Described."),
    ({"error": True, "message": "Beside true."}, "Beside true."),
    ({"object": "error", "message": "As vLLM has it.", "code": 400}, "As vLLM has it."),
    ({"error": {"message": '{"detail":"Deep within."}'}}, "Deep within."),
    ({"message": {"detail": [{"msg": "As Mistral has it."}]}}, "As Mistral has it."),
    ({"title": "Bad", "detail": "As a problem."}, "Bad: As a problem."),
    ({"choices": [{"error": {"message": "In a choice."}}]}, "In a choice."),
    ({"choices": [], "x_groq": {"error": "As Groq has it."}}, "As Groq has it."),
    ("Quota of words exceeded", "Quota of words exceeded"),
    ("<html><head><title>503 Down</title></head><body>x</body></html>", "503 Down"),
    ("<p>No title,</p><script>no()</script><p>but text</p>", "No title, but text"),
]  # fmt: skip


def body_of(said: Any) -> bytes:
    """A body as it is sent."""
    return said.encode() if isinstance(said, str) else json.dumps(said).encode()


@OURS
@pytest.mark.parametrize(("said", "words"), SAID)
async def test_a_refusals_words_are_told_wherever_they_stand(way: Way, said: Any, words: str) -> None:
    for status in (400, 503):
        fault = await way.fault([refused(status, body_of(said))])
        assert words in fault.message
        assert not [one for one in ("400 X", "503 X", "no()") if one in fault.message]


@EVERY
@pytest.mark.parametrize(("said", "words"), [one for one in SAID if not isinstance(one[0], str)])
async def test_so_are_those_of_an_error_in_a_good_answer(way: Way, said: Any, words: str) -> None:
    for parts in (
        JSON + json.dumps(said, indent=1).encode(),
        HEAD + events(said, "[DONE]"),
        HEAD + b"event: error\n" + events(said),
    ):
        assert words in (await way.fault([parts])).message


@EVERY
async def test_an_error_event_may_hold_a_plain_text(way: Way) -> None:
    for parts in (b"event: error\ndata: the GPU fell off\n\n", b"error: the GPU fell off\n\n"):
        fault = await way.fault([HEAD + parts])
        assert (fault.failure, fault.message) == (ModelFailure.OVERLOADED, "the GPU fell off")


@EVERY
async def test_a_plain_text_in_place_of_an_answer_is_told(way: Way) -> None:
    head = HEAD.replace(b"text/event-stream", b"text/plain")
    fault = await way.fault([head + b"quota exceeded"])
    assert (fault.failure, fault.message) == (ModelFailure.RATE_LIMITED, "quota exceeded")
    fault = await way.fault([head + b"the model takes a nap"])
    assert fault.failure is ModelFailure.MALFORMED_ANSWER
    assert "the model takes a nap" in fault.message


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "Insufficient credits", "code": 402}, ModelFailure.RATE_LIMITED),
        ({"message": "Insufficient Balance", "type": "x"}, ModelFailure.RATE_LIMITED),
        ({"message": "You have no access.", "code": "401"}, ModelFailure.AUTHENTICATION),
        ({"message": "No such model.", "code": "model_not_found"}, ModelFailure.UNKNOWN_MODEL),
        ({"message": "No such knob.", "type": "invalid_request_error"}, ModelFailure.BAD_REQUEST),
        ({"message": "No such knob.", "status": "INVALID_ARGUMENT"}, ModelFailure.BAD_REQUEST),
    ],
)
@pytest.mark.parametrize("form", ["body", "stream"])
@EVERY
async def test_an_error_that_would_come_again_is_not_asked_for_again(
    way: Way, form: str, error: dict[str, Any], kind: ModelFailure
) -> None:
    said = {"error": error}
    first = JSON + json.dumps(said).encode() if form == "body" else HEAD + events(said)
    answers = iter([first, way.says(way.speech.text("Well."))])
    async with way.chat(lambda _: [next(answers)]) as (conversation, seen):
        await conversation.say("hello")
        assert len(seen) == 1
        await conversation.say("and now?")
        failed, answer = await conversation.answers()
    assert isinstance(failed, ModelCallFailed)
    assert (failed.kind, failed.retryable, failed.attempts) == (kind, False, 1)
    assert f"It said: “{error['message']}”" in failed.message
    assert isinstance(answer, ModelCallCompleted)
    assert answer.text == "Well."


REFUSALS = [
    "Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...",
    "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
    "tools param requires --jinja flag",
    "registry.ollama.ai/library/gemma:2b does not support tools",
    "Value is not callable: null at row 1, column 1: {{ raise_exception('After the optional') }}",
    "this model does not support image input",
]  # fmt: skip


@pytest.mark.parametrize("words", REFUSALS)
async def test_a_failing_servers_refusal_is_not_an_overload(way: Way, words: str) -> None:
    body = {"error": {"code": 500, "message": words, "type": "server_error"}}
    async with way.chat([refused(500, body)]) as (conversation, seen):
        await conversation.say("hello")
        [failed] = await conversation.answers()
    assert isinstance(failed, ModelCallFailed)
    assert (failed.kind, failed.retryable) == (ModelFailure.BAD_REQUEST, False)
    assert len(seen) <= 2, "once more in another form, where there is one"
    assert words[:40] in failed.message


def broken(finish: str | None, **more: Any) -> list[Any]:
    """Half a sentence, and then the end of it for this reason."""
    choice: dict[str, Any] = {"index": 0, "delta": {}, "finish_reason": finish}
    error = more.pop("choice", None)
    return [
        {"choices": [{"index": 0, "delta": {"content": "Half a sen"}}]},
        {"choices": [choice | ({"error": error} if error else {})], **more},
        "[DONE]",
    ]


GONE = {"code": 502, "message": "Upstream went away."}


@OPENAI
@pytest.mark.parametrize(
    ("chunks", "words"),
    [
        (broken("error", choice=GONE), "Upstream went away."),
        (broken("error", error=GONE), "Upstream went away."),
        (broken(None, choice=GONE), "Upstream went away."),
        (broken("network_error"), "network_error"),
        (broken("abort"), "abort"),
        (broken("insufficient_system_resource"), "insufficient_system_resource"),
        ([*broken(None)[:1], {"error": {"code": 402, "message": "Out of credits."}}], "Out of credits."),
    ],
)
async def test_half_an_answer_is_kept_and_marked_with_the_reason(
    way: Way, chunks: list[Any], words: str
) -> None:
    answers = iter([HEAD + events(*chunks), way.says(way.speech.text("Well."))])
    async with way.chat(lambda _: [next(answers)]) as (conversation, seen):
        await conversation.say("hello")
        [answer] = await conversation.answers()
        assert len(seen) == 1
        assert isinstance(answer, ModelCallCompleted)
        assert (answer.text, answer.cut, answer.incomplete) == ("Half a sen", "failed", "failed")
        assert answer.finish_reason is None
        assert words in (answer.cut_words or "")
        [_, half] = (await conversation.state()).history
        assert (half.text, half.incomplete) == ("Half a sen", "failed")
        await conversation.say("go on")
        shown = [message["content"] for message in without_times(seen[-1].body["messages"][1:])]
    assert shown[:2] == ["hello", "Half a sen"]
    assert "broke off" in shown[2]


@pytest.mark.parametrize("way", ["anthropic"], indirect=True)
async def test_an_unknown_reason_of_anthropics_means_that_it_was_cut(way: Way) -> None:
    parts = [*way.speech.text("Half"), *way.speech.end("server_went_away"), *way.speech.close()]
    said, ending = await way.ask([HEAD + events(*parts)])
    assert (said.text, ending.finish_reason, ending.cut) == ("Half", None, "failed")
    assert "server_went_away" in ending.cut_words


@OPENAI
async def test_where_nothing_was_said_it_is_asked_again(way: Way) -> None:
    nothing = [one for one in broken("error", choice=GONE) if one == "[DONE]" or "content" not in str(one)]
    answers = iter([HEAD + events(*nothing), way.says(way.speech.text("Well."))])
    async with way.chat(lambda _: [next(answers)]) as (conversation, seen):
        await conversation.say("hello")
        [answer] = await conversation.answers()
    assert isinstance(answer, ModelCallCompleted)
    assert (answer.text, answer.incomplete, len(seen)) == ("Well.", None, 2)


@OPENAI
async def test_a_call_of_half_an_answer_never_runs(way: Way) -> None:
    function = {"name": "get_state", "arguments": '{"key": "a'}
    begun = {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c", "function": function}]}}]}
    half, end, done = broken("error", choice=GONE)
    answers = iter([HEAD + events(half, begun, end, done), way.says(way.speech.text("Well."))])
    async with way.chat(lambda _: [next(answers)], tools=(LOOK,)) as (conversation, _):
        await conversation.say("hello")
        first, second = await conversation.answers()
    assert isinstance(first, ModelCallCompleted)
    assert [made.error for made in first.tool_calls] == [NEVER_RAN], "its half arguments are no mistake"
    assert isinstance(second, ModelCallCompleted)
    assert second.text == "Well."


@pytest.mark.parametrize("kind", ["empty", "blank", "thinking", "done", "length"])
@OPENAI
async def test_an_empty_answer_is_asked_for_once_more_and_then_a_failure(way: Way, kind: str) -> None:
    empty: dict[str, list[Any]] = {
        "empty": [*way.speech.text(""), *way.speech.end("stop")],
        "blank": [*way.speech.text(" \n "), *way.speech.end("stop")],
        "thinking": [{"choices": [{"delta": {"reasoning_content": "hm"}}]}, *way.speech.end("stop")],
        "done": [],
        "length": way.speech.end("length"),
    }
    async with way.chat([HEAD + events(*empty[kind], "[DONE]")]) as (conversation, seen):
        await conversation.say("hello")
        [failed] = await conversation.answers()
        turn = await conversation.failure()
    assert isinstance(failed, ModelCallFailed)
    assert (failed.kind, failed.attempts, len(seen)) == (ModelFailure.EMPTY_ANSWER, 2, 2)
    assert failed.message.startswith("The model gave an empty answer")
    assert turn is not None
    assert turn.retry_at is None


async def test_an_empty_answer_may_be_followed_by_a_good_one(way: Way) -> None:
    answers = iter([way.says(), way.says(way.speech.text("Well."))])
    async with way.chat(lambda _: [next(answers)]) as (conversation, _):
        await conversation.say("hello")
        [answer] = await conversation.answers()
    assert isinstance(answer, ModelCallCompleted)
    assert (answer.text, answer.attempts) == ("Well.", 2)


async def test_calls_without_a_text_are_not_an_empty_answer(way: Way) -> None:
    call = [*way.speech.call(0, "c1", "x"), *way.speech.arguments(0, "{}")]
    answers = iter([way.says(call, end="tool_calls"), way.says(), way.says()])
    async with way.chat(lambda _: [next(answers)]) as (conversation, seen):
        await conversation.say("hello")
        first, second = await conversation.answers()
    assert isinstance(first, ModelCallCompleted)
    assert isinstance(second, ModelCallFailed)
    assert (second.kind, len(seen)) == (ModelFailure.EMPTY_ANSWER, 3), "after a tool, too"


async def _asked(
    way: Way, parts: Any, bounds: Bounds, limits: ModelCallLimits = QUICK
) -> tuple[ModelOutcome, int]:
    """What a request comes to within these bounds, and how often the server was asked."""
    provider = ByModel(limits)
    async with serving(parts) as (url, seen):
        target = ModelTarget(way.model, url, KEY)
        channel = DeltaChannel("", SessionId("s"), CallId("m"), quiet=True)
        request = ModelRequest(way.model, HELLO, [])
        outcome = await ModelAsker(provider, NoListeners(), limits).ask(
            request, target, channel, bounds=bounds
        )
        await provider.close()
    return outcome, len(seen)


@OPENAI
async def test_half_a_summary_is_worth_nothing_and_a_warning_may_stay_unanswered(way: Way) -> None:
    half = HEAD + events(*broken("error", choice=GONE))
    outcome, _ = await _asked(way, [half], Bounds())
    assert outcome.fault is not None
    assert outcome.fault.message == "Upstream went away."
    outcome, asked = await _asked(way, [way.says()], Bounds(takes_nothing=True))
    assert outcome.answer is not None
    assert asked == 1


class Watched(StopSignal):
    """Notes how long each piece is waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float | None] = []

    def within(self, seconds: float | None) -> _AsyncGeneratorContextManager[None]:
        self.waits.append(seconds)
        return super().within(seconds)


@OURS
async def test_each_comment_gives_the_server_as_much_time_again(way: Way) -> None:
    speech, comment = way.speech, b": keepalive\n\n"
    end = events(*speech.text("you."), *speech.end("stop"), *speech.close())
    parts = [HEAD, comment, comment, comment, events(*speech.text("Hello, ")), comment, comment, end]
    stop, limits = (
        Watched(),
        msgspec.structs.replace(QUICK, first_token=7.0, first_token_at_home=7.0, silence=9.0),
    )
    outcome, asked = await _asked(way, parts, Bounds(stop), limits)
    assert outcome.answer is not None
    assert (outcome.answer.text, asked) == ("Hello, you.", 1)
    waits = stop.waits
    assert (waits.count(7.0), set(waits)) == (4, {7.0, 9.0}), "three comments and the first word"
    assert waits.count(9.0) >= 3, "two comments, and what followed"


@OURS
@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (400, "Model x does not exist", ModelFailure.UNKNOWN_MODEL),
        (400, "Invalid model name passed in model=x", ModelFailure.UNKNOWN_MODEL),
        (422, "No such model: x", ModelFailure.UNKNOWN_MODEL),
        (400, "This model does not support images", ModelFailure.BAD_REQUEST),
        (403, "Your input was flagged", ModelFailure.BAD_REQUEST),
        (403, "You have no access", ModelFailure.AUTHENTICATION),
        (498, "Flex capacity exceeded", ModelFailure.RATE_LIMITED),
    ],
)
async def test_words_tell_more_than_a_status(way: Way, status: int, words: str, kind: ModelFailure) -> None:
    assert (await way.fault([refused(status, {"error": {"message": words}})])).failure is kind
