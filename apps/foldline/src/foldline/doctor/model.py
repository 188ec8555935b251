"""Whether the model answers: one short request, made as the chat makes them."""

import asyncio
import os
import time
from contextlib import aclosing

from foldline.doctor.finding import Finding, ok, problem, warning
from foldline.settings import UpSettings
from model_caller.answers.failures import ModelFault, explain
from model_caller.choosing.model_choice import DEMO, ModelChoice, choose_model
from model_caller.choosing.target import target_for
from model_caller.limits import Limits
from model_caller.providers.by_model import ByModel
from session_domain.model_requests.request import ModelRequest

_TIMEOUT_S = 20
_TO_DO = "check FOLDLINE_MODEL, its key and base URL"


async def model(settings: UpSettings) -> Finding:
    """Ask it for a word, and wait for the first piece of it."""
    choice = choose_model(settings, os.environ)
    if choice.model == DEMO:
        return warning(
            "model",
            "no model is configured: the demo answers",
            "set FOLDLINE_MODEL (and FOLDLINE_MODEL_BASE_URL), or a provider's key such as OPENAI_API_KEY",
        )
    target = target_for(choice, None)
    try:
        seconds = await _first_piece(choice)
    except ModelFault as fault:
        return problem("model", explain(fault, target, 1), _TO_DO)
    except TimeoutError:
        return problem("model", f"{choice.model} did not begin to answer within {_TIMEOUT_S} s", _TO_DO)
    return ok("model", f"{choice.model} answers in {seconds:.1f} s ({choice.source})")


async def _first_piece(choice: ModelChoice) -> float:
    """The seconds until the model began to answer; loading litellm, which takes longer, is not counted."""
    provider = ByModel(Limits(connect=5))
    await provider.warm_up(target_for(choice, None))
    request = ModelRequest(choice.model, [{"role": "user", "content": "Say ok."}], [])
    began = time.monotonic()
    try:
        async with (
            asyncio.timeout(_TIMEOUT_S),
            aclosing(provider.stream(request, target_for(choice, None))) as pieces,
        ):
            await anext(pieces)
        return time.monotonic() - began
    finally:
        await provider.close()
