"""`python -m mcp_host`: one mcp-host alone, against the servers that the settings name."""

import sys

from agent_platform.services.serve import serve_alone
from mcp_host.service import DECLARATION


def main() -> int:
    """Run until SIGINT or SIGTERM; 1 for settings or servers that can't be used."""
    return serve_alone(DECLARATION)


if __name__ == "__main__":
    sys.exit(main())
