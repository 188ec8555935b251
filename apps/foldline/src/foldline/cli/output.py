"""How commands print: rich for people, JSON lines for programs, failures as one line and exit code 1."""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import msgspec
import typer
from rich.console import Console
from rich.markup import escape

from agent_contracts.errors import Failure, Rejected
from agent_contracts.json_lines import one_line_text
from agent_platform.secrecy.failure_text import failure_text
from foldline.cli.streams import can_be_written

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]

console = Console(emoji=False)
errors = Console(stderr=True, emoji=False)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What would move a terminal's cursor, or worse; tabs and line ends are text."""

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def clean(text: str) -> str:
    """A text of anybody's, without what a terminal would take for an order."""
    return _CONTROLS.sub("", text)


def one_line(text: str) -> str:
    """A text in one line."""
    return clean(" ".join(text.split()))


def print_json(value: Any) -> None:
    """One JSON value on one line."""
    text = one_line_text(json.dumps(_plain(value), ensure_ascii=False))
    if not can_be_written(text, sys.stdout):  # JSON can spell out what the encoding doesn't have
        text = json.dumps(_plain(value))
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _plain(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def done(value: Any, words: str, as_json: bool) -> None:
    """Tell what came of a command: in words, or for programs as what the gateway answered."""
    if as_json:
        print_json(value)
    else:
        console.print(f"[green]✓[/] {escape(clean(words))}", highlight=False, soft_wrap=True)


def needed(value: str | None, words: str, usage: str) -> str:
    """An argument that only some actions take; `Rejected` with the usage where it is missing."""
    if value is None:
        raise Rejected(f"{words}: foldline {usage}", kind="invalid_request")
    return value


def warn(message: str) -> None:
    """Say on standard error what a person should know of, and go on."""
    errors.print(f"[yellow]![/] {escape(clean(message))}", highlight=False, soft_wrap=True)


def fail(message: str) -> NoReturn:
    """Say what went wrong and end with exit code 1."""
    errors.print(f"[bold red]✗[/] {escape(clean(failure_text(message)))}", highlight=False, soft_wrap=True)
    raise typer.Exit(1)


def interrupted(message: str) -> NoReturn:
    """Say what Ctrl-C did and did not stop, and end as programs do after it."""
    errors.print(f"\n{escape(message)}", highlight=False, soft_wrap=True)
    raise typer.Exit(INTERRUPTED)


@contextmanager
def failures_shown() -> Iterator[None]:
    """Turn the three failures into `fail`; anything else is a bug and shows its traceback."""
    try:
        yield
    except Failure as failure:
        fail(failure.message)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
