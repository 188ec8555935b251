"""Which change a refusal's words lead to, whoever says them; and which words lead to none."""

from typing import Any

import pytest

from agent_contracts.session_events.results import ModelFailure
from model_caller.answers.failures import ModelFault
from model_caller.choosing.adapted import NOTHING
from model_caller.providers.adapting.messages import adapted_messages, short_id
from model_caller.providers.adapting.refusals import adaptation_for
from model_caller.providers.adapting.requests import sent_fields
from session_domain.model_requests.request import ModelRequest

CALL = {"id": "m000003-00", "type": "function", "function": {"name": "add", "arguments": "{}"}}
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be."},
    {"role": "user", "content": [{"type": "text", "text": "Look."}, PICTURE]},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "m000003-00", "content": "3"},
    {"role": "user", "content": "And?"},
]
TOOL: dict[str, Any] = {"type": "function", "function": {"name": "add", "description": "", "parameters": {}}}
OPTIONS: dict[str, Any] = {
    "temperature": 0.5,
    "max_tokens": 9_000,
    "stop": ["x"],
    "response_format": {"type": "json_object"},
}
REQUEST = ModelRequest("openai/x", MESSAGES, [TOOL], OPTIONS)


def label(said: str, *named: str, failure: ModelFailure = ModelFailure.BAD_REQUEST) -> str | None:
    fault = ModelFault(failure, said)
    fault.named = named
    found = adaptation_for(fault, REQUEST, NOTHING, sent_fields(REQUEST, "openai"))
    return None if found is None else found.label


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "
         "instead.", "max_completion_tokens"),
        ("Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value "
         "is supported.", "without_field temperature"),
        ("`temperature` is deprecated for this model.", "without_field temperature"),
        ("max_tokens is too large: 9000. This model supports at most 4096 completion tokens",
         "answer_limit 4096"),
        ("max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens",
         "answer_limit 8192"),
        ("Unsupported parameter: 'stop' is not supported with this model.", "without_field stop"),
        ("This response_format type is unavailable now", "without_field response_format"),
        ("'response_format.type' must be 'json_schema' or 'text'", "without_field response_format"),
        ("Stream options can only be defined when `stream=True`.", "without_field stream_options"),
        ("gemma3:270m does not support tools", "no_tools"),
        ("Tool calling is not supported with this model", "no_tools"),
        ("tools is not available for this deployment", "no_tools"),
        ("Failed to process image: unknown image format png8", "no_pictures once"),
        ("messages.0.content.1.image.source.base64.data: image exceeds 5 MB maximum", "no_pictures once"),
        ("You uploaded an unsupported image. Please make sure your image has one of the formats: png",
         "no_pictures once"),
        ("The model does not accept image inputs", "no_pictures"),
        ("After the (optional) system message(s), user or tool message(s) should alternate with assistant "
         "message(s).", "strict_alternation"),
    ],
)  # fmt: skip
def test_words_lead_to_a_change(said: str, expected: str) -> None:
    assert label(said) == expected


@pytest.mark.parametrize(
    "said",
    [
        "tools: Tool names must be unique.",
        "Invalid schema for function 'add': In context=(), 'x' is not valid under any of the given schemas",
        "Invalid 'tools[0].function.name': string does not match pattern",
        "tools.0.custom.input_schema.type: Field required",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
        "'tool_call_id'.",
        "The server had an error while processing your request. Stop and try later.",
        "Your request was rejected as a result of our safety system.",
        "The request is malformed.",
        "Messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    ],
)
def test_other_words_lead_to_none(said: str) -> None:
    assert label(said) is None


def test_the_parameter_that_a_refusal_names_counts_and_other_failures_do_not() -> None:
    assert label("Not like this.", "temperature") == "without_field temperature"
    assert label("does not support tools", failure=ModelFailure.OVERLOADED) is None
    assert label("does not support tools", failure=ModelFailure.CONTEXT_LENGTH) is None


def test_short_ids_are_the_same_for_ever_and_differ() -> None:
    ids = {short_id(f"m{number:06}-00") for number in range(5_000)}
    assert len(ids) == 5_000
    assert all(len(one) == 9 and one.isalnum() for one in ids)
    assert short_id("m000003-00") == short_id("m000003-00")


def test_nothing_changes_where_nothing_is_known() -> None:
    assert adapted_messages(MESSAGES, NOTHING) is MESSAGES
