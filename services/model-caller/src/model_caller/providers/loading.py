"""litellm, imported once, late and quietly: it takes seconds of CPU and 150 MB."""

import logging
import os
import threading
from types import ModuleType
from typing import Any

_lock = threading.Lock()
_loaded: list[ModuleType] = []


def litellm_module() -> ModuleType:
    """litellm with its habits switched off: no price list or `.env` read, no telemetry, nothing printed.

    The first call in a process takes seconds; call it in a thread, so that the event loop goes on.
    """
    with _lock:
        if not _loaded:
            _loaded.append(_load())
        return _loaded[0]


def _load() -> ModuleType:
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
    for callbacks in (litellm.callbacks, litellm.success_callback, litellm.failure_callback):
        callbacks.clear()
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # faults are told by us, without keys
    _send_as_given()
    _stream_once(litellm)
    module: ModuleType = litellm
    return module


def _send_as_given() -> None:
    """Have requests sent as litellm made them, without openai's walk through every part of every message.

    openai 2.54 copies each message once for every kind that there is, in the event loop, to rename fields
    and to encode files: 0.5 ms a message. What a model is asked is plain JSON, and no field of it is
    renamed: what is sent is the same to the byte, which a test compares. The name is private to openai; its
    version is pinned.
    """
    # As above: heavy, and imported by litellm anyway.
    from openai._utils import is_given
    from openai.resources.chat.completions import completions

    async def given(body: Any, _: object) -> dict[str, Any]:
        return {name: value for name, value in body.items() if is_given(value)}

    vars(completions)["async_maybe_transform"] = given


def _stream_once(litellm: ModuleType) -> None:
    """An answer that litellm makes up itself: it builds then what the first real one would wait for."""
    asked = [{"role": "user", "content": "x"}]
    for _ in litellm.completion(model="openai/x", messages=asked, mock_response="x", stream=True):
        pass
