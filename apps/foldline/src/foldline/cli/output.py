"""How commands print: rich for people, JSON lines for programs, failures as one line and exit code 1."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape

from agent_contracts.errors import Failure

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]

console = Console(emoji=False)
_errors = Console(stderr=True, emoji=False)


def print_json(value: Any) -> None:
    """One JSON value on one line."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def fail(message: str) -> NoReturn:
    """Say what went wrong and end with exit code 1."""
    _errors.print(f"[bold red]✗[/] {escape(message)}", highlight=False, soft_wrap=True)
    raise typer.Exit(1)


@contextmanager
def failures_shown() -> Iterator[None]:
    """Turn the three failures into `fail`; anything else is a bug and shows its traceback."""
    try:
        yield
    except Failure as failure:
        fail(failure.message)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
