"""Whatever goes wrong with a model ends in one recorded event with a clear message, never in a hang."""

import socket
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed, ModelFailure
from demo_model.server import DemoModel
from foldline_testing.model_caller.calling import QUICK, Conversation, choice_of
from model_caller.limits import ModelCallLimits
from model_caller.providers.by_model import ByModel
from session_domain.domain.state import Status

Talk = Callable[..., Coroutine[Any, Any, tuple[Conversation, DemoModel]]]

KEY = "sk-test-0123456789"
EACH = pytest.mark.parametrize(
    "asked",
    ["openai/demo", "anthropic/demo", "litellm/openai/demo"],
    ids=["openai", "anthropic", "litellm"],
)
"""Who asks: the behaviour is one."""
IMPATIENT = ModelCallLimits(
    connect=1.0,
    first_token=0.5,
    first_token_at_home=0.5,
    silence=0.5,
    retries=1,
    first_delay=0.01,
    longest_delay=0.05,
)


def faulty(kind: str, **fields: Any) -> dict[str, Any]:
    """A model that answers, but for this fault."""
    reply = {
        "text": "This is a rather long answer, sent in several pieces.",
        "fault": {"kind": kind, **fields},
    }
    return {"rules": [{"reply": reply}], "pace": {"size": 8}}


async def failed(conversation: Conversation) -> ModelCallFailed:
    """The recorded failure, with which the turn ended."""
    [result] = await conversation.answers()
    assert isinstance(result, ModelCallFailed)
    ending = await conversation.failure()
    assert ending is not None
    assert (ending.kind, ending.message) == (result.kind.value, result.message)
    assert (await conversation.state()).status is Status.IDLE
    return result


@pytest.mark.parametrize(
    ("fault", "kind", "attempts", "words"),
    [
        ({"kind": "rate_limited", "retry_after": 0}, ModelFailure.RATE_LIMITED, 6, "Rate limit reached"),
        ({"kind": "server_error"}, ModelFailure.OVERLOADED, 6, "had an error while processing"),
        ({"kind": "server_error", "status": 529}, ModelFailure.OVERLOADED, 6, "had an error while"),
        ({"kind": "server_error", "status": 503}, ModelFailure.OVERLOADED, 6, "had an error while"),
        ({"kind": "cut"}, ModelFailure.CUT_STREAM, 6, "broke off in the middle"),
        ({"kind": "no_done"}, ModelFailure.CUT_STREAM, 6, "without its proper end"),
        ({"kind": "error_chunk"}, ModelFailure.OVERLOADED, 6, "had an error while processing"),
        ({"kind": "bad_chunk"}, ModelFailure.MALFORMED_ANSWER, 6, "not a model's answer"),
        ({"kind": "empty_body"}, ModelFailure.MALFORMED_ANSWER, 6, "the answer was empty"),
        ({"kind": "wrong_type"}, ModelFailure.MALFORMED_ANSWER, 6, "text/html"),
        ({"kind": "bad_request", "message": "No such knob."}, ModelFailure.BAD_REQUEST, 1, "No such knob."),
        ({"kind": "bad_request", "status": 422}, ModelFailure.BAD_REQUEST, 1, "Invalid request."),
        ({"kind": "bad_request", "status": 403}, ModelFailure.AUTHENTICATION, 1, "FOLDLINE_MODEL_API_KEY"),
        ({"kind": "bad_request", "status": 404}, ModelFailure.UNKNOWN_MODEL, 1, "FOLDLINE_MODEL "),
        ({"kind": "bad_request", "status": 408}, ModelFailure.TIMEOUT, 6, "stopped answering"),
        (
            {"kind": "context_length", "limit": 10},
            ModelFailure.CONTEXT_LENGTH,
            1,
            "too small for this chat",
        ),
    ],
    ids=lambda value: f"{value['kind']}{value.get('status', '')}" if isinstance(value, dict) else "",
)
@EACH
async def test_a_fault_that_stays_is_recorded_and_told(
    talk: Talk, asked: str, fault: dict[str, Any], kind: ModelFailure, attempts: int, words: str
) -> None:
    conversation, model = await talk(faulty(**fault), model=asked)
    await conversation.say("hello")
    result = await failed(conversation)
    assert result.kind is kind
    assert result.attempts == attempts == model.recording.count
    assert words in result.message
    assert model.base_url in result.message or asked in result.message
    assert (f"tried {attempts} times" in result.message) == (attempts > 1)
    assert result.context is not None


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "rate_limited", "retry_after": 0.05},
        {"kind": "server_error"},
        {"kind": "cut"},
        {"kind": "bad_chunk"},
        {"kind": "no_done"},
        {"kind": "empty_body"},
        {"kind": "error_chunk"},
    ],
    ids=lambda fault: fault["kind"],
)
@EACH
async def test_a_fault_that_passes_only_costs_attempts(talk: Talk, asked: str, fault: dict[str, Any]) -> None:
    conversation, model = await talk(faulty(**fault, times=5), model=asked)
    await conversation.say("hello")
    [result] = await conversation.answers()
    assert isinstance(result, ModelCallCompleted)
    assert result.text == "This is a rather long answer, sent in several pieces."
    assert result.attempts == model.recording.count == 6
    assert (await conversation.state()).status is Status.IDLE
    attempts = [delta.attempt for delta in conversation.live.deltas]
    assert attempts == sorted(attempts)
    assert "".join(delta.text for delta in conversation.live.deltas if delta.attempt == 6) == result.text


async def test_a_wrong_key_is_told_at_once_and_never_shown(talk: Talk) -> None:
    conversation, model = await talk({"require_key": "another", "rules": [{"reply": {"text": "x"}}]})
    await conversation.say("hello")
    result = await failed(conversation)
    assert result.kind is ModelFailure.AUTHENTICATION
    assert result.attempts == model.recording.count == 1
    assert model.recording.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert "refused the key" in result.message
    assert "FOLDLINE_MODEL_API_KEY" in result.message
    assert "Incorrect API key" in result.message
    assert KEY not in result.message


async def test_a_server_that_repeats_the_key_in_its_error_does_not_get_it_into_the_log(talk: Talk) -> None:
    script = faulty("bad_request", message=f"The key {KEY} and sk-proj-abcdefghijkl are not for this.")
    conversation, _ = await talk(script)
    await conversation.say("hello")
    result = await failed(conversation)
    assert "are not for this" in result.message
    for recorded in await conversation.events():
        assert KEY not in repr(recorded)
        assert "sk-proj-abcdefghijkl" not in repr(recorded)


async def test_without_a_key_no_providers_key_is_sent_to_the_users_server(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-for-another-server")
    conversation, model = await talk({"rules": [{"reply": {"text": "x"}}]}, key=None)
    await conversation.say("hello")
    assert "sk-a-key" not in model.recording.requests[0].headers["authorization"]
    [result] = await conversation.answers()
    assert isinstance(result, ModelCallCompleted)


async def test_an_unreachable_server_is_named() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    provider = ByModel(QUICK)
    conversation = Conversation(provider, choice_of("openai/x", url, KEY))
    await conversation.begin()
    await conversation.say("hello")
    result = await failed(conversation)
    assert result.kind is ModelFailure.UNREACHABLE
    assert result.attempts == 6
    assert f"The model server at {url} can't be reached." in result.message
    assert "FOLDLINE_MODEL_BASE_URL" in result.message
    await provider.close()


async def test_no_model_at_all_says_what_to_set() -> None:
    conversation = Conversation(ByModel(QUICK), choice_of("demo"))
    await conversation.begin()
    await conversation.say("hello")
    result = await failed(conversation)
    assert result.kind is ModelFailure.UNKNOWN_MODEL
    assert "FOLDLINE_MODEL" in result.message


async def test_a_model_string_without_a_known_provider_says_what_to_set() -> None:
    conversation = Conversation(ByModel(QUICK), choice_of("nobody-knows-this"))
    await conversation.begin()
    await conversation.say("hello")
    result = await failed(conversation)
    assert result.kind is ModelFailure.UNKNOWN_MODEL
    assert result.attempts == 1
    assert "provider/model, such as openai/my-model" in result.message


@pytest.mark.parametrize("after_chunks", [None, 0, 2])
async def test_a_silent_server_is_given_up(talk: Talk, after_chunks: int | None) -> None:
    script = faulty("hang", **({} if after_chunks is None else {"after_chunks": after_chunks}))
    conversation, model = await talk(script, limits=IMPATIENT)
    await conversation.say("hello")
    result = await failed(conversation)
    assert result.kind is ModelFailure.TIMEOUT
    assert result.attempts == 2
    assert "stopped answering" in result.message
    assert "within 0.5 s" in result.message
    await model.recording.until(lambda recording: recording.aborted == 2)


async def test_who_asks_for_an_hour_is_not_waited_for(talk: Talk) -> None:
    conversation, model = await talk(faulty("rate_limited", retry_after=3600))
    await conversation.say("hello")
    result = await failed(conversation)
    assert result.kind is ModelFailure.RATE_LIMITED
    assert result.attempts == model.recording.count == 1


async def test_an_exhausted_quota_is_not_tried_again(talk: Talk) -> None:
    script = faulty("bad_request", status=429, code="insufficient_quota", message="You exceeded your quota.")
    conversation, model = await talk(script)
    await conversation.say("hello")
    result = await failed(conversation)
    assert (result.kind, result.attempts) == (ModelFailure.RATE_LIMITED, 1)
    assert model.recording.count == 1
    assert "You exceeded your quota." in result.message


async def test_an_answer_that_announces_calls_and_sends_none_is_malformed(talk: Talk) -> None:
    conversation, _ = await talk({"rules": [{"reply": {"text": "", "finish": "tool_calls"}}]})
    await conversation.say("hello")
    result = await failed(conversation)
    assert result.kind is ModelFailure.MALFORMED_ANSWER


async def test_who_watches_is_told_that_the_model_is_asked_again(talk: Talk) -> None:
    fault = {"kind": "server_error", "status": 503, "times": 2}
    conversation, _ = await talk({"rules": [{"reply": {"text": "Hi.", "fault": fault}}]})
    await conversation.say("hello")
    told = [(one.attempt, one.retrying) for one in conversation.live.deltas]
    assert [(attempt, retrying and retrying.attempt) for attempt, retrying in told] == [
        (2, 2),
        (3, 3),
        (3, None),
    ]
    assert told[0][1] is not None
    assert (told[0][1].attempts, told[0][1].reason) == (6, "its server failed (503)")
