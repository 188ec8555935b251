"""`foldline check`."""

from pathlib import Path
from typing import Annotated

import typer

from agent_platform.observing.logs import configure_logging
from foldline.cli.output import console, fail, failures_shown
from foldline.kit.checking import flaws_of, needs_of


def check(
    path: Annotated[Path, typer.Argument(help="The folder of an extension, with its pyproject.toml.")],
) -> None:
    """Say what is wrong with an extension, before it is installed."""
    with failures_shown():
        configure_logging("error", "console", "check")
        flaws = flaws_of(path)
        if flaws:
            fail("\n".join(flaws))
        console.print("Nothing is wrong with it.")
        for secret in needs_of(path):
            console.print(f"Some of its tools wait for a secret: foldline secrets set {secret}", markup=False)
