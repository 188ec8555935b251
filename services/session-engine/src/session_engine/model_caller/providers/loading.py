"""litellm, imported once, late and quietly: it takes seconds and a hundred megabytes."""

import logging
import os
import threading
from types import ModuleType

_lock = threading.Lock()


def litellm_module() -> ModuleType:
    """litellm with its habits switched off: no price list or `.env` read, no telemetry, nothing printed.

    The first call in a process takes seconds; call it in a thread.
    """
    with _lock:
        # Read while it is imported: no price list from the network, no `.env` from whatever folder this is.
        os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
        os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
        # Heavy: only a process that asks a model pays for it.
        import litellm

        litellm.telemetry = False
        litellm.suppress_debug_info = True
        litellm.disable_hf_tokenizer_download = True
        litellm.num_retries = None
        for callbacks in (litellm.callbacks, litellm.success_callback, litellm.failure_callback):
            callbacks.clear()
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # faults are told by us, without keys
        module: ModuleType = litellm
        return module
