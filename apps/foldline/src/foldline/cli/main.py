"""The command `foldline`. Exit codes: 0 done, 1 it didn't work (and why), 2 wrong usage."""

from importlib.metadata import version
from typing import Annotated

import typer

from foldline.cli.lazy_commands import LazyCommands
from foldline.cli.output import console
from foldline.cli.streams import CommandProgram

app = CommandProgram(
    name="foldline",
    cls=LazyCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _version(asked: bool) -> None:
    if asked:
        console.print(f"foldline {version('foldline')}", highlight=False)
        raise typer.Exit


@app.callback()
def foldline(
    version_asked: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_version, help="Print the version."),
    ] = False,
) -> None:
    """The personal agent you can rewind."""
