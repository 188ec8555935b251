"""What a guest says, read as what it is: bytes from hostile code."""

import msgspec

from tool_runner.sandbox.outcome import FailureKind


class BadFrame(Exception):
    """The guest left what no guest of ours leaves."""


class HostCallFrame(msgspec.Struct, frozen=True):
    """A host call; `arguments` is a JSON array."""

    call: int
    name: str
    arguments: bytes


class TimerFrame(msgspec.Struct, frozen=True):
    """A timer, due in `ms` milliseconds."""

    call: int
    ms: float


class CancelFrame(msgspec.Struct, frozen=True):
    """A timer or a host call that the code does not want any more."""

    call: int


class LogFrame(msgspec.Struct, frozen=True):
    """A line of the log."""

    level: str
    text: str
    size: int


class ResultFrame(msgspec.Struct, frozen=True):
    """The result, as JSON."""

    value: bytes


class FailureFrame(msgspec.Struct, frozen=True):
    """The run ended in an error."""

    error: dict[str, str]


class MissingLibraryFrame(msgspec.Struct, frozen=True):
    """A library was required that the guest was not given."""

    name: str


GuestFrame = (
    HostCallFrame | TimerFrame | CancelFrame | LogFrame | ResultFrame | FailureFrame | MissingLibraryFrame
)

_call = msgspec.json.Decoder(tuple[str, int, str, msgspec.Raw])
_timer = msgspec.json.Decoder(tuple[str, int, float])
_cleared = msgspec.json.Decoder(tuple[str, int])
_log = msgspec.json.Decoder(tuple[str, str, str])
_result = msgspec.json.Decoder(tuple[str, msgspec.Raw])
_error = msgspec.json.Decoder(tuple[str, dict[str, str | int | float | bool | None]])
_missed = msgspec.json.Decoder(tuple[str, str])
_LONGEST_NAME = 200
_LONGEST_TEXT = 20_000


def frame(line: bytes) -> GuestFrame:
    """One line of the guest. Raises BadFrame."""
    try:
        return _frame(line)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise BadFrame(f"the guest said what can't be read: {error}") from error


def _frame(line: bytes) -> GuestFrame:
    match line[2:3]:
        case b"c":
            _, call, name, arguments = _call.decode(line)
            return HostCallFrame(call, name[:_LONGEST_NAME], bytes(arguments))
        case b"t":
            _, call, ms = _timer.decode(line)
            return TimerFrame(call, ms)
        case b"x":
            return CancelFrame(_cleared.decode(line)[1])
        case b"l":
            _, level, text = _log.decode(line)
            return LogFrame(level, text, len(line))
        case b"r":
            return ResultFrame(bytes(_result.decode(line)[1]))
        case b"e":
            told = _error.decode(line)[1]
            return FailureFrame(
                {key: str(value)[:_LONGEST_TEXT] for key, value in told.items() if value is not None}
            )
        case b"m":
            return MissingLibraryFrame(_missed.decode(line)[1][:_LONGEST_NAME])
        case other:
            raise BadFrame(f"a frame of kind {other!r}")


def failure(kind: FailureKind, name: str, message: str) -> dict[str, str]:
    """An error of ours, in the form of the guest's."""
    return {"kind": kind.value, "name": name, "message": message}
