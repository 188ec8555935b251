"""Commands that are imported when they are asked for: `foldline send` needn't wait for what `up` runs."""

import importlib
from typing import Any

import typer
from typer.core import TyperGroup

NAMES = (
    "up",
    "serve",
    "streams",
    "chat",
    "send",
    "sessions",
    "show",
    "events",
    "replay",
    "doctor",
    "config",
    "demo",
)
"""Each is the function of that name in the module `foldline.cli` has under that name; in the order of the
help."""


class LazyCommands(TyperGroup):
    """The group of all commands."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names."""
        return list(NAMES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One command; None if there is none of that name."""
        if cmd_name not in NAMES:
            return None
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        alone.command(cmd_name)(getattr(importlib.import_module(f"foldline.cli.{cmd_name}"), cmd_name))
        return typer.main.get_command(alone)
