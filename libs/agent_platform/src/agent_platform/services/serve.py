"""One service as a program of its own, by its name, with nothing imported that it doesn't need:

    python -m agent_platform.services.serve NAME [--announce]

With `--announce` it only tells what it offers, and ends. It is told by its environment. It ends when the
process ends that `FOLDLINE_PARENT_PID` names.
"""

import os
import sys

from agent_platform.process import lean_imports  # noqa: F401 — before what it keeps small

# isort: split
import structlog

from agent_contracts.errors import Failure, Transient
from agent_platform.process.collecting import collect_rarely
from agent_platform.process.stopping import PARENT_PID, end_with, run_until_told_to_stop
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.discovery import installed
from agent_platform.services.logging_by_settings import configure_by
from agent_platform.settings.loading import load_settings
from agent_platform.settings.shared import ServiceSettings

MODULE = "agent_platform.services.serve"
ANNOUNCE = "--announce"

_log = structlog.get_logger()


def main(name: str, *how: str) -> int:
    """Run until SIGINT or SIGTERM. What it returns, `serve_alone` says."""
    parent = os.environ.get(PARENT_PID)
    if parent is not None:
        end_with(int(parent))
    return serve_alone(installed(name), announce=ANNOUNCE in how)


def serve_alone(service: ServiceDeclaration, *, announce: bool = False) -> int:
    """Run one service as the whole program, against the servers that the settings name.

    Ends the process with exit code 0 once it has closed in order. Returns the exit code for what it says on
    stderr: 1 for settings that can't be used, 75 for servers that can't be used now.
    """
    try:
        loaded = load_settings(service.settings)
        configure_by(loaded.settings, service.name)
        if loaded.ignored:
            _log.warning("settings.ignored", keys=list(loaded.ignored))
        run_until_told_to_stop(_serve(service, loaded.settings, announce=announce))
    except Failure as failure:
        print(f"{service.name}: {failure.message}", file=sys.stderr)
        return os.EX_TEMPFAIL if isinstance(failure, Transient) else 1
    return 0


async def _serve(service: ServiceDeclaration, settings: ServiceSettings, *, announce: bool) -> None:
    serve = service.load_announcing() if announce else service.load()
    collect_rarely()
    await serve(settings)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
