"""Which change a refusal's words lead to, whoever says them; and which words lead to none."""

from typing import Any

import pytest

from agent_contracts.session_events.results import ModelFailure
from model_caller.answers.failures import ModelFault
from model_caller.choosing.call_adaptations import NOTHING
from model_caller.providers.adapting.messages import adapted_messages, short_id
from model_caller.providers.adapting.refusals import adaptation_for
from model_caller.providers.adapting.requests import sent_fields
from model_caller.providers.interfaces import INTERFACES
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
    found = adaptation_for(fault, REQUEST, NOTHING, sent_fields(REQUEST, INTERFACES["openai"].sends))
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
        ('stream_options is not supported', 'without_field stream_options'),
        ('unknown field `stream_options`, expected one of ...', 'without_field stream_options'),
        ('body -> stream_options: extra fields not permitted', 'without_field stream_options'),
        ("Additional properties are not allowed ('stream_options' was "
         'unexpected)', 'without_field stream_options'),
        ('json: unknown field "stream_options"', 'without_field stream_options'),
        ('Invalid JSON payload received. Unknown name "stream_options": Cannot '
         'find field.', 'without_field stream_options'),
        ("property 'stream_options' is unsupported", 'without_field stream_options'),
        ('This model does not support function calling.', 'no_tools'),
        ('Function calling is not enabled for models/gemma-3-27b-it', 'no_tools'),
        ('registry.ollama.ai/library/phi:latest does not support tools', 'no_tools'),
        ('"auto" tool choice requires --enable-auto-tool-choice and '
         '--tool-call-parser to be set', 'no_tools'),
        ('tools param requires --jinja flag', 'no_tools'),
        ('No endpoints found that support tool use. Try disabling "get_state"', 'no_tools'),
        ('`tool_choice` is not supported for this model', 'no_tools'),
        ('Tools are not supported in streaming mode.', 'no_tools'),
        ("This model doesn't support tool use in streaming mode.", 'no_tools'),
        ('tool use not supported', 'no_tools'),
        ('The requested model does not have tool capabilities', 'no_tools'),
        ('Unsupported parameter(s): `tools`', 'no_tools'),
        ('Model only supports text generation, tools given', 'no_tools'),
        ('This model does not support image input', 'no_pictures'),
        ('image_url is only supported by certain models', 'no_pictures'),
        ('No endpoints found that support image input', 'no_pictures'),
        ('Invalid content type. image_url is only supported by certain models.', 'no_pictures'),
        ('unknown variant `image_url`, expected `text`', 'no_pictures'),
        ('messages[1].content: expected string, got array', 'no_pictures'),
        ('Multimodal input is not supported by this model', 'no_pictures'),
        ('image input is not supported - hint: if this is unexpected, you may '
         'need to provide the mmproj', 'no_pictures'),
        ('Model does not support vision', 'no_pictures'),
        ('Input modality IMAGE is not supported', 'no_pictures'),
        ('This model only accepts text input', 'no_pictures'),
        ('temperature: Extra inputs are not permitted', 'without_field temperature'),
        ('temperature and top_p cannot both be specified for this model. Please '
         'use only one.', 'without_field temperature'),
        ('invalid temperature: only 1 is allowed for this model', 'without_field temperature'),
        ("The 'temperature' parameter must be 1", 'without_field temperature'),
        ('max_tokens must be less than or equal to 4096', 'answer_limit 4096'),
        ('max_tokens (9000) exceeds the model limit of 4096', 'answer_limit 4096'),
        ('Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 'answer_limit 8192'),
        ('`max_tokens` must be at most 8192', 'answer_limit 8192'),
        ('The maximum tokens you requested exceeds the model limit of 4096. Try '
         'again with a maximum tokens value that is lower than 4096.', 'answer_limit 4096'),
        ('max_completion_tokens is required instead of max_tokens', 'max_completion_tokens'),
        ('Please use max_completion_tokens', 'max_completion_tokens'),
        ('Conversation roles must alternate user/assistant/user/assistant/...', 'strict_alternation'),
        ('roles must alternate between "user" and "assistant", but found '
         'multiple "user" roles in a row', 'strict_alternation'),
        ('Expected last role User or Tool (or Assistant with prefix True) for '
         'serving but got assistant', 'strict_alternation'),
        ('consecutive messages of the same role are not allowed', 'strict_alternation'),
        ('System role not supported', 'no_system_role'),
        ('Developer instruction is not enabled for models/gemma-3-27b-it', 'no_system_role'),
        ("'system' is not one of ['user','assistant']", 'no_system_role'),
        ('messages with role system not supported', 'no_system_role'),
        ('stop: this field is not supported', 'without_field stop'),
        ('Unsupported parameter: stop', 'without_field stop'),
        ('response_format `json_object` is not supported', 'without_field response_format'),
        ("Only 'json_schema' type supported for response_format", 'without_field response_format'),
        ('Structured outputs are not supported by this model', 'without_field response_format'),
        ('`tool_calls` id must be 9 characters a-z, A-Z, 0-9', 'short_call_ids'),
        ('Tool call id was m000003-00 but must be a-z, A-Z, 0-9, with a length of 9.', 'short_call_ids'),
        ("messages.2.tool_calls.0.id: String should match pattern '^[a-zA-Z0-9_-]+$'", 'short_call_ids'),
        ("Invalid 'messages[2].tool_calls[0].id': string too long. Expected a "
         'string with maximum length 40', 'short_call_ids'),
        ("messages[3].role: 'tool' is not one of ['system','user','assistant']", 'no_tool_role'),
        ("Unexpected role 'tool'", 'no_tool_role'),
        ('thinking mode requires reasoning_content in assistant messages', 'reasoning_back'),
        ('Missing `reasoning_content` field in the assistant message at message '
         'index 2', 'reasoning_back'),
        ('Function call is missing a thought_signature in functionCall parts', 'reasoning_back'),
        ('Expected `thinking` or `redacted_thinking`, but found `tool_use`', 'reasoning_back'),
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
