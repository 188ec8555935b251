"""litellm costs seconds and 150 MB: nobody pays before a model is asked."""

import os
import subprocess
import sys

IMPORTS = """
import sys
import session_engine.model_caller.app
print([name for name in ("litellm", "openai") if name in sys.modules])
"""
LOADS = """
import logging, os, sys
from session_engine.model_caller.providers.loading import litellm_module
litellm = litellm_module()
assert litellm is litellm_module()
print(litellm.telemetry, litellm.success_callback, logging.getLogger("LiteLLM").isEnabledFor(logging.ERROR),
      os.environ.get("FROM_DOTENV"), "openai.resources.chat" in sys.modules)
"""


def output(program: str, folder: str | None = None) -> str:
    """What a fresh interpreter prints."""
    environ = {name: value for name, value in os.environ.items() if name != "LITELLM_MODE"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, cwd=folder, env=environ, timeout=100
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


def test_importing_the_service_does_not_load_litellm() -> None:
    assert output(IMPORTS) == "[]"


def test_litellm_is_loaded_quiet_and_reads_nobodys_dotenv(tmp_path: os.PathLike[str]) -> None:
    with open(os.path.join(tmp_path, ".env"), "w") as file:
        file.write("FROM_DOTENV=yes")
    assert output(LOADS, os.fspath(tmp_path)) == "False [] False None True"
