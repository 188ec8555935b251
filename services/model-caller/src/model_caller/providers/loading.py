"""litellm, imported once, late and quietly: it takes seconds of CPU and 150 MB. It is an optional package."""

import logging
import os
import sys
import threading
from importlib.util import find_spec
from types import ModuleType

from egress.proxies.proxies import proxies_from
from model_caller.providers import patches

_lock = threading.Lock()
_loaded: list[ModuleType] = []


def is_installed() -> bool:
    """Whether litellm and what it needs are there. Imports nothing."""
    return all(find_spec(name) is not None for name in patches.VERSIONS)


def install_command() -> str:
    """The command that installs it where this process runs."""
    if find_spec("pip") is None:  # our images have none
        return "FOLDLINE_MODEL_CALLER=model-caller-litellm docker compose up --build --detach"
    whole = "foldline" if find_spec("foldline") is not None else "model-caller"
    return f"{sys.executable} -m pip install '{whole}[litellm]'"


def litellm_module() -> ModuleType:
    """litellm with its habits switched off: no price list or `.env` read, no telemetry, nothing printed.

    The first call in a process takes seconds; call it in a thread, so that the event loop goes on.
    Raises `NotAsExpected` for versions that we don't know, and where it isn't installed.
    """
    with _lock:
        if not _loaded:
            _loaded.append(_load())
        return _loaded[0]


def _load() -> ModuleType:
    patches.check_versions()
    # Read while it is imported: no price list from the network, no `.env` from whatever folder this is.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    # Heavy: only a process that asks a model pays for them. The second one, half a second, litellm would
    # import in the middle of the first call, in the event loop.
    import litellm
    import openai.resources  # noqa: F401

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.disable_hf_tokenizer_download = True
    litellm.disable_token_counter = True  # it would count every answer, with a tokenizer of 40 MB
    litellm.num_retries = None
    # Equal chunks are not a fault; what never ends, `MAX_CHARACTERS` ends.
    vars(litellm)["REPEATED_STREAMING_CHUNK_LIMIT"] = sys.maxsize
    for callbacks in (litellm.callbacks, litellm.success_callback, litellm.failure_callback):
        callbacks.clear()
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # faults are told by us, without keys
    module: ModuleType = litellm
    patches.send_as_given()
    patches.read_any_shape()
    patches.route_by(proxies_from(os.environ))
    patches.check_litellm(module)
    return module
