"""litellm costs seconds and 150 MB: nobody pays before a model is asked."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
MEMBERS = ("libs", "services", "packs", "apps", "tests")

PROGRAM = """
import logging, os, sys
import model_caller.app
from model_caller.providers.loading import litellm_module
print([name for name in ("litellm", "openai") if name in sys.modules])
litellm = litellm_module()
assert litellm is litellm_module()
print(litellm.telemetry, litellm.success_callback, logging.getLogger("LiteLLM").isEnabledFor(logging.ERROR),
      os.environ.get("FROM_DOTENV"), "openai.resources.chat" in sys.modules)
"""


@pytest.mark.processes
def test_it_is_loaded_late_and_quiet_and_reads_nobodys_dotenv(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("FROM_DOTENV=yes")
    environ = {name: value for name, value in os.environ.items() if name != "LITELLM_MODE"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, cwd=tmp_path, env=environ, timeout=200
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().splitlines() == ["[]", "False [] False None True"]


def test_no_test_file_loads_it_as_it_is_collected() -> None:
    """Each worker collects every test file, and one alone runs those that need it."""
    tests = [found for member in MEMBERS for found in (REPOSITORY / member).glob("**/test_*.py")]
    assert Path(__file__) in tests
    texts = {path: path.read_text() for path in tests if "node_modules" not in path.parts}
    trees = {path: ast.parse(text) for path, text in texts.items() if "import litellm" in text}
    loading = [
        path.relative_to(REPOSITORY)
        for path, tree in trees.items()
        if any(isinstance(one, ast.Import) and one.names[0].name == "litellm" for one in tree.body)
    ]
    assert loading == []
