"""The command `foldline`. Exit codes: 0 done, 1 it didn't work (and why), 2 wrong usage."""

import typer

from foldline.cli.lazy_commands import LazyCommands

app = typer.Typer(
    name="foldline",
    cls=LazyCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def foldline() -> None:
    """The personal agent you can rewind."""
