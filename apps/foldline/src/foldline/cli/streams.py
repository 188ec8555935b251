"""Standard input, output and errors, usable anywhere: in any encoding, on a full disk, into a pipe that
nobody reads any more, or closed."""

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import typer

from agent_contracts.errors import Rejected

STANDARD = "-"
"""The file name that means standard input or output."""
_LOST = 1
"""The exit code of a command whose output was lost."""


class OutputLost(OSError):
    """What a command printed could not be written."""


class _Bytes(io.BufferedWriter):
    """The bytes below standard output; says that it was output that could not be written."""

    def write(self, data: Any, /) -> int:
        with _output_lost():
            return super().write(data)

    def flush(self) -> None:
        with _output_lost():
            super().flush()


@contextmanager
def _output_lost() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputLost(error.errno, error.strerror or str(error)) from error


class CommandProgram(typer.Typer):
    """The command as a program."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it and end the process: what can't be written is one sentence, and exit code 1."""
        _make_usable()
        try:
            try:
                super().__call__(*args, **kwargs)
            finally:
                sys.stdout.flush()
        except BrokenPipeError:
            _discard()  # the reader (such as `head`) wants no more
            raise SystemExit(_LOST) from None
        except OutputLost as error:
            _discard()
            if not _is_broken_pipe(error):
                why = f"The output could not be written: {error.strerror}"
                sys.stderr.write(f"✗ {why}. What the command did is not undone\n")
            raise SystemExit(_LOST) from None


def _is_broken_pipe(error: OSError) -> bool:
    return isinstance(error.__cause__, BrokenPipeError)


def _make_usable() -> None:
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:  # closed: what is opened next must not take its place
            file = open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8")  # noqa: SIM115
            if file.fileno() != number:
                os.dup2(file.fileno(), number)
            setattr(sys, name, file)
    if isinstance(sys.stdout, io.TextIOWrapper):
        encoding, buffered = sys.stdout.encoding, sys.stdout.line_buffering
        sys.stdout.flush()
        raw = sys.stdout.detach()
        below = raw.detach() if isinstance(raw, io.BufferedWriter) else raw
        sys.stdout = io.TextIOWrapper(_Bytes(below), encoding, "replace", line_buffering=buffered)
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="replace")
    if isinstance(sys.stdin, io.TextIOWrapper):
        ascii_only = codecs.lookup(sys.stdin.encoding).name == "ascii"
        # A terminal that is set to ASCII and sends more than that sends UTF-8.
        sys.stdin.reconfigure(encoding="utf-8" if ascii_only else None, errors="replace")


def _discard() -> None:
    """Lose what is still to be written: the interpreter would complain of it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def can_be_written(text: str, to: TextIO) -> bool:
    """Whether the stream's encoding has all characters of the text."""
    try:
        text.encode(to.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def written_text(name: Path | str) -> str:
    """A text that a person wrote: of a file, or for `-` of standard input; a byte order mark is not part of
    it. `Rejected` where it can't be read."""
    try:
        data = sys.stdin.buffer.read() if str(name) == STANDARD else Path(name).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise Rejected(f"{name} can't be read: {error.strerror}", kind="bad_file") from error
    except UnicodeDecodeError as error:
        named = "Standard input" if str(name) == STANDARD else str(name)
        raise Rejected(f"{named} is not text in UTF-8 (byte {error.start})", kind="bad_file") from error
