"""Prompts of which a server read a part alone, and said nothing."""

import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import msgspec

from agent_contracts.session_events.results import ModelFailure, Usage
from model_caller.answers.failures import ModelFault
from session_domain.model_requests.encoded_array import encoded
from session_domain.model_requests.request import ModelRequest

_CUT_BELOW = 0.75
"""Of the tokens that we count: a server that read fewer may have cut the prompt. Counts differ by less."""
_LEAST_CUT = 1_000
"""Tokens; shorter prompts are cut by no server, and are counted too roughly."""
_SURELY_BELOW = 0.9
"""Of the fewest tokens that the texts can be: a template may leave some of them out."""
_WORD = re.compile(r"[^\W\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""No tokenizer takes two words for one token, where they have something between them."""
_WITHOUT_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of the scripts that have nothing between words, or long ones: Thai, Han, kana, Hangul."""
_LETTERS_PER_TOKEN = 3


def may_be_cut(request: ModelRequest, usage: Usage) -> bool:
    """Whether its server read far fewer tokens than we count. Counts may be wrong: see `surely_cut`."""
    return not usage.counted and _LEAST_CUT <= usage.input < request.tokens * _CUT_BELOW


def surely_cut(request: ModelRequest, read: int) -> bool:
    """Whether `read` tokens can't be all texts of the messages, however its tokenizer counts. It is slow."""
    return read < _fewest_tokens(request) * _SURELY_BELOW


async def require_whole(
    request: ModelRequest, usage: Usage, window: Callable[[], Awaitable[int | None]], *, told: int = 0
) -> None:
    """`ModelFault` where a server of the user's read fewer tokens than there can be. `usage.input` has what
    it had kept from before; `told` is what it meant to read. `window` asks it for its window, only if needed:
    a server that has room for all counts otherwise, or tells only what it hadn't kept."""
    kept = usage.cached_input + usage.cache_written
    apart = kept if kept > usage.input else 0  # most count it in
    read = msgspec.structs.replace(usage, input=max(usage.input + apart, told))
    if not may_be_cut(request, read):
        return
    known = await window()
    has_room = known is not None and known >= request.tokens
    if not has_room and surely_cut(request, read.input):
        raise cut_fault(request, read, known, "Its window is smaller than the prompt")


def cut_fault(request: ModelRequest, usage: Usage, window: int | None, why: str) -> ModelFault:
    """What is said of it. The prompt is too long for the `window`; None: for what was read."""
    said = f"the server cut the prompt: it read {usage.input:,} of about {request.tokens:,} tokens. {why}"
    fault = ModelFault(ModelFailure.CONTEXT_LENGTH, said)
    fault.window, fault.usage = window or usage.input, usage
    return fault


def _fewest_tokens(request: ModelRequest) -> int:
    """Tools aren't counted: a model whose template has no place for them reads none."""
    found = 0
    for message in msgspec.json.decode(encoded(request.messages).joined()):
        for text in _texts(message.get("content")):
            words = sum(1 for _ in _WORD.finditer(text))
            found += words + sum(1 for _ in _WITHOUT_SPACES.finditer(text)) // _LETTERS_PER_TOKEN
    return found


def _texts(content: Any) -> Iterator[str]:
    parts = content if isinstance(content, list) else [content]
    for part in parts:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            yield text
