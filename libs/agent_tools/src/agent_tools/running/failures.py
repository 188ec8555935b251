"""The one place where what a tool raised becomes what the model is told."""

from agent_contracts.errors import (
    ErrorKind,
    Failure,
    LogCorrupt,
    NotStarted,
    Permanent,
    Rejected,
    ToolError,
    Transient,
)
from agent_contracts.tool_spec import Effect

_KINDS = {kind.value: kind for kind in ErrorKind}


def to_be_run_again(error: BaseException, effect: Effect) -> bool:
    """Whether the delivery should fail, to be handled again, instead of ending the call.

    That is so for a `Transient` of our own parts (the log, the blobs). One of kind `upstream` is what a tool
    raises when the service it calls is at fault: the model decides what to do about that.
    """
    return isinstance(error, Transient) and error.kind != ErrorKind.UPSTREAM and effect is not Effect.EXTERNAL


def error_from(error: BaseException, effect: Effect) -> ToolError:
    """What the model is told of an exception out of a tool.

    A failure's own kind is kept where it is one of the closed list. Any other exception is a bug
    of ours, of which the model learns only that it happened; whoever calls this logs it.
    """
    match error:
        case Transient() if error.kind == ErrorKind.UPSTREAM:
            return ToolError(ErrorKind.UPSTREAM, error.message, retryable=True)
        case NotStarted():
            message = f"it could not start, and nothing of it was done: {error.message}"
            return ToolError(ErrorKind.INTERNAL, message, retryable=True)
        case Transient() if effect is Effect.EXTERNAL:
            return outcome_unknown(f"something else failed while it ran ({error.message})")
        case Transient():
            return ToolError(ErrorKind.INTERNAL, error.message, retryable=True)
        case Rejected():
            return ToolError(
                _KINDS.get(error.kind, ErrorKind.REJECTED),
                error.message,
                path=error.path,
                details=error.details,
            )
        case LogCorrupt():
            return ToolError(
                ErrorKind.CONFLICT,
                f"what is stored can't be made again from the log: {error.message}. What was there before "
                "can be read as of an earlier event, and a restore of the agent to that event mends it",
            )
        case Permanent():
            return ToolError(_KINDS.get(error.kind, ErrorKind.INTERNAL), error.message)
        case _:
            name = type(error).__name__
            message = f"the tool failed because of a bug in it ({name}); the bug was logged"
            return ToolError(ErrorKind.INTERNAL, message)


def timed_out(seconds: float, effect: Effect) -> ToolError:
    """What the model is told of a call that took longer than its tool may."""
    took = f"it was stopped after {seconds:g} seconds"
    if effect in (Effect.EXTERNAL, Effect.EXTERNAL_IDEMPOTENT):
        return outcome_unknown(took)
    return ToolError(ErrorKind.TIMEOUT, took, retryable=True)


def outcome_unknown(why: str) -> ToolError:
    """What the model is told where an action may or may not have happened."""
    return ToolError(
        ErrorKind.OUTCOME_UNKNOWN,
        f"{why}; it may or may not have taken effect, and it was not tried again: "
        "find out before you repeat it",
    )


def is_bug(error: BaseException) -> bool:
    """Whether an exception out of a tool is none of the failures a tool may raise."""
    return not isinstance(error, Failure)
