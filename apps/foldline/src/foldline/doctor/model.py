"""Whether the model answers: one short request, made as the chat makes them.

Which model that is, a running Foldline knows: people's settings count for it. Where none runs, it is what one
that is started here would ask.
"""

import asyncio
import os
import time
from contextlib import aclosing

import httpx

from agent_platform.secrecy.failure_text import failure_of
from egress.proxies.clients import async_gateway_client
from foldline.doctor.finding import Finding, ok, problem, warning
from foldline.settings import UpSettings
from foldline.supervisor.announcement import Announcement, read_announcement
from model_caller.answers.answer import AnswerPiece
from model_caller.answers.failures import ModelFault, explain
from model_caller.choosing.model_choice import DEMO, ModelChoice, choose_model
from model_caller.choosing.target import target_for
from model_caller.limits import ModelCallLimits
from model_caller.providers.by_model import ByModel
from session_domain.model_requests.request import ModelRequest

_TIMEOUT_S = 20
_TEST_S = 90
_TO_DO = "check the model, its key and its server: foldline config, or the Studio's settings"


async def model(settings: UpSettings) -> Finding:
    """Ask it for a word."""
    said = read_announcement(settings.data_dir)
    if said is not None:
        try:
            return await _of_the_running(said)
        except httpx.TransportError as error:
            text = f"it was not asked, for the gateway doesn't answer ({failure_of(error)})"
            return warning("model", text, "foldline up, then ask again")
    return await _of_one_started_here(settings)


async def _of_the_running(said: Announcement) -> Finding:
    """By the settings that hold now, as the model caller reads them."""
    headers = {"Authorization": f"Bearer {said.token}"}
    async with async_gateway_client(said.url, headers, _TEST_S) as client:
        answer = await client.post("/api/v1/settings:test-model", json={})
    told = answer.json()
    if answer.status_code != 200:
        text = f"it could not be asked: {told.get('detail') or answer.status_code}"
        return problem("model", text, "see the log of the model caller")
    if told["model"].rpartition("/")[2] == DEMO:
        return _demo()
    if not told["ok"]:
        return problem("model", f"{told['model']}: {told['problem']}", _TO_DO)
    seconds = told["ms"] / 1000
    text = f"{told['model']} answers in {seconds:.1f} s, by the settings as they are now"
    small = told.get("small_since")
    return ok("model", f"{text}; it gets a short prompt and few tools, since {small}" if small else text)


def _demo() -> Finding:
    return warning(
        "model",
        "no model is configured: the demo answers",
        "set a model in the Studio, or FOLDLINE_MODEL (and FOLDLINE_MODEL_BASE_URL), or a provider's key "
        "such as OPENAI_API_KEY",
    )


async def _of_one_started_here(settings: UpSettings) -> Finding:
    choice = choose_model(settings, os.environ)
    if choice.model == DEMO:
        return _demo()
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
    provider = ByModel(ModelCallLimits(connect=5))
    await provider.warm_up(target_for(choice, None))
    request = ModelRequest(choice.model, [{"role": "user", "content": "Say ok."}], [])
    began = time.monotonic()
    try:
        async with (
            asyncio.timeout(_TIMEOUT_S),
            aclosing(provider.stream(request, target_for(choice, None))) as pieces,
        ):
            async for piece in pieces:
                if piece != AnswerPiece():  # a mere sign of life may come before a refusal
                    break
        return time.monotonic() - began
    finally:
        await provider.close()
