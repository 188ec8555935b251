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
    "message",
    [
        "max_tokens is too large: 99999. This model supports at most 16384 completion tokens",
        "Rate limit reached for requests per minute: Limit 3, Used 3",
        "Invalid 'tools': array too long. Expected an array with maximum length 128",
        "The image is too large",
        "string does not match pattern; maximum length is 64",
        "You exceeded your current quota, please check your plan",
        "Model is loading, try again",
    ],
)
def test_what_is_not_about_the_window_is_not_taken_for_it(message: str) -> None:
    fault = fault_of_status(httpx.Response(400), json.dumps(openai(message, None)).encode())
    assert fault.failure is ModelFailure.BAD_REQUEST
