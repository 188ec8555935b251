"""`python -m tool_runner`: one tool runner alone, against the servers that the settings name."""

import asyncio
import signal
import sys

from agent_contracts.errors import Failure
from agent_platform.logs import configure_logging
from agent_platform.settings import load_settings
from tool_runner.app import SERVICE, serve


async def _serve_until_told() -> None:
    settings = load_settings().settings
    configure_logging(settings.log_level, settings.log_format, SERVICE)
    serving = asyncio.create_task(serve(settings))
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, serving.cancel)
    try:
        await serving
    except asyncio.CancelledError:
        return


def main() -> int:
    """Run until SIGINT or SIGTERM; 1 for settings, tools or servers that can't be used."""
    try:
        asyncio.run(_serve_until_told())
    except Failure as failure:
        print(f"tool-runner: {failure.message}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
