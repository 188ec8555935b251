"""The conformance suite's client scenarios against our own client: `make mcp-conformance`."""

import subprocess
import sys
from pathlib import Path

from tests.mcp_conformance.client import clients

from foldline_testing.product.mcp_suite import suite

HERE = Path(__file__).parent
EACH_MS = 120_000
"""The suite starts all clients at once."""


def test_the_client_scenarios_pass_but_for_those_that_are_listed_with_their_reasons(tmp_path: Path) -> None:
    socket = tmp_path / "clients"
    client = f"{sys.executable} -IS {HERE / 'ask.py'} {socket}"
    command = [*suite("client", HERE), "--command", client, "--timeout", str(EACH_MS)]
    with clients(socket):
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    said = run.stdout[run.stdout.find("=== SUITE SUMMARY") :]
    assert run.returncode == 0, said + run.stderr[-10_000:]
    assert "✓ tools_call" in said
