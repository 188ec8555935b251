"""What asking a model costs this process, for each provider: a server of its own plays the model."""

import asyncio
import time
from pathlib import Path
from typing import Any

from agent_contracts.json_value import Json
from bench.sampling import median
from bench.script import KILOBYTE
from bench.scripted_model import scripted_model
from bench.table import Figure, at_most
from model_caller.answers.answer import AnswerEnding, Assembly
from model_caller.choosing.target import ModelTarget
from model_caller.limits import ModelCallLimits
from model_caller.providers.by_model import ByModel
from session_domain.domain.shown.prompt import definition
from session_domain.model_requests.request import ModelRequest
from tool_runner.core import discover

GROUP = "model-call"
_CHUNKS = 8
_STEPS = 10
_MODELS = (("openai/bench", at_most(6)), ("anthropic/bench", at_most(6)), ("litellm/openai/bench", None))


async def measure(folder: Path, *, calls: int) -> list[Figure]:
    """Processor time of a call with 56 tools and ten steps of history, in rounds of a tenth of the calls."""
    await asyncio.to_thread(folder.mkdir, parents=True)
    script = {
        "pace": {"chunks": _CHUNKS},
        "rules": [{"reply": {"text": KILOBYTE[: _CHUNKS * 16]}}],
    }
    tools = [definition(tool.spec) for pack in discover(selftest=False).packs for tool in pack.tools]
    tools = (tools * (56 // len(tools) + 1))[:56]
    spent: dict[str, list[float]] = {model: [] for model, _ in _MODELS}
    provider = ByModel(ModelCallLimits())
    with scripted_model(folder, script) as environ:
        url, key = environ["FOLDLINE_MODEL_BASE_URL"], environ["FOLDLINE_MODEL_API_KEY"]
        try:
            for round_ in range(11):
                for model, _ in _MODELS:
                    target, request = ModelTarget(model, url, key), ModelRequest(model, _history(), tools)
                    began = time.process_time()
                    for _call in range(max(1, calls // 10)):
                        await _ask(provider, request, target)
                    if round_:  # the first one loads and connects
                        took = (time.process_time() - began) / max(1, calls // 10)
                        spent[model].append(took * 1000)
        finally:
            await provider.close()
    note = f"{_CHUNKS} chunks, {len(tools)} tools, {_STEPS} steps before; median of 10 rounds in rotation"
    name = "processor time of a call"
    return [
        Figure(GROUP, f"{name}, {model.rpartition('/')[0]}", median(spent[model]), "ms", target, note)
        for model, target in _MODELS
    ]


async def _ask(provider: ByModel, request: ModelRequest, target: ModelTarget) -> None:
    said = Assembly()
    async for piece in provider.stream(request, target):
        if not isinstance(piece, AnswerEnding):
            said.add(piece)
    if len(said.text) != _CHUNKS * 16:
        raise RuntimeError(f"{target.model} said {said.text!r}")


def _history() -> list[dict[str, Json]]:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": KILOBYTE * 4},
        {"role": "user", "content": "begin"},
    ]
    for step in range(_STEPS):
        call = {
            "id": f"call_{step}",
            "type": "function",
            "function": {"name": "get_state", "arguments": "{}"},
        }
        messages.append({"role": "assistant", "content": KILOBYTE, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{step}", "content": KILOBYTE})
    return messages
