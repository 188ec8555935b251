"""The conformance suite's client scenarios against our own client: `make mcp-conformance`."""

import os
import subprocess
import sys
from pathlib import Path

from foldline.testing.mcp_suite import NODE, SUITE

HERE = Path(__file__).parent
EACH_MS = 400_000
"""The suite starts all clients at once."""


def test_the_client_scenarios_pass_but_for_those_that_are_listed_with_their_reasons(tmp_path: Path) -> None:
    other = os.environ.get("MCP_CONFORMANCE")
    client = f"{sys.executable} {HERE / 'client.py'}"
    command = [str(NODE), other or str(SUITE), "client", "--command", client, "--suite", "all"]
    command += ["--timeout", str(EACH_MS)]
    if other is None:
        command += ["--expected-failures", str(HERE / "expected-failures.yml")]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=900, check=False)
    assert run.returncode == 0, (run.stdout + run.stderr)[-20_000:]
    assert "initialize" in run.stdout + run.stderr
