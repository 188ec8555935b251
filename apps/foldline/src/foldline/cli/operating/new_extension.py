"""`foldline new`."""

import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from foldline.cli.output import console, failures_shown
from foldline.kit.making import EXAMPLES, TRY, make

ExtensionChoice = StrEnum("ExtensionChoice", {kind.upper(): kind for kind in EXAMPLES})  # type: ignore[misc]  # one word for each example


def new(
    kind: Annotated[ExtensionChoice, typer.Argument(help="The kind of extension.")],
    name: Annotated[str, typer.Argument(help="The name: a-z and digits.")],
    folder: Annotated[
        Path | None, typer.Option(help="The folder to write (default: foldline-NAME here).")
    ] = None,
) -> None:
    """Write a new extension: a small one that works, with a test and all that installs it."""
    with failures_shown():
        target = folder or Path(f"foldline-{name}")
        for path in make(kind.value, name, target):
            console.print(str(path), highlight=False, soft_wrap=True)
        # Without `./`, pip would take the folder's name for that of somebody's package and fetch it.
        here = shlex.quote(str(target) if target.is_absolute() else f"./{target}")
        steps = (
            f"foldline check {here}",
            f"{sys.executable} -m pip install {here}",
            f"{sys.executable} -m pytest {here}",
            "Restart Foldline: it finds extensions as it starts",
            TRY[kind.value].format(name=name),
        )
        console.print("\nThen:")
        for step in steps:
            console.print(f"  {step}", highlight=False, soft_wrap=True, markup=False)
