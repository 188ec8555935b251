"""Each server's way to say that a request is too long, and the figures that it tells.

The words are those of public bug reports and of the servers' sources.
"""

import json
from typing import Any

import httpx
import pytest

from agent_contracts.session_events.results import ModelFailure
from model_caller.providers.http_faults import fault_of_status


def openai(message: str, code: str | None = "context_length_exceeded") -> dict[str, Any]:
    """OpenAI's form, which many copy."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


def vllm(message: str) -> dict[str, Any]:
    """vLLM's and SGLang's form."""
    return {"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": 400}


def gemini(message: str) -> list[dict[str, Any]]:
    """Gemini's form behind OpenAI's interface."""
    return [{"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}]


LLAMA_CPP = {
    "code": 400,
    "message": "request (9000 tokens) exceeds the available context size (8192 tokens)",
    "type": "exceed_context_size_error",
    "n_ctx": 8192,
}
GROQ = "Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 9000"
TOLD: list[tuple[str, Any, int | None, int | None]] = [
    ("OpenAI", openai("This model's maximum context length is 8192 tokens. However, your messages "
     "resulted in "
     "10383 tokens. Please reduce the length of the messages."), 8192, 10383),
    ("OpenAI", openai("This model's maximum context length is 4097 tokens, however you requested 4231 "
     "tokens "
     "(3975 in your prompt; 256 for the completion). Please reduce your prompt; or completion "
     "length."), 4097, 4231),
    ("OpenAI", openai("Your input exceeds the context window of this model. Please adjust your "
     "input."), None, None),
    ("Azure", openai("This model's maximum context length is 128000 tokens. However, you requested "
     "1124171 tokens "
     "(124171 in the messages, 1000000 in the completion). Please reduce the length."), 128000, 1124171),
    ("Azure", {"error": {"code": "string_above_max_length", "message": "Invalid 'messages[0].content': "
     "string too "
     "long. Expected a string with maximum length 1048576, but got a string with length 1200000 "
     "instead."}}, None, None),
    ("Anthropic", openai("prompt is too long: 219898 tokens > 200000 maximum", None), 200000, 219898),
    ("Anthropic", openai("input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, "
     "decrease "
     "input length or `max_tokens` and try again", None), 200000, None),
    ("Anthropic", {"error": {"type": "request_too_large", "message": "Request exceeds the maximum "
     "size"}}, None, None),
    ("Gemini", gemini("The input token count (9000) exceeds the maximum number of tokens allowed "
     "(8192)."), 8192, 9000),
    ("Gemini", gemini("The input token count exceeds the maximum number of tokens allowed 8192."),
     8192, None),
    ("Bedrock", {"message": "Input is too long for requested model."}, None, None),
    ("Bedrock", {"message": "Input Tokens Exceeded: Number of input tokens exceeds maximum length."},
     None, None),
    ("Bedrock", {"message": "Too many input tokens. Max input tokens: 8192, request input token count: "
     "9000"},
     8192, 9000),
    ("Cohere", {"message": "too many tokens: total number of tokens (prompt and prediction) cannot "
     "exceed 2048 - "
     "received 6354. Try using a shorter prompt or a smaller max_tokens value."}, 2048, 6354),
    ("Cohere", {"message": "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or "
     "fewer "
     "inputs. The limit for this model is 128000 tokens."}, 128000, None),
    ("Mistral", {"object": "error", "message": "Prompt contains 40960 tokens and 0 draft tokens, too "
     "large for model "
     "with 32768 maximum context length", "type": "invalid_request_prompt", "code": "3051"}, 32768, 40960),
    ("Mistral", {"object": "error", "message": {"detail": [{"msg": "Prompt contains 9000 tokens, too "
     "large for model "
     "with 8192 maximum context length"}]}}, 8192, 9000),
    ("Groq", {"error": {"message": GROQ, "type": "tokens", "code": "rate_limit_exceeded"}}, 6000, 9000),
    ("Groq", openai("Please reduce the length of the messages or completion."), None, None),
    ("DeepSeek", openai("This model's maximum context length is 131072 tokens. However, you requested "
     "131134 tokens "
     "(122942 in the messages, 8192 in the completion). Please reduce the length of the messages or "
     "completion.",
     "invalid_request_error"), 131072, 131134),
    ("Together", openai("Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. "
     "Given: 9000 "
     "`inputs` tokens and 512 `max_new_tokens`", None), 8193, 9000),
    ("OpenRouter", {"error": {"code": 400, "message": "This endpoint's maximum context length is 131072 "
     "tokens. "
     "However, you requested about 140000 tokens (130000 of text input, 10000 in the output)."}},
     131072, 140000),
    ("OpenRouter", {"error": {"code": 400, "message": "Provider returned error",
     "metadata": {"raw": json.dumps(
     vllm("This model's maximum context length is 8192 tokens. However, you requested 9000 "
     "tokens"))}}}, 8192, 9000),
    ("vLLM", vllm("This model's maximum context length is 8192 tokens. However, you requested 9000 "
     "tokens"), 8192, 9000),
    ("vLLM", vllm("The prompt (total length 25938) is too long to fit into the model (context length "
     "4096)."),
     4096, 25938),
    ("vLLM", vllm("The decoder prompt (length 9000) is longer than the maximum model length of 8192."),
     8192, 9000),
    ("vLLM", vllm("'max_tokens' or 'max_completion_tokens' is too large: 1024. This model's maximum "
     "context length "
     "is 8192 tokens and your request has 9000 input tokens"), 8192, 9000),
    ("vLLM", vllm("You passed 9000 input tokens and requested 0 output tokens. However, the model's "
     "context length "
     "is only 8192 tokens, resulting in a maximum input length of 8192 tokens."), 8192, 9000),
    ("vLLM", vllm("Input prompt (36893 tokens) is too long and exceeds limit of 1000"), 1000, 36893),
    ("llama.cpp", {"error": LLAMA_CPP}, 8192, 9000),
    ("llama.cpp", {"error": {"code": 500, "message": "the request exceeds the available context size. "
     "try increasing "
     "the context size or enable context shift", "type": "server_error"}}, None, None),
    ("llama.cpp", openai("Requested tokens (9000) exceed context window of 8192", None), 8192, 9000),
    ("Ollama", {"error": "the input length exceeds the context length"}, None, None),
    ("Ollama", openai("prompt too long; exceeded max context length by 808 tokens", None), None, None),
    ("LM Studio", {"error": "Trying to keep the first 15857 tokens when context the overflows. However, "
     "the model is "
     "loaded with context length of only 4096 tokens, which is not enough."}, 4096, 15857),
    ("LM Studio", {"error": "The number of tokens to keep from the initial prompt is greater than the "
     "context length "
     "(n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length"}, 4096, 13055),
    ("LM Studio", {"error": "The number of tokens to keep from the initial prompt is greater than the "
     "context "
     "length. Try to load the model with a larger context length, or provide a shorter input"}, None, None),
    ("LM Studio", {"error": "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"}, 7424, 15028),
    ("LM Studio", {"error": {"message": "Context size has been exceeded."}}, None, None),
    ("TGI", {"error": "Input validation error: `inputs` must have less than 4096 tokens. Given: 9000"},
     4096, 9000),
    ("SGLang", vllm("The input (61709 tokens) is longer than the model's context length (40960 tokens)."),
     40960, 61709),
    ("SGLang", vllm("Requested token count exceeds the model's maximum context length of 8192 tokens. "
     "You requested "
     "a total of 9000 tokens: 8900 tokens from the input messages and 100 tokens for the completion."),
     8192, 9000),
    ("xAI", openai("This model's maximum prompt length is 131072 but the request contains 140000 "
     "tokens.", None),
     131072, 140000),
    ("Fireworks", openai("The prompt is too long: 140000, model maximum context length: 131071", None),
     131071, 140000),
    ("Moonshot", openai("Invalid request: Your request exceeded model token limit: 8192", None), 8192,
     None),
    ("Qwen", openai("Range of input length should be [1, 30720]", None), 30720, None),
]  # fmt: skip


@pytest.mark.parametrize(("server", "body", "window", "needed"), TOLD)
@pytest.mark.parametrize("status", [400, 500])
def test_what_is_too_long_is_known_by_its_words(
    status: int, server: str, body: Any, window: int | None, needed: int | None
) -> None:
    fault = fault_of_status(httpx.Response(status), json.dumps(body).encode())
    assert (fault.failure, fault.window, fault.needed) == (ModelFailure.CONTEXT_LENGTH, window, needed), (
        server
    )


@pytest.mark.parametrize(
    ("message", "window", "needed"),
    [
    ('Prompt exceeds max length', None, None),
    ('Request body too large for gpt-4o model. Max size: 8000 tokens.', 8000, None),
    ('prompt token count of 130000 exceeds the limit of 128000', 128000, 130000),
    ('the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model', 4096, 5000),
    ('max tokens of 4096 exceeded', 4096, None),
    ("Bad request: prompt token count (9000) exceeds model's max (8192)", 8192, 9000),
    ('Prompt length 9000 is greater than max_seq_len 8192', 8192, 9000),
    ('Prompt sequence length 9000 is greater than the maximum 8192', 8192, 9000),
    ('Unable to submit request because the input token count is 40000 but model only '
     'supports up to 32768. Reduce the input token count and try again.', 32768, 40000),
    ('Request payload size exceeds the limit: 20971520 bytes.', None, None),
    ('Please reduce the length of the messages or completion. Current length is 9034 while '
     'limit is 8192', 8192, 9034),
    ('Input length 9000 exceeds session length 8192', 8192, 9000),
    ('input length 9000 exceeds maximum allowed input length 8192', 8192, 9000),
    ('This model maximum context length is 2048 tokens. However, your messages resulted in '
     'over 3000 tokens.', 2048, 3000),
    ('Requested total tokens 9000 exceeds maximum of 8192', 8192, 9000),
    ('The sum of prompt length (9000) and max_tokens (100) should not exceed '
     'max_total_tokens (8192)', 8192, 9000),
    ('Input is too long.', None, None),
    ("Your prompt has 9000 tokens, but the model's context window is 8192 tokens", 8192, 9000),
    ('Total tokens exceed the context window', None, None),
    ('tokens in prompt (9000) > context size (8192)', 8192, 9000),
    ('slot context full', None, None),
    ('context full', None, None),
    ('Context overflow: prompt too large for the model (8192 tokens)', 8192, None),
    ('Token limit exceeded: 9000 > 8192', 8192, 9000),
    ("The input exceeds the model's maximum token limit of 8192", 8192, None),
    ('litellm.ContextWindowExceededError: litellm.BadRequestError: '
     'ContextWindowExceededError: OpenAIException - too long', None, None),
    ('Maximum number of input tokens (8192) exceeded', 8192, None),
    ('Number of tokens in the prompt exceeds the limit 8192', 8192, None),
    ('conversation too long; maximum is 8192 tokens', 8192, None),
    ('Failed to generate: KV cache is full', None, None),
    ('max_new_tokens must be positive: prompt length 9000 exceeds max sequence length 8192', 8192, 9000),
    ('The message you submitted was too long, please reload the conversation and submit '
     'something shorter.', None, None),
    ('input_ids length 9000 exceeds max_position_embeddings 8192', 8192, 9000),
    ("This request would exceed your organization's maximum context of 8192 tokens", 8192, None),
    ('request exceeds the maximum allowed number of tokens: 8192', 8192, None),
    ],
)  # fmt: skip
def test_so_it_is_where_nobody_has_seen_the_words_before(
    message: str, window: int | None, needed: int | None
) -> None:
    """GitHub, Copilot, Zhipu, watsonx, Snowflake, Databricks, TabbyAPI, LMDeploy, mistral.rs, Vertex,
    Cerebras, SambaNova, and words that could be anybody's."""
    fault = fault_of_status(httpx.Response(400), json.dumps(openai(message, None)).encode())
    assert (fault.failure, fault.window, fault.needed) == (ModelFailure.CONTEXT_LENGTH, window, needed)


@pytest.mark.parametrize(
    "code", ["tokens_limit_reached", "model_max_prompt_tokens_exceeded", "context_window_exceeded"]
)
def test_a_code_that_says_so_is_enough(code: str) -> None:
    fault = fault_of_status(httpx.Response(400), json.dumps(openai("No.", code)).encode())
    assert fault.failure is ModelFailure.CONTEXT_LENGTH


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: 99999. This model supports at most 16384 completion tokens",
        "Rate limit reached for requests per minute: Limit 3, Used 3",
        "Invalid 'tools': array too long. Expected an array with maximum length 128",
        "The image is too large",
        "string does not match pattern; maximum length is 64",
        "You exceeded your current quota, please check your plan",
        "Model is loading, try again",
        "Rate limit reached for requests per minute: limit 60",
        "The maximum number of images exceeded",
        "Timeout exceeded while waiting for model",
        "Maximum number of tools (128) exceeded",
        "Your account's spending limit was exceeded",
        "Deadline exceeded",
        "max_tokens must be less than 4096",
        "tokens per minute limit exceeded, please slow down",
        "the tool name is too long: maximum length 64",
        "system prompt cache limit exceeded",
        "'tools[3].function.description': string too long. Expected a string with maximum"
        " length 1024, but got a string with length 2000 instead.",
    ],
)
def test_what_is_not_about_the_window_is_not_taken_for_it(message: str) -> None:
    fault = fault_of_status(httpx.Response(400), json.dumps(openai(message, None)).encode())
    assert fault.failure is ModelFailure.BAD_REQUEST
