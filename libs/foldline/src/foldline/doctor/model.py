"""Whether the model answers: one short request."""

import os
import time

from agent_platform.model_choice import DEMO, choose_model
from agent_platform.settings import Settings
from foldline.doctor.finding import Finding, ok, problem, warning

_TIMEOUT_S = 20


async def model(settings: Settings) -> Finding:
    """Ask it for one token."""
    choice = choose_model(settings, os.environ)
    if choice.model == DEMO:
        return warning(
            "model",
            "no model is configured: the demo answers",
            "set FOLDLINE_MODEL (and FOLDLINE_MODEL_BASE_URL), or a provider's key such as OPENAI_API_KEY",
        )
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm  # 2.4 s and 100 MB: only where models are called

    began = time.monotonic()
    try:
        await litellm.acompletion(
            model=choice.model,
            messages=[{"role": "user", "content": "Say ok."}],
            max_tokens=1,
            api_base=choice.base_url,
            api_key=choice.api_key,
            timeout=_TIMEOUT_S,
            num_retries=0,
        )
    except Exception as error:  # litellm's exceptions share no base class: whatever it raises is the finding
        reason = str(error).replace(choice.api_key, "***") if choice.api_key else str(error)
        return problem(
            "model", f"{choice.model}: {reason[:300]}", "check FOLDLINE_MODEL, its key and base URL"
        )
    return ok("model", f"{choice.model} answers in {time.monotonic() - began:.1f} s ({choice.source})")
