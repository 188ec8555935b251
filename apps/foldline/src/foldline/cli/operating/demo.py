"""`foldline demo`."""

from pathlib import Path
from typing import Annotated

import typer

from agent_platform.observing.logs import configure_logging
from demo_model import server
from foldline.cli.output import failures_shown
from foldline.settings import up_settings


def demo(
    script: Annotated[Path | None, typer.Argument(help="A script file (default: the built-in demo).")] = None,
    port: Annotated[int, typer.Option(help="The port to listen on; 0 picks a free one.")] = 0,
) -> None:
    """Run only the demo model: an OpenAI-compatible server that plays a script."""
    with failures_shown():
        settings = up_settings()
        configure_logging(settings.log_level, settings.log_format, "demo")
        server.run(script, "127.0.0.1", port)
