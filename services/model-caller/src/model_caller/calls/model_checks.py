"""What a model can do, found out by short requests: whether an agent can work with it."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any

import msgspec

from agent_contracts.json_value import Json
from agent_contracts.questions.model_tests import ModelCheck
from model_caller.answers.answer import AnswerEnding, Assembly
from model_caller.answers.failures import ModelFault, explain
from model_caller.choosing.small_models import AUTO, why_small
from model_caller.choosing.target import ModelTarget
from model_caller.providers.json_fields import decoded
from model_caller.providers.port import Provider
from session_domain.model_requests.request import ModelRequest

FIXED_TOKENS, SMALL_FIXED_TOKENS = 2_900, 1_200
"""What stands in each request of a new agent: its instructions and tools. The second is with the preset for
small models. Tests hold agents to both."""
_ROOM = 800
"""For a question and a short answer."""
_PATIENCE_S = 180.0
_WEATHER: dict[str, Json] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Tells the weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}
_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
_RED = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAGUlEQVR4nGP4z8BAEiJN9aiGUQ1DSgMA"
    "kPn/Afbx+3cAAAAASUVORK5CYII="
)
_LONG = "The quick brown fox jumps over the lazy dog. " * 300


class _CheckedAnswer(msgspec.Struct):
    said: Assembly
    ending: AnswerEnding
    pieces: int


def window_flaw(target: ModelTarget, window: int | None, small_models: str = AUTO) -> str | None:
    """Why no agent can work in this window, in words for a person; None if it can, or nobody knows.

    `small_models`: the setting that says which models get a short prompt.
    """
    fixed = SMALL_FIXED_TOKENS if why_small(target, window, small_models) else FIXED_TOKENS
    least = fixed + _ROOM
    if window is None or window >= least:
        return None
    return (
        f"Its window of {window:,} tokens is too small: instructions and tools of a new agent alone take "
        f"about {fixed:,}. Load the model with at least {least:,} tokens (llama.cpp: "
        "--ctx-size, Ollama: num_ctx, LM Studio: Context Length, vLLM: --max-model-len), or choose another"
    )


async def checks(provider: Provider, target: ModelTarget, small_models: str = AUTO) -> tuple[ModelCheck, ...]:
    """One for each thing that counts. Where the model doesn't answer at all, nothing else is tried.

    `small_models`: see `window_flaw`.
    """
    try:
        ran = await _run(provider, target, "Count from 1 to 20, separated by commas.")
    except (ModelFault, TimeoutError) as error:
        return (ModelCheck("chat", ok=False, needed=True, words=_why(error, target)),)
    answers = bool(ran.said.text.strip())
    window = ran.ending.context_window
    flaw = window_flaw(target, window, small_models)
    found = [
        ModelCheck("chat", ok=answers, needed=True, words="answers" if answers else "its answer was empty"),
        ModelCheck(
            "stream",
            ok=ran.pieces > 1,
            needed=False,
            words=f"{ran.pieces} pieces" if ran.pieces > 1 else "the answer came all at once",
        ),
        ModelCheck(
            "window",
            ok=None if window is None else flaw is None,
            needed=True,
            words=flaw or ("not told: set model_context_window" if window is None else f"{window:,} tokens"),
        ),
    ]
    for name, check, needed in (
        ("tool call", _tool_call, True),
        ("JSON schema", _schema, False),
        ("picture", _picture, False),
        ("cache", _cache, False),
    ):
        try:
            ok, words = await check(provider, target)
        except (ModelFault, TimeoutError) as error:
            ok, words = False, _why(error, target)
        found.append(ModelCheck(name, ok=ok, needed=needed, words=words))
    return tuple(found)


async def _tool_call(provider: Provider, target: ModelTarget) -> tuple[bool | None, str]:
    prompt = "What is the weather in Oslo? Call the tool get_weather; say nothing else."
    ran = await _run(provider, target, prompt, tools=[_WEATHER])
    for call in ran.said.calls():
        if call.name == "get_weather" and isinstance(_value(call.arguments), dict):
            return True, "calls get_weather with arguments that can be read"
    return False, f"no call: it said “{_short(ran.said.text)}”"


async def _schema(provider: Provider, target: ModelTarget) -> tuple[bool | None, str]:
    form: dict[str, Json] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": _SCHEMA}}
    prompt = 'Name the capital of Norway, as JSON such as {"city": "Rome"}.'
    ran = await _run(provider, target, prompt, options={"response_format": form})
    value = _value(ran.said.text)
    fits = isinstance(value, dict) and [*value] == ["city"] and isinstance(value["city"], str)
    return fits, "keeps to it" if fits else f"it said “{_short(ran.said.text)}”"


async def _picture(provider: Provider, target: ModelTarget) -> tuple[bool | None, str]:
    parts = [
        {"type": "text", "text": "Which colour has this picture? Answer in one word."},
        {"type": "image_url", "image_url": {"url": _RED}},
    ]
    ran = await _run(provider, target, parts)
    sees = "red" in ran.said.text.lower()
    return sees, "sees it" if sees else f"it said “{_short(ran.said.text)}”"


async def _cache(provider: Provider, target: ModelTarget) -> tuple[bool | None, str]:
    for number in ("one", "two"):
        ran = await _run(provider, target, f"{_LONG}\n\nAnswer with the word {number}.")
    cached, read = ran.ending.usage.cached_input, ran.ending.usage.input
    if ran.ending.usage.counted or not cached:
        return None, "not told"
    return True, f"{cached:,} of {read:,} tokens were read from it"


async def _run(
    provider: Provider,
    target: ModelTarget,
    content: Json,
    *,
    tools: Sequence[dict[str, Json]] = (),
    options: Mapping[str, Json] | None = None,
) -> _CheckedAnswer:
    message: dict[str, Any] = {"role": "user", "content": content}
    request = ModelRequest(target.model, [message], [*tools], dict(options or {}))
    said, pieces = Assembly(), 0
    async with asyncio.timeout(_PATIENCE_S), aclosing(provider.stream(request, target)) as stream:
        async for piece in stream:
            if isinstance(piece, AnswerEnding):
                return _CheckedAnswer(said, piece, pieces)
            said.add(piece)
            pieces += bool(piece.text)
    raise TimeoutError


def _why(error: ModelFault | TimeoutError, target: ModelTarget) -> str:
    if isinstance(error, ModelFault):
        return explain(error, target, 1)
    return f"it didn't end its answer within {_PATIENCE_S:g} s"


def _value(text: str) -> Json:
    try:
        return decoded(text.strip().removeprefix("```json").removesuffix("```"))
    except ValueError:
        return None


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 60 else f"{words[:60]}…"
